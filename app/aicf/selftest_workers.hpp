// aicf selftest workers: kernels that never end, write out of bounds or break the device's context, each sent to a
// worker of a target; each must cost its own job, and a right kernel on the same target must work afterwards.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <stop_token>
#include <string>

namespace aicf::cli {

/// Prints and returns an exit status. `backend`: "emulator" or "cuda". With `json` one document "aicf.selftest/1".
int selftest_workers(const std::string& backend, const std::string& target, bool json, const std::stop_token& stop);

} // namespace aicf::cli
