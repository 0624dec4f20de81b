#include "core/base/json.hpp"
#include "core/exec/line_counters_json.hpp"
#include "synth/kernel_position.hpp"
#include "synth/synthesis.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace aicf {
namespace {

using nlohmann::json;

json metrics_json(const std::vector<Metric>& metrics) {
  json list = json::array();
  for (const Metric& m : metrics) list.push_back(to_json(m));
  return list;
}

json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  json list = json::array();
  for (const Diagnostic& d : diagnostics) list.push_back(to_json(d));
  return list;
}

} // namespace

nlohmann::json to_json(const SynthesizedVariant& v) {
  json modules = json::array();
  Compiled worst;
  for (std::size_t i = 0; i < v.variant.modules.size(); ++i) {
    const KernelModule& m = v.variant.modules[i];
    json notes = json::array();
    for (const SourceNote& n : m.notes) notes.push_back({{"line", n.line}, {"rule", n.rule}});
    json module{{"entry", m.entry}, {"source", m.cuda_source}, {"options", m.options}, {"notes", notes}};
    if (i < v.variant.compiled.size()) {
      const Compiled& c = v.variant.compiled[i];
      module["compile"] = {
          {"registers", c.registers}, {"shared_bytes", c.shared_bytes}, {"spill_bytes", c.spill_bytes}};
      module["ptx"] = c.ptx;
      worst.registers = std::max(worst.registers, c.registers);
      worst.shared_bytes = std::max(worst.shared_bytes, c.shared_bytes);
      worst.spill_bytes += c.spill_bytes;
    }
    modules.push_back(std::move(module));
  }
  json plan = to_json(v.variant.plan);
  plan["id"] = to_hex(id_of(v.variant.plan));
  json j{{"id", v.id},
         {"status", v.status},
         {"plan", plan},
         {"modules", modules},
         {"source", v.variant.modules.empty() ? json(nullptr) : json(v.variant.modules.front().cuda_source)},
         {"order",
          {{"keeps", name_of(v.order.keeps)},
           {"run_to_run", v.order.run_to_run.answer},
           {"batch_invariant", v.order.batch_invariant.answer},
           {"device_to_device", v.order.device_to_device.answer},
           {"assumptions", v.order.assumptions}}},
         {"compile",
          {{"registers", worst.registers}, {"shared_bytes", worst.shared_bytes}, {"spill_bytes", worst.spill_bytes}}},
         {"validation", to_json(v.validation)},
         {"counters", metrics_json(v.validation.counters)},
         {"diagnostics", diagnostics_json(v.diagnostics)}};
  if (!v.resumed.empty()) j["resumed"] = v.resumed;
  if (!v.validation.lines.empty()) j["lines"] = lines_json(v.validation.lines);
  if (!v.timings.empty()) j["time_us"] = metrics_json(v.timings);
  if (!v.estimates.empty()) j["estimates"] = metrics_json(v.estimates);
  return j;
}

nlohmann::json lines_json(const std::vector<LineCounters>& lines) {
  json list = json::array();
  for (const LineCounters& l : lines) {
    list.push_back(to_json(l));
    list.back().update({{"kernel", l.kernel}, {"line", l.cuda_line}, {"ptx_line", l.ptx_line}});
  }
  return list;
}

std::optional<std::vector<LineCounters>> lines_from_json(const nlohmann::json& document) {
  std::vector<LineCounters> lines;
  try {
    for (const json& one : document) {
      auto l = line_counters_from_json(one);
      if (!l) return std::nullopt;
      l->kernel = one.at("kernel").get<std::string>();
      l->cuda_line = one.at("line").get<int>(), l->ptx_line = one.at("ptx_line").get<int>();
      lines.push_back(std::move(*l));
    }
  } catch (const json::exception&) {
    return std::nullopt;
  }
  return lines;
}

nlohmann::json to_json(const SynthesisResult& result, const SynthesisRequest& request) {
  const Canonical& canonical = *request.structure->canonical;
  json variants = json::array(), refused = json::object();
  for (const SynthesizedVariant& v : result.variants) {
    json one = to_json(v);
    for (std::size_t i = 0; i < std::min(v.variant.modules.size(), v.variant.compiled.size()); ++i)
      one["modules"][i]["occupancy"] =
          occupancy_json(v.variant.modules[i], v.variant.compiled[i], request.problem.target, request.problem.dims);
    one["roofline"] = roofline_json(v.validation.counters, result.machine);
    variants.push_back(std::move(one));
  }
  for (const auto& [reason, count] : result.space.refused) refused[reason] = count;
  json dims = json::object();
  for (const auto& [name, extent] : request.problem.dims) dims[name] = extent;
  json j{{"schema", "aicf.synthesis/1"},
         {"op", canonical.source->name},
         {"structure_hash", to_hex(canonical.structure_hash)},
         {"shape", dims},
         {"dtype", name_of(request.problem.float_type)},
         {"target", request.problem.target},
         {"backend", request.backend},
         {"profile", to_json(request.rules)},
         {"variants", variants},
         {"refused", refused},
         {"generated", result.space.generated},
         {"legal", result.space.plans.size()},
         {"priors", result.machine.priors}, // that plans were ordered by; none: a nominal machine
         {"cancelled", result.cancelled}};
  if (!result.refusal.empty()) j["refusal"] = result.refusal;
  return j;
}

} // namespace aicf
