// Proof that no bounded state exists: real samples on which the matrix f(x_i; d_j) is not singular, at growing sizes.
// The samples are reachable: x_1 … x_n are elements of a chunk, d_j are the reductions of that chunk and one more
// element. Under max and min the matrix is one in which each element alone is the extremum at one of the d_j: none of
// them may be forgotten. Its best assignment of rows to columns is then unique, so that its tropical rank is n, which
// bounds the factor rank over (max, +) from below (Develin, Santos, Sturmfels, "On the rank of a tropical matrix",
// 2005, theorem 1.4).
#pragma once
#include "core/base/certificate.hpp"
#include "core/expr/expr.hpp"

#include <functional>
#include <map>
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

/// A reduction that each element has of its own and that runs over elements of the same axis: a prefix sum. Everything
/// over axis_var, the element, and `var`, those that it runs over.
struct Inner {
  ExprId node = no_expr;
  ReducerId reducer = 0;
  VarId var = 0;
  ExprId lo = no_expr, hi = no_expr, predicate = no_expr, body = no_expr;
  std::map<ExprId, ExprId> own; ///< leaves at `var`, and the same at axis_var
};

struct RealProblem {
  enum class Action { sum, max, min } action = Action::sum; ///< of the reduction whose f this is
  const Arena* arena = nullptr;
  ExprId f = no_expr;
  ExprId predicate = no_expr;
  std::vector<Dependency> dependencies; ///< lower levels first
  std::vector<Inner> inner;
  std::function<bool(ExprId)> along_axis;  ///< whether a leaf changes with the element
  std::vector<ExprId> extents;             ///< dims whose product is the length of the chunk
  std::function<std::string(ExprId)> name; ///< how a leaf is called in a witness
};

struct RealUnbounded {
  std::vector<int> sizes; ///< each with a certified matrix
  std::string arithmetic; ///< "exact rationals" or "MPFR intervals"
  std::vector<std::string> determinants;
  Witness witness; ///< of the smallest size
};

[[nodiscard]] std::optional<RealUnbounded> real_unbounded(const RealProblem& problem, std::uint64_t seed,
                                                          std::stop_token stop);

} // namespace aicf
