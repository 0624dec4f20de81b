#include "probes/patterns.hpp"
#include "probes/statistics.hpp"

namespace aicf::probes {
namespace {

/// Every block reads the whole working set, again and again, from places of its own, past L1.
class L2Bandwidth final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t =
        stream_text("l2_bandwidth", "L2 bandwidth by working set", "bytes a second read past L1, by working set");
    t.method = "CUDA events around launches queued back to back, all multiprocessors reading the set with "
               "ld.global.cg; median and quartiles";
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    std::vector<std::int64_t> kib{512, 1024, 2048, 4096, 8192, 16384, 24576, 32768, 40960, 49152, 65536, 98304, 131072};
    if (setting.quick) kib = {1024, 8192, 16384, 32768, 65536, 131072};
    if (!setting.device) kib = {16, 32};
    std::vector<Entry> out;
    for (std::int64_t size : kib) {
      const std::int64_t bytes = size << 10U, n = bytes / 16, blocks = std::int64_t{2} * setting.hardware.sm_count;
      const std::int64_t turns =
          setting.device ? std::max<std::int64_t>((std::int64_t{256} << 20U) / (blocks * 512 * 16 * 4), 1) : 1;
      KernelText k;
      k.source =
          R"(extern "C" __global__ void __launch_bounds__(512) probe(const uint4* from, unsigned* sink, long long n, long long turns) {
  const unsigned count = n;
  unsigned at = (blockIdx.x * 2048u + threadIdx.x) % count, all = 0;
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned x, y, z, w;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(from + at));
      all ^= x ^ y ^ z ^ w;
      at += 512;
      if (at >= count) at -= count;
    }
    at += (gridDim.x - 1) * 2048u % count;
    if (at >= count) at -= count;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
)";
      k.grid = blocks;
      k.block = 512;
      k.buffers = {{"from", DType::f32, 4 * n, Arg::Role::input, random_fill(6)},
                   {"sink", DType::i32, blocks * 512, Arg::Role::output}};
      k.values = {{"n", n}, {"turns", turns}};
      k.expects = {{"ld.global.cg.v4", 4}};
      out.push_back({"kib_" + std::to_string(size), "Reads past L1 of a set of " + std::to_string(size) + " KiB", k,
                     static_cast<double>(blocks * 512 * turns * 4 * 16), static_cast<double>(bytes), 0});
    }
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    StreamProbe::conclude(setting, seen, findings);
    std::map<double, double> work;
    for (const Entry& e : entries(setting)) work[e.x] = e.bytes * 1e6;
    HardwareCurve& curve = findings.curve("by_set", "Read bandwidth past L1 by working set", {"working set", "B", true},
                                          {"read", "B/s", false}, true);
    fill_curve(curve, seen, trials_of(seen, "kib_"),
               [&](const Trial& t, const Observation& o) { return over(work.at(t.x), o.spread); });
    curve.changes = steps(curve.points, true, 0.05);
    curve.change_method = steps_method(true, 0.05);
  }
};
const RegisterProbe l2_bandwidth{"l2_bandwidth", make_probe<L2Bandwidth>};

} // namespace
} // namespace aicf::probes
