#include "probes/outputs.hpp"

#include "core/evidence/priors.hpp"
#include "core/exec/occupancy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace aicf::probes {
namespace {

bool has_value(const HardwareFigure* f) { return f != nullptr && (f->status == "exact" || f->status == "measured"); }

/// The figure of largest value whose id begins with `prefix`.
const HardwareFigure* largest(const HardwareProfile& profile, const std::string& prefix) {
  const HardwareFigure* best = nullptr;
  for (const HardwareFigure& f : profile.figures)
    if (f.id.starts_with(prefix) && has_value(&f) && (best == nullptr || f.value > best->value)) best = &f;
  return best;
}

void ceiling(HardwareProfile& profile, const std::string& id, const std::string& name, const std::string& kind,
             const std::string& prefix, double scale, const std::string& how) {
  const HardwareFigure* f = largest(profile, prefix);
  if (f == nullptr || !(scale > 0)) return;
  profile.envelope.push_back({id, name, kind, kind == "compute" ? "FLOP/s" : "B/s", f->value * scale, f->lo * scale,
                              f->hi * scale, f->id, "the largest of " + prefix + "*" + how});
}

void envelope(HardwareProfile& profile) {
  ceiling(profile, "dram_read", "DRAM, read", "bandwidth", "dram_read.", 1, "");
  ceiling(profile, "dram_copy", "DRAM, copy", "bandwidth", "dram_copy.copy", 1, "");
  ceiling(profile, "l2_read", "L2, read", "bandwidth", "l2_bandwidth.", 1, "");
  const HardwareFigure* fma = figure_of(profile, "arithmetic_rate.fma_f32");
  if (!has_value(fma)) return;
  const double clocks = 1e6 * std::strtod(fma->clock.c_str(), nullptr) * profile.device.sm_count;
  const std::string how = " times multiprocessors, the clock measured just before, and the operations of one";
  ceiling(profile, "fp32", "FP32 fma", "compute", "arithmetic_rate.fma_f32", 2 * clocks, how);
  ceiling(profile, "fp64", "FP64 fma", "compute", "arithmetic_rate.fma_f64", 2 * clocks, how);
}

void limits(HardwareProfile& profile) {
  auto from_driver = [&](const char* id, const char* name, const char* unit, double value) {
    if (value > 0) profile.limits.push_back({id, name, unit, value, "driver", "", ""});
  };
  const HardwareDevice& d = profile.device;
  if (profile.source == "device") {
    from_driver("sm_count", "Multiprocessors", "", d.sm_count);
    from_driver("memory_bytes", "Memory", "B", static_cast<double>(d.memory_bytes));
    from_driver("l2_bytes", "L2", "B", static_cast<double>(d.l2_bytes));
    from_driver("block_shared_bytes", "Shared memory of a block, opted in", "B",
                static_cast<double>(d.shared_optin_bytes));
  }
  for (const auto& [id, name, figure] :
       {std::array<const char*, 3>{"l1_bytes", "L1, without shared memory in use", "l1_capacity.capacity"},
        {"l1_grain", "Bytes that a miss brings to L1", "fill_grain.l1_grain"},
        {"l2_grain", "Bytes that a miss brings to L2", "fill_grain.l2_grain"}})
    if (const HardwareFigure* f = figure_of(profile, figure); has_value(f))
      profile.limits.push_back({id, name, f->unit, f->value, "figure", f->id, ""});
  const auto sm = sm_limits(d.arch);
  if (!sm) return;
  const std::string source = "CUDA C++ Programming Guide 13.0, Technical Specifications per Compute Capability";
  auto documented = [&](const char* id, const char* name, const char* unit, int value) {
    profile.limits.push_back({id, name, unit, static_cast<double>(value), "documented", "", source});
  };
  documented("sm_threads", "Threads of a multiprocessor", "threads", sm->threads);
  documented("sm_blocks", "Blocks of a multiprocessor", "blocks", sm->blocks);
  documented("sm_registers", "Registers of a multiprocessor", "registers", sm->registers);
  documented("sm_shared_bytes", "Shared memory of a multiprocessor", "B", sm->shared_bytes);
  documented("block_threads", "Threads of a block", "threads", sm->block_threads);
  documented("thread_registers", "Registers of a thread", "registers", sm->thread_registers);
}

} // namespace

void derive_outputs(HardwareProfile& profile) {
  profile.envelope.clear(), profile.limits.clear(), profile.realizations.clear();
  profile.legality_costs.clear(), profile.viability.clear();
  envelope(profile);
  limits(profile);
  derive_plan_outputs(profile);
  profile.priors = derive_priors(profile);
}

} // namespace aicf::probes
