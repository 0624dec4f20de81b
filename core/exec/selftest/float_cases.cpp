// f32 and f64. Expected: IEEE arithmetic of the host, with PTX's NaN, flushing and saturation; approximate functions
// within the largest error that the PTX manual states.
#include "core/exec/selftest/case_words.hpp"
#include "core/exec/selftest/float_reference.hpp"

#include <algorithm>

namespace aicf::selftest {
namespace {

template <class T> T sum(T x, T y, T) { return x + y; }
template <class T> T difference(T x, T y, T) { return x - y; }
template <class T> T product(T x, T y, T) { return x * y; }
template <class T> T fused(T x, T y, T z) { return std::fma(x, y, z); }
template <class T> T quotient(T x, T y, T) { return x / y; }
template <class T> T root(T x, T, T) { return std::sqrt(x); }
template <class T> T inverse(T x, T, T) { return T{1} / x; }
using Work = float (*)(float, float, float);
using Work64 = double (*)(double, double, double);

W single(Round mode, Work work, W a, W b, W c, bool ftz = false) {
  const auto in = [&](W x) { return ftz ? flushed(f(x)) : f(x); };
  const float r = directed<float>(mode, work, in(a), in(b), in(c));
  return F(ftz ? flushed(r) : r);
}
/// f64 results that are not numbers are compared as such: their bits are the operands' business.
W number(double r) { return std::isnan(r) ? 0x7ff8000000000000 : D(r); }
W whole(Round mode, Work64 work, W a, W b, W c) { return number(directed<double>(mode, work, d(a), d(b), d(c))); }
W saturated(float x) { return F(std::isnan(x) ? 0 : std::clamp(x, 0.0F, 1.0F) + 0.0F); }
float least(float x, float y) { // -0 below +0, a number before NaN
  if (std::isnan(x)) return y;
  if (std::isnan(y)) return x;
  return x == y ? (std::signbit(x) ? x : y) : std::min(x, y);
}
float greatest(float x, float y) { return -least(-x, -y); }
bool unordered(W a, W b) { return std::isnan(f(a)) || std::isnan(f(b)); }
constexpr W bad = 0x7fffffff;
W signed_by_both(float m, W a, W b) {
  return std::isnan(m) ? bad : F(std::copysign(m, ((a ^ b) & 0x80000000) != 0 ? -1.0F : 1.0F));
}

/// f64 not a number becomes the one that `number` gives.
#define CANONICAL "testp.notanumber.f64 %q3, %l0;\n@%q3 mov.b64 %l0, 0x7ff8000000000000;"
const InstructionCase table[] = {
    CASE("add.rn.f32 %r0, %r1, %r2;", singles, single(Round::even, sum, a, b, c)),
    CASE("add.rz.f32 %r0, %r1, %r2;", singles, single(Round::zero, sum, a, b, c)),
    CASE("add.rm.f32 %r0, %r1, %r2;", singles, single(Round::down, sum, a, b, c)),
    CASE("add.rp.f32 %r0, %r1, %r2;", singles, single(Round::up, sum, a, b, c)),
    CASE("add.ftz.f32 %r0, %r1, %r2;", singles, single(Round::even, sum, a, b, c, true)),
    CASE("add.sat.f32 %r0, %r1, %r2;", singles, saturated(f(a) + f(b))),
    CASE("sub.rn.f32 %r0, %r1, %r2;", singles, single(Round::even, difference, a, b, c)),
    CASE("sub.rm.ftz.f32 %r0, %r1, %r2;", singles, single(Round::down, difference, a, b, c, true)),
    CASE("mul.rn.f32 %r0, %r1, %r2;", singles, single(Round::even, product, a, b, c)),
    CASE("mul.rz.f32 %r0, %r1, %r2;", singles, single(Round::zero, product, a, b, c)),
    CASE("mul.rp.f32 %r0, %r1, %r2;", singles, single(Round::up, product, a, b, c)),
    CASE("mul.ftz.f32 %r0, %r1, %r2;", singles, single(Round::even, product, a, b, c, true)),
    CASE("mul.sat.f32 %r0, %r1, %r2;", singles, saturated(f(a) * f(b))),
    CASE("fma.rn.f32 %r0, %r1, %r2, %r3;", singles, single(Round::even, fused, a, b, c)),
    CASE("fma.rz.f32 %r0, %r1, %r2, %r3;", singles, single(Round::zero, fused, a, b, c)),
    CASE("fma.rm.f32 %r0, %r1, %r2, %r3;", singles, single(Round::down, fused, a, b, c)),
    CASE("fma.rp.f32 %r0, %r1, %r2, %r3;", singles, single(Round::up, fused, a, b, c)),
    CASE("fma.rn.ftz.sat.f32 %r0, %r1, %r2, %r3;", singles, saturated(f(single(Round::even, fused, a, b, c, true)))),
    CASE("div.rn.f32 %r0, %r1, %r2;", singles, single(Round::even, quotient, a, b, c)),
    CASE("div.rz.f32 %r0, %r1, %r2;", singles, single(Round::zero, quotient, a, b, c)),
    CASE("div.rp.ftz.f32 %r0, %r1, %r2;", singles, single(Round::up, quotient, a, b, c, true)),
    CASE("rcp.rn.f32 %r0, %r1;", singles, single(Round::even, inverse, a, b, c)),
    CASE("rcp.rm.f32 %r0, %r1;", singles, single(Round::down, inverse, a, b, c)),
    CASE("sqrt.rn.f32 %r0, %r1;", singles, single(Round::even, root, a, b, c)),
    CASE("sqrt.rz.f32 %r0, %r1;", singles, single(Round::zero, root, a, b, c)),
    CASE("sqrt.rn.ftz.f32 %r0, %r1;", singles, single(Round::even, root, a, b, c, true)),
    CASE("min.f32 %r0, %r1, %r2;", singles, F(least(f(a), f(b)))),
    CASE("max.f32 %r0, %r1, %r2;", singles, F(greatest(f(a), f(b)))),
    CASE("min.NaN.f32 %r0, %r1, %r2;", singles, unordered(a, b) ? bad : F(least(f(a), f(b)))),
    CASE("max.NaN.ftz.f32 %r0, %r1, %r2;", singles, unordered(a, b) ? bad : F(greatest(flushed(f(a)), flushed(f(b))))),
    CASE("min.xorsign.abs.f32 %r0, %r1, %r2;", singles, signed_by_both(least(std::abs(f(a)), std::abs(f(b))), a, b)),
    CASE("max.NaN.xorsign.abs.f32 %r0, %r1, %r2;", singles,
         unordered(a, b) ? bad : signed_by_both(greatest(std::abs(f(a)), std::abs(f(b))), a, b)),
    CASE("abs.ftz.f32 %r0, %r1;", singles, F(flushed(std::abs(f(a))))),
    CASE("abs.f32 %r0, %r1;", singles, F(std::abs(f(a)))),
    CASE("neg.ftz.f32 %r0, %r1;", singles, F(flushed(-f(a)))),
    CASE("neg.f32 %r0, %r1;", singles, F(-f(a))),
    CASE("copysign.f32 %r0, %r1, %r2;", singles, (a & 0x80000000) | (b & 0x7fffffff)),
    CASE("setp.lt.f32 %q1, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;", singles, f(a) < f(b) ? 1 : 0),
    CASE("setp.geu.f32 %q1, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;", singles, !(f(a) < f(b)) ? 1 : 0),
    CASE("setp.ne.f32 %q1, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;", singles, !unordered(a, b) && f(a) != f(b) ? 1 : 0),
    CASE("setp.neu.f32 %q1, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;", singles, f(a) != f(b) ? 1 : 0),
    CASE("setp.num.f32 %q1, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;", singles, unordered(a, b) ? 0 : 1),
    CASE("setp.equ.ftz.f32 %q1, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;", singles,
         unordered(a, b) || flushed(f(a)) == flushed(f(b)) ? 1 : 0),
    CASE("set.le.u32.f32 %r0, %r1, %r2;", singles, f(a) <= f(b) ? 0xffffffff : 0),
    CASE("testp.normal.f32 %q1, %r1;\nselp.u32 %r0, 1, 0, %q1;", singles,
         std::isnormal(f(a)) || f(a) == 0 ? 1 : 0), // zeros are called normal
    CASE("testp.subnormal.f32 %q1, %r1;\nselp.u32 %r0, 1, 0, %q1;", singles,
         std::fpclassify(f(a)) == FP_SUBNORMAL ? 1 : 0),
    CASE("testp.finite.f64 %q1, %l1;\nselp.u64 %l0, 1, 0, %q1;", doubles, std::isfinite(d(a)) ? 1 : 0),
    CASE("slct.b32.f32 %r0, %r1, %r2, %r3;", singles, f(c) >= 0 ? u(a) : u(b)),
    CASE("add.rn.f64 %l0, %l1, %l2;\n" CANONICAL, doubles, whole(Round::even, sum, a, b, c)),
    CASE("add.rz.f64 %l0, %l1, %l2;\n" CANONICAL, doubles, whole(Round::zero, sum, a, b, c)),
    CASE("sub.rm.f64 %l0, %l1, %l2;\n" CANONICAL, doubles, whole(Round::down, difference, a, b, c)),
    CASE("mul.rn.f64 %l0, %l1, %l2;\n" CANONICAL, doubles, whole(Round::even, product, a, b, c)),
    CASE("mul.rp.f64 %l0, %l1, %l2;\n" CANONICAL, doubles, whole(Round::up, product, a, b, c)),
    CASE("fma.rn.f64 %l0, %l1, %l2, %l3;\n" CANONICAL, doubles, whole(Round::even, fused, a, b, c)),
    CASE("fma.rz.f64 %l0, %l1, %l2, %l3;\n" CANONICAL, doubles, whole(Round::zero, fused, a, b, c)),
    CASE("div.rn.f64 %l0, %l1, %l2;\n" CANONICAL, doubles, whole(Round::even, quotient, a, b, c)),
    CASE("div.rm.f64 %l0, %l1, %l2;\n" CANONICAL, doubles, whole(Round::down, quotient, a, b, c)),
    CASE("rcp.rn.f64 %l0, %l1;\n" CANONICAL, doubles, whole(Round::even, inverse, a, b, c)),
    CASE("sqrt.rn.f64 %l0, %l1;\n" CANONICAL, doubles, whole(Round::even, root, a, b, c)),
    CASE("sqrt.rp.f64 %l0, %l1;\n" CANONICAL, doubles, whole(Round::up, root, a, b, c)),
    CASE("min.f64 %l0, %l1, %l2;\n" CANONICAL, doubles,
         number(std::isnan(d(a))   ? d(b)
                : std::isnan(d(b)) ? d(a)
                : d(a) == d(b)     ? (std::signbit(d(a)) ? d(a) : d(b))
                                   : std::min(d(a), d(b)))),
    CASE("abs.f64 %l0, %l1;", doubles, a & 0x7fffffffffffffff),
    CASE("neg.f64 %l0, %l1;", doubles, a ^ 0x8000000000000000),
    CASE("setp.ltu.f64 %q1, %l1, %l2;\nselp.u64 %l0, 1, 0, %q1;", doubles, !(d(a) >= d(b)) ? 1 : 0),
    // PTX ISA: div.full 2 ulp; div.approx 2 ulp for 2^-126 <= |b| <= 2^126; rcp.approx, sqrt.approx 1 and about 1 ulp;
    // rsqrt.approx 2^-22.9; ex2.approx 2^-22.5 + 2^-23 |x| below 2^-1022 aside; lg2.approx 2^-22 absolute near 1; sin,
    // cos 2^-20.5 in [-pi, pi]; tanh 2^-11.
    APPROXIMATE(
        "div.full.f32 %r0, %r1, %r2;\nabs.f32 %r4, %r2;\nsetp.gt.f32 %q1, %r4, 0f7E800000;\n@%q1 mov.b32 %r0, 0;",
        singles, 0x1p-21, 0x1p-148, std::abs(f(b)) > 0x1p126F ? 0 : F(f(a) / f(b))),
    APPROXIMATE("rcp.approx.ftz.f32 %r0, %r1;", singles, 0x1p-22, 0, F(flushed(1 / flushed(f(a))))),
    APPROXIMATE("sqrt.approx.ftz.f32 %r0, %r1;", singles, 0x1p-21, 0, F(std::sqrt(flushed(f(a))))),
    APPROXIMATE("rsqrt.approx.ftz.f32 %r0, %r1;", singles, 0x1p-22, 0,
                F(static_cast<float>(1 / std::sqrt(static_cast<double>(flushed(f(a))))))),
    APPROXIMATE("and.b32 %r1, %r1, 0xbfffffff;\nex2.approx.ftz.f32 %r0, %r1;", singles, 0x1p-21, 0,
                F(static_cast<float>(std::exp2(static_cast<double>(flushed(f(a & 0xbfffffff))))))),
    APPROXIMATE("and.b32 %r1, %r1, 0x7fffffff;\nlg2.approx.ftz.f32 %r0, %r1;", singles, 0x1p-21, 0x1p-20,
                F(static_cast<float>(std::log2(static_cast<double>(flushed(f(a & 0x7fffffff))))))),
    APPROXIMATE("and.b32 %r1, %r1, 0xbfffffff;\nsin.approx.ftz.f32 %r0, %r1;", singles, 0, 0x1p-20,
                F(static_cast<float>(std::sin(static_cast<double>(flushed(f(a & 0xbfffffff))))))),
    APPROXIMATE("and.b32 %r1, %r1, 0xbfffffff;\ncos.approx.ftz.f32 %r0, %r1;", singles, 0, 0x1p-20,
                F(static_cast<float>(std::cos(static_cast<double>(flushed(f(a & 0xbfffffff))))))),
    APPROXIMATE("tanh.approx.f32 %r0, %r1;", singles, 0x1p-10, 0x1p-120,
                F(static_cast<float>(std::tanh(static_cast<double>(f(a)))))),
};

} // namespace

std::span<const InstructionCase> float_cases() { return table; }

} // namespace aicf::selftest
