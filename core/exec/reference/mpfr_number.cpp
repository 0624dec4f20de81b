#include "core/exec/reference/mpfr_number.hpp"

#include <algorithm>
#include <stdexcept>

namespace aicf::reference {

static_assert(NumberField<Mpfr>);

mpfr_prec_t& BigFloat::precision() {
  thread_local mpfr_prec_t bits = 53;
  return bits;
}

void Mpfr::modulo(BigFloat& out, const BigFloat& a, const BigFloat& b) {
  BigFloat r;
  mpfr_fmod(r.get(), a.get(), b.get(), MPFR_RNDN);
  if (mpfr_zero_p(r.get()) != 0)
    mpfr_setsign(r.get(), r.get(), mpfr_signbit(b.get()), MPFR_RNDN);
  else if (mpfr_nan_p(r.get()) == 0 && mpfr_signbit(r.get()) != mpfr_signbit(b.get()))
    mpfr_add(r.get(), r.get(), b.get(), MPFR_RNDN);
  mpfr_set(out.get(), r.get(), MPFR_RNDN);
}

void Mpfr::floor_divide(BigFloat& out, const BigFloat& a, const BigFloat& b) {
  BigFloat q;
  if (mpfr_zero_p(b.get()) != 0 || mpfr_number_p(a.get()) == 0 || mpfr_number_p(b.get()) == 0) {
    mpfr_div(q.get(), a.get(), b.get(), MPFR_RNDN);
    mpfr_floor(out.get(), q.get());
    return;
  }
  modulo(q, a, b);
  mpfr_sub(q.get(), a.get(), q.get(), MPFR_RNDN);
  mpfr_div(q.get(), q.get(), b.get(), MPFR_RNDN);
  mpfr_roundeven(out.get(), q.get());
}

void Mpfr::minimum(BigFloat& out, const BigFloat& a, const BigFloat& b) {
  if (is_nan(a) || is_nan(b))
    mpfr_set_nan(out.get());
  else
    mpfr_min(out.get(), a.get(), b.get(), MPFR_RNDN);
}

void Mpfr::maximum(BigFloat& out, const BigFloat& a, const BigFloat& b) {
  if (is_nan(a) || is_nan(b))
    mpfr_set_nan(out.get());
  else
    mpfr_max(out.get(), a.get(), b.get(), MPFR_RNDN);
}

void Mpfr::function(Op op, BigFloat& out, const BigFloat& a) {
  mpfr_ptr o = out.get();
  mpfr_srcptr x = a.get();
  switch (op) {
  case Op::neg: mpfr_neg(o, x, MPFR_RNDN); return;
  case Op::exp: mpfr_exp(o, x, MPFR_RNDN); return;
  case Op::exp2: mpfr_exp2(o, x, MPFR_RNDN); return;
  case Op::expm1: mpfr_expm1(o, x, MPFR_RNDN); return;
  case Op::log: mpfr_log(o, x, MPFR_RNDN); return;
  case Op::log2: mpfr_log2(o, x, MPFR_RNDN); return;
  case Op::log1p: mpfr_log1p(o, x, MPFR_RNDN); return;
  case Op::sqrt: mpfr_sqrt(o, x, MPFR_RNDN); return;
  case Op::rsqrt: { // as 1 / sqrt(x), so that -0 gives -inf
    mpfr_sqrt(o, x, MPFR_RNDN);
    mpfr_ui_div(o, 1, o, MPFR_RNDN);
    return;
  }
  case Op::tanh: mpfr_tanh(o, x, MPFR_RNDN); return;
  case Op::erf: mpfr_erf(o, x, MPFR_RNDN); return;
  case Op::sigmoid: { // MPFR's exponents are wide: nothing overflows that f64 inputs can reach
    BigFloat e;
    mpfr_neg(e.get(), x, MPFR_RNDN);
    mpfr_exp(e.get(), e.get(), MPFR_RNDN);
    mpfr_add_ui(e.get(), e.get(), 1, MPFR_RNDN);
    mpfr_ui_div(o, 1, e.get(), MPFR_RNDN);
    return;
  }
  case Op::sin: mpfr_sin(o, x, MPFR_RNDN); return;
  case Op::cos: mpfr_cos(o, x, MPFR_RNDN); return;
  case Op::atan: mpfr_atan(o, x, MPFR_RNDN); return;
  case Op::abs: mpfr_abs(o, x, MPFR_RNDN); return;
  case Op::sign:
    if (mpfr_nan_p(x) != 0 || mpfr_zero_p(x) != 0)
      mpfr_set(o, x, MPFR_RNDN);
    else
      mpfr_set_si(o, mpfr_sgn(x), MPFR_RNDN);
    return;
  case Op::floor: mpfr_floor(o, x); return;
  case Op::ceil: mpfr_ceil(o, x); return;
  case Op::round: mpfr_roundeven(o, x); return;
  default: throw std::logic_error("no function of one number");
  }
}

void Mpfr::round_to(DType type, BigFloat& out, const BigFloat& a) {
  mpfr_ptr o = out.get();
  if (!is_float(type)) {
    if (type == DType::boolean) return assign(out, mpfr_zero_p(a.get()) != 0 ? 0.0 : 1.0);
    if (is_nan(a)) return assign(out, 0.0);
    // The bounds of i64 are those of dtype.hpp's saturation, which f64 holds.
    double top = type == DType::i8 ? 127 : type == DType::i32 ? 2147483647.0 : 0x1.fffffffffffffp62;
    double bottom = type == DType::i8 ? -128 : type == DType::i32 ? -2147483648.0 : -0x1p63;
    if (mpfr_cmp_d(a.get(), top) > 0) return assign(out, top);
    if (mpfr_cmp_d(a.get(), bottom) < 0) return assign(out, bottom);
    mpfr_roundeven(o, a.get());
    return;
  }
  mpfr_set(o, a.get(), MPFR_RNDN);
  if (mpfr_regular_p(o) == 0) return; // NaN, infinity, zero
  int bits = -std::ilogb(unit_roundoff(type)), least = std::ilogb(smallest_subnormal(type));
  long exponent = mpfr_get_exp(o) - 1; // of 1.xxx
  long ulp = std::max<long>(exponent - bits + 1, least);
  bool negative = mpfr_signbit(o) != 0;
  mpfr_div_2si(o, o, ulp, MPFR_RNDN);
  mpfr_roundeven(o, o);
  mpfr_mul_2si(o, o, ulp, MPFR_RNDN);
  long highest = 1 - (least + bits - 1); // exponents are symmetric: e_max = 1 - e_min
  if (mpfr_regular_p(o) != 0 && mpfr_get_exp(o) - 1 > highest) mpfr_set_inf(o, negative ? -1 : 1);
}

} // namespace aicf::reference
