// Arguments of a row kernel and the addresses of what it reads and writes: a pointer to the row, found once, and an
// offset along the axis.
#pragma once
#include "core/kernel/emit_expr.hpp"
#include "core/plan/row_form.hpp"

#include <map>
#include <set>
#include <vector>

namespace aicf::ir {

struct Address {
  NodeId pointer = none, offset = none;
  NodeId inside = none; ///< whether every index is within the tensor; none: it is known to be
};

class RowTensors {
 public:
  /// `fixed`: dims that are compile-time constants of this kernel.
  RowTensors(Builder& builder, const RowForm& form, const Problem& problem, std::set<std::string> fixed, Type real);

  [[nodiscard]] BufferId input(TensorId tensor) const { return tensors_.at(tensor); }
  [[nodiscard]] BufferId output(std::size_t output) const;
  [[nodiscard]] DType stored(TensorId tensor) const;
  NodeId dim(const Arena& arena, ExprId extent); ///< its value, 64 bits unless constant
  NodeId row_count();
  [[nodiscard]] std::string row_count_text() const; ///< as a launch takes it

  /// Sets the row of everything below the insertion point; makes one variable for each axis of the rows.
  void at_row(NodeId row);
  /// What is read along the axis from here on belongs to this sweep of global memory.
  void at_sweep(std::uint32_t sweep) { sweep_ = sweep; }
  /// The rows at hand are the one of at_row and those after it: element `e` of a packed group of rows. The group lies
  /// within the extent of the last row variable.
  void at_element_of_rows(NodeId e) { within_ = e; }
  [[nodiscard]] NodeId row_variable(VarId var);

  /// Element [indices] of a tensor of the definition. `checked`: compare the indices with the extents where the form
  /// does not prove them inside.
  Address address(TensorId tensor, std::span<const ExprId> indices, std::span<const NodeId> values, bool checked);
  /// The value of a load or padded load: guarded where the form does not prove it inside; a gathered id out of range
  /// fails the launch.
  NodeId load(const Leaf& leaf);
  /// Of a load along the axis whose indices are row variables and the axis, or its parts.
  Address axis_address(ExprId load, NodeId position);
  /// Any leaf but a reduction, at a position of the axis, as the computation takes it.
  NodeId leaf(const Leaf& leaf, NodeId position, const std::unordered_map<std::uint32_t, NodeId>& symbols);
  /// A stored element as the computation takes it: reals in its type, integers so wide that nothing overflows.
  NodeId computed(NodeId element);
  Address output_address(const RowOutput& output, NodeId position);

  [[nodiscard]] bool reads_axis(ExprId id) const { return axis_[id] != 0; }
  [[nodiscard]] bool reads_data(ExprId id) const { return data_[id] != 0; }
  NodeId scalar(std::size_t scalar);

 private:
  Builder& b;
  const RowForm& f;
  const Problem& problem_;
  std::set<std::string> fixed_;
  Type real_;
  std::vector<BufferId> tensors_;
  std::vector<NodeId> row_variables_;
  NodeId row_ = none, within_ = none;
  std::uint32_t sweep_ = 0;
  std::map<BufferId, std::uint32_t> first_sweep_; ///< that reads the buffer along the axis
  std::vector<char> axis_, data_;

  struct Part {
    NodeId value = none;
    bool along = false;    ///< varies along the axis
    bool last_row = false; ///< is the last row variable
  };
  NodeId part_value(std::size_t part, NodeId position, bool whole);
  [[nodiscard]] bool is_last_row(VarId var) const { return !f.rows.empty() && f.rows.back() == var; }
  Address place(BufferId buffer, const std::vector<Part>& parts, const std::vector<NodeId>& extents,
                std::size_t flat_at);
  std::size_t collapsed(const Arena& arena, std::span<const ExprId> shape, std::span<const ExprId> indices) const;
};

} // namespace aicf::ir
