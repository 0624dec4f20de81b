// Kernels that do what a kernel should not, for checks that each costs its own job and no other: `aicf selftest
// workers` sends them to a worker, one right kernel after each.
#pragma once
#include "core/exec/backend.hpp"

#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

/// "right": y = 2 x for 1000 elements. "endless": it stores for ever. "out-of-bounds": it stores just behind y.
/// "wild": it stores far from all memory, which on a device breaks the context of the process.
[[nodiscard]] std::vector<std::string> fault_kernel_names();

/// Compiles the kernel for the device at hand (the emulator: sm_90), and runs it. A right result of "right" has status
/// ok; a wrong one, or one of the others that nobody noticed, is a fault "selftest". Unavailable without NVRTC.
[[nodiscard]] Result<RunResult> run_fault_kernel(const std::string& name, const std::string& backend,
                                                 std::stop_token stop);

} // namespace aicf
