#include "core/exec/selftest/compare.hpp"

#include "core/exec/selftest/instruction_cases.hpp"
#include "core/exec/selftest/kernel_trial.hpp"
#include "core/exec/selftest/trial.hpp"

#include <bit>
#include <cmath>

namespace aicf::selftest {
namespace {

void differs(Comparison& c, std::string text) { keep_example(c.different, c.examples, std::move(text)); }

} // namespace

void keep_example(int& count, std::vector<std::string>& examples, std::string text) {
  ++count;
  if (examples.size() < Comparison::most_examples) examples.push_back(std::move(text));
}

Comparison compare_instructions(Backend& other, Backend& emulator, const std::stop_token& stop) {
  Comparison result{.name = "instructions"};
  auto all = instruction_cases();
  const auto collective = collective_cases();
  all.insert(all.end(), collective.begin(), collective.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto one = std::span(all).subspan(i, 1);
    const auto operands = instruction_operands(one);
    Trial trial(instruction_program(one), 1, instruction_threads);
    trial.buffer(Arg::Role::input, operands.data(), operands.size() * 8);
    trial.buffer(Arg::Role::output, nullptr, instruction_threads * std::size_t{8});
    if (result.stopped = stop.stop_requested(); result.stopped) break;
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

Comparison compare_kernels(Backend& other, Backend& emulator, const std::string& arch, const std::stop_token& stop) {
  Comparison result{.name = "kernels"};
  for (const SourceKernel& k : source_kernels()) {
    if (k.hopper && arch != "sm_90") continue;
    if (result.stopped = stop.stop_requested(); result.stopped) break;
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
