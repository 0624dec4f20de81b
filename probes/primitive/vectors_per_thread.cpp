#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class VectorsPerThread final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("vectors_per_thread", "Accesses in flight a thread",
                     "instructions and time by accesses that a thread has in flight");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_softmax,
                           {{"p1", "1 accesses", {{"vectors_per_thread", "1"}}},
                            {"p2", "2 accesses", {{"vectors_per_thread", "2"}}},
                            {"p4", "4 accesses", {{"vectors_per_thread", "4"}}}},
                           {1024, 4096}, DType::bf16);
  }
};
const RegisterProbe vectors_per_thread{"vectors_per_thread", make_probe<VectorsPerThread>};

} // namespace
} // namespace aicf::probes
