// Power of the board under a load, from the energy that NVML counts.
#pragma once
#include "core/base/metric.hpp"
#include "core/exec/cuda/session.hpp"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace aicf::cuda {

struct PowerRequest {
  std::function<void()>
      run; ///< enqueues one whole load on the session's stream: milliseconds, so that gaps weigh little
  double seconds = 0;
  std::function<std::optional<double>()> millijoules; ///< since some moment; may be empty
  std::function<std::optional<double>()> watts;       ///< the device's own average over its last second; may be empty
  std::function<double()> now;                        ///< seconds, a monotonic clock
};

/// `power.board` (W): energy over time, from the first to the last change of the counter in the second half of the
/// load, the first half being left to clocks and heat; lo and hi are the least and the most of tenths of a second.
/// `power.usage` (W): what the device says of its own last second at the end, to hold the former against. Both
/// not_measured, with the reason, where NVML gives no such number. Empty when `stop` was requested or the device was
/// lost. Throws CallFailed.
[[nodiscard]] std::vector<Metric> measure_power(Session& session, const PowerRequest& request,
                                                const std::stop_token& stop);

/// The slope of energy over time (J, s; ascending, a pair at each change), with the least and the most over windows of
/// `window` seconds at least. Nothing for fewer than two pairs.
struct Slope {
  double mean = 0, lo = 0, hi = 0;
  int windows = 0;
};
[[nodiscard]] std::optional<Slope> slope_of(const std::vector<std::pair<double, double>>& energy, double window);

} // namespace aicf::cuda
