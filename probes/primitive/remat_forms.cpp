#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class RematForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("remat_forms", "Store or recompute",
                     "traffic and instructions of costly intermediates: recomputed or kept");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(
        row_softmax,
        {{"none", "each sweep as written", {{"intermediates", "none"}, {"state_form", "two_pass"}}},
         {"recompute", "recomputed in the last sweep", {{"intermediates", "recompute"}, {"state_form", "two_pass"}}},
         {"keep", "kept on chip", {{"intermediates", "keep"}, {"state_form", "resident"}}}},
        {1024, 4096}, DType::bf16);
  }
};
const RegisterProbe remat_forms{"remat_forms", make_probe<RematForms>};

} // namespace
} // namespace aicf::probes
