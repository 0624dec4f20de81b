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
    return {copy_trial("control.copy", small, setting), copy_trial("copy", whole, setting)};
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    check_copy(setting, seen, findings, "control.copy", small);
    findings.rate("copy", "DRAM copy of 1 GiB, read plus written", "B/s", seen.at("copy"), 1e6 * 2 * whole);
    findings.rate("copy_small", "DRAM copy of 128 MiB, read plus written", "B/s", seen.at("control.copy"),
                  1e6 * 2 * small);
  }

 private:
  static constexpr std::int64_t small = std::int64_t{128} << 20U, whole = std::int64_t{1} << 30U;
};
const RegisterProbe dram_copy{"dram_copy", make_probe<DramCopy>};

} // namespace
} // namespace aicf::probes
