#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class FmaContraction final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("fma_contraction", "Contraction to fma", "cost and drift of products and sums contracted or not");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(
        row_variance,
        {{"off", "rounded twice", {{"contract_fma", "false"}}}, {"on", "fma", {{"contract_fma", "true"}}}},
        {1024, 4096}, DType::f32);
  }
};
const RegisterProbe fma_contraction{"fma_contraction", make_probe<FmaContraction>};

} // namespace
} // namespace aicf::probes
