#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ThreadsPerRow final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("threads_per_row", "Threads of a row", "instructions and time by threads that share a row");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_sum,
                           {{"t64", "64 threads", {{"threads", "64"}}},
                            {"t128", "128 threads", {{"threads", "128"}}},
                            {"t256", "256 threads", {{"threads", "256"}}},
                            {"t512", "512 threads", {{"threads", "512"}}}},
                           {256, 1024, 4096}, DType::bf16);
  }
};
const RegisterProbe threads_per_row{"threads_per_row", make_probe<ThreadsPerRow>};

} // namespace
} // namespace aicf::probes
