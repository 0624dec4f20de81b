// aicf selftest device: what a real device does, and whether the emulator does the same on the same PTX.
#pragma once
#include <cstdint>
#include <stop_token>
#include <string>

namespace aicf::cli {

struct DeviceTestOptions {
  int programs = 2000; ///< random ones
  bool json = false;
  /// Gets the document after each check and each program, "complete": false until the last; empty: none does.
  std::string results;
};

/// Prints and returns an exit status. A run that is stopped prints what it has, "complete": false.
int selftest_device(const DeviceTestOptions& options, const std::stop_token& stop);

/// The random programs from seed `first` on, in this process: what a child of try_programs does. A program that takes
/// the device's context with it is this process's last.
int selftest_programs(const std::string& backend, std::uint64_t first, int count, const std::stop_token& stop);

} // namespace aicf::cli
