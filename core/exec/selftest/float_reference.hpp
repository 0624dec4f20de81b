// Floating-point formats and directed roundings, independent of the emulator's: values are exact in long double (64
// digits) or passed through the host's rounding mode.
#pragma once
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

namespace aicf::selftest {

/// A binary format: digits with the hidden one, exponent of the least subnormal, and of the largest binade.
struct Format {
  int digits, least, largest;
  std::uint32_t nan;
  bool infinite = true;
};
constexpr Format half_format{11, -24, 15, 0x7fff}, bfloat_format{8, -133, 127, 0x7fff},
    tf32_format{11, -136, 127, 0x3ffff}, e4m3_format{4, -9, 8, 0x7f, false}, e5m2_format{3, -16, 15, 0x7f};

enum class Round : std::uint8_t { even, zero, down, up, away };

inline long double rounded(long double x, Round mode) {
  switch (mode) {
  case Round::zero: return std::trunc(x);
  case Round::down: return std::floor(x);
  case Round::up: return std::ceil(x);
  case Round::away: return std::round(x);
  default: break;
  }
  const long double low = std::floor(x), rest = x - low;
  if (rest != 0.5L) return rest < 0.5L ? low : low + 1;
  return std::fmod(low, 2.0L) == 0 ? low : low + 1;
}

/// The bits of x in a format. `finite`: what is too large becomes the largest number.
inline std::uint64_t bits_in(const Format& f, long double x, Round mode = Round::even, bool finite = false) {
  const bool e4m3 = !f.infinite;
  const std::uint64_t infinity = e4m3 ? 0x7f : static_cast<std::uint64_t>(2 * f.largest + 1) << (f.digits - 1);
  const std::uint64_t top = std::bit_floor(infinity) << 1; // the sign
  if (std::isnan(x)) return f.nan;
  const std::uint64_t sign = std::signbit(x) ? top : 0;
  if (x == 0) return sign;
  if (std::isinf(x)) return sign | (finite ? infinity - 1 : infinity);
  int e = std::ilogb(x) - (f.digits - 1);
  if (e < f.least) e = f.least;
  const long double scaled = rounded(std::ldexp(x, -e), mode);
  auto n = static_cast<std::uint64_t>(std::abs(scaled));
  if (n >= std::uint64_t{1} << f.digits) {
    n >>= 1;
    ++e;
  }
  const std::uint64_t hidden = std::uint64_t{1} << (f.digits - 1);
  const std::uint64_t bits = n < hidden ? n : (static_cast<std::uint64_t>(e - f.least) << (f.digits - 1)) + n;
  if (bits < infinity) return sign | bits;
  const bool up = mode == Round::even || mode == Round::away || (mode == Round::up && sign == 0) ||
                  (mode == Round::down && sign != 0);
  return sign | (finite || !up ? infinity - 1 : infinity);
}

/// The value of bits in a format; NaN for NaN.
inline double value_in(const Format& f, std::uint64_t bits) {
  const bool e4m3 = !f.infinite;
  const std::uint64_t infinity = e4m3 ? 0x7f : static_cast<std::uint64_t>(2 * f.largest + 1) << (f.digits - 1);
  const std::uint64_t top = std::bit_floor(infinity) << 1, m = bits & (top - 1);
  const bool negative = (bits & top) != 0;
  if (e4m3 ? m == infinity : m > infinity) return std::nan("");
  if (m == infinity) return negative ? -INFINITY : INFINITY;
  const std::uint64_t field = m >> (f.digits - 1), fraction = m & ((std::uint64_t{1} << (f.digits - 1)) - 1);
  const double v = field == 0 ? std::ldexp(static_cast<double>(fraction), f.least)
                              : std::ldexp(static_cast<double>(fraction + (std::uint64_t{1} << (f.digits - 1))),
                                           f.least + static_cast<int>(field) - 1);
  return negative ? -v : v;
}

/// `work` under a rounding mode of the host.
template <class T> T directed(Round mode, T (*work)(T, T, T), T x, T y, T z) {
  const int before = std::fegetround();
  std::fesetround(mode == Round::zero   ? FE_TOWARDZERO
                  : mode == Round::down ? FE_DOWNWARD
                  : mode == Round::up   ? FE_UPWARD
                                        : FE_TONEAREST);
  volatile T a = x, b = y, c = z;
  volatile T r = work(a, b, c);
  std::fesetround(before);
  return r;
}

inline float flushed(float x) { return std::abs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x; }

} // namespace aicf::selftest
