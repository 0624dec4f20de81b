// Real numbers that carry their own error: exact rationals, or intervals of MPFR numbers with outward rounding. Both
// answer the functions of the operator language; an answer that is not certain (a comparison of overlapping intervals,
// floor across an integer, a pole) sets `failed`.
#pragma once
#include "core/expr/expr.hpp"

#include <gmpxx.h>
#include <mpfr.h>

#include <span>
#include <string>

namespace aicf {

class Interval {
 public:
  explicit Interval(mpfr_prec_t precision = 64);
  Interval(const mpq_class& value, mpfr_prec_t precision);
  Interval(const Interval& o);
  Interval(Interval&& o) noexcept;
  Interval& operator=(const Interval& o);
  Interval& operator=(Interval&& o) noexcept;
  ~Interval();

  [[nodiscard]] bool excludes_zero() const { return mpfr_sgn(lo_) > 0 || mpfr_sgn(hi_) < 0; }
  [[nodiscard]] double least_magnitude() const; ///< 0 when it may be zero; only to choose pivots
  [[nodiscard]] std::string text() const;       ///< "[lo, hi]"
  [[nodiscard]] mpfr_srcptr lo() const { return lo_; }
  [[nodiscard]] mpfr_srcptr hi() const { return hi_; }
  [[nodiscard]] mpfr_prec_t precision() const { return mpfr_get_prec(lo_); }

 private:
  friend struct IntervalMath;
  mpfr_t lo_, hi_;
};

/// Arithmetic on intervals of one precision.
struct IntervalMath {
  using Value = Interval;
  mpfr_prec_t precision = 128;
  bool failed = false;

  [[nodiscard]] Interval number(const mpq_class& v) const { return {v, precision}; }
  Interval add(const Interval& a, const Interval& b);
  Interval sub(const Interval& a, const Interval& b);
  Interval mul(const Interval& a, const Interval& b);
  Interval inv(const Interval& a);
  /// -1, 0 or 1 for a against b.
  int compare(const Interval& a, const Interval& b);
  Interval apply(Op op, std::uint32_t payload, std::span<const Interval> args);
};

/// Exact arithmetic; functions that leave the rationals fail, and so do numbers of more than 16,384 bits.
struct RationalMath {
  using Value = mpq_class;
  bool failed = false;

  [[nodiscard]] static mpq_class number(const mpq_class& v) { return v; }
  static mpq_class add(const mpq_class& a, const mpq_class& b) { return a + b; }
  static mpq_class sub(const mpq_class& a, const mpq_class& b) { return a - b; }
  mpq_class mul(const mpq_class& a, const mpq_class& b);
  mpq_class inv(const mpq_class& a);
  static int compare(const mpq_class& a, const mpq_class& b) { return cmp(a, b) < 0 ? -1 : cmp(a, b) > 0 ? 1 : 0; }
  mpq_class apply(Op op, std::uint32_t payload, std::span<const mpq_class> args);
};

} // namespace aicf
