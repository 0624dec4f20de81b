// The hardware's own counters of a kernel: which there are, in how many passes a chip can count them, and what is shown
// of the sums. Planning needs CUPTI and no device.
//
// Counters are sums over the chip and add up over kernels; shares, hit rates and the like are quotients of sums. A
// quotient of nothing (no load was made) is not measured, and never zero.
// Source of names and meanings: Nsight Compute's metrics guide and CUPTI's own descriptions, CUDA 13.0.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/base/metric.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace aicf::cuda {

/// What is shown: the sum of `of` without the sum of `less`, over the sum of `over` where there are any.
struct ShownCounter {
  const char *id, *unit;
  std::vector<const char*> of, over, less = {};
  bool of_warps_held = false; ///< and over the warps that a multiprocessor can hold
};
/// Instructions, bytes of DRAM and L2, hit rates, sectors and requests, shared wavefronts and conflicts, achieved
/// occupancy, stall reasons, tensor pipe. Where the emulator counts the same, the id is the same.
[[nodiscard]] std::span<const ShownCounter> shown_counters();
/// CUPTI's names of all that these are made of, each once.
[[nodiscard]] std::vector<std::string> counter_names();

class CounterHost; ///< CUPTI's counter library for one chip

struct CounterPlan {
  std::string chip;
  std::vector<std::string> names, lacking; ///< counted, and what this chip does not have
  std::size_t passes = 0;                  ///< times that a kernel must run
  std::vector<std::uint8_t> config;        ///< for the profiler
  std::shared_ptr<CounterHost> host;       ///< turns what was collected into values
};

/// `chip` as CUPTI names it ("GH100"); `availability` of the device, empty: everything that the chip has. Unavailable
/// without CUPTI; a chip that it does not know is a diagnostic "counters.chip".
[[nodiscard]] Result<CounterPlan> plan_counters(const std::string& chip, std::span<const std::string> names,
                                                std::span<const std::uint8_t> availability = {});
/// The plan's values, in the order of `names`, of the data that the profiler collected; empty when it cannot be read.
[[nodiscard]] std::vector<double> evaluate(const CounterPlan& plan, std::span<const std::uint8_t> data);

/// All shown counters from sums by CUPTI's names. What is made of one that is absent there is not supported.
/// `warps_held`: the most warps on a multiprocessor; 0: not known.
[[nodiscard]] std::vector<Metric> counter_metrics(const std::map<std::string, double>& sums, int warps_held,
                                                  const std::string& method);
/// All shown counters without a value: not permitted, not supported or not measured, and why.
[[nodiscard]] std::vector<Metric> absent_counters(Metric::Source source, const std::string& why);

} // namespace aicf::cuda
