// The value of a DimExpr once its dims are bound: launch extents, shapes, strides, workspace sizes.
//
//   expr    := term {("+" | "-") term}          term := unary {("*" | "/" | "%") unary}
//   unary   := ["-" | "+"] unary | primary
//   primary := INTEGER | NAME | "(" expr ")" | "ceil" "(" expr ")" | ("min" | "max") "(" expr "," expr {"," expr} ")"
//
// Arithmetic is in 64-bit integers. `/` floors and `%` has the sign of its divisor, as in the operator language;
// `ceil(a/b)` rounds that one quotient up, and its argument must be a quotient. Syntax errors, unknown names, division
// by zero and overflow are diagnostics placed in the text (file "dim", line 1).
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/kernel/module.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace aicf {

[[nodiscard]] Result<std::int64_t> evaluate(const DimExpr& expression, const std::map<std::string, std::int64_t>& dims);

} // namespace aicf
