#include "core/structure/interval.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace aicf {

Interval::Interval(mpfr_prec_t precision) {
  mpfr_init2(lo_, precision), mpfr_init2(hi_, precision);
  mpfr_set_zero(lo_, 1), mpfr_set_zero(hi_, 1);
}
Interval::Interval(const mpq_class& value, mpfr_prec_t precision) : Interval(precision) {
  mpfr_set_q(lo_, value.get_mpq_t(), MPFR_RNDD), mpfr_set_q(hi_, value.get_mpq_t(), MPFR_RNDU);
}
Interval::Interval(const Interval& o) : Interval(o.precision()) {
  mpfr_set(lo_, o.lo_, MPFR_RNDD), mpfr_set(hi_, o.hi_, MPFR_RNDU);
}
Interval::Interval(Interval&& o) noexcept : Interval(2) { mpfr_swap(lo_, o.lo_), mpfr_swap(hi_, o.hi_); }
Interval& Interval::operator=(const Interval& o) {
  if (this != &o) *this = Interval(o);
  return *this;
}
Interval& Interval::operator=(Interval&& o) noexcept {
  mpfr_swap(lo_, o.lo_), mpfr_swap(hi_, o.hi_);
  return *this;
}
Interval::~Interval() { mpfr_clear(lo_), mpfr_clear(hi_); }

double Interval::least_magnitude() const {
  if (!excludes_zero()) return 0;
  long exponent = 0;
  double m = mpfr_get_d_2exp(&exponent, mpfr_sgn(lo_) > 0 ? lo_ : hi_, MPFR_RNDZ);
  return std::max(static_cast<double>(exponent) + 1e6, 1.0) + std::abs(m); // a magnitude's order is enough
}

std::string Interval::text() const {
  std::array<char, 96> out{};
  mpfr_snprintf(out.data(), out.size(), "[%.6RDe, %.6RUe]", lo_, hi_);
  return out.data();
}

Interval IntervalMath::add(const Interval& a, const Interval& b) {
  Interval r(precision);
  mpfr_add(r.lo_, a.lo_, b.lo_, MPFR_RNDD), mpfr_add(r.hi_, a.hi_, b.hi_, MPFR_RNDU);
  return r;
}

Interval IntervalMath::sub(const Interval& a, const Interval& b) {
  Interval r(precision);
  mpfr_sub(r.lo_, a.lo_, b.hi_, MPFR_RNDD), mpfr_sub(r.hi_, a.hi_, b.lo_, MPFR_RNDU);
  return r;
}

Interval IntervalMath::mul(const Interval& a, const Interval& b) {
  Interval r(precision);
  if (mpfr_sgn(a.lo_) >= 0 && mpfr_sgn(b.lo_) >= 0) {
    mpfr_mul(r.lo_, a.lo_, b.lo_, MPFR_RNDD), mpfr_mul(r.hi_, a.hi_, b.hi_, MPFR_RNDU);
  } else if (mpfr_sgn(a.hi_) <= 0 && mpfr_sgn(b.hi_) <= 0) {
    mpfr_mul(r.lo_, a.hi_, b.hi_, MPFR_RNDD), mpfr_mul(r.hi_, a.lo_, b.lo_, MPFR_RNDU);
  } else if (mpfr_sgn(a.lo_) >= 0 && mpfr_sgn(b.hi_) <= 0) {
    mpfr_mul(r.lo_, a.hi_, b.lo_, MPFR_RNDD), mpfr_mul(r.hi_, a.lo_, b.hi_, MPFR_RNDU);
  } else if (mpfr_sgn(a.hi_) <= 0 && mpfr_sgn(b.lo_) >= 0) {
    mpfr_mul(r.lo_, a.lo_, b.hi_, MPFR_RNDD), mpfr_mul(r.hi_, a.hi_, b.lo_, MPFR_RNDU);
  } else {
    Interval t(precision);
    bool first = true;
    for (mpfr_srcptr x : {a.lo_, a.hi_})
      for (mpfr_srcptr y : {b.lo_, b.hi_}) {
        mpfr_mul(t.lo_, x, y, MPFR_RNDD), mpfr_mul(t.hi_, x, y, MPFR_RNDU);
        if (first || mpfr_less_p(t.lo_, r.lo_)) mpfr_set(r.lo_, t.lo_, MPFR_RNDD);
        if (first || mpfr_greater_p(t.hi_, r.hi_)) mpfr_set(r.hi_, t.hi_, MPFR_RNDU);
        first = false;
      }
  }
  return r;
}

Interval IntervalMath::inv(const Interval& a) {
  Interval r(precision);
  if (!a.excludes_zero()) {
    failed = true;
    return r;
  }
  mpfr_ui_div(r.lo_, 1, a.hi_, MPFR_RNDD), mpfr_ui_div(r.hi_, 1, a.lo_, MPFR_RNDU);
  return r;
}

int IntervalMath::compare(const Interval& a, const Interval& b) {
  if (mpfr_less_p(a.hi_, b.lo_)) return -1;
  if (mpfr_greater_p(a.lo_, b.hi_)) return 1;
  bool points = mpfr_equal_p(a.lo_, a.hi_) && mpfr_equal_p(b.lo_, b.hi_) && mpfr_equal_p(a.lo_, b.lo_);
  if (!points) failed = true;
  return 0;
}

namespace {

/// What both kinds of numbers share: everything that is made of arithmetic and comparisons.
template <class Math>
bool apply_common(Math& m, Op op, std::span<const typename Math::Value> args, typename Math::Value& r) {
  auto truth = [&](bool b) { return m.number(b ? 1 : 0); };
  auto holds = [&](const typename Math::Value& v) { return m.compare(v, m.number(0)) != 0; };
  switch (op) {
  case Op::neg: r = m.sub(m.number(0), args[0]); return true;
  case Op::sub: r = m.sub(args[0], args[1]); return true;
  case Op::add:
    r = m.number(0);
    for (const auto& v : args) r = m.add(r, v);
    return true;
  case Op::mul:
    r = m.number(1);
    for (const auto& v : args) r = m.mul(r, v);
    return true;
  case Op::div: r = m.mul(args[0], m.inv(args[1])); return true;
  case Op::abs: r = m.compare(args[0], m.number(0)) < 0 ? m.sub(m.number(0), args[0]) : args[0]; return true;
  case Op::sign: r = m.number(m.compare(args[0], m.number(0))); return true;
  case Op::max: r = m.compare(args[0], args[1]) < 0 ? args[1] : args[0]; return true;
  case Op::min: r = m.compare(args[0], args[1]) > 0 ? args[1] : args[0]; return true;
  case Op::lt: r = truth(m.compare(args[0], args[1]) < 0); return true;
  case Op::le: r = truth(m.compare(args[0], args[1]) <= 0); return true;
  case Op::eq: r = truth(m.compare(args[0], args[1]) == 0); return true;
  case Op::ne: r = truth(m.compare(args[0], args[1]) != 0); return true;
  case Op::and_: r = truth(holds(args[0]) && holds(args[1])); return true;
  case Op::or_: r = truth(holds(args[0]) || holds(args[1])); return true;
  case Op::not_: r = truth(!holds(args[0])); return true;
  case Op::isnan: r = m.number(0); return true;
  case Op::select: r = holds(args[0]) ? args[1] : args[2]; return true;
  default: return false;
  }
}

template <class Math> typename Math::Value integer_power(Math& m, const typename Math::Value& base, long exponent) {
  auto b = exponent < 0 ? m.inv(base) : base;
  auto r = m.number(1);
  for (auto e = static_cast<unsigned long>(std::abs(exponent)); e != 0; e >>= 1U) {
    if ((e & 1U) != 0) r = m.mul(r, b);
    if (e > 1) b = m.mul(b, b);
  }
  return r;
}

} // namespace

Interval IntervalMath::apply(Op op, std::uint32_t, std::span<const Interval> args) {
  Interval r(precision);
  const Interval& a = args[0];
  if (op == Op::max || op == Op::min) { // bound by bound: which of the two it is may stay open
    auto pick = op == Op::max ? mpfr_max : mpfr_min;
    pick(r.lo_, a.lo_, args[1].lo_, MPFR_RNDD), pick(r.hi_, a.hi_, args[1].hi_, MPFR_RNDU);
    return r;
  }
  if (apply_common(*this, op, args, r)) return r;
  auto monotone = [&](auto f) {
    f(r.lo_, a.lo_, MPFR_RNDD), f(r.hi_, a.hi_, MPFR_RNDU);
    if (mpfr_nan_p(r.lo_) || mpfr_nan_p(r.hi_) || mpfr_inf_p(r.lo_) || mpfr_inf_p(r.hi_)) failed = true;
    return r;
  };
  auto stepped = [&](auto f) { // constant between its steps
    f(r.lo_, a.lo_), f(r.hi_, a.hi_);
    if (!mpfr_equal_p(r.lo_, r.hi_)) failed = true;
    return r;
  };
  auto lipschitz = [&](auto f) { // |f'| <= 1
    f(r.lo_, a.lo_, MPFR_RNDD), f(r.hi_, a.lo_, MPFR_RNDU);
    Interval width(precision);
    mpfr_sub(width.hi_, a.hi_, a.lo_, MPFR_RNDU);
    mpfr_sub(r.lo_, r.lo_, width.hi_, MPFR_RNDD), mpfr_add(r.hi_, r.hi_, width.hi_, MPFR_RNDU);
    return r;
  };
  switch (op) {
  case Op::exp: return monotone(mpfr_exp);
  case Op::exp2: return monotone(mpfr_exp2);
  case Op::expm1: return monotone(mpfr_expm1);
  case Op::log: return monotone(mpfr_log);
  case Op::log2: return monotone(mpfr_log2);
  case Op::log1p: return monotone(mpfr_log1p);
  case Op::sqrt: return monotone(mpfr_sqrt);
  case Op::rsqrt: return inv(monotone(mpfr_sqrt));
  case Op::tanh: return monotone(mpfr_tanh);
  case Op::erf: return monotone(mpfr_erf);
  case Op::atan: return monotone(mpfr_atan);
  case Op::sigmoid: {
    std::array<Interval, 1> minus{sub(number(0), a)};
    return inv(add(number(1), apply(Op::exp, 0, minus)));
  }
  case Op::sin: return lipschitz(mpfr_sin);
  case Op::cos: return lipschitz(mpfr_cos);
  case Op::floor: return stepped(mpfr_floor);
  case Op::ceil: return stepped(mpfr_ceil);
  case Op::round: return stepped([](mpfr_ptr to, mpfr_srcptr from) { mpfr_rint(to, from, MPFR_RNDN); });
  case Op::pow: {
    bool point = mpfr_equal_p(args[1].lo_, args[1].hi_) != 0;
    if (point && mpfr_integer_p(args[1].lo_) && mpfr_fits_slong_p(args[1].lo_, MPFR_RNDN))
      return integer_power(*this, a, mpfr_get_si(args[1].lo_, MPFR_RNDN));
    std::array<Interval, 1> base{a};
    std::array<Interval, 1> exponent{mul(args[1], apply(Op::log, 0, base))};
    return apply(Op::exp, 0, exponent);
  }
  default: failed = true; return r;
  }
}

mpq_class RationalMath::mul(const mpq_class& a, const mpq_class& b) {
  constexpr std::size_t most = 16384;
  for (mpz_srcptr z : {a.get_num_mpz_t(), a.get_den_mpz_t(), b.get_num_mpz_t(), b.get_den_mpz_t()})
    if (mpz_sizeinbase(z, 2) > most) failed = true;
  return failed ? mpq_class(0) : mpq_class(a * b);
}

mpq_class RationalMath::inv(const mpq_class& a) {
  if (a == 0) {
    failed = true;
    return 0;
  }
  return 1 / a;
}

mpq_class RationalMath::apply(Op op, std::uint32_t, std::span<const mpq_class> args) {
  mpq_class r;
  if (apply_common(*this, op, args, r)) return r;
  mpz_class whole;
  switch (op) {
  case Op::floor: mpz_fdiv_q(whole.get_mpz_t(), args[0].get_num_mpz_t(), args[0].get_den_mpz_t()); return whole;
  case Op::ceil: mpz_cdiv_q(whole.get_mpz_t(), args[0].get_num_mpz_t(), args[0].get_den_mpz_t()); return whole;
  case Op::round: { // half to even
    mpq_class shifted = args[0] + mpq_class(1, 2);
    mpz_fdiv_q(whole.get_mpz_t(), shifted.get_num_mpz_t(), shifted.get_den_mpz_t());
    if (shifted == mpq_class(whole) && mpz_odd_p(whole.get_mpz_t())) whole -= 1;
    return whole;
  }
  case Op::pow:
    if (args[1].get_den() == 1 && args[1].get_num().fits_slong_p() && abs(args[1].get_num()) <= 64)
      return integer_power(*this, args[0], args[1].get_num().get_si());
    break;
  default: break;
  }
  failed = true;
  return r;
}

} // namespace aicf
