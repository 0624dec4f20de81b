#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class StatisticsForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("statistics_forms", "Mergeable statistics against two passes",
                     "cost, traffic and drift of a variance by row length");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_variance,
                           {{"two_pass", "a sweep a level", {{"state_form", "two_pass"}}},
                            {"online", "one sweep with a mergeable state", {{"state_form", "online"}}},
                            {"resident", "row on chip", {{"state_form", "resident"}}}},
                           {256, 1024, 4096}, DType::f32);
  }
};
const RegisterProbe statistics_forms{"statistics_forms", make_probe<StatisticsForms>};

} // namespace
} // namespace aicf::probes
