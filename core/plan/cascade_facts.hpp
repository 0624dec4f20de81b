// What the families of cascades ask of a profile and a problem alike.
#pragma once
#include "core/plan/row_form.hpp"

#include <string>

namespace aicf {

/// An input or a result is f64: the computation is too.
[[nodiscard]] bool computes_wide(const RowForm& form, const Problem& problem);
/// The cascade has a summary whose slots builtin reducers fold. Merges compute in f32: positions above `exact_index`
/// would not survive them.
[[nodiscard]] bool has_builtin_summary(const StructureProfile& profile, std::int64_t length);
/// The target has thread block clusters and distributed shared memory (compute capability 9.0 and later).
[[nodiscard]] bool has_clusters(const std::string& target);
/// Why the plan may not accumulate so, or empty. `wide`: the computation is in f64 anyhow.
[[nodiscard]] std::string refuse_accumulator(const std::string& accumulate, const CompilerProfile& rules, bool wide);

/// Bytes of one state of the reductions, as shared memory holds it: reals in f32 or f64, integers and positions in 64
/// bits, a best element with its position.
[[nodiscard]] std::int64_t state_bytes(const StructureProfile& profile, bool wide);

} // namespace aicf
