// libFuzzer: any bytes as PTX text, decoded and, where that succeeds, run with a small step limit. Nothing may crash,
// hang, or trip a sanitizer. Seeds: fuzz_seeds and tests/data/ptx.
#include "core/exec/emulator/emulator.hpp"

#include <cstddef>
#include <cstdint>

namespace {

void run(std::string_view text, std::string_view entry, unsigned parameters) {
  aicf::Call call;
  call.module.entry = entry;
  call.compiled.ptx = text;
  call.module.launch.grid[0].text = "2";
  call.module.launch.block[0].text = "64";
  std::vector<std::byte> memory(4096);
  std::vector<aicf::Buffer> buffers(1);
  buffers[0].bytes = memory;
  for (unsigned i = 0; i < parameters; ++i) {
    aicf::Arg arg;
    arg.name = "p" + std::to_string(i);
    arg.role = aicf::Arg::Role::inout;
    call.module.args.push_back(arg);
    call.buffers.push_back(0);
  }
  aicf::RunOptions options;
  options.counters = true;
  options.step_limit = 20'000;
  (void)aicf::make_emulator(1)->run({&call, 1}, buffers, options, {});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Whatever the first entry is called, with as many pointers as it may take.
  std::string_view entry = "k";
  if (const auto at = text.find(".entry "); at != std::string_view::npos) {
    const auto from = at + 7, to = text.find_first_of(" (\n{", from);
    if (to != std::string_view::npos) entry = text.substr(from, to - from);
  }
  for (const unsigned parameters : {0u, 1u, 2u, 4u}) run(text, entry, parameters);
  return 0;
}
