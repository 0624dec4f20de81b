// Checks of the CUDA backend on a real device, for `aicf selftest device`: what no machine without one can test.
#pragma once
#include "core/base/diagnostic.hpp"

#include <nlohmann/json_fwd.hpp>

namespace aicf::cuda {

/// {"schema": "aicf.selftest/1", "device": {…}, "passed": bool, "checks": [{"name", "passed", "detail", "metrics"?}]}.
/// The last check makes the device report an error: afterwards this process cannot use CUDA any more.
/// Unavailable without a device or without NVRTC.
/// Then the emulator beside the device on the same PTX: {"comparisons": [{"name", "compared", "different",
/// "examples"}]} for every instruction case and whole kernels; each is a check as well.
[[nodiscard]] Result<nlohmann::json> device_selftest(int ordinal = 0);

} // namespace aicf::cuda
