// Pass: moves values that do not change in a loop in front of it (loop_invariant_hoist).
//
//   for v: y = f(a) + g(v)   ->   t = f(a); for v: y = t + g(v)        a defined outside, f without effect
//
// Loads move only when they are guarded: a loop that runs zero times must not touch memory.
#pragma once
#include "core/kernel/ir.hpp"

namespace aicf::ir {

void hoist_invariants(Kernel& kernel);

} // namespace aicf::ir
