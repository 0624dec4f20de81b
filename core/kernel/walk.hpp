// What passes share: walks over regions, uses, replacement, cloning.
#pragma once
#include "core/kernel/builder.hpp"

#include <functional>
#include <unordered_map>
#include <vector>

namespace aicf::ir {

/// Every node in the order of the text, regions after their owner. Depth is that of the loops, never of expressions.
void for_each_node(const Kernel& kernel, const std::function<void(NodeId)>& visit);
void for_each_node(const Kernel& kernel, const Region& region, const std::function<void(NodeId)>& visit);

using Replacement = std::unordered_map<NodeId, NodeId>;
/// Every use of a key becomes a use of its value (chains are followed).
void replace_uses(Kernel& kernel, const Replacement& with);

/// Rebuilds every region's body: `visit` sees each node, after its regions, with the builder at its place, and says
/// whether the node stays there itself.
void rewrite(Kernel& kernel, const std::function<bool(Builder&, NodeId)>& visit);

/// The nodes of a region of values at the insertion point, with `args` for its parameters; gives its results.
std::vector<NodeId> inline_region(Builder& builder, const Region& region, const std::vector<NodeId>& args);

/// For each node, how many iterating loops enclose its definition.
[[nodiscard]] std::vector<int> loop_depths(const Kernel& kernel);

} // namespace aicf::ir
