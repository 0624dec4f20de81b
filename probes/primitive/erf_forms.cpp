#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ErfForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("erf_forms", "Error function by form", "cost and drift of erf in a map");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"precise", "library function", {{"erf", "precise"}}},
                          Form{"fast", "polynomial and ex2.approx", {{"erf", "fast"}}}}) {
      for (std::int64_t n : {1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       map_gelu,
                       f.choices,
                       {{"M", 4}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::f32,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe erf_forms{"erf_forms", make_probe<ErfForms>};

} // namespace
} // namespace aicf::probes
