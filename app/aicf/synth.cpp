// aicf synth: kernels for an operator at given sizes, built, judged and, on a device, timed.
#include "app/aicf/command.hpp"
#include "app/aicf/counter_table.hpp"
#include "app/aicf/document.hpp"
#include "app/aicf/remote.hpp"
#include "app/aicf/request.hpp"
#include "app/aicf/store.hpp"
#include "app/aicf/synth_report.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/kernel/lower.hpp"

#include <filesystem>
#include <iostream>

namespace aicf::cli {
namespace {

struct Options {
  std::string op, name, dtype = "f32", backend = "emulator", profile, choices, out;
  std::vector<std::string> settings, shapes, targets;
  std::int64_t budget = 6, seed = 1, row_limit = 64;
  bool json = false, count = false, counters = false, resume = false;
  std::string dump_after;
};

/// How many plans there are at each strictness, and why the others are refused. Nothing is built.
int count_plans(const StructureProfile& structure, CompilerProfile rules, const Problem& problem, bool as_json,
                const std::stop_token& stop) {
  nlohmann::json points = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  for (Order order : {Order::any, Order::run_to_run, Order::batch_invariant, Order::device_to_device})
    for (Arithmetic arithmetic :
         {Arithmetic::bitwise, Arithmetic::reassociated, Arithmetic::rescaled, Arithmetic::approximate}) {
      if (stop.stop_requested()) return negative;
      rules.order = order, rules.arithmetic = arithmetic;
      PlanSpace space = plan(structure, judge(structure, rules), rules, problem);
      points.push_back({{"order", name_of(order)},
                        {"arithmetic", name_of(arithmetic)},
                        {"generated", space.generated},
                        {"legal", space.plans.size()},
                        {"refused", space.refused}});
      rows.push_back({std::string(name_of(order)), std::string(name_of(arithmetic)), std::to_string(space.generated),
                      std::to_string(space.plans.size())});
    }
  if (as_json) {
    print_json({{"schema", "aicf.plans/1"}, {"op", structure.canonical->source->name}, {"points", points}});
    return done;
  }
  std::cout << table({"order", "arithmetic", "generated", "legal"}, rows);
  for (const auto& point : points) {
    std::cout << "\n" << point["order"].get<std::string>() << ", " << point["arithmetic"].get<std::string>() << ":";
    for (const auto& [reason, count] : point["refused"].items()) std::cout << "\n  " << count << " refused: " << reason;
    std::cout << "\n";
  }
  return done;
}

/// The kernel IR of the best plan after a pass.
int dump_ir(const StructureProfile& structure, const CompilerProfile& rules, const Problem& problem,
            const std::map<std::string, std::string>& choices, const std::string& pass) {
  PlanSpace space = plan(structure, judge(structure, rules), rules, problem);
  if (auto problems = restrict_to(space, choices); !problems.empty()) return report(problems, std::nullopt, {});
  if (space.plans.empty()) return complain("no legal plan");
  std::string text;
  auto modules = lower(structure, space.plans.front(), problem, pass, &text);
  if (!modules) {
    std::string passes;
    for (const std::string& name : pass_names()) passes += (passes.empty() ? "" : ", ") + name;
    std::cerr << "aicf: the passes are " << passes << "\n";
    return report(modules);
  }
  std::cout << text;
  return done;
}

/// What stands in the way of this architecture; nothing where NVRTC knows it, or is not here.
std::string unknown_architecture(const std::string& arch) {
  auto info = nvrtc_info();
  if (!info || info->architectures.empty()) return {};
  std::string known;
  for (int number : info->architectures) {
    const std::string name = "sm_" + std::to_string(number);
    if (arch == name || arch == name + "a") return {};
    known += (known.empty() ? "" : ", ") + name;
  }
  return "--target: \"" + arch + "\" is none of " + known;
}

void print(const nlohmann::json& document, const Options& o) {
  print_synthesis(document);
  if (!o.counters) return;
  for (const nlohmann::json& v : member(document, "variants"))
    std::cout << text_in(member(v, "id")) << "\n" << counter_table(member(v, "counters"));
}

int synth_here(const Options& o, SynthesisRequest request, std::stop_token stop) {
  SynthesisEvents events;
  events.progress = [](std::size_t step, std::size_t total, const std::string& text) {
    std::cerr << "[" << step << "/" << total << "] " << text << "\n";
  };
  EvidenceLog log;
  events.variant = [&](const SynthesizedVariant& v) { log.keep(v, request); };
  request.recall = [&](SynthesizedVariant& v) { return log.recall(v, request); };
  auto result = synthesize(request, events, std::move(stop));
  if (!result) return report(result);
  const nlohmann::json document = to_json(*result, request);
  if (!o.out.empty())
    if (int failed = write_synthesis(document, o.out); failed != done) return failed;
  if (o.json)
    print_json(document);
  else if (result->refusal.empty())
    print(document, o);
  report(result.diagnostics, std::nullopt);
  if (!result->refusal.empty()) {
    std::cerr << "aicf: " << request.structure->canonical->source->name << ": " << result->refusal << "\n";
    return negative;
  }
  if (result->cancelled) std::cerr << "aicf: cancelled: these are the variants that were finished\n";
  return !result->cancelled && !has_errors(result.diagnostics) && all_validated(document) ? done : negative;
}

/// The job of a worker: all that the request says, the operator as text.
nlohmann::json job_of(const SynthesisRequest& request) {
  const Definition& d = *request.structure->canonical->source;
  nlohmann::json dims = nlohmann::json::object(), scalars = nlohmann::json::object();
  for (const auto& [name, extent] : request.problem.dims) dims[name] = extent;
  for (const auto& [name, value] : request.problem.scalars) scalars[name] = value;
  return {{"text", d.text},
          {"file", d.name + ".op"},
          {"op_name", d.name},
          {"profile", to_json(request.rules)},
          {"dims", dims},
          {"scalars", scalars},
          {"dtype", name_of(request.problem.float_type)},
          {"target", request.problem.target},
          {"backend", request.backend},
          {"budget", request.budget},
          {"seed", request.seed},
          {"row_limit", request.row_limit},
          {"counters", request.counters},
          {"resume", request.resume},
          {"choices", request.choices}};
}

/// The document that a synthesis here would have given, and where it was made.
nlohmann::json document_of(const TargetOutcome& outcome, const SynthesisRequest& request) {
  nlohmann::json document = to_json(SynthesisResult{}, request);
  document["variants"] = outcome.variants;
  sort_variants(document["variants"]);
  for (const char* key : {"refused", "generated", "legal", "refusal"})
    if (outcome.end.body.is_object() && outcome.end.body.contains(key)) document[key] = outcome.end.body[key];
  document["cancelled"] = outcome.end.status == JobEnd::Status::cancelled;
  document["ran_on"] = {{"target", outcome.target},
                        {"host", outcome.greeting.host},
                        {"status", name_of(outcome.end.status)},
                        {"evidence_rows", outcome.end.evidence}};
  return document;
}

/// Every shape on every target: a job each, spread over the targets' workers.
int synth_elsewhere(const Options& o, const std::vector<SynthesisRequest>& requests,
                    const std::vector<std::string>& targets, const std::stop_token& stop) {
  std::vector<TargetJob> jobs;
  std::vector<const SynthesisRequest*> asked;
  for (const std::string& target : targets)
    for (std::size_t i = 0; i < requests.size(); ++i) {
      jobs.push_back({target, "synth", o.shapes[i], job_of(requests[i])});
      asked.push_back(&requests[i]);
    }
  auto outcomes = run_on_targets(jobs, stop);
  if (!outcomes) return report(outcomes);
  int status = done;
  nlohmann::json all = nlohmann::json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const TargetOutcome& outcome = (*outcomes)[i];
    nlohmann::json document = document_of(outcome, *asked[i]);
    if (!o.out.empty()) {
      const auto folder =
          jobs.size() == 1 ? std::filesystem::path(o.out) : std::filesystem::path(o.out) / std::to_string(i + 1);
      std::error_code problem;
      std::filesystem::create_directories(folder, problem);
      if (problem) return complain("--out " + folder.string() + ": " + problem.message());
      if (int failed = write_synthesis(document, folder.string()); failed != done) return failed;
    }
    if (!o.json && !outcome.variants.empty()) {
      if (jobs.size() > 1) std::cout << "\n" << jobs[i].target << ", " << jobs[i].title << "\n";
      print(document, o);
    }
    int ended = report_end(outcome);
    if (document.contains("refusal") && document["refusal"].is_string())
      std::cerr << "aicf: " << text_in(document["refusal"]) << "\n";
    if (ended == done && !all_validated(document)) ended = negative;
    status = std::max(status, ended);
    all.push_back(std::move(document));
  }
  if (o.json)
    print_json(all.size() == 1 ? all.front() : nlohmann::json{{"schema", "aicf.syntheses/1"}, {"syntheses", all}});
  return status;
}

int synth_command(const Options& o, std::stop_token stop) {
  auto words = target_words(o.targets);
  if (!words) return report(words);
  auto rules = find_profile(o.profile);
  if (!rules) return report(rules);
  int status = done;
  auto structure = analysed(o.op, o.name, status);
  if (!structure) return status;
  auto scalars = parse_scalars(o.settings, *structure->canonical->source);
  if (!scalars) return report(scalars);
  auto choices = parse_choices(o.choices);
  if (!choices) return report(choices);
  std::vector<SynthesisRequest> requests;
  for (const std::string& shape : o.shapes) {
    auto dims = parse_shape(shape, *structure->canonical->source);
    if (!dims) return report(dims);
    SynthesisRequest request;
    request.structure = structure;
    request.rules = *rules;
    request.problem = {*dims, *scalars, *dtype_from(o.dtype), words->arch};
    request.backend = o.backend;
    request.choices = *choices;
    request.budget = static_cast<std::size_t>(o.budget);
    request.seed = static_cast<std::uint64_t>(o.seed);
    request.row_limit = o.row_limit;
    request.counters = o.counters;
    request.resume = o.resume;
    requests.push_back(std::move(request));
  }
  const Problem& first = requests.front().problem;
  if (o.count) return count_plans(*structure, *rules, first, o.json, stop);
  if (!o.dump_after.empty()) return dump_ir(*structure, *rules, first, *choices, o.dump_after);
  if (!o.out.empty()) { // before the work, not after it
    std::error_code problem;
    std::filesystem::create_directories(o.out, problem);
    if (problem) return complain("--out " + o.out + ": " + problem.message());
  }
  if (o.resume && std::ranges::any_of(words->names, [](const std::string& n) { return n != "local"; }))
    return complain("--resume takes finished variants of this machine: of the targets it goes with local alone");
  if (words->names.empty() && requests.size() > 1) words->names.emplace_back("local");
  if (!words->names.empty()) return synth_elsewhere(o, requests, words->names, stop);
  if (std::string why = unknown_architecture(words->arch); !why.empty()) return complain(why);
  return synth_here(o, std::move(requests.front()), std::move(stop));
}

const RegisterCommand synth{
    {"synth", "build, judge and (on a device) time kernels for an operator", [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       app.add_option("operator", o->op, "a .op file, or the name of an operator of the atlas")->required();
       app.add_option("--op", o->name, "which operator of a file with several");
       app.add_option("--shape", o->shapes, "sizes of the dims: M=64,N=1000; several times: a sweep")
           ->required()
           ->allow_extra_args(false);
       app.add_option("--dtype", o->dtype, "what `float` is")->check(CLI::IsMember({"f32", "f16", "bf16", "f64"}));
       app.add_option("--set", o->settings, "a scalar: eps=1e-6");
       app.add_option("--target", o->targets,
                      "an architecture (sm_90 unless said), and where: names of the targets in settings")
           ->allow_extra_args(false);
       app.add_option("--backend", o->backend, "emulator or cuda")->check(CLI::IsMember({"emulator", "cuda"}));
       app.add_option("--profile", o->profile, "compiler profile");
       app.add_option("--plan", o->choices, "only plans that chose this: state_form=online,threads=256");
       app.add_option("--budget", o->budget, "variants to build")->check(CLI::Range(1, 10000));
       app.add_option("--seed", o->seed, "seed of the inputs")->check(CLI::NonNegativeNumber);
       app.add_option("--rows", o->row_limit, "rows that are judged at the problem's sizes; 0: all")
           ->check(CLI::NonNegativeNumber);
       app.add_flag("--counters", o->counters,
                    "every counter of each variant; with --backend cuda the hardware's own, through CUPTI");
       app.add_flag("--count", o->count, "count the plans at each strictness, and build nothing");
       app.add_flag("--resume", o->resume, "take variants that an earlier run validated from the evidence store");
       app.add_option("--dump-after", o->dump_after, "print the kernel IR of the best plan after this pass");
       app.add_option("--out", o->out, "folder for the sources and synthesis.json");
       app.add_flag("--json", o->json, "one JSON document on standard output");
       return [o](std::stop_token stop) { return synth_command(*o, std::move(stop)); };
     }}};

} // namespace
} // namespace aicf::cli
