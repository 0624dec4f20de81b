// Integer expressions over index variables once sizes and integer scalars are numbers: bounds, extents, indices.
#pragma once
#include "core/expr/definition.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace aicf {

/// Numbers for the dims and scalars of a definition, by position.
struct BoundNames {
  std::vector<std::int64_t> dims;
  std::vector<double> scalars;
};

struct Interval {
  std::int64_t lo = 0, hi = 0; ///< both included
};

/// constant + sum of coefficient * variable.
struct Affine {
  std::int64_t constant = 0;
  std::vector<std::pair<VarId, std::int64_t>> terms; ///< ascending, coefficients not 0
};

/// Affine forms of a definition's integer expressions; found once a node.
class AffineForms {
 public:
  AffineForms(const Definition& definition, const BoundNames& names) : d_(&definition), names_(&names) {}
  /// Null where the expression is not affine in a few variables.
  [[nodiscard]] const Affine* of(ExprId id);

 private:
  [[nodiscard]] std::optional<Affine> compute(ExprId id) const;

  const Definition* d_;
  const BoundNames* names_;
  std::vector<std::optional<Affine>> known_;
};

/// Postfix code of + - * // % min max over integers and variables; // and % only by a constant that is not 0.
class IntegerCode {
 public:
  /// Nothing when the expression reads tensors, reduces, or is no integer.
  [[nodiscard]] static std::optional<IntegerCode> compile(const Definition& definition, const BoundNames& names,
                                                          ExprId id);
  /// `env` by VarId.
  [[nodiscard]] std::int64_t run(const std::vector<std::int64_t>& env) const;
  [[nodiscard]] bool constant() const { return steps_.size() == 1 && steps_[0].op == Op::number; }
  /// Where the value lies when each variable lies in its interval; nothing when one has none.
  [[nodiscard]] std::optional<Interval> range(const std::unordered_map<VarId, Interval>& vars) const;

 private:
  struct Step {
    Op op;
    std::int64_t value; ///< of a number; VarId of an index
  };
  std::vector<Step> steps_;
  mutable std::vector<std::int64_t> stack_;
};

[[nodiscard]] std::int64_t floor_quotient(std::int64_t a, std::int64_t b);

} // namespace aicf
