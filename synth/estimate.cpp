#include "synth/estimate.hpp"

#include "core/exec/occupancy.hpp"
#include "core/kernel/dim_expr.hpp"
#include "synth/kernel_position.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace aicf {
namespace {

constexpr double sector = 32, warp_lanes = 32;
constexpr double lanes_of_multiprocessor = 128; ///< of whose issue a clock is made; since Volta 4 schedulers of 32

struct Resident {
  double warps = 0;  ///< of a multiprocessor, the fewest of all kernels
  double blocks = 0; ///< of the largest grid
};

Result<double> product(const std::array<DimExpr, 3>& extents, const std::map<std::string, std::int64_t>& dims) {
  double all = 1;
  for (const DimExpr& e : extents) {
    auto value = evaluate(e, dims);
    if (!value) return value.failure<double>();
    all *= static_cast<double>(*value);
  }
  return all;
}

Result<Resident> resident(const Variant& v, const Problem& problem, const MachineModel& machine) {
  auto limits = sm_limits(problem.target);
  if (!limits) return limits.failure<Resident>();
  Resident r;
  r.warps = INFINITY;
  for (std::size_t i = 0; i < v.modules.size(); ++i) {
    const Launch& launch = v.modules[i].launch;
    auto threads = product(launch.block, problem.dims), blocks = product(launch.grid, problem.dims);
    auto dynamic = evaluate(launch.dynamic_shared, problem.dims);
    if (!threads || !blocks || !dynamic) return error("synth.estimate", "a launch is not known before it runs");
    const Occupancy fits =
        occupancy(*limits, v.compiled[i].registers, v.compiled[i].shared_bytes + static_cast<int>(*dynamic),
                  static_cast<int>(*threads));
    const double present = std::min<double>(fits.blocks, std::ceil(*blocks / machine.multiprocessors));
    r.warps = std::min(r.warps, present * std::ceil(*threads / warp_lanes));
    r.blocks = std::max(r.blocks, *blocks);
  }
  return r;
}

/// Bytes of everything that the kernels read or write, each tensor once.
Result<double> footprint(const Variant& v, const Problem& problem) {
  double bytes = 0;
  std::set<std::string> seen;
  for (const KernelModule& m : v.modules)
    for (const Arg& arg : m.args) {
      if (arg.role == Arg::Role::scalar || !seen.insert(arg.name).second) continue;
      double count = 1;
      for (const DimExpr& extent : arg.shape) {
        auto value = evaluate(extent, problem.dims);
        if (!value) return value.failure<double>();
        count *= static_cast<double>(*value);
      }
      bytes += count * static_cast<double>(size_of(arg.dtype));
    }
  return bytes;
}

Metric unknown(std::string why) {
  Metric m;
  m.id = "time_us.estimate", m.unit = "us", m.method = std::move(why);
  return m;
}

} // namespace

Metric estimated_time(const Variant& variant, const Problem& problem, const std::vector<Metric>& counters,
                      const MachineModel& machine) {
  auto counter = [&](const char* id) {
    for (const Metric& m : counters)
      if (m.id == id && m.source == Metric::Source::exact) return m.value;
    return std::nan("");
  };
  const double sectors = counter("global_load_sectors") + counter("global_store_sectors");
  const double instructions = counter("thread_instructions"), efficiency = counter("active_lane_efficiency");
  const double wavefronts = counter("shared_load_wavefronts") + counter("shared_store_wavefronts");
  const double requests = counter("global_load_requests");
  if (!std::isfinite(sectors + instructions + wavefronts + requests + efficiency))
    return unknown("no counters: only the emulator counts");
  if (variant.compiled.size() != variant.modules.size()) return unknown("not compiled");
  auto fits = resident(variant, problem, machine);
  auto once = footprint(variant, problem);
  if (!fits || !once) return unknown("a size is not known before the kernel runs");
  if (!(fits->warps > 0)) return unknown("no block fits a multiprocessor");

  // Idle lanes take issue slots too; multiprocessors without a block give none.
  const double busy = std::clamp(fits->blocks, 1.0, machine.multiprocessors);
  double issue = instructions / std::max(efficiency, 1e-3) / (busy * machine.issue);
  for (const UnitTime& unit : unit_times(counters, machine, busy)) // slower than the schedulers
    if (unit.unit != "issue" && unit.unit != "shared") issue = std::max(issue, unit.ns);
  const double clock = machine.issue / lanes_of_multiprocessor; // a wavefront takes one
  const double shared = wavefronts / (busy * clock);
  const double moved = sectors * sector, first = std::min(moved, *once);
  const double asked = fits->warps * sector * std::max(1.0, counter("global_load_sectors") / std::max(requests, 1.0));
  const double starved = std::max(1.0, machine.in_flight / (2 * asked)); // two requests of a warp in flight
  const double memory = (first + (moved - first) * machine.reread) / machine.memory_rate * starved;

  const double largest = std::max({issue, shared, memory});
  const double ns = largest + (issue + shared + memory - largest) / 7 +
                    (static_cast<double>(variant.modules.size()) - 1) * machine.second_kernel;
  Metric m;
  m.source = Metric::Source::estimated;
  m.id = "time_us.estimate", m.unit = "us";
  m.value = m.lo = m.hi = ns / 1e3;
  m.method = "roofline of counters and occupancy on ";
  if (machine.priors.empty())
    m.method += "a nominal machine";
  else
    m.method += "a machine with " + std::to_string(machine.priors.size()) + " priors of hardware profiles";
  return m;
}

} // namespace aicf
