// What a variant is likely to cost where nothing can be timed: from counters that the emulator counted, the occupancy
// of what was compiled, and a machine. Always marked as an estimate.
#pragma once
#include "core/plan/machine.hpp"
#include "core/validate/validate.hpp"

namespace aicf {

/// "time_us.estimate" with source `estimated`, or `not_measured` with the reason as its method where counters or sizes
/// are missing. `counters` are of one run at the problem's sizes.
///
/// A roofline in three terms, each over what the machine gives: bytes (every tensor once from memory, what goes over
/// the bus beyond that at the price of a byte read again), instructions (by all schedulers, or by the unit of one
/// class where that takes longer: unit_times in kernel_position.hpp), and wavefronts of shared memory;
/// memory is slowed by as much as the warps that fit ask for too little at once (Little's law). The largest counts
/// whole, the others by a seventh; each kernel after the first adds its launch.
[[nodiscard]] Metric estimated_time(const Variant& variant, const Problem& problem, const std::vector<Metric>& counters,
                                    const MachineModel& machine);

} // namespace aicf
