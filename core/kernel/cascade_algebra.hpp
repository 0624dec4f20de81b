// What the reductions of a cascade are made of, as kernel IR: the monoids of its reducers, and the merge of its
// summary. Every family of cascades builds on it.
#pragma once
#include "core/kernel/emit_expr.hpp"
#include "core/kernel/monoid.hpp"
#include "core/plan/row_form.hpp"

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace aicf::ir {

class CascadeAlgebra {
 public:
  using Symbols = std::unordered_map<std::uint32_t, NodeId>;
  /// `row_value`: an expression that does not read the axis, at the insertion point.
  using RowValue = std::function<NodeId(ExprId, const Symbols&)>;
  /// Refers to all of its arguments. `compensated`: sums of reals keep what their rounding has lost.
  CascadeAlgebra(const StructureProfile& profile, const RowForm& form, Builder& builder, Type real, bool compensated,
                 RowValue row_value)
      : p(profile), f(form), b(builder), real_(real), compensated_(compensated), row_value_(std::move(row_value)) {}

  [[nodiscard]] const Reduction& reduction(std::size_t position) const; ///< of the cascade
  [[nodiscard]] Monoid monoid(std::size_t position) const;

  [[nodiscard]] std::string slot_name(std::size_t slot) const;
  [[nodiscard]] Monoid slot_monoid(std::size_t slot) const;
  /// The state keeps the last component: of the best element its index.
  [[nodiscard]] Type slot_type(std::size_t slot) const { return slot_monoid(slot).types.back(); }
  [[nodiscard]] double slot_identity(std::size_t slot) const;
  /// Slots of a chunk whose bodies read no other of the same group fold in one loop.
  [[nodiscard]] std::vector<std::vector<std::size_t>> slot_groups() const;
  /// Whether the element of a reduction at a position of the axis takes part: its predicate (`at_position` evaluates
  /// it), and the range of the reductions where that is not the whole axis.
  NodeId takes_part(std::size_t reduction, NodeId position, const std::function<NodeId(ExprId)>& at_position);
  /// The second half of it alone.
  NodeId in_range(NodeId position);
  /// merged[k] over left, right and the slots merged before it.
  std::vector<NodeId> merged(const std::vector<NodeId>& left, const std::vector<NodeId>& right);

 private:
  const StructureProfile& p;
  const RowForm& f;
  Builder& b;
  Type real_;
  bool compensated_;
  RowValue row_value_;
};

/// The type that a plan computes real numbers in for a problem: f64 where it says so, or where a tensor is f64.
[[nodiscard]] Type real_type(const Definition& definition, const Plan& plan, const Problem& problem);

/// The dims that are constants of a kernel whose rows have a static length.
[[nodiscard]] std::set<std::string> fixed_dims(const RowForm& form, const Plan& plan);

/// Fails the launch when an argmax or argmin found nothing.
void trap_if_empty(Builder& b, NodeId index);

} // namespace aicf::ir
