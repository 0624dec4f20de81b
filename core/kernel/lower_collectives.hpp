// Pass: a reduction over the lanes of a warp or a block becomes shuffles and, for a block, one exchange through shared
// memory (tree_reduction).
//
//   warp:   for offset in 16, 8, 4, 2, 1: v = merge(v, shuffle(v, offset))
//   block:  warp; lane 0 of each warp: part[warp] = v; sync; v = merge over part
//   cluster: warp; each warp sends v to part[rank, warp] of all blocks; v = merge over part when its bytes have come
//
// Each exchange has its own array: no second barrier. A merge that is not the same bits with its operands swapped goes
// down to lane 0 and is broadcast, so that all lanes hold one value.
#pragma once
#include "core/kernel/ir.hpp"

namespace aicf::ir {

inline constexpr std::uint32_t warp_size = 32;
/// Parts that every thread folds itself; more go through shuffles again, after whole warps of parts.
inline constexpr std::uint32_t longest_chain = 8;

void lower_collectives(Kernel& kernel);

} // namespace aicf::ir
