// Device time of a sequence of launches by CUDA events, with the host's own time kept out.
#pragma once
#include "core/base/metric.hpp"
#include "core/exec/cuda/session.hpp"

#include <functional>
#include <span>
#include <vector>

namespace aicf::cuda {

/// Copies `from` over `to` before each timed run, outside the time: what a run changes and must find unchanged.
struct Restore {
  DevicePointer to, from;
  std::size_t bytes;
};

struct TimingRequest {
  std::function<void()> run; ///< enqueues one whole variant on the session's stream
  std::vector<Restore> restores;
  int launches = 1, repetitions = 0;
  bool cold = true;
};

/// Metrics, each a median with its quartiles, in microseconds: `time_us.cold` (when asked for; L2 flushed before each
/// run by filling more than twice its size), `time_us.hot` (runs right after one another), and `time_us.floor`: the
/// same events around nothing, which is contained in the other two and is not subtracted. Each batch of runs is queued
/// behind fills long enough for the host to finish queueing; a batch that began earlier is measured again behind more.
/// Empty when `stop` was requested. Throws CallFailed.
[[nodiscard]] std::vector<Metric> time_runs(Session& session, const TimingRequest& request,
                                            const std::stop_token& stop);

/// Median and quartiles (linear interpolation between closest ranks) of measured values, which are not empty.
[[nodiscard]] Metric summarise(std::string id, std::string method, std::vector<double> values);

} // namespace aicf::cuda
