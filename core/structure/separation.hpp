// Separation rank of f(x; d): the least r with f = sum over r terms of g(x)*h(d), on the pairs that occur.
#pragma once
#include "core/structure/algebra.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace aicf {

inline constexpr int rank_cap = 24; ///< a full sample of this size says only "> 24"

struct FieldRank {
  int rank = 0, size = 0; ///< rank of the last, largest sample and its size
  bool full = false;      ///< the rank never stayed behind the sample
  int above = 0;          ///< where full: the rank is more than this
  bool blind = false;     ///< an equality of x and d, which random points never meet, took part
  bool opaque = false;    ///< a function without laws took part
  bool nested_exp = false;
  std::uint64_t seed = 0;
};

/// Rank of the matrix f(x_i; d_j) over random x and d in the field, at growing sizes up to the cap; where it stays
/// behind, fresh points confirm it. Ties, atoms of their own, add the rank of what appears only at a tie.
[[nodiscard]] FieldRank field_rank(Algebra& algebra, const Form& f, std::uint64_t seed);

/// f = sum of coefficient[i][k] * x_part[i] * d_part[k] with coefficients free of both; nothing when a term mixes them.
struct Split {
  std::vector<TermKey> x_parts, d_parts;
  std::vector<std::vector<Form>> coefficient;
};
[[nodiscard]] std::optional<Split> split(const Algebra& algebra, const Form& f);
/// One term as factors of x alone and of d alone, and exp of a form in which x and d meet.
struct Logs {
  Form outside;  ///< the term without what is in the exponent
  Form exponent; ///< all of it; a power x^d of a nonnegative x is exp(d*log x)
  Split of_exponent;
};
/// Nothing where no exponent mixes x and d, or the exponent has no split.
[[nodiscard]] std::optional<Logs> split_of_logs(Algebra& algebra, const Form& f);
/// In a term that is there only at a tie, d is the element's own value.
[[nodiscard]] Form settle_ties(Algebra& algebra, const Form& f);
/// Rank of the coefficients of a split: the separation rank when x parts and d parts are independent functions.
[[nodiscard]] int coefficient_rank(Algebra& algebra, const Split& split, std::uint64_t seed);
/// The factor of a term that belongs to the parts in `mask` (part_x, part_d, or 0 for the symbols).
[[nodiscard]] TermKey part_of(const Algebra& algebra, const TermKey& term, unsigned mask);

/// q^(-1/k^2) + 8 d k^4/q: the chance that one trial accepts a false identity of degree d with k exponentials.
[[nodiscard]] double false_accept(double degree, double exponentials);

} // namespace aicf
