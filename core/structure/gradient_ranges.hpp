// Integer expressions of a gradient under construction: linear forms, substitution, boxes. Internal to core/structure.
#pragma once
#include "core/expr/expr.hpp"

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace aicf {

class Extents;

/// constant + sum of factor * atom, over nodes that are no sum, difference or multiple.
struct Linear {
  std::map<ExprId, std::int64_t> terms;
  std::int64_t constant = 0;
  void add(const Linear& other, std::int64_t factor);
};

class Ranges {
 public:
  using Bounds = std::pair<ExprId, ExprId>; ///< lo, hi: half-open
  using Map = std::unordered_map<VarId, ExprId>;

  explicit Ranges(Arena& arena);
  ~Ranges();

  /// Variables that the bounds name are bound before.
  void bind(VarId var, ExprId lo, ExprId hi);
  /// Bounds that no variable enters.
  [[nodiscard]] std::optional<Bounds> box(VarId var) const;
  [[nodiscard]] bool at_most(ExprId a, ExprId b);

  [[nodiscard]] Linear linear(ExprId e) const;
  ExprId node(const Linear& form);
  ExprId index(VarId var);
  ExprId plus(ExprId e, std::int64_t constant);
  ExprId minus(ExprId a, ExprId b);
  /// `root` with variables replaced; sums of integers are kept in order.
  ExprId replace(ExprId root, const Map& with);

 private:
  std::optional<ExprId> extreme(ExprId e, bool upper, int depth);

  Arena* arena_;
  std::unique_ptr<Extents> extents_;
  std::unordered_map<VarId, Bounds> boxes_;
};

} // namespace aicf
