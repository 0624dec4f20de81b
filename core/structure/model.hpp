// The reductions of a canonical form as this layer works on them: bodies over a common axis variable, who reads whom,
// which of them run over one axis. Internal to core/structure.
#pragma once
#include "core/structure/algebra.hpp"
#include "core/structure/structure.hpp"

#include <set>
#include <unordered_map>

namespace aicf {

/// The k-th variable of an axis that is several index variables together (sum[h, w]).
[[nodiscard]] constexpr VarId axis_variable(std::size_t k) { return axis_var - static_cast<VarId>(k); }
inline constexpr std::size_t max_axis_variables = 16;

using Loads = std::set<std::pair<std::uint32_t, std::uint32_t>>; ///< (tensor, position)
[[nodiscard]] bool meet(const Loads& a, const Loads& b);
[[nodiscard]] bool mentions(const Arena& arena, ExprId root, VarId v);

struct Item {
  ExprId node = no_expr;
  std::string name;
  std::vector<std::string> axes;
  ReducerId reducer = 0;
  std::vector<VarId> vars, rows; ///< bound here; free in the node
  std::vector<ExprId> lo, hi;
  ExprId predicate = no_expr, body = no_expr; ///< over axis_var as written
  ExprId mask = no_expr, element = no_expr;   ///< likewise, where(c, f, identity) moved into the predicate
  std::vector<std::size_t> dependencies;      ///< items over the same axis that it reads and that are not indexed by it
  std::vector<std::size_t> behind;            ///< such items that it reaches only through a reduction over another axis
  std::vector<std::size_t> whole; ///< items that each of its elements reads and that run over all its elements again
  Loads loads;                    ///< that the axis indexes
  int level = 1;
  std::size_t report = 0; ///< its place in StructureProfile::reductions
  // found by the analysis of the cascade
  bool polynomial = false; ///< f is polynomial in the elements
  bool weighted = false;   ///< f is a product with a factor of the element that no dependency enters
  bool rescaled = false;   ///< rank 1 with an h that is not constant
  [[nodiscard]] bool is(Builtin b) const { return reducer == static_cast<ReducerId>(b); }
};

struct Model {
  Canonical* canonical = nullptr;
  std::vector<Item> items;                        ///< each node once; operands first
  std::vector<std::vector<std::size_t>> cascades; ///< levels ascending
  std::vector<char> along_axis;                   ///< by node: mentions an axis variable
  std::unordered_map<ExprId, std::size_t> at;     ///< item of a reduce node; one item may be read at other rows as well
  [[nodiscard]] Arena& arena() const { return canonical->arena; }
  [[nodiscard]] bool along(ExprId id) const { return id < along_axis.size() && along_axis[id] != 0; }
};

[[nodiscard]] Model make_model(Canonical& canonical);

/// Which part each leaf of the cascade's bodies belongs to.
[[nodiscard]] Algebra make_algebra(const Model& model, const std::vector<std::size_t>& cascade);

/// The dims whose product is the length of the item's axis; empty where the range is something else.
[[nodiscard]] std::vector<ExprId> extent_dims(const Model& model, const Item& item);

/// Loads at which each value of `row` meets every element of the item: the range does not move with it (a prefix, a
/// window), nor does the place (a stencil).
[[nodiscard]] Loads read_whole(const Model& model, const Item& item, VarId row);

/// Whether a conjunct bounds an index of the item by the row alone: j <= i.
[[nodiscard]] bool bounds_by_row(const Arena& arena, ExprId conjunct, VarId row);

/// The conjuncts of a predicate.
[[nodiscard]] std::set<ExprId> conjuncts(const Arena& arena, ExprId predicate);

} // namespace aicf
