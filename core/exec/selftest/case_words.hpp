// Short forms for the tables of instruction cases: operands a, b, c as the types of the field, and results as bits.
#pragma once
#include "core/exec/selftest/instruction_cases.hpp"

#include <bit>

/// The expression reads a, b, c (64-bit words) and gives a word.
#define CASE(text, kind, ...)                                                                                          \
  {                                                                                                                    \
    text, Operands::kind,                                                                                              \
        []([[maybe_unused]] std::uint64_t a, [[maybe_unused]] std::uint64_t b,                                         \
           [[maybe_unused]] std::uint64_t c) -> std::uint64_t { return __VA_ARGS__; }                                  \
  }
#define APPROXIMATE(text, kind, relative, absolute, ...)                                                               \
  {                                                                                                                    \
    text, Operands::kind,                                                                                              \
        []([[maybe_unused]] std::uint64_t a, [[maybe_unused]] std::uint64_t b,                                         \
           [[maybe_unused]] std::uint64_t c) -> std::uint64_t { return __VA_ARGS__; },                                 \
        relative, absolute                                                                                             \
  }

namespace aicf::selftest {

using W = std::uint64_t;
inline std::uint32_t u(W x) { return static_cast<std::uint32_t>(x); }
inline std::int32_t s(W x) { return static_cast<std::int32_t>(x); }
inline std::int64_t l(W x) { return static_cast<std::int64_t>(x); }
inline std::uint16_t h(W x) { return static_cast<std::uint16_t>(x); }
inline std::int16_t sh(W x) { return static_cast<std::int16_t>(x); }
inline float f(W x) { return std::bit_cast<float>(u(x)); }
inline double d(W x) { return std::bit_cast<double>(x); }
inline W R(std::int64_t x) { return static_cast<std::uint32_t>(x); }
inline W H(std::int64_t x) { return static_cast<std::uint16_t>(x); }
/// f32 results: NaN is the one that PTX gives.
inline W F(float x) { return x == x ? std::bit_cast<std::uint32_t>(x) : 0x7fffffffu; }
inline W D(double x) { return std::bit_cast<W>(x); }

} // namespace aicf::selftest
