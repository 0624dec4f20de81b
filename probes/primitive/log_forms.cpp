#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class LogForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("log_forms", "Logarithm by function", "cost and drift of log by library function or lg2.approx");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(
        row_logsumexp,
        {{"precise", "library function", {{"log", "precise"}}}, {"fast", "lg2.approx", {{"log", "fast"}}}},
        {1024, 4096}, DType::f32);
  }
};
const RegisterProbe log_forms{"log_forms", make_probe<LogForms>};

} // namespace
} // namespace aicf::probes
