#include "synth/kernel_position.hpp"

#include "core/exec/occupancy.hpp"
#include "core/kernel/dim_expr.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace aicf {

nlohmann::json occupancy_json(const KernelModule& module, const Compiled& compiled, const std::string& target,
                              const std::map<std::string, std::int64_t>& dims) {
  const auto sm = sm_limits(target);
  if (!sm) return nullptr;
  std::int64_t threads = 1;
  for (const DimExpr& extent : module.launch.block) {
    const auto value = evaluate(extent, dims);
    if (!value || *value < 1 || *value > 1024) return nullptr;
    threads *= *value;
  }
  const auto dynamic = evaluate(module.launch.dynamic_shared, dims);
  if (!dynamic) return nullptr;
  const Occupancy o =
      occupancy(*sm, compiled.registers, compiled.shared_bytes + static_cast<int>(*dynamic), static_cast<int>(threads));
  return {{"fraction", o.fraction}, {"blocks", o.blocks}, {"warps", o.warps}, {"limiter", o.limiter}};
}

namespace {

constexpr double warp_lanes = 32, sector_bytes = 32;
constexpr double issued_lanes = 128; ///< a clock of a multiprocessor: four schedulers of a warp each
constexpr double tensor_operations_of_a_clock = 4096;

/// The sum of the counters that have one of these names; absent ones are zero.
double sum(const std::vector<Metric>& counters, std::initializer_list<std::string_view> ids) {
  double all = 0;
  for (const Metric& m : counters)
    for (const std::string_view id : ids)
      if (m.id == id && m.source == Metric::Source::exact) all += m.value;
  return all;
}

} // namespace

std::vector<UnitTime> unit_times(const std::vector<Metric>& counters, const MachineModel& machine,
                                 double multiprocessors) {
  struct Unit {
    InstructionClass of;
    double lanes; ///< a clock
  };
  constexpr std::array<Unit, 6> units{{{InstructionClass::f32, 128},
                                       {InstructionClass::f64, 64},
                                       {InstructionClass::half, 128},
                                       {InstructionClass::special, 16},
                                       {InstructionClass::conversion, 64},
                                       {InstructionClass::warp, 32}}};
  const double clocks = multiprocessors * machine.issue / issued_lanes; // of all of them, a nanosecond
  std::vector<UnitTime> times;
  const auto add = [&](std::string_view unit, double of_a_clock) {
    if (of_a_clock > 0) times.push_back({std::string(unit), of_a_clock / clocks});
  };
  add("issue", sum(counters, {"warp_instructions"}) * warp_lanes / issued_lanes);
  for (const Unit& u : units)
    add(name_of(u.of), sum(counters, {"warp_instructions." + std::string(name_of(u.of))}) * warp_lanes / u.lanes);
  add("tensor", sum(counters, {"tensor_flops", "tensor_integer_operations"}) / tensor_operations_of_a_clock);
  add("shared", sum(counters, {"shared_load_wavefronts", "shared_store_wavefronts"}));
  return times;
}

nlohmann::json roofline_json(const std::vector<Metric>& counters, const MachineModel& machine) {
  const double instructions = sum(counters, {"warp_instructions"});
  const double sectors = sum(counters, {"global_load_sectors", "global_store_sectors", "global_atomic_sectors"});
  if (instructions <= 0 || sectors <= 0) return nullptr;
  const double flops = sum(counters, {"flops_f32", "flops_f64", "flops_half", "tensor_flops"});
  const double bytes = sectors * sector_bytes;
  auto times = unit_times(counters, machine, machine.multiprocessors);
  times.push_back({"memory", bytes / machine.memory_rate});
  nlohmann::json ceilings = nlohmann::json::object();
  const UnitTime* highest = &times.front();
  for (const UnitTime& t : times) {
    ceilings[t.unit] = t.ns / 1e3;
    if (t.ns > highest->ns) highest = &t;
  }
  return {{"warp_instructions", instructions},
          {"sectors", sectors},
          {"intensity", instructions / sectors},
          {"flops", flops},
          {"bytes", bytes},
          {"flops_per_byte", flops / bytes},
          {"ceilings_us", ceilings},
          {"bound", highest->unit},
          {"priors", machine.priors}};
}

} // namespace aicf
