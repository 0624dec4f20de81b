// cvt in all directions. Expected: exact values rounded by float_reference.hpp, clamped as the PTX manual says.
#include "core/exec/selftest/case_words.hpp"
#include "core/exec/selftest/float_reference.hpp"

#include <algorithm>

namespace aicf::selftest {
namespace {

using Number = long double;
Number half(W x) { return value_in(half_format, x & 0xffff); }
Number bfloat(W x) { return value_in(bfloat_format, x & 0xffff); }
/// To an integer of [low, high]: clamped; NaN is zero.
std::int64_t whole(Number x, Round mode, Number low, Number high) {
  return std::isnan(x) ? 0 : static_cast<std::int64_t>(std::clamp(rounded(x, mode), low, high));
}
W unsigned_whole(Number x, Round mode, Number high) {
  return std::isnan(x) ? 0 : static_cast<W>(std::clamp<Number>(rounded(x, mode), 0, high));
}
constexpr Number s32_low = -0x1p31L, s32_high = 0x1p31L - 1, s64_low = -0x1p63L, s64_high = 0x1p63L - 1,
                 u32_high = 0x1p32L - 1, u64_high = 0x1p64L - 1;
/// An exact number as an f32 or f64, in the mode.
W single(Number x, Round mode) {
  static constexpr Format format{24, -149, 127, 0x7fffffff};
  return bits_in(format, x, mode);
}
W twice(Number x, Round mode) {
  if (std::isnan(x)) return 0x7ff8000000000000;
  const double near = static_cast<double>(x);
  if (mode == Round::even || near == x || std::isinf(x)) return D(near);
  const bool up = mode == Round::up || (mode == Round::zero && x < 0);
  if (up) return D(near < x ? std::nextafter(near, INFINITY) : near);
  return D(near > x ? std::nextafter(near, -INFINITY) : near);
}
Number clean(Number x) { return std::isnan(x) ? 0 : x; }
/// Without the sign of a zero that relu leaves.
Number relu(Number x) { return std::isnan(x) ? x : std::signbit(x) ? 0 : x; }
W fp8_pair(const Format& to, Number high, Number low) {
  return bits_in(to, high, Round::even, true) << 8 | bits_in(to, low, Round::even, true);
}
Number saturated(Number x) { return std::isnan(x) ? 0 : std::clamp<Number>(x, 0, 1) + 0; }
/// A rounding to an integral value keeps the sign of zero.
W integral(float x, Round mode) {
  return std::isnan(x) ? 0x7fffffff : F(std::isinf(x) ? x : std::copysign(static_cast<float>(rounded(x, mode)), x));
}

const InstructionCase table[] = {
    CASE("cvt.u32.u8 %r0, %r1;", integers, a & 0xff),
    CASE("cvt.s32.s8 %r0, %r1;", integers, R(static_cast<std::int8_t>(a))),
    CASE("cvt.s64.s16 %l0, %h1;", integers, static_cast<W>(std::int64_t{sh(a)})),
    CASE("cvt.u64.s32 %l0, %r1;", integers, static_cast<W>(std::int64_t{s(a)})),
    CASE("cvt.s64.s32 %l0, %r1;", integers, static_cast<W>(std::int64_t{s(a)})),
    CASE("cvt.u16.u32 %h0, %r1;", integers, a & 0xffff),
    CASE("cvt.sat.u8.s32 %r0, %r1;", integers, static_cast<W>(std::clamp(s(a), 0, 255))),
    CASE("cvt.sat.s16.s64 %r0, %l1;", words, R(std::clamp<std::int64_t>(l(a), -32768, 32767))),
    CASE("cvt.sat.u32.s64 %r0, %l1;", words, static_cast<W>(std::clamp<std::int64_t>(l(a), 0, 0xffffffff))),
    CASE("cvt.sat.s32.u64 %r0, %l1;", words, std::min<W>(a, 0x7fffffff)),
    CASE("cvt.rn.f32.s32 %r0, %r1;", integers, single(s(a), Round::even)),
    CASE("cvt.rz.f32.u32 %r0, %r1;", integers, single(u(a), Round::zero)),
    CASE("cvt.rp.f32.s64 %r0, %l1;", words, single(l(a), Round::up)),
    CASE("cvt.rn.f32.u64 %r0, %l1;", words, single(static_cast<Number>(a), Round::even)),
    CASE("cvt.rm.f32.s32 %r0, %r1;", integers, single(s(a), Round::down)),
    CASE("cvt.rn.f64.s64 %l0, %l1;", words, twice(l(a), Round::even)),
    CASE("cvt.rz.f64.u64 %l0, %l1;", words, twice(static_cast<Number>(a), Round::zero)),
    CASE("cvt.rn.f64.u32 %l0, %r1;", integers, twice(u(a), Round::even)),
    CASE("cvt.rzi.s32.f32 %r0, %r1;", singles, R(whole(f(a), Round::zero, s32_low, s32_high))),
    CASE("cvt.rni.s32.f32 %r0, %r1;", singles, R(whole(f(a), Round::even, s32_low, s32_high))),
    CASE("cvt.rmi.s32.f32 %r0, %r1;", singles, R(whole(f(a), Round::down, s32_low, s32_high))),
    CASE("cvt.rpi.u32.f32 %r0, %r1;", singles, unsigned_whole(f(a), Round::up, u32_high)),
    CASE("cvt.rzi.u32.f32 %r0, %r1;", singles, unsigned_whole(f(a), Round::zero, u32_high)),
    CASE("cvt.rni.ftz.s32.f32 %r0, %r1;", singles, R(whole(flushed(f(a)), Round::even, s32_low, s32_high))),
    CASE("cvt.rzi.s32.f64 %r0, %l1;", doubles, R(whole(d(a), Round::zero, s32_low, s32_high))),
    CASE("cvt.rni.u32.f64 %r0, %l1;", doubles, unsigned_whole(d(a), Round::even, u32_high)),
    CASE("testp.notanumber.f64 %q1, %l1;\n@%q1 mov.b64 %l1, 0;\ncvt.rzi.s64.f64 %l0, %l1;", doubles,
         static_cast<W>(whole(clean(d(a)), Round::zero, s64_low, s64_high))),
    CASE("testp.notanumber.f64 %q1, %l1;\n@%q1 mov.b64 %l1, 0;\ncvt.rpi.u64.f64 %l0, %l1;", doubles,
         unsigned_whole(clean(d(a)), Round::up, u64_high)),
    CASE("testp.notanumber.f32 %q1, %r1;\n@%q1 mov.b32 %r1, 0;\ncvt.rmi.s64.f32 %l0, %r1;", singles,
         static_cast<W>(whole(clean(f(a)), Round::down, s64_low, s64_high))),
    // NaN: 0, but the highest bit alone where a type has 64 bits.
    CASE("or.b64 %l1, %l1, 0x7ff8000000000000;\ncvt.rzi.s32.f64 %r0, %l1;", words, 0x80000000),
    CASE("or.b64 %l1, %l1, 0x7ff8000000000000;\ncvt.rni.u32.f64 %r0, %l1;", words, 0x80000000),
    CASE("or.b64 %l1, %l1, 0x7ff8000000000000;\ncvt.rzi.u16.f64 %h0, %l1;", words, 0x8000),
    CASE("or.b64 %l1, %l1, 0x7ff8000000000000;\ncvt.rzi.s64.f64 %l0, %l1;", words, W{1} << 63),
    CASE("or.b32 %r1, %r1, 0x7fc00000;\ncvt.rzi.u64.f32 %l0, %r1;", integers, W{1} << 63),
    CASE("or.b32 %r1, %r1, 0x7fc00000;\ncvt.rzi.s32.f32 %r0, %r1;", integers, 0),
    CASE("or.b16 %h1, %h1, 0x7e00;\ncvt.rzi.s64.f16 %l0, %h1;", integers, W{1} << 63),
    CASE("or.b16 %h1, %h1, 0x7e00;\ncvt.rzi.s32.f16 %r0, %h1;", integers, 0),
    // A NaN of 64 bits keeps its sign and the upper digits.
    CASE("or.b64 %l1, %l1, 0x7ff8000000000000;\ncvt.rz.f32.f64 %r0, %l1;", words,
         (a >> 32 & 0x80000000) | 0x7fc00000 | (a >> 29 & 0x3fffff)),
    CASE("or.b64 %l1, %l1, 0x7ff8000000000000;\ncvt.rn.f32.f64 %r0, %l1;", words,
         (a >> 32 & 0x80000000) | 0x7fc00000 | (a >> 29 & 0x3fffff)),
    CASE("or.b64 %l1, %l1, 0x7ff8000000000000;\ncvt.rn.f16.f64 %h0, %l1;", words,
         (a >> 48 & 0x8000) | 0x7e00 | (a >> 42 & 0x1ff)),
    CASE("cvt.rzi.s16.f32 %h0, %r1;", singles, H(whole(f(a), Round::zero, -32768, 32767))),
    CASE("cvt.rzi.u8.f32 %r0, %r1;", singles, unsigned_whole(f(a), Round::zero, 255)),
    CASE("cvt.rni.f32.f32 %r0, %r1;", singles, integral(f(a), Round::even)),
    CASE("cvt.rzi.f32.f32 %r0, %r1;", singles, integral(f(a), Round::zero)),
    CASE("cvt.rmi.f32.f32 %r0, %r1;", singles, integral(f(a), Round::down)),
    CASE("cvt.rpi.f32.f32 %r0, %r1;", singles, integral(f(a), Round::up)),
    CASE("cvt.sat.f32.f32 %r0, %r1;", singles, single(saturated(f(a)), Round::even)),
    CASE("cvt.ftz.f32.f32 %r0, %r1;", singles, F(flushed(f(a)))),
    CASE("cvt.rn.f32.f64 %r0, %l1;", doubles, single(d(a), Round::even)),
    CASE("cvt.rz.f32.f64 %r0, %l1;", doubles, single(d(a), Round::zero)),
    CASE("cvt.rm.ftz.f32.f64 %r0, %l1;", doubles, F(flushed(f(single(d(a), Round::down))))),
    CASE("cvt.f64.f32 %l0, %r1;\ntestp.notanumber.f64 %q1, %l0;\n@%q1 mov.b64 %l0, 0x7ff8000000000000;", singles,
         twice(f(a), Round::even)),
    CASE("cvt.rn.f16.f32 %h0, %r1;", singles, bits_in(half_format, f(a))),
    CASE("cvt.rz.f16.f32 %h0, %r1;", singles, bits_in(half_format, f(a), Round::zero)),
    CASE("cvt.rm.f16.f32 %h0, %r1;", singles, bits_in(half_format, f(a), Round::down)),
    CASE("cvt.rp.f16.f32 %h0, %r1;", singles, bits_in(half_format, f(a), Round::up)),
    CASE("cvt.rn.relu.f16.f32 %h0, %r1;", singles, bits_in(half_format, relu(f(a)))),
    CASE("cvt.rn.sat.f16.f32 %h0, %r1;", singles, bits_in(half_format, saturated(f(a)))),
    CASE("cvt.rn.f16.f64 %h0, %l1;", doubles, bits_in(half_format, d(a))),
    CASE("cvt.f32.f16 %r0, %h1;", halves, single(half(a), Round::even)),
    CASE("cvt.ftz.f32.f16 %r0, %h1;", halves, single(half(a), Round::even)),
    CASE("cvt.f64.f16 %l0, %h1;\ntestp.notanumber.f64 %q1, %l0;\n@%q1 mov.b64 %l0, 0x7ff8000000000000;", halves,
         twice(half(a), Round::even)),
    CASE("cvt.rn.f16.s32 %h0, %r1;", integers, bits_in(half_format, s(a))),
    CASE("cvt.rz.f16.u16 %h0, %h1;", integers, bits_in(half_format, h(a), Round::zero)),
    CASE("cvt.rn.f16.u64 %h0, %l1;", words, bits_in(half_format, static_cast<Number>(a))),
    CASE("cvt.rni.s32.f16 %r0, %h1;", halves, R(whole(half(a), Round::even, s32_low, s32_high))),
    CASE("cvt.rzi.u16.f16 %h0, %h1;", halves, unsigned_whole(half(a), Round::zero, 65535)),
    CASE("cvt.rni.f16.f16 %h0, %h1;", halves,
         std::isnan(half(a))   ? 0x7fff
         : std::isinf(half(a)) ? a
                               : bits_in(half_format, std::copysign(rounded(half(a), Round::even), half(a)))),
    CASE("cvt.rn.bf16.f32 %h0, %r1;", singles, bits_in(bfloat_format, f(a))),
    CASE("cvt.rz.bf16.f32 %h0, %r1;", singles, bits_in(bfloat_format, f(a), Round::zero)),
    CASE("cvt.rn.relu.bf16.f32 %h0, %r1;", singles, bits_in(bfloat_format, relu(f(a)))),
    CASE("cvt.f32.bf16 %r0, %h1;", bfloats, (a & 0xffff) << 16),
    CASE("cvt.rn.bf16.s32 %h0, %r1;", integers, bits_in(bfloat_format, s(a))),
    CASE("cvt.rn.bf16.f16 %h0, %h1;", halves, bits_in(bfloat_format, half(a))),
    CASE("cvt.rn.f16.bf16 %h0, %h1;", bfloats, bits_in(half_format, bfloat(a))),
    CASE("cvt.rzi.s32.bf16 %r0, %h1;", bfloats, R(whole(bfloat(a), Round::zero, s32_low, s32_high))),
    CASE("cvt.rn.f16x2.f32 %r0, %r1, %r2;", singles, bits_in(half_format, f(a)) << 16 | bits_in(half_format, f(b))),
    CASE("cvt.rz.f16x2.f32 %r0, %r1, %r2;", singles,
         bits_in(half_format, f(a), Round::zero) << 16 | bits_in(half_format, f(b), Round::zero)),
    CASE("cvt.rn.bf16x2.f32 %r0, %r1, %r2;", singles,
         bits_in(bfloat_format, f(a)) << 16 | bits_in(bfloat_format, f(b))),
    CASE("cvt.rn.relu.bf16x2.f32 %r0, %r1, %r2;", singles,
         bits_in(bfloat_format, relu(f(a))) << 16 | bits_in(bfloat_format, relu(f(b)))),
    CASE("cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", singles, fp8_pair(e4m3_format, f(a), f(b))),
    CASE("cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2;", singles, fp8_pair(e5m2_format, f(a), f(b))),
    CASE("cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %r1, %r2;", singles, fp8_pair(e4m3_format, relu(f(a)), relu(f(b)))),
    CASE("cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", pairs_of_halves, fp8_pair(e4m3_format, half(a >> 16), half(a))),
    CASE("cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1;", pairs_of_halves, fp8_pair(e5m2_format, half(a >> 16), half(a))),
    CASE("cvt.rn.f16x2.e4m3x2 %r0, %h1;", bytes,
         bits_in(half_format, value_in(e4m3_format, a >> 8 & 0xff)) << 16 |
             bits_in(half_format, value_in(e4m3_format, a & 0xff))),
    CASE("cvt.rn.f16x2.e5m2x2 %r0, %h1;", bytes,
         bits_in(half_format, value_in(e5m2_format, a >> 8 & 0xff)) << 16 |
             bits_in(half_format, value_in(e5m2_format, a & 0xff))),
    CASE("cvt.rn.relu.f16x2.e4m3x2 %r0, %h1;", bytes,
         bits_in(half_format, relu(value_in(e4m3_format, a >> 8 & 0xff))) << 16 |
             bits_in(half_format, relu(value_in(e4m3_format, a & 0xff)))),
    // The low 13 bits of a tf32 are nobody's.
    CASE("cvt.rna.tf32.f32 %r0, %r1;\ntestp.notanumber.f32 %q1, %r1;\n@%q1 mov.b32 %r0, 0;\nand.b32 %r0, %r0, "
         "0xffffe000;",
         singles, std::isnan(f(a)) ? 0 : bits_in(tf32_format, f(a), Round::away) << 13),
    CASE("cvt.rn.tf32.f32 %r0, %r1;\ntestp.notanumber.f32 %q1, %r1;\n@%q1 mov.b32 %r0, 0;\nand.b32 %r0, %r0, "
         "0xffffe000;",
         singles, std::isnan(f(a)) ? 0 : bits_in(tf32_format, f(a)) << 13),
    CASE("cvt.rz.relu.tf32.f32 %r0, %r1;\ntestp.notanumber.f32 %q1, %r1;\n@%q1 mov.b32 %r0, 0;\nand.b32 %r0, %r0, "
         "0xffffe000;",
         singles, std::isnan(f(a)) ? 0 : bits_in(tf32_format, relu(f(a)), Round::zero) << 13),
    CASE("cvt.pack.sat.s16.s32 %r0, %r1, %r2;", integers,
         H(std::clamp(s(b), -32768, 32767)) | H(std::clamp(s(a), -32768, 32767)) << 16),
    CASE("cvt.pack.sat.u16.s32 %r0, %r1, %r2;", integers,
         H(std::clamp(s(b), 0, 65535)) | H(std::clamp(s(a), 0, 65535)) << 16),
    CASE("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", integers,
         static_cast<W>(std::clamp(s(b), 0, 255)) | static_cast<W>(std::clamp(s(a), 0, 255)) << 8 | (c & 0xffff) << 16),
    CASE("cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3;", integers,
         (static_cast<W>(std::clamp(s(b), -128, 127)) & 0xff) |
             (static_cast<W>(std::clamp(s(a), -128, 127)) & 0xff) << 8 | (c & 0xffff) << 16),
};

} // namespace

std::span<const InstructionCase> conversion_cases() { return table; }

} // namespace aicf::selftest
