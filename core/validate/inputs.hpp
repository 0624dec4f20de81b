// Inputs that bite: random ones, exact ones (small integers, or 0 and -inf, for which the derived bound is zero), an
// outlier at every edge of a tile, and special values. All are functions of a seed.
#pragma once
#include "core/base/tensor.hpp"
#include "core/expr/definition.hpp"
#include "core/plan/plan.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aicf {

/// The kinds of input sets, by the words of `validation.adversarial` and "random".
enum class InputKind : std::uint8_t {
  random,      ///< normal deviates; masks true three times in four; ids uniform over what they index
  integers,    ///< integers from -3 to 3
  zero_or_inf, ///< 0, or -inf outside a subset of 2^k positions of each row: sums of exponentials are counts
  outlier,  ///< small deviates, and one large value a row at an edge: first, last, beside multiples of 8, 32, 1024 …
  special,  ///< NaN, +inf, -inf one a row, rows all -inf, rows of equal values and of zeros
  huge,     ///< magnitudes near the largest of the type, all finite: what overflows and underflows on the way
  wrong_id, ///< as random, but one id lies outside what it indexes: beyond its end (even seeds), or -1 (odd ones)
};

[[nodiscard]] std::string_view name_of(InputKind kind);

/// Whether an integer input's values are indices into another tensor, so that `wrong_id` differs from `random`.
[[nodiscard]] bool has_ids(const Definition& definition, const Problem& problem);

/// Every input of `definition` at the sizes of `problem`, rounded to its bound type. Integer inputs that index a tensor
/// stay within its extent. Shapes that cannot be evaluated are diagnostics.
[[nodiscard]] Result<std::map<std::string, HostTensor>>
make_inputs(const Definition& definition, const Problem& problem, InputKind kind, std::uint64_t seed);

} // namespace aicf
