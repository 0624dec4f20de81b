// What transformations ask about an operator, derived once from its canonical form and structure profile.
#pragma once
#include "core/structure/structure.hpp"

#include <set>
#include <string>
#include <vector>

namespace aicf {

using NamesOf = std::vector<std::string>; ///< of reductions

struct OperatorFacts {
  const StructureProfile* profile = nullptr; ///< never null in facts_of's answer
  std::set<Op> functions;                    ///< operations reachable from the results
  NamesOf inexact;                           ///< whose combine rounds: sums, products and user reducers that compute
  NamesOf ordered;                           ///< that no tree over lanes realizes: user reducers without the laws
  NamesOf unsplit;                           ///< likewise no fold of parts in order: not associative, or no identity
  NamesOf hollow;                            ///< of which two empty parts do not merge to an empty one
  NamesOf sums;                              ///< sums of reals
  NamesOf factored;                          ///< sums of a product with a factor that does not vary along the axis
  NamesOf divided;                           ///< sums of a quotient whose divisor does not vary along the axis
  NamesOf nested;                            ///< sums over several variables together, or of a sum
  NamesOf windows;                           ///< over elements x[i + r] that neighbouring results share
  NamesOf masked;                            ///< in which a predicate or the row's own bounds leave elements out
  NamesOf mapped;                            ///< of more than a bare element
  NamesOf products;                          ///< sums of a product of two tensors' elements
  NamesOf shared;                            ///< whose elements hold an operation that another reduction's hold as well
  bool row_divisor = false;                  ///< a division whose divisor does not vary along some result's last axis
  bool epilogue = false;                     ///< a result computes with a reduction
  bool log_of_exp = false;                   ///< log of an exp, or of a product with one
  bool integer_power = false;                ///< x^2, x^3, …
  bool scan = false;                         ///< a range that grows with the row, or a recurrence affine in its state
  bool along_axis = false;                   ///< a result sweeps elements again that a reduction has read
  std::size_t rank = 0;                      ///< most axes of a result
  int sweeps_definition = 1, sweeps_best = 1;
};

[[nodiscard]] OperatorFacts facts_of(const StructureProfile& profile);

/// The laws of a reduction's reducer.
[[nodiscard]] const ReducerLaws& laws_of(const StructureProfile& profile, const Reduction& reduction);
/// The first law that a user reducer in use does not have, of those that a tree (`reorder`) or parts in order need;
/// nullptr when it has them.
[[nodiscard]] const Certificate* failed_law(const StructureProfile& profile, bool reorder);

/// The certificate with that id, or nullptr.
[[nodiscard]] const Certificate* certificate_of(const StructureProfile& profile, const std::string& id);

} // namespace aicf
