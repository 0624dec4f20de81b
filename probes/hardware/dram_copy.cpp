#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class DramCopy final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = stream_text("dram_copy", "DRAM copy bandwidth", "bytes a second, read plus written");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    return {copy_trial("control.copy", half, setting), copy_trial("copy", 2 * half, setting)};
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    check_copy(setting, seen, findings, "control.copy", half);
    findings.rate("copy", "DRAM copy of 256 MiB, read plus written", "B/s", seen.at("copy"), 1e6 * 2 * 2 * half);
    findings.rate("copy_half", "DRAM copy of 128 MiB, read plus written", "B/s", seen.at("control.copy"),
                  1e6 * 2 * half);
  }

 private:
  static constexpr std::int64_t half = std::int64_t{128} << 20U;
};
const RegisterProbe dram_copy{"dram_copy", make_probe<DramCopy>};

} // namespace
} // namespace aicf::probes
