#include "core/exec/cuda/selftest.hpp"

#include "core/base/json.hpp"
#include "core/base/metric.hpp"
#include "core/base/tensor.hpp"
#include "core/exec/cuda/cuda_backend.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/selftest/compare.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace aicf::cuda {
namespace {

using nlohmann::json;

struct Outcome {
  bool passed = false;
  std::string detail;
  std::vector<Metric> metrics = {};
};

/// A kernel of one source on some tensors, run on the device.
struct Trial {
  KernelModule module;
  std::vector<HostTensor> tensors; // the module's tensor arguments, in their order
  std::map<std::string, std::int64_t> dims;
  std::map<std::string, double> scalars;
  RunOptions options;

  Trial(const DeviceInfo& device, std::string source) {
    module.entry = "k";
    module.cuda_source = "extern \"C\" __global__ void k" + std::move(source);
    module.arch = device.arch;
  }
  void tensor(const std::string& name, Arg::Role role, DType type, std::int64_t count) {
    module.args.push_back({name, role, type, {{std::to_string(count)}}, {}});
    tensors.emplace_back(type, std::vector<std::int64_t>{count});
  }
  void scalar(const std::string& name, DType type, double value) {
    module.args.push_back({name, Arg::Role::scalar, type, {}, {}});
    scalars[name] = value;
  }
  void dim(const std::string& name, std::int64_t value) {
    module.dim_args.push_back(name);
    dims[name] = value;
  }
  void launch(const std::string& grid, int block) {
    module.launch.grid[0] = {grid};
    module.launch.block[0] = {std::to_string(block)};
  }

  Result<RunResult> run(Backend& backend) {
    auto compiled = compile(module);
    if (!compiled) return compiled.failure<RunResult>();
    Call call{module, *compiled, dims, scalars, {}};
    std::vector<Buffer> buffers;
    for (HostTensor& t : tensors) {
      call.buffers.push_back(buffers.size());
      buffers.push_back({t.bytes, t.dtype, t.shape, {1}});
    }
    return backend.run({&call, 1}, buffers, options, {});
  }
};

std::string problem(const Result<RunResult>& result) {
  if (!result) return result.missing ? result.missing->what : format(result.diagnostics.front());
  for (const Fault& fault : result->faults) return fault.kind + ": " + fault.message;
  return result->status == RunResult::Status::ok ? "" : "the run did not end";
}

/// `result` must be a run without faults, and element i of `tensor` must be expected(i).
template <class F> Outcome compare(const Result<RunResult>& result, const HostTensor& tensor, F expected) {
  if (std::string why = problem(result); !why.empty()) return {false, why};
  for (std::size_t i = 0; i < tensor.element_count(); ++i)
    if (tensor.get(i) != expected(i))
      return {false, "element " + std::to_string(i) + " is " + std::to_string(tensor.get(i)) + ", expected " +
                         std::to_string(expected(i))};
  return {true, std::to_string(tensor.element_count()) + " elements are right"};
}

Outcome expect_fault(const Result<RunResult>& result, const std::string& kind) {
  const std::string said = problem(result);
  return {result && !result->faults.empty() && result->faults.front().kind == kind, said.empty() ? "no fault" : said};
}

Outcome vector_add(Backend& backend, const DeviceInfo& device) {
  constexpr std::int64_t n = 1000003; // a prime: no multiple of any block
  Trial t(device, "(const float* a, const float* b, float* c, long long n) {\n"
                  "  long long i = blockIdx.x * 256LL + threadIdx.x;\n  if (i < n) c[i] = a[i] + b[i];\n}\n");
  t.tensor("a", Arg::Role::input, DType::f32, n);
  t.tensor("b", Arg::Role::input, DType::f32, n);
  t.tensor("c", Arg::Role::output, DType::f32, n);
  t.dim("n", n);
  t.launch("ceil(n/256)", 256);
  for (std::size_t i = 0; i < n; ++i) {
    t.tensors[0].set(i, static_cast<double>(i));
    t.tensors[1].set(i, 0.5);
  }
  auto result = t.run(backend);
  return compare(result, t.tensors[2], [](std::size_t i) { return static_cast<double>(i) + 0.5; });
}

Outcome arguments(Backend& backend, const DeviceInfo& device) {
  Trial t(device, "(float f, double* out, signed char i8, double d, bool yes, unsigned short half, int i32,\n"
                  "                 long long i64, unsigned short bf16, long long m, long long n) {\n"
                  "  out[0] = f; out[1] = i8; out[2] = d; out[3] = yes; out[4] = half; out[5] = i32; out[6] = i64;\n"
                  "  out[7] = bf16; out[8] = m; out[9] = n;\n}\n");
  t.scalar("f", DType::f32, 1.5);
  t.tensor("out", Arg::Role::output, DType::f64, 10);
  t.scalar("i8", DType::i8, -7);
  t.scalar("d", DType::f64, 0.1);
  t.scalar("yes", DType::boolean, 1);
  t.scalar("half", DType::f16, -2.5); // bits c100
  t.scalar("i32", DType::i32, -70000);
  t.scalar("i64", DType::i64, 0x1p40);
  t.scalar("bf16", DType::bf16, 1); // bits 3f80
  t.dim("m", 12345678901);
  t.dim("n", -3);
  static constexpr double expected[] = {1.5, -7, 0.1, 1, 0xc100, -70000, 0x1p40, 0x3f80, 12345678901.0, -3};
  auto result = t.run(backend);
  return compare(result, t.tensors[0], [](std::size_t i) { return expected[i]; });
}

Outcome dynamic_shared(Backend& backend, const DeviceInfo& device) {
  const std::int64_t n = device.shared_optin_bytes / 4; // all that a block may have
  Trial t(device, "(float* x, long long n) {\n  extern __shared__ float s[];\n"
                  "  for (int i = threadIdx.x; i < n; i += 256) s[i] = i;\n  __syncthreads();\n"
                  "  for (int i = threadIdx.x; i < n; i += 256) x[i] = s[n - 1 - i];\n}\n");
  t.tensor("x", Arg::Role::output, DType::f32, n);
  t.dim("n", n);
  t.launch("1", 256);
  t.module.launch.dynamic_shared = {"4*n"};
  auto result = t.run(backend);
  return compare(result, t.tensors[0],
                 [&](std::size_t i) { return static_cast<double>(n - 1) - static_cast<double>(i); });
}

Outcome cluster(Backend& backend, const DeviceInfo& device) {
  if (!device.clusters) return {true, "this device has no clusters: nothing to check"};
  Trial t(device,
          "(int* x) {\n  unsigned rank, size;\n  asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
          "  asm volatile(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(size));\n"
          "  if (threadIdx.x == 0) x[blockIdx.x] = rank + 100 * size;\n}\n");
  t.tensor("x", Arg::Role::output, DType::i32, 32);
  t.launch("32", 64);
  t.module.launch.cluster[0] = {"4"};
  auto result = t.run(backend);
  return compare(result, t.tensors[0], [](std::size_t i) { return static_cast<double>(i % 4 + 400); });
}

const char* const write_at = "(float* x, long long at) {\n  if (threadIdx.x == 0) x[at] = 1;\n}\n";

Outcome empty_grid(Backend& backend, const DeviceInfo& device) {
  Trial t(device, write_at);
  t.tensor("x", Arg::Role::output, DType::f32, 0);
  t.dim("at", 0);
  t.launch("at", 32);
  return compare(t.run(backend), t.tensors[0], [](std::size_t) { return 0.0; });
}

Outcome guard_zone(Backend& backend, const DeviceInfo& device) {
  Outcome last;
  for (std::int64_t at : {1000LL, -1LL, 1500LL}) {
    Trial t(device, write_at);
    t.tensor("x", Arg::Role::output, DType::f32, 1000);
    t.dim("at", at);
    t.launch("1", 32);
    last = expect_fault(t.run(backend), "out-of-bounds");
    if (!last.passed) return last;
  }
  return last;
}

Outcome refused_launch(Backend& backend, const DeviceInfo& device) {
  Trial t(device, write_at);
  t.tensor("x", Arg::Role::output, DType::f32, 1);
  t.dim("at", 0);
  t.launch("1", 32);
  t.module.launch.dynamic_shared = {std::to_string(device.shared_optin_bytes + 1024)};
  return expect_fault(t.run(backend), "launch-refused");
}

Outcome copy_bandwidth(Backend& backend, const DeviceInfo& device) {
  constexpr std::int64_t bytes = std::int64_t{64} << 20U, n = bytes / 4;
  Trial t(device, "(const float4* __restrict__ x, float4* __restrict__ y) {\n"
                  "  long long i = blockIdx.x * 1024LL + threadIdx.x;\n  float4 v[4];\n#pragma unroll\n"
                  "  for (int k = 0; k < 4; ++k) v[k] = x[i + 256 * k];\n#pragma unroll\n"
                  "  for (int k = 0; k < 4; ++k) y[i + 256 * k] = v[k];\n}\n");
  t.tensor("x", Arg::Role::input, DType::f32, n);
  t.tensor("y", Arg::Role::output, DType::f32, n);
  t.launch(std::to_string(n / 4 / 1024), 256);
  for (std::size_t i = 0; i < n; ++i) t.tensors[0].set(i, static_cast<double>(i % 8192));
  t.options.repetitions = 100;
  auto result = t.run(backend);
  Outcome out = compare(result, t.tensors[1], [](std::size_t i) { return static_cast<double>(i % 8192); });
  if (!out.passed) return out;
  out.metrics = result->metrics;
  auto cold =
      std::find_if(out.metrics.begin(), out.metrics.end(), [](const Metric& m) { return m.id == "time_us.cold"; });
  if (cold == out.metrics.end() || cold->value <= 0) return {false, "no cold time was measured", out.metrics};
  auto rate = [](double us) { return 2.0 * static_cast<double>(bytes) / us * 1e-3; };
  out.metrics.push_back({Metric::Source::measured,
                         "copy_rate.cold",
                         "GB/s",
                         "bytes read and written over " + cold->id,
                         {},
                         rate(cold->value),
                         rate(cold->hi),
                         rate(cold->lo),
                         cold->samples});
  // Two transfers a clock are what the memory's pins carry; of what was written, an L2 full may not have left yet.
  const double peak = 2.0 * device.memory_clock_khz * device.memory_bus_bits / 8 * 1e-6, moved = 2.0 * bytes;
  out.passed = peak == 0 || rate(cold->value) < 1.02 * peak * moved / (moved - device.l2_bytes);
  out.detail = std::to_string(rate(cold->value)) + " GB/s cold, the pins carry " + std::to_string(peak);
  return out;
}

Outcome device_error(Backend& backend, const DeviceInfo& device) {
  Trial t(device, write_at);
  t.tensor("x", Arg::Role::output, DType::f32, 1);
  t.dim("at", std::int64_t{1} << 45U); // far from anything mapped
  t.launch("1", 32);
  Outcome first = expect_fault(t.run(backend), "device-error");
  if (!first.passed) return first;
  Outcome again = expect_fault(t.run(backend), "device-error");
  return {again.passed, first.detail};
}

} // namespace

Result<json> device_selftest(int ordinal, const std::stop_token& stop, const std::function<void(const json&)>& so_far) {
  auto backend = make_cuda(ordinal);
  if (!backend) return backend.failure<json>();
  auto compiler = nvrtc_info();
  if (!compiler) return compiler.failure<json>();
  auto device = device_at(ordinal);
  if (!device) return device.failure<json>();

  struct Check {
    const char* name;
    Outcome (*run)(Backend&, const DeviceInfo&);
  };
  static constexpr Check checks[] = {{"vector_add", vector_add},         {"arguments", arguments},
                                     {"dynamic_shared", dynamic_shared}, {"cluster", cluster},
                                     {"empty_grid", empty_grid},         {"guard_zone", guard_zone},
                                     {"refused_launch", refused_launch}, {"copy_bandwidth", copy_bandwidth},
                                     {"device_error", device_error}};
  json document{{"schema", "aicf.selftest/1"}, {"device", to_json(*device)}, {"passed", true},
                {"complete", false},           {"checks", json::array()},    {"comparisons", json::array()}};
  const auto add = [&](json check) {
    document["passed"] = document.value("passed", false) && check.value("passed", false);
    document["checks"].push_back(std::move(check));
    if (so_far) so_far(document);
  };
  // Before the last check, after which the device's context works no more.
  const auto emulator = make_emulator();
  const auto comparison = [&](const selftest::Comparison& c) {
    document["comparisons"].push_back(
        {{"name", c.name}, {"compared", c.compared}, {"different", c.different}, {"examples", c.examples}});
    add({{"name", "emulator." + c.name},
         {"passed", c.passed()},
         {"detail", std::to_string(c.different) + " of " + std::to_string(c.compared) + " differ"}});
  };
  comparison(selftest::compare_instructions(**backend, *emulator, stop));
  comparison(selftest::compare_kernels(**backend, *emulator, device->arch, stop));
  for (const Check& check : checks) {
    if (stop.stop_requested()) return document;
    Outcome outcome = check.run(**backend, *device);
    json row{{"name", check.name}, {"passed", outcome.passed}, {"detail", outcome.detail}};
    for (const Metric& metric : outcome.metrics) row["metrics"].push_back(to_json(metric));
    add(std::move(row));
  }
  document["complete"] = true;
  return document;
}

} // namespace aicf::cuda
