// The CUDA driver API as this program uses it, declared here because the machine that builds may have no toolkit, and
// bound at run time because the one that runs may have no driver. Source: CUDA 13.0 cuda.h (names there with a _v2 are
// macros for the symbols bound here). A test compares these declarations with cuda.h where there is one.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/shared_library.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace aicf::cuda {

using Device = int;
using DevicePointer = unsigned long long;
using Context = struct CUctx_st*;
using Module = struct CUmod_st*;
using Function = struct CUfunc_st*;
using Stream = struct CUstream_st*;
using Event = struct CUevent_st*;
using Graph = struct CUgraph_st*;
using GraphExec = struct CUgraphExec_st*;

/// CUresult values that are told apart.
inline constexpr int success = 0, error_out_of_memory = 2, error_no_device = 100, error_ecc = 214, error_nvlink = 220,
                     error_contained = 226, error_not_ready = 600, error_illegal_address = 700,
                     error_launch_out_of_resources = 701, error_launch_timeout = 702, error_context_destroyed = 709,
                     error_assert = 710, error_hardware_stack = 714, error_launch_failed = 719, error_unknown = 999;

/// CUdevice_attribute, CUfunction_attribute, CUjit_option and CUlaunchAttributeID values.
inline constexpr int attribute_clock_khz = 13, attribute_sm_count = 16, attribute_memory_clock_khz = 36,
                     attribute_memory_bus_bits = 37, attribute_l2_bytes = 38, attribute_major = 75,
                     attribute_minor = 76, attribute_shared_optin = 97, attribute_cluster_launch = 120,
                     function_shared_bytes = 1, function_max_dynamic_shared = 8, function_non_portable_cluster = 14,
                     jit_error_log = 5, jit_error_log_bytes = 6, jit_level = 7, launch_cluster_dimension = 4;
/// The default kind of stream keeps order with the synchronous copies and fills, which are the null stream's.
inline constexpr unsigned stream_default = 0, event_default = 0;
inline constexpr int capture_thread_local = 1; ///< CUstreamCaptureMode

struct LaunchAttribute {
  int id = 0;
  char pad[4] = {};
  union {
    char bytes[64] = {};
    unsigned cluster[3];
  } value;
};
struct LaunchConfig {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1, shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

/// CUuuid.
struct DeviceUuid {
  unsigned char bytes[16] = {};
};

/// CUtensorMap, CUtensorMapDataType, …Interleave, …Swizzle, …L2promotion and …FloatOOBfill.
struct alignas(128) TensorMapBytes {
  std::uint64_t opaque[16] = {};
};
inline constexpr int tensor_u8 = 0, tensor_s32 = 3, tensor_s64 = 5, tensor_f16 = 6, tensor_f32 = 7, tensor_f64 = 8,
                     tensor_bf16 = 9, interleave_none = 0, swizzle_none = 0, swizzle_32 = 1, swizzle_64 = 2,
                     swizzle_128 = 3, l2_promotion_128 = 2, fill_zero = 0, fill_nan = 1;

struct Driver {
  SharedLibrary library;
  int (*init)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;
  int (*error_name)(int, const char**) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(Device*, int ordinal) = nullptr;
  int (*device_name)(char*, int, Device) = nullptr;
  int (*device_memory)(std::size_t*, Device) = nullptr;
  int (*device_bus_id)(char*, int, Device) = nullptr;
  int (*device_uuid)(DeviceUuid*, Device) = nullptr;
  int (*device_attribute)(int*, int attribute, Device) = nullptr;
  int (*context_retain)(Context*, Device) = nullptr;
  int (*context_release)(Device) = nullptr;
  int (*context_set)(Context) = nullptr;
  int (*reset_persisting)() = nullptr;
  int (*module_load)(Module*, const void* image, unsigned count, int* options, void** values) = nullptr;
  int (*module_unload)(Module) = nullptr;
  int (*module_function)(Function*, Module, const char*) = nullptr;
  int (*function_get)(int*, int attribute, Function) = nullptr;
  int (*function_set)(Function, int attribute, int) = nullptr;
  int (*alloc)(DevicePointer*, std::size_t) = nullptr;
  int (*free)(DevicePointer) = nullptr;
  int (*copy_in)(DevicePointer, const void*, std::size_t) = nullptr;
  int (*copy_out)(void*, DevicePointer, std::size_t) = nullptr;
  int (*copy_async)(DevicePointer to, DevicePointer from, std::size_t, Stream) = nullptr;
  int (*fill)(DevicePointer, unsigned char, std::size_t) = nullptr;
  int (*fill_async)(DevicePointer, unsigned char, std::size_t, Stream) = nullptr;
  int (*stream_create)(Stream*, unsigned flags) = nullptr;
  int (*stream_destroy)(Stream) = nullptr;
  int (*stream_query)(Stream) = nullptr;
  int (*event_create)(Event*, unsigned flags) = nullptr;
  int (*event_destroy)(Event) = nullptr;
  int (*event_record)(Event, Stream) = nullptr;
  int (*event_query)(Event) = nullptr;
  int (*event_elapsed_ms)(float*, Event, Event) = nullptr;
  int (*launch)(const LaunchConfig*, Function, void** parameters, void** extra) = nullptr;
  /// Sizes in elements, strides in bytes without the first, which is an element's.
  int (*encode_tiled)(TensorMapBytes*, int type, unsigned rank, void* address, const std::uint64_t* sizes,
                      const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
                      int interleave, int swizzle, int l2_promotion, int fill) = nullptr;
  int (*capture_begin)(Stream, int mode) = nullptr;
  int (*capture_end)(Stream, Graph*) = nullptr;
  int (*graph_instantiate)(GraphExec*, Graph, unsigned long long flags) = nullptr;
  int (*graph_launch)(GraphExec, Stream) = nullptr;
  int (*graph_destroy)(Graph) = nullptr;
  int (*graph_exec_destroy)(GraphExec) = nullptr;
};

/// The process's driver, initialised. Unavailable says whether the library, one of its functions or a device is
/// missing.
[[nodiscard]] Result<const Driver*> driver();
/// Binds all functions of an opened library; they may be incomplete (`library.missing()`). For driver() and its test.
[[nodiscard]] Driver bind_driver(SharedLibrary library);

/// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
[[nodiscard]] std::string describe(const Driver& driver, int code);
/// After these no call on the context works any more, in this process.
[[nodiscard]] bool is_sticky(int code);

} // namespace aicf::cuda
