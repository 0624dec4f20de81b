// One PTX instruction (or a few) with what the PTX manual says that it gives, worked out here by other means than the
// emulator's. Tests hold the emulator against them, `aicf selftest device` holds the device and the emulator against
// each other on the same text.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aicf::selftest {

enum class Operands : std::uint8_t {
  integers,
  words,
  singles,
  doubles,
  halves,
  bfloats,
  pairs_of_halves,
  pairs_of_bfloats,
  bytes,
  shifts,
  least_singles, ///< whose products are about the least f32
  least_bfloats  ///< pairs of such
};

struct InstructionCase {
  const char* text; ///< reads %r1-3, %l1-3 or %h1-3; writes %r0, %l0 or %h0
  Operands operands = Operands::integers;
  std::uint64_t (*expected)(std::uint64_t a, std::uint64_t b, std::uint64_t c) = nullptr;
  double relative = 0, absolute = 0; ///< of an approximate f32 (%r0) or f64 (%l0); both 0: the very bits
  const char* registers = "";        ///< further declarations
};

[[nodiscard]] std::span<const InstructionCase> integer_cases();
[[nodiscard]] std::span<const InstructionCase> float_cases();
[[nodiscard]] std::span<const InstructionCase> half_cases();
[[nodiscard]] std::span<const InstructionCase> conversion_cases();
[[nodiscard]] std::vector<InstructionCase> instruction_cases(); ///< all of them
/// Matrix products and wide accesses, which have nothing expected: for a comparison of two machines.
[[nodiscard]] std::span<const InstructionCase> collective_cases();

constexpr unsigned instruction_threads = 64;

/// The operands of thread t of case i: three words, edge values and random ones, the same at every call.
[[nodiscard]] std::vector<std::uint64_t> instruction_operands(std::span<const InstructionCase> cases);
/// An entry `k(in, out)` for one block of instruction_threads: 3 words in and one out for each case and thread.
[[nodiscard]] std::string instruction_program(std::span<const InstructionCase> cases);
/// "" when `got` is what the case allows beside `expected`, else both in hexadecimal.
[[nodiscard]] std::string compare(const InstructionCase& c, std::uint64_t got, std::uint64_t expected);

} // namespace aicf::selftest
