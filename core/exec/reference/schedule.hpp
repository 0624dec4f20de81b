// The order in which the statements of a recurrence are evaluated: a loop over one axis, forward or backward, inside it
// the statements, or further loops where several axes are shifted.
#pragma once
#include "core/exec/reference/integer_code.hpp"

namespace aicf::reference {

struct Step {
  /// A statement, or null: a loop over `axes` (of each statement inside, the position of its variable).
  const Statement* statement = nullptr;
  bool backward = false;
  std::vector<std::pair<const Statement*, std::size_t>> axes;
  std::vector<Step> inside; ///< operands first
};

/// Nothing when no axis orders a cycle: such a definition has no value.
[[nodiscard]] std::optional<std::vector<Step>> schedule(const Definition& definition, AffineForms& affine,
                                                        const std::vector<const Statement*>& group);

} // namespace aicf::reference
