#include "app/aicf/counted.hpp"

#include "app/aicf/check.hpp"
#include "app/aicf/command.hpp"
#include "core/base/json.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/selftest/kernel_trial.hpp"
#include "core/validate/inputs.hpp"
#include "synth/variant.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>

namespace aicf::cli {
namespace {

using nlohmann::json;

/// Launches with their data.
struct Ready {
  std::vector<Call> calls;
  std::vector<Buffer> buffers;
  std::shared_ptr<void> holder; ///< of what the buffers refer to
};

struct Case {
  std::string name, kind; ///< kind: "pattern" "kernel" "generated" "own"
  std::function<Result<Ready>()> make;
};

Case source_case(const char* kind, const selftest::SourceKernel& kernel) {
  return {kernel.name, kind, [&kernel]() -> Result<Ready> {
            auto trial = selftest::kernel_trial(kernel, "sm_90");
            if (!trial) return trial.failure<Ready>();
            auto kept = std::make_shared<selftest::KernelTrial>(std::move(*trial));
            return Ready{{kept->call}, kept->buffers(), kept};
          }};
}

Result<Ready> ready(const StructureProfile& structure, const Variant& variant, const Problem& problem) {
  auto inputs = make_inputs(*structure.canonical->source, problem, InputKind::random, 1);
  if (!inputs) return inputs.failure<Ready>();
  auto memory = std::make_shared<VariantMemory>();
  auto calls = calls_of(structure, variant, problem, *inputs, *memory);
  if (!calls) return calls.failure<Ready>();
  return Ready{std::move(*calls), memory->buffers(), memory};
}

/// {"name", "op", "shape", "dtype", "plan"}: the first plan in order of estimate with these choices. An operator's file
/// is beside the list.
Result<Ready> generated(const json& body, const std::filesystem::path& folder) {
  int status = done;
  std::string op = body.value("op", "");
  if (op.ends_with(".op")) op = (folder / op).string();
  auto structure = analysed(op, "", status);
  if (!structure) return error("counters.case", "cannot analyse the operator");
  auto dims = parse_shape(body.value("shape", ""), *structure->canonical->source);
  if (!dims) return dims.failure<Ready>();
  auto dtype = dtype_from(body.value("dtype", "f32"));
  auto choices = parse_choices(body.value("plan", ""));
  if (!choices) return choices.failure<Ready>();
  Problem problem{*dims, {}, dtype.value_or(DType::f32), "sm_90"};
  const CompilerProfile rules;
  PlanSpace space = plan(*structure, judge(*structure, rules), rules, problem);
  if (auto problems = restrict_to(space, *choices); !problems.empty()) return problems;
  if (space.plans.empty()) return error("counters.case", "no legal plan");
  auto variant = build_variant(*structure, space.plans.front(), problem);
  if (!variant) return variant.failure<Ready>();
  return ready(*structure, *variant, problem);
}

/// The body of a job of `aicf check`, "file" in place of the source.
Result<Ready> own(json body, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / body.value("file", "");
  std::ifstream in(file, std::ios::binary);
  body["source"] = std::string{std::istreambuf_iterator<char>(in), {}};
  body["file"] = file.string();
  if (std::string op = body.value("op", ""); op.ends_with(".op")) body["op"] = (folder / op).string();
  auto job = check_from(body);
  if (!job) return job.failure<Ready>();
  auto kernel = OwnKernel::bring(job->request);
  if (!kernel) return kernel.failure<Ready>();
  auto variant = kernel->at(job->request.problem);
  if (!variant) return variant.failure<Ready>();
  return ready(*job->request.structure, *variant, job->request.problem);
}

Result<std::vector<Case>> all_cases(const CountedOptions& o) {
  std::vector<Case> cases;
  for (const selftest::SourceKernel& k : selftest::pattern_kernels()) cases.push_back(source_case("pattern", k));
  for (const selftest::SourceKernel& k : selftest::source_kernels()) cases.push_back(source_case("kernel", k));
  if (o.cases.empty()) return cases;
  std::ifstream in(o.cases);
  json list = json::parse(in, nullptr, false);
  if (!list.is_array()) return error("counters.cases", "no JSON list", {o.cases, 0, 0, 0});
  const std::filesystem::path folder = std::filesystem::path(o.cases).parent_path();
  for (const json& body : list) {
    if (!body.is_object() || !body.contains("name") || !body["name"].is_string())
      return error("counters.cases", "a case has a name: " + body.dump(), {o.cases, 0, 0, 0});
    const auto name = body["name"].get<std::string>();
    if (body.contains("file"))
      cases.push_back({name, "own", [body, folder] { return own(body, folder); }});
    else
      cases.push_back({name, "generated", [body, folder] { return generated(body, folder); }});
  }
  return cases;
}

json counted(const Case& one, Backend& backend, const CountedOptions& o, const std::stop_token& stop) {
  json row{{"name", one.name}, {"kind", one.kind}, {"entries", json::array()}, {"metrics", json::array()}};
  auto made = one.make();
  if (!made) {
    row["error"] = made.missing ? made.missing->what : format(made.diagnostics.front());
    return row;
  }
  for (const Call& call : made->calls) {
    row["entries"].push_back(call.module.entry);
    row["grid"].push_back(call.module.launch.grid[0].text);
  }
  RunOptions how;
  how.checks = false;
  how.counters = !o.launch;
  auto run = backend.run(made->calls, made->buffers, how, stop);
  if (!run)
    row["error"] = run.missing ? run.missing->what : format(run.diagnostics.front());
  else if (run->status != RunResult::Status::ok)
    row["error"] = run->faults.empty() ? "the run did not end" : run->faults.front().message;
  else
    for (const Metric& m : run->metrics) row["metrics"].push_back(aicf::to_json(m));
  return row;
}

void print(const json& row) {
  std::cout << row["name"].get<std::string>() << "\n";
  if (row.contains("error")) std::cout << "  " << row["error"].get<std::string>() << "\n";
  for (const json& m : row["metrics"]) {
    const json& value = m["value"];
    std::string state = m["source"].get<std::string>();
    std::replace(state.begin(), state.end(), '_', ' ');
    std::cout << "  " << m["id"].get<std::string>() << " "
              << (value.is_null() ? state + " (" + m["method"].get<std::string>() + ")"
                                  : value.dump() + " " + m["unit"].get<std::string>())
              << "\n";
  }
}

} // namespace

int selftest_counters(const CountedOptions& o, const std::stop_token& stop) {
  auto cases = all_cases(o);
  if (!cases) return report(cases);
  for (const std::string& name : o.only)
    if (std::ranges::none_of(*cases, [&](const Case& c) { return c.name == name; }))
      return complain("--only: no kernel " + name);
  json document{{"schema", "aicf.counters/1"}, {"backend", o.backend}, {"kernels", json::array()}};
  std::unique_ptr<Backend> backend;
  if (!o.list) {
    auto opened = make_backend(o.backend);
    if (!opened) return report(opened);
    backend = std::move(*opened);
    if (o.backend == "cuda")
      if (auto device = cuda::device_at(0)) document["device"] = cuda::to_json(*device);
  }
  bool whole = true;
  for (const Case& one : *cases) {
    if (stop.stop_requested()) break;
    if (!o.only.empty() && std::ranges::find(o.only, one.name) == o.only.end()) continue;
    json row = o.list ? json{{"name", one.name}, {"kind", one.kind}, {"metrics", json::array()}}
                      : counted(one, *backend, o, stop);
    whole = whole && !row.contains("error");
    if (!o.json) print(row);
    document["kernels"].push_back(std::move(row));
  }
  if (o.json) print_json(document);
  return whole && !stop.stop_requested() ? done : negative;
}

} // namespace aicf::cli
