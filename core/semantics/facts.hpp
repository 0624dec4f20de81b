// What transformations ask about an operator, derived once from its canonical form and structure profile.
#pragma once
#include "core/structure/structure.hpp"

#include <set>
#include <string>
#include <vector>

namespace aicf {

struct OperatorFacts {
  std::set<Op> functions;           ///< operations reachable from the results
  std::vector<std::string> inexact; ///< reductions whose combine rounds: sum, prod and user reducers
  std::vector<std::string> ordered; ///< reductions that no tree over lanes realizes: user reducers without the laws
  std::vector<std::string> unsplit; ///< likewise no fold of parts in order: not associative, or no identity
  std::vector<std::string> hollow;  ///< reductions of which two empty parts do not merge to an empty one
  bool row_divisor = false;         ///< a division whose divisor does not vary along some result's last axis
  int sweeps_definition = 1, sweeps_best = 1;
};

[[nodiscard]] OperatorFacts facts_of(const StructureProfile& profile);

/// The laws of a reduction's reducer, or nullptr for a built-in one: those hold.
[[nodiscard]] const ReducerLaws* laws_of(const StructureProfile& profile, const Reduction& reduction);
/// The first law that a user reducer in use does not have, of those that a tree (`reorder`) or parts in order need;
/// nullptr when it has them.
[[nodiscard]] const Certificate* failed_law(const StructureProfile& profile, bool reorder);

/// The certificate with that id, or nullptr.
[[nodiscard]] const Certificate* certificate_of(const StructureProfile& profile, const std::string& id);

} // namespace aicf
