#include "core/expr/check.hpp"
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
  const Cases cases = realized_cases();
  realizations(cases, profile);
  legality_costs(cases, profile);
  viability(profile);
}

} // namespace aicf::probes
