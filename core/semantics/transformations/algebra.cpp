// Laws of arithmetic used on the definition: factors taken out of sums, divisions put off, functions exchanged.
#include "core/semantics/topology.hpp"

#include <cmath>
#include <numeric>

namespace aicf {
namespace {

using Elements = std::vector<double>;

double sum_of(const Elements& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

std::string first_of(const NamesOf& names) { return names.front(); }

Claim reassociated(std::string reason) {
  Claim c = identical_claim(std::move(reason));
  c.needs = Arithmetic::reassociated;
  c.rounding.answer = "reassociated";
  return c;
}

Claim factor_out(const OperatorFacts& facts) {
  if (facts.factored.empty()) return inapplicable_claim("no sum has a factor that stays the same along its axis");
  Claim c = reassociated("in " + first_of(facts.factored) + ": one product a row in place of one an element");
  run_special(c, {[](const Elements& x, double k) {
                    double s = 0;
                    for (double v : x) s += k * v;
                    return s;
                  },
                  [](const Elements& x, double k) { return k * sum_of(x); }});
  return c;
}

Claim delay_division(const OperatorFacts& facts) {
  if (facts.divided.empty())
    return inapplicable_claim("no sum divides its elements by what stays the same along its axis");
  Claim c = reassociated("in " + first_of(facts.divided) +
                         ": one division a row, after the sum, and no sweep that waits for the divisor");
  c.memory.push_back(exact_metric("divisions_per_row", "divisions", 1, "in place of one an element"));
  run_special(c, {[](const Elements& x, double l) {
                    double s = 0;
                    for (double v : x) s += v / l;
                    return s;
                  },
                  [](const Elements& x, double l) { return sum_of(x) / l; }});
  return c;
}

Claim distribute_product(const OperatorFacts& facts) {
  if (facts.factored.empty()) return inapplicable_claim("no sum has a factor that stays the same along its axis");
  Claim c = reassociated("in " + first_of(facts.factored) +
                         ": the factor goes to each element, where a fused multiply-add takes it for nothing");
  run_special(c, {[](const Elements& x, double k) { return k * sum_of(x); },
                  [](const Elements& x, double k) {
                    double s = 0;
                    for (double v : x) s = std::fma(k, v, s);
                    return s;
                  }});
  return c;
}

Claim cancel_log_exp(const OperatorFacts& facts) {
  if (!facts.log_of_exp) return inapplicable_claim("no logarithm is taken of an exponential");
  Claim c = reassociated("log(exp(u)/l) = u - log l: no exponential that may underflow to a logarithm of 0");
  // the first element's log of its share, with a moderate and with a large argument
  auto l = [](const Elements& x) {
    double s = 0;
    for (double v : x) s += std::exp(v / 64);
    return s;
  };
  run_special(c, {[l](const Elements& x, double k) { return x.empty() ? 0 : std::log(std::exp(k * x[0]) / l(x)); },
                  [l](const Elements& x, double k) { return x.empty() ? 0 : k * x[0] - std::log(l(x)); }});
  return c;
}

Claim exp_by_exp2(const OperatorFacts& facts) {
  if (!facts.functions.contains(Op::exp)) return inapplicable_claim("it has no exponential");
  Claim c =
      identical_claim("exp(x) = 2^(x*log2 e): the argument is scaled once, often for nothing in a fused multiply-add");
  c.needs = Arithmetic::approximate;
  // the scaled argument of magnitude up to 128 is off by half an ulp of 128; and 2 ulp of exp2f
  c.rounding = {"approximate", {}, 0x1p-17 * 0.6931471805599453 + 0x1p-22};
  return c;
}

Claim power_by_products(const OperatorFacts& facts) {
  if (!facts.integer_power) return inapplicable_claim("no power has a small whole exponent");
  Claim c = reassociated("x^2 is x*x, the same bits; x^3 and beyond round once a product");
  run_special(c, {[](const Elements& x, double) { return x.empty() ? 1 : std::pow(x[0], 3); },
                  [](const Elements& x, double) { return x.empty() ? 1 : x[0] * x[0] * x[0]; }});
  return c;
}

Claim share_subexpressions(const OperatorFacts& facts) {
  if (facts.shared.empty()) return inapplicable_claim("no operation on elements serves two reductions");
  return identical_claim("what " + first_of(facts.shared) +
                         " computes of an element, another reduction of the same sweep uses too");
}

/// The window of the three last elements, kept by one in and one out.
Claim sliding_window(const OperatorFacts& facts) {
  if (facts.windows.empty()) return inapplicable_claim("no two results share a window of elements");
  for (const Reduction& r : facts.profile->reductions) {
    const Certificate& law = laws_of(*facts.profile, r).of(Law::cancellative);
    if (law.verdict == Certificate::Verdict::proven || law.verdict == Certificate::Verdict::probably) continue;
    Claim c = inapplicable_claim("no element can be taken out of " + r.name + " again: " + law.claim);
    c.value = {law.verdict == Certificate::Verdict::refuted ? "refuted" : "unknown", law.id, {}};
    c.witness = law.witness;
    return c;
  }
  if (!facts.products.empty())
    return inapplicable_claim("elements of " + first_of(facts.products) + " have another weight in each window");
  Claim c = reassociated("one element in and one out a step; what rounding adds stays for all later windows");
  run_special(c, {[](const Elements& x, double) {
                    double s = 0;
                    for (std::size_t i = x.size() < 3 ? 0 : x.size() - 3; i < x.size(); ++i) s += x[i];
                    return s;
                  },
                  [](const Elements& x, double) {
                    double s = 0;
                    for (std::size_t i = 0; i < x.size(); ++i) {
                      s += x[i];
                      if (i >= 3) s -= x[i - 3];
                    }
                    return s;
                  }});
  return c;
}

const RegisterTransformation register_factor{{"factor_out", "reorder", factor_out}};
const RegisterTransformation register_distribute{{"distribute_product", "reorder", distribute_product}};
const RegisterTransformation register_delay{{"delay_division", "rescaling", delay_division}};
const RegisterTransformation register_cancel{{"cancel_log_exp", "reorder", cancel_log_exp}};
const RegisterTransformation register_exp2{{"exp_by_exp2", "bounded_approximation", exp_by_exp2}};
const RegisterTransformation register_power{{"power_by_products", "reorder", power_by_products}};
const RegisterTransformation register_share{{"share_subexpressions", "representation", share_subexpressions}};
const RegisterTransformation register_window{{"sliding_window", "summary_state", sliding_window}};

} // namespace
} // namespace aicf
