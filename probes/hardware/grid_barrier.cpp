#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {
namespace {

/// A barrier of all blocks by one counter, as many blocks as fit at once.
class GridBarrier final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "grid_barrier",
            .lab = "hardware",
            .name = "Cost of a barrier of the grid",
            .measures = "cycles of one barrier of all multiprocessors after another",
            .method = "clock64 in block 0 around 16 barriers: a counter in L2, one arrival a block, all wait by "
                      "reading it; median, 5 % and 95 % quantiles",
            .control = "a chain of dependent fma must take 4 cycles an operation",
            .inputs = "none"};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    KernelText k;
    k.source =
        R"(extern "C" __global__ void __launch_bounds__(256) probe(long long* samples, unsigned* counter, long long count) {
  unsigned target = 0;
  for (int s = 0; s < count; ++s) {
    const long long start = clock64();
    for (int i = 0; i < 16; ++i) {
      target += gridDim.x;
      __syncthreads();
      if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(counter) : "memory");
        unsigned seen;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory"); while (seen < target);
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) samples[s] = clock64() - start;
  }
}
)";
    const std::int64_t count = setting.device ? 64 : 1;
    k.grid = setting.hardware.sm_count;
    k.block = 256;
    k.buffers = {{"samples", DType::i64, count}, {"counter", DType::i32, 1}};
    k.values = {{"count", count}};
    k.expects = {{"red.release.gpu", 1}, {"ld.acquire.gpu", 1}};
    Trial t = trial("barrier", Trial::Reads::cycles, k);
    t.per = 16;
    return {alu_chain_control(setting), t};
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    findings.measured("barrier", "Barrier of one block of 256 threads a multiprocessor", "cycles", seen.at("barrier"));
  }
};
const RegisterProbe grid_barrier{"grid_barrier", make_probe<GridBarrier>};

} // namespace
} // namespace aicf::probes
