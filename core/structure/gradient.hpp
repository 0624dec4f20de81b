// Reverse mode on definitions: the vector-Jacobian product of an operator is an operator again.
//
// gradient(f) has as inputs the inputs of f and a cotangent d_y for every result y of type float, without those that it
// does not read (the language has no unused inputs) and does not need for a dimension; as results d_x for every input x
// of type float, in the order of f. Integer and bool inputs, and scalars, have none. A name that is taken gets a
// suffix. It is made as text and read back, so it prints, parses, checks and is analysed like any other. Reductions
// that are provably zero (the shift by a max in a softmax) are dropped, equal ones are one, factors that do not depend
// on a sum's variables leave it: what decides is an exact normal form over the reals or the field
// (core/structure/sum_algebra.hpp), so infinities and NaN may be lost where terms cancel.
//
// At kinks: max and min over elements share equally among ties, as amax of PyTorch does; max(a, b) and min(a, b) give
// each half at a tie, and the operand that depends on an input nothing where the other does not (relu at 0 gives 0);
// abs at 0 gives 0. floor, ceil, round, sign, // , comparisons, argmax, argmin and integer rounding points have
// derivative 0; a % b is differentiated with its quotient fixed; bf16(e) and the like pass straight through.
#pragma once
#include "core/expr/definition.hpp"

namespace aicf {

/// Diagnostics: no input or no result is of type float; a variable's range cannot be bounded by dims.
[[nodiscard]] Result<Definition> gradient(const Definition& definition);

} // namespace aicf
