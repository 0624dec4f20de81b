#include "core/exec/cuda/session.hpp"

#include "core/exec/cuda/cuda_backend.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

namespace aicf::cuda {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto spinning = std::chrono::microseconds(200); // before the first sleep: short kernels answer at once
constexpr auto between_looks = std::chrono::microseconds(50);
constexpr auto grace = std::chrono::milliseconds(100); // within the 200 ms that a cancel may take
constexpr auto longest_wait = std::chrono::seconds(60);
constexpr unsigned char guard_pattern = 0xa5;
std::atomic<bool> any_lost = false;

/// The element of a tensor map; 8-bit integers have one without a sign.
int tensor_type(DType type) {
  switch (type) {
  case DType::f32: return tensor_f32;
  case DType::f16: return tensor_f16;
  case DType::bf16: return tensor_bf16;
  case DType::f64: return tensor_f64;
  case DType::i32: return tensor_s32;
  case DType::i64: return tensor_s64;
  case DType::i8:
  case DType::boolean: break;
  }
  return tensor_u8;
}

/// The last one that stands in them, "--ptxas-options=-v,-O1"; nothing: the compiler's own.
std::optional<std::size_t> ptxas_level(const std::vector<std::string>& options) {
  static constexpr std::string_view most = "01234";
  std::optional<std::size_t> level;
  for (const std::string& option : options) {
    if (!option.starts_with("--ptxas-options=") && !option.starts_with("-Xptxas=")) continue;
    for (std::size_t at = option.find("-O"); at != std::string::npos; at = option.find("-O", at + 1))
      if (at + 2 < option.size() && most.find(option[at + 2]) != std::string_view::npos)
        level = static_cast<std::size_t>(option[at + 2] - '0');
  }
  return level;
}

} // namespace

bool context_was_lost() { return any_lost; }

Session::Session(const Driver& loaded, DeviceInfo described) : driver(loaded), info(std::move(described)) {
  check(driver.device_get(&device, info.ordinal), "cuDeviceGet");
  check(driver.context_retain(&context, device), "cuDevicePrimaryCtxRetain");
  try {
    enter();
    check(driver.stream_create(&stream, stream_default), "cuStreamCreate");
  } catch (...) {
    driver.context_release(device);
    throw;
  }
}

Session::~Session() {
  if (context_lost) return;
  driver.context_set(context);
  driver.stream_destroy(stream);
  driver.context_release(device);
}

void Session::lose() {
  context_lost = true;
  any_lost = true;
}

void Session::check(int code, const char* call) {
  if (code == success) return;
  if (is_sticky(code)) lose();
  throw CallFailed(code, std::string(call) + ": " + describe(driver, code));
}

std::string Session::bus_id() const {
  std::array<char, 32> text{};
  if (driver.device_bus_id(text.data(), static_cast<int>(text.size()) - 1, device) != success) return {};
  return text.data();
}

void Session::enter() { check(driver.context_set(context), "cuCtxSetCurrent"); }

Session::Waited Session::wait(const std::stop_token& stop) {
  const Clock::time_point begin = Clock::now();
  std::optional<Clock::time_point> asked; // to stop
  for (;;) {
    int code = driver.stream_query(stream);
    if (code == success) return Waited::done;
    if (code != error_not_ready) check(code, "cuStreamQuery");
    const Clock::time_point now = Clock::now();
    if (!asked && stop.stop_requested()) asked = now;
    const bool too_long = now - begin > longest_wait;
    if (too_long || (asked && now - *asked > grace)) {
      lose();
      return too_long ? Waited::too_long : Waited::cancelled;
    }
    if (now - begin > spinning) std::this_thread::sleep_for(between_looks);
  }
}

GuardedMemory::GuardedMemory(Session& owner, std::size_t size) : session(&owner), bytes(size) {
  owner.check(owner.driver.alloc(&base, bytes + 2 * guard), "cuMemAlloc");
  try {
    owner.check(owner.driver.fill(base, guard_pattern, guard), "cuMemsetD8");
    owner.check(owner.driver.fill(address() + bytes, guard_pattern, guard), "cuMemsetD8");
  } catch (...) {
    if (!owner.lost()) owner.driver.free(base);
    throw;
  }
}

GuardedMemory::~GuardedMemory() {
  if (base != 0 && !session->lost()) session->driver.free(base);
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : session(other.session), base(std::exchange(other.base, 0)), bytes(other.bytes) {}

void GuardedMemory::upload(std::span<const std::byte> from) {
  if (!from.empty()) session->check(session->driver.copy_in(address(), from.data(), from.size()), "cuMemcpyHtoD");
}

void GuardedMemory::download(std::span<std::byte> to) {
  if (!to.empty()) session->check(session->driver.copy_out(to.data(), address(), to.size()), "cuMemcpyDtoH");
}

std::optional<std::int64_t> GuardedMemory::damage() {
  std::vector<unsigned char> zone(guard);
  auto differs = [](unsigned char byte) { return byte != guard_pattern; };
  session->check(session->driver.copy_out(zone.data(), base, guard), "cuMemcpyDtoH");
  // Nearest to the memory first: the last damaged byte before it, the first one after it.
  if (auto last = std::find_if(zone.rbegin(), zone.rend(), differs); last != zone.rend())
    return -1 - static_cast<std::int64_t>(last - zone.rbegin());
  session->check(session->driver.copy_out(zone.data(), address() + bytes, guard), "cuMemcpyDtoH");
  if (auto first = std::find_if(zone.begin(), zone.end(), differs); first != zone.end())
    return static_cast<std::int64_t>(bytes) + (first - zone.begin());
  return std::nullopt;
}

Kernel::Kernel(Session& owner, const Call& call, LaunchShape launch, std::span<const GuardedMemory> buffers)
    : name(call.module.entry), session(&owner), shape(std::move(launch)) {
  values.resize(shape.arguments.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Argument& argument = shape.arguments[i];
    if (argument.buffer)
      place(i, buffers[*argument.buffer].address());
    else
      std::memcpy(values[i].opaque, argument.bytes.data(), argument.bytes.size());
  }
  load(call);
  try {
    owner.check(owner.driver.module_function(&function, module, name.c_str()), "cuModuleGetFunction");
    allow_shared_memory();
  } catch (...) {
    if (!owner.lost()) owner.driver.module_unload(module);
    throw;
  }
}

Kernel::~Kernel() {
  if (module != nullptr && !session->lost()) session->driver.module_unload(module);
}

Kernel::Kernel(Kernel&& other) noexcept
    : name(std::move(other.name)), session(other.session), module(std::exchange(other.module, nullptr)),
      function(other.function), shape(std::move(other.shape)), values(std::move(other.values)) {}

void Kernel::load(const Call& call) {
  const Driver& d = session->driver;
  const Compiled& compiled = call.compiled;
  if (!compiled.cubin.empty()) {
    int code = d.module_load(&module, compiled.cubin.data(), 0, nullptr, nullptr);
    if (code == success) return;
    if (is_sticky(code) || compiled.ptx.empty()) session->check(code, "cuModuleLoadDataEx");
  }
  std::vector<char> log(8192, '\0');
  std::array<int, 3> options{jit_error_log, jit_error_log_bytes, jit_level};
  const std::optional<std::size_t> level = ptxas_level(call.module.options);
  std::array<void*, 3> values_of{log.data(), reinterpret_cast<void*>(log.size() - 1), // NOLINT: the API's own form
                                 reinterpret_cast<void*>(level.value_or(0))};         // NOLINT
  int code = d.module_load(&module, compiled.ptx.c_str(), level ? 3 : 2, options.data(), values_of.data());
  if (code != success && !is_sticky(code) && log.front() != '\0')
    throw CallFailed(code, "cuModuleLoadDataEx: " + describe(d, code) + ": " + log.data());
  session->check(code, "cuModuleLoadDataEx");
}

void Kernel::allow_shared_memory() {
  // More than 48 KiB in all, and clusters of more than 8 blocks, must be asked for (CUDA programming guide).
  constexpr int without_asking = 48 << 10;
  constexpr unsigned portable_cluster = 8;
  const Driver& d = session->driver;
  int fixed = 0;
  session->check(d.function_get(&fixed, function_shared_bytes, function), "cuFuncGetAttribute");
  const int dynamic = static_cast<int>(shape.dynamic_shared);
  if (fixed + dynamic > session->info.shared_optin_bytes)
    throw CallFailed(error_launch_out_of_resources, "a block needs " + std::to_string(fixed + dynamic) +
                                                        " bytes of shared memory, the device has " +
                                                        std::to_string(session->info.shared_optin_bytes));
  if (fixed + dynamic > without_asking)
    session->check(d.function_set(function, function_max_dynamic_shared, dynamic), "cuFuncSetAttribute");
  if (shape.cluster[0] * shape.cluster[1] * shape.cluster[2] > portable_cluster)
    session->check(d.function_set(function, function_non_portable_cluster, 1), "cuFuncSetAttribute");
}

void Kernel::point(std::span<const DevicePointer> addresses) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto& buffer = shape.arguments[i].buffer) place(i, addresses[*buffer]);
}

void Kernel::place(std::size_t argument, DevicePointer address) {
  const auto& tile = shape.arguments[argument].tile;
  if (!tile) {
    std::memcpy(values[argument].opaque, &address, sizeof address);
    return;
  }
  const int swizzle = tile->swizzle == 128  ? swizzle_128
                      : tile->swizzle == 64 ? swizzle_64
                      : tile->swizzle == 32 ? swizzle_32
                                            : swizzle_none;
  void* global = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); // NOLINT: the API's own form
  session->check(session->driver.encode_tiled(&values[argument], tensor_type(tile->dtype), tile->rank, global,
                                              tile->size.data(), tile->stride.data() + 1, tile->box.data(),
                                              tile->step.data(), interleave_none, swizzle, l2_promotion_128,
                                              tile->fill_nan ? fill_nan : fill_zero),
                 "cuTensorMapEncodeTiled");
}

void Kernel::launch() {
  if (shape.empty) return;
  std::vector<void*> parameters;
  parameters.reserve(values.size());
  for (auto& value : values) parameters.push_back(value.opaque);
  LaunchAttribute cluster;
  cluster.id = launch_cluster_dimension;
  std::copy(shape.cluster.begin(), shape.cluster.end(), cluster.value.cluster);
  LaunchConfig config;
  config.grid_x = shape.grid[0], config.grid_y = shape.grid[1], config.grid_z = shape.grid[2];
  config.block_x = shape.block[0], config.block_y = shape.block[1], config.block_z = shape.block[2];
  config.shared_bytes = shape.dynamic_shared;
  config.stream = session->stream;
  if (shape.cluster != std::array<unsigned, 3>{1, 1, 1}) {
    config.attributes = &cluster;
    config.attribute_count = 1;
  }
  session->check(session->driver.launch(&config, function, parameters.data(), nullptr), "cuLaunchKernelEx");
}

LaunchGraph::LaunchGraph(Session& owner, const std::function<void()>& enqueue) : session(&owner) {
  const Driver& driver = owner.driver;
  Graph captured = nullptr;
  owner.check(driver.capture_begin(owner.stream, capture_thread_local), "cuStreamBeginCapture");
  try {
    enqueue();
  } catch (const CallFailed&) {
    if (driver.capture_end(owner.stream, &captured) == success && captured != nullptr) driver.graph_destroy(captured);
    throw;
  }
  owner.check(driver.capture_end(owner.stream, &captured), "cuStreamEndCapture");
  const int code = driver.graph_instantiate(&graph, captured, 0);
  driver.graph_destroy(captured);
  owner.check(code, "cuGraphInstantiateWithFlags");
}

LaunchGraph::~LaunchGraph() {
  if (!session->lost() && graph != nullptr) session->driver.graph_exec_destroy(graph);
}

void LaunchGraph::launch() { session->check(session->driver.graph_launch(graph, session->stream), "cuGraphLaunch"); }

} // namespace aicf::cuda
