#include "probes/chase.hpp"

namespace aicf::probes {
namespace {

/// Sets that lie well inside one level each.
class LevelLatency final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t =
        chase_text("level_latency", "Latency of L1, L2 and DRAM", "cycles of a dependent load that hits the level");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    return {alu_chain_control(setting), chase_trial("l1", {.bytes = 16 << 10, .stride = 32}, setting),
            chase_trial("l2", {.bytes = 4 << 20, .load = "ld.global.cg.u32"}, setting),
            chase_trial("dram",
                        {.bytes = std::int64_t{256} << 20U, .stride = 4096, .load = "ld.global.cg.u32", .warm = false},
                        setting)};
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    findings.measured("l1", "L1 hit, set of 16 KiB", "cycles", seen.at("l1"));
    findings.measured("l2", "L2 hit, set of 4 MiB, past L1", "cycles", seen.at("l2"));
    findings.measured("dram", "DRAM, one load a 4 KiB page of 256 MiB, nothing touched before by the kernel", "cycles",
                      seen.at("dram"));
  }
};
const RegisterProbe level_latency{"level_latency", make_probe<LevelLatency>};

} // namespace
} // namespace aicf::probes
