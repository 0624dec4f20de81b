// f16, bf16 and pairs of them. Expected: the exact result in long double, rounded once.
#include "core/exec/selftest/case_words.hpp"
#include "core/exec/selftest/float_reference.hpp"

#include <algorithm>

namespace aicf::selftest {
namespace {

using Number = long double;
template <const Format& T> Number v(W bits) { return value_in(T, bits & 0xffff); }
template <const Format& T> W bits(Number x) { return bits_in(T, x); }
template <const Format& T> W pairwise(W (*one)(W, W, W), W a, W b, W c) {
  return one(a & 0xffff, b & 0xffff, c & 0xffff) | one(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16;
}
template <const Format& T> W flush(W x) {
  const W exponent = T.digits == 11 ? 0x7c00 : 0x7f80;
  return (x & exponent) == 0 ? x & 0x8000 : x & 0xffff;
}
template <const Format& T> W add(W a, W b, W) { return bits<T>(v<T>(a) + v<T>(b)); }
template <const Format& T> W sub(W a, W b, W) { return bits<T>(v<T>(a) - v<T>(b)); }
template <const Format& T> W mul(W a, W b, W) { return bits<T>(v<T>(a) * v<T>(b)); }
/// Knuth's two-sum says what the sum in 64 digits lost; it can only decide a tie.
template <const Format& T> W fma(W a, W b, W c) {
  const Number p = v<T>(a) * v<T>(b), z = v<T>(c), r = p + z, t = r - p, lost = (p - (r - t)) + (z - t);
  if (!std::isfinite(r) || lost == 0) return bits<T>(r);
  return bits<T>(std::nextafter(r, lost > 0 ? Number{INFINITY} : -Number{INFINITY}));
}
template <const Format& T> W relu(W x) { return std::isnan(v<T>(x)) ? T.nan : (x & 0x8000) != 0 ? 0 : x; }
template <const Format& T> W sat(W x) {
  const Number n = v<T>(x);
  return std::isnan(n) ? 0 : bits<T>(std::clamp<Number>(n, 0, 1) + 0);
}
template <const Format& T> W least(W a, W b, W) {
  const Number x = v<T>(a), y = v<T>(b);
  if (std::isnan(x) && std::isnan(y)) return T.nan;
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  return x == y ? (std::signbit(x) ? a : b) : x < y ? a : b;
}
template <const Format& T> W greatest(W a, W b, W c) {
  const W r = least<T>(a ^ 0x8000, b ^ 0x8000, c);
  return r == T.nan ? r : r ^ 0x8000;
}
template <const Format& T> W greatest_nan(W a, W b, W c) {
  return std::isnan(v<T>(a)) || std::isnan(v<T>(b)) ? T.nan : greatest<T>(a, b, c);
}
template <const Format& T> W least_nan(W a, W b, W c) {
  return std::isnan(v<T>(a)) || std::isnan(v<T>(b)) ? T.nan : least<T>(a, b, c);
}

const InstructionCase table[] = {
    CASE("add.rn.f16 %h0, %h1, %h2;", halves, add<half_format>(a, b, c)),
    CASE("add.ftz.f16 %h0, %h1, %h2;", halves,
         flush<half_format>(add<half_format>(flush<half_format>(a), flush<half_format>(b), c))),
    CASE("add.sat.f16 %h0, %h1, %h2;", halves, sat<half_format>(add<half_format>(a, b, c))),
    CASE("sub.rn.f16 %h0, %h1, %h2;", halves, sub<half_format>(a, b, c)),
    CASE("mul.rn.f16 %h0, %h1, %h2;", halves, mul<half_format>(a, b, c)),
    CASE("mul.ftz.sat.f16 %h0, %h1, %h2;", halves,
         sat<half_format>(flush<half_format>(mul<half_format>(flush<half_format>(a), flush<half_format>(b), c)))),
    CASE("fma.rn.f16 %h0, %h1, %h2, %h3;", halves, fma<half_format>(a, b, c)),
    CASE("fma.rn.relu.f16 %h0, %h1, %h2, %h3;", halves, relu<half_format>(fma<half_format>(a, b, c))),
    CASE("fma.rn.sat.f16 %h0, %h1, %h2, %h3;", halves, sat<half_format>(fma<half_format>(a, b, c))),
    CASE("fma.rn.ftz.f16 %h0, %h1, %h2, %h3;", halves,
         flush<half_format>(fma<half_format>(flush<half_format>(a), flush<half_format>(b), flush<half_format>(c)))),
    CASE("min.f16 %h0, %h1, %h2;", halves, least<half_format>(a, b, c)),
    CASE("max.f16 %h0, %h1, %h2;", halves, greatest<half_format>(a, b, c)),
    CASE("min.NaN.f16 %h0, %h1, %h2;", halves, least_nan<half_format>(a, b, c)),
    CASE("max.ftz.NaN.f16 %h0, %h1, %h2;", halves,
         greatest_nan<half_format>(flush<half_format>(a), flush<half_format>(b), c)),
    CASE("abs.f16 %h0, %h1;", halves, bits<half_format>(std::abs(v<half_format>(a)))),
    CASE("neg.f16 %h0, %h1;", halves, bits<half_format>(-v<half_format>(a))),
    CASE("add.rn.f16x2 %r0, %r1, %r2;", pairs_of_halves, pairwise<half_format>(add<half_format>, a, b, c)),
    CASE("mul.rn.f16x2 %r0, %r1, %r2;", pairs_of_halves, pairwise<half_format>(mul<half_format>, a, b, c)),
    CASE("fma.rn.f16x2 %r0, %r1, %r2, %r3;", pairs_of_halves, pairwise<half_format>(fma<half_format>, a, b, c)),
    CASE("fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;", pairs_of_halves,
         relu<half_format>(fma<half_format>(a, b, c)) | relu<half_format>(fma<half_format>(a >> 16, b >> 16, c >> 16))
                                                            << 16),
    CASE("max.f16x2 %r0, %r1, %r2;", pairs_of_halves, pairwise<half_format>(greatest<half_format>, a, b, c)),
    CASE("add.rn.bf16 %h0, %h1, %h2;", bfloats, add<bfloat_format>(a, b, c)),
    CASE("sub.rn.bf16 %h0, %h1, %h2;", bfloats, sub<bfloat_format>(a, b, c)),
    CASE("mul.rn.bf16 %h0, %h1, %h2;", bfloats, mul<bfloat_format>(a, b, c)),
    CASE("fma.rn.bf16 %h0, %h1, %h2, %h3;", bfloats, fma<bfloat_format>(a, b, c)),
    CASE("fma.rn.relu.bf16 %h0, %h1, %h2, %h3;", bfloats, relu<bfloat_format>(fma<bfloat_format>(a, b, c))),
    CASE("min.bf16 %h0, %h1, %h2;", bfloats, least<bfloat_format>(a, b, c)),
    CASE("max.NaN.bf16 %h0, %h1, %h2;", bfloats, greatest_nan<bfloat_format>(a, b, c)),
    CASE("add.rn.bf16x2 %r0, %r1, %r2;", pairs_of_bfloats, pairwise<bfloat_format>(add<bfloat_format>, a, b, c)),
    CASE("mul.rn.bf16x2 %r0, %r1, %r2;", pairs_of_bfloats, pairwise<bfloat_format>(mul<bfloat_format>, a, b, c)),
    CASE("fma.rn.bf16x2 %r0, %r1, %r2, %r3;", pairs_of_bfloats, pairwise<bfloat_format>(fma<bfloat_format>, a, b, c)),
    CASE("max.bf16x2 %r0, %r1, %r2;", pairs_of_bfloats, pairwise<bfloat_format>(greatest<bfloat_format>, a, b, c)),
    CASE("abs.bf16 %h0, %h1;", bfloats, bits<bfloat_format>(std::abs(v<bfloat_format>(a)))),
    CASE("neg.bf16x2 %r0, %r1;", pairs_of_bfloats,
         bits<bfloat_format>(-v<bfloat_format>(a)) | bits<bfloat_format>(-v<bfloat_format>(a >> 16)) << 16),
    CASE("abs.f16x2 %r0, %r1;", pairs_of_halves,
         bits<half_format>(std::abs(v<half_format>(a))) | bits<half_format>(std::abs(v<half_format>(a >> 16))) << 16),
    CASE("setp.lt.f16 %q1, %h1, %h2;\nselp.u32 %r0, 1, 0, %q1;", halves, v<half_format>(a) < v<half_format>(b) ? 1 : 0),
    CASE("setp.neu.bf16 %q1, %h1, %h2;\nselp.u32 %r0, 1, 0, %q1;", bfloats,
         v<bfloat_format>(a) != v<bfloat_format>(b) ? 1 : 0),
    CASE("setp.ge.f16x2 %q1|%q2, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;\n@%q2 or.b32 %r0, %r0, 2;", pairs_of_halves,
         (v<half_format>(a) >= v<half_format>(b) ? 1 : 0) |
             (v<half_format>(a >> 16) >= v<half_format>(b >> 16) ? 2 : 0)),
    CASE("setp.eq.ftz.f16 %q1, %h1, %h2;\nselp.u32 %r0, 1, 0, %q1;", halves,
         v<half_format>(flush<half_format>(a)) == v<half_format>(flush<half_format>(b)) ? 1 : 0),
    CASE("set.gt.f16x2.f16x2 %r0, %r1, %r2;", pairs_of_halves,
         (v<half_format>(a) > v<half_format>(b) ? 0x3c00 : 0) |
             (v<half_format>(a >> 16) > v<half_format>(b >> 16) ? 0x3c000000 : 0)),
};

} // namespace

std::span<const InstructionCase> half_cases() { return table; }

} // namespace aicf::selftest
