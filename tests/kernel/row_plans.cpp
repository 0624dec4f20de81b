#include "tests/kernel/row_plans.hpp"

#include "core/exec/emulator/emulator.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "tests/support/paths.hpp"

#include <stdexcept>

namespace aicf::test {
namespace {

template <class T> T unwrap(Result<T> result, const std::string& what) {
  if (result) return std::move(*result);
  std::string text = what;
  for (const Diagnostic& d : result.diagnostics) text += "\n" + format(d);
  if (result.missing) text += ": " + result.missing->what;
  throw std::runtime_error(text);
}

} // namespace

StructureProfile profile_of(const std::string& text) {
  Definition d = unwrap(parse_definition(text, "test.op"), "definition");
  return analyze(canonicalize(std::make_shared<const Definition>(std::move(d))));
}

StructureProfile profile_of_file(const std::string& op) {
  Definition d = unwrap(load_definition(source_path("atlas/ops/") + op + ".op"), op);
  return analyze(canonicalize(std::make_shared<const Definition>(std::move(d))));
}

Plan row_plan(const StructureProfile& profile, const std::string& state_form, const std::string& cooperation,
              const std::map<std::string, Value>& choices) {
  Plan plan;
  plan.family = "row_cascade";
  for (const Param& p : params())
    if (p.family == plan.family) plan.choices[p.id] = p.domain.front();
  plan.choices["state_form"] = state_form;
  plan.choices["cooperation"] = cooperation;
  plan.choices["staging"] = std::string(state_form.starts_with("resident") ? "registers" : "none");
  plan.choices["reduction_tree"] = std::string(cooperation == "thread" ? "sequential" : "shuffle");
  plan.choices["intermediates"] = std::string(state_form == "resident" ? "keep" : "none");
  plan.choices["threads"] = std::int64_t{cooperation == "block" ? 64 : 32};
  for (const auto& [id, value] : choices) plan.choices.at(id) = value;
  plan.definition = profile.canonical->structure_hash;
  return plan;
}

Plan column_plan(const StructureProfile& profile, const std::string& state_form,
                 const std::map<std::string, Value>& choices) {
  Plan plan;
  plan.family = "column_cascade";
  for (const Param& p : params())
    if (p.family == plan.family) plan.choices[p.id] = p.domain.front();
  plan.choices["state_form"] = state_form;
  for (const auto& [id, value] : choices) plan.choices.at(id) = value;
  plan.definition = profile.canonical->structure_hash;
  return plan;
}

Built build(const StructureProfile& profile, const Plan& plan, const Problem& problem) {
  Built built;
  built.variant.plan = plan;
  built.variant.modules = unwrap(lower(profile, plan, problem), "lower");
  for (const KernelModule& m : built.variant.modules) {
    auto compiled = compile(m);
    if (!compiled && compiled.missing) {
      built.available = false;
      built.missing = compiled.missing->what;
      return built;
    }
    if (!compiled.diagnostics.empty())
      throw std::runtime_error(format(compiled.diagnostics.front(), m.cuda_source) + m.cuda_source);
    built.variant.compiled.push_back(unwrap(std::move(compiled), m.cuda_source));
  }
  return built;
}

Ran run(const StructureProfile& profile, const Built& built, const Problem& problem,
        const std::map<std::string, HostTensor>& inputs) {
  EmulatorBackend emulator(1);
  RunOptions options;
  options.counters = true;
  Ran ran;
  ran.outputs = unwrap(run_variant(profile, built.variant, problem, inputs, emulator, options, &ran.result), "run");
  return ran;
}

double metric(const RunResult& result, const std::string& id) {
  for (const Metric& m : result.metrics)
    if (m.id == id) return m.value;
  throw std::runtime_error("no metric " + id);
}

} // namespace aicf::test
