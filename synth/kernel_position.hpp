// Where a kernel stands before any clock: how many of its blocks a multiprocessor holds, and how many instructions it
// issues for what it moves, by which a roofline says what bounds it.
#pragma once
#include "core/exec/backend.hpp"
#include "core/plan/machine.hpp"

#include <nlohmann/json_fwd.hpp>

namespace aicf {

/// {"fraction", "blocks", "warps", "limiter"} for `target` (occupancy.hpp) from the launch and what ptxas reports; null
/// where the target or a launch expression is not known.
[[nodiscard]] nlohmann::json occupancy_json(const KernelModule& module, const Compiled& compiled,
                                            const std::string& target, const std::map<std::string, std::int64_t>& dims);

/// The time that one unit alone would need for what was counted, on so many multiprocessors, every slot of it taken.
struct UnitTime {
  std::string unit; ///< "issue" "f32" "f64" "half" "special" "conversion" "warp" "tensor" "shared"
  double ns = 0;
};

/// Of the units that the counters speak of; idle lanes take slots too. Lanes a clock of a multiprocessor: CUDA C++
/// Programming Guide 13.0, "Throughput of Native Arithmetic Instructions", compute capability 9.0; of matrix
/// instructions 4096 operations, as with factors of 16 bits. Integers have no unit of their own here: ptxas folds most
/// of the address arithmetic that PTX spells out.
[[nodiscard]] std::vector<UnitTime> unit_times(const std::vector<Metric>& counters, const MachineModel& machine,
                                               double multiprocessors);

/// Null without the emulator's counters, else:
/// "warp_instructions", "sectors", "intensity": the instruction roofline's abscissa, warp instructions for each sector
/// of 32 bytes of global memory (Ding, Williams, "An Instruction Roofline Model for GPUs", 2019), by exact counts, as
/// if no cache held any of it;
/// "flops", "bytes", "flops_per_byte": the classical abscissa, matrix instructions and every type of float included;
/// "ceilings_us": by unit_times() on all multiprocessors of the machine, and "memory", each with nothing else in the
/// way; "bound": the highest of them; "priors": those that the machine is made of, none: a nominal machine.
[[nodiscard]] nlohmann::json roofline_json(const std::vector<Metric>& counters, const MachineModel& machine);

} // namespace aicf
