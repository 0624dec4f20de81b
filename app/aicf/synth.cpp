// aicf synth: kernels for an operator at given sizes, built, judged and, on a device, timed.
#include "app/aicf/command.hpp"
#include "app/aicf/request.hpp"
#include "app/aicf/store.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/kernel/lower.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>

namespace aicf::cli {
namespace {

struct Options {
  std::string op, name, shape, dtype = "f32", target = "sm_90", backend = "emulator", profile, choices, out;
  std::vector<std::string> settings;
  std::int64_t budget = 6, seed = 1, row_limit = 64;
  bool json = false, count = false;
  std::string dump_after;
};

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

double metric(const std::vector<Metric>& metrics, const std::string& id) {
  for (const Metric& m : metrics)
    if (m.id == id) return m.value;
  return -1;
}

std::string shown(double value) { return value < 0 ? "-" : nlohmann::json(static_cast<std::int64_t>(value)).dump(); }

std::string choices(const Plan& plan) {
  std::string text;
  for (const auto& [id, value] : plan.choices) text += (text.empty() ? "" : " ") + id + "=" + to_text(value);
  return text;
}

void print_variants(const SynthesisResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const SynthesizedVariant& v : result.variants) {
    int registers = 0;
    for (const Compiled& c : v.variant.compiled) registers = std::max(registers, c.registers);
    rows.push_back({v.id, v.status, shown(registers), shown(metric(v.validation.counters, "global_load_sectors")),
                    shown(metric(v.validation.counters, "thread_instructions")), number(v.validation.max_rel_err),
                    number(v.validation.bound), v.timings.empty() ? "-" : number(metric(v.timings, "time_us.cold")),
                    choices(v.variant.plan)});
  }
  std::cout << table(
      {"variant", "status", "regs", "load sectors", "thread instr.", "max rel err", "bound", "us cold", "plan"}, rows);
  for (const SynthesizedVariant& v : result.variants) {
    for (const Check& c : v.validation.checks)
      if (!c.passed) std::cout << v.id << ": " << c.id << " failed: " << c.detail << "\n";
    for (const Diagnostic& d : v.diagnostics)
      if (d.severity == Diagnostic::Severity::error) std::cout << v.id << ": " << format(d) << "\n";
  }
  std::cout << result.space.generated << " plans generated, " << result.space.plans.size() << " legal";
  for (const auto& [reason, count] : result.space.refused) std::cout << "\n  " << count << " refused: " << reason;
  std::cout << "\n";
}

int write_sources(const SynthesisResult& result, const SynthesisRequest& request, const std::string& directory) {
  namespace fs = std::filesystem;
  auto write = [&](const fs::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    return static_cast<bool>(out.flush());
  };
  for (const SynthesizedVariant& v : result.variants)
    for (const KernelModule& m : v.variant.modules)
      if (fs::path path = fs::path(directory) / (v.id + "." + m.entry + ".cu"); !write(path, m.cuda_source))
        return complain("cannot write " + path.string());
  fs::path document = fs::path(directory) / "synthesis.json";
  return write(document, to_json(result, request).dump(2) + "\n") ? done
                                                                  : complain("cannot write " + document.string());
}

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

int synth_command(const Options& o, std::stop_token stop) {
  auto rules = find_profile(o.profile);
  if (!rules) return report(rules);
  int status = done;
  auto structure = analysed(o.op, o.name, status);
  if (!structure) return status;
  auto dims = parse_shape(o.shape, *structure->canonical->source);
  if (!dims) return report(dims);
  auto scalars = parse_scalars(o.settings, *structure->canonical->source);
  if (!scalars) return report(scalars);
  auto choices = parse_choices(o.choices);
  if (!choices) return report(choices);
  Problem problem{*dims, *scalars, *dtype_from(o.dtype), o.target};
  if (o.count) return count_plans(*structure, *rules, problem, o.json, stop);
  if (!o.dump_after.empty()) return dump_ir(*structure, *rules, problem, *choices, o.dump_after);
  if (!o.out.empty()) { // before the work, not after it
    std::error_code problem;
    std::filesystem::create_directories(o.out, problem);
    if (problem) return complain("--out " + o.out + ": " + problem.message());
  }
  if (auto info = nvrtc_info()) {
    std::string known;
    bool supported = false;
    for (int arch : info->architectures) {
      std::string name = "sm_" + std::to_string(arch);
      known += (known.empty() ? "" : ", ") + name;
      supported = supported || o.target == name || o.target == name + "a";
    }
    if (!supported && !info->architectures.empty())
      return complain("--target: \"" + o.target + "\" is none of " + known);
  }
  SynthesisRequest request;
  request.structure = structure;
  request.rules = *rules;
  request.problem = problem;
  request.backend = o.backend;
  request.choices = *choices;
  request.budget = static_cast<std::size_t>(o.budget);
  request.seed = static_cast<std::uint64_t>(o.seed);
  request.row_limit = o.row_limit;
  SynthesisEvents events;
  events.progress = [](std::size_t step, std::size_t total, const std::string& text) {
    std::cerr << "[" << step << "/" << total << "] " << text << "\n";
  };
  EvidenceLog log;
  events.variant = [&](const SynthesizedVariant& v) { log.keep(v, request); };
  auto result = synthesize(request, events, stop);
  if (!result) return report(result);
  if (!o.out.empty())
    if (int failed = write_sources(*result, request, o.out); failed != done) return failed;
  if (o.json)
    print_json(to_json(*result, request));
  else if (result->refusal.empty())
    print_variants(*result);
  if (!result->refusal.empty()) {
    std::cerr << "aicf: " << structure->canonical->source->name << ": " << result->refusal << "\n";
    return negative;
  }
  if (result->cancelled) std::cerr << "aicf: cancelled: these are the variants that were finished\n";
  bool all = !result->cancelled && !result->variants.empty() &&
             std::all_of(result->variants.begin(), result->variants.end(),
                         [](const SynthesizedVariant& v) { return v.status == "validated"; });
  return all ? done : negative;
}

const RegisterCommand synth{
    {"synth", "build, judge and (on a device) time kernels for an operator", [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       app.add_option("operator", o->op, "a .op file, or the name of an operator of the atlas")->required();
       app.add_option("--op", o->name, "which operator of a file with several");
       app.add_option("--shape", o->shape, "sizes of the dims: M=64,N=1000")->required();
       app.add_option("--dtype", o->dtype, "what `float` is")->check(CLI::IsMember({"f32", "f16", "bf16", "f64"}));
       app.add_option("--set", o->settings, "a scalar: eps=1e-6");
       app.add_option("--target", o->target, "architecture, sm_90 unless said");
       app.add_option("--backend", o->backend, "emulator or cuda")->check(CLI::IsMember({"emulator", "cuda"}));
       app.add_option("--profile", o->profile, "compiler profile");
       app.add_option("--plan", o->choices, "only plans that chose this: state_form=online,threads=256");
       app.add_option("--budget", o->budget, "variants to build")->check(CLI::Range(1, 10000));
       app.add_option("--seed", o->seed, "seed of the inputs")->check(CLI::NonNegativeNumber);
       app.add_option("--rows", o->row_limit, "rows that are judged at the problem's sizes; 0: all")
           ->check(CLI::NonNegativeNumber);
       app.add_flag("--count", o->count, "count the plans at each strictness, and build nothing");
       app.add_option("--dump-after", o->dump_after, "print the kernel IR of the best plan after this pass");
       app.add_option("--out", o->out, "folder for the sources and synthesis.json");
       app.add_flag("--json", o->json, "one JSON document on standard output");
       return [o](std::stop_token stop) { return synth_command(*o, std::move(stop)); };
     }}};

} // namespace
} // namespace aicf::cli
