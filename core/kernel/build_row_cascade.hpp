// Pass 1 of the family `row_cascade`: one row of rows × axis on a thread, a warp or a block; its reductions level by
// level (two_pass, resident) or as one mergeable state (online); then the results.
//
//   for row in grid:  for level: r = reduce(lanes, fold(elements));  for position: y = map(elements, r)
#pragma once
#include "core/kernel/ir.hpp"
#include "core/plan/plan.hpp"

namespace aicf::ir {

[[nodiscard]] Kernel build_row_cascade(const StructureProfile& profile, const Plan& plan, const Problem& problem);

} // namespace aicf::ir
