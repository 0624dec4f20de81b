#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class NormForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("norm_forms", "Resident rows of a norm",
                     "traffic of a norm whose result lies along the axis, by form");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_norm,
                           {{"two_pass", "a sweep a level", {{"state_form", "two_pass"}}},
                            {"resident", "row on chip", {{"state_form", "resident"}}}},
                           {256, 1024, 4096}, DType::bf16);
  }
};
const RegisterProbe norm_forms{"norm_forms", make_probe<NormForms>};

} // namespace
} // namespace aicf::probes
