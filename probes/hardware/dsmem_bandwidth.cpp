#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// Each block of a cluster reads the next one's shared memory.
class DsmemBandwidth final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("dsmem_bandwidth", "Bandwidth of distributed shared memory",
                            "bytes a clock and multiprocessor read from another block of the cluster, by its size");
    t.method = "clock64 over 256 loads of 16 B of each of 512 threads of a block, all blocks of the grid at once; "
               "median, 5 % and 95 % quantiles over blocks and launches";
    return t;
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{fma_rate_control(setting)};
    for (std::int64_t cluster : {2, 4, 8}) {
      KernelText k;
      k.source =
          R"(extern "C" __global__ void __launch_bounds__(512) probe(long long* samples, unsigned* sink, long long turns) {
  __shared__ uint4 cells[512];
  __shared__ long long last[16];
  cells[threadIdx.x] = uint4{1, 2, 3, 4};
  unsigned rank, size, there;
  asm volatile("mov.u32 %0, %cluster_ctarank; mov.u32 %1, %cluster_nctarank;" : "=r"(rank), "=r"(size));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(cells + threadIdx.x))), "r"((rank + 1) % size));
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  const unsigned nothing = sink[0]; // zero, which the assembler cannot know: it makes equal loads one
  there += nothing;
  const long long start = clock64();
  unsigned all = 0;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      unsigned x, y, z, w;
      there += nothing;
      asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(there) : "memory");
      all += x + y + z + w;
    }
  }
  if (threadIdx.x % 32 == 0) last[threadIdx.x / 32] = clock64() + (all == 1 ? 1 : 0);
  __syncthreads();
  if (threadIdx.x == 0) {
    long long end = last[0];
    for (int w = 1; w < 16; ++w) end = max(end, last[w]);
    samples[blockIdx.x] = end - start;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); // nobody leaves early
}
)";
      const std::int64_t turns = setting.device ? 32 : 1;
      k.cluster = cluster;
      k.grid = setting.device ? setting.hardware.sm_count / cluster * cluster : cluster;
      k.block = 512;
      k.buffers = {{"samples", DType::i64, k.grid}, {"sink", DType::i32, k.grid * 512}};
      k.values = {{"turns", turns}};
      k.expects = {{"ld.shared::cluster.v4", 8}};
      Trial t = trial("blocks_" + std::to_string(cluster), Trial::Reads::cycles, k);
      t.per = static_cast<double>(turns) * 8 * 512 * 16;
      out.push_back(std::move(t));
    }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_fma_rate(seen, findings);
    for (const char* blocks : {"2", "4", "8"})
      findings.rate(std::string("blocks_") + blocks,
                    std::string("Reads of the next block's shared memory, clusters of ") + blocks, "B/clk/SM",
                    seen.at(std::string("blocks_") + blocks), 1);
  }
};
const RegisterProbe dsmem_bandwidth{"dsmem_bandwidth", make_probe<DsmemBandwidth>};

} // namespace
} // namespace aicf::probes
