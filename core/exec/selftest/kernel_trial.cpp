#include "core/exec/selftest/kernel_trial.hpp"

#include "core/exec/nvrtc.hpp"

#include <bit>
#include <cstring>
#include <random>

namespace aicf::selftest {
namespace {

/// What cuda.h calls so, which the compiler at run time has not; PTX asks for a multiple of 64 bytes.
constexpr const char* tensor_map_type = "struct alignas(64) CUtensorMap {\n  unsigned long long opaque[16];\n};\n";

} // namespace

std::vector<Buffer> KernelTrial::buffers() {
  std::vector<Buffer> views(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) views[i].bytes = data[i];
  return views;
}

Result<KernelTrial> kernel_trial(const SourceKernel& kernel, const std::string& arch) {
  KernelTrial trial;
  KernelModule& module = trial.call.module;
  module.entry = "k";
  module.cuda_source = std::string(kernel.tiles ? tensor_map_type : "") + "extern \"C\" __global__ void k" +
                       std::string(kernel.source) + "\n";
  module.arch = kernel.hopper ? arch + "a" : arch;
  auto compiled = compile(module);
  if (!compiled) return compiled.failure<KernelTrial>();
  trial.call.compiled = std::move(*compiled);
  module.launch.grid[0].text = std::to_string(kernel.grid);
  module.launch.block[0].text = std::to_string(kernel.block);
  module.launch.cluster[0].text = std::to_string(kernel.cluster);
  std::mt19937 random(20240607);
  for (const char* name : {"a", "b", "c"}) {
    Arg arg;
    arg.name = name;
    arg.role = arg.name == "c" ? Arg::Role::inout : Arg::Role::input;
    trial.call.buffers.push_back(trial.data.size());
    trial.data.emplace_back(std::size_t{kernel.words} * 4);
    if (kernel.tiles && arg.name == "a") {
      arg.shape = {{std::to_string(kernel.words / 128)}, {"128"}};
      arg.tile = Tile{{{"8"}, {"16"}}, {}};
    }
    module.args.push_back(arg);
    if (arg.role != Arg::Role::input) continue;
    for (std::size_t i = 0; i < kernel.words; ++i) {
      const auto r = static_cast<std::int32_t>(random() % 20001) - 10000;
      const std::uint32_t word = kernel.integers ? static_cast<std::uint32_t>(r)
                                                 : std::bit_cast<std::uint32_t>(static_cast<float>(r) * 0x1p-12F);
      std::memcpy(trial.data.back().data() + 4 * i, &word, sizeof word);
    }
  }
  return trial;
}

} // namespace aicf::selftest
