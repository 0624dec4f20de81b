// One loop's expressions as a flat program: values in post-order, branches of a `where` in regions that a block skips
// when no lane takes them, registers reused as soon as their last reader is past.
#pragma once
#include "core/exec/reference/lower.hpp"

namespace aicf::reference {

class Emitter {
 public:
  Emitter(Lowering& lowering, Program& program, Loop& loop);

  /// Fills the loop's code: `predicate` (or no_expr), then `value` where it holds, in register file `as`. The indices
  /// of a store are there already.
  void emit(ExprId predicate, ExprId value, File as);
  /// Reductions met, with the positions given to their loops.
  [[nodiscard]] const std::vector<std::pair<ExprId, std::uint32_t>>& reductions() const { return reductions_; }
  /// The register of a symbol; none when nothing reads it.
  [[nodiscard]] Ref symbol(std::uint32_t id) const;

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  /// A value before registers are given.
  struct Value {
    Instruction::Kind kind = Instruction::Kind::compute;
    Op op = Op::number;
    File file = File::real;
    bool uniform = true, leaf = false; ///< leaf: a constant, a symbol or a lane variable, with a register of its own
    std::uint32_t payload = 0, height = 0, region = none, last = 0;
    ExprId source = no_expr;
    std::vector<std::uint32_t> inputs;
    Ref at{};
  };
  struct Region {
    std::uint32_t parent = none, depth = 0, condition = none;
    bool want = true;
    std::vector<std::uint32_t> values;
  };
  struct Entry { // of the final sequence; a skip when `value` is none
    std::uint32_t value = none, condition = none, target = 0;
    bool want = true;
  };

  std::uint32_t add(Value value);
  std::uint32_t leaf(File file, bool uniform, Op op, std::uint32_t payload);
  std::uint32_t constant(File file, double value);
  std::uint32_t converted(std::uint32_t value, File file);
  std::uint32_t lower(ExprId id);
  std::uint32_t lower_operation(ExprId id);
  std::uint32_t lower_access(ExprId id);
  std::uint32_t lower_variable(VarId var);
  void lower_all(std::span<const ExprId> roots);
  AxisIndex axis_index(ExprId id);
  void touch(const Affine& form);
  [[nodiscard]] std::vector<ExprId> value_operands(ExprId id);
  [[nodiscard]] bool is_lane(VarId v) const;

  void assign_regions(const std::vector<std::uint32_t>& roots, std::uint32_t guarded);
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const;
  void order(const std::vector<std::uint32_t>& roots);
  void sequence(std::uint32_t region);
  void allocate(const std::vector<std::uint32_t>& roots);
  Ref take(File file, bool uniform);

  Lowering* l_;
  Program* program_;
  Loop* loop_;
  std::vector<Value> values_;
  std::vector<Region> regions_;
  std::vector<Entry> entries_;
  std::unordered_map<ExprId, std::uint32_t> of_;
  std::map<std::pair<std::uint32_t, File>, std::uint32_t> conversions_;
  std::map<std::tuple<File, Op, std::uint32_t, double>, std::uint32_t> leaves_;
  std::vector<std::pair<ExprId, std::uint32_t>> reductions_;
  std::vector<std::uint32_t> free_[file_count][2];
};

} // namespace aicf::reference
