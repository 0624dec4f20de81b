#include "tests/emulator/ptx_fixture.hpp"

#include "core/exec/nvrtc.hpp"
#include "tests/support/paths.hpp"

#include <fstream>
#include <limits>
#include <sstream>

namespace aicf::test {

Call Kernel::call(std::vector<Buffer>& views) {
  Call call;
  call.module.entry = entry;
  call.compiled.ptx = ptx;
  call.module.launch.grid[0].text = std::to_string(grid);
  call.module.launch.grid[1].text = std::to_string(grid_y);
  call.module.launch.block[0].text = std::to_string(block);
  call.module.launch.cluster[0].text = std::to_string(cluster);
  call.module.launch.dynamic_shared.text = std::to_string(shared);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Arg arg;
    arg.name = "b" + std::to_string(i);
    arg.role = i < roles.size() ? roles[i] : Arg::Role::inout;
    call.module.args.push_back(arg);
    call.buffers.push_back(i);
    Buffer view;
    view.bytes = buffers[i];
    views.push_back(view);
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::string name = "D" + std::to_string(i);
    call.module.dim_args.push_back(name);
    call.dims[name] = dims[i];
  }
  return call;
}

Result<RunResult> Kernel::run(std::stop_token stop) {
  std::vector<Buffer> views;
  const Call one = call(views);
  return make_emulator(threads)->run({&one, 1}, views, options, std::move(stop));
}

std::uint64_t Kernel::address(std::size_t buffer) {
  std::vector<Buffer> views;
  const Call one = call(views);
  const auto at = EmulatorBackend::address_of(one, views, buffer);
  return at ? *at : 0;
}

std::string problems(const Result<RunResult>& result) {
  std::string text;
  for (const auto& d : result.diagnostics) text += "line " + std::to_string(d.at.line) + ": " + d.message + "\n";
  if (!result && text.empty()) text = "no value";
  if (result)
    for (const auto& f : result->faults)
      text += f.kind + " at line " + std::to_string(f.ptx_line) + ", block " + std::to_string(f.block[0]) +
              ", thread " + std::to_string(f.thread[0]) + ": " + f.message + "\n";
  return text;
}

std::string Kernel::problem() { return problems(run()); }

double metric(const RunResult& result, const std::string& id) {
  for (const auto& m : result.metrics)
    if (m.id == id && m.source == Metric::Source::exact) return m.value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string entry(unsigned pointers, const std::string& body, const std::string& module,
                  const std::string& declarations) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n" + module + "\n.visible .entry k(\n";
  for (unsigned i = 0; i < pointers; ++i)
    text += "  .param .u64 k_" + std::to_string(i) + (i + 1 < pointers ? ",\n" : "\n");
  text += ")\n{\n  .reg .b32 %r<32>, %t;\n  .reg .b64 %l<32>, %p<8>;\n  .reg .b16 %h<16>;\n  .reg .pred %q<16>;\n" +
          declarations + "\n";
  for (unsigned i = 0; i < pointers; ++i)
    text += "  ld.param.u64 %p" + std::to_string(i) + ", [k_" + std::to_string(i) + "];\n";
  return text + "  mov.u32 %t, %tid.x;\n" + body + "\n  ret;\n}\n";
}

std::string compiled(const std::string& source, std::vector<std::string> options) {
  KernelModule module;
  module.entry = "k";
  module.arch = "sm_90";
  module.options = std::move(options);
  module.cuda_source = source;
  const auto result = compile(module);
  return result ? result->ptx : std::string();
}

std::string sample(const std::string& name) {
  std::ifstream file(source_path("tests/data/ptx/") + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace aicf::test
