#include "core/expr/check.hpp"
#include "core/plan/plan.hpp"
#include "probes/outputs.hpp"
#include "probes/plan_probe.hpp"

#include <cmath>
#include <map>
#include <set>

namespace aicf::probes {
namespace {

const HardwareFigure* known(const HardwareProfile& profile, const std::string& id) {
  const HardwareFigure* f = figure_of(profile, id);
  return f != nullptr && std::isfinite(f->value) ? f : nullptr;
}

void realizations(HardwareProfile& profile) {
  std::map<std::string, std::vector<std::string>> reached; // figure prefix -> families
  for (const Probe* probe : registered())
    if (const auto* plans = dynamic_cast<const PlanProbe*>(probe))
      for (const PlanCase& c : plans->cases({}))
        if (std::string family = family_of(c); !family.empty()) reached[probe->text().id + "." + c.id] = {family};
  for (const HardwareFigure& f : profile.figures) {
    if (!f.id.ends_with(".instructions") || f.status != "exact") continue;
    const Probe* probe = find(f.probe);
    if (probe == nullptr || probe->text().lab != "primitive") continue;
    const std::string form = f.id.substr(0, f.id.rfind('.'));
    const bool timed = known(profile, form + ".time") != nullptr;
    auto named = [&](const char* what) { return known(profile, form + what) != nullptr ? form + what : std::string(); };
    profile.realizations.push_back({f.probe, form.substr(f.probe.size() + 1), timed ? form + ".time" : f.id,
                                    named(".drift"), named(".sectors"), reached[form]});
  }
}

struct Pair {
  const char *transformation, *preservation, *quantity, *without, *with;
};
constexpr Pair pairs[] = {
    {"online_state", "summary_state", "sectors", "online_forms.two_pass.4096.sectors",
     "online_forms.online.4096.sectors"},
    {"online_state", "summary_state", "instructions", "online_forms.two_pass.4096.instructions",
     "online_forms.online.4096.instructions"},
    {"online_state", "summary_state", "time", "online_forms.two_pass.4096.time", "online_forms.online.4096.time"},
    {"resident_row", "representation", "sectors", "online_forms.two_pass.4096.sectors",
     "online_forms.resident.4096.sectors"},
    {"resident_row", "representation", "time", "online_forms.two_pass.4096.time", "online_forms.resident.4096.time"},
    {"vector_access", "representation", "instructions", "vector_width.v1.4096.instructions",
     "vector_width.v8.4096.instructions"},
    {"vector_access", "representation", "time", "vector_width.v1.4096.time", "vector_width.v8.4096.time"},
    {"tree_reduction", "reorder", "drift", "reduction_topology.sequential.4096.drift",
     "reduction_topology.block.4096.drift"},
    {"fast_exp", "bounded_approximation", "drift", "exp_forms.precise.4096.drift", "exp_forms.fast.4096.drift"},
    {"fast_exp", "bounded_approximation", "instructions", "exp_forms.precise.4096.instructions",
     "exp_forms.fast.4096.instructions"},
    {"fast_divide", "bounded_approximation", "drift", "division_forms.ieee.4096.drift",
     "division_forms.fast.4096.drift"},
    {"reciprocal_hoist", "reorder", "instructions", "division_forms.ieee.4096.instructions",
     "division_forms.reciprocal.4096.instructions"},
    {"fma_contraction", "reorder", "drift", "fma_contraction.off.4096.drift", "fma_contraction.on.4096.drift"},
    {"wide_accumulator", "representation", "drift", "reduction_types.f32_in_f32.4096.drift",
     "reduction_types.f32_in_f64.4096.drift"},
};

void legality_costs(HardwareProfile& profile) {
  for (const Pair& p : pairs) {
    const auto *a = known(profile, p.without), *b = known(profile, p.with);
    if (a == nullptr || b == nullptr || !(a->lo > 0)) continue;
    profile.legality_costs.push_back({p.transformation, p.preservation, p.quantity, a->id, b->id, b->value / a->value,
                                      b->lo / a->hi, b->hi / a->lo, b->source});
  }
}

/// For every family, whether any of the probes' operators reaches it, and with which primitives.
void viability(HardwareProfile& profile) {
  std::map<std::string, FamilyViability> seen;
  for (const Family& family : families())
    seen[family.id] = {family.id, "not_measured", "no operator of the probes is of this family", {}, {}};
  for (const char* text : {row_sum, row_softmax, row_variance, row_logsumexp, row_norm, map_gelu, column_sum}) {
    auto definition = parse_definition(text, "probe");
    if (!definition) continue;
    const StructureProfile structure =
        analyze(canonicalize(std::make_shared<const Definition>(std::move(*definition))));
    Problem problem;
    problem.dims = {{"M", 512}, {"N", 256}};
    const FoundPlan found = find_plan(structure, problem, {});
    if (!found.why_not.empty()) continue;
    FamilyViability& entry = seen[found.plan.family];
    entry.verdict = "viable";
    entry.reason = "a legal plan exists for an operator of the probes at 512 x 256";
    std::set<std::string> primitives(entry.primitives.begin(), entry.primitives.end());
    for (const Param& p : params())
      if (auto chosen = found.plan.choices.find(p.id);
          p.family == found.plan.family && p.primitives && chosen != found.plan.choices.end())
        for (const std::string& id : p.primitives(chosen->second)) primitives.insert(id);
    entry.primitives.assign(primitives.begin(), primitives.end());
  }
  for (auto& [id, entry] : seen) profile.viability.push_back(std::move(entry));
}

} // namespace

void derive_plan_outputs(HardwareProfile& profile) {
  realizations(profile);
  legality_costs(profile);
  viability(profile);
}

} // namespace aicf::probes
