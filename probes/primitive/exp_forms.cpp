#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ExpForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("exp_forms", "Exponential by function", "cost and drift of exp by library function or ex2.approx");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(
        row_softmax, {{"precise", "library function", {{"exp", "precise"}}}, {"fast", "ex2.approx", {{"exp", "fast"}}}},
        {256, 1024, 4096}, DType::f32);
  }
};
const RegisterProbe exp_forms{"exp_forms", make_probe<ExpForms>};

} // namespace
} // namespace aicf::probes
