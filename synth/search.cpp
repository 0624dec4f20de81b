#include "synth/search.hpp"

#include "core/plan/choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

namespace aicf {
namespace {

constexpr std::size_t most_forms = 12; ///< tried before the search narrows; the last of them were never near the best

} // namespace

PlanSearch::PlanSearch(const PlanSpace& space) : space_(space), taken_(space.plans.size(), 0) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < space.plans.size() && forms_.size() < most_forms; ++i)
    if (seen.insert(coarse_form(space.plans[i])).second) forms_.push_back(i);
  std::reverse(forms_.begin(), forms_.end()); // taken from the back
}

bool PlanSearch::near(const Plan& a, const Plan& b) const {
  if (a.family != b.family) return false;
  int words = 0, numbers = 0;
  for (const auto& [id, value] : a.choices) {
    auto other = b.choices.find(id);
    if (other == b.choices.end()) return false;
    if (other->second == value) continue;
    ++(std::holds_alternative<std::int64_t>(value) ? numbers : words);
  }
  return words + (numbers + 1) / 2 <= 1;
}

const Plan* PlanSearch::next() {
  auto take = [&](std::size_t i) {
    taken_[i] = 1;
    return &space_.plans[i];
  };
  while (!forms_.empty()) {
    std::size_t i = forms_.back();
    forms_.pop_back();
    if (taken_[i] == 0) return take(i);
  }
  for (const auto& [cost, at] : known_) {
    if (!std::isfinite(cost)) break;
    for (std::size_t i = 0; i < space_.plans.size(); ++i)
      if (taken_[i] == 0 && near(space_.plans[at], space_.plans[i])) return take(i);
  }
  for (std::size_t i = 0; i < space_.plans.size(); ++i)
    if (taken_[i] == 0) return take(i);
  return nullptr;
}

bool PlanSearch::prefer(const std::map<std::string, std::string>& choices) {
  // Of the plans that fit, the one that is plain in what is not asked for: results may be older than a parameter.
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < space_.plans.size(); ++i) {
    const Plan& plan = space_.plans[i];
    bool fits = std::all_of(choices.begin(), choices.end(), [&](const auto& wanted) {
      auto choice = plan.choices.find(wanted.first);
      return choice != plan.choices.end() && to_text(choice->second) == wanted.second;
    });
    if (!fits) continue;
    bool plain = std::all_of(params().begin(), params().end(), [&](const Param& p) {
      auto choice = plan.choices.find(p.id);
      return p.family != plan.family || choices.contains(p.id) || choice == plan.choices.end() ||
             choice->second == p.domain.front();
    });
    if (!found || plain) found = i;
    if (plain) break;
  }
  if (found) forms_.push_back(*found);
  return found.has_value();
}

void PlanSearch::measured(const Plan& plan, double cost) {
  std::ptrdiff_t at = &plan - space_.plans.data();
  if (at < 0 || static_cast<std::size_t>(at) >= space_.plans.size()) throw std::logic_error("a plan of another space");
  taken_[static_cast<std::size_t>(at)] = 1;
  known_.emplace(cost, static_cast<std::size_t>(at));
}

} // namespace aicf
