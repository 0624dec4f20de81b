// aicf selftest counters: the same kernels on the same data under the emulator's counters or the device's, for
// tests/bench/counters.py, which sets them beside each other and beside Nsight Compute's.
#pragma once
#include <stop_token>
#include <string>
#include <vector>

namespace aicf::cli {

struct CountedOptions {
  std::string backend = "emulator"; ///< "emulator" | "cuda"
  std::string cases;                ///< further kernels: a JSON list
  std::vector<std::string> only;    ///< names; empty: all
  bool launch = false;              ///< on a device: one plain launch of each kernel, for a profiler that looks on
  bool list = false, json = false;
};

int selftest_counters(const CountedOptions& options, const std::stop_token& stop);

} // namespace aicf::cli
