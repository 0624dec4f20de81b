// Reducers as monoids on tuples of values: how an element enters, how two tuples merge, what the result is.
#pragma once
#include "core/kernel/builder.hpp"

#include <functional>
#include <string>
#include <vector>

namespace aicf::ir {

struct Monoid {
  std::vector<Type> types;
  std::vector<double> identity;
  bool symmetric = false; ///< merge(a, b) and merge(b, a) are the same bits
  std::function<std::vector<NodeId>(Builder&, NodeId element, NodeId index)> lift;
  std::function<std::vector<NodeId>(Builder&, const std::vector<NodeId>&, const std::vector<NodeId>&)> merge;
  bool arg = false; ///< the result is the last component, an index; an empty reduction is an error
};

/// Index of the empty argmax and argmin: above every index, so that ties resolve by themselves.
inline constexpr double no_index = 0x1p62;

/// NaN wins in max and min, the first NaN in argmax and argmin; equal values: the lowest index.
[[nodiscard]] Monoid monoid_of(Builtin reducer, Type element);
/// The type in which a builtin reducer keeps elements of a kind: integers (and counts of truth values) in 64 bits.
[[nodiscard]] Type carrier(Builtin reducer, Kind element, Type real);
/// Applies a builtin reducer that keeps one component.
[[nodiscard]] NodeId combine(Builder& b, Builtin reducer, NodeId left, NodeId right);

} // namespace aicf::ir
