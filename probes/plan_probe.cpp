#include "probes/plan_probe.hpp"

#include "core/base/json.hpp"
#include "core/exec/reference.hpp"
#include "core/expr/check.hpp"
#include "core/kernel/lower.hpp"
#include "core/validate/compare.hpp"
#include "core/validate/error_bounds.hpp"
#include "core/validate/inputs.hpp"
#include "core/validate/validate.hpp"
#include "probes/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace aicf::probes {

const char* const row_sum = "op rows(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] x[i, j]\n";
const char* const row_softmax = "op rows(x: float[M, N]) -> y: float[M, N]\n  m[i] = max[j] x[i, j]\n"
                                "  l[i] = sum[j] exp(x[i, j] - m[i])\n  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n";
const char* const row_variance = "op rows(x: float[M, N]) -> y: float[M]\n  mu[i] = (sum[j] x[i, j]) / N\n"
                                 "  y[i] = (sum[j] (x[i, j] - mu[i])^2) / N\n";
const char* const row_logsumexp = "op rows(x: float[M, N]) -> y: float[M]\n  m[i] = max[j] x[i, j]\n"
                                  "  y[i] = m[i] + log(sum[j] exp(x[i, j] - m[i]))\n";
const char* const row_norm = "op rows(x: float[M, N]) -> y: float[M, N]\n  s[i] = sum[j] x[i, j]^2\n"
                             "  y[i, j] = x[i, j] / sqrt(s[i] / N + 1e-5)\n";
const char* const map_gelu = "op rows(x: float[M, N]) -> y: float[M, N]\n"
                             "  y[i, j] = 0.5 * x[i, j] * (1 + erf(x[i, j] * 0.7071067811865476))\n";
const char* const column_sum = "op columns(x: float[M, N]) -> y: float[N]\n  y[j] = sum[i] x[i, j]\n";

namespace {

/// Structures of the operators, each analysed once.
std::shared_ptr<const StructureProfile> structure_of(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const StructureProfile>> known;
  const std::lock_guard lock(mutex);
  auto& entry = known[text];
  if (!entry) {
    auto definition = parse_definition(text, "probe");
    if (!definition) throw std::logic_error("a probe's operator: " + format(definition.diagnostics.front()));
    entry = std::make_shared<StructureProfile>(
        analyze(canonicalize(std::make_shared<const Definition>(std::move(*definition)))));
  }
  return entry;
}

CompilerProfile laxest() {
  CompilerProfile rules;
  rules.order = Order::any;
  rules.workspace_bytes = std::int64_t{1} << 30U;
  return rules;
}

/// Settings that most kernels have; a case's own choices come before them.
bool usual(const Param& param, const Value& value) {
  static const std::map<std::string, std::string> words{{"threads", "256"},
                                                        {"vector", "4"},
                                                        {"vectors_per_thread", "2"},
                                                        {"cooperation", "block"},
                                                        {"state_form", "two_pass"}};
  auto found = words.find(param.id);
  return found != words.end() && to_text(value) == found->second;
}

class PlanFinder {
 public:
  PlanFinder(const StructureProfile& s, const Problem& p, const std::map<std::string, std::string>& c)
      : structure(s), problem(p), choices(c), rules(laxest()), ledger(judge(s, rules)) {
    if (auto chosen = c.find("accumulate"); chosen != c.end()) {
      rules.accumulate = chosen->second;
      ledger = judge(s, rules);
    }
  }

  FoundPlan run() {
    for (const Family& f : families()) {
      if (std::string why = f.mismatch(structure); !why.empty()) {
        if (last.empty()) last = why;
        continue;
      }
      family = &f;
      wanted.clear();
      for (const Param& p : params())
        if (p.family == f.id) wanted.push_back(&p);
      std::stable_sort(wanted.begin(), wanted.end(), [&](const Param* a, const Param* b) {
        return choices.contains(a->id) > choices.contains(b->id);
      });
      for (const auto& [id, text] : choices)
        if (std::none_of(wanted.begin(), wanted.end(), [&, name = id](const Param* p) { return p->id == name; }))
          return {{}, f.id + " has no choice " + id};
      plan.family = f.id;
      plan.definition = structure.canonical->structure_hash;
      plan.profile = hash_of(rules);
      if (at(0)) return {plan, {}};
    }
    return {{}, last.empty() ? "no plan makes these choices" : last};
  }

 private:
  const StructureProfile& structure;
  const Problem& problem;
  const std::map<std::string, std::string>& choices;
  CompilerProfile rules;
  Ledger ledger;
  const Family* family = nullptr;
  std::vector<const Param*> wanted;
  Plan plan;
  std::string last; ///< the first reason met with the most choices made
  std::size_t deepest = 0;
  std::size_t visited = 0;

  void note(std::size_t depth, const std::string& why) {
    if (depth < deepest || (depth == deepest && !last.empty())) return;
    deepest = depth;
    last = why;
  }

  std::string illegal(const Param& p, const Value& value) const {
    if (!p.uses) return {};
    for (const std::string& id : p.uses(value)) {
      const LegalityRow* row = ledger.find(id);
      if (row != nullptr && row->applicable && !row->allowed) return id + ": " + row->reason;
      // As the planner has it: a representation, a rescaling or a recomputation does nothing where there is none to do.
      const bool vacuous = value == p.domain.front() || row == nullptr || row->preservation_class == "representation" ||
                           row->preservation_class == "rescaling" || row->preservation_class == "recomputation";
      if (!vacuous && !row->applicable && choices.contains(p.id)) return id + ": " + row->reason;
    }
    return {};
  }

  bool at(std::size_t i) { // as deep as there are parameters
    if (i == wanted.size()) return true;
    if (++visited > 200000) return false;
    const Param& p = *wanted[i];
    std::vector<Value> values = p.domain;
    std::stable_sort(values.begin(), values.end(),
                     [&](const Value& a, const Value& b) { return usual(p, a) > usual(p, b); });
    const auto fixed = choices.find(p.id);
    for (const Value& value : values) {
      if (fixed != choices.end() && to_text(value) != fixed->second) continue;
      if (std::string why = illegal(p, value); !why.empty()) {
        if (fixed != choices.end()) note(i, why);
        continue;
      }
      plan.choices[p.id] = value;
      if (std::string why = family->refusal(structure, problem, rules, plan); !why.empty())
        note(i, why);
      else if (at(i + 1))
        return true;
    }
    plan.choices.erase(p.id);
    return false;
  }
};

Problem problem_of(const PlanCase& c, bool device) {
  Problem problem;
  problem.dims = device ? c.device_dims : c.dims;
  problem.float_type = c.dtype;
  return problem;
}

/// Drift of the plan's results from the definition in extended precision, and their bound.
std::map<std::string, double> drift(const StructureProfile& structure, const Plan& plan, const Problem& problem,
                                    const std::map<std::string, HostTensor>& inputs, const HostTensor& result) {
  const Definition& d = *structure.canonical->source;
  auto exact = evaluate(d, {inputs, problem.scalars}, {.precision = 160});
  auto bounds = error_bounds(structure, plan, problem, inputs);
  if (!exact || !bounds) return {};
  const HostTensor& expected = exact->begin()->second;
  const Comparison c = compare(exact->begin()->first, result, expected, bounds->begin()->second, laxest());
  double error = 0, scale = 0;
  for (std::size_t i = 0; i < result.element_count(); ++i) {
    error += std::pow(result.get(i) - expected.get(i), 2);
    scale += std::pow(expected.get(i), 2);
  }
  return {{"drift", scale > 0 ? std::sqrt(error / scale) : std::sqrt(error)},
          {"worst", c.max_rel_err},
          {"ratio", c.worst_ratio},
          {"passed", c.passed ? 1.0 : 0.0}};
}

/// Inputs of their types and no size.
Result<std::map<std::string, HostTensor>> placeholders(const Definition& definition, const Problem& problem) {
  std::map<std::string, HostTensor> out;
  for (std::size_t i = 0; i < definition.inputs; ++i)
    out.emplace(definition.tensors[i].name, HostTensor(problem.float_type, {0}));
  return out;
}

/// A trial of one case; without calls where there is no such plan, `no_emulator` then says why.
Trial plan_trial(const PlanCase& c, const std::string& id, Trial::Reads reads, InputKind kind, bool device) {
  Trial t;
  t.id = id;
  t.reads = reads;
  t.x = c.x;
  t.y = c.y;
  t.cold = true;
  const auto structure = structure_of(c.op);
  const Problem problem = problem_of(c, device);
  const FoundPlan found = find_plan(*structure, problem, c.choices);
  if (!found.why_not.empty()) {
    t.no_emulator = "no such plan: " + found.why_not;
    return t;
  }
  auto modules = lower(*structure, found.plan, problem);
  const Definition& definition = *structure->canonical->source;
  // Large inputs are made when they are needed, and fast; until then their types stand for them.
  auto inputs = device ? placeholders(definition, problem) : make_inputs(definition, problem, kind, 7);
  if (!modules || !inputs) {
    t.no_emulator = "not lowered: " + format((modules ? inputs.diagnostics : modules.diagnostics).front());
    return t;
  }
  Variant variant{found.plan, *modules, std::vector<Compiled>(modules->size())};
  VariantMemory memory;
  auto calls = calls_of(*structure, variant, problem, *inputs, memory);
  if (!calls) {
    t.no_emulator = "not called: " + format(calls.diagnostics.front());
    return t;
  }
  t.calls = std::move(*calls);
  const std::size_t place = memory.place.at(definition.tensors[definition.outputs.front()].name);
  t.memory = [structure, variant, problem, device, given = *inputs] {
    VariantMemory fresh;
    std::map<std::string, HostTensor> filled_in = given;
    if (device) {
      auto shapes = shapes_for(*structure->canonical->source, problem.dims, problem.scalars);
      for (auto& [name, tensor] : filled_in) {
        tensor = HostTensor(tensor.dtype, shapes->at(name));
        random_fill(7)(tensor);
      }
    }
    static_cast<void>(calls_of(*structure, variant, problem, filled_in, fresh)); // as above, when it was called
    return std::move(fresh.tensors);
  };
  if (reads == Trial::Reads::exact)
    t.judge = [structure, problem, place, plan = found.plan,
               given = std::move(*inputs)](const std::vector<HostTensor>& after) {
      return drift(*structure, plan, problem, given, after[place]);
    };
  return t;
}

double elements(const std::map<std::string, std::int64_t>& dims) {
  double n = 1;
  for (const auto& [name, extent] : dims) n *= static_cast<double>(extent);
  return n;
}

/// Whole numbers sum without rounding: known results.
PlanCase control_case() {
  return {"control", "", row_sum, {}, {{"M", 4}, {"N", 256}}, {{"M", 4}, {"N", 256}}, DType::f32, 0, 0};
}

constexpr std::int64_t control_bytes = std::int64_t{64} << 20U;

} // namespace

FoundPlan find_plan(const StructureProfile& structure, const Problem& problem,
                    const std::map<std::string, std::string>& choices) {
  return PlanFinder(structure, problem, choices).run();
}

std::vector<Trial> PlanProbe::trials(const Setting& setting) const {
  std::vector<Trial> out{plan_trial(control_case(), "control.exact", Trial::Reads::exact, InputKind::integers, false),
                         copy_trial("control.copy", control_bytes, setting)};
  for (const PlanCase& c : cases(setting)) {
    out.push_back(plan_trial(c, "exact." + c.id, Trial::Reads::exact, InputKind::random, false));
    if (setting.device) out.push_back(plan_trial(c, "time." + c.id, Trial::Reads::time, InputKind::random, true));
  }
  return out;
}

void PlanProbe::conclude(const Setting& setting, const Observations& seen, Findings& findings) const {
  check_copy(setting, seen, findings, "control.copy", control_bytes);
  const Observation& known = seen.at("control.exact");
  const double sectors = known.counter("global_load_sectors"), off = known.number("drift");
  findings.control_exact(sectors == 128 && off == 0,
                         "a sum of 4 x 256 whole numbers must load 128 sectors and drift 0, came out " +
                             std::to_string(sectors) + " and " + std::to_string(off));
  for (const PlanCase& c : cases(setting)) {
    const Observation& o = seen.at("exact." + c.id);
    const double n = elements(c.dims);
    findings.exact(c.id + ".instructions", c.name + ": thread instructions an element", "instructions", o,
                   o.counter("thread_instructions") / n);
    findings.exact(c.id + ".sectors", c.name + ": load and store sectors over the fewest of one read", "1", o,
                   (o.counter("global_load_sectors") + o.counter("global_store_sectors")) * 32 /
                       (n * static_cast<double>(size_of(c.dtype))));
    findings.exact(c.id + ".wavefronts", c.name + ": shared wavefronts", "wavefronts", o,
                   o.counter("shared_load_wavefronts") + o.counter("shared_store_wavefronts"));
    findings.exact(c.id + ".drift", c.name + ": relative drift, 2-norm", "1", o, o.number("drift"),
                   "against the definition at 160 bits (MPFR), normal deviates");
    findings.exact(c.id + ".bound_ratio", c.name + ": largest error over its a priori bound", "1", o, o.number("ratio"),
                   "bound of the plan's own order, types and functions");
    if (setting.device) {
      findings.measured(c.id + ".time", c.name + ": time", "us", seen.at("time." + c.id), 1,
                        "CUDA events, L2 flushed, median and quartiles");
    } else {
      Observation none;
      none.why = "not measured: it needs a device";
      findings.measured(c.id + ".time", c.name + ": time", "us", none);
    }
  }
  const auto exact = trials_of(seen, "exact.");
  const std::string probe = text().name; // a list of maps shows nothing else to tell them by
  auto draw = [&](const char* id, const char* name, const char* kind, const AxisOf& z,
                  const std::function<double(const Observation&)>& value) {
    fill_map(findings.map(id, probe + ": " + name, kind, x_axis(), y_axis(), z, false), seen, exact,
             [&](const Trial&, const Observation& o) { return value(o); });
  };
  draw("drift", "relative drift", "drift", {"drift", "", true}, [](const Observation& o) { return o.number("drift"); });
  draw("instructions", "thread instructions", "cost", {"thread instructions", "", true},
       [](const Observation& o) { return o.counter("thread_instructions"); });
  draw("sectors", "global sectors", "traffic", {"sectors", "", true},
       [](const Observation& o) { return o.counter("global_load_sectors") + o.counter("global_store_sectors"); });
  if (setting.device)
    fill_map(findings.map("time", probe + ": time, L2 flushed", "cost", x_axis(), y_axis(), {"time", "us", true}, true),
             seen, trials_of(seen, "time."), [](const Trial&, const Observation& o) { return o.spread.value; });
}

std::vector<PlanCase> forms_by_length(const char* op, const std::vector<PlanForm>& forms,
                                      const std::vector<std::int64_t>& lengths, DType dtype, std::int64_t rows) {
  std::vector<PlanCase> out;
  for (std::size_t place = 0; place < forms.size(); ++place)
    for (std::int64_t n : lengths)
      out.push_back({forms[place].id + "." + std::to_string(n),
                     forms[place].name + ", " + std::to_string(n) + " elements",
                     op,
                     forms[place].choices,
                     {{"M", rows}, {"N", n}},
                     {{"M", (1 << 24) / n}, {"N", n}},
                     dtype,
                     static_cast<double>(n),
                     static_cast<double>(place)});
  return out;
}

ProbeText plan_text(const std::string& id, const std::string& name, const std::string& measures) {
  return {.id = id,
          .lab = "primitive",
          .name = name,
          .measures = measures,
          .method = "plans that differ in one choice, all others equal, counted by the emulator at a small size",
          .control = "a sum of whole numbers loads each sector once and is exact; on a device a copy must reach 60 to "
                     "100 % of bus width times clock",
          .inputs = "normal deviates; of times, uniform in [-1, 1)"};
}

std::string family_of(const PlanCase& c) {
  Problem problem;
  problem.dims = c.dims;
  problem.float_type = c.dtype;
  const FoundPlan found = find_plan(*structure_of(c.op), problem, c.choices);
  return found.why_not.empty() ? found.plan.family : "";
}

} // namespace aicf::probes
