#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// a = b + s c of STREAM. Source: J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance
/// Computers", 1995.
class DramTriad final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return stream_text("dram_triad", "DRAM triad bandwidth", "bytes a second of a = b + s c, two reads and a write");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    const std::int64_t bytes = setting.device ? std::int64_t{512} << 20U : 1 << 15, n = bytes / 16;
    KernelText k;
    k.source = R"(extern "C" __global__ void __launch_bounds__(512) probe(const float4* __restrict__ b,
                                                         const float4* __restrict__ c, float4* a, long long n) {
  const long long first = blockIdx.x * 1024ll + threadIdx.x;
  float4 x[2], y[2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
    if (first + 512 * i < n) { x[i] = b[first + 512 * i]; y[i] = c[first + 512 * i]; }
#pragma unroll
  for (int i = 0; i < 2; ++i)
    if (first + 512 * i < n)
      a[first + 512 * i] = {fmaf(3.0f, y[i].x, x[i].x), fmaf(3.0f, y[i].y, x[i].y), fmaf(3.0f, y[i].z, x[i].z), fmaf(3.0f, y[i].w, x[i].w)};
}
)";
    k.grid = (n + 1023) / 1024;
    k.block = 512;
    k.buffers = {{"b", DType::f32, 4 * n, Arg::Role::input, random_fill(3)},
                 {"c", DType::f32, 4 * n, Arg::Role::input, random_fill(4)},
                 {"a", DType::f32, 4 * n, Arg::Role::output}};
    k.values = {{"n", n}};
    k.expects = {{"ld.global.nc.v4", 4}, {"fma.rn.f32", 8}};
    return {{"triad", "DRAM triad, two reads and a write", k, 3.0 * static_cast<double>(bytes)}};
  }
};
const RegisterProbe dram_triad{"dram_triad", make_probe<DramTriad>};

} // namespace
} // namespace aicf::probes
