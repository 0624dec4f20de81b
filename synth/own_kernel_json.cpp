#include "synth/kernel_position.hpp"
#include "synth/own_kernel_check.hpp"

#include <nlohmann/json.hpp>

namespace aicf {

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
  const KernelModule& module = report.variant.variant.modules.back();
  document["occupancy"] = occupancy_json(module, kernel.compiled(), request.problem.target, request.problem.dims);
  document["roofline"] = roofline_json(report.variant.validation.counters, report.machine);
  return document;
}

} // namespace aicf
