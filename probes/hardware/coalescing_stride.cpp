#include "probes/findings.hpp"
#include "probes/kernels.hpp"

#include <cmath>

namespace aicf::probes {
namespace {

/// Lane i of a warp reads element i times stride.
class CoalescingStride final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {
        .id = "coalescing_stride",
        .lab = "hardware",
        .name = "Coalescing by stride",
        .measures = "sectors of a warp's 4-byte loads, and bytes a second that arrive of those asked for, by stride",
        .method = "sectors counted by the emulator; on a device CUDA events, buffers beyond twice the L2, median and "
                  "quartiles",
        .control = "stride 1 is 4 sectors a warp; on a device a copy must reach 60 to 100 % of bus width times clock",
        .inputs = "uniform in [-1, 1)",
        .quick = true};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{copy_trial("control.copy", control_bytes, setting)};
    for (int stride : strides) {
      out.push_back(make(stride, false, setting));
      if (!setting.quick || stride == 1 || stride == 2 || stride == 8 || stride == 32)
        out.push_back(make(stride, true, setting));
    }
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    check_copy(setting, seen, findings, "control.copy", control_bytes);
    const double one = seen.at("sectors_1").counter("global_load_sectors");
    findings.control_exact(one == 4, "stride 1 must be 4 sectors, came out " + std::to_string(one));
    for (int stride : strides) {
      const std::string s = std::to_string(stride);
      const Observation& o = seen.at("sectors_" + s);
      findings.exact("sectors_" + s, "Sectors of a warp's 4-byte loads at stride " + s, "sectors", o,
                     o.counter("global_load_sectors"));
      if (seen.has("time_" + s))
        findings.rate("bandwidth_" + s, "Bytes asked for a second, 4-byte loads at stride " + s, "B/s",
                      seen.at("time_" + s), 1e6 * std::floor(static_cast<double>(bytes) / stride));
    }
    HardwareCurve& curve = findings.curve("sectors", "Sectors of a warp's loads by stride",
                                          {"stride", "elements", true}, {"sectors", "", false}, false);
    fill_curve(curve, seen, trials_of(seen, "sectors_"), [](const Trial&, const Observation& o) {
      const double sectors = o.counter("global_load_sectors");
      return Spread{sectors, sectors, sectors, 1};
    });
    HardwareCurve& useful = findings.curve("bandwidth", "Bytes asked for a second by stride",
                                           {"stride", "elements", true}, {"useful", "B/s", false}, true);
    fill_curve(useful, seen, trials_of(seen, "time_"), [](const Trial& t, const Observation& o) {
      return over(1e6 * static_cast<double>(bytes) / t.x, o.spread);
    });
  }

 private:
  static constexpr int strides[] = {1, 2, 3, 4, 6, 8, 12, 16, 32};
  static constexpr std::int64_t bytes = std::int64_t{256} << 20U, control_bytes = std::int64_t{128} << 20U;

  static Trial make(int stride, bool time, const Setting& setting) {
    const std::int64_t n = time && setting.device ? bytes / 4 : std::int64_t{32} * stride, threads = n / stride;
    KernelText k;
    k.source =
        R"(extern "C" __global__ void probe(const unsigned* __restrict__ from, unsigned* sink, long long threads, long long stride) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= threads) return;
  const unsigned v = from[i * stride];
  if (v == 0x9e3779b9u) sink[threadIdx.x] = v;
}
)";
    k.block = time ? 512 : 32;
    k.grid = (threads + k.block - 1) / k.block;
    k.buffers = {{"from", DType::f32, n, Arg::Role::input, random_fill(8)},
                 {"sink", DType::i32, 512, Arg::Role::output}};
    k.values = {{"threads", threads}, {"stride", stride}};
    k.expects = {{"ld.global", 1}};
    Trial t = trial((time ? "time_" : "sectors_") + std::to_string(stride),
                    time ? Trial::Reads::time : Trial::Reads::exact, k);
    t.x = stride;
    return t;
  }
};
const RegisterProbe coalescing_stride{"coalescing_stride", make_probe<CoalescingStride>};

} // namespace
} // namespace aicf::probes
