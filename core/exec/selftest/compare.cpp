#include "core/exec/selftest/compare.hpp"

#include "core/exec/selftest/instruction_cases.hpp"
#include "core/exec/selftest/kernel_trial.hpp"
#include "core/exec/selftest/random_program.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace aicf::selftest {
namespace {

constexpr std::size_t max_examples = 40;

/// A PTX text with its buffers, to be run more than once on the same data.
struct Trial {
  Call call;
  std::vector<std::vector<std::byte>> buffers;

  Trial(std::string ptx, unsigned grid, unsigned block) {
    call.module.entry = "k";
    call.module.arch = "sm_90";
    call.compiled.ptx = std::move(ptx);
    call.module.launch.grid[0].text = std::to_string(grid);
    call.module.launch.block[0].text = std::to_string(block);
  }
  Trial(Call prepared, std::vector<std::vector<std::byte>> data)
      : call(std::move(prepared)), buffers(std::move(data)) {}
  void buffer(Arg::Role role, const void* data, std::size_t bytes) {
    Arg arg;
    arg.name = "b" + std::to_string(buffers.size());
    arg.role = role;
    call.module.args.push_back(arg);
    call.buffers.push_back(buffers.size());
    std::vector<std::byte> copy(bytes);
    if (data != nullptr) std::memcpy(copy.data(), data, bytes);
    buffers.push_back(std::move(copy));
  }
  /// The last buffer afterwards; `problem` says why there is none.
  std::vector<std::byte> run(Backend& backend, std::string& problem) {
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
};

template <class T> T at(const std::vector<std::byte>& bytes, std::size_t i) {
  T v;
  std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
  return v;
}

void differs(Comparison& c, const std::string& text) {
  ++c.different;
  if (c.examples.size() < max_examples) c.examples.push_back(text);
}

std::string hexadecimal(std::uint64_t v) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(v));
  return text.data();
}

} // namespace

Comparison compare_instructions(Backend& other, Backend& emulator) {
  Comparison result{"instructions", 0, 0, {}};
  auto all = instruction_cases();
  const auto collective = collective_cases();
  all.insert(all.end(), collective.begin(), collective.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto one = std::span(all).subspan(i, 1);
    const auto operands = instruction_operands(one);
    Trial trial(instruction_program(one), 1, instruction_threads);
    trial.buffer(Arg::Role::input, operands.data(), operands.size() * 8);
    trial.buffer(Arg::Role::output, nullptr, instruction_threads * std::size_t{8});
    ++result.compared;
    std::string problem;
    const auto there = trial.run(other, problem), here = problem.empty() ? trial.run(emulator, problem) : there;
    if (!problem.empty()) {
      differs(result, std::string(all[i].text) + " " + problem);
      continue;
    }
    for (std::size_t t = 0; t < instruction_threads; ++t) {
      const std::string text = compare(all[i], at<std::uint64_t>(there, t), at<std::uint64_t>(here, t));
      if (text.empty()) continue;
      differs(result, std::string(all[i].text) + " of " + hexadecimal(operands[3 * t]) + ", " +
                          hexadecimal(operands[3 * t + 1]) + ", " + hexadecimal(operands[3 * t + 2]) + ": " + text);
      break;
    }
  }
  return result;
}

namespace {

/// The index of the first 32-bit word in which the two outputs of a program differ; their number: in none.
std::size_t first_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::size_t i = 0;
  while (i < a.size() / 4 && at<std::uint32_t>(a, i) == at<std::uint32_t>(b, i)) ++i;
  return i;
}

/// Two machines on a random program, and on its beginnings.
class Match {
 public:
  Match(Backend& other, Backend& emulator, RandomProgram p)
      : other_(other), emulator_(emulator), program_(std::move(p)) {}
  /// False: the outputs of the first `count` statements differ, or one has none.
  bool agrees(std::size_t count) {
    Trial trial(program_.first(count), program_.grid, program_.block);
    trial.buffer(Arg::Role::input, program_.input.data(), program_.input.size() * 8);
    trial.buffer(Arg::Role::output, nullptr, std::size_t{program_.grid} * program_.block * words * 4);
    problem.clear();
    there = trial.run(other_, problem);
    here = problem.empty() ? trial.run(emulator_, problem) : there;
    where = problem.empty() ? first_difference(there, here) : 0;
    return problem.empty() && where == there.size() / 4;
  }
  bool agrees() { return agrees(program_.statements.size()); }
  /// What differs, and the first statement after which it does, with what its registers held before.
  std::string difference() {
    if (!problem.empty()) return problem;
    std::size_t good = 0, bad = program_.statements.size(); // by halves: registers that differ seldom agree again
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      (agrees(middle) ? good : bad) = middle;
    }
    if (agrees(bad)) return "only sometimes";
    const std::size_t thread = where / words, offset = where % words * 4;
    std::string text = "thread " + std::to_string(thread) + ", offset " + std::to_string(offset) + ": " +
                       hexadecimal(at<std::uint32_t>(there, where)) + " beside " +
                       hexadecimal(at<std::uint32_t>(here, where)) + " after: ";
    agrees(good);
    const std::string& statement = program_.statements[bad - 1];
    text += statement;
    std::string seen;
    for (std::size_t i = 0; i + 2 < statement.size(); ++i) {
      const std::string name = statement.substr(i, 3);
      const StoredRegister r = stored_register(name);
      if (r.bytes == 0 || seen.find(name) != std::string::npos) continue;
      seen += name;
      std::uint64_t v = 0;
      std::memcpy(&v, there.data() + thread * words * 4 + r.offset, r.bytes);
      text += name + "=" + hexadecimal(v) + " ";
    }
    return text;
  }

 private:
  static constexpr std::size_t words = std::size_t{RandomProgram::words_out} * 2;
  Backend &other_, &emulator_;
  RandomProgram program_;
  std::vector<std::byte> there, here;
  std::string problem;
  std::size_t where = 0;
};

} // namespace

Comparison compare_programs(Backend& other, Backend& emulator, int programs, std::uint64_t first_seed) {
  Comparison result{"programs", 0, 0, {}};
  for (int n = 0; n < programs; ++n) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(n);
    Match match(other, emulator, random_program(seed));
    ++result.compared;
    if (match.agrees()) continue;
    const bool told = result.examples.size() < max_examples;
    differs(result, told ? "seed " + std::to_string(seed) + ", " + match.difference() : "");
  }
  return result;
}

Comparison compare_kernels(Backend& other, Backend& emulator, const std::string& arch) {
  Comparison result{"kernels", 0, 0, {}};
  for (const SourceKernel& k : source_kernels()) {
    if (k.hopper && arch != "sm_90") continue;
    ++result.compared;
    auto made = kernel_trial(k, arch);
    if (!made) {
      differs(result,
              std::string(k.name) + ": " + (made.missing ? made.missing->what : format(made.diagnostics.front())));
      continue;
    }
    Trial trial(std::move(made->call), std::move(made->data));
    std::string problem;
    const auto there = trial.run(other, problem), here = problem.empty() ? trial.run(emulator, problem) : there;
    if (!problem.empty()) {
      differs(result, std::string(k.name) + " " + problem);
      continue;
    }
    for (std::size_t i = 0; i < k.words; ++i) {
      const auto x = at<std::uint32_t>(there, i), y = at<std::uint32_t>(here, i);
      if (x == y) continue;
      const double a = std::bit_cast<float>(x), b = std::bit_cast<float>(y);
      if (k.relative != 0 && std::abs(a - b) <= k.relative * (std::abs(b) + 1)) continue;
      differs(result, std::string(k.name) + ", element " + std::to_string(i) + ": " + hexadecimal(x) + " beside " +
                          hexadecimal(y));
      break;
    }
  }
  return result;
}

} // namespace aicf::selftest
