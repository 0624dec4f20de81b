// What single operations become on the device. Error bounds: CUDA C++ Programming Guide, appendix "Mathematical
// Functions" (library functions, in ulp), and the PTX ISA's text of ex2.approx, lg2.approx, rcp.approx and div.approx.
#include "core/semantics/accumulation.hpp"
#include "core/semantics/topology.hpp"

#include <algorithm>

namespace aicf {
namespace {

constexpr double ulp = 0x1p-23; // of an f32 result, relative

bool any_of(const std::set<Op>& functions, std::initializer_list<Op> wanted) {
  for (Op op : wanted)
    if (functions.contains(op)) return true;
  return false;
}

Claim fma_contraction(const OperatorFacts& facts) {
  if (!any_of(facts.functions, {Op::mul, Op::pow, Op::exp})) return inapplicable_claim("no product meets a sum");
  Claim c = identical_claim("a*b + c with one rounding in place of two");
  c.needs = Arithmetic::reassociated;
  c.rounding.answer = "reassociated";
  return c;
}

Claim f32_accumulate(const OperatorFacts& facts) {
  if (facts.profile->reductions.empty()) return inapplicable_claim("there is nothing to accumulate");
  return identical_claim("the baseline's own accumulators: f32 for f32 and 16-bit types, f64 for f64");
}

Claim device_math(const OperatorFacts& facts) {
  if (std::none_of(facts.functions.begin(), facts.functions.end(), is_transcendental))
    return inapplicable_claim("it names no transcendental function");
  Claim c = identical_claim("named functions by the toolkit's library: at most 2 ulp, the same code on every device");
  c.needs = Arithmetic::reassociated;
  c.rounding = {"approximate", {}, 2 * ulp};
  return c;
}

Claim reciprocal_hoist(const OperatorFacts& facts) {
  if (!facts.row_divisor) return inapplicable_claim("no divisor is shared by a row");
  Claim c = identical_claim("one reciprocal a row, then products: two roundings in place of one");
  c.needs = Arithmetic::reassociated;
  c.rounding = {"reassociated", {}, 1.5 * ulp};
  return c;
}

/// A hardware approximation whose bits differ between architectures.
Claim approximation(const OperatorFacts& facts, std::string reason, double bound) {
  Claim c = identical_claim(std::move(reason));
  c.needs = Arithmetic::approximate;
  c.rounding = {"approximate", {}, bound};
  derive_order(c, facts, {.functions = true, .shape = {}});
  return c;
}

Claim fast_exp(const OperatorFacts& facts) {
  if (!any_of(facts.functions, {Op::exp, Op::exp2, Op::sigmoid, Op::tanh}))
    return inapplicable_claim("it has no exponential");
  // ex2.approx: 2 ulp; the scaled argument x*log2(e) of magnitude up to 128 is off by half an ulp of 128, so exp by
  // 2^-17*ln 2.
  return approximation(
      facts, "exp(x) as ex2.approx.ftz(x*log2 e); the argument's rounding grows with |x|, results below 2^-126 are 0",
      2 * ulp + 0x1p-17 * 0.6931471805599453);
}

Claim fast_log(const OperatorFacts& facts) {
  if (!any_of(facts.functions, {Op::log, Op::log2, Op::log1p})) return inapplicable_claim("it has no logarithm");
  return approximation(
      facts, "log(x) as lg2.approx(x)*ln 2: absolute error 2^-22 for x in [0.5, 2], relative 2 ulp elsewhere", 0x1p-21);
}

Claim fast_erf(const OperatorFacts& facts) {
  if (!facts.functions.contains(Op::erf)) return inapplicable_claim("it has no error function");
  return approximation(facts, "erf(x) as 1 - 2^-p(|x|), p of degree 8 fitted with weight erfc: absolute error 2^-22",
                       0x1p-21);
}

Claim fast_tanh(const OperatorFacts& facts) {
  if (!facts.functions.contains(Op::tanh)) return inapplicable_claim("it has no hyperbolic tangent");
  return approximation(facts, "tanh(x) as 1 - 2/(1 + e^2x) by ex2.approx and rcp.approx: absolute error 2^-20",
                       0x1p-20);
}

Claim fast_divide(const OperatorFacts& facts) {
  if (!facts.functions.contains(Op::div)) return inapplicable_claim("it has no division");
  return approximation(
      facts, "a/b as a*rcp.approx(b): 1 ulp of the reciprocal and one rounding; subnormal divisors flush", 2 * ulp);
}

Claim fast_root(const OperatorFacts& facts) {
  if (!any_of(facts.functions, {Op::sqrt, Op::rsqrt})) return inapplicable_claim("it has no root");
  return approximation(facts, "sqrt(x) by sqrt.approx, 1/sqrt(x) by rsqrt.approx: relative error up to 2^-22.9",
                       0x1p-22);
}

const RegisterSummation bounds_f32{
    "f32_accumulate", {sum_bound(Summation::sequential, DType::f32), sum_bound(Summation::sequential, DType::f64)}};
const RegisterTransformation register_root{{"fast_root", "bounded_approximation", fast_root}};
const RegisterTransformation register_fma{{"fma_contraction", "reorder", fma_contraction}};
const RegisterTransformation register_f32{{"f32_accumulate", "representation", f32_accumulate}};
const RegisterTransformation register_math{{"device_math", "bounded_approximation", device_math}};
const RegisterTransformation register_reciprocal{{"reciprocal_hoist", "reorder", reciprocal_hoist}};
const RegisterTransformation register_exp{{"fast_exp", "bounded_approximation", fast_exp}};
const RegisterTransformation register_log{{"fast_log", "bounded_approximation", fast_log}};
const RegisterTransformation register_erf{{"fast_erf", "bounded_approximation", fast_erf}};
const RegisterTransformation register_tanh{{"fast_tanh", "bounded_approximation", fast_tanh}};
const RegisterTransformation register_divide{{"fast_divide", "bounded_approximation", fast_divide}};

} // namespace
} // namespace aicf
