#include "core/exec/cuda/cupti_api.hpp"

#include <array>
#include <filesystem>

namespace aicf::cuda::cupti {
namespace {

struct Loaded {
  std::optional<Api> api;
  Unavailable why;
};

/// CUPTI opens these by their bare names, and has no search path of its own: once they are open from beside it, or from
/// another folder of CUDA's, their names lead to them. Where they are not, CUPTI says what it cannot do.
void open_beside(const std::filesystem::path& cupti) {
  std::vector<std::filesystem::path> folders = cuda_library_dirs();
  folders.insert(folders.begin(), cupti.parent_path());
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"}) {
    const std::array<std::string, 1> names{name};
    static_cast<void>(SharedLibrary::open(folders, names, false)); // stays open
  }
}

Loaded load() {
  const std::array<std::string, 3> names{"libcupti.so.13", "libcupti.so", "libcupti.so.12"};
  std::optional<SharedLibrary> library;
  if (!cuda_disabled()) library = SharedLibrary::open(cuda_library_dirs(), names);
  if (!library) return {{}, {"CUPTI (hardware counters) was not found", how_to_get_cuda_libraries()}};
  open_beside(library->path());
  Api a{.library = *library};
  SharedLibrary& l = a.library;
  l.bind(a.version, "cuptiGetVersion");
  l.bind(a.error_string, "cuptiGetResultString");
  l.bind(a.initialize, "cuptiProfilerInitialize");
  l.bind(a.deinitialize, "cuptiProfilerDeInitialize");
  l.bind(a.chip_name, "cuptiDeviceGetChipName");
  l.bind(a.device_supported, "cuptiProfilerDeviceSupported");
  l.bind(a.availability, "cuptiProfilerGetCounterAvailability");
  l.bind(a.host_initialize, "cuptiProfilerHostInitialize");
  l.bind(a.host_deinitialize, "cuptiProfilerHostDeinitialize");
  l.bind(a.host_metrics, "cuptiProfilerHostConfigAddMetrics");
  l.bind(a.config_size, "cuptiProfilerHostGetConfigImageSize");
  l.bind(a.config_image, "cuptiProfilerHostGetConfigImage");
  l.bind(a.passes, "cuptiProfilerHostGetNumOfPasses");
  l.bind(a.evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  l.bind(a.range_enable, "cuptiRangeProfilerEnable");
  l.bind(a.range_disable, "cuptiRangeProfilerDisable");
  l.bind(a.range_config, "cuptiRangeProfilerSetConfig");
  l.bind(a.range_start, "cuptiRangeProfilerStart");
  l.bind(a.range_stop, "cuptiRangeProfilerStop");
  l.bind(a.range_decode, "cuptiRangeProfilerDecodeData");
  l.bind(a.data_size, "cuptiRangeProfilerGetCounterDataSize");
  l.bind(a.data_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
  l.bind(a.data_info, "cuptiRangeProfilerGetCounterDataInfo");
  l.bind(a.activity_enable, "cuptiActivityEnable");
  l.bind(a.activity_disable, "cuptiActivityDisable");
  l.bind(a.activity_callbacks, "cuptiActivityRegisterCallbacks");
  l.bind(a.activity_flush, "cuptiActivityFlushAll");
  l.bind(a.activity_next, "cuptiActivityGetNextRecord");
  if (!l.missing().empty())
    return {{},
            {"the CUPTI at " + l.path().string() + " is too old: it has no " + l.missing().front(),
             "use CUPTI of CUDA 12.6 or later: " + how_to_get_cuda_libraries()}};
  return {std::move(a), {}};
}

} // namespace

Result<const Api*> api() {
  static const Loaded loaded = load();
  if (!loaded.api) return loaded.why;
  return &*loaded.api;
}

std::string describe(const Api& api, int code) {
  const char* text = nullptr;
  if (api.error_string(code, &text) != success || text == nullptr) return "CUPTI error " + std::to_string(code);
  return text;
}

} // namespace aicf::cuda::cupti
