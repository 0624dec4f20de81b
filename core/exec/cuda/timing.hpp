// Device time of a sequence of launches by CUDA events, with the host's own time kept out.
#pragma once
#include "core/base/metric.hpp"
#include "core/exec/cuda/clocks.hpp"
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

/// Runs that find nothing of one another in L2.
struct Apart {
  std::function<void(std::size_t turn)> run; ///< empty: they cannot be had here
  std::string text;                          ///< how they lie apart, or why they cannot be had
};

struct TimingRequest {
  std::function<void(std::size_t turn)> run; ///< enqueues one whole variant on the session's stream; cold runs take
                                             ///< turns, which may use other copies of the inputs
  std::vector<Restore> restores;
  int launches = 1, repetitions = 0; ///< repetitions: the fewest samples
  bool cold = true;
  std::function<Apart()> apart;                  ///< for `time_us.cold_batch`; empty: not asked for
  std::function<std::optional<Clocks>()> clocks; ///< may be empty
};

/// Metrics, each a median with its quartiles, in microseconds: `time_us.cold` (when asked for; L2 flushed before each
/// run by filling more than twice its size), `time_us.cold_batch` (when asked for, and a cold run takes less than 100
/// us: what it varies by is then the clock's and the flush's own; several runs between two events, each on buffers
/// that L2 no longer holds, over their number, which `time_us.cold_batch_runs` gives, the gaps between launches
/// included), `time_us.hot` (runs right after one another), and `time_us.floor`: the same events around nothing, which
/// is contained in the others and is not subtracted. Each batch of runs is queued behind fills long enough for the host
/// to finish queueing; a batch that began earlier is measured again behind more.
///
/// Samples are taken until the 95 % interval of the median is within 1 % of it, `repetitions` at least and four times
/// as many at most; the method says what was reached. Then `clock.sm` and `clock.memory` (MHz, while the device
/// worked: median and range of what was read), and `clock.throttled`: samples of batches during which the clocks were
/// held down, and by what. Empty when `stop` was requested. Throws CallFailed.
[[nodiscard]] std::vector<Metric> time_runs(Session& session, const TimingRequest& request,
                                            const std::stop_token& stop);

/// Half the 95 % interval of the median over the median, by order statistics: ranks n/2 -+ 0.98 sqrt(n), no assumption
/// about the distribution (Hahn and Meeker, Statistical Intervals, section 5.2). Infinite for fewer than 6 values.
[[nodiscard]] double median_uncertainty(std::vector<double> values);

/// Median and quartiles (linear interpolation between closest ranks) of measured values, which are not empty.
[[nodiscard]] Metric summarise(std::string id, std::string method, std::vector<double> values);

} // namespace aicf::cuda
