// Identity of expressions by content. Operands of commutative operations are taken as multisets, so neither names nor
// the order in which operands are kept enters. Internal to core/expr.
#pragma once
#include "core/base/hash.hpp"
#include "core/expr/definition.hpp"

#include <span>
#include <unordered_map>

namespace aicf {

/// Stand-ins used in place of ids whose numbering means nothing yet.
struct KeyLabels {
  std::unordered_map<VarId, std::uint64_t> vars;
  std::unordered_map<TensorId, std::uint64_t> tensors;
};

/// A 64-bit key to order by, never to identify by.
[[nodiscard]] std::uint64_t content_key(const Arena& arena, std::span<const ExprId> roots, const KeyLabels& labels);

/// SHA-256 of each root, as a Merkle tree over the nodes below it. `reducers`: hashes of the user reducers by content.
[[nodiscard]] std::vector<Hash> content_hashes(const Arena& arena, std::span<const ExprId> roots,
                                               std::span<const Hash> reducers);

} // namespace aicf
