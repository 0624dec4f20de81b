// Kernels that do nothing, one after another: what a launch costs.
#pragma once
#include "probes/probe.hpp"

#include <string>

namespace aicf::probes {

/// The time of `launches` empty kernels in a row, of `grid` blocks of 128 threads; without a device of one block.
[[nodiscard]] Trial empty_launches(const std::string& id, std::int64_t grid, int launches, const Setting& setting);
/// Microseconds of each of the `further` launches that `many` has beyond `few`; spread from both quartiles.
[[nodiscard]] Spread each_further(const Observation& few, const Observation& many, int further);

} // namespace aicf::probes
