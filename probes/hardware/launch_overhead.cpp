#include "probes/findings.hpp"
#include "probes/kernels.hpp"
#include "probes/launch_series.hpp"

namespace aicf::probes {
namespace {

/// Empty kernels one after another on a stream that the host filled before.
class LaunchOverhead final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "launch_overhead",
            .lab = "hardware",
            .name = "Cost of launches",
            .measures = "microseconds that each further kernel of a queued stream adds, by blocks of the grid",
            .method = "CUDA events around 24 and around 8 launches of an empty kernel; a sixteenth of the difference, "
                      "spread from both quartiles",
            .control = "a kernel that waits 20 microseconds must take 20 to 30",
            .inputs = "none",
            .quick = true};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{wait_control()};
    for (const int grid : {1, 132, 2112})
      for (const int launches : {8, 24}) out.push_back(empty_launches(name(grid, launches), grid, launches, setting));
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_wait(seen, findings);
    for (const int grid : {1, 132, 2112}) {
      const Observation &few = seen.at(name(grid, 8)), &many = seen.at(name(grid, 24));
      findings.derived("grid_" + std::to_string(grid), "A further launch of " + std::to_string(grid) + " blocks", "us",
                       {&few, &many}, each_further(few, many, 16), "");
    }
  }

 private:
  static std::string name(int grid, int launches) {
    return "grid_" + std::to_string(grid) + "_launches_" + std::to_string(launches);
  }
};
const RegisterProbe launch_overhead{"launch_overhead", make_probe<LaunchOverhead>};

} // namespace
} // namespace aicf::probes
