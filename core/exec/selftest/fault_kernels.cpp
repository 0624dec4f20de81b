#include "core/exec/selftest/fault_kernels.hpp"

#include "core/base/tensor.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/nvrtc.hpp"

#include <map>

namespace aicf {
namespace {

constexpr std::int64_t elements = 1000, threads = 128;

const std::map<std::string, std::string>& bodies() {
  static const std::map<std::string, std::string> all{
      {"right", "if (i < n) y[i] = 2 * x[i];"},
      {"endless", "volatile float* v = y;\n  for (;;) v[0] = x[0];"},
      {"out-of-bounds", "if (i < n) y[i] = 2 * x[i];\n  if (i == 0) y[n] = 1;"},
      {"wild", "if (i == 0) *(volatile float*)0x10 = x[0];"}};
  return all;
}

} // namespace

std::vector<std::string> fault_kernel_names() {
  std::vector<std::string> names;
  for (const auto& [name, unused] : bodies()) names.push_back(name);
  return names;
}

Result<RunResult> run_fault_kernel(const std::string& name, const std::string& backend_id, std::stop_token stop) {
  auto body = bodies().find(name);
  if (body == bodies().end()) return error("selftest.kernel", "no such kernel: " + name);
  auto backend = make_backend(backend_id);
  if (!backend) return backend.failure<RunResult>();
  KernelModule module;
  module.entry = "k";
  module.cuda_source = "extern \"C\" __global__ void k(const float* x, float* y, long long n) {\n"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                       body->second + "\n}\n";
  module.arch = "sm_90";
  if (backend_id == "cuda") {
    auto device = cuda::device_at(0);
    if (!device) return device.failure<RunResult>();
    module.arch = device->arch;
  }
  module.args.push_back({"x", Arg::Role::input, DType::f32, {{"n"}}, {}});
  module.args.push_back({"y", Arg::Role::output, DType::f32, {{"n"}}, {}});
  module.dim_args.emplace_back("n");
  module.launch.grid[0] = {std::to_string((elements + threads - 1) / threads)};
  module.launch.block[0] = {std::to_string(threads)};
  auto compiled = compile(module);
  if (!compiled) return compiled.failure<RunResult>();
  HostTensor x(DType::f32, {elements}), y(DType::f32, {elements});
  for (std::size_t i = 0; i < x.element_count(); ++i) x.set(i, static_cast<double>(i) / 8);
  const Call call{module, *compiled, {{"n", elements}}, {}, {0, 1}};
  std::vector<Buffer> buffers{{x.bytes, x.dtype, x.shape, {1}}, {y.bytes, y.dtype, y.shape, {1}}};
  auto ran = (*backend)->run({&call, 1}, buffers, {}, std::move(stop));
  if (!ran || ran->status != RunResult::Status::ok) return ran;
  auto wrong = [&](const std::string& what) {
    ran->status = RunResult::Status::faulted;
    ran->faults.push_back({.kind = "selftest", .kernel = "k", .message = what});
  };
  if (name != "right") wrong("nobody noticed what the kernel did");
  for (std::size_t i = 0; name == "right" && i < y.element_count(); ++i)
    if (y.get(i) != 2 * x.get(i)) {
      wrong("y[" + std::to_string(i) + "] is " + std::to_string(y.get(i)));
      break;
    }
  return ran;
}

} // namespace aicf
