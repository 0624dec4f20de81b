#include "probes/chase.hpp"
#include "probes/statistics.hpp"

namespace aicf::probes {
namespace {

class MemoryLatency final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = chase_text("memory_latency", "Load latency by working set",
                             "cycles of a dependent load, from L1 to DRAM, with the sizes at which it changes");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{alu_chain_control(setting)};
    std::vector<std::int64_t> kib{8,     16,    32,    64,    96,    128,   160,   192,   224,    256,    320,
                                  384,   512,   768,   1024,  2048,  4096,  8192,  12288, 16384,  20480,  24576,
                                  28672, 32768, 40960, 49152, 57344, 65536, 81920, 98304, 131072, 196608, 262144};
    if (setting.quick) kib = {8, 32, 128, 192, 256, 512, 2048, 8192, 16384, 32768, 65536, 131072};
    if (!setting.device) kib = {1};
    for (std::int64_t size : kib)
      out.push_back(chase_trial("kib_" + std::to_string(size), {.bytes = size << 10U}, setting));
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    HardwareCurve& curve = findings.curve("by_set", "Load latency by working set, 128-byte steps",
                                          {"working set", "B", true}, {"load", "cycles", false}, true);
    fill_curve(curve, seen, trials_of(seen, "kib_"), [](const Trial&, const Observation& o) { return o.spread; });
    curve.changes = steps(curve.points, true, 0.08);
    curve.change_method = steps_method(true, 0.08);
    const std::vector<ChangePoint> found = curve.changes;
    const Observation& any = seen.at(trials_of(seen, "kib_").front());
    for (std::size_t i = 0; i < found.size() && i < 4; ++i)
      findings.derived("change_" + std::to_string(i + 1),
                       "Working set at which load latency changes, place " + std::to_string(i + 1), "B", {&any},
                       {found[i].x, found[i].x, found[i].x, 1}, steps_method(true, 0.08));
  }
};
const RegisterProbe memory_latency{"memory_latency", make_probe<MemoryLatency>};

} // namespace
} // namespace aicf::probes
