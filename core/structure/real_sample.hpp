// Proof that no bounded state exists: real samples on which the matrix f(x_i; d_j) is not singular, at growing sizes.
// The samples are reachable: x_1 … x_n and n elements more are a chunk, d_j are the reductions of that chunk and one
// more element.
#pragma once
#include "core/base/certificate.hpp"
#include "core/expr/expr.hpp"

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace aicf {

/// A reduction over the same axis that f reads, or that one of those reads: body and predicate over axis_var.
struct Dependency {
  ExprId node = no_expr;
  ReducerId reducer = 0;
  ExprId predicate = no_expr, body = no_expr;
};

struct RealProblem {
  const Arena* arena = nullptr;
  ExprId f = no_expr;
  ExprId predicate = no_expr;
  std::vector<Dependency> dependencies;    ///< lower levels first
  std::function<bool(ExprId)> along_axis;  ///< whether a leaf changes with the element
  std::vector<ExprId> extents;             ///< dims whose product is the length of the chunk
  std::function<std::string(ExprId)> name; ///< how a leaf is called in a witness
};

struct RealUnbounded {
  std::vector<int> sizes; ///< each with a certified nonzero determinant
  std::string arithmetic; ///< "exact rationals" or "MPFR intervals"
  std::vector<std::string> determinants;
  Witness witness; ///< of the smallest size
};

[[nodiscard]] std::optional<RealUnbounded> real_unbounded(const RealProblem& problem, std::uint64_t seed,
                                                          std::stop_token stop);

} // namespace aicf
