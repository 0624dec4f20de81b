// Hardware counters and kernel times on a device: CUPTI's range profiler (one range a kernel) and activity records.
//
// A kernel is run once for each pass of the plan, by itself, and finds the same each time: memory as `before` leaves
// it, and an L2 full of other data that nothing has written, so that what is read comes from memory and nothing of an
// earlier kernel is written back. CUPTI's own replay leaves the caches to chance. The clocks are as the device keeps
// them: nothing here is a time but the activity records' own, which are taken outside any profiling.
#pragma once
#include "core/base/metric.hpp"
#include "core/exec/cuda/counters.hpp"
#include "core/exec/cuda/session.hpp"

#include <functional>
#include <stop_token>
#include <vector>

namespace aicf::cuda {

struct CountingRequest {
  std::vector<std::function<void()>> kernels; ///< each enqueues one launch on the session's stream, in their order
  std::vector<std::string> entries;           ///< their names
  std::function<void()> begin;                ///< enqueues: memory as the first kernel is to find it
  std::function<void()> keep, before;         ///< enqueue: keep memory as it is now, and bring that back
};

/// `time_us.activity` (the kernels' times by CUPTI's activity records, cold, median of a few runs), then all shown
/// counters, summed over the kernels. What cannot be had stands there as not permitted, not supported or not measured,
/// with the reason. Empty when `stop` was requested or the session was lost. Throws CallFailed.
[[nodiscard]] std::vector<Metric> count_kernels(Session& session, const CountingRequest& request,
                                                const std::stop_token& stop);

} // namespace aicf::cuda
