#include "core/semantics/accumulation.hpp"

#include "core/base/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace aicf {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double log2_up(double n) { return n <= 1 ? 0 : std::ceil(std::log2(n)); }

/// Additions on a path from a term to the sum, at most.
double height(const SumBound& b, double n) {
  if (b.how == Summation::pairwise) return log2_up(n);
  const double parts = std::min<double>(b.parts, n);
  return std::ceil(n / parts) - 1 + log2_up(parts);
}

std::map<std::string, std::vector<SumBound>>& registry() {
  static std::map<std::string, std::vector<SumBound>> all;
  return all;
}

std::string power_of_two(double u) { return "2^" + std::to_string(std::ilogb(u)); }

} // namespace

double gamma_of(double n, double u) { return n * u < 1 ? n * u / (1 - n * u) : infinite; }

double compensation_error(double height, double u) {
  const double g = gamma_of(height, u);
  return g < 1 ? 2 * g * g / (1 - g) : infinite;
}

std::string_view name_of(Summation how) {
  switch (how) {
  case Summation::sequential: return "sequential";
  case Summation::pairwise: return "pairwise";
  case Summation::blocked: return "blocked";
  case Summation::compensated: return "compensated";
  case Summation::tensor_core: return "tensor core";
  }
  throw std::logic_error("not a way to sum");
}

double SumBound::at(double n) const {
  const double u = unit_roundoff(type);
  if (how == Summation::tensor_core) {
    // of each of n/parts instructions: every term but the largest is cut below 2^-fraction of that one, and the result
    // is cut (f32) or rounded (f16) once
    const double cut = std::min<double>(parts, n) * std::ldexp(1.0, -fraction), last = type == DType::f16 ? u : 2 * u;
    return n <= 0 ? 0 : std::expm1(std::ceil(n / parts) * std::log1p(cut + last + cut * last));
  }
  if (n <= 1) return 0;
  // an addition is off by no more than its smaller operand: in sequence, by no more than the terms themselves
  const double in_sequence = std::min((n - 1) * u, 1.0);
  switch (how) {
  case Summation::sequential: return in_sequence;
  case Summation::compensated: return u + (1 + u) * in_sequence * in_sequence;
  default: return std::min(gamma_of(height(*this, n), u), (n - 1) * u);
  }
}

double SumBound::underflow(double n) const {
  return how == Summation::tensor_core ? std::ceil(n / parts) * smallest_subnormal(type) : 0;
}

std::string SumBound::formula() const {
  const double u = unit_roundoff(type);
  const std::string where = "; u = " + power_of_two(u);
  switch (how) {
  case Summation::sequential: return "(n - 1)*u, at most 1" + where;
  case Summation::pairwise: return "gamma(ceil(log2 n)) = h*u/(1 - h*u)" + where;
  case Summation::blocked:
    return "gamma(ceil(n/" + std::to_string(parts) + ") - 1 + ceil(log2 " + std::to_string(parts) + "))" + where;
  case Summation::compensated: return "u + (1 + u)*min((n - 1)*u, 1)^2" + where;
  case Summation::tensor_core:
    return "(1 + " + std::to_string(parts) + "*2^-" + std::to_string(fraction) + " + " +
           power_of_two(type == DType::f16 ? u : 2 * u) + ")^ceil(n/" + std::to_string(parts) + ") - 1";
  }
  throw std::logic_error("not a way to sum");
}

std::string_view SumBound::source() const {
  switch (how) {
  case Summation::sequential:
    return "S. M. Rump, Error estimation of floating-point summation and dot product, BIT 52 (2012): (n - 1)*u without "
           "a restriction of n, in any order";
  case Summation::pairwise: return "N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, (4.6)";
  case Summation::blocked:
    return "A. Castaldo, R. C. Whaley, A. Chronopoulos, Reducing Floating Point Error in Dot Product Using the "
           "Superblock Family of Algorithms, SIAM J. Sci. Comput. 31 (2008): gamma of the tree's height";
  case Summation::compensated:
    return "T. Ogita, S. Rump, S. Oishi, Accurate Sum and Dot Product, SIAM J. Sci. Comput. 26 (2005), proposition "
           "4.5, with (n - 1)*u of Rump 2012 in place of gamma";
  case Summation::tensor_core:
    return "P. Blanchard, N. Higham, F. Lopez, T. Mary, S. Pranesh, Mixed Precision Block Fused Multiply-Add, SIAM J. "
           "Sci. Comput. 42 (2020), with what Fasi, Higham, Mikaitis, Pranesh (2021) and Khattak, Mikaitis (2025) "
           "found "
           "of alignment and cuts";
  }
  throw std::logic_error("not a way to sum");
}

std::vector<SumBound> sum_bounds(Summation how, int parts) {
  if (how == Summation::tensor_core)
    return {{how, "f16", DType::f32, 16, 25},  {how, "bf16", DType::f32, 16, 25}, {how, "tf32", DType::f32, 8, 25},
            {how, "e4m3", DType::f32, 32, 13}, {how, "e5m2", DType::f32, 32, 13}, {how, "f16", DType::f16, 16, 25}};
  std::vector<SumBound> out;
  for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f64})
    out.push_back({how, {}, type, how == Summation::blocked ? parts : 1, 0});
  return out;
}

SumBound sum_bound(Summation how, DType accumulator) {
  for (SumBound& b : sum_bounds(how))
    if (b.type == accumulator) return std::move(b);
  throw std::logic_error("no such accumulator: " + std::string(name_of(accumulator)));
}

RegisterSummation::RegisterSummation(std::string transformation, std::vector<SumBound> bounds) {
  registry().emplace(std::move(transformation), std::move(bounds));
}

const std::vector<SumBound>& bounds_of(const std::string& transformation) {
  static const std::vector<SumBound> none;
  auto found = registry().find(transformation);
  return found == registry().end() ? none : found->second;
}

nlohmann::json to_json(const SumBound& bound, double n) {
  nlohmann::json j{
      {"topology", name_of(bound.how)},    {"accumulator", name_of(bound.type)}, {"length", n},
      {"bound", json_number(bound.at(n))}, {"formula", bound.formula()},         {"source", bound.source()}};
  if (!bound.operands.empty()) j["operands"] = bound.operands;
  if (bound.how == Summation::blocked || bound.how == Summation::tensor_core) j["parts"] = bound.parts;
  return j;
}

} // namespace aicf
