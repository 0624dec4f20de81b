// Normal forms of sums, products, powers and chains, and the order their operands are sorted in. Internal to core/expr.
#pragma once
#include "core/expr/expr.hpp"

#include <vector>

namespace aicf {

/// Negative, zero or positive: a total order of expressions by content alone (op, payload, operands), never by node
/// id, so that it does not depend on the order in which nodes were made. Zero exactly for equal nodes.
[[nodiscard]] int structural_compare(const Arena& arena, ExprId a, ExprId b);

/// Flat sorted sum with like terms collected. Over the reals 0 is dropped (so -0 + 0 is not told from 0); terms of
/// opposite sign are never cancelled, because inf - inf is NaN; integers cancel.
[[nodiscard]] ExprId make_sum(Arena& arena, Kind kind, const std::vector<ExprId>& terms);

/// Flat sorted product with integer powers of one sign collected: x * x is x^2, x * x^-1 stays.
[[nodiscard]] ExprId make_product(Arena& arena, Kind kind, const std::vector<ExprId>& factors);

[[nodiscard]] ExprId make_power(Arena& arena, Kind kind, ExprId base, ExprId exponent);

/// and, or, min, max: associative, commutative and idempotent; a left-deep chain of distinct sorted operands.
[[nodiscard]] ExprId make_chain(Arena& arena, Op op, Kind kind, const std::vector<ExprId>& operands);

/// As `reachable`, in time and memory of what is found and not of the arena.
[[nodiscard]] std::vector<ExprId> nodes_below(const Arena& arena, std::span<const ExprId> roots);

} // namespace aicf
