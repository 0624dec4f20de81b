// Pass: the maximum or minimum of a packed group of f16 or bf16, two elements at a time.
//
//   for e: m = max(m, tile[u][e])    ->    m = max(m, max over tile[u])
//
// A comparison rounds nothing: the bits are the same in every order.
#pragma once
#include "core/kernel/ir.hpp"

namespace aicf::ir {

void pack_extremes(Kernel& kernel);

} // namespace aicf::ir
