#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class StreamingUpdate final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("streaming_update", "Streaming updates",
                     "cost and drift of a rescaled sum of exponentials, by state form");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_logsumexp,
                           {{"two_pass", "a sweep a level", {{"state_form", "two_pass"}}},
                            {"online", "one sweep with a mergeable state", {{"state_form", "online"}}},
                            {"resident", "row on chip", {{"state_form", "resident"}}}},
                           {256, 1024, 4096}, DType::f32);
  }
};
const RegisterProbe streaming_update{"streaming_update", make_probe<StreamingUpdate>};

} // namespace
} // namespace aicf::probes
