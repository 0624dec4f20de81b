// The checker of one operator, in passes: declare names; order statements by what they read; then for each group of
// statements that read one another (mostly one alone) inline its calls, find the ranges of its indices, build its
// expressions and judge its cycles. No pass recurses over the depth of an expression.
#pragma once
#include "core/expr/check_state.hpp"

namespace aicf::check {

/// The definition (without its text), or null when an error was reported.
[[nodiscard]] std::shared_ptr<Definition> check_op(FileScope& scope, const lang::OpNode& op);

/// The operators that one calls, by position in the file, ascending.
[[nodiscard]] std::vector<std::uint32_t> callees(const FileScope& scope, const lang::OpNode& op);

} // namespace aicf::check
