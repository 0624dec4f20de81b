// aicf bench plans, aicf bench compile: from a structure profile to plans, and from plans to machine code.
#include "app/aicf/bench.hpp"
#include "app/aicf/command.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/kernel/lower.hpp"

namespace aicf::cli {
namespace {

using nlohmann::json;

Problem sized(const StructureProfile& profile, std::int64_t extent, DType type) {
  Problem problem;
  for (const std::string& dim : profile.canonical->source->dims) problem.dims[dim] = extent;
  problem.float_type = type;
  return problem;
}

json bench_plans(const StructureProfile& profile) {
  CompilerProfile rules;
  Ledger ledger = judge(profile, rules);
  Problem problem = sized(profile, 1000, DType::bf16);
  std::vector<double> rates, legality;
  std::size_t generated = 0;
  for (int i = 0; i < 11; ++i) {
    auto start = BenchClock::now();
    generated = plan(profile, ledger, rules, problem).generated;
    rates.push_back(static_cast<double>(generated) / seconds_since(start));
    start = BenchClock::now();
    legality.push_back(judge(profile, rules).rows.empty() ? 0 : 1e3 * seconds_since(start));
  }
  return {{"generated", generated},
          {"plans_per_s", bench_spread(rates).median},
          {"legality_ms", to_json(bench_spread(legality), "ms")}};
}

Result<json> bench_compile(const StructureProfile& profile) {
  CompilerProfile rules;
  Problem problem = sized(profile, 1000, DType::bf16);
  PlanSpace space = plan(profile, judge(profile, rules), rules, problem);
  std::vector<double> lowering, compiling;
  for (std::size_t i = 0; i < std::min<std::size_t>(9, space.plans.size()); ++i) {
    auto start = BenchClock::now();
    auto modules = lower(profile, space.plans[i * space.plans.size() / 9], problem);
    lowering.push_back(1e3 * seconds_since(start));
    if (!modules) return modules.failure<json>();
    for (const KernelModule& m : *modules) {
      start = BenchClock::now();
      CompileOptions cold;
      cold.cache = false;
      auto compiled = compile(m, cold);
      if (!compiled) return compiled.failure<json>();
      compiling.push_back(1e3 * seconds_since(start));
    }
  }
  return json{{"lower_ms", to_json(bench_spread(lowering), "ms")},
              {"compile_ms", to_json(bench_spread(compiling), "ms")}};
}

/// A case about one operator, softmax unless --op names another.
BenchRun of_operator(CLI::App& app, BenchOutcome (*measure)(const StructureProfile& profile)) {
  auto op = std::make_shared<std::string>("softmax");
  app.add_option("--op", *op, "operator")->capture_default_str();
  return [op, measure](std::stop_token, const BenchKeep&) {
    BenchOutcome out;
    auto profile = analysed(*op, "", out.status);
    return profile ? measure(*profile) : out;
  };
}

BenchOutcome plans_of(const StructureProfile& profile) {
  BenchOutcome out;
  out.value = bench_plans(profile);
  std::ostringstream text;
  text << "plans      " << out.value["plans_per_s"].get<double>() << " a second, " << out.value["generated"]
       << " generated; legality " << out.value["legality_ms"]["median"].get<double>() << " ms\n";
  out.text = text.str();
  return out;
}

BenchOutcome compiled(const StructureProfile& profile) {
  BenchOutcome out;
  auto times = bench_compile(profile);
  if (!times) {
    out.status = report(times);
    return out;
  }
  out.value = std::move(*times);
  std::ostringstream text;
  text << "lowering   " << out.value["lower_ms"]["median"].get<double>() << " ms a kernel\n"
       << "NVRTC      " << out.value["compile_ms"]["median"].get<double>()
       << " ms a kernel, cubin and PTX, nothing cached\n";
  out.text = text.str();
  return out;
}

const RegisterBench plans{
    {"plans", "Plans filtered a second", true, [](CLI::App& app) { return of_operator(app, plans_of); }}};
const RegisterBench compile_case{
    {"compile", "Lowering and NVRTC", true, [](CLI::App& app) { return of_operator(app, compiled); }}};

} // namespace
} // namespace aicf::cli
