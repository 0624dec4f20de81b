// Where a kernel stands before any clock: how many of its blocks a multiprocessor holds, and how many instructions it
// issues for what it moves, by which a roofline says what bounds it.
#pragma once
#include "core/exec/backend.hpp"

#include <nlohmann/json_fwd.hpp>

namespace aicf {

/// {"fraction", "blocks", "warps", "limiter"} for `target` (occupancy.hpp) from the launch and what ptxas reports; null
/// where the target or a launch expression is not known.
[[nodiscard]] nlohmann::json occupancy_json(const KernelModule& module, const Compiled& compiled,
                                            const std::string& target, const std::map<std::string, std::int64_t>& dims);

/// {"warp_instructions", "sectors", "intensity"}: the instruction roofline's abscissa, warp instructions for each
/// sector of 32 bytes of global memory (Ding, Williams, "An Instruction Roofline Model for GPUs", 2019), by exact
/// counts, as if no cache held any of it. Ceilings stand in the hardware profile of a device. Null without these
/// counters.
[[nodiscard]] nlohmann::json roofline_json(const std::vector<Metric>& counters);

} // namespace aicf
