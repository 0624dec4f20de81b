// aicf bench emulator: thread instructions a second, beside a loop that only computes, and how long a judgement takes.
#include "app/aicf/bench.hpp"
#include "app/aicf/command.hpp"
#include "core/exec/emulator/bench.hpp"
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/kernel/lower.hpp"
#include "core/validate/inputs.hpp"
#include "synth/variant.hpp"

namespace aicf::cli {
namespace {

using nlohmann::json;

json speed_of_emulator(std::ostream& text) {
  const EmulatorSpeed speed = emulator_speed();
  const double ratio = speed.thread_instructions_per_s / speed.bare_loop_per_s;
  text << "emulator   " << speed.thread_instructions_per_s << " thread instructions a second on one core, " << ratio
       << " of a bare loop's " << speed.bare_loop_per_s << " (" << speed.vectors << ")\n";
  json by_cores = json::array();
  for (const EmulatorSpeed::Cores& c : speed.by_cores) {
    const double scaling = c.per_s / (speed.by_cores.front().per_s * c.cores);
    const double busy = c.per_busy_s / speed.by_cores.front().per_busy_s;
    by_cores.push_back(
        {{"cores", c.cores}, {"thread_instructions_per_s", c.per_s}, {"scaling", scaling}, {"scaling_busy", busy}});
    text << "  " << c.cores << " cores  " << c.per_s << " a second by the clock, " << scaling
         << " of as many times one; by processor time " << busy << "\n";
  }
  return {{"thread_instructions_per_s", speed.thread_instructions_per_s},
          {"cores", 1},
          {"bare_loop_per_s", speed.bare_loop_per_s},
          {"ratio_to_bare_loop", ratio},
          {"vectors", speed.vectors},
          {"by_cores", std::move(by_cores)}};
}

/// A layer norm of 4096 rows of 4096 bf16: all of it run with checks and counters, and the judgement that `aicf synth`
/// makes, which recomputes 64 rows.
json judged_layernorm(std::ostream& text) {
  if (auto compiler = nvrtc_info(); !compiler) return {{"missing", compiler.missing->what}};
  int status = done;
  const auto profile = analysed("layernorm", "", status);
  if (!profile) return {{"missing", "the atlas's layernorm"}};
  Problem problem;
  problem.dims = {{"M", 4096}, {"N", 4096}};
  problem.float_type = DType::bf16;
  const CompilerProfile rules;
  const PlanSpace space = plan(*profile, judge(*profile, rules), rules, problem);
  if (space.plans.empty()) return {{"missing", "a plan"}};
  const Rebuild build = [&](const Plan& one, const Problem& sizes) {
    return build_legal_variant(*profile, rules, one, sizes);
  };
  const auto variant = build(space.plans.front(), problem);
  const auto inputs = make_inputs(*profile->canonical->source, problem, InputKind::random, 1);
  if (!variant || !inputs) return {{"missing", "a kernel"}};
  const auto backend = make_emulator();
  RunOptions run;
  run.counters = true;
  RunResult ran;
  auto start = BenchClock::now();
  const auto outputs = run_variant(*profile, *variant, problem, *inputs, *backend, run, &ran);
  const double run_seconds = seconds_since(start);
  ValidationOptions options;
  options.row_limit = 64;
  start = BenchClock::now();
  const auto validation = validate(*profile, rules, *variant, problem, *backend, build, options);
  const double judged_seconds = seconds_since(start);
  if (!outputs || !validation) return {{"missing", "a judgement"}};
  const bool passed = ran.faults.empty() && validation->passed;
  text << "  layernorm 4096 x 4096 bf16 run with checks in " << run_seconds << " s, judged in " << judged_seconds
       << " s: " << (passed ? "validated" : "refused") << "\n";
  json refused = json::array();
  for (const Check& check : validation->checks)
    if (!check.passed) refused.push_back(check.id + ": " + check.detail);
  for (const json& why : refused) text << "    " << why.get<std::string>() << "\n";
  return {{"run_seconds", run_seconds}, {"judged_seconds", judged_seconds}, {"rows_recomputed", options.row_limit},
          {"passed", passed},           {"refused", std::move(refused)},    {"checks", validation->checks.size()}};
}

BenchOutcome measure() {
  BenchOutcome out;
  std::ostringstream text;
  out.value = speed_of_emulator(text);
  out.value["layernorm_4096x4096_bf16"] = judged_layernorm(text);
  out.top = {{"thread_instructions_per_s", out.value["thread_instructions_per_s"]}};
  out.text = text.str();
  return out;
}

const RegisterBench emulator{{"emulator", "The emulator's speed, checks and counters on", true,
                              [](CLI::App&) { return [](std::stop_token, const BenchKeep&) { return measure(); }; }}};

} // namespace
} // namespace aicf::cli
