// A kernel of the self-test with its data, ready for any backend.
#pragma once
#include "core/exec/backend.hpp"
#include "core/exec/selftest/kernels.hpp"

namespace aicf::selftest {

struct KernelTrial {
  Call call;
  std::vector<std::vector<std::byte>> data; ///< a, b and c; the same for each trial of one kernel
  /// Of `data`, for one run.
  [[nodiscard]] std::vector<Buffer> buffers();
};

/// Compiles for `arch` (a kernel that needs Hopper's own instructions: for `arch` + "a"). Unavailable without NVRTC.
[[nodiscard]] Result<KernelTrial> kernel_trial(const SourceKernel& kernel, const std::string& arch);

} // namespace aicf::selftest
