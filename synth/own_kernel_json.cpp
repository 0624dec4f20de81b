#include "synth/kernel_position.hpp"
#include "synth/own_kernel_check.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace aicf {
namespace {

/// No plan stands behind the kernel, so nothing is derived: what its runs showed.
nlohmann::json seen_order(const Validation& v) {
  auto answer = [&](bool tried, bool same) -> std::string {
    if (!tried) return "not tried";
    return same ? "not seen to be lost" : "lost (" + v.order->difference + ")";
  };
  auto of_blocks = [](const std::string& trial) { return trial.starts_with("with blocks"); };
  const std::vector<std::string> tried = v.order ? v.order->tried : std::vector<std::string>{};
  const bool orders = std::ranges::any_of(tried, of_blocks), batches = !std::ranges::all_of(tried, of_blocks);
  return {{"keeps", nullptr},
          {"reason", "a kernel that no plan made: nothing derives its order, runs can only refute one"},
          {"run_to_run", answer(orders, v.order && v.order->run_to_run)},
          {"batch_invariant", answer(batches, v.order && v.order->batch_invariant)},
          {"device_to_device", "not tried"},
          {"tried", tried},
          {"assumptions", nlohmann::json::array()}};
}

} // namespace

nlohmann::json to_json(const OwnKernelReport& report, const OwnKernel& kernel, const OwnKernelRequest& request) {
  using nlohmann::json;
  json parameters = json::array(), findings = json::array(), lines = json::array(), dims = json::object();
  for (const MappedParameter& m : kernel.parameters())
    parameters.push_back({{"name", m.parameter.name},
                          {"type", m.parameter.type + (m.parameter.pointer ? "*" : "")},
                          {"stands_for", m.stands_for},
                          {"by", m.how}});
  for (const Finding& f : report.findings) {
    json one{{"kind", f.kind},    {"kernel", f.kernel}, {"message", f.message},
             {"file", f.at.file}, {"line", f.at.line},  {"ptx_line", f.ptx_line}};
    if (f.by_thread) one["block"] = f.block, one["thread"] = f.thread;
    findings.push_back(std::move(one));
  }
  for (const LineCounters& l : report.lines) {
    lines.push_back(to_json(l));
    lines.back()["line"] = l.cuda_line;
  }
  for (const auto& [name, extent] : request.problem.dims) dims[name] = extent;
  json document{{"schema", "aicf.check/1"},
                {"op", request.structure->canonical->source->name},
                {"structure_hash", to_hex(request.structure->canonical->structure_hash)},
                {"file", request.file},
                {"entry", request.entry},
                {"shape", dims},
                {"dtype", name_of(request.problem.float_type)},
                {"target", request.problem.target},
                {"passed", report.variant.validation.passed},
                {"parameters", parameters},
                {"fixed_sizes", kernel.fixed_sizes()},
                {"findings", findings},
                {"lines", lines},
                {"notes", report.notes},
                {"variant", to_json(report.variant)}};
  document["variant"]["order"] = seen_order(report.variant.validation);
  const KernelModule& module = report.variant.variant.modules.back();
  document["occupancy"] = occupancy_json(module, kernel.compiled(), request.problem.target, request.problem.dims);
  document["roofline"] = roofline_json(report.variant.validation.counters, report.machine);
  return document;
}

} // namespace aicf
