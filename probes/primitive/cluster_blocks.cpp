#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ClusterBlocks final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("cluster_blocks", "Blocks of a cluster a row",
                     "cost and drift of a row that the blocks of a cluster share, by their number");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_sum,
                           {{"b2", "2 blocks", {{"row_blocks", "2"}, {"cooperation", "cluster"}}},
                            {"b4", "4 blocks", {{"row_blocks", "4"}, {"cooperation", "cluster"}}},
                            {"b8", "8 blocks", {{"row_blocks", "8"}, {"cooperation", "cluster"}}}},
                           {4096, 32768}, DType::f32, 2);
  }
};
const RegisterProbe cluster_blocks{"cluster_blocks", make_probe<ClusterBlocks>};

} // namespace
} // namespace aicf::probes
