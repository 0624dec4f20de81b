#include "probes/occupancy_probe.hpp"

#include "core/exec/occupancy.hpp"
#include "probes/statistics.hpp"

namespace aicf::probes {

std::vector<Trial> OccupancyProbe::trials(const Setting& setting) const {
  const Resource r = resource();
  std::vector<Trial> out;
  for (int amount : r.amounts) {
    for (const auto reads : {Trial::Reads::exact, Trial::Reads::cycles}) {
      KernelText k;
      k.source = filled(
          R"(extern "C" __global__ void __launch_bounds__(@BLOCK@) probe(long long* samples, unsigned* sink, unsigned* begun, long long wait) {
@BODY@
  if (threadIdx.x == 0) {
    unsigned long long first, now;
    atomicAdd(begun, 1u);
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(first));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - first < wait);
    if (blockIdx.x == 0) samples[0] = atomicAdd(begun, 0u);
  }
  __syncthreads();
@END@
}
)",
          {{"BLOCK", std::to_string(block)}, {"BODY", r.body}, {"END", r.end}});
      const bool count = reads == Trial::Reads::cycles;
      k.grid = count && setting.device ? 64 * setting.hardware.sm_count : 1;
      k.block = block;
      k.source = filled(k.source, {{"LIVE", std::to_string(amount)}});
      k.shared = amount * r.shared_unit;
      k.buffers = {{"samples", DType::i64, 1}, {"sink", DType::i32, block}, {"begun", DType::i32, 1}};
      k.values = {{"wait", count && setting.device ? 200000 : 8}};
      Trial t = trial((count ? "count_" : "exact_") + std::to_string(amount), reads, k);
      t.per = setting.hardware.sm_count;
      t.x = amount;
      out.push_back(std::move(t));
    }
  }
  return out;
}

void OccupancyProbe::conclude(const Setting&, const Observations& seen, Findings& findings) const {
  const Resource r = resource();
  const std::string name = text().name;
  const double most = 2048.0 / block;
  auto computed = [&](const Trial& t, const Observation& o) {
    const auto sm = sm_limits("sm_90");
    const int shared = o.shared_bytes + static_cast<int>(t.x) * static_cast<int>(r.shared_unit);
    return static_cast<double>(occupancy(*sm, o.registers, shared, block).blocks);
  };
  for (const Trial& t : seen.trials()) {
    const Observation& o = seen.at(t.id);
    const std::string amount = std::to_string(static_cast<int>(t.x));
    if (t.reads == Trial::Reads::exact) {
      if (t.x == r.amounts[0])
        findings.control_exact(computed(t, o) == most, "blocks with next to nothing must be " + std::to_string(most) +
                                                           ", came out " + std::to_string(computed(t, o)));
      findings.exact("blocks_" + amount,
                     "Blocks of " + std::to_string(block) + " threads a multiprocessor, " + amount + r.of_amount,
                     "blocks", o, computed(t, o), "computed");
    } else {
      if (t.x == r.amounts[0]) findings.control_device(o, most, most, "blocks a multiprocessor with next to nothing");
      findings.measured("counted_" + amount, "Blocks counted on a multiprocessor, " + amount + r.of_amount, "blocks",
                        o);
    }
  }
  HardwareCurve& curve = findings.curve("blocks", name, r.axis, {"blocks", "", false}, false);
  fill_curve(curve, seen, trials_of(seen, "exact_"), [&](const Trial& t, const Observation& o) {
    const double blocks = computed(t, o);
    return Spread{blocks, blocks, blocks, 1};
  });
  curve.changes = steps(curve.points, false, 0.4);
  curve.change_method = steps_method(false, 0.4);
  HardwareCurve& counted = findings.curve("counted", name + ", counted", r.axis, {"blocks", "", false}, true);
  fill_curve(counted, seen, trials_of(seen, "count_"), [](const Trial&, const Observation& o) { return o.spread; });
}

ProbeText occupancy_text(const std::string& id, const std::string& name, const std::string& measures) {
  return {.id = id,
          .lab = "hardware",
          .name = name,
          .measures = measures,
          .method = "computed from ptxas's registers and the documented allocation units; on a device counted: "
                    "blocks wait 200 microseconds by %globaltimer, and the first reads how many have begun",
          .control = "with next to nothing asked for the limit is threads: 2048 over the block",
          .inputs = "none"};
}

} // namespace aicf::probes
