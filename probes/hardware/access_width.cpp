#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// The same copy with 1 to 16 bytes a lane and access.
class AccessWidth final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = stream_text("access_width", "Copy by bytes of an access",
                              "bytes a second of a copy, by the width of a lane's access");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    const std::int64_t bytes = setting.device ? std::int64_t{128} << 20U : 1 << 14;
    std::vector<Entry> out;
    struct Width {
      std::int64_t bytes;
      const char *type, *load;
    };
    for (const Width& w : {Width{1, "unsigned char", "ld.global.nc.u8"},
                           {2, "unsigned short", "ld.global.nc.u16"},
                           {4, "unsigned", "ld.global.nc.u32"},
                           {8, "uint2", "ld.global.nc.v2"},
                           {16, "uint4", "ld.global.nc.v4"}}) {
      const std::int64_t n = bytes / w.bytes;
      KernelText k;
      k.source =
          filled(R"(extern "C" __global__ void __launch_bounds__(256) probe(const @TYPE@* __restrict__ from, @TYPE@* to,
                                                         long long n) {
  const long long first = blockIdx.x * 2048ll + threadIdx.x;
  @TYPE@ v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (first + 256 * i < n) v[i] = from[first + 256 * i];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (first + 256 * i < n) to[first + 256 * i] = v[i];
}
)",
                 {{"TYPE", w.type}});
      k.grid = (n + 2047) / 2048;
      k.block = 256;
      k.buffers = {{"from", DType::f32, bytes / 4, Arg::Role::input, random_fill(5)},
                   {"to", DType::f32, bytes / 4, Arg::Role::output}};
      k.values = {{"n", n}};
      k.expects = {{w.load, 8}};
      out.push_back({"bytes_" + std::to_string(w.bytes), "Copy, " + std::to_string(w.bytes) + " B a lane and access", k,
                     2.0 * static_cast<double>(bytes), static_cast<double>(w.bytes), 0});
    }
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    StreamProbe::conclude(setting, seen, findings);
    HardwareCurve& curve = findings.curve("by_width", "Copy bandwidth by bytes of a lane's access",
                                          {"access", "B", true}, {"copy", "B/s", false}, true);
    const double moved = 2e6 * static_cast<double>(std::int64_t{128} << 20U);
    fill_curve(curve, seen, trials_of(seen, "bytes_"),
               [&](const Trial&, const Observation& o) { return over(moved, o.spread); });
  }
};
const RegisterProbe access_width{"access_width", make_probe<AccessWidth>};

} // namespace
} // namespace aicf::probes
