// A straight-line program for expressions over one innermost index variable, evaluated on bounded numbers. What does
// not vary with that variable is evaluated once.
#pragma once
#include "core/expr/canonical.hpp"
#include "core/validate/bounded.hpp"

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace aicf {

/// What the leaves mean while a program runs.
struct BoundEnvironment {
  const Arena* arena = nullptr;
  const ErrorModel* model = nullptr;
  std::map<VarId, std::int64_t> vars;
  std::function<Bounded(TensorId, std::span<const std::int64_t>)> load; ///< indices are in range
  std::function<std::int64_t(TensorId, std::size_t)> extent;            ///< of an axis
  std::function<Bounded(ExprId)> reduction;                             ///< under the current `vars`
  std::function<Bounded(std::uint32_t)> scalar, dim, symbol;
};

class BoundProgram {
 public:
  BoundProgram(const Arena& arena, std::span<const ExprId> roots, VarId inner);
  /// Values of the roots; call begin() after any variable but the inner one has changed.
  void begin(BoundEnvironment& environment);
  std::span<const Bounded> run(BoundEnvironment& environment);

 private:
  void evaluate(BoundEnvironment& environment, const std::vector<std::size_t>& slots);
  Bounded access(BoundEnvironment& environment, std::size_t slot) const;

  const Arena* arena_;
  std::vector<ExprId> nodes_;                      // by slot, operands first
  std::vector<std::vector<std::size_t>> operands_; // by slot
  std::vector<std::size_t> outer_, inner_, roots_; // slots
  std::vector<Bounded> values_, results_;
};

} // namespace aicf
