#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class WritebackForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("writeback_forms", "Writeback forms", "traffic and time of stores kept or streamed");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_softmax,
                           {{"plain", "stores as they come", {{"cache_hint", "none"}}},
                            {"streaming", "evict-first loads and stores", {{"cache_hint", "streaming"}}}},
                           {1024, 4096}, DType::bf16);
  }
};
const RegisterProbe writeback_forms{"writeback_forms", make_probe<WritebackForms>};

} // namespace
} // namespace aicf::probes
