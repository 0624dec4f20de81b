// Which metrics of a run belong to a timing, and which are counters.
#pragma once
#include "core/base/metric.hpp"

namespace aicf {

/// Times, clocks, power, what was seen of timed results. The other metrics of a run are counters.
[[nodiscard]] inline bool is_of_timing(const Metric& m) {
  return m.id.starts_with("time_us.") || m.id.starts_with("clock.") || m.id.starts_with("power.") ||
         m.id.starts_with("timed_result.");
}

} // namespace aicf
