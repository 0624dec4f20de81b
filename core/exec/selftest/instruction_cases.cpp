#include "core/exec/selftest/instruction_cases.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>

namespace aicf::selftest {
namespace {

constexpr unsigned at_random = 0xffffffffu;

/// The first threads go through the edge values in turn, number `turn`; later ones take some of them at_random.
std::uint64_t operand(Operands kind, std::mt19937_64& random, unsigned turn) {
  const std::uint64_t r = random();
  const auto pick = [&](auto& edges) {
    return edges[turn != at_random ? turn % edges.size() : random() % edges.size()];
  };
  const bool edge = turn != at_random || random() % 3 == 0;
  static constexpr std::array<std::uint64_t, 12> words{
      0,      1,      2, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~std::uint64_t{0},
      0xffff, 0x8000, 31};
  static constexpr std::array<std::uint64_t, 16> singles{
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
      0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4b000001, 0x3f000000, 0xcf000000, 0x4effffff};
  static constexpr std::array<std::uint64_t, 12> doubles{
      0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
      1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x41dfffffffc00000, 0xc3e0000000000000};
  static constexpr std::array<std::uint64_t, 14> halves{0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
                                                        0x7d01, 0x0001, 0x83ff, 0x0400, 0x7bff, 0x3c01, 0x4248};
  static constexpr std::array<std::uint64_t, 14> bfloats{0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0,
                                                         0x7f81, 0x0001, 0x807f, 0x0080, 0x7f7f, 0x3f81, 0x4049};
  switch (kind) {
  case Operands::integers: return edge ? pick(words) & 0xffffffff : random() % 4 == 0 ? r % 100 : r & 0xffffffff;
  case Operands::words: return edge ? pick(words) : random() % 4 == 0 ? r % 1000 : r;
  case Operands::singles: { // not too far apart, so that sums do not only return one operand
    if (edge) return pick(singles);
    const std::uint64_t exponent = 100 + r % 56;
    return (r >> 32 & 0x80000000) | exponent << 23 | (r >> 8 & 0x7fffff);
  }
  case Operands::doubles: {
    if (edge) return pick(doubles);
    const std::uint64_t exponent = 1000 + random() % 60;
    return (r & 0x800fffffffffffff) | exponent << 52;
  }
  case Operands::halves: return edge ? pick(halves) : r & 0xffff;
  case Operands::bfloats: return edge ? pick(bfloats) : (r & 0x807f) | (100 + random() % 56) << 7;
  case Operands::pairs_of_halves:
    return operand(Operands::halves, random, turn) |
           operand(Operands::halves, random, turn == at_random ? turn : turn + 3) << 16;
  case Operands::pairs_of_bfloats:
    return operand(Operands::bfloats, random, turn) |
           operand(Operands::bfloats, random, turn == at_random ? turn : turn + 3) << 16;
  case Operands::least_singles:
    return (r & 0x80000000) | (r >> 60 == 0 ? 0 : (r >> 40 & 0x7fffff) | (46 + (r >> 32) % 12) << 23);
  case Operands::least_bfloats:
    return operand(Operands::least_singles, random, turn) >> 16 |
           (operand(Operands::least_singles, random, turn) & 0xffff0000);
  case Operands::bytes: return r & 0xffff;
  case Operands::shifts:
    return edge ? std::array<std::uint64_t, 6>{0, 31, 32, 33, 63, 64}[turn != at_random ? turn % 6 : random() % 6]
                : r % 40;
  }
  return r;
}

} // namespace

std::vector<InstructionCase> instruction_cases() {
  std::vector<InstructionCase> all;
  for (const auto group : {integer_cases(), float_cases(), half_cases(), conversion_cases()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::vector<std::uint64_t> instruction_operands(std::span<const InstructionCase> cases) {
  std::vector<std::uint64_t> values;
  for (const InstructionCase& c : cases) {
    std::uint64_t seed = 1469598103934665603u; // of the text, so that a case keeps its operands in any company
    for (const char* p = c.text; *p != 0; ++p) seed = (seed ^ static_cast<unsigned char>(*p)) * 1099511628211u;
    std::mt19937_64 random(seed);
    for (unsigned t = 0; t < instruction_threads; ++t) {
      const bool shift = c.operands == Operands::shifts; // a is a word, the others are amounts
      const bool edges = t < 20;
      values.push_back(operand(shift ? Operands::words : c.operands, random, edges ? t : at_random));
      values.push_back(operand(c.operands, random, edges ? 5 * t + 3 : at_random));
      values.push_back(operand(c.operands, random, edges ? 3 * t + 7 : at_random));
    }
  }
  return values;
}

std::string instruction_program(std::span<const InstructionCase> cases) {
  std::string body =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .b64 %in, %out, %at;\n.reg .b32 %t, %m;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
      "mov.u32 %t, %tid.x;\nmul.wide.u32 %at, %t, 24;\nadd.s64 %in, %in, %at;\nmul.wide.u32 %at, %t, 8;\n"
      "add.s64 %out, %out, %at;\n";
  std::size_t n = 0;
  for (const InstructionCase& c : cases) {
    const std::string text = c.text;
    const bool narrow = text.find("%r0") != std::string::npos, half = text.find("%h0") != std::string::npos;
    body += "{\n.reg .b64 %l<8>;\n.reg .b32 %r<8>;\n.reg .b16 %h<8>;\n.reg .pred %q<4>;\n" + std::string(c.registers);
    for (unsigned k = 0; k < 3; ++k) {
      const std::string s = std::to_string(k + 1);
      body += "ld.global.u64 %l" + s + ", [%in+" + std::to_string((n * instruction_threads * 3 + k) * 8) +
              "];\ncvt.u32.u64 %r" + s + ", %l" + s + ";\ncvt.u16.u64 %h" + s + ", %l" + s + ";\n";
    }
    body += "mov.u64 %l0, 0;\nmov.u32 %r0, 0;\nmov.u16 %h0, 0;\n" + text + "\n";
    if (narrow) body += "cvt.u64.u32 %l0, %r0;\n";
    if (half) body += "cvt.u64.u16 %l0, %h0;\n";
    body += "st.global.u64 [%out+" + std::to_string(n * instruction_threads * 8) + "], %l0;\n}\n";
    ++n;
  }
  return body + "ret;\n}\n";
}

std::string compare(const InstructionCase& c, std::uint64_t got, std::uint64_t expected) {
  if (got == expected) return {};
  const bool single = std::string(c.text).find("%l0") == std::string::npos;
  const auto value = [&](std::uint64_t bits) {
    return single ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                  : std::bit_cast<double>(bits);
  };
  if (c.relative != 0 || c.absolute != 0) {
    const double x = value(got), y = value(expected);
    if (std::isnan(x) && std::isnan(y)) return {};
    if (std::abs(x - y) <= c.relative * std::abs(y) + c.absolute) return {};
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%llx beside %llx", static_cast<unsigned long long>(got),
                static_cast<unsigned long long>(expected));
  return text.data();
}

} // namespace aicf::selftest
