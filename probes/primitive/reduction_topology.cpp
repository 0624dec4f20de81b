#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ReductionTopology final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("reduction_topology", "Reduction topologies",
                            "cost and drift of sums over a row, by topology and length");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(
        row_sum,
        {{"sequential", "left fold of a thread", {{"reduction_tree", "sequential"}}},
         {"thread", "one thread a row", {{"cooperation", "thread"}}},
         {"warp", "a warp by shuffles", {{"cooperation", "warp"}, {"reduction_tree", "shuffle"}}},
         {"block", "a block by shuffles and shared memory", {{"cooperation", "block"}, {"reduction_tree", "shuffle"}}},
         {"cluster", "a cluster of blocks", {{"cooperation", "cluster"}, {"reduction_tree", "shuffle"}}}},
        {256, 1024, 4096}, DType::f32);
  }
};
const RegisterProbe reduction_topology{"reduction_topology", make_probe<ReductionTopology>};

} // namespace
} // namespace aicf::probes
