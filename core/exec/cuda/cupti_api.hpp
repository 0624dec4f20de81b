// CUPTI's interface as this program uses it, declared here because the machine that builds may have no toolkit, and
// bound at run time because the one that runs may have no CUPTI. Source: CUDA 13.0, as in cupti_structs.hpp, and
// cupti_activity.h.
#pragma once
#include "core/exec/cuda/cupti_structs.hpp"

namespace aicf::cuda::cupti {

/// The members of CUpti_ActivityKernel10 (and its elder brothers) that are read; records lie at multiples of 8 bytes.
inline constexpr std::size_t record_start = 16, record_end = 24, record_name = 104;

using AskBuffer = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
using TakeBuffer = void (*)(Context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes, std::size_t valid);

struct Api {
  SharedLibrary library;
  int (*version)(std::uint32_t*) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
  int (*initialize)(Nothing*) = nullptr;
  int (*deinitialize)(Nothing*) = nullptr;
  int (*chip_name)(ChipName*) = nullptr;
  int (*device_supported)(DeviceSupported*) = nullptr;
  int (*availability)(Availability*) = nullptr;
  int (*host_initialize)(HostInitialize*) = nullptr;
  int (*host_deinitialize)(HostObject*) = nullptr;
  int (*host_metrics)(HostMetrics*) = nullptr;
  int (*config_size)(ConfigSize*) = nullptr;
  int (*config_image)(ConfigImage*) = nullptr;
  int (*passes)(Passes*) = nullptr;
  int (*evaluate)(Evaluate*) = nullptr;
  int (*range_enable)(RangeEnable*) = nullptr;
  int (*range_disable)(RangeObject*) = nullptr;
  int (*range_config)(RangeConfig*) = nullptr;
  int (*range_start)(RangeObject*) = nullptr;
  int (*range_stop)(RangeStop*) = nullptr;
  int (*range_decode)(RangeDecode*) = nullptr;
  int (*data_size)(DataSize*) = nullptr;
  int (*data_initialize)(DataInitialize*) = nullptr;
  int (*data_info)(DataInfo*) = nullptr;
  int (*activity_enable)(int kind) = nullptr;
  int (*activity_disable)(int kind) = nullptr;
  int (*activity_callbacks)(AskBuffer, TakeBuffer) = nullptr;
  int (*activity_flush)(std::uint32_t flag) = nullptr;
  int (*activity_next)(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) = nullptr;
};

/// The process's CUPTI; Unavailable when there is none, or one from before CUDA 12.6, which had no range profiler.
[[nodiscard]] Result<const Api*> api();
/// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES".
[[nodiscard]] std::string describe(const Api& api, int code);

} // namespace aicf::cuda::cupti
