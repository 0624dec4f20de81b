// Pass: equal values are computed once where one dominates the other; what nothing reads is not computed; loops that
// never run, branches and notes without a body, and registers that are only written vanish.
//
//   a = f(x); b = f(x); use(a, b)   ->   a = f(x); use(a, a)
#pragma once
#include "core/kernel/ir.hpp"

namespace aicf::ir {

void simplify(Kernel& kernel);

} // namespace aicf::ir
