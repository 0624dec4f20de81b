// The arithmetic of one lane, branch-free where it can be so that loops over lanes vectorise. f32 results that are NaN
// are the canonical 0x7fffffff, f16 and bf16 ones 0x7fff (PTX ISA, "Floating Point Instructions"). Nothing here relies
// on the rounding mode or on contraction; sources that include it are compiled with -ffp-contract=off. The functions
// are static and always inlined, so that each instruction set has its own copy.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#define LANE static inline __attribute__((always_inline))

namespace aicf::emulator {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;
using h16 = u16; ///< bits of an f16
using b16 = u16; ///< bits of a bf16
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

LANE f32 as_f32(u32 x) { return std::bit_cast<f32>(x); }
LANE u32 as_u32(f32 x) { return std::bit_cast<u32>(x); }
LANE f64 as_f64(u64 x) { return std::bit_cast<f64>(x); }
LANE u64 as_u64(f64 x) { return std::bit_cast<u64>(x); }

// Integers.
LANE u64 mul_high(u64 a, u64 b) { return static_cast<u64>((static_cast<u128>(a) * b) >> 64); }
LANE s64 mul_high(s64 a, s64 b) { return static_cast<s64>((static_cast<s128>(a) * b) >> 64); }
LANE s32 clamp_s32(s64 x) { return static_cast<s32>(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }
LANE u32 popcount(u32 x) { return static_cast<u32>(std::popcount(x)); }
LANE u32 popcount(u64 x) { return static_cast<u32>(std::popcount(x)); }
LANE u32 reverse_bits(u32 x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
LANE u64 reverse_bits64(u64 x) {
  return (static_cast<u64>(reverse_bits(static_cast<u32>(x))) << 32) | reverse_bits(static_cast<u32>(x >> 32));
}
LANE u32 bit_mask(u32 n) { return n > 31 ? ~0u : (1u << (n & 31)) - 1; }
/// bfe: bits past the end are zero, or the sign bit of the field (PTX ISA, bfe).
LANE u64 extract_bits(u64 a, u32 b, u32 c, u32 width, bool sign) {
  const u32 pos = b & 0xff, len = c & 0xff, msb = width - 1;
  u64 sbit = 0;
  if (sign && len != 0) {
    const u32 at = pos + len - 1 < msb ? pos + len - 1 : msb;
    sbit = (a >> at) & 1;
  }
  const u64 field = pos > msb ? 0 : a >> pos;
  const u64 have = len > 63 ? ~u64{0} : (u64{1} << len) - 1;
  const u64 in_range = pos > msb ? 0 : msb - pos >= 63 ? ~u64{0} : (u64{2} << (msb - pos)) - 1;
  const u64 kept = have & in_range;
  return (field & kept) | (sbit != 0 ? ~kept : 0);
}
/// bfi: c holds the position in its low byte and the length in the next.
LANE u64 insert_bits(u64 a, u64 b, u32 c, u32 width) {
  const u32 pos = c & 0xff, len = (c >> 8) & 0xff;
  if (pos >= width) return b;
  const u64 mask = (len > 63 ? ~u64{0} : (u64{1} << len) - 1) << pos;
  return (b & ~mask) | ((a << pos) & mask);
}
/// fns: the n-th set bit (n >= 1, or the bit itself for 0) from `base` upwards, downwards for n < 0.
LANE u32 nth_bit(u32 mask, u32 base, s32 n) {
  if (base > 31) return ~0u;
  if (n == 0) return ((mask >> base) & 1) != 0 ? base : ~0u;
  s64 left = n > 0 ? s64{n} : -s64{n};
  for (s64 at = base; at >= 0 && at<32; at += n> 0 ? 1 : -1)
    if (((mask >> at) & 1) != 0 && --left == 0) return static_cast<u32>(at);
  return ~0u;
}
LANE u32 lookup3(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  for (u32 k = 0; k < 8; ++k) {
    const u32 term = ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
    r |= ((table >> k) & 1) != 0 ? term : 0;
  }
  return r;
}
LANE u32 permute(u32 a, u32 b, u32 selector) {
  const u64 source = (static_cast<u64>(b) << 32) | a;
  u32 r = 0;
  for (u32 k = 0; k < 4; ++k) {
    const u32 s = (selector >> (4 * k)) & 0xf;
    const u32 byte = static_cast<u32>(source >> (8 * (s & 7))) & 0xff;
    r |= ((s & 8) != 0 ? (0 - (byte >> 7)) & 0xff : byte) << (8 * k);
  }
  return r;
}
LANE u32 backward_selector(u32 c) {
  constexpr u32 table[4] = {0x5670, 0x6701, 0x7012, 0x0123};
  return table[c & 3];
}
LANE u32 edge_left_selector(u32 c) {
  constexpr u32 table[4] = {0x3210, 0x3211, 0x3222, 0x3333};
  return table[c & 3];
}
LANE u32 edge_right_selector(u32 c) {
  constexpr u32 table[4] = {0x0000, 0x1110, 0x2210, 0x3210};
  return table[c & 3];
}
LANE u32 dot4(u32 a, u32 b, bool a_signed, bool b_signed) {
  u32 r = 0;
  for (u32 k = 0; k < 32; k += 8) {
    const u32 x = (a >> k) & 0xff, y = (b >> k) & 0xff;
    r += (a_signed ? (x ^ 0x80) - 0x80 : x) * (b_signed ? (y ^ 0x80) - 0x80 : y);
  }
  return r;
}
LANE u32 dot2(u32 a, u32 b, bool a_signed, bool b_signed) {
  u32 r = 0;
  for (u32 k = 0; k < 2; ++k) {
    const u32 x = (a >> (16 * k)) & 0xffff, y = (b >> (8 * k)) & 0xff;
    r += (a_signed ? (x ^ 0x8000) - 0x8000 : x) * (b_signed ? (y ^ 0x80) - 0x80 : y);
  }
  return r;
}
LANE u16 low(u32 x) { return static_cast<u16>(x); }
LANE u16 high(u32 x) { return static_cast<u16>(x >> 16); }
/// Sum of the distances of bytes, or of halves; or the distances, each in its place.
template <u32 bits> LANE u32 distances(u32 a, u32 b, bool summed) {
  constexpr u32 part = (u32{1} << bits) - 1;
  u32 out = 0;
  for (u32 at = 0; at < 32; at += bits) {
    const u32 x = a >> at & part, y = b >> at & part, distance = x < y ? y - x : x - y;
    out += summed ? distance : distance << at;
  }
  return out;
}
LANE u32 pack(u16 lo, u16 hi) { return lo | (static_cast<u32>(hi) << 16); }
LANE u32 bits_cleared(u32 x, u32 mask) { return x & ~mask; }
LANE u32 bits_flipped(u32 x, u32 mask) { return x ^ mask; }
/// Any NaN of 16 bits as the canonical one; `infinity`: the bits of +inf.
LANE u16 quiet16(u16 x, u16 infinity) { return (x & 0x7fffu) > infinity ? u16{0x7fff} : x; }

// f32 and f64.
LANE f32 canonical(f32 x) { return x == x ? x : as_f32(0x7fffffffu); }
LANE f64 canonical(f64 x) { return x; }
/// Subnormals become zero of the same sign (.ftz).
LANE f32 flush(f32 x) { return (as_u32(x) & 0x7f800000u) == 0 ? as_f32(as_u32(x) & 0x80000000u) : x; }
LANE f32 same(f32 x) { return x; }
LANE f64 same(f64 x) { return x; }
template <class T> LANE T plus(T a, T b) { return canonical(a + b); }
template <class T> LANE T minus(T a, T b) { return canonical(a - b); }
template <class T> LANE T times(T a, T b) { return canonical(a * b); }
template <class T> LANE T over(T a, T b) { return canonical(a / b); }
LANE f32 fused(f32 a, f32 b, f32 c) { return canonical(__builtin_fmaf(a, b, c)); }
LANE f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
/// div.approx: zero, or NaN for an infinite dividend, where the divisor lies in (2^126, 2^128).
LANE f32 over_approx(f32 a, f32 b) {
  const f32 m = __builtin_fabsf(b);
  return m > 0x1p126f && m < __builtin_inff() ? canonical(a * 0.0f) : over(a, b);
}
LANE f32 reciprocal(f32 a) { return canonical(1.0f / a); }
LANE f32 root(f32 a) { return canonical(__builtin_sqrtf(a)); }
LANE f64 root(f64 a) { return __builtin_sqrt(a); }
LANE f32 reciprocal_root(f32 a) { return canonical(static_cast<f32>(1.0 / __builtin_sqrt(static_cast<f64>(a)))); }
LANE f32 absolute(f32 a) { return canonical(as_f32(as_u32(a) & 0x7fffffffu)); }
LANE f32 opposite(f32 a) { return canonical(as_f32(as_u32(a) ^ 0x80000000u)); }
LANE f32 saturate(f32 a) { return a > 0 ? (a < 1 ? a : 1.0f) : 0.0f; } // NaN and -0 give +0
LANE f64 saturate(f64 a) { return a > 0 ? (a < 1 ? a : 1.0) : 0.0; }
LANE f32 round_even(f32 a) { return canonical(__builtin_rintf(a)); }
LANE f64 round_even(f64 a) { return __builtin_rint(a); }
LANE f32 round_zero(f32 a) { return canonical(__builtin_truncf(a)); }
LANE f32 round_down(f32 a) { return canonical(__builtin_floorf(a)); }
LANE f32 round_up(f32 a) { return canonical(__builtin_ceilf(a)); }
LANE s32 truncate_s32(f32 a) {
  const f32 c = a < -0x1p31f ? -0x1p31f : a > 0x1.fffffep30f ? 0x1.fffffep30f : a;
  const auto r = static_cast<s32>(a == a ? c : 0.0f);
  return a >= 0x1p31f ? INT32_MAX : r;
}
LANE s32 truncate_s32(f64 a) {
  const f64 c = a < -0x1p31 ? -0x1p31 : a > 2147483647.0 ? 2147483647.0 : a;
  return static_cast<s32>(a == a ? c : -2147483648.0); // PTX ISA, cvt: a NaN of 64 bits is not 0
}

/// min and max prefer the number over a NaN; -0 lies below +0.
LANE f32 either(f32 a, f32 b, u32 zeros) { return a == b ? as_f32(zeros) : canonical(a == a ? a : b); }
LANE f32 min_number(f32 a, f32 b) { return a < b ? a : b < a ? b : either(a, b, as_u32(a) | as_u32(b)); }
LANE f32 max_number(f32 a, f32 b) { return a > b ? a : b > a ? b : either(a, b, as_u32(a) & as_u32(b)); }
LANE f64 either(f64 a, f64 b, u64 zeros) { return a == b ? as_f64(zeros) : a == a ? a : b; }
LANE f64 min_number(f64 a, f64 b) { return a < b ? a : b < a ? b : either(a, b, as_u64(a) | as_u64(b)); }
LANE f64 max_number(f64 a, f64 b) { return a > b ? a : b > a ? b : either(a, b, as_u64(a) & as_u64(b)); }
LANE bool is_number(f32 x) { return !__builtin_isnan(x); }
LANE bool is_number(f64 x) { return !__builtin_isnan(x); }
template <class T> LANE T min_nan(T a, T b) {
  return is_number(a) && is_number(b) ? min_number(a, b) : canonical(a + b);
}
template <class T> LANE T max_nan(T a, T b) {
  return is_number(a) && is_number(b) ? max_number(a, b) : canonical(a + b);
}

LANE f32 with_sign(f32 x, bool negative) { return as_f32((as_u32(x) & 0x7fffffffu) | (negative ? 0x80000000u : 0)); }
LANE f64 with_sign(f64 x, bool negative) {
  return as_f64((as_u64(x) & 0x7fffffffffffffffu) | (negative ? 0x8000000000000000u : 0));
}
LANE bool sign_of(f32 x) { return (as_u32(x) >> 31) != 0; }
LANE bool sign_of(f64 x) { return (as_u64(x) >> 63) != 0; }
/// .xorsign.abs: of the magnitudes, with the product of the signs unless it is NaN.
#define XORSIGN(name, fn)                                                                                              \
  template <class T> LANE T name(T a, T b) {                                                                           \
    const T m = fn(with_sign(a, false), with_sign(b, false));                                                          \
    return is_number(m) ? with_sign(m, sign_of(a) != sign_of(b)) : m;                                                  \
  }
XORSIGN(min_xorsign, min_number)
XORSIGN(max_xorsign, max_number)
XORSIGN(min_nan_xorsign, min_nan)
XORSIGN(max_nan_xorsign, max_nan)
#undef XORSIGN

// Directed roundings of f32, from an exact s + rest in f64.
enum class Toward : u8 { zero, down, up };
/// `negative_zero`: the sign when s + rest is exactly zero.
template <Toward mode> LANE f32 round_directed(f64 s, f64 rest, bool negative_zero) {
  const auto f = static_cast<f32>(s);
  const f64 gap = s - static_cast<f64>(f);
  const f64 above = gap < 0 || gap > 0 ? gap : rest; // of the sign of exact - f
  const bool positive = f > 0, negative = f < 0;
  const bool down = above < 0 && (mode == Toward::down || (mode == Toward::zero && positive));
  const bool up = above > 0 && (mode == Toward::up || (mode == Toward::zero && negative));
  const u32 bits = as_u32(f);
  const u32 lower = positive ? bits - 1 : negative ? bits + 1 : 0x80000001u;
  const u32 higher = positive ? bits + 1 : negative ? bits - 1 : 1u;
  const u32 exact = f == 0 && !(above < 0 || above > 0) ? (negative_zero ? 0x80000000u : 0u) : bits;
  return canonical(as_f32(down ? lower : up ? higher : exact));
}
template <Toward mode> LANE f32 fma_directed(f32 a, f32 b, f32 c) {
  const f64 p = static_cast<f64>(a) * static_cast<f64>(b), w = c, s = p + w, t = s - p;
  const f64 rest = (p - (s - t)) + (w - t); // Knuth's TwoSum
  const bool np = (as_u64(p) >> 63) != 0, nc = (as_u64(w) >> 63) != 0;
  return round_directed<mode>(s, rest, mode == Toward::down ? np || nc : np && nc);
}
template <Toward mode> LANE f32 add_directed(f32 a, f32 b) { return fma_directed<mode>(a, 1.0f, b); }
template <Toward mode> LANE f32 sub_directed(f32 a, f32 b) { return fma_directed<mode>(a, 1.0f, opposite(b)); }
template <Toward mode> LANE f32 mul_directed(f32 a, f32 b) {
  return round_directed<mode>(static_cast<f64>(a) * static_cast<f64>(b), 0, ((as_u32(a) ^ as_u32(b)) >> 31) != 0);
}

// Approximate functions: computed in f64 far inside the published interval, then rounded.
/// 2^x by 2^n * exp(f ln 2), |f| <= 1/2, Taylor to f^12.
LANE f64 exp2_wide(f64 x) {
  constexpr f64 shift = 0x1.8p52;
  const f64 c = x < -1000 ? -1000 : x > 1000 ? 1000 : x;
  const f64 t = c + shift;
  const f64 y = (c - (t - shift)) * 0.69314718055994530942;
  f64 p = 1.0 / 479001600;
  p = p * y + 1.0 / 39916800;
  p = p * y + 1.0 / 3628800;
  p = p * y + 1.0 / 362880;
  p = p * y + 1.0 / 40320;
  p = p * y + 1.0 / 5040;
  p = p * y + 1.0 / 720;
  p = p * y + 1.0 / 120;
  p = p * y + 1.0 / 24;
  p = p * y + 1.0 / 6;
  p = p * y + 0.5;
  p = p * y + 1.0;
  p = p * y + 1.0;
  return p * as_f64((as_u64(t) + 1023) << 52);
}
LANE f32 exp2_approx(f32 x) { return x == x ? static_cast<f32>(exp2_wide(x)) : as_f32(0x7fffffffu); }
/// log2(m 2^e) = e + 2/ln 2 * artanh((m - 1)/(m + 1)), m in [sqrt 1/2, sqrt 2).
LANE f64 log2_wide(f64 x) {
  const u64 bits = as_u64(x);
  const u64 biased = (bits - 0x3fe6a09e667f3bcdu + (u64{1024} << 52)) >> 52;
  const f64 e = as_f64(0x4330000000000000u | biased) - 0x1.0000000000400p52;
  const f64 m = as_f64(bits - ((biased - 1024) << 52));
  const f64 s = (m - 1) / (m + 1);
  const f64 z = s * s;
  f64 p = 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  return e + s * p * (2 / 0.69314718055994530942);
}
LANE f32 log2_approx(f32 x) {
  const auto r = static_cast<f32>(log2_wide(x > 0 ? x : 1.0f));
  return x > 0 ? (x < __builtin_inff() ? r : x) : x == 0 ? -__builtin_inff() : as_f32(0x7fffffffu);
}
LANE f32 sin_approx(f32 x) { return canonical(static_cast<f32>(std::sin(static_cast<f64>(x)))); }
LANE f32 cos_approx(f32 x) { return canonical(static_cast<f32>(std::cos(static_cast<f64>(x)))); }
/// tanh x = 1 - 2/(e^2x + 1), by its series where that would cancel.
LANE f64 tanh_wide(f64 x) {
  const f64 big = 1 - 2 / (exp2_wide(x * (2 / 0.69314718055994530942)) + 1);
  const f64 z = x * x;
  const f64 small = x * (1 + z * (-1.0 / 3 + z * (2.0 / 15 - z * (17.0 / 315))));
  return z < 0x1p-8 ? small : x == x ? big : x;
}
LANE f32 tanh_approx(f32 x) { return canonical(static_cast<f32>(tanh_wide(x))); }
/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give only the upper 32 bits.
LANE f64 upper_half(f64 x) { return as_f64(as_u64(x) & 0xffffffff00000000u); }
LANE f64 flush(f64 x) { return (as_u64(x) << 1) < 0x0020000000000000u ? as_f64(as_u64(x) & 0x8000000000000000u) : x; }
LANE f64 rcp_approx64(f64 a) { return upper_half(flush(1.0 / upper_half(flush(a)))); }
LANE f64 rsqrt_approx64(f64 a) { return upper_half(1.0 / root(upper_half(flush(a)))); }

// f16 and bf16.
LANE f32 from_b16f(u16 h) { return canonical(as_f32(static_cast<u32>(h) << 16)); }
LANE f64 from_b16(u16 h) { return from_b16f(h); }
LANE f32 from_h16f(u16 h) {
  const u32 magnitude = (h & 0x7fffu) << 13;
  const f32 finite = as_f32(magnitude) * 0x1p112f;
  const bool special = (h & 0x7c00u) == 0x7c00u;
  const u32 bits = special ? magnitude | 0x7f800000u : as_u32(finite);
  return canonical(as_f32(bits | ((h & 0x8000u) << 16)));
}
LANE f64 from_h16(u16 h) { return from_h16f(h); }
/// Round half to even.
LANE u16 to_b16f(f32 x) {
  const u32 bits = as_u32(x);
  const u32 rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  return static_cast<u16>(x == x ? rounded : 0x7fffu);
}
LANE u16 to_h16f(f32 x) {
  const u32 bits = as_u32(x), sign = (bits >> 16) & 0x8000u, m = bits & 0x7fffffffu;
  // Below 2^-14: adding 0.5 leaves the multiple of 2^-24 in the low bits, rounded by the addition itself.
  const u32 subnormal = as_u32(as_f32(m) + 0.5f) - 0x3f000000u;
  const u32 normal = (m + 0xfffu + ((m >> 13) & 1) - (112u << 23)) >> 13;
  const u32 finite = m < 0x38800000u ? subnormal : normal;
  const u32 r = m >= 0x477ff000u ? 0x7c00u : finite;
  return static_cast<u16>(x == x ? r | sign : 0x7fffu);
}
/// f64 to f32 rounded to odd: one further rounding to fewer digits is then as if from the f64.
LANE f32 to_odd(f64 x) {
  const auto f = static_cast<f32>(x);
  const f64 rest = x - static_cast<f64>(f);
  const u32 bits = as_u32(f);
  const bool away = (rest > 0) == (f > 0);
  const bool adjust = (rest < 0 || rest > 0) && (bits & 1) == 0 && f != 0 && (bits & 0x7fffffffu) < 0x7f800000u;
  return as_f32(adjust ? (away ? bits + 1 : bits - 1) : bits);
}
LANE u16 to_h16(f64 x) { return to_h16f(to_odd(x)); }
LANE u16 to_b16(f64 x) { return to_b16f(to_odd(x)); }
/// a * b + c rounded to odd; the product of two f16 or bf16 is exact (error of the sum: Knuth's TwoSum).
LANE f64 fused_odd(f64 a, f64 b, f64 c) {
  const f64 p = a * b, s = p + c, t = s - p;
  const f64 rest = (p - (s - t)) + (c - t);
  const u64 bits = as_u64(s);
  const bool away = (rest > 0) == (s > 0);
  const bool adjust = (rest < 0 || rest > 0) && (bits & 1) == 0 && s != 0;
  return as_f64(adjust ? (away ? bits + 1 : bits - 1) : bits);
}
LANE u16 fma_h16(u16 a, u16 b, u16 c) { return to_h16(fused_odd(from_h16(a), from_h16(b), from_h16(c))); }
LANE u16 fma_b16(u16 a, u16 b, u16 c) { return to_b16(fused_odd(from_b16(a), from_b16(b), from_b16(c))); }
/// .relu: negative values become +0; NaN is canonical. `infinity`: the bits of +inf.
LANE u16 relu16(u16 x, u16 infinity) {
  const u32 m = x & 0x7fffu;
  return static_cast<u16>(m > infinity ? 0x7fffu : (x & 0x8000u) != 0 ? 0u : x);
}

} // namespace aicf::emulator
