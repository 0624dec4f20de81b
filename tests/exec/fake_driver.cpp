#include "tests/exec/fake_driver.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

namespace aicf::fake {
namespace {

using namespace cuda;

constexpr double bytes_per_us = 1e6;

struct FakeEvent {
  double at = -1;
  bool drained = false;
};
std::vector<FakeEvent*>& recorded() {
  static std::vector<FakeEvent*> events;
  return events;
}

int alive() {
  if (!state().dead) return success;
  ++state().calls_after_death;
  return state().stream_error;
}

/// Whether [at, at + size) lies in one allocation.
bool inside(DevicePointer at, std::size_t size) {
  auto after = state().allocations.upper_bound(at);
  if (after != state().allocations.begin()) {
    auto [base, bytes] = *std::prev(after);
    if (at >= base && at + size <= base + bytes) return true;
  }
  state().complaints.emplace_back("memory outside any allocation");
  return false;
}

void* host(DevicePointer p) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(p)); } // NOLINT

int allocate(DevicePointer* out, std::size_t size) {
  if (int code = alive(); code != success) return code;
  std::size_t used = size;
  for (auto [base, bytes] : state().allocations) used += bytes;
  if (size == 0) return 1;
  if (used > state().most_memory) return error_out_of_memory;
  void* memory = std::aligned_alloc(256, (size + 255) / 256 * 256);
  *out = reinterpret_cast<std::uintptr_t>(memory); // NOLINT
  state().allocations[*out] = size;
  return success;
}

int release(DevicePointer p) {
  if (int code = alive(); code != success) return code;
  if (state().allocations.erase(p) != 1) state().complaints.emplace_back("freed what is no allocation");
  ++state().frees;
  std::free(host(p));
  return success;
}

int fill(DevicePointer at, unsigned char value, std::size_t size) {
  if (int code = alive(); code != success) return code;
  if (!inside(at, size)) return 1;
  std::memset(host(at), value, size);
  return success;
}

/// Launches that were put on a capturing stream, with the values that their parameters had then.
struct FakeGraph {
  struct Node {
    LaunchConfig config;
    Function function;
    std::vector<std::array<std::byte, 8>> values;
  };
  std::vector<Node> nodes;
};
FakeGraph& captured() {
  static FakeGraph graph;
  return graph;
}

int launch(const LaunchConfig* config, Function function, void** parameters, void** extra) {
  if (int code = alive(); code != success) return code;
  if (extra != nullptr) state().complaints.emplace_back("extra given beside parameters");
  auto& kernel = *reinterpret_cast<Kernel*>(function); // NOLINT
  if (state().capturing) {
    FakeGraph::Node node{*config, function, {}};
    for (std::size_t i = 0; i < kernel.parameters; ++i)
      std::memcpy(node.values.emplace_back().data(), parameters[i], 8);
    captured().nodes.push_back(std::move(node));
    return success;
  }
  ++state().launches;
  state().now_us += kernel.microseconds;
  return kernel.body(*config, parameters);
}

Driver make() {
  static const std::array<std::string, 1> names{"libm.so.6"}; // any library: nothing is taken from it
  Driver d{.library = *SharedLibrary::open({}, names)};
  d.init = [](unsigned) { return 0; };
  d.version = [](int* v) { return *v = 13000, 0; };
  d.error_name = [](int code, const char** text) {
    return *text = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_X", 0;
  };
  d.error_string = [](int, const char** text) { return *text = "as played", 0; };
  d.device_count = [](int* count) { return *count = 1, 0; };
  d.device_get = [](Device* device, int ordinal) { return *device = ordinal, 0; };
  d.device_bus_id = [](char* text, int size, Device) {
    return std::strncpy(text, "0000:00:00.0", std::size_t(size)), 0;
  };
  d.context_retain = [](Context* context, Device) {
    return *context = reinterpret_cast<Context>(&state()), 0;
  }; // NOLINT
  d.context_release = [](Device) { return alive(); };
  d.context_set = [](Context) { return alive(); };
  d.reset_persisting = [] { return alive(); };
  d.module_load = [](Module* module, const void* image, unsigned count, int* options, void** values) {
    state().jit.clear();
    for (unsigned i = 0; i < count; ++i)
      state().jit[options[i]] = reinterpret_cast<std::uintptr_t>(values[i]);     // NOLINT
    if (image == nullptr || *static_cast<const char*>(image) == 'X') return 200; // a cubin of another device
    *module = reinterpret_cast<Module>(&state());                                // NOLINT
    return alive();
  };
  d.module_unload = [](Module) { return alive(); };
  d.module_function = [](Function* out, Module, const char* name) {
    auto found = state().kernels.find(name);
    if (found == state().kernels.end()) return 500;
    *out = reinterpret_cast<Function>(&found->second); // NOLINT
    return 0;
  };
  d.function_get = [](int* value, int attribute, Function f) {
    if (attribute != function_shared_bytes) state().complaints.emplace_back("unexpected attribute");
    return *value = reinterpret_cast<Kernel*>(f)->static_shared, 0; // NOLINT
  };
  d.function_set = [](Function f, int attribute, int value) {
    auto& kernel = *reinterpret_cast<Kernel*>(f); // NOLINT
    (attribute == function_max_dynamic_shared ? kernel.asked_dynamic : kernel.asked_non_portable) = value;
    return 0;
  };
  d.alloc = allocate;
  d.free = release;
  d.copy_in = [](DevicePointer to, const void* from, std::size_t size) {
    if (int code = alive(); code != success) return code;
    return inside(to, size) ? (std::memcpy(host(to), from, size), 0) : 1;
  };
  d.copy_out = [](void* to, DevicePointer from, std::size_t size) {
    if (int code = alive(); code != success) return code;
    return inside(from, size) ? (std::memcpy(to, host(from), size), 0) : 1;
  };
  d.copy_async = [](DevicePointer to, DevicePointer from, std::size_t size, Stream) {
    state().now_us += static_cast<double>(size) / bytes_per_us;
    return inside(to, size) && inside(from, size) ? (std::memcpy(host(to), host(from), size), alive()) : 1;
  };
  d.fill = fill;
  d.fill_async = [](DevicePointer at, unsigned char value, std::size_t size, Stream) {
    state().now_us += static_cast<double>(size) / bytes_per_us;
    ++state().fills;
    if (size > (std::size_t{1} << 20U)) return inside(at, size) ? alive() : 1; // a flush: its bytes are nobody's
    return fill(at, value, size);
  };
  d.stream_create = [](Stream* stream, unsigned) { return *stream = reinterpret_cast<Stream>(&state()), 0; }; // NOLINT
  d.stream_destroy = [](Stream) { return alive(); };
  d.stream_query = [](Stream) {
    if (int code = alive(); code != success) return code;
    if (state().queries_until_done > 0) return --state().queries_until_done, int{error_not_ready};
    for (FakeEvent* event : recorded()) event->drained = true;
    recorded().clear();
    state().dead = is_sticky(state().stream_error);
    return state().stream_error;
  };
  d.event_create = [](Event* event, unsigned) { return *event = reinterpret_cast<Event>(new FakeEvent), 0; }; // NOLINT
  d.event_destroy = [](Event event) { return delete reinterpret_cast<FakeEvent*>(event), 0; };                // NOLINT
  d.event_record = [](Event event, Stream) {
    auto* e = reinterpret_cast<FakeEvent*>(event); // NOLINT
    *e = {state().now_us, false};
    recorded().push_back(e);
    return alive();
  };
  d.event_query = [](Event event) {
    return reinterpret_cast<FakeEvent*>(event)->drained ? 0 : int{error_not_ready};
  }; // NOLINT
  d.event_elapsed_ms = [](float* ms, Event from, Event to) {
    auto *a = reinterpret_cast<FakeEvent*>(from), *b = reinterpret_cast<FakeEvent*>(to); // NOLINT
    if (!a->drained || !b->drained) return int{error_not_ready};
    return *ms = static_cast<float>((b->at - a->at) / 1000), 0;
  };
  d.launch = launch;
  d.encode_tiled = [](TensorMapBytes* map, int type, unsigned rank, void* address, const std::uint64_t* sizes,
                      const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
                      int interleave, int swizzle, int, int fill) {
    if (reinterpret_cast<std::uintptr_t>(map) % 128 != 0) state().complaints.emplace_back("a map off its alignment");
    if (interleave != interleave_none) state().complaints.emplace_back("an interleaved map");
    if (!inside(reinterpret_cast<std::uintptr_t>(address), 1)) return 1;
    auto* at = map->opaque;
    *at++ = reinterpret_cast<std::uintptr_t>(address);
    *at++ = static_cast<std::uint64_t>(type);
    *at++ = rank;
    for (unsigned r = 0; r < rank; ++r) *at++ = sizes[r];
    for (unsigned r = 0; r + 1 < rank; ++r) *at++ = strides[r];
    for (unsigned r = 0; r < rank; ++r) *at++ = std::uint64_t{steps[r]} << 32 | box[r];
    *at++ = static_cast<std::uint64_t>(swizzle);
    *at++ = static_cast<std::uint64_t>(fill);
    return int{success};
  };
  d.capture_begin = [](Stream, int mode) {
    if (mode != capture_thread_local || state().capturing) state().complaints.emplace_back("a capture begun wrongly");
    captured() = {};
    state().capturing = true;
    return alive();
  };
  d.capture_end = [](Stream, Graph* out) {
    if (!state().capturing) state().complaints.emplace_back("a capture ended that was not begun");
    state().capturing = false;
    ++state().graphs;
    return *out = reinterpret_cast<Graph>(new FakeGraph(captured())), alive(); // NOLINT
  };
  d.graph_instantiate = [](GraphExec* out, Graph graph, unsigned long long) {
    ++state().graphs;
    return *out = reinterpret_cast<GraphExec>(new FakeGraph(*reinterpret_cast<FakeGraph*>(graph))), alive(); // NOLINT
  };
  d.graph_launch = [](GraphExec graph, Stream) {
    ++state().graph_launches;
    for (FakeGraph::Node& node : reinterpret_cast<FakeGraph*>(graph)->nodes) { // NOLINT
      std::vector<void*> parameters;
      for (auto& value : node.values) parameters.push_back(value.data());
      if (int code = launch(&node.config, node.function, parameters.data(), nullptr); code != success) return code;
    }
    return alive();
  };
  d.graph_destroy = [](Graph graph) {
    --state().graphs;
    return delete reinterpret_cast<FakeGraph*>(graph), 0; // NOLINT
  };
  d.graph_exec_destroy = [](GraphExec graph) {
    --state().graphs;
    return delete reinterpret_cast<FakeGraph*>(graph), 0; // NOLINT
  };
  return d;
}

} // namespace

State& state() {
  static State instance;
  return instance;
}

void reset() {
  for (auto [base, bytes] : state().allocations) std::free(host(base));
  recorded().clear();
  state() = {};
}

const cuda::Driver& driver() {
  static const cuda::Driver instance = make();
  return instance;
}

cuda::DeviceInfo device() {
  cuda::DeviceInfo info;
  info.name = "played";
  info.arch = "sm_90";
  info.memory_bytes = std::size_t{1} << 30U;
  info.sm_count = 4;
  info.l2_bytes = 1 << 20;
  info.shared_optin_bytes = 227 * 1024;
  info.clusters = true;
  return info;
}

} // namespace aicf::fake
