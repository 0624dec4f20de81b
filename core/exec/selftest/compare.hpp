// The emulator beside another backend on the same PTX: every instruction case, random programs, whole kernels.
#pragma once
#include "core/exec/backend.hpp"

#include <functional>

namespace aicf::selftest {

struct Comparison {
  std::string name;
  int compared = 0, different = 0;
  std::vector<std::string> examples{}; ///< of differences, at most 40, each with its element and both values
  /// Of programs, those on which the other machine's compiler disagrees with itself; not among `different`.
  int compilers = 0;
  std::vector<std::string> compilers_examples{};
  bool stopped = false; ///< there were more to compare
  [[nodiscard]] bool passed() const { return compared > 0 && different == 0 && !stopped; }
  static constexpr std::size_t most_examples = 40;
};

/// Counts one more, and keeps its text among at most so many.
void keep_example(int& count, std::vector<std::string>& examples, std::string text);

/// What is told of a random program as soon as it is known: the next step may end the process.
struct ProgramEvents {
  std::function<void(std::uint64_t seed)> begins;
  std::function<void(const std::string& what)> differs;   ///< again, of the same program, when more is known
  std::function<void(const std::string& what)> compilers; ///< the difference is the compiler's
};

[[nodiscard]] Comparison compare_instructions(Backend& other, Backend& emulator, const std::stop_token& stop = {});
/// Of a program that differs, the first statement after which it does is looked for and told. Then it is compiled at
/// each of ptxas' levels: where one of them gives the emulator's words, and the highest again those that differ, the
/// other machine's compiler has made two things of one program, and the difference is its own.
[[nodiscard]] Comparison compare_programs(Backend& other, Backend& emulator, int programs, std::uint64_t first_seed = 1,
                                          const ProgramEvents& events = {});
/// Compiles with NVRTC for `arch`; a kernel that does not compile is a difference.
[[nodiscard]] Comparison compare_kernels(Backend& other, Backend& emulator, const std::string& arch,
                                         const std::stop_token& stop = {});

} // namespace aicf::selftest
