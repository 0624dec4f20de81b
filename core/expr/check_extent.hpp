// What can be proved about integer expressions over dims, scalars and index variables: equality as polynomials, and
// bounds over the ranges of the variables. Dims are at least 0. A proof that is not found is no refutation.
#pragma once
#include "core/expr/expr.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace aicf {

/// A sum of products. Anything that is no sum, difference or product (x // 2, min(a, b), a load) is an atom.
struct Polynomial {
  struct Term {
    std::vector<ExprId> atoms; ///< ascending, repeated for powers; empty: the constant
    std::int64_t factor = 0;   ///< not 0
  };
  std::vector<Term> terms; ///< ascending by atoms
};

class Extents {
 public:
  explicit Extents(const Arena& arena) : arena_(&arena) {}

  /// Declares lo <= var < hi; variables that the bounds name were bound before and have smaller ids.
  void bind(VarId var, ExprId lo, ExprId hi) { ranges_[var] = {lo, hi}; }

  [[nodiscard]] bool equal(ExprId a, ExprId b);
  /// a <= b wherever the variables are inside their ranges.
  [[nodiscard]] bool at_most(ExprId a, ExprId b);
  [[nodiscard]] bool at_least_zero(ExprId a);
  /// index - lo or hi - 1 - index is negative: at every point, and there is one (`everywhere`), or at some point when
  /// all dims are at least 1 and no range is empty.
  [[nodiscard]] bool outside(ExprId index, ExprId lo, ExprId hi, bool everywhere);
  /// index = var + shift; nothing if it is not of that form.
  struct Shift {
    VarId var = 0;
    std::int64_t by = 0;
  };
  [[nodiscard]] std::optional<Shift> shift(ExprId index);
  [[nodiscard]] std::optional<std::int64_t> constant_difference(ExprId a, ExprId b); ///< a - b
  [[nodiscard]] bool linear_in(ExprId e, std::uint32_t dim);
  /// Or anything else than dims and scalars in sums and products.
  [[nodiscard]] bool mentions_variables(ExprId e);

 private:
  const Polynomial& of(ExprId id);
  Polynomial expand(ExprId id);
  [[nodiscard]] bool ready(ExprId id) const;
  std::optional<Polynomial> extreme(Polynomial p, bool upper, bool reached);
  [[nodiscard]] bool nonnegative(const Polynomial& p, int least_dim) const;
  [[nodiscard]] bool only_dims(const Polynomial::Term& term) const;

  const Arena* arena_;
  std::unordered_map<ExprId, Polynomial> known_;
  std::unordered_map<VarId, std::pair<ExprId, ExprId>> ranges_;
};

} // namespace aicf
