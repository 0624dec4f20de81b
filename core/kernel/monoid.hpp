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
  bool arg = false;                      ///< the last component is an index; an empty reduction is an error
  std::vector<std::string> suffixes{""}; ///< of the names of the components
  /// The result of a tuple; absent: its last component.
  std::function<NodeId(Builder&, const std::vector<NodeId>&)> result{};

  [[nodiscard]] NodeId value(Builder& b, const std::vector<NodeId>& tuple) const {
    return result ? result(b, tuple) : tuple.back();
  }
};

/// Index of the empty argmax and argmin: above every index, so that ties resolve by themselves.
inline constexpr double no_index = 0x1p62;

/// NaN wins in max and min, the first NaN in argmax and argmin; equal values: the lowest index.
[[nodiscard]] Monoid monoid_of(Builtin reducer, Type element);
/// A sum of reals with what its rounding has lost, of any order of merges: T. Ogita, S. Rump, S. Oishi, Accurate Sum
/// and Dot Product, SIAM J. Sci. Comput. 26 (2005), Sum2; the error of one addition by D. Knuth, TAOCP 2, 4.2.2,
/// theorem B.
[[nodiscard]] Monoid compensated_sum(Type real);
/// The type in which a builtin reducer keeps elements of a kind: integers (and counts of truth values) in 64 bits.
[[nodiscard]] Type carrier(Builtin reducer, Kind element, Type real);
/// Applies a builtin reducer that keeps one component.
[[nodiscard]] NodeId combine(Builder& b, Builtin reducer, NodeId left, NodeId right);

} // namespace aicf::ir
