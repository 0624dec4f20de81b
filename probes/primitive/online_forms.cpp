#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class OnlineForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("online_forms", "Online against two-pass against resident",
                            "cost, traffic and drift of softmax's cascade by row length");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting& setting) const override {
    std::vector<std::int64_t> lengths{256, 1024, 4096};
    if (!setting.quick) lengths.insert(lengths.end(), {16384, 65536});
    return forms_by_length(
        row_softmax,
        {{"two_pass", "a sweep a level", {{"state_form", "two_pass"}}},
         {"online", "one sweep with a mergeable state", {{"state_form", "online"}}},
         {"resident", "row on chip", {{"state_form", "resident"}}},
         {"resident_online", "row on chip and a mergeable state", {{"state_form", "resident_online"}}}},
        lengths, DType::bf16);
  }
};
const RegisterProbe online_forms{"online_forms", make_probe<OnlineForms>};

} // namespace
} // namespace aicf::probes
