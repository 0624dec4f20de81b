// Our own declarations of NVIDIA's interfaces against NVIDIA's headers and libraries, where a toolkit is installed.
#include "core/exec/cuda/cupti_api.hpp"
#include "core/exec/cuda/driver.hpp"
#include "core/exec/nvrtc_api.hpp"

#include <QtTest>

#include <cstddef>
#include <type_traits>

#if __has_include("/usr/local/cuda/include/cuda.h") && __has_include("/usr/local/cuda/include/nvrtc.h")
#include "/usr/local/cuda/include/cuda.h"
#include "/usr/local/cuda/include/nvrtc.h"
#define AICF_HAS_TOOLKIT 1
#endif
#if defined(AICF_HAS_TOOLKIT) && __has_include(<cuda.h>) && __has_include(<cupti_range_profiler.h>)
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define AICF_HAS_CUPTI 1
#endif

using namespace aicf;
using namespace aicf::cuda;

#ifdef AICF_HAS_TOOLKIT
namespace {

/// A parameter as the calling convention sees it: enumerations are ints, pointers to anything but functions are
/// pointers.
template <class T> struct Seen { using type = T; };
template <class T>
requires std::is_enum_v<T>
struct Seen<T> {
  using type = std::underlying_type_t<T>;
};
template <class T>
requires std::is_pointer_v<T>
struct Seen<T> {
  using type = const void*;
};

template <class Ours, class Theirs> struct Same : std::false_type {};
template <class R, class... A, class S, class... B> struct Same<R (*)(A...), S (*)(B...)> {
  static constexpr bool arity = sizeof...(A) == sizeof...(B);
  template <class X, class Y>
  static constexpr bool
      equal = sizeof(typename Seen<X>::type) == sizeof(typename Seen<Y>::type) &&
              std::is_pointer_v<typename Seen<X>::type> ==
                  std::is_pointer_v<typename Seen<Y>::type>&& std::is_integral_v<typename Seen<X>::type> ==
                  std::is_integral_v<typename Seen<Y>::type>;
  static constexpr bool value = [] {
    if constexpr (arity) return equal<R, S> && (equal<A, B> && ...);
    return false;
  }();
};

#define SAME(member, function) static_assert(Same<decltype(Driver::member), decltype(&(function))>::value, #function)
SAME(init, cuInit);
SAME(version, cuDriverGetVersion);
SAME(error_name, cuGetErrorName);
SAME(error_string, cuGetErrorString);
SAME(device_count, cuDeviceGetCount);
SAME(device_get, cuDeviceGet);
SAME(device_name, cuDeviceGetName);
SAME(device_memory, cuDeviceTotalMem);
SAME(device_bus_id, cuDeviceGetPCIBusId);
SAME(device_uuid, cuDeviceGetUuid);
SAME(device_attribute, cuDeviceGetAttribute);
SAME(context_retain, cuDevicePrimaryCtxRetain);
SAME(context_release, cuDevicePrimaryCtxRelease);
SAME(context_set, cuCtxSetCurrent);
SAME(reset_persisting, cuCtxResetPersistingL2Cache);
SAME(module_load, cuModuleLoadDataEx);
SAME(module_unload, cuModuleUnload);
SAME(module_function, cuModuleGetFunction);
SAME(function_get, cuFuncGetAttribute);
SAME(function_set, cuFuncSetAttribute);
SAME(alloc, cuMemAlloc);
SAME(free, cuMemFree);
SAME(copy_in, cuMemcpyHtoD);
SAME(copy_out, cuMemcpyDtoH);
SAME(copy_async, cuMemcpyDtoDAsync);
SAME(fill, cuMemsetD8);
SAME(fill_async, cuMemsetD8Async);
SAME(stream_create, cuStreamCreate);
SAME(stream_destroy, cuStreamDestroy);
SAME(stream_query, cuStreamQuery);
SAME(event_create, cuEventCreate);
SAME(event_destroy, cuEventDestroy);
SAME(event_record, cuEventRecord);
SAME(event_query, cuEventQuery);
SAME(event_elapsed_ms, cuEventElapsedTime);
SAME(launch, cuLaunchKernelEx);
SAME(encode_tiled, cuTensorMapEncodeTiled);
SAME(capture_begin, cuStreamBeginCapture);
SAME(capture_end, cuStreamEndCapture);
SAME(graph_instantiate, cuGraphInstantiateWithFlags);
SAME(graph_launch, cuGraphLaunch);
SAME(graph_destroy, cuGraphDestroy);
SAME(graph_exec_destroy, cuGraphExecDestroy);
static_assert(capture_thread_local == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
#undef SAME
#define SAME(member, function) static_assert(Same<decltype(NvrtcApi::member), decltype(&(function))>::value, #function)
SAME(error_string, nvrtcGetErrorString);
SAME(version, nvrtcVersion);
SAME(num_supported_archs, nvrtcGetNumSupportedArchs);
SAME(supported_archs, nvrtcGetSupportedArchs);
SAME(create_program, nvrtcCreateProgram);
SAME(destroy_program, nvrtcDestroyProgram);
SAME(compile_program, nvrtcCompileProgram);
SAME(ptx_size, nvrtcGetPTXSize);
SAME(ptx, nvrtcGetPTX);
SAME(cubin_size, nvrtcGetCUBINSize);
SAME(cubin, nvrtcGetCUBIN);
SAME(log_size, nvrtcGetProgramLogSize);
SAME(log, nvrtcGetProgramLog);
#undef SAME

static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(sizeof(DeviceUuid) == sizeof(CUuuid));
static_assert(offsetof(LaunchConfig, block_x) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(offsetof(CUlaunchAttributeValue, clusterDim) == 0 && sizeof(CUlaunchAttributeValue::clusterDim) == 12);

static_assert(success == CUDA_SUCCESS && error_out_of_memory == CUDA_ERROR_OUT_OF_MEMORY &&
              error_no_device == CUDA_ERROR_NO_DEVICE && error_ecc == CUDA_ERROR_ECC_UNCORRECTABLE &&
              error_nvlink == CUDA_ERROR_NVLINK_UNCORRECTABLE && error_contained == CUDA_ERROR_CONTAINED &&
              error_not_ready == CUDA_ERROR_NOT_READY && error_illegal_address == CUDA_ERROR_ILLEGAL_ADDRESS &&
              error_launch_out_of_resources == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES &&
              error_launch_timeout == CUDA_ERROR_LAUNCH_TIMEOUT &&
              error_context_destroyed == CUDA_ERROR_CONTEXT_IS_DESTROYED && error_assert == CUDA_ERROR_ASSERT &&
              error_hardware_stack == CUDA_ERROR_HARDWARE_STACK_ERROR &&
              error_launch_failed == CUDA_ERROR_LAUNCH_FAILED && error_unknown == CUDA_ERROR_UNKNOWN);
static_assert(attribute_clock_khz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE &&
              attribute_sm_count == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT &&
              attribute_memory_clock_khz == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE &&
              attribute_memory_bus_bits == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH &&
              attribute_l2_bytes == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE &&
              attribute_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              attribute_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR &&
              attribute_shared_optin == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN &&
              attribute_cluster_launch == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
static_assert(function_shared_bytes == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES &&
              function_max_dynamic_shared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
              function_non_portable_cluster == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED &&
              jit_error_log == CU_JIT_ERROR_LOG_BUFFER && jit_error_log_bytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES &&
              jit_level == CU_JIT_OPTIMIZATION_LEVEL &&
              launch_cluster_dimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
              stream_default == CU_STREAM_DEFAULT && event_default == CU_EVENT_DEFAULT);
static_assert(sizeof(TensorMapBytes) == sizeof(CUtensorMap) && alignof(TensorMapBytes) >= alignof(CUtensorMap));
static_assert(tensor_u8 == CU_TENSOR_MAP_DATA_TYPE_UINT8 && tensor_s32 == CU_TENSOR_MAP_DATA_TYPE_INT32 &&
              tensor_s64 == CU_TENSOR_MAP_DATA_TYPE_INT64 && tensor_f16 == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 &&
              tensor_f32 == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 && tensor_f64 == CU_TENSOR_MAP_DATA_TYPE_FLOAT64 &&
              tensor_bf16 == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 && interleave_none == CU_TENSOR_MAP_INTERLEAVE_NONE &&
              swizzle_none == CU_TENSOR_MAP_SWIZZLE_NONE && swizzle_32 == CU_TENSOR_MAP_SWIZZLE_32B &&
              swizzle_64 == CU_TENSOR_MAP_SWIZZLE_64B && swizzle_128 == CU_TENSOR_MAP_SWIZZLE_128B &&
              l2_promotion_128 == CU_TENSOR_MAP_L2_PROMOTION_L2_128B &&
              fill_zero == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE &&
              fill_nan == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
static_assert(nvrtc_success == NVRTC_SUCCESS);

} // namespace
#endif

#ifdef AICF_HAS_CUPTI
namespace {

namespace ours = aicf::cuda::cupti;
#define SIZE(mine, theirs) static_assert(ours::mine{}.size == theirs##_STRUCT_SIZE, #theirs)
SIZE(Nothing, CUpti_Profiler_Initialize_Params);
SIZE(Nothing, CUpti_Profiler_DeInitialize_Params);
SIZE(ChipName, CUpti_Device_GetChipName_Params);
SIZE(DeviceSupported, CUpti_Profiler_DeviceSupported_Params);
SIZE(Availability, CUpti_Profiler_GetCounterAvailability_Params);
SIZE(HostInitialize, CUpti_Profiler_Host_Initialize_Params);
SIZE(HostObject, CUpti_Profiler_Host_Deinitialize_Params);
SIZE(HostMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
SIZE(ConfigSize, CUpti_Profiler_Host_GetConfigImageSize_Params);
SIZE(ConfigImage, CUpti_Profiler_Host_GetConfigImage_Params);
SIZE(Passes, CUpti_Profiler_Host_GetNumOfPasses_Params);
SIZE(Evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
SIZE(RangeEnable, CUpti_RangeProfiler_Enable_Params);
SIZE(RangeObject, CUpti_RangeProfiler_Disable_Params);
SIZE(RangeObject, CUpti_RangeProfiler_Start_Params);
SIZE(RangeConfig, CUpti_RangeProfiler_SetConfig_Params);
SIZE(RangeStop, CUpti_RangeProfiler_Stop_Params);
SIZE(RangeDecode, CUpti_RangeProfiler_DecodeData_Params);
SIZE(DataSize, CUpti_RangeProfiler_GetCounterDataSize_Params);
SIZE(DataInitialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
SIZE(DataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params);
#undef SIZE
#define MEMBER(mine, member, type, field)                                                                              \
  static_assert(offsetof(ours::mine, member) == offsetof(type, field) &&                                               \
                    sizeof(ours::mine::member) == sizeof(type::field),                                                 \
                #type "::" #field)
// NOLINTBEGIN(bugprone-sizeof-expression): sizes of pointers are meant
MEMBER(ChipName, device, CUpti_Device_GetChipName_Params, deviceIndex);
MEMBER(ChipName, name, CUpti_Device_GetChipName_Params, pChipName);
MEMBER(DeviceSupported, device, CUpti_Profiler_DeviceSupported_Params, cuDevice);
MEMBER(DeviceSupported, supported, CUpti_Profiler_DeviceSupported_Params, isSupported);
MEMBER(DeviceSupported, vgpu, CUpti_Profiler_DeviceSupported_Params, vGpu);
MEMBER(DeviceSupported, wsl, CUpti_Profiler_DeviceSupported_Params, wsl);
MEMBER(DeviceSupported, api, CUpti_Profiler_DeviceSupported_Params, api);
MEMBER(Availability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
MEMBER(Availability, image_bytes, CUpti_Profiler_GetCounterAvailability_Params, counterAvailabilityImageSize);
MEMBER(Availability, image, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage);
MEMBER(HostInitialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
MEMBER(HostInitialize, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage);
MEMBER(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
MEMBER(HostMetrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
MEMBER(HostMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
MEMBER(ConfigImage, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
MEMBER(ConfigImage, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
MEMBER(Passes, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
MEMBER(Evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
MEMBER(Evaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
MEMBER(Evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
MEMBER(Evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
MEMBER(RangeEnable, context, CUpti_RangeProfiler_Enable_Params, ctx);
MEMBER(RangeEnable, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
MEMBER(RangeConfig, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
MEMBER(RangeConfig, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
MEMBER(RangeConfig, range, CUpti_RangeProfiler_SetConfig_Params, range);
MEMBER(RangeConfig, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
MEMBER(RangeConfig, ranges_in_pass, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
MEMBER(RangeConfig, levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
MEMBER(RangeConfig, least_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
MEMBER(RangeConfig, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
MEMBER(RangeStop, all_passes, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
MEMBER(RangeDecode, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
MEMBER(DataSize, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
MEMBER(DataSize, ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges);
MEMBER(DataSize, tree_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes);
MEMBER(DataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
MEMBER(DataInitialize, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
MEMBER(DataInfo, data, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage);
MEMBER(DataInfo, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
// NOLINTEND(bugprone-sizeof-expression)
#undef MEMBER
static_assert(ours::record_start == offsetof(CUpti_ActivityKernel10, start) &&
              ours::record_end == offsetof(CUpti_ActivityKernel10, end) &&
              ours::record_name == offsetof(CUpti_ActivityKernel10, name));

#define SAME(member, function) static_assert(Same<decltype(ours::Api::member), decltype(&(function))>::value, #function)
SAME(version, cuptiGetVersion);
SAME(error_string, cuptiGetResultString);
SAME(initialize, cuptiProfilerInitialize);
SAME(deinitialize, cuptiProfilerDeInitialize);
SAME(chip_name, cuptiDeviceGetChipName);
SAME(device_supported, cuptiProfilerDeviceSupported);
SAME(availability, cuptiProfilerGetCounterAvailability);
SAME(host_initialize, cuptiProfilerHostInitialize);
SAME(host_deinitialize, cuptiProfilerHostDeinitialize);
SAME(host_metrics, cuptiProfilerHostConfigAddMetrics);
SAME(config_size, cuptiProfilerHostGetConfigImageSize);
SAME(config_image, cuptiProfilerHostGetConfigImage);
SAME(passes, cuptiProfilerHostGetNumOfPasses);
SAME(evaluate, cuptiProfilerHostEvaluateToGpuValues);
SAME(range_enable, cuptiRangeProfilerEnable);
SAME(range_disable, cuptiRangeProfilerDisable);
SAME(range_config, cuptiRangeProfilerSetConfig);
SAME(range_start, cuptiRangeProfilerStart);
SAME(range_stop, cuptiRangeProfilerStop);
SAME(range_decode, cuptiRangeProfilerDecodeData);
SAME(data_size, cuptiRangeProfilerGetCounterDataSize);
SAME(data_initialize, cuptiRangeProfilerCounterDataImageInitialize);
SAME(data_info, cuptiRangeProfilerGetCounterDataInfo);
SAME(activity_enable, cuptiActivityEnable);
SAME(activity_disable, cuptiActivityDisable);
SAME(activity_flush, cuptiActivityFlushAll);
SAME(activity_next, cuptiActivityGetNextRecord);
#undef SAME

static_assert(ours::success == CUPTI_SUCCESS && ours::invalid_metric_name == CUPTI_ERROR_INVALID_METRIC_NAME &&
              ours::not_supported == CUPTI_ERROR_NOT_SUPPORTED &&
              ours::virtualized == CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED &&
              ours::insufficient_privileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES &&
              ours::virtualized_privileges == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES &&
              ours::confidential == CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED &&
              ours::cmp == CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED && ours::mig == CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED &&
              ours::sli == CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED && ours::wsl == CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED &&
              ours::invalid_chip_name == CUPTI_ERROR_INVALID_CHIP_NAME);
static_assert(ours::range_profiler == CUPTI_PROFILER_TYPE_RANGE_PROFILER && ours::auto_range == CUPTI_AutoRange &&
              ours::user_replay == CUPTI_UserReplay && ours::level_disabled == CUPTI_PROFILER_CONFIGURATION_DISABLED &&
              ours::level_supported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED &&
              ours::kind_kernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
              ours::flush_forced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED &&
              CUPTI_PROFILER_RANGE_PROFILING == ours::DeviceSupported{}.api);

} // namespace
#endif

class TestCudaDeclarations : public QObject {
  Q_OBJECT

 private slots:
  void agreeWithTheToolkit() {
#ifdef AICF_HAS_TOOLKIT
    QVERIFY2(true, "the static assertions above held");
#else
    QSKIP("SKIP: no CUDA toolkit in /usr/local/cuda, so no headers to compare with");
#endif
  }

  void everySymbolExists() { // the toolkit's stub has each symbol of the driver, and does nothing
    std::vector<std::filesystem::path> folders;
    for (const char* folder : {"/usr/local/cuda/lib64/stubs", "/usr/local/cuda/lib/stubs"})
      folders.emplace_back(folder);
    const std::vector<std::string> names{"libcuda.so"};
    auto stub = SharedLibrary::open(folders, names, false);
    if (!stub) QSKIP("SKIP: no stub of libcuda.so in /usr/local/cuda");
    Driver bound = bind_driver(*stub);
    for (const std::string& name : bound.library.missing()) qWarning("%s", name.c_str());
    QVERIFY(bound.library.missing().empty());
    QVERIFY(bound.init(0) != success); // a stub says that it is one
    QVERIFY(!describe(bound, 34).empty());
  }
};

QTEST_GUILESS_MAIN(TestCudaDeclarations)
#include "test_cuda_declarations.moc"
