#include "core/exec/selftest/trial.hpp"

#include <array>
#include <cstdio>

namespace aicf::selftest {

Trial::Trial(std::string ptx, unsigned grid, unsigned block) {
  call.module.entry = "k";
  call.module.arch = "sm_90";
  call.compiled.ptx = std::move(ptx);
  call.module.launch.grid[0].text = std::to_string(grid);
  call.module.launch.block[0].text = std::to_string(block);
}

void Trial::buffer(Arg::Role role, const void* data, std::size_t bytes) {
  Arg arg;
  arg.name = "b" + std::to_string(buffers.size());
  arg.role = role;
  call.module.args.push_back(arg);
  call.buffers.push_back(buffers.size());
  std::vector<std::byte> copy(bytes);
  if (data != nullptr) std::memcpy(copy.data(), data, bytes);
  buffers.push_back(std::move(copy));
}

std::vector<std::byte> Trial::run(Backend& backend, std::string& problem) const {
  auto data = buffers;
  std::vector<Buffer> views(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) views[i].bytes = data[i];
  RunOptions options;
  const auto result = backend.run({&call, 1}, views, options, {});
  if (!result)
    problem = result.missing ? result.missing->what : format(result.diagnostics.front());
  else if (!result->faults.empty())
    problem = result->faults.front().kind + " at line " + std::to_string(result->faults.front().ptx_line) + ": " +
              result->faults.front().message;
  else if (result->status != RunResult::Status::ok)
    problem = "the run did not end";
  if (!problem.empty()) {
    problem = backend.id() + ": " + problem;
    return {};
  }
  return std::move(data.back());
}

std::string hexadecimal(std::uint64_t v) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(v));
  return text.data();
}

} // namespace aicf::selftest
