// aicf check: a kernel that the user wrote, under the same checks, counters, bound and comparison as generated ones.
#include "app/aicf/check.hpp"

#include "app/aicf/check_report.hpp"
#include "app/aicf/command.hpp"
#include "app/aicf/counter_table.hpp"
#include "app/aicf/document.hpp"
#include "app/aicf/remote.hpp"
#include "app/aicf/request.hpp"
#include "app/aicf/store.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/occupancy.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace aicf {
namespace {

using nlohmann::json;

class Fields {
 public:
  explicit Fields(const json& b) : body(b) {}
  std::string text(const char* key, const char* otherwise) {
    if (!body.contains(key)) return otherwise;
    if (body[key].is_string()) return body[key].get<std::string>();
    wrong(key, "a string is needed");
    return otherwise;
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> out;
    if (!body.contains(key)) return out;
    if (!body[key].is_array()) wrong(key, "a list is needed");
    for (const json& item : body[key].is_array() ? body[key] : json::array())
      if (item.is_string())
        out.push_back(item.get<std::string>());
      else
        wrong(key, "a list of strings is needed");
    return out;
  }
  void wrong(const std::string& key, const std::string& why) {
    diagnostics.push_back(error("job.field", key + ": " + why));
  }
  const json& body;
  std::vector<Diagnostic> diagnostics;
};

constexpr std::array<const char*, 5> functions{"exp", "log", "tanh", "erf", "divide"};

} // namespace

Result<CheckJob> check_from(const json& body, std::stop_token stop) {
  if (!body.is_object()) return error("job.body", "the body of a job is an object");
  json common = body;
  CheckJob job;
  job.any_type = body.value("dtype", json("")) == "";
  if (job.any_type) common["dtype"] = "f32";
  if (!body.contains("row_limit")) common["row_limit"] = 0;
  auto shared = request_from(common, std::move(stop));
  if (!shared) return shared.failure<CheckJob>();
  job.how = {shared->rules, shared->backend, shared->seed, shared->row_limit, shared->counters};
  if (!body.contains("profile")) job.how.rules.order = Order::any; // nothing was asked of it
  OwnKernelRequest& r = job.request;
  r.structure = shared->structure;
  r.problem = shared->problem;
  Fields fields(body);
  r.source = fields.text("source", "");
  r.file = fields.text("file", "<kernel>");
  r.entry = fields.text("entry", "");
  r.grid = fields.text("grid", "1");
  r.block = fields.text("block", "1");
  r.cluster = fields.text("cluster", "1");
  r.shared = fields.text("shared", "0");
  r.arguments = fields.texts("arguments");
  r.zeroed = fields.texts("zeroed");
  r.options = fields.texts("options");
  for (const std::string& function : fields.texts("approximate"))
    if (std::ranges::find(functions, function) != functions.end())
      r.approximate[function] = "fast";
    else
      fields.wrong("approximate", function + " is none of exp, log, tanh, erf, divide");
  if (body.contains("multiples") && body["multiples"].is_object()) {
    for (const auto& [size, multiple] : body["multiples"].items())
      if (multiple.is_number_integer() && multiple.get<std::int64_t>() > 0 && r.problem.dims.contains(size))
        r.multiples[size] = multiple.get<std::int64_t>();
      else
        fields.wrong("multiples", size + ": a size of the operator and a positive integer are needed");
  } else if (body.contains("multiples")) {
    fields.wrong("multiples", "an object is needed");
  }
  if (r.source.empty()) fields.wrong("source", "the text of the kernel is needed");
  if (r.entry.empty()) fields.wrong("entry", "the name of the kernel is needed");
  if (has_errors(fields.diagnostics)) return fields.diagnostics;
  return job;
}

Result<Checked> perform(CheckJob& job, std::stop_token stop) {
  std::vector<DType> types{job.request.problem.float_type};
  if (job.any_type) types = {DType::f32, DType::f16, DType::bf16, DType::f64};
  Result<OwnKernel> brought, first;
  for (DType type : types) {
    job.request.problem.float_type = type;
    brought = OwnKernel::bring(job.request);
    if (brought || brought.missing) break;
    if (type == types.front()) first = brought;
  }
  if (!brought) return brought.missing ? brought.failure<Checked>() : first.failure<Checked>();
  auto report = check_own_kernel(*brought, job.request, job.how, std::move(stop));
  if (!report) return report.failure<Checked>();
  return Checked{std::move(*brought), std::move(*report), std::move(brought.diagnostics)};
}

SynthesisRequest kept_as(const CheckJob& job) {
  SynthesisRequest request;
  request.structure = job.request.structure;
  request.rules = job.how.rules;
  request.problem = job.request.problem;
  request.backend = job.how.backend;
  request.seed = job.how.seed;
  request.counters = job.how.counters;
  return request;
}

namespace cli {
namespace {

struct Options {
  std::string file, entry, op, name, shape, dtype, backend = "emulator", profile, grid = "1", block = "1",
                                                   cluster = "1", shared = "0", arguments;
  std::vector<std::string> settings, multiples, zeroed, approximate, options, targets;
  std::int64_t seed = 1, row_limit = 0;
  bool json = false, occupancy = false, counters = false;
};

/// At commas outside parentheses.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (char c : text + ",") {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      if (!part.empty()) parts.push_back(part);
      part.clear();
    } else {
      part += c;
    }
  }
  return parts;
}

/// "M=16,N=16" as an object of numbers; false when it is none.
bool numbers(const std::vector<std::string>& texts, json& out) {
  for (const std::string& text : texts)
    for (const std::string& part : listed(text)) {
      const std::size_t equals = part.find('=');
      if (equals == std::string::npos || equals == 0) return false;
      json value = json::parse(part.substr(equals + 1), nullptr, false);
      if (!value.is_number()) return false;
      out[part.substr(0, equals)] = value;
    }
  return true;
}

/// Registers, shared memory, spills and occupancy as ptxas makes them for each architecture.
json occupancy_table(const OwnKernelReport& report) {
  json list = json::array();
  const KernelModule& own = report.variant.variant.modules.back();
  std::int64_t threads = 1;
  for (const DimExpr& extent : own.launch.block) threads *= std::stoll(extent.text);
  for (const char* arch : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}) {
    KernelModule module = own;
    module.arch = arch;
    auto compiled = compile(module);
    auto sm = sm_limits(arch);
    if (!compiled || !sm) {
      list.push_back({{"arch", arch},
                      {"error", compiled.diagnostics.empty() ? "not compiled" : compiled.diagnostics.front().message}});
      continue;
    }
    const std::int64_t shared = compiled->shared_bytes + std::stoll(module.launch.dynamic_shared.text);
    Occupancy o = occupancy(*sm, compiled->registers, static_cast<int>(shared), static_cast<int>(threads));
    list.push_back({{"arch", arch},
                    {"registers", compiled->registers},
                    {"shared_bytes", shared},
                    {"spill_bytes", compiled->spill_bytes},
                    {"blocks", o.blocks},
                    {"warps", o.warps},
                    {"fraction", o.fraction},
                    {"limiter", o.limiter}});
  }
  return list;
}

void print(const json& document, const std::string& source, const json& occupancies, const Options& o) {
  print_check(document, source, occupancies);
  if (o.counters) std::cout << counter_table(member(member(document, "variant"), "counters"));
}

/// On another machine: the sources go there, the verdict and its evidence come back.
int check_elsewhere(const Options& o, const std::string& target, const json& body, const std::stop_token& stop) {
  if (o.occupancy) return complain("--occupancy does not go with --target");
  auto outcomes = run_on_targets({{target, "check", o.entry, body}}, stop);
  if (!outcomes) return report(outcomes);
  const TargetOutcome& outcome = outcomes->front();
  const json& document = outcome.end.body;
  const int status = report_end(outcome);
  if (!document.is_object()) return status;
  if (o.json)
    print_json(document);
  else
    print(document, body["source"].get<std::string>(), json::array(), o);
  return status;
}

int check_command(const Options& o, std::stop_token stop) {
  auto words = target_words(o.targets);
  if (!words) return report(words);
  if (words->names.size() > 1) return complain("--target: one target is needed, not several");
  std::ifstream in(o.file, std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) return complain(o.file + ": cannot read it");
  json body{{"source", source},
            {"file", o.file},
            {"entry", o.entry},
            {"op", o.op},
            {"op_name", o.name},
            {"dtype", o.dtype},
            {"target", words->arch},
            {"backend", o.backend},
            {"seed", o.seed},
            {"row_limit", o.row_limit},
            {"counters", o.counters},
            {"grid", o.grid},
            {"block", o.block},
            {"cluster", o.cluster},
            {"shared", o.shared},
            {"arguments", listed(o.arguments)},
            {"zeroed", o.zeroed},
            {"approximate", o.approximate},
            {"dims", json::object()},
            {"scalars", json::object()},
            {"multiples", json::object()}};
  if (!numbers({o.shape}, body["dims"])) return complain("--shape: \"" + o.shape + "\" is not NAME=INTEGER,…");
  if (!numbers(o.settings, body["scalars"])) return complain("--set: NAME=NUMBER is needed");
  if (!numbers(o.multiples, body["multiples"])) return complain("--multiple: NAME=INTEGER is needed");
  std::vector<std::string> options = o.options;
  const bool here = words->names.empty();
  if (auto folder = std::filesystem::path(o.file).parent_path(); here && !folder.empty())
    options.push_back("--include-path=" + folder.string());
  body["options"] = options;
  if (!o.profile.empty()) {
    auto rules = find_profile(o.profile);
    if (!rules) return report(rules);
    body["profile"] = to_json(*rules);
  }
  if (!here) {
    auto definition = find_operator(o.op, o.name);
    if (!definition) return report(definition);
    body["text"] = definition->text;
    body["op_name"] = definition->name;
    body.erase("op");
    return check_elsewhere(o, words->names.front(), body, stop);
  }
  auto job = check_from(body, stop);
  if (!job) return report(job);
  auto checked = perform(*job, stop);
  if (!checked) {
    for (const Diagnostic& d : checked.diagnostics) { // each in the text that it is about
      const std::string& file = d.at.file;
      std::cerr << format(d, file == "--grid"      ? o.grid
                             : file == "--block"   ? o.block
                             : file == "--cluster" ? o.cluster
                             : file == "--shared"  ? o.shared
                                                   : source)
                << "\n";
    }
    return report({}, checked.missing) == lacking ? lacking : bad_input;
  }
  EvidenceLog().keep(checked->report.variant, kept_as(*job), "check");
  const json occupancies = o.occupancy ? occupancy_table(checked->report) : json::array();
  json document = to_json(checked->report, checked->kernel, job->request);
  for (const Diagnostic& d : checked->warnings) std::cerr << format(d, source) << "\n";
  if (o.occupancy) document["targets"] = occupancies;
  if (o.json)
    print_json(document);
  else
    print(document, source, occupancies, o);
  return checked->report.variant.validation.passed ? done : negative;
}

const RegisterCommand check{
    {"check", "your own kernel against an operator: memory, races, values, counters by line, times", [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       app.add_option("file", o->file, "the .cu file")->required();
       app.add_option("--entry", o->entry, "name of the kernel")->required();
       app.add_option("--op", o->op, "what it computes: a .op file, or the name of an operator of the atlas")
           ->required();
       app.add_option("--op-name", o->name, "which operator of a file with several");
       app.add_option("--shape", o->shape, "sizes of the dims: M=64,N=1000")->required();
       app.add_option("--dtype", o->dtype, "what `float` is; unless said, what the kernel's pointers are")
           ->check(CLI::IsMember({"f32", "f16", "bf16", "f64"}));
       app.add_option("--grid", o->grid, "blocks: one to three expressions over sizes, \"(N+255)/256,M\"");
       app.add_option("--block", o->block, "threads of a block, likewise");
       app.add_option("--cluster", o->cluster, "blocks of a cluster, likewise");
       app.add_option("--shared", o->shared, "bytes of dynamic shared memory, an expression");
       app.add_option("--args", o->arguments,
                      "what the parameters are, in order: x,y,M,N; also M*N, workspace(M*4). Unless said, by name and "
                      "type");
       app.add_option("--set", o->settings, "a scalar: eps=1e-6");
       app.add_option("--multiple", o->multiples, "the kernel takes only multiples: M=16,N=16");
       app.add_option("--zero", o->zeroed, "a result that is filled with zero before the launch");
       app.add_option("--approximate", o->approximate, "a function that it may approximate: exp log tanh erf divide")
           ->check(CLI::IsMember({"exp", "log", "tanh", "erf", "divide"}));
       app.add_option("--option", o->options, "an option of NVRTC: --option=-use_fast_math");
       app.add_option("--target", o->targets,
                      "an architecture (sm_90 unless said), and where: a name of the targets in settings")
           ->allow_extra_args(false);
       app.add_option("--backend", o->backend, "emulator, or cuda: then on the device as well, with times")
           ->check(CLI::IsMember({"emulator", "cuda"}));
       app.add_option("--profile", o->profile, "compiler profile: order, special values, seeds");
       app.add_option("--seed", o->seed, "seed of the inputs")->check(CLI::NonNegativeNumber);
       app.add_option("--rows", o->row_limit, "rows that are judged at the sizes given; 0: all")
           ->check(CLI::NonNegativeNumber);
       app.add_flag("--counters", o->counters,
                    "every counter; with --backend cuda the hardware's own, through CUPTI, after the times");
       app.add_flag("--occupancy", o->occupancy, "registers, spills and occupancy for sm_80 to sm_120");
       app.add_flag("--json", o->json, "one JSON document on standard output");
       return [o](std::stop_token stop) { return check_command(*o, std::move(stop)); };
     }}};

} // namespace
} // namespace cli
} // namespace aicf
