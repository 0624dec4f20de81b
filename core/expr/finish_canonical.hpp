// What follows inlining: which values are read at all and in which order they stand, the names of reductions, the hash.
// Internal to core/expr.
#pragma once
#include "core/expr/canonical.hpp"

#include <unordered_map>

namespace aicf {

/// Where a reduction was written.
struct Origin {
  const Statement* statement = nullptr;
  std::uint32_t rank = 0; ///< position among the reductions of the statement: source order, inner first
  bool whole = false;     ///< it is the whole right side
  std::vector<std::string> axes;
};

/// A canonical form under construction. Recurrences are loaded by provisional ids until their order is known.
struct Draft {
  explicit Draft(const Definition& definition);

  const Definition* source;
  Arena arena;
  std::unordered_map<TensorId, CanonicalValue> of_tensor;
  std::unordered_map<TensorId, TensorId> recurrence_ids; ///< of the source -> loaded as
  std::unordered_map<ExprId, ExprId> closed;             ///< shapes and parts of reducers
  std::unordered_map<ExprId, Origin> origins;            ///< of canonical reductions

  /// Positions of the reductions of a statement in source order, inner first.
  [[nodiscard]] std::unordered_map<ExprId, std::uint32_t> ranks_of(const Statement& statement) const;
  /// The earliest place in the text keeps the name.
  void found(ExprId reduction, Origin origin);
  /// A reduction remade by a substitution keeps the place that it was written at.
  void inherit(ExprId before, ExprId after);

 private:
  std::unordered_map<const Statement*, std::uint32_t> place_; ///< order in the text
};

[[nodiscard]] Canonical finish(const Draft& draft, std::shared_ptr<const Definition> source);

} // namespace aicf
