// Pass: what single operations become, by the choices of the plan.
//
//   exp(x)   ->   ex2.approx(x * log2 e)          fast_exp
//   log(x)   ->   lg2.approx(x) * ln 2            fast_log
//   erf(x)   ->   1 - 2^-p(|x|) with the sign of x fast_erf
//   tanh(x)  ->   1 - 2 / (1 + 2^(2x log2 e))    fast_tanh
//   a / b    ->   a * (1 / b)                     reciprocal_hoist: where b does not change in the loop around it
//   a / b    ->   a * rcp.approx(b)               fast_divide
//
// Run it after hoist_invariants, which shows what changes in a loop, and before another run, which takes the
// reciprocals out.
#pragma once
#include "core/kernel/ir.hpp"

namespace aicf::ir {

enum class Divide : std::uint8_t { ieee, reciprocal, fast };
struct FunctionChoice {
  bool fast_exp = false, fast_log = false, fast_erf = false, fast_tanh = false;
  Divide divide = Divide::ieee;
};

void select_functions(Kernel& kernel, const FunctionChoice& choice);

} // namespace aicf::ir
