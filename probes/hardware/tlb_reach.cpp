#include "probes/chase.hpp"
#include "probes/statistics.hpp"

namespace aicf::probes {
namespace {

class TlbReach final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return chase_text("tlb_reach", "Reach of the TLB",
                      "cycles of a dependent load, one every 2 MiB, by span: what is beyond L2 latency is translation");
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{alu_chain_control(setting)};
    std::vector<std::int64_t> mib{16, 32, 64, 128, 256, 512, 1024};
    if (setting.quick) mib = {32, 128, 512};
    if (!setting.device) mib = {4};
    for (std::int64_t span : mib)
      out.push_back(chase_trial("mib_" + std::to_string(span),
                                {.bytes = span << 20U, .stride = (2 << 20) + 128, .load = "ld.global.cg.u32"},
                                setting));
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    HardwareCurve& curve = findings.curve("by_span", "Load latency, one load every 2 MiB", {"span", "B", true},
                                          {"load", "cycles", false}, true);
    fill_curve(curve, seen, trials_of(seen, "mib_"), [](const Trial&, const Observation& o) { return o.spread; });
    curve.changes = steps(curve.points, true, 0.08);
    curve.change_method = steps_method(true, 0.08);
    const auto all = trials_of(seen, "mib_");
    findings.measured("widest", "Load latency at the widest span, one load every 2 MiB", "cycles", seen.at(all.back()));
  }
};
const RegisterProbe tlb_reach{"tlb_reach", make_probe<TlbReach>};

} // namespace
} // namespace aicf::probes
