// Arithmetic for identity tests: pairs (mod p, mod q), q = 4611686018427385619 and p = 2q + 1 both prime and = 3 mod 4.
// exp takes the q part to w^x mod p, w of order q, so that exp(a + b) = exp(a)*exp(b) holds; its value has no q part.
// + - * / act on both parts. cos x = (w^cx + w^-cx)/2 for a random c, and sin lies in F_p[i], i^2 = -1. The Legendre
// symbol is the sign, so |x| = x*sign(x) and sqrt(x)^2 = |x|; a power with exponent e is |x|^(e mod q), the order of
// the residues; a rational one acts on the q part as well. Everything else is a random function of its arguments'
// values, drawn by a hash of the seed.
#pragma once
#include "core/expr/expr.hpp"

#include <gmpxx.h>

#include <array>
#include <cstdint>
#include <span>

namespace aicf {

inline constexpr std::uint64_t field_q = 4611686018427385619U;
inline constexpr std::uint64_t field_p = 2 * field_q + 1;

[[nodiscard]] constexpr std::uint64_t add_mod(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  std::uint64_t s = a + b; // both below 2^63
  return s >= m ? s - m : s;
}
[[nodiscard]] constexpr std::uint64_t sub_mod(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  return a >= b ? a - b : a + (m - b);
}
[[nodiscard]] inline std::uint64_t mul_mod(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % m);
}
[[nodiscard]] std::uint64_t pow_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t m);
/// a^-1 mod the prime m; 0 for 0.
[[nodiscard]] std::uint64_t inverse_mod(std::uint64_t a, std::uint64_t m);
/// 1, m - 1 (that is, -1) or 0, for m = p.
[[nodiscard]] int legendre(std::uint64_t a);
[[nodiscard]] std::uint64_t residue(const mpq_class& value, std::uint64_t m);

/// splitmix64, the one generator of this layer: equal seeds give equal certificates on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; } ///< in [0, 1)

 private:
  std::uint64_t state_;
};
[[nodiscard]] std::uint64_t mix(std::uint64_t a, std::uint64_t b);

struct FieldValue {
  std::uint64_t re = 0, im = 0; ///< in F_p[i]
  std::uint64_t q = 0;          ///< meaningless without has_q
  bool has_q = true;
  [[nodiscard]] bool zero() const { return re == 0 && im == 0; }
  bool operator==(const FieldValue& o) const { return re == o.re && im == o.im; } ///< the q part decides nothing
};

/// One random interpretation: w, c and every opaque function. Values of different fields do not mix.
class Field {
 public:
  using Value = FieldValue; ///< an arithmetic for NodeProgram
  explicit Field(std::uint64_t seed);

  [[nodiscard]] FieldValue number(const mpq_class& value) const;
  [[nodiscard]] FieldValue random(Random& random) const;
  /// A value that is a square: what a positive number is here.
  [[nodiscard]] FieldValue positive(Random& random) const;
  [[nodiscard]] static FieldValue add(const FieldValue& a, const FieldValue& b);
  [[nodiscard]] static FieldValue neg(const FieldValue& a);
  [[nodiscard]] static FieldValue sub(const FieldValue& a, const FieldValue& b) { return add(a, neg(b)); }
  [[nodiscard]] static FieldValue mul(const FieldValue& a, const FieldValue& b);
  FieldValue inv(const FieldValue& a);
  FieldValue power(const FieldValue& a, std::int64_t exponent);
  FieldValue power(const FieldValue& base, std::int64_t num, std::int64_t den); ///< |base|^(num/den), both parts
  FieldValue power(const FieldValue& base, const FieldValue& exponent);         ///< |base|^exponent
  FieldValue exp(const FieldValue& a);
  FieldValue sin(const FieldValue& a);
  FieldValue cos(const FieldValue& a);
  [[nodiscard]] static FieldValue sign(const FieldValue& a);
  /// Any other operator of the language on values.
  FieldValue apply(Op op, std::uint32_t payload, std::span<const FieldValue> args);

  bool divided_by_zero = false; ///< since last cleared: the sample must be drawn again
  bool opaque = false;          ///< a function without laws was used
  bool nested_exp = false;      ///< an exp of an exp, which is outside the method, was used
  bool odd_root = false;        ///< an even root of a non-residue was taken

 private:
  FieldValue draw(std::uint64_t key) const;
  std::uint64_t omega(std::uint64_t exponent) const; ///< w^exponent

  std::uint64_t seed_, c_, half_over_i_;
  std::array<std::array<std::uint64_t, 256>, 8> table_; ///< w^(digit * 256^k)
};

} // namespace aicf
