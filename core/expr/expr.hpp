// Expressions: a hash-consed DAG in an index-addressed arena. Equal expressions are one node. Operands are older than
// their users (smaller ids), so a pass over the DAG is a loop over ids and nothing recurses over depth.
#pragma once
#include "core/base/dtype.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aicf {

using ExprId = std::uint32_t;
using VarId = std::uint32_t;     ///< an index variable
using TensorId = std::uint32_t;  ///< Definition::tensors
using ReducerId = std::uint32_t; ///< the built-in ones in the order of `Builtin`, then user reducers
inline constexpr ExprId no_expr = 0xffffffff;

enum class Op : std::uint8_t {
  // leaves; payload in brackets
  number, // [index into the arena's numbers]
  index,  // [VarId]
  scalar, // [position in Definition::scalars]
  dim,    // [position in Definition::dims]
  symbol, // [SymbolId] a free symbol of a derived form, such as a slot of a summary
  // access; operands are the indices, in order
  load,        // [TensorId]
  padded_load, // [TensorId] the value outside the tensor is the last operand
  // arithmetic; add and mul take two operands or more, / is real division, // and % floor
  neg,
  add,
  sub,
  mul,
  div,
  floordiv,
  mod,
  pow,
  // functions of one operand
  exp,
  exp2,
  expm1,
  log,
  log2,
  log1p,
  sqrt,
  rsqrt,
  tanh,
  erf,
  sigmoid,
  sin,
  cos,
  abs,
  sign,
  floor,
  ceil,
  round,
  isnan,
  // functions of two operands
  min,
  max,
  // comparisons (> and >= are < and <= with operands swapped) and logic
  lt,
  le,
  eq,
  ne,
  and_,
  or_,
  not_,
  select,   // condition, then, otherwise; lazy
  round_to, // [DType] an explicit rounding point
  reduce,   // [ReduceId] operands: lo, hi of each variable (half-open), then the predicate, then the body
  // operations that are added come last: keys that put values in order hold these numbers
  atan, // one operand, as exp … cos
};

enum class Kind : std::uint8_t { real, integer, boolean };

enum class Builtin : ReducerId { sum, prod, max, min, argmax, argmin, any, all, count };
inline constexpr ReducerId first_user_reducer = static_cast<ReducerId>(Builtin::count);

/// What a `reduce` node binds. Interned, so that equal reductions are one node.
struct Reduce {
  ReducerId reducer = 0;
  std::vector<VarId> vars;
  bool operator==(const Reduce&) const = default;
};

struct Node {
  Op op = Op::number;
  Kind kind = Kind::real;
  std::uint32_t payload = 0;
  std::uint32_t first = 0, count = 0; ///< operands in the arena's pool
};

class Arena {
 public:
  /// The one node with this content. Operands must be ids of this arena.
  ExprId make(Op op, Kind kind, std::uint32_t payload, std::span<const ExprId> operands);
  ExprId make(Op op, Kind kind, std::initializer_list<ExprId> operands, std::uint32_t payload = 0) {
    return make(op, kind, payload, std::span(operands.begin(), operands.size()));
  }
  /// The node with other operands; itself when they are its own.
  ExprId with_operands(ExprId id, std::span<const ExprId> operands);
  ExprId number(double value, Kind kind = Kind::real); ///< -0 and 0 differ, all NaN are one
  ExprId integer(std::int64_t value) { return number(static_cast<double>(value), Kind::integer); }
  ExprId boolean(bool value) { return number(value ? 1 : 0, Kind::boolean); }
  /// Operands as described at Op::reduce: bounds (2 a variable), predicate, body. The kind is the body's, integer for
  /// argmax and argmin, real for user reducers.
  ExprId reduce(const Reduce& what, std::span<const ExprId> operands);

  [[nodiscard]] const Node& operator[](ExprId id) const { return nodes_[id]; }
  [[nodiscard]] std::span<const ExprId> operands(ExprId id) const {
    return {pool_.data() + nodes_[id].first, nodes_[id].count};
  }
  [[nodiscard]] ExprId operand(ExprId id, std::size_t i) const { return pool_[nodes_[id].first + i]; }
  [[nodiscard]] double value(ExprId id) const { return numbers_[nodes_[id].payload]; } ///< of a number
  [[nodiscard]] bool is_number(ExprId id, double v) const { return nodes_[id].op == Op::number && value(id) == v; }
  [[nodiscard]] const Reduce& reduction(ExprId id) const { return reduces_[nodes_[id].payload]; }
  [[nodiscard]] ExprId body(ExprId reduce) const { return operand(reduce, nodes_[reduce].count - 1); }
  [[nodiscard]] ExprId predicate(ExprId reduce) const { return operand(reduce, nodes_[reduce].count - 2); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  void grow();

  std::vector<Node> nodes_;
  std::vector<ExprId> pool_;
  std::vector<double> numbers_;
  std::vector<Reduce> reduces_;
  std::vector<std::uint64_t> hashes_; ///< of each node's content
  std::vector<ExprId> table_;         ///< nodes by hash, open addressing; its size is a power of two
  std::unordered_map<std::uint64_t, std::uint32_t> number_ids_; ///< by bit pattern
  std::unordered_multimap<std::uint64_t, std::uint32_t> reduce_ids_;
};

/// The word of the operator language for it ("exp", "+", "<="), empty for leaves, accesses and reductions.
[[nodiscard]] std::string_view name_of(Op op);
/// A function of one operand that no polynomial equation defines, exp or atan say: on a device a call of the library or
/// an approximation, and without an exact value over the rationals.
[[nodiscard]] bool is_transcendental(Op op);
/// An element of a tensor, padded or not.
[[nodiscard]] constexpr bool is_load(Op op) { return op == Op::load || op == Op::padded_load; }
[[nodiscard]] std::string_view name_of(Builtin reducer);

/// The nodes reachable from `roots`, ascending (operands first).
[[nodiscard]] std::vector<ExprId> reachable(const Arena& arena, std::span<const ExprId> roots);

} // namespace aicf
