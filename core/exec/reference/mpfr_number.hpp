// Numbers of any precision by MPFR, rounded to nearest after each operation.
#pragma once
#include "core/exec/reference/number.hpp"

#include <mpfr.h>

namespace aicf::reference {

/// One MPFR number of the precision that was current on this thread when it was made.
class BigFloat {
 public:
  BigFloat() {
    mpfr_init2(v_, precision());
    mpfr_set_zero(v_, 1);
  }
  BigFloat(const BigFloat& other) {
    mpfr_init2(v_, mpfr_get_prec(other.v_));
    mpfr_set(v_, other.v_, MPFR_RNDN);
  }
  BigFloat(BigFloat&& other) noexcept {
    mpfr_init2(v_, MPFR_PREC_MIN);
    mpfr_swap(v_, other.v_);
  }
  BigFloat& operator=(const BigFloat& other) {
    if (this != &other) mpfr_set(v_, other.v_, MPFR_RNDN);
    return *this;
  }
  BigFloat& operator=(BigFloat&& other) noexcept {
    mpfr_swap(v_, other.v_);
    return *this;
  }
  ~BigFloat() { mpfr_clear(v_); }

  [[nodiscard]] mpfr_ptr get() { return v_; }
  [[nodiscard]] mpfr_srcptr get() const { return v_; }
  /// Of numbers that this thread makes from now on.
  static mpfr_prec_t& precision();

 private:
  mpfr_t v_;
};

struct Mpfr {
  using Value = BigFloat;
  using Sum = BigFloat;

  static void assign(BigFloat& out, double v) { mpfr_set_d(out.get(), v, MPFR_RNDN); }
  static void assign(BigFloat& out, std::int64_t v) { mpfr_set_si(out.get(), v, MPFR_RNDN); }
  static double to_double(const BigFloat& a) { return mpfr_get_d(a.get(), MPFR_RNDN); }
  static bool is_nan(const BigFloat& a) { return mpfr_nan_p(a.get()) != 0; }
  static bool less(const BigFloat& a, const BigFloat& b) { return mpfr_less_p(a.get(), b.get()) != 0; }
  static bool less_equal(const BigFloat& a, const BigFloat& b) { return mpfr_lessequal_p(a.get(), b.get()) != 0; }
  static bool equal(const BigFloat& a, const BigFloat& b) { return mpfr_equal_p(a.get(), b.get()) != 0; }
  static void add(BigFloat& out, const BigFloat& a, const BigFloat& b) {
    mpfr_add(out.get(), a.get(), b.get(), MPFR_RNDN);
  }
  static void subtract(BigFloat& out, const BigFloat& a, const BigFloat& b) {
    mpfr_sub(out.get(), a.get(), b.get(), MPFR_RNDN);
  }
  static void multiply(BigFloat& out, const BigFloat& a, const BigFloat& b) {
    mpfr_mul(out.get(), a.get(), b.get(), MPFR_RNDN);
  }
  static void divide(BigFloat& out, const BigFloat& a, const BigFloat& b) {
    mpfr_div(out.get(), a.get(), b.get(), MPFR_RNDN);
  }
  static void floor_divide(BigFloat& out, const BigFloat& a, const BigFloat& b);
  static void modulo(BigFloat& out, const BigFloat& a, const BigFloat& b);
  static void power(BigFloat& out, const BigFloat& a, const BigFloat& b) {
    mpfr_pow(out.get(), a.get(), b.get(), MPFR_RNDN);
  }
  static void minimum(BigFloat& out, const BigFloat& a, const BigFloat& b);
  static void maximum(BigFloat& out, const BigFloat& a, const BigFloat& b);
  static void function(Op op, BigFloat& out, const BigFloat& a);
  static void round_to(DType type, BigFloat& out, const BigFloat& a);
  static void begin(BigFloat& sum) { mpfr_set_zero(sum.get(), 1); }
  static void accumulate(BigFloat& sum, const BigFloat& a) { mpfr_add(sum.get(), sum.get(), a.get(), MPFR_RNDN); }
  static void finish(const BigFloat& sum, BigFloat& out) { mpfr_set(out.get(), sum.get(), MPFR_RNDN); }
};

} // namespace aicf::reference
