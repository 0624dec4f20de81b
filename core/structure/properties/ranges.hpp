// What values an element can take, and in which direction it moves, found by going over its nodes once: intervals, with
// the relations that softmax and norms live on (u - max(u, …) <= 0; u/(u + …) <= 1). Internal to core/structure.
#pragma once
#include "core/structure/properties/instance.hpp"

#include <functional>
#include <unordered_map>

namespace aicf {

struct Range {
  double lo = 0, hi = 0;
  bool rises = false, falls = false; ///< may go up, down, when a chosen symbol goes up
};

/// Ranges of every node below `root`, every symbol being in [-limit, limit]; `moves` chooses the symbols.
class Ranges {
 public:
  Ranges(const Arena& arena, double limit, std::function<bool(std::uint32_t)> moves);
  [[nodiscard]] Range of(ExprId root);

 private:
  using Known = std::unordered_map<ExprId, Range>;
  void fill(ExprId root, Known& known) const;
  [[nodiscard]] Range step(ExprId id, const Known& known) const;
  [[nodiscard]] Range sum(ExprId id, const Known& known) const;
  [[nodiscard]] Range product(ExprId id, const Known& known) const;
  [[nodiscard]] Range power(ExprId id, const Known& known) const;
  [[nodiscard]] Range choice(ExprId id, const Known& known) const;
  [[nodiscard]] std::optional<double> quotient_bound(ExprId id, const Known& known) const;
  [[nodiscard]] std::vector<std::pair<double, ExprId>> nonnegative_terms(ExprId sum, const Known& known) const;
  /// The branch of a condition that compares `node` with a number, with the range of `node` cut accordingly.
  [[nodiscard]] Range under(ExprId branch, ExprId condition, bool yes, const Known& known) const;

  const Arena& arena_;
  double limit_;
  std::function<bool(std::uint32_t)> moves_;
  Known known_;
};

} // namespace aicf
