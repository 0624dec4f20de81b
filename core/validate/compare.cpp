#include "core/validate/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace aicf {
namespace {

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

double ulp_of(DType type, double value) {
  if (!is_float(type) || value == 0 || !std::isfinite(value)) return is_float(type) ? smallest_subnormal(type) : 1;
  return std::max(std::ldexp(2 * unit_roundoff(type), std::ilogb(value)), smallest_subnormal(type));
}

/// Two equal infinities are not apart.
double apart(double a, double b) { return a == b ? 0 : std::fabs(a - b); }

/// The judge's own error: an f64 evaluation of at most some 2^20 operations a value, and the gap to the canonical form.
double judge_error(double expected) { return std::fabs(expected) * 0x1p-44; }

} // namespace

std::string position(const std::vector<std::int64_t>& shape, std::size_t flat) {
  std::string text;
  for (std::size_t k = shape.size(); k-- > 0;) {
    auto extent = static_cast<std::size_t>(shape[k]);
    text = std::to_string(flat % extent) + (text.empty() ? "" : ", ") + text;
    flat /= extent;
  }
  return "[" + text + "]";
}

void Comparison::merge(const Comparison& other) {
  if (!other.worst.empty() && (passed ? !other.passed || other.worst_ratio >= worst_ratio : false)) worst = other.worst;
  if (passed && !other.passed) output = other.output, element = other.element;
  passed = passed && other.passed;
  max_rel_err = std::max(max_rel_err, other.max_rel_err);
  max_ulp = std::max(max_ulp, other.max_ulp);
  bound = std::max(bound, other.bound);
  coverage.add(other.coverage);
  worst_ratio = std::max(worst_ratio, other.worst_ratio);
}

Comparison compare(const std::string& name, const HostTensor& actual, const HostTensor& expected,
                   const std::vector<Bounded>& bounds, const CompilerProfile& rules) {
  if (actual.element_count() != expected.element_count() || bounds.size() != expected.element_count())
    throw std::logic_error("a result and its bounds differ in size");
  Comparison c;
  c.coverage.elements = bounds.size();
  DType type = actual.dtype;
  auto report = [&](std::size_t i, double got, double want, double allowed, double ratio) {
    bool failed = !(ratio <= 1);
    ++c.coverage.judged;
    if (failed && c.passed) {
      c.worst = name + position(actual.shape, i) + " = " + number(got) + ", expected " + number(want) + " within " +
                number(allowed);
      c.output = name, c.element = i;
      c.passed = false;
    }
    c.worst_ratio = std::max(c.worst_ratio, failed && std::isnan(ratio) ? INFINITY : ratio);
  };
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    double got = actual.get(i), want = expected.get(i), error = bounds[i].error;
    if (std::isnan(error)) throw std::logic_error("a bound is not a number");
    if (std::isnan(want)) {
      if (rules.nan == "same" && std::isfinite(error) && is_float(type))
        report(i, got, want, 0, std::isnan(got) ? 0 : INFINITY);
      continue;
    }
    if (std::isinf(error) || (type == DType::boolean && error > 0)) continue; // either truth value may come out
    if (std::isinf(want)) {
      if (rules.infinity == "same" && is_float(type))
        report(i, got, want, 0, got == round_to(type, want) ? 0 : INFINITY);
      continue;
    }
    if (error > 0) error += judge_error(want);
    double target = round_to(type, want), low = round_to(type, want - error), high = round_to(type, want + error);
    double allowed = std::max(apart(high, target), apart(target, low)), off = apart(got, target);
    double ratio = got >= low && got <= high ? (allowed > 0 ? std::min(1.0, off / allowed) : 0)
                   : std::isnan(got)         ? NAN
                                             : std::max(off / allowed, 1.5);
    report(i, got, target, allowed, ratio);
    if (std::isfinite(off) && std::isfinite(target) && target != 0) {
      c.max_rel_err = std::max(c.max_rel_err, std::fabs(got - want) / std::fabs(want));
      c.max_ulp = std::max(c.max_ulp, std::fabs(got - want) / ulp_of(type, want));
      c.bound = std::max(c.bound, (error + unit_roundoff(type) * std::fabs(want)) / std::fabs(want));
    }
  }
  return c;
}

} // namespace aicf
