#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ExpForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t =
        plan_text("exp_forms", "Exponential by function", "cost and drift of exp by library function or ex2.approx");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f :
         {Form{"precise", "library function", {{"exp", "precise"}}}, Form{"fast", "ex2.approx", {{"exp", "fast"}}}}) {
      for (std::int64_t n : {256, 1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_softmax,
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
const RegisterProbe exp_forms{"exp_forms", make_probe<ExpForms>};

} // namespace
} // namespace aicf::probes
