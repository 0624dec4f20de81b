// Checks of the CUDA backend on a real device, for `aicf selftest device`: what no machine without one can test.
#pragma once
#include "core/base/diagnostic.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <stop_token>

namespace aicf::cuda {

/// {"schema": "aicf.selftest/1", "device": {…}, "passed": bool, "complete": bool, "checks": [{"name", "passed",
/// "detail", "metrics"?}], "comparisons": [{"name", "compared", "different", "examples"}]}: the emulator beside the
/// device on the same PTX, every instruction case and whole kernels, each a check as well; then the backend's own. The
/// last check makes the device report an error: afterwards this process cannot use CUDA any more.
/// `so_far` gets the document after each check; once `stop` is requested it ends there, with "complete": false.
/// Unavailable without a device or without NVRTC.
[[nodiscard]] Result<nlohmann::json> device_selftest(int ordinal = 0, const std::stop_token& stop = {},
                                                     const std::function<void(const nlohmann::json&)>& so_far = {});

} // namespace aicf::cuda
