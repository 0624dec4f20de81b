// Replacing nodes of canonical expressions, capture-free, with the variables of reductions kept at their levels.
// Internal to core/expr.
#pragma once
#include "core/expr/canonical.hpp"
#include "core/expr/free_vars.hpp"

#include <functional>
#include <unordered_map>

namespace aicf {

/// Variables from here on stand in for bound ones while an expression is under construction.
inline constexpr VarId temporary_base = 1U << 31U;

/// One more than the highest level bound inside a node, 0 where nothing is bound. Grows with the arena.
class Levels {
 public:
  explicit Levels(const Arena& arena) : arena_(&arena) {}
  [[nodiscard]] std::uint32_t of(ExprId id);

 private:
  const Arena* arena_;
  std::vector<std::uint32_t> known_;
};

class Rebuilder {
 public:
  /// Told of every reduction that is made anew from an older one.
  using Remade = std::function<void(ExprId before, ExprId after)>;

  explicit Rebuilder(Arena& arena, Remade remade = {})
      : arena_(&arena), levels_(arena), free_(arena), remade_(std::move(remade)) {}

  /// `root` with the nodes of `with` replaced; variables of reductions are renamed where levels change or capture
  /// threatens.
  ExprId replace(ExprId root, const std::unordered_map<ExprId, ExprId>& with);
  /// Closes a reduction whose operands still speak of `what.vars`: gives the variables their levels, in the order given
  /// or, where `reorder`, in an order that depends on content alone. `order`, when asked for, receives the positions in
  /// `what.vars` of the variables of the result.
  ExprId close(Kind kind, const Reduce& what, std::vector<ExprId> operands, bool reorder,
               std::vector<std::size_t>* order = nullptr);

  [[nodiscard]] Levels& levels() { return levels_; }

 private:
  using Map = std::unordered_map<ExprId, ExprId>;
  [[nodiscard]] std::vector<ExprId> below(ExprId root, const Map& with) const;
  [[nodiscard]] bool may_capture(ExprId root, const Map& with);
  void rename(std::vector<ExprId>& operands, const std::vector<VarId>& from, const std::vector<VarId>& to);
  [[nodiscard]] std::vector<std::size_t> content_order(const std::vector<VarId>& vars,
                                                       const std::vector<ExprId>& operands, VarId base);

  Arena* arena_;
  Levels levels_;
  FreeVars free_;
  Remade remade_;
};

} // namespace aicf
