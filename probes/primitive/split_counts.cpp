#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class SplitCounts final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("split_counts", "Splits of a row",
                     "cost and drift of a row that several blocks share, merged by a second kernel");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_sum,
                           {{"s2", "2 parts", {{"row_blocks", "2"}, {"cooperation", "split"}}},
                            {"s8", "8 parts", {{"row_blocks", "8"}, {"cooperation", "split"}}},
                            {"s32", "32 parts", {{"row_blocks", "32"}, {"cooperation", "split"}}}},
                           {4096, 32768}, DType::f32, 2);
  }
};
const RegisterProbe split_counts{"split_counts", make_probe<SplitCounts>};

} // namespace
} // namespace aicf::probes
