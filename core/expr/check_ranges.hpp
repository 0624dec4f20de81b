// Which index ranges over what: an index whose range is not written ranges over the axes that it alone indexes, and
// these must agree. `pad(…)` imposes no range, nor does an index that is an expression.
#pragma once
#include "core/expr/check_build.hpp"

namespace aicf::check {

/// Lists the bindings of a statement and what their indices index; binds the ranges that are written, and those of a
/// result, which are its declared shape.
void collect(State& state, Builder& builder, Work& work);

/// Finds the other ranges of a group of statements, and the ranges of the tensors that they define. Contradictions and
/// indices without a range are reported.
void find_ranges(State& state, const std::vector<std::uint32_t>& members);

} // namespace aicf::check
