// From statements to programs, sizes and scalars being numbers by now.
#pragma once
#include "core/exec/reference/program.hpp"
#include "core/expr/free_vars.hpp"

#include <span>

namespace aicf::reference {

class Lowering {
 public:
  /// `lanes`: how many numbers a block may hold.
  Lowering(const Definition& definition, const BoundNames& names, std::int64_t lanes);

  /// Where a tensor's values lie; known before anything that reads it is compiled.
  void place(TensorId tensor, Box box, File file);
  [[nodiscard]] const Box& box(TensorId tensor) const { return boxes_.at(tensor); }
  [[nodiscard]] File file(TensorId tensor) const { return files_.at(tensor); }
  /// The register file of an expression.
  [[nodiscard]] File file_of(ExprId id);

  /// A loop over `vars` (variables of the statement; the others stand still) that stores `value` at `indices`.
  [[nodiscard]] Program compile(const Statement& statement, std::span<const VarId> vars,
                                std::span<const Affine> indices, ExprId value);
  /// The same with one lane a block.
  [[nodiscard]] Lowering single_lane() const;
  [[nodiscard]] Combine compile_combine(const UserReducer& reducer);
  /// The interval of each variable of a statement; nothing when a bound is no integer expression over sizes.
  [[nodiscard]] std::optional<std::vector<Interval>> ranges(const Statement& statement);

 private:
  struct Job;
  friend class Emitter;
  void lower_loop(Program& program, const Job& job, std::unordered_map<VarId, Interval>& intervals,
                  std::vector<Job>& jobs);
  void keep_values(Loop& loop, std::size_t enclosing, const std::unordered_map<VarId, Interval>& intervals);
  void set_bounds(Program& program, Loop& loop, std::span<const ExprId> lo, std::span<const ExprId> hi,
                  std::unordered_map<VarId, Interval>& intervals, std::vector<Job>& jobs);
  void choose_lanes(Loop& loop, const std::unordered_map<VarId, Interval>& intervals);

  const Definition* d_;
  const BoundNames* names_;
  std::int64_t lanes_;
  AffineForms affine_;
  FreeVars free_;
  std::vector<std::uint8_t> file_; ///< by node, 0xff while unknown
  std::unordered_map<TensorId, Box> boxes_;
  std::unordered_map<TensorId, File> files_;
};

} // namespace aicf::reference
