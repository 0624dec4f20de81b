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
  std::vector<std::string> ordered; ///< reductions that only a left fold realizes: user reducers without proven laws
  bool row_divisor = false;         ///< a division whose divisor does not vary along some result's last axis
  int sweeps_definition = 1, sweeps_best = 1;
};

[[nodiscard]] OperatorFacts facts_of(const StructureProfile& profile);

/// The certificate with that id, or nullptr.
[[nodiscard]] const Certificate* certificate_of(const StructureProfile& profile, const std::string& id);

} // namespace aicf
