// Random PTX programs, the same for the same seed, whose results are determined to the last bit: arithmetic of all
// types, predication, divergent branches and loops, calls, warp collectives, shared memory with barriers, atomics whose
// order does not matter, and tensor-core products. Two machines that run one must agree.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace aicf::selftest {

struct RandomProgram {
  /// Entry k(in, out), both pointers to 64-bit words: registers are loaded, statements run, registers stored. Each
  /// statement is a piece of text that may stand last.
  std::string head, tail;
  std::vector<std::string> statements;
  [[nodiscard]] std::string ptx() const { return first(statements.size()); }
  [[nodiscard]] std::string first(std::size_t count) const; ///< with so many statements
  unsigned grid = 2, block = 64;
  std::vector<std::uint64_t> input; ///< words_in for each thread
  static constexpr unsigned words_in = 12, words_out = 24;
};

[[nodiscard]] RandomProgram random_program(std::uint64_t seed);
/// Where a register of a program, "%r3", lies among the words that a thread stores: byte offset and bytes; 0 bytes: no
/// such register.
struct StoredRegister {
  unsigned offset = 0, bytes = 0;
};
[[nodiscard]] StoredRegister stored_register(const std::string& name);

} // namespace aicf::selftest
