// What a statement is compiled to: loops with a flat register program inside. A register holds one number (uniform) or
// one for each lane of a block; lanes run over the innermost variables in index order. Nothing here recurses, and
// nothing knows the type of the numbers.
#pragma once
#include "core/exec/reference/integer_code.hpp"

#include <cstddef>
#include <deque>

namespace aicf::reference {

/// Register files: numbers of the field that evaluates, 64-bit integers, truth values.
enum class File : std::uint8_t { real, integer, truth };
inline constexpr std::size_t file_count = 3;

struct Ref {
  File file = File::real;
  bool uniform = true;
  std::uint32_t slot = 0xffffffff;
  [[nodiscard]] bool none() const { return slot == 0xffffffff; }
};

/// The box of indices that an array covers, row-major.
struct Box {
  std::vector<std::int64_t> lo, extent;
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] bool starts_at_zero() const;
};

struct AxisIndex {
  bool affine = true;
  Affine form;                                 ///< when affine
  Ref value{};                                 ///< otherwise
  std::int64_t lo = 0, extent = 0, stride = 1; ///< of the axis
};

struct Access {
  TensorId tensor = 0;
  bool padded = false;
  Ref pad{};
  std::vector<AxisIndex> axes;
  bool affine = true; ///< all axes are
  Affine offset{};    ///< of the element in the array, when affine
};

struct Instruction {
  enum class Kind : std::uint8_t { compute, convert, variable, load, reduce, skip } kind = Kind::compute;
  Op op = Op::number;
  Ref out{}, a{}, b{}, c{};
  std::uint32_t payload = 0; ///< DType of round_to, VarId, access, position of the loop of a reduction, skip target
  Ref mask{};                ///< of a reduction inside a branch: lanes where it differs from `want` are not needed
  bool want = true;          ///< skip: to the target when no lane of `a` equals it
  ExprId source = no_expr;
};

struct BoundOf {
  std::optional<IntegerCode> code;
  std::uint32_t loop = 0; ///< otherwise the loop that computes it
};

struct Loop {
  enum class Sink : std::uint8_t { store, fold, bound } sink = Sink::store;
  std::vector<VarId> vars;
  std::vector<BoundOf> lo, hi; ///< half-open
  std::size_t lanes_from = 0;  ///< vars[lanes_from …] are laid out in lanes
  std::int64_t chunk = 1;      ///< values of vars[lanes_from] a block
  std::int64_t inner = 1;      ///< product of the extents of the variables after it
  std::vector<Instruction> code;
  std::vector<std::pair<Ref, double>> constants;
  std::vector<Access> accesses;
  std::vector<Ref> lane_vars; ///< integer registers of vars[lanes_from …]
  Ref result{}, predicate{};
  std::uint32_t lane_slots[file_count] = {}, uniform_slots[file_count] = {};
  // Of a fold:
  ReducerId reducer = 0;
  ExprId source = no_expr;
  File folded = File::real;       ///< of its value
  std::vector<VarId> free;        ///< enclosing variables that it reads
  std::vector<Interval> memo_box; ///< theirs, when values are kept; else the last one alone is
  // Of a store:
  TensorId target = 0;
  std::vector<AxisIndex> at;

  [[nodiscard]] std::int64_t lanes() const { return chunk * inner; }
};

/// loops[0] is the statement's; the others are the reductions and bounds inside it.
struct Program {
  const Statement* statement = nullptr;
  std::deque<Loop> loops;
};

/// A reducer of the user as a straight program over two numbers.
struct Combine {
  Loop loop;    ///< code and registers only
  Ref a{}, b{}; ///< where the operands go
};

} // namespace aicf::reference
