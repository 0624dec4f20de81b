#include "core/structure/field.hpp"

#include <optional>
#include <utility>

namespace aicf {
namespace {

/// The Jacobi symbol by quadratic reciprocity.
int jacobi(std::uint64_t a, std::uint64_t n) {
  int sign = 1;
  a %= n;
  while (a != 0) {
    while ((a & 1U) == 0) {
      a >>= 1U;
      if ((n & 7U) == 3 || (n & 7U) == 5) sign = -sign;
    }
    std::swap(a, n);
    if ((a & 3U) == 3 && (n & 3U) == 3) sign = -sign;
    a %= n;
  }
  return n == 1 ? sign : 0;
}

struct Ratio {
  std::int64_t num, den;
};

/// num/den with a small denominator a power of two, as literals in an expression are.
std::optional<Ratio> small_ratio(const FieldValue& v) {
  if (!v.has_q) return std::nullopt;
  std::uint64_t n = v.q;
  for (std::int64_t den = 1; den <= 8; den *= 2, n = add_mod(n, n, field_q)) {
    if (n <= 64) return Ratio{static_cast<std::int64_t>(n), den};
    if (n >= field_q - 64) return Ratio{-static_cast<std::int64_t>(field_q - n), den};
  }
  return std::nullopt;
}

/// |a|^(num/den) mod m, on the residues, whose order is (m - 1)/2.
std::uint64_t residue_power(std::uint64_t a, std::int64_t num, std::int64_t den, std::uint64_t m, bool& odd) {
  if (jacobi(a, m) < 0) {
    odd = true;
    a = m - a;
  }
  const std::uint64_t order = (m - 1) / 2;
  std::uint64_t e = num < 0 ? order - static_cast<std::uint64_t>(-num) % order : static_cast<std::uint64_t>(num);
  return pow_mod(a, mul_mod(e, inverse_mod(static_cast<std::uint64_t>(den), order), order), m);
}

} // namespace

std::uint64_t pow_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t m) {
  std::uint64_t result = 1;
  for (base %= m; exponent != 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) result = mul_mod(result, base, m);
    base = mul_mod(base, base, m);
  }
  return result;
}

std::uint64_t inverse_mod(std::uint64_t a, std::uint64_t m) { // extended Euclid
  __extension__ using Wide = __int128;
  std::uint64_t r0 = m, r1 = a % m;
  Wide t0 = 0, t1 = 1;
  while (r1 != 0) {
    std::uint64_t quotient = r0 / r1, r2 = r0 - quotient * r1;
    Wide t2 = t0 - static_cast<Wide>(quotient) * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  if (r0 != 1) return 0;
  return static_cast<std::uint64_t>(t0 < 0 ? t0 + static_cast<Wide>(m) : t0);
}

int legendre(std::uint64_t a) { return jacobi(a, field_p); }

std::uint64_t residue(const mpq_class& value, std::uint64_t m) {
  std::uint64_t n = mpz_fdiv_ui(value.get_num_mpz_t(), m);
  if (value.get_den() == 1) return n;
  return mul_mod(n, inverse_mod(mpz_fdiv_ui(value.get_den_mpz_t(), m), m), m);
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return Random(a ^ (b * 0xd6e8feb86659fd93U)).next(); }

std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

Field::Field(std::uint64_t seed) : seed_(seed), table_{} {
  Random random(mix(seed, 0x6f6d656761));
  // 2 has order q; a random power of it keeps constants such as exp(1) = 2 from meeting by chance.
  std::uint64_t step = pow_mod(2, 1 + random.below(field_q - 1), field_p);
  for (auto& digit : table_) {
    digit[0] = 1;
    for (std::size_t i = 1; i < digit.size(); ++i) digit[i] = mul_mod(digit[i - 1], step, field_p);
    step = mul_mod(digit.back(), step, field_p);
  }
  c_ = 1 + random.below(field_q - 1);
  half_over_i_ = field_p - inverse_mod(2, field_p); // 1/(2i) = -i/2
}

std::uint64_t Field::omega(std::uint64_t exponent) const {
  std::uint64_t result = table_[0][exponent & 255U];
  for (std::size_t k = 1; k < table_.size(); ++k)
    result = mul_mod(result, table_[k][(exponent >> (8 * k)) & 255U], field_p);
  return result;
}

FieldValue Field::number(const mpq_class& value) const {
  return {residue(value, field_p), 0, residue(value, field_q), true};
}

FieldValue Field::random(Random& random) const { return {random.below(field_p), 0, random.below(field_q), true}; }

FieldValue Field::positive(Random& random) const {
  FieldValue v = this->random(random);
  v.re = mul_mod(v.re, v.re, field_p);
  v.q = mul_mod(v.q, v.q, field_q);
  return v;
}

FieldValue Field::add(const FieldValue& a, const FieldValue& b) {
  return {add_mod(a.re, b.re, field_p), add_mod(a.im, b.im, field_p), add_mod(a.q, b.q, field_q), a.has_q && b.has_q};
}

FieldValue Field::neg(const FieldValue& a) {
  return {sub_mod(0, a.re, field_p), sub_mod(0, a.im, field_p), sub_mod(0, a.q, field_q), a.has_q};
}

FieldValue Field::mul(const FieldValue& a, const FieldValue& b) {
  FieldValue r;
  r.has_q = a.has_q && b.has_q;
  if (r.has_q) r.q = mul_mod(a.q, b.q, field_q);
  r.re = mul_mod(a.re, b.re, field_p);
  if ((a.im | b.im) != 0) {
    r.re = sub_mod(r.re, mul_mod(a.im, b.im, field_p), field_p);
    r.im = add_mod(mul_mod(a.re, b.im, field_p), mul_mod(a.im, b.re, field_p), field_p);
  }
  return r;
}

FieldValue Field::inv(const FieldValue& a) {
  if (a.zero() || (a.has_q && a.q == 0)) {
    divided_by_zero = true;
    return {};
  }
  FieldValue r;
  r.has_q = a.has_q;
  if (a.has_q) r.q = inverse_mod(a.q, field_q);
  if (a.im == 0) {
    r.re = inverse_mod(a.re, field_p);
  } else { // the norm is not 0: -1 is no square
    std::uint64_t norm = add_mod(mul_mod(a.re, a.re, field_p), mul_mod(a.im, a.im, field_p), field_p);
    std::uint64_t scale = inverse_mod(norm, field_p);
    r.re = mul_mod(a.re, scale, field_p);
    r.im = mul_mod(sub_mod(0, a.im, field_p), scale, field_p);
  }
  return r;
}

FieldValue Field::power(const FieldValue& a, std::int64_t exponent) {
  FieldValue base = exponent < 0 ? inv(a) : a, result{1, 0, 1, true};
  result.has_q = a.has_q || exponent == 0;
  for (auto e = static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent); e != 0; e >>= 1U) {
    if ((e & 1U) != 0) result = mul(result, base);
    if (e > 1) base = mul(base, base);
  }
  return result;
}

FieldValue Field::power(const FieldValue& base, std::int64_t num, std::int64_t den) {
  if (den == 1 || base.zero()) return power(base, num);
  if (base.im != 0) {
    opaque = true;
    return draw(mix(mix(mix(base.re, base.im), static_cast<std::uint64_t>(num)), static_cast<std::uint64_t>(den)));
  }
  FieldValue r;
  r.re = residue_power(base.re, num, den, field_p, odd_root);
  r.has_q = base.has_q;
  if (base.has_q) r.q = residue_power(base.q, num, den, field_q, odd_root);
  return r;
}

FieldValue Field::power(const FieldValue& base, const FieldValue& exponent) {
  if (auto e = small_ratio(exponent)) return power(base, e->num, e->den);
  if (!exponent.has_q || base.im != 0) {
    opaque = true;
    return draw(mix(mix(mix(base.re, base.im), exponent.re), exponent.im));
  }
  int s = legendre(base.re);
  if (s < 0) odd_root = true;
  FieldValue r;
  r.re = pow_mod(s < 0 ? field_p - base.re : base.re, exponent.q, field_p);
  r.has_q = false;
  return r;
}

FieldValue Field::exp(const FieldValue& a) {
  if (!a.has_q) {
    nested_exp = true;
    FieldValue r = draw(mix(mix(static_cast<std::uint64_t>(Op::exp), a.re), a.im));
    r.has_q = false;
    return r;
  }
  FieldValue r;
  r.re = omega(a.q);
  r.has_q = false;
  return r;
}

FieldValue Field::cos(const FieldValue& a) {
  if (!a.has_q) return draw(mix(mix(static_cast<std::uint64_t>(Op::cos), a.re), a.im));
  std::uint64_t e = mul_mod(a.q, c_, field_q);
  FieldValue r;
  r.re = mul_mod(add_mod(omega(e), omega(sub_mod(0, e, field_q)), field_p), sub_mod(0, half_over_i_, field_p), field_p);
  r.has_q = false;
  return r;
}

FieldValue Field::sin(const FieldValue& a) {
  if (!a.has_q) return draw(mix(mix(static_cast<std::uint64_t>(Op::sin), a.re), a.im));
  std::uint64_t e = mul_mod(a.q, c_, field_q);
  FieldValue r;
  r.im = mul_mod(sub_mod(omega(e), omega(sub_mod(0, e, field_q)), field_p), half_over_i_, field_p);
  r.has_q = false;
  return r;
}

FieldValue Field::sign(const FieldValue& a) {
  int s = legendre(a.re);
  if (s == 0) return {};
  return s > 0 ? FieldValue{1, 0, 1, true} : FieldValue{field_p - 1, 0, field_q - 1, true};
}

FieldValue Field::draw(std::uint64_t key) const {
  Random random(mix(seed_, key));
  return this->random(random);
}

FieldValue Field::apply(Op op, std::uint32_t payload, std::span<const FieldValue> args) {
  const FieldValue one{1, 0, 1, true}, zero;
  auto truth = [&](bool b) { return b ? one : zero; };
  auto half = [&](const FieldValue& v) { return mul(v, number(mpq_class(1, 2))); };
  auto log = [&](const FieldValue& v) {
    opaque = true;
    return v == one ? zero : draw(mix(mix(static_cast<std::uint64_t>(Op::log), v.re), v.im));
  };
  auto less = [&](const FieldValue& a, const FieldValue& b) { return legendre(sub(b, a).re) > 0; };
  const FieldValue a = args.empty() ? zero : args[0], b = args.size() > 1 ? args[1] : zero;
  switch (op) {
  case Op::neg: return neg(a);
  case Op::sub: return sub(a, b);
  case Op::add: {
    FieldValue r;
    for (const FieldValue& v : args) r = add(r, v);
    return r;
  }
  case Op::mul: {
    FieldValue r = one;
    for (const FieldValue& v : args) r = mul(r, v);
    return r;
  }
  case Op::div: return mul(a, inv(b));
  case Op::exp: return exp(a);
  case Op::exp2: return exp(mul(a, log(add(one, one))));
  case Op::expm1: return sub(exp(a), one);
  case Op::log: return log(a);
  case Op::log2: return mul(log(a), inv(log(add(one, one))));
  case Op::log1p: return log(add(a, one));
  case Op::sqrt: return power(a, 1, 2);
  case Op::rsqrt: return power(a, -1, 2);
  case Op::pow: return power(a, b);
  case Op::tanh: {
    FieldValue e = exp(add(a, a));
    return mul(sub(e, one), inv(add(e, one)));
  }
  case Op::sigmoid: return inv(add(one, exp(neg(a))));
  case Op::sin: return sin(a);
  case Op::cos: return cos(a);
  case Op::abs: return mul(a, sign(a));
  case Op::sign: return sign(a);
  case Op::max: return half(add(add(a, b), mul(sub(a, b), sign(sub(a, b)))));
  case Op::min: return half(sub(add(a, b), mul(sub(a, b), sign(sub(a, b)))));
  case Op::lt: return truth(less(a, b));
  case Op::le: return truth(a == b || less(a, b));
  case Op::eq: return truth(a == b);
  case Op::ne: return truth(!(a == b));
  case Op::and_: return truth(!a.zero() && !b.zero());
  case Op::or_: return truth(!a.zero() || !b.zero());
  case Op::not_: return truth(a.zero());
  case Op::isnan: return zero;
  case Op::select: return a.zero() ? args[2] : b;
  default: break;
  }
  opaque = true;
  std::uint64_t key = mix(static_cast<std::uint64_t>(op), payload);
  for (const FieldValue& v : args) key = mix(mix(key, v.re), v.im);
  return draw(key);
}

} // namespace aicf
