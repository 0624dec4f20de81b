#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class DsmemLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("dsmem_latency", "Latency of distributed shared memory",
                        "cycles of a dependent load from another block of the cluster, by its size");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    for (std::int64_t blocks : {2, 4, 8})
      out.push_back(
          {"blocks_" + std::to_string(blocks),
           "Load from the next block of a cluster of " + std::to_string(blocks),
           {.state = R"(__shared__ unsigned ring[64];
  unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(ring)), rank, size, there;
  asm volatile("mov.u32 %0, %cluster_ctarank; mov.u32 %1, %cluster_nctarank;" : "=r"(rank), "=r"(size));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"((rank + 1) % size));
  for (int i = 0; i < 64; ++i) ring[i] = 4 * ((i + 1) % 64); // offsets: the same in each block
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  unsigned a = sink[0];)",
            .body = R"(asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(a) : "r"(there + a) : "memory");)",
            // No block leaves while another reads its memory.
            .result =
                R"(a; asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"))",
            .cluster = blocks,
            .expects = {{"ld.shared::cluster.u32", 16}},
            .everywhere = true}});
    return out;
  }
};
const RegisterProbe dsmem_latency{"dsmem_latency", make_probe<DsmemLatency>};

} // namespace
} // namespace aicf::probes
