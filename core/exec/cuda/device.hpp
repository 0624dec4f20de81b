// The CUDA devices of this machine, as the driver describes them.
#pragma once
#include "core/base/diagnostic.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace aicf::cuda {

struct DeviceInfo {
  int ordinal = 0;
  std::string name, arch; ///< arch: "sm_90"
  std::size_t memory_bytes = 0;
  int sm_count = 0, l2_bytes = 0, shared_optin_bytes = 0; ///< shared: the most that a block may opt in to
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  bool clusters = false;
  std::string driver; ///< CUDA version that the driver supports: "13.0"
  std::string uuid;   ///< of the card, as nvidia-smi writes it: "GPU-8932f937-…"
};

/// Unavailable without a driver; an empty list is not an answer: a driver without a device is Unavailable too.
[[nodiscard]] Result<std::vector<DeviceInfo>> devices();
[[nodiscard]] Result<DeviceInfo> device_at(int ordinal);
[[nodiscard]] nlohmann::json to_json(const DeviceInfo& device);

} // namespace aicf::cuda
