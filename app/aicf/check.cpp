// aicf check: a kernel that the user wrote, under the same checks, counters, bound and comparison as generated ones.
#include "app/aicf/check.hpp"

#include "app/aicf/command.hpp"
#include "app/aicf/request.hpp"
#include "app/aicf/store.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/occupancy.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

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
  job.how = {shared->rules, shared->backend, shared->seed, shared->row_limit};
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
  return request;
}

namespace cli {
namespace {

struct Options {
  std::string file, entry, op, name, shape, dtype, target = "sm_90", backend = "emulator", profile, grid = "1",
                                                   block = "1", cluster = "1", shared = "0", arguments;
  std::vector<std::string> settings, multiples, zeroed, approximate, options;
  std::int64_t seed = 1, row_limit = 0;
  bool json = false, occupancy = false;
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

std::string line_of(const std::string& source, int line) {
  std::istringstream lines(source);
  std::string text;
  for (int i = 0; i < line && std::getline(lines, text); ++i) {
  }
  return text;
}

void print_finding(const Finding& f, const std::string& source) {
  Diagnostic d = error("check." + f.kind, f.kind + ": " + f.message, f.at);
  if (f.by_thread)
    d.hint = "thread (" + std::to_string(f.thread[0]) + ", " + std::to_string(f.thread[1]) + ", " +
             std::to_string(f.thread[2]) + ") of block (" + std::to_string(f.block[0]) + ", " +
             std::to_string(f.block[1]) + ", " + std::to_string(f.block[2]) + ") of " + f.kernel + ", PTX line " +
             std::to_string(f.ptx_line);
  if (d.at.line > 0) {
    const std::size_t text = line_of(source, d.at.line).find_first_not_of(" \t");
    d.at.column = text == std::string::npos ? 1 : static_cast<int>(text) + 1;
  }
  std::cout << format(d, source) << "\n";
}

void print_lines(const OwnKernelReport& report, const std::string& source) {
  std::vector<std::vector<std::string>> rows;
  for (const LineCounters& l : report.lines) {
    std::string text = line_of(source, l.cuda_line);
    if (std::size_t begin = text.find_first_not_of(" \t"); begin != std::string::npos) text = text.substr(begin, 60);
    rows.push_back({l.cuda_line == 0 ? "-" : std::to_string(l.cuda_line), std::to_string(l.warp_instructions),
                    std::to_string(l.global_sectors), std::to_string(l.shared_wavefronts),
                    std::to_string(l.bank_conflicts), text});
  }
  if (!rows.empty()) std::cout << table({"line", "warp instr.", "sectors", "wavefronts", "conflicts", "text"}, rows);
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

void print_report(const CheckJob& job, const Checked& checked, const json& occupancies) {
  const OwnKernelReport& report = checked.report;
  const Validation& v = report.variant.validation;
  for (const Diagnostic& d : checked.warnings) std::cerr << format(d, job.request.source) << "\n";
  for (const MappedParameter& m : checked.kernel.parameters())
    std::cout << m.parameter.type << (m.parameter.pointer ? "* " : " ") << m.parameter.name << " is " << m.stands_for
              << (m.how == "name" ? "" : " (by " + m.how + ")") << "\n";
  std::cout << job.request.entry << ", " << name_of(job.request.problem.float_type) << ": "
            << checked.kernel.compiled().registers << " registers, " << checked.kernel.compiled().shared_bytes
            << " bytes of shared memory, " << checked.kernel.compiled().spill_bytes << " of spills\n";
  for (const json& o : occupancies)
    if (o.contains("error"))
      std::cout << o["arch"].get<std::string>() << ": " << o["error"].get<std::string>() << "\n";
    else
      std::cout << o["arch"].get<std::string>() << ": " << o["registers"] << " registers, " << o["spill_bytes"]
                << " bytes of spills, " << o["warps"] << " warps on a multiprocessor ("
                << static_cast<int>(100 * o["fraction"].get<double>()) << " %, limited by "
                << o["limiter"].get<std::string>() << ")\n";
  print_lines(report, job.request.source);
  for (const Metric& m : report.variant.timings)
    std::cout << m.id << " " << m.value << " " << m.unit << " (" << m.lo << " to " << m.hi << ", " << m.method << ")\n";
  for (const std::string& note : report.notes) std::cout << "note: " << note << "\n";
  for (const Finding& f : report.findings) print_finding(f, job.request.source);
  std::size_t good = 0;
  for (const Check& c : v.checks) good += c.passed ? 1 : 0;
  std::cout << (v.passed ? "PASSED" : "FAILED") << " " << report.variant.id << ": " << good << " of " << v.checks.size()
            << " checks, largest relative error " << v.max_rel_err << ", bound " << v.bound
            << " (of the definition, for any order of summation)\n";
}

int check_command(const Options& o, std::stop_token stop) {
  std::ifstream in(o.file, std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) return complain(o.file + ": cannot read it");
  json body{{"source", source},
            {"file", o.file},
            {"entry", o.entry},
            {"op", o.op},
            {"op_name", o.name},
            {"dtype", o.dtype},
            {"target", o.target},
            {"backend", o.backend},
            {"seed", o.seed},
            {"row_limit", o.row_limit},
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
  if (auto folder = std::filesystem::path(o.file).parent_path(); !folder.empty())
    options.push_back("--include-path=" + folder.string());
  body["options"] = options;
  if (!o.profile.empty()) {
    auto rules = find_profile(o.profile);
    if (!rules) return report(rules);
    body["profile"] = to_json(*rules);
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
  if (o.json) {
    json document = to_json(checked->report, checked->kernel, job->request);
    if (o.occupancy) document["targets"] = occupancies;
    print_json(document);
  } else {
    print_report(*job, *checked, occupancies);
  }
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
       app.add_option("--target", o->target, "architecture, sm_90 unless said");
       app.add_option("--backend", o->backend, "emulator, or cuda: then on the device as well, with times")
           ->check(CLI::IsMember({"emulator", "cuda"}));
       app.add_option("--profile", o->profile, "compiler profile: order, special values, seeds");
       app.add_option("--seed", o->seed, "seed of the inputs")->check(CLI::NonNegativeNumber);
       app.add_option("--rows", o->row_limit, "rows that are judged at the sizes given; 0: all")
           ->check(CLI::NonNegativeNumber);
       app.add_flag("--occupancy", o->occupancy, "registers, spills and occupancy for sm_80 to sm_120");
       app.add_flag("--json", o->json, "one JSON document on standard output");
       return [o](std::stop_token stop) { return check_command(*o, std::move(stop)); };
     }}};

} // namespace
} // namespace cli
} // namespace aicf
