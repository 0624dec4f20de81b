// A derived state against the definition at the values that real arithmetic does not speak of: NaN, infinities, no
// elements at all, all of them masked, sums that overflow. Both sides are run in doubles, the state at many partial
// chunks: one element at a time, halves, with empty parts, after a leading -inf.
#pragma once
#include "core/structure/structure.hpp"

namespace aicf {

/// Kinds are those of profiles, "nan", "infinity", "empty", "fully_masked", and "weights": an element of weight 0 whose
/// other factor is no finite number, 0 * inf, which a state that drops what weighs nothing, or takes a factor of all
/// elements out of the sum, does not see.
/// The first difference of each kind, of the cascade's summary; empty where there is none, or no summary. At most a few
/// milliseconds: of a very large expression nothing is run, and `complete` is false.
[[nodiscard]] std::vector<SpecialDifference> special_differences(const StructureProfile& profile,
                                                                 const Cascade& cascade, bool& complete);

} // namespace aicf
