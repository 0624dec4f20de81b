#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ClusterBarrierLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("cluster_barrier_latency", "Cost of a cluster's barrier",
                        "cycles of barrier.cluster, by blocks of the cluster");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    for (std::int64_t blocks : {2, 4, 8})
      out.push_back(
          {"blocks_" + std::to_string(blocks),
           "barrier.cluster of " + std::to_string(blocks) + " blocks of 128 threads",
           {.state = "",
            .body = R"(asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");)",
            .result = "0u",
            .block = 128,
            .cluster = blocks,
            .expects = {{"barrier.cluster.wait", 16}},
            .everywhere = true}});
    return out;
  }
};
const RegisterProbe cluster_barrier_latency{"cluster_barrier_latency", make_probe<ClusterBarrierLatency>};

} // namespace
} // namespace aicf::probes
