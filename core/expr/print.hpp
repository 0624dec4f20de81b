// Back to text in the operator language. parse(print(d)) has the same structure as d, and print is a fixed point of it.
#pragma once
#include "core/expr/canonical.hpp"

#include <functional>
#include <string>

namespace aicf {

/// Names for the leaves of an arena that carries none itself.
struct Names {
  std::function<std::string(VarId)> var;
  std::function<std::string(TensorId)> tensor;
  std::function<std::string(std::uint32_t)> scalar, dim, symbol;
  std::function<std::string(ReducerId)> reducer;
  /// A name to print in place of a node (a reduction already named), or empty.
  std::function<std::string(ExprId)> node;
};

[[nodiscard]] Names names_of(const Definition& definition);
[[nodiscard]] Names names_of(const Canonical& canonical); ///< reductions print by their names

/// At most about `limit` characters, then "…" (0: no limit).
[[nodiscard]] std::string print(const Arena& arena, ExprId root, const Names& names, std::size_t limit = 0);
[[nodiscard]] std::string print(const Definition& definition);

} // namespace aicf
