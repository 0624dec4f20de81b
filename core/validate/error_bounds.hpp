// The a priori error bound of a plan, element by element: its own order of operations and merges, its own types and
// approximations, evaluated with bounded numbers on the inputs' own magnitudes.
#pragma once
#include "core/base/tensor.hpp"
#include "core/plan/plan.hpp"
#include "core/validate/bounded.hpp"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

/// How a plan combines the elements of a reduction: lane t of `lanes` takes, in each step, `unroll` groups of `vector`
/// consecutive elements, a group every lanes * vector elements; a warp merges in a tree; the parts of up to 8 warps
/// one after the other, of more of them by a tree again, after whole warps of parts.
struct Topology {
  bool open =
      false; ///< nothing is known: any order of elements, any tree of merges; the fields below are then a lane's
  bool online = false; ///< chunk states of a Summary are merged; otherwise each reduction is a fold of its elements
  std::int64_t lanes = 1, vector = 1, unroll = 1;
  std::int64_t parts = 1; ///< of the row, one after the other, each with its share of the lanes
  /// Each with its share of the lanes, which merge first; then the blocks, in a tree of at most a warp of them.
  std::int64_t blocks = 1;
  std::int64_t chain = 0; ///< so many lanes at a time merge one after the other, then these; 0: a binary tree

  /// Most combinations on a path from an element to the result of a reduction over n elements.
  /// `length`: of the axis, of which they are n neighbours.
  [[nodiscard]] double depth(std::int64_t n, std::int64_t length) const;
  /// Merges on a path from a lane to the result: warps by a tree, their parts one after the other or by a second tree.
  [[nodiscard]] std::int64_t merges() const;
};

/// A plan that does not say which threads share a row (a kernel that no plan made) leaves the topology open: the
/// longest path any order can have, n combinations of n elements, each of which rescales where the state can.
[[nodiscard]] Topology topology_of(const Plan& plan);
[[nodiscard]] ErrorModel error_model_of(const Plan& plan, DType float_type);

/// For every result, by name, the value that the canonical form gives (f64) and how far the device may be from it
/// before it rounds to the result's type. `inputs` as make_inputs gives them.
[[nodiscard]] Result<std::map<std::string, std::vector<Bounded>>>
error_bounds(const StructureProfile& structure, const Plan& plan, const Problem& problem,
             const std::map<std::string, HostTensor>& inputs, std::stop_token stop = {});

} // namespace aicf
