// The product of the parameters of every family that fits, walked depth first: a value that legality refuses is never
// entered, and what a family refuses for a partial choice cuts the whole subtree. Every cut counts the plans below it.
#include "core/plan/plan.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace aicf {
namespace {

/// Why a value of a parameter may not be taken, or empty.
std::string refused_value(const Param& param, const Value& value, const Ledger& ledger, const CompilerProfile& rules) {
  bool plain = value == param.domain.front();
  if (param.uses)
    for (const std::string& id : param.uses(value)) {
      const LegalityRow* row = ledger.find(id);
      if (row == nullptr) return id + ": not in the ledger";
      // The first value of a domain is the plain one; a representation, a rescaling or a recomputation does nothing to
      // an operator that has none to do. Any other value that does not apply would give the plain value's kernel again.
      bool vacuous = plain || row->preservation_class == "representation" || row->preservation_class == "rescaling" ||
                     row->preservation_class == "recomputation";
      if (!row->applicable && vacuous) continue;
      if (!row->allowed) return id + ": " + row->reason;
    }
  if (param.primitives && !rules.primitives.empty())
    for (const std::string& id : param.primitives(value))
      if (std::find(rules.primitives.begin(), rules.primitives.end(), id) == rules.primitives.end())
        return "primitive " + id + ": the profile does not allow it";
  return {};
}

class Walk {
 public:
  Walk(const Family& family, const StructureProfile& profile, const Ledger& ledger, const CompilerProfile& rules,
       const Problem& problem, PlanSpace& space, const std::stop_token& stop)
      : family_(family), profile_(profile), rules_(rules), problem_(problem), space_(space), stop_(stop) {
    for (const Param& p : params())
      if (p.family == family.id) params_.push_back(&p);
    // Few values first: what they refuse cuts most.
    std::stable_sort(params_.begin(), params_.end(),
                     [](const Param* a, const Param* b) { return a->domain.size() < b->domain.size(); });
    below_.assign(params_.size() + 1, 1);
    for (std::size_t i = params_.size(); i-- > 0;) below_[i] = below_[i + 1] * params_[i]->domain.size();
    for (const Param* p : params_) {
      reasons_.emplace_back();
      for (const Value& v : p->domain) reasons_.back().push_back(refused_value(*p, v, ledger, rules));
    }
    plan_.family = family.id;
    plan_.definition = profile.canonical->structure_hash;
    plan_.profile = hash_of(rules);
  }

  void run() {
    space_.generated += below_[0];
    at(0);
  }

 private:
  const Family& family_;
  const StructureProfile& profile_;
  const CompilerProfile& rules_;
  const Problem& problem_;
  PlanSpace& space_;
  const std::stop_token& stop_;
  std::vector<const Param*> params_;
  std::vector<std::size_t> below_;                ///< plans below a prefix of that length
  std::vector<std::vector<std::string>> reasons_; ///< of each value of each parameter, by legality
  Plan plan_;

  void refuse(const std::string& reason, std::size_t count) {
    space_.refused[reason] += count;
    space_.example.try_emplace(reason, plan_);
  }

  void at(std::size_t i) { // as deep as there are parameters
    if (i == params_.size()) {
      space_.plans.push_back(plan_);
      return;
    }
    const Param& p = *params_[i];
    Value& value = plan_.choices[p.id];
    for (std::size_t v = 0; v < p.domain.size() && !stop_.stop_requested(); ++v) {
      value = p.domain[v];
      const std::string& illegal = reasons_[i][v];
      if (!illegal.empty()) {
        refuse(illegal, below_[i + 1]);
        continue;
      }
      std::string unfit = family_.refusal(profile_, problem_, rules_, plan_);
      if (!unfit.empty()) {
        refuse(unfit, below_[i + 1]);
        continue;
      }
      at(i + 1);
    }
    plan_.choices.erase(p.id);
  }
};

} // namespace

PlanSpace plan(const StructureProfile& profile, const Ledger& ledger, const CompilerProfile& rules,
               const Problem& problem, const MachineModel& machine, const std::stop_token& stop) {
  PlanSpace space;
  std::vector<double> cost;
  for (const Family& family : families()) {
    std::string why = family.mismatch(profile);
    if (!why.empty()) {
      ++space.generated; // the family as a whole
      ++space.refused[family.id + ": " + why];
      continue;
    }
    std::size_t before = space.plans.size();
    Walk(family, profile, ledger, rules, problem, space, stop).run();
    for (std::size_t i = before; i < space.plans.size() && !stop.stop_requested(); ++i)
      cost.push_back(family.estimate(profile, problem, space.plans[i], machine));
    if (stop.stop_requested()) return {};
  }
  std::vector<std::size_t> order(space.plans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost[a] < cost[b]; });
  std::vector<Plan> sorted;
  sorted.reserve(order.size());
  for (std::size_t i : order) sorted.push_back(std::move(space.plans[i]));
  space.plans = std::move(sorted);
  return space;
}

std::vector<Diagnostic> restrict_to(PlanSpace& space, const std::map<std::string, std::string>& choices) {
  std::vector<Diagnostic> problems;
  for (const auto& [id, text] : choices) {
    std::string known, domain;
    std::set<std::string> values;
    bool found = false;
    for (const Param& p : params()) {
      if (p.id != id) {
        if (known.find(p.id) == std::string::npos) known += (known.empty() ? "" : ", ") + p.id;
        continue;
      }
      for (const Value& v : p.domain) {
        if (values.insert(to_text(v)).second) domain += (domain.empty() ? "" : ", ") + to_text(v);
        found = found || to_text(v) == text;
      }
    }
    if (found) continue;
    problems.push_back(domain.empty()
                           ? error("plan.no-param", "\"" + id + "\" is no parameter of a plan; there are " + known)
                           : error("plan.no-value", id + " is one of " + domain + ", not \"" + text + "\""));
  }
  if (!problems.empty()) return problems;
  std::size_t before = space.plans.size();
  std::erase_if(space.plans, [&](const Plan& plan) {
    return std::any_of(choices.begin(), choices.end(), [&](const auto& wanted) {
      auto made = plan.choices.find(wanted.first);
      return made == plan.choices.end() || to_text(made->second) != wanted.second;
    });
  });
  if (before != space.plans.size()) space.refused["another choice was asked for"] += before - space.plans.size();
  return problems;
}

} // namespace aicf
