// How many blocks a multiprocessor holds at once, by what a block asks for: computed from what ptxas took, and counted
// on a device by blocks that wait on the clock while they count themselves.
#pragma once
#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {

class OccupancyProbe : public Probe {
 public:
  static constexpr int block = 256; ///< threads
  /// What is varied. `body` takes it and `end` still needs it: texts between which the blocks wait, @LIVE@ the amount.
  struct Resource {
    AxisOf axis;
    std::string of_amount; ///< " values kept a thread"
    std::string body, end;
    std::vector<int> amounts;     ///< the first next to nothing
    std::int64_t shared_unit = 0; ///< dynamic shared bytes an amount
  };
  [[nodiscard]] virtual Resource resource() const = 0;
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override;
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override;
};

[[nodiscard]] ProbeText occupancy_text(const std::string& id, const std::string& name, const std::string& measures);

} // namespace aicf::probes
