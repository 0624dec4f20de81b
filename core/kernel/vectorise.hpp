// Pass: a loop over the elements of a packed access that only copies neighbours becomes one wide copy (vector_access).
//
//   for e in vector(8): copy x[j + e] -> tile[u, e]   ->   copy 8 x[j] -> tile[u, 0]
#pragma once
#include "core/kernel/ir.hpp"

namespace aicf::ir {

void vectorise(Kernel& kernel);

} // namespace aicf::ir
