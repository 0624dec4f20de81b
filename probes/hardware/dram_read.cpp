#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// Every byte is read once; a word of each thread's sum is stored.
class DramRead final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t =
        stream_text("dram_read", "DRAM read bandwidth", "bytes a second read from DRAM, by bytes in flight a thread");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    const std::int64_t bytes = setting.device ? std::int64_t{1} << 30U : 1 << 16, n = bytes / 16;
    std::vector<Entry> out;
    for (std::int64_t loads : {2, 4, 8}) {
      KernelText k;
      k.source = filled(
          R"(extern "C" __global__ void __launch_bounds__(512) probe(const uint4* __restrict__ from, unsigned* sink,
                                                         long long n) {
  const long long first = blockIdx.x * (512ll * @LOADS@) + threadIdx.x;
  uint4 v[@LOADS@];
#pragma unroll
  for (int i = 0; i < @LOADS@; ++i) v[i] = first + 512 * i < n ? from[first + 512 * i] : uint4{};
  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < @LOADS@; ++i) all ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  if (all == 0x9e3779b9u) sink[threadIdx.x] = all; // the values are needed to decide
}
)",
          {{"LOADS", std::to_string(loads)}});
      k.grid = (n + 512 * loads - 1) / (512 * loads);
      k.block = 512;
      k.buffers = {{"from", DType::f32, 4 * n, Arg::Role::input, random_fill(2)}, {"sink", DType::i32, 512}};
      k.buffers[1].role = Arg::Role::output;
      k.values = {{"n", n}};
      k.expects = {{"ld.global.nc.v4", static_cast<int>(loads)}};
      out.push_back({"loads_" + std::to_string(loads),
                     "DRAM read, " + std::to_string(loads) + " loads of 16 B in flight a thread", k,
                     static_cast<double>(bytes)});
    }
    return out;
  }
};
const RegisterProbe dram_read{"dram_read", make_probe<DramRead>};

} // namespace
} // namespace aicf::probes
