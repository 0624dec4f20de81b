// Pass, the last one: decides which values become statements of their own and names everything that is printed. A value
// without a name is printed where it is used: it has one use, is short, and nothing that it reads changes before.
#pragma once
#include "core/kernel/ir.hpp"

namespace aicf::ir {

void assign_names(Kernel& kernel);

} // namespace aicf::ir
