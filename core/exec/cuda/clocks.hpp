// What a device's clocks and power are and what holds them down, by NVML, loaded at run time. Clocks are read beside
// each timing: a time without its clock says little.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aicf::cuda {

struct Clocks {
  int sm_mhz = 0, memory_mhz = 0;
  std::uint64_t reasons = 0; ///< nvmlClocksEventReasons: why the clocks are not higher
};

/// The reasons that make a sample suspect, in words: "power cap, heat"; empty: none. Idleness and clocks that somebody
/// set are none.
[[nodiscard]] std::string throttled_by(std::uint64_t reasons);

class ClockReader {
 public:
  /// `pci_bus_id` as the driver gives it ("0000:3b:00.0"): NVML numbers devices in another order.
  explicit ClockReader(const std::string& pci_bus_id);
  [[nodiscard]] std::optional<Clocks> read() const;
  [[nodiscard]] std::optional<double> millijoules() const; ///< energy of the board since its driver was loaded
  [[nodiscard]] std::optional<double> watts() const; ///< of the board, averaged over the last second (since Ampere)
  [[nodiscard]] const std::string& missing() const { return why; } ///< why there is nothing to read; empty: there is

 private:
  void* device = nullptr;
  std::string why;
};

} // namespace aicf::cuda
