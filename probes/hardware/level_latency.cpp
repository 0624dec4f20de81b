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
    const Chain by_address{.state = R"(unsigned long long* const ring = reinterpret_cast<unsigned long long*>(own);
  for (int i = 0; i < 16; ++i) ring[i] = reinterpret_cast<unsigned long long>(ring + (i + 1) % 16);
  __threadfence();
  unsigned long long a = reinterpret_cast<unsigned long long>(ring);)",
                           .body = R"(asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(a) :: "memory");)",
                           .result = "static_cast<unsigned>(a)",
                           .expects = {{"ld.global.ca.u64", 16}}};
    return {alu_chain_control(setting), chase_trial("l1", {.bytes = 16 << 10, .stride = 32}, setting),
            chain_trial("l1_address", by_address, setting),
            chase_trial("l2", {.bytes = 4 << 20, .load = "ld.global.cg.u32", .everywhere = true}, setting),
            chase_trial("dram",
                        {.bytes = std::int64_t{256} << 20U,
                         .stride = 512,
                         .load = "ld.global.cg.u32",
                         .warm = false,
                         .everywhere = true},
                        setting)};
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    findings.measured("l1", "L1 hit, set of 16 KiB", "cycles", seen.at("l1"), 1,
                      "each step makes a 64-bit address of the index that the load before gave");
    findings.measured("l1_address", "L1 hit, one line of 64-bit addresses", "cycles", seen.at("l1_address"), 1,
                      "each load gives the next one's address; turns of 96 less those of 32");
    const char* const how = "a thread on each multiprocessor at once, each through lines of its own";
    findings.measured("l2", "L2 hit, set of 4 MiB, past L1", "cycles", seen.at("l2"), 1, how);
    findings.measured("dram", "DRAM, one load each 512 bytes of 256 MiB, nothing touched before by the kernel",
                      "cycles", seen.at("dram"), 1,
                      std::string(how) + ", memory that was written after them larger than L2");
  }
};
const RegisterProbe level_latency{"level_latency", make_probe<LevelLatency>};

} // namespace
} // namespace aicf::probes
