#include "core/exec/cuda/driver.hpp"

#include <array>

namespace aicf::cuda {
namespace {

struct Loaded {
  std::optional<Driver> driver;
  Unavailable why;
};

Loaded load() {
  const std::string how =
      "install NVIDIA's driver, or use a machine that has an NVIDIA GPU; the emulator needs neither";
  if (cuda_disabled()) return {{}, {"CUDA is switched off (AICF_CUDA=none)", "unset AICF_CUDA"}};
  static const std::array<std::string, 1> names{"libcuda.so.1"};
  static const std::array<std::filesystem::path, 2> folders{"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"};
  auto library = SharedLibrary::open({}, names);
  if (!library) library = SharedLibrary::open(folders, names, false);
  if (!library) return {{}, {"no CUDA driver (libcuda.so.1) on this machine", how}};
  Driver d = bind_driver(*library);
  if (!d.library.missing().empty())
    return {
        {},
        {"the CUDA driver at " + d.library.path().string() + " is too old: it has no " + d.library.missing().front(),
         "install a driver for CUDA 12.0 or later"}};
  if (int code = d.init(0); code != success)
    return {
        {},
        {"the CUDA driver does not start: " + describe(d, code),
         code == error_no_device ? how : "check nvidia-smi; the driver and its kernel module must be of one version"}};
  return {std::move(d), {}};
}

} // namespace

Driver bind_driver(SharedLibrary library) {
  Driver d{.library = std::move(library)};
  SharedLibrary& l = d.library;
  l.bind(d.init, "cuInit");
  l.bind(d.version, "cuDriverGetVersion");
  l.bind(d.error_name, "cuGetErrorName");
  l.bind(d.error_string, "cuGetErrorString");
  l.bind(d.device_count, "cuDeviceGetCount");
  l.bind(d.device_get, "cuDeviceGet");
  l.bind(d.device_name, "cuDeviceGetName");
  l.bind(d.device_memory, "cuDeviceTotalMem_v2");
  l.bind(d.device_bus_id, "cuDeviceGetPCIBusId");
  l.bind(d.device_uuid, "cuDeviceGetUuid_v2");
  l.bind(d.device_attribute, "cuDeviceGetAttribute");
  l.bind(d.context_retain, "cuDevicePrimaryCtxRetain");
  l.bind(d.context_release, "cuDevicePrimaryCtxRelease_v2");
  l.bind(d.context_set, "cuCtxSetCurrent");
  l.bind(d.reset_persisting, "cuCtxResetPersistingL2Cache");
  l.bind(d.module_load, "cuModuleLoadDataEx");
  l.bind(d.module_unload, "cuModuleUnload");
  l.bind(d.module_function, "cuModuleGetFunction");
  l.bind(d.function_get, "cuFuncGetAttribute");
  l.bind(d.function_set, "cuFuncSetAttribute");
  l.bind(d.alloc, "cuMemAlloc_v2");
  l.bind(d.free, "cuMemFree_v2");
  l.bind(d.copy_in, "cuMemcpyHtoD_v2");
  l.bind(d.copy_out, "cuMemcpyDtoH_v2");
  l.bind(d.copy_async, "cuMemcpyDtoDAsync_v2");
  l.bind(d.fill, "cuMemsetD8_v2");
  l.bind(d.fill_async, "cuMemsetD8Async");
  l.bind(d.stream_create, "cuStreamCreate");
  l.bind(d.stream_destroy, "cuStreamDestroy_v2");
  l.bind(d.stream_query, "cuStreamQuery");
  l.bind(d.event_create, "cuEventCreate");
  l.bind(d.event_destroy, "cuEventDestroy_v2");
  l.bind(d.event_record, "cuEventRecord");
  l.bind(d.event_query, "cuEventQuery");
  l.bind(d.event_elapsed_ms, "cuEventElapsedTime");
  l.bind(d.launch, "cuLaunchKernelEx");
  l.bind(d.encode_tiled, "cuTensorMapEncodeTiled");
  l.bind(d.capture_begin, "cuStreamBeginCapture_v2");
  l.bind(d.capture_end, "cuStreamEndCapture");
  l.bind(d.graph_instantiate, "cuGraphInstantiateWithFlags");
  l.bind(d.graph_launch, "cuGraphLaunch");
  l.bind(d.graph_destroy, "cuGraphDestroy");
  l.bind(d.graph_exec_destroy, "cuGraphExecDestroy");
  return d;
}

Result<const Driver*> driver() {
  static const Loaded loaded = load();
  if (!loaded.driver) return loaded.why;
  return &*loaded.driver;
}

std::string describe(const Driver& driver, int code) {
  const char *name = nullptr, *text = nullptr;
  driver.error_name(code, &name);
  driver.error_string(code, &text);
  std::string out = name != nullptr ? name : "CUDA error " + std::to_string(code);
  if (text != nullptr) out += std::string(" (") + text + ")";
  return out;
}

bool is_sticky(int code) {
  return code == error_ecc || code == error_nvlink || code == error_contained || code == error_illegal_address ||
         code == error_launch_timeout || code == error_context_destroyed || code == error_assert ||
         (code >= error_hardware_stack && code <= error_launch_failed) || code == error_unknown;
}

} // namespace aicf::cuda
