// What a sum is accumulated in, and what its products are made of. Bounds: N. Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., sections 4.2 and 4.3 (u the unit roundoff of f32, 2^-24).
#include "core/semantics/accumulation.hpp"
#include "core/semantics/topology.hpp"

#include <cmath>

namespace aicf {
namespace {

using Elements = std::vector<double>;

double plain(const Elements& x, double) {
  double s = 0;
  for (double v : x) s += v;
  return s;
}

Claim compensated_sum(const OperatorFacts& facts) {
  if (facts.sums.empty()) return inapplicable_claim("it has no sum");
  Claim c = identical_claim("a sum and what its rounding lost: an error of u of the sum of magnitudes, and of (n*u)^2, "
                            "which is no more for up to 4096 elements in f32");
  c.needs = Arithmetic::reassociated;
  c.rounding = {"reassociated", {}, 0x1p-23};
  run_special(c, {plain, [](const Elements& x, double) {
                    volatile double s = 0, lost = 0; // as it is written: no operation may be exchanged
                    for (double v : x) {
                      const double t = s + v;
                      const double back = t - s;
                      lost = lost + ((s - (t - back)) + (v - back));
                      s = t;
                    }
                    return std::isnan(lost) ? static_cast<double>(s) : s + lost; // an infinite sum has lost no number
                  }});
  derive_order(c, facts, {.shape = "the length of the row alone"});
  return c;
}

Claim wide_accumulator(const OperatorFacts& facts) {
  if (facts.sums.empty()) return inapplicable_claim("it has no sum");
  Claim c =
      identical_claim("f64 accumulators for f32 sums: rounded once at the end, as long as N*2^-53 is below 2^-24");
  c.needs = Arithmetic::reassociated;
  c.rounding = {"reassociated", {}, 0x1p-24};
  c.special.answer = "same (an intermediate overflow may come later)";
  return c;
}

Claim narrow_accumulator(const OperatorFacts& facts) {
  if (facts.sums.empty()) return inapplicable_claim("it has no sum");
  Claim c = identical_claim("f16 accumulators: a sum of ones stops at 2048, so no bound holds for every length");
  c.needs = Arithmetic::approximate;
  c.rounding = {"approximate", {}, 1};
  const Elements x{40000, 40000}; // two f16, and a sum beyond the largest
  const double narrow = round_to(DType::f16, plain(x, 0));
  if (std::isinf(narrow)) {
    c.special.answer = "differs (infinity)";
    c.witness = Witness{{{"x", x}}, std::to_string(plain(x, 0)), "inf"};
  }
  return c;
}

Claim tf32_products(const OperatorFacts& facts) {
  if (facts.products.empty()) return inapplicable_claim("no sum is of products of two tensors");
  Claim c = identical_claim("operands keep 10 bits of fraction: each is off by up to 2^-11, a product by 2^-10");
  c.needs = Arithmetic::approximate;
  c.rounding = {"approximate", {}, 0x1p-10 * 1.001};
  derive_order(c, facts, {.functions = true, .shape = {}});
  return c;
}

Claim split_operands(const OperatorFacts& facts) {
  if (facts.products.empty()) return inapplicable_claim("no sum is of products of two tensors");
  Claim c =
      identical_claim("each f32 operand as two bf16, three products: what is left out is below 2^-14 of a product");
  c.needs = Arithmetic::approximate;
  c.rounding = {"approximate", {}, 0x1p-14};
  run_special(c, {[](const Elements& x, double k) {
                    double s = 0;
                    for (double v : x) s += v * k;
                    return s;
                  },
                  [](const Elements& x, double k) {
                    auto high = [](double v) { return round_to(DType::bf16, v); };
                    double s = 0;
                    for (double v : x) {
                      const double a = high(v), b = high(k), a_low = high(v - a), b_low = high(k - b);
                      s += a * b + (a * b_low + a_low * b);
                    }
                    return s;
                  }});
  derive_order(c, facts, {.functions = true, .shape = {}});
  return c;
}

Claim matrix_instruction(const OperatorFacts& facts) {
  if (facts.products.empty()) return inapplicable_claim("no sum is of products of two tensors");
  Claim c =
      identical_claim("products of 8 or 16 bits are exact; those of one instruction and the accumulator are cut to "
                      "25 bits behind the point of the largest (13 for factors of 8 bits), and their sum is cut");
  c.needs = Arithmetic::approximate;
  const SumBound one = sum_bounds(Summation::tensor_core).front(); // f16 in f32
  c.rounding = {"approximate", {}, one.at(one.parts)};
  c.special.answer = "same (an intermediate overflow may come earlier or later)";
  derive_order(c, facts, {.functions = true, .shape = {}});
  return c;
}

const RegisterSummation bounds_compensated{"compensated_sum", sum_bounds(Summation::compensated)};
const RegisterSummation bounds_wide{"wide_accumulator", {sum_bound(Summation::sequential, DType::f64)}};
const RegisterSummation bounds_narrow{"narrow_accumulator", {sum_bound(Summation::sequential, DType::f16)}};
const RegisterSummation bounds_matrix{"matrix_instruction", sum_bounds(Summation::tensor_core)};
const RegisterTransformation register_matrix{{"matrix_instruction", "bounded_approximation", matrix_instruction}};
const RegisterTransformation register_compensated{{"compensated_sum", "decomposition", compensated_sum}};
const RegisterTransformation register_wide{{"wide_accumulator", "representation", wide_accumulator}};
const RegisterTransformation register_narrow{{"narrow_accumulator", "bounded_approximation", narrow_accumulator}};
const RegisterTransformation register_tf32{{"tf32_products", "bounded_approximation", tf32_products}};
const RegisterTransformation register_operands{{"split_operands", "decomposition", split_operands}};

} // namespace
} // namespace aicf
