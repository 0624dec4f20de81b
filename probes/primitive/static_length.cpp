#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class StaticLength final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("static_length", "Length known to the compiler",
                            "instructions by whether the row length is a constant");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"dynamic", "length at run time", {{"row_length", "dynamic"}}},
                          Form{"static", "length a constant", {{"row_length", "static"}}}}) {
      for (std::int64_t n : {1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_softmax,
                       f.choices,
                       {{"M", 4}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::bf16,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe static_length{"static_length", make_probe<StaticLength>};

} // namespace
} // namespace aicf::probes
