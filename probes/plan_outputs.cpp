#include "core/expr/check.hpp"
#include "core/plan/compositions.hpp"
#include "core/plan/plan.hpp"
#include "probes/outputs.hpp"
#include "probes/plan_probe.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace aicf::probes {
namespace {

using Ids = std::vector<std::string>;

const HardwareFigure* known(const HardwareProfile& profile, const std::string& id) {
  const HardwareFigure* f = figure_of(profile, id);
  return f != nullptr && std::isfinite(f->value) ? f : nullptr;
}

/// The cases of the probes that a family realizes, by the prefix of their figures.
struct Realized {
  std::string probe, family;
  PlanCase of;
};
using Cases = std::map<std::string, Realized>;

Cases realized_cases() {
  Cases all;
  for (const Probe* probe : registered())
    if (const auto* plans = dynamic_cast<const PlanProbe*>(probe))
      for (const PlanCase& c : plans->cases({}))
        if (std::string family = family_of(c); !family.empty())
          all[probe->text().id + "." + c.id] = {probe->text().id, family, c};
  return all;
}

void realizations(const Cases& cases, HardwareProfile& profile) {
  for (const HardwareFigure& f : profile.figures) {
    if (!f.id.ends_with(".instructions") || f.status != "exact") continue;
    const Probe* probe = find(f.probe);
    if (probe == nullptr || probe->text().lab != "primitive") continue;
    const std::string form = f.id.substr(0, f.id.rfind('.'));
    const bool timed = known(profile, form + ".time") != nullptr;
    auto named = [&](const char* what) { return known(profile, form + what) != nullptr ? form + what : std::string(); };
    auto realized = cases.find(form);
    const Ids families = realized == cases.end() ? Ids{} : Ids{realized->second.family};
    profile.realizations.push_back({f.probe, form.substr(f.probe.size() + 1), timed ? form + ".time" : f.id,
                                    named(".drift"), named(".sectors"), families});
  }
}

/// The rewriting that one case stands on and a plainer one does not.
struct Rewriting {
  std::string transformation, preservation_class;
};

/// The value of a parameter that a case asks for, or the domain's first, the plain one; its end: none of that text.
std::vector<Value>::const_iterator place(const PlanCase& c, const Param& p) {
  auto asked = c.choices.find(p.id);
  if (asked == c.choices.end()) return p.domain.begin();
  return std::find_if(p.domain.begin(), p.domain.end(), [&](const Value& v) { return to_text(v) == asked->second; });
}

/// None where the cases are not the same work, or differ in no choice that stands on a rewriting, or in several.
std::optional<Rewriting> rewriting_between(const PlanCase& plain, const PlanCase& other, const std::string& family) {
  if (plain.op != other.op || plain.dims != other.dims || plain.dtype != other.dtype) return std::nullopt;
  std::optional<Rewriting> found;
  for (const Param& p : params()) {
    auto before = place(plain, p), after = place(other, p);
    if (p.family != family || before == after || !p.uses) continue;
    if (before == p.domain.end() || after == p.domain.end()) return std::nullopt;
    const Ids had = p.uses(*before), has = p.uses(*after);
    auto added = std::find_if(has.begin(), has.end(), [&](const std::string& id) {
      return std::find(had.begin(), had.end(), id) == had.end();
    });
    if (added == has.end()) continue;
    if (found || after < before) return std::nullopt;
    found = Rewriting{*added, p.preservation_class};
  }
  return found;
}

/// What each rewriting costs or saves: of two cases of one probe that differ in it, the figures of the one that
/// rewrites over those of the plainer one.
void legality_costs(const Cases& cases, HardwareProfile& profile) {
  for (const auto& [without, plain] : cases)
    for (const auto& [with, other] : cases) {
      if (plain.probe != other.probe || plain.family != other.family) continue;
      auto rewriting = rewriting_between(plain.of, other.of, other.family);
      if (!rewriting) continue;
      for (const char* quantity : {"time", "sectors", "instructions", "drift"}) {
        const auto *a = known(profile, without + "." + quantity), *b = known(profile, with + "." + quantity);
        if (a == nullptr || b == nullptr || !(a->lo > 0)) continue;
        profile.legality_costs.push_back({rewriting->transformation, rewriting->preservation_class, quantity, a->id,
                                          b->id, b->value / a->value, b->lo / a->hi, b->hi / a->lo, b->source});
      }
    }
}

/// What compositions are tried on; those of several blocks or of rows in turn need long rows.
struct Example {
  StructureProfile structure;
  std::int64_t m, n;
};
std::vector<Example> examples() {
  std::vector<Example> out;
  for (const auto& [text, n] : {std::pair{row_softmax, 256}, std::pair{column_sum, 256}, std::pair{row_softmax, 32768}})
    if (auto definition = parse_definition(text, "probe"))
      out.push_back({analyze(canonicalize(std::make_shared<const Definition>(std::move(*definition)))), 512, n});
  return out;
}

/// The primitives that a plan's choices stand on.
Ids primitives_of(const Plan& plan) {
  std::set<std::string> out;
  for (const Param& p : params())
    if (auto chosen = plan.choices.find(p.id); p.family == plan.family && p.primitives && chosen != plan.choices.end())
      for (const std::string& id : p.primitives(chosen->second)) out.insert(id);
  return {out.begin(), out.end()};
}

/// The costs of the cases that make the choices of a composition.
Ids costs_of(const Composition& composition, const Cases& cases, const HardwareProfile& profile) {
  Ids out;
  for (const auto& [form, realized] : cases) {
    if (realized.family != composition.family) continue;
    const auto& choices = realized.of.choices;
    const bool makes = std::all_of(composition.when.begin(), composition.when.end(), [&](const auto& asked) {
      const auto found = choices.find(asked.first);
      return found != choices.end() && found->second == asked.second;
    });
    if (!makes) continue;
    for (const char* cost : {".time", ".instructions"})
      if (known(profile, form + cost) != nullptr) {
        out.push_back(form + cost);
        break;
      }
  }
  return out;
}

FamilyViability judged(const Composition& composition, const std::vector<Example>& examples) {
  std::string why_not = "no operator of the probes is of this family";
  for (const Example& example : examples) {
    Problem problem;
    problem.dims = {{"M", example.m}, {"N", example.n}};
    const FoundPlan found = find_plan(example.structure, problem, composition.when);
    if (found.why_not.empty() && found.plan.family == composition.family)
      return {composition.family,
              "viable",
              composition.title + ": " + composition.gives + "; a legal plan exists for an operator of the probes at " +
                  std::to_string(example.m) + " x " + std::to_string(example.n),
              primitives_of(found.plan),
              {}};
    if (!found.why_not.empty()) why_not = found.why_not;
  }
  return {composition.family, "not_viable", composition.title + ": " + why_not, composition.joins, {}};
}

/// Which compositions of primitives reach their family, each with what it costs where that was measured or counted.
void viability(const Cases& cases, HardwareProfile& profile) {
  const auto tried = examples();
  for (const Composition& composition : compositions()) {
    profile.viability.push_back(judged(composition, tried));
    profile.viability.back().figures = costs_of(composition, cases, profile);
  }
}

} // namespace

void derive_plan_outputs(HardwareProfile& profile) {
  const Cases cases = realized_cases();
  realizations(cases, profile);
  legality_costs(cases, profile);
  viability(cases, profile);
}

} // namespace aicf::probes
