// Random definitions in the operator language: maps and cascades of random shapes, the same for the same seed.
#pragma once
#include <cstdint>
#include <string>

namespace aicf {

/// The text of one operator. Tensors of rank 1 to 3 with random names; one axis, anywhere, or two that are reduced
/// together; reductions of up to three levels (maxima, sums, means, exponentials, moments, positions); masks and
/// predicates, weights of the axis, values of the row, neighbours on the axis, gathers by ids; one to three results of
/// several types, along the axis or a number a row; or a map.
[[nodiscard]] std::string random_definition(std::uint64_t seed);

} // namespace aicf
