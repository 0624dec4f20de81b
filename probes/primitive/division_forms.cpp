#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class DivisionForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("division_forms", "Division by form",
                     "cost and drift of quotients: IEEE, by the row's reciprocal, approximate");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_softmax,
                           {{"ieee", "IEEE division", {{"divide", "ieee"}}},
                            {"reciprocal", "reciprocal of the row", {{"divide", "reciprocal"}}},
                            {"fast", "rcp.approx", {{"divide", "fast"}}}},
                           {1024, 4096}, DType::f32);
  }
};
const RegisterProbe division_forms{"division_forms", make_probe<DivisionForms>};

} // namespace
} // namespace aicf::probes
