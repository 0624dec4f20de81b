// Our own declarations of NVIDIA's interfaces against NVIDIA's headers and libraries, where a toolkit is installed.
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
SAME(device_attribute, cuDeviceGetAttribute);
SAME(context_retain, cuDevicePrimaryCtxRetain);
SAME(context_release, cuDevicePrimaryCtxRelease);
SAME(context_set, cuCtxSetCurrent);
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
              launch_cluster_dimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
              stream_default == CU_STREAM_DEFAULT && event_default == CU_EVENT_DEFAULT);
static_assert(nvrtc_success == NVRTC_SUCCESS);

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
