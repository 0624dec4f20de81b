// The canonical form of a definition: every map inlined, so that each result is one closed expression over its own
// axes. Operators that differ only in names, spelling or order of statements have the same canonical form and hash.
//
// Index variables: the axes of a result are the variables 0, 1, …; the variables of a reduction are `bound_base` + its
// level, the lowest above every level bound inside it, so that alpha-equivalent reductions are one node. The variables
// of a sum, prod, max, min, any or all over several take their levels in an order that content alone decides.
// Normal forms: a - b is a + (-1)*b, a / b is a * b^-1, sqrt and rsqrt are powers 1/2 and -1/2, sums and products are
// flat, sorted, like terms and integer powers collected where that is exact; a > b is b < a; literals are folded where
// the result is a double. Products are *not* distributed over sums. NaN and infinities keep their meaning (x - x, x / x
// and 0 * x stay, not (a < b) is not b <= a); the sign of a zero is no part of it (x + 0 is x). An operand that a
// decided `where`, `and` or `or` drops takes its errors with it.
// Tensors: inputs keep their ids; a recurrence is not inlined and is loaded as tensor `inputs + k`, k its place in
// `values`; recurrences that no result reads are left out.
#pragma once
#include "core/base/hash.hpp"
#include "core/expr/definition.hpp"

#include <memory>

namespace aicf {

inline constexpr VarId bound_base = 1U << 16U;

struct CanonicalValue {
  TensorId source = 0; ///< the tensor of the source definition
  std::vector<ExprId> lo, hi;
  ExprId body = no_expr;
  std::vector<Initial> initial; ///< of a recurrence
  std::vector<std::string> axis_names;
};

/// A reduction of the DAG with the name a person knows it by: the statement's, or `h#1`, `h#2` inside an expression of
/// h. A written reduction that is read at several indices is several nodes under one name.
struct NamedReduction {
  ExprId node = no_expr;
  std::string name;
  std::vector<std::string> axes; ///< source names of the reduced variables
};

struct Canonical {
  std::shared_ptr<const Definition> source;
  Arena arena;
  std::vector<CanonicalValue> values;     ///< recurrences, operands first
  std::vector<CanonicalValue> outputs;    ///< in the order of the signature
  std::vector<NamedReduction> reductions; ///< each once, in source order, inner first
  Hash structure_hash{};
};

[[nodiscard]] Canonical canonicalize(std::shared_ptr<const Definition> definition);

/// A node in normal form from operands in normal form; `payload` as Arena::make takes it. A reduction is made as it is.
[[nodiscard]] ExprId make_canonical(Arena& arena, Op op, Kind kind, std::span<const ExprId> args,
                                    std::uint32_t payload = 0);

/// `root` with every node for which `with` has an entry replaced by it; the rest rebuilt in normal form. Variables of
/// reductions are renamed to their new levels, and never capture.
[[nodiscard]] ExprId substitute(Arena& arena, ExprId root, const std::unordered_map<ExprId, ExprId>& with);

/// The index variables free in `root`, ascending.
[[nodiscard]] std::vector<VarId> free_vars(const Arena& arena, ExprId root);

} // namespace aicf
