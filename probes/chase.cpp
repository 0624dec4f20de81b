#include "probes/chase.hpp"

#include <algorithm>

namespace aicf::probes {

Trial chase_trial(const std::string& id, const Chase& chase, const Setting& setting) {
  static const char* const text =
      R"(extern "C" __global__ void __launch_bounds__(1024) probe(long long* samples, const unsigned* ring,
                                                          unsigned* sink, @AFTER@long long count, long long steps,
                                                          long long nodes, long long stride) {
  unsigned at = blockIdx.x * stride, all = 0;
  for (long long i = threadIdx.x; i < nodes; i += 1024) {
    unsigned v;
    asm volatile("@LOAD@ %0, [%1];" : "=r"(v) : "l"(ring + i * stride) : "memory");
    all ^= v;
  }
  sink[blockIdx.x * 1024 + threadIdx.x] = all;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int s = 0; s < count; ++s) {
    const long long start = clock64();
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
#pragma unroll
      for (int u = 0; u < 8; ++u) asm volatile("@LOAD@ %0, [%1];" : "=r"(at) : "l"(ring + at) : "memory");
    }
    samples[blockIdx.x * count + s] = clock64() - start;
  }
  sink[blockIdx.x * 1024] = at;
}
)";
  const std::int64_t bytes = setting.device ? chase.bytes : std::min<std::int64_t>(chase.bytes, 8 * chase.stride);
  const std::int64_t blocks = chase.everywhere ? setting.hardware.sm_count : 1, stride = chase.stride / 4;
  const std::int64_t share = std::max<std::int64_t>(bytes / chase.stride / blocks, 1), nodes = share * blocks;
  const std::int64_t count = !setting.device ? 2 : chase.everywhere ? 8 : 32, steps = setting.device ? 16 : 1;
  const bool cold = !chase.warm && setting.device;
  KernelText k;
  k.source = filled(text, {{"LOAD", chase.load}, {"AFTER", cold ? "const unsigned* after, " : ""}});
  k.grid = blocks;
  k.block = 1024;
  k.buffers = {{"samples", DType::i64, blocks * count},
               {"ring", DType::i32, nodes * stride, Arg::Role::input, ring_fill(share, stride, 11, blocks)},
               {"sink", DType::i32, blocks * 1024}};
  // What an upload has left in L2 is not what a cold chase is about: what comes after it takes its place.
  if (cold) k.buffers.push_back({"after", DType::i32, setting.hardware.l2_bytes / 2});
  k.values = {{"count", count}, {"steps", steps}, {"nodes", chase.warm ? nodes : 0}, {"stride", stride}};
  k.expects = {{chase.load, 9}};
  Trial t = trial(id, Trial::Reads::cycles, k);
  t.per = static_cast<double>(8 * steps);
  t.x = static_cast<double>(chase.bytes);
  return t;
}

ProbeText chase_text(const std::string& id, const std::string& name, const std::string& measures) {
  return {.id = id,
          .lab = "hardware",
          .name = name,
          .measures = measures,
          .method = "clock64 around 128 dependent loads of one thread along a ring in random order, after a block has "
                    "touched the whole ring; median, 5 % and 95 % quantiles over samples and launches",
          .control = "a chain of dependent fma must take 4 cycles an operation",
          .inputs = "a random cyclic permutation"};
}

} // namespace aicf::probes
