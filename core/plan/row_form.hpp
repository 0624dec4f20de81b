// How an operator maps on rows × one axis: what the family `row_cascade` plans and lowers. Found from the structure
// profile alone.
#pragma once
#include "core/plan/dims.hpp"
#include "core/plan/plan.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace aicf {

/// A read along the axis.
/// One variable of an axis that is several, as a function of axis_var, the number of a position in row-major order.
struct AxisPart {
  VarId var = 0; ///< of the cascade's elements as the profile gives them
  ExprId extent = no_expr, index = no_expr;
};

struct AxisLoad {
  ExprId load = no_expr;
  TensorId tensor = 0;
  bool inside = false; ///< one index (one of each part) is the axis, every other a row's; all are within the tensor
  bool unit_stride = false; ///< that index is the last one
  bool whole = true;        ///< positions are equally far apart in memory; false: within runs of the innermost variable
  bool rows_adjoin = false; ///< inside, and neighbours of the last row variable are neighbours in memory
  bool of_row = true;       ///< other rows read other elements; false: all rows read the same (a weight of the axis)
};

struct RowOutput {
  std::size_t output = 0; ///< into Canonical::outputs
  bool along_axis = false;
  VarId axis = 0;          ///< its variable that is the axis, the innermost part of one that is several
  std::vector<VarId> axes; ///< its variable for each part
  std::vector<VarId> rows; ///< its variable for each of RowForm::rows, which `body` is over
  ExprId body = no_expr;   ///< over axis_var and the rows
};

/// Positions of the axis are equally far apart in the result.
[[nodiscard]] bool is_whole(const RowOutput& output);

struct RowForm {
  std::string mismatch; ///< why the operator is none; everything below is meaningless then
  std::shared_ptr<const Canonical> canonical;
  Arena arena;                         ///< the canonical one, extended
  const Cascade* cascade = nullptr;    ///< of the profile, or `flat`; nullptr: every result is a map
  std::vector<AxisPart> parts;         ///< outermost first; empty: the axis is one variable
  std::shared_ptr<const Cascade> flat; ///< of an axis in parts: elements over axis_var alone, no summary
  std::vector<VarId> rows;
  std::vector<ExprId> row_extents;
  ExprId extent = no_expr;                      ///< of the axis: 0 <= axis_var < extent; no_expr: there is none
  ExprId lo = no_expr, hi = no_expr;            ///< of the reductions, where that differs from [0, extent)
  std::vector<std::vector<std::size_t>> levels; ///< positions in Cascade::reductions, by level
  std::vector<RowOutput> outputs;
  std::vector<AxisLoad> loads;             ///< of elements, predicates and outputs along the axis, each once
  std::vector<std::vector<ExprId>> sweeps; ///< what each evaluates: the levels, then the results along the axis
  std::set<ExprId> kept;                   ///< loads of a row that several sweeps read
  std::map<ExprId, std::size_t> saved;     ///< costly expressions that several sweeps share, and the first of these
};

/// What `roots` evaluate at each position: nodes that read the axis, reductions left out. Ascending.
[[nodiscard]] std::vector<ExprId> axis_nodes(const RowForm& form, const std::vector<ExprId>& roots);

/// Which part of an axis in parts the index is, if one.
[[nodiscard]] std::optional<std::size_t> part_of(const RowForm& form, ExprId index);

/// The entry of `loads`, or nullptr.
[[nodiscard]] const AxisLoad* axis_load(const RowForm& form, ExprId load);

[[nodiscard]] RowForm row_form(const StructureProfile& profile);

/// Numbers of one problem.
struct RowSizes {
  std::int64_t rows = 0, length = 0;
  std::string wrong;               ///< why they cannot be had
  std::int64_t start_multiple = 0; ///< every row along the axis starts at a multiple of so many elements; 0: of any
};
[[nodiscard]] RowSizes row_sizes(const RowForm& form, const Problem& problem);

/// The largest and the smallest element that an access along the axis reads or writes, bytes; 0 when there is none.
struct ElementBytes {
  std::int64_t largest = 0, smallest = 0, read = 0, written = 0; ///< read, written: sums for one position of the axis
};
[[nodiscard]] ElementBytes element_bytes(const RowForm& form, const Problem& problem);

} // namespace aicf
