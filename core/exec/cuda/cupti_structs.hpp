// The parameter structures of CUPTI's profiler calls. Each begins with its own size, counted up to the end of its last
// member, and a pointer that stays null. Source: CUDA 13.0 cupti_profiler_host.h, cupti_profiler_target.h,
// cupti_range_profiler.h, cupti_target.h; a test compares them with NVIDIA's headers where there are any.
#pragma once
#include "core/exec/cuda/driver.hpp"

#include <cstddef>
#include <cstdint>

namespace aicf::cuda::cupti {

/// CUptiResult values that are told apart.
inline constexpr int success = 0, invalid_metric_name = 17, not_supported = 27, virtualized = 33,
                     insufficient_privileges = 35, virtualized_privileges = 40, confidential = 41, cmp = 42, mig = 43,
                     sli = 44, wsl = 45, invalid_chip_name = 46;
/// CUpti_ProfilerType, CUpti_ProfilerRange, CUpti_ProfilerReplayMode, CUpti_Profiler_Support_Level,
/// CUpti_ActivityKind, CUpti_ActivityFlag values.
inline constexpr int range_profiler = 0, auto_range = 1, user_replay = 3, level_disabled = 2, level_supported = 3,
                     kind_kernel = 10, flush_forced = 1;

// NOLINTBEGIN(bugprone-sizeof-expression): the interface counts a structure up to its last member, without padding
#define AICF_CUPTI_SIZE(type, last) std::size_t size = offsetof(type, last) + sizeof(last)
// NOLINTEND(bugprone-sizeof-expression)
struct Nothing { // cuptiProfilerInitialize, cuptiProfilerDeInitialize
  AICF_CUPTI_SIZE(Nothing, reserved);
  void* reserved = nullptr;
};
struct ChipName {
  AICF_CUPTI_SIZE(ChipName, name);
  void* reserved = nullptr;
  std::size_t device = 0;
  const char* name = nullptr; // out
};
struct DeviceSupported {
  AICF_CUPTI_SIZE(DeviceSupported, api);
  void* reserved = nullptr;
  Device device = 0;
  int supported = 0, architecture = 0, sli = 0, vgpu = 0, confidential = 0, cmp = 0, wsl = 0; // out: support levels
  int api = 0;                                                                                // range profiling
};
struct Availability {
  AICF_CUPTI_SIZE(Availability, image);
  void* reserved = nullptr;
  Context context = nullptr;
  std::size_t image_bytes = 0; // in and out; out alone where `image` is null
  std::uint8_t* image = nullptr;
};
struct HostInitialize {
  AICF_CUPTI_SIZE(HostInitialize, host);
  void* reserved = nullptr;
  int profiler = range_profiler;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr; // null: everything that the chip has
  void* host = nullptr;                       // out
};
struct HostObject { // cuptiProfilerHostDeinitialize
  AICF_CUPTI_SIZE(HostObject, host);
  void* reserved = nullptr;
  void* host = nullptr;
};
struct HostMetrics { // cuptiProfilerHostConfigAddMetrics
  AICF_CUPTI_SIZE(HostMetrics, count);
  void* reserved = nullptr;
  void* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};
struct ConfigSize {
  AICF_CUPTI_SIZE(ConfigSize, bytes);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0; // out
};
struct ConfigImage {
  AICF_CUPTI_SIZE(ConfigImage, image);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct Passes {
  AICF_CUPTI_SIZE(Passes, passes);
  void* reserved = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0; // out
};
struct Evaluate {
  AICF_CUPTI_SIZE(Evaluate, values);
  void* reserved = nullptr;
  void* host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0, range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};
struct RangeEnable {
  AICF_CUPTI_SIZE(RangeEnable, profiler);
  void* reserved = nullptr;
  Context context = nullptr;
  void* profiler = nullptr; // out
};
struct RangeObject { // cuptiRangeProfilerDisable, cuptiRangeProfilerStart
  AICF_CUPTI_SIZE(RangeObject, profiler);
  void* reserved = nullptr;
  void* profiler = nullptr;
};
struct RangeConfig {
  AICF_CUPTI_SIZE(RangeConfig, target_level);
  void* reserved = nullptr;
  void* profiler = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  int range = auto_range, replay = user_replay;
  std::size_t ranges_in_pass = 1;
  std::uint16_t levels = 1, least_level = 1;
  std::size_t pass = 0;
  std::uint16_t target_level = 0;
};
struct RangeStop {
  AICF_CUPTI_SIZE(RangeStop, all_passes);
  void* reserved = nullptr;
  void* profiler = nullptr;
  std::size_t pass = 0, target_level = 0; // out
  std::uint8_t all_passes = 0;            // out
};
struct RangeDecode {
  AICF_CUPTI_SIZE(RangeDecode, dropped);
  void* reserved = nullptr;
  void* profiler = nullptr;
  std::size_t dropped = 0; // out
};
struct DataSize {
  AICF_CUPTI_SIZE(DataSize, bytes);
  void* reserved = nullptr;
  void* profiler = nullptr;
  const char** names = nullptr;
  std::size_t count = 0, ranges = 1;
  std::uint32_t tree_nodes = 1;
  std::size_t bytes = 0; // out
};
struct DataInitialize {
  AICF_CUPTI_SIZE(DataInitialize, data);
  void* reserved = nullptr;
  void* profiler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};
struct DataInfo {
  AICF_CUPTI_SIZE(DataInfo, ranges);
  void* reserved = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0, ranges = 0; // ranges: out
};
#undef AICF_CUPTI_SIZE

} // namespace aicf::cuda::cupti
