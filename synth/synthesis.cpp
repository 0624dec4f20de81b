#include "synth/synthesis.hpp"

#include "core/base/json.hpp"
#include "core/evidence/evidence.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/cuda/cuda_backend.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/timing_metrics.hpp"
#include "core/plan/choice.hpp"
#include "core/validate/inputs.hpp"
#include "synth/estimate.hpp"
#include "synth/planning.hpp"
#include "synth/search.hpp"
#include "synth/variant.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace aicf {
namespace {

/// What a plan does with state and elements: its choices of parameters that change the summary state or recompute.
std::string state_form(const Plan& plan) {
  return form_of(
      plan, [](const Param& p) { return p.preservation_class == "summary_state"; }, "|");
}

/// `budget` plans in order of estimate, forms taking turns.
std::vector<const Plan*> proposed(const PlanSpace& space, std::size_t budget) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const Plan*>> by_form;
  for (const Plan& plan : space.plans) {
    std::string form = state_form(plan);
    auto& list = by_form[form];
    if (list.empty()) order.push_back(form);
    list.push_back(&plan);
  }
  std::vector<const Plan*> chosen;
  for (std::size_t turn = 0; chosen.size() < std::min(budget, space.plans.size()); ++turn)
    for (const std::string& form : order)
      if (const auto& list = by_form[form]; turn < list.size() && chosen.size() < budget) chosen.push_back(list[turn]);
  return chosen;
}

std::string refusal_of(const PlanSpace& space) {
  std::string text = "no legal plan";
  for (const auto& [reason, count] : space.refused)
    text += "\n  " + (count > 1 ? std::to_string(count) + " x " : std::string()) + reason;
  return text;
}

/// Which limit of the profile the compiled kernels exceed; empty: none.
std::string exceeded(const Variant& variant, const CompilerProfile& rules) {
  auto over = [](const char* what, std::int64_t limit) {
    return std::string("compiled: more ") + what + " than the profile's " + std::to_string(limit);
  };
  for (const Compiled& c : variant.compiled) {
    if (c.registers > rules.registers) return over("registers a thread", rules.registers);
    if (c.spill_bytes > rules.spills) return over("bytes of spills", rules.spills);
    if (c.shared_bytes > rules.shared_bytes) return over("bytes of shared memory", rules.shared_bytes);
  }
  return {};
}

double time_of(const SynthesizedVariant& v) {
  for (const Metric& m : v.timings)
    if (m.id == "time_us.cold" && m.source == Metric::Source::measured) return m.value;
  for (const Metric& m : v.estimates)
    if (m.source == Metric::Source::estimated) return m.value;
  return INFINITY;
}

class Loop {
 public:
  Loop(const SynthesisRequest& request, Backend& backend, const Ledger& ledger, const MachineModel& machine,
       std::stop_token stop)
      : request_(request), backend_(backend), ledger_(ledger), machine_(machine), stop_(std::move(stop)) {}

  /// Missing tools end the whole; everything else stands with the variant.
  std::optional<Unavailable> make(const Plan& plan, SynthesizedVariant& out) {
    const StructureProfile& structure = *request_.structure;
    out.id = variant_id(structure, plan, request_.problem);
    out.variant.plan = plan;
    out.order = order_of(plan, ledger_);
    out.status = "not_compiled";
    auto built = build_variant(structure, plan, request_.problem);
    out.diagnostics = built.diagnostics;
    if (built.missing) return built.missing;
    if (!built) return std::nullopt;
    out.variant = std::move(*built);
    if (std::string over = exceeded(out.variant, request_.rules); !over.empty()) {
      out.status = over;
      return std::nullopt;
    }
    out.status = "not_judged";
    if (request_.resume && request_.recall && request_.recall(out)) {
      out.status = "validated";
      if (backend_.id() != "cuda") estimate(out);
      return std::nullopt;
    }
    if (request_.validate) {
      ValidationOptions options;
      options.seed = request_.seed;
      options.counters = backend_.id() == "emulator";
      options.row_limit = request_.row_limit;
      options.claimed = out.order.keeps;
      auto rebuild = [&](const Plan& p, const Problem& problem) {
        return build_legal_variant(*request_.structure, request_.rules, p, problem);
      };
      auto judged =
          validate(structure, request_.rules, out.variant, request_.problem, backend_, rebuild, options, stop_);
      out.diagnostics.insert(out.diagnostics.end(), judged.diagnostics.begin(), judged.diagnostics.end());
      if (judged.missing) return judged.missing;
      if (!judged || stop_.stop_requested()) return std::nullopt;
      out.validation = std::move(*judged);
      out.status = out.validation.passed ? "validated" : "failed";
    }
    if (backend_.id() == "cuda" && (out.validation.passed || !request_.validate)) return time(out);
    if (out.validation.passed) estimate(out);
    return std::nullopt;
  }

 private:
  void estimate(SynthesizedVariant& out) {
    out.estimates = {estimated_time(out.variant, request_.problem, out.validation.counters, machine_)};
  }

  std::optional<Unavailable> time(SynthesizedVariant& out) {
    auto inputs =
        make_inputs(*request_.structure->canonical->source, request_.problem, InputKind::random, request_.seed);
    if (!inputs) {
      out.diagnostics.insert(out.diagnostics.end(), inputs.diagnostics.begin(), inputs.diagnostics.end());
      return std::nullopt;
    }
    RunOptions how;
    how.checks = false;
    how.repetitions = 31;
    how.counters = request_.counters;
    RunResult result;
    auto outputs =
        run_variant(*request_.structure, out.variant, request_.problem, *inputs, backend_, how, &result, stop_);
    if (outputs.missing) return outputs.missing;
    for (Metric& m : result.metrics) (is_of_timing(m) ? out.timings : out.validation.counters).push_back(std::move(m));
    return std::nullopt;
  }

  const SynthesisRequest& request_;
  Backend& backend_;
  const Ledger& ledger_;
  const MachineModel& machine_;
  std::stop_token stop_;
};

} // namespace

Result<SynthesisResult> synthesize(const SynthesisRequest& request, const SynthesisEvents& events,
                                   std::stop_token stop) {
  SynthesisResult result;
  auto say = [&](std::size_t done, std::size_t total, const std::string& text) {
    if (events.progress) events.progress(done, total, text);
  };
  for (const std::string& property : request.rules.properties.require)
    if (!std::ranges::count(request.structure->structures, property))
      result.refusal = "the profile requires the property " + property + ", which this operator lacks";
  for (const std::string& property : request.rules.properties.forbid)
    if (std::ranges::count(request.structure->structures, property))
      result.refusal = "the profile forbids the property " + property + ", which this operator has";
  if (!result.refusal.empty()) return result;
  Ledger ledger = judge(*request.structure, request.rules);
  result.machine = planning_machine(request.rules, request.backend, request.problem.target);
  result.space = plan(*request.structure, ledger, request.rules, request.problem, result.machine);
  if (auto problems = restrict_to(result.space, request.choices); !problems.empty()) {
    Result<SynthesisResult> bad;
    bad.diagnostics = std::move(problems);
    return bad;
  }
  if (result.space.plans.empty()) {
    result.refusal = refusal_of(result.space);
    return result;
  }
  if (auto info = nvrtc_info(); !info) return info.failure<SynthesisResult>();
  auto backend = make_backend(request.backend);
  if (!backend) return backend.failure<SynthesisResult>();
  // A kernel over a limit gives its place to the next plan. Where times are measured, they say which plan is next.
  std::size_t wanted = std::min(request.budget, result.space.plans.size());
  std::size_t most = std::min(4 * wanted, result.space.plans.size());
  bool measures = request.backend == "cuda", lost = false;
  std::vector<const Plan*> plans;
  if (!measures) plans = proposed(result.space, most);
  PlanSearch search(result.space);
  Loop loop(request, **backend, ledger, result.machine, stop);
  for (std::size_t tried = 0; tried < most && result.variants.size() < wanted && !stop.stop_requested(); ++tried) {
    const Plan* plan = measures ? search.next() : plans[tried];
    say(result.variants.size(), wanted, "building and judging " + state_form(*plan));
    SynthesizedVariant variant;
    variant.started = utc_now();
    const auto begin = std::chrono::steady_clock::now();
    auto missing = loop.make(*plan, variant);
    variant.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (missing) {
      Result<SynthesisResult> lacking;
      lacking.missing = std::move(missing);
      lacking.diagnostics = variant.diagnostics;
      return lacking;
    }
    if (stop.stop_requested()) break;
    if (!variant.resumed.empty()) say(result.variants.size(), wanted, "was judged before: " + variant.id);
    if (measures) search.measured(*plan, variant.status == "failed" ? INFINITY : time_of(variant));
    if (variant.status.starts_with("compiled: ")) {
      ++result.space.refused[variant.status];
      continue;
    }
    if (events.variant) events.variant(variant);
    result.variants.push_back(std::move(variant));
    lost = measures && cuda::context_was_lost();
    if (lost) break; // every further variant would be blamed for what this one did
  }
  result.cancelled = stop.stop_requested();
  say(result.variants.size(), wanted, result.cancelled ? "cancelled" : "done");
  std::stable_sort(result.variants.begin(), result.variants.end(),
                   [](const SynthesizedVariant& a, const SynthesizedVariant& b) {
                     bool first = a.status == "validated", second = b.status == "validated";
                     return first != second ? first : time_of(a) < time_of(b);
                   });
  Result<SynthesisResult> out(std::move(result));
  if (lost)
    out.diagnostics.push_back(error("synth.device-lost",
                                    "the last variant left the device's context broken: the others were not tried", {},
                                    "a new process can use the device"));
  return out;
}

} // namespace aicf
