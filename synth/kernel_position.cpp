#include "synth/kernel_position.hpp"

#include "core/exec/occupancy.hpp"
#include "core/kernel/dim_expr.hpp"

#include <nlohmann/json.hpp>

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

nlohmann::json roofline_json(const std::vector<Metric>& counters) {
  double instructions = -1, sectors = 0;
  for (const Metric& m : counters) {
    if (m.id == "warp_instructions") instructions = m.value;
    if (m.id == "global_load_sectors" || m.id == "global_store_sectors") sectors += m.value;
  }
  if (instructions < 0 || sectors <= 0) return nullptr;
  return {{"warp_instructions", instructions}, {"sectors", sectors}, {"intensity", instructions / sectors}};
}

} // namespace aicf
