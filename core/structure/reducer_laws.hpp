// Which laws a reducer's combine obeys, over the reals, with its identity as a formal element: decided from the
// expression of the combine, never from its name. Built-in reducers go through the same judgement as a user's own.
//
// A law is refuted by exact values (rationals where the combine is rational, else MPFR intervals that do not meet), and
// accepted when both sides have one normal form in every case of their maxima, minima, absolute values and conditions
// (`proven`), or agree as identities over the field (`probably`). Reducers over truth values and over positions have
// finitely many cases: those are all tried. What neither way decides is `unknown`, and counts as not given.
#pragma once
#include "core/base/certificate.hpp"
#include "core/expr/definition.hpp"

#include <string>
#include <vector>

namespace aicf {

enum class Law : std::uint8_t {
  associative,  ///< (a + b) + c = a + (b + c)
  commutative,  ///< a + b = b + a
  identity,     ///< e + a = a = a + e
  idempotent,   ///< a + a = a
  cancellative, ///< a + c = b + c only where a = b: an element can be taken out again
  selective,    ///< a + b is a or b: nothing is computed, so nothing rounds
};
[[nodiscard]] std::string_view name_of(Law law);

struct ReducerLaws {
  std::string reducer;
  std::vector<Certificate> laws; ///< one for each Law, in order; ids "law:REDUCER:LAW"
  /// e + e is e in floating point. Where it is not (-inf - -inf is NaN), no plan may merge two empty parts.
  bool empties_merge = true;
  std::string empties; ///< what e + e is, in words
  [[nodiscard]] const Certificate& of(Law law) const { return laws[static_cast<std::size_t>(law)]; }
  [[nodiscard]] bool holds(Law law) const;
  /// Parts of the elements, in order, may be combined on their own: associative, with an identity.
  [[nodiscard]] bool splits() const { return holds(Law::associative) && holds(Law::identity); }
  /// In any order at all.
  [[nodiscard]] bool reorders() const { return splits() && holds(Law::commutative); }
};

/// Deterministic for a given seed. Time is bounded: a combine of too many nodes or cases leaves laws unknown.
[[nodiscard]] ReducerLaws judge_laws(const Definition& definition, ReducerId reducer, std::uint64_t seed = 1);

/// Of a built-in reducer, judged once: they do not depend on the operator. Any thread may ask.
[[nodiscard]] const ReducerLaws& built_in_laws(ReducerId reducer);

/// {"reducer", "reorders", "splits", "empties_merge", "empties", "laws": {LAW: {"verdict", "certificate"}}}
[[nodiscard]] nlohmann::json to_json(const ReducerLaws& laws);

} // namespace aicf
