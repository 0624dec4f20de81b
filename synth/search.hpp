// Search among legal plans by measured cost: the best estimate of each form first, then neighbours of the fastest.
// Deterministic in what was measured; resumed by telling it again what is known.
#pragma once
#include "core/plan/plan.hpp"

#include <map>
#include <vector>

namespace aicf {

class PlanSearch {
 public:
  /// `space` outlives the search. Plans are in the order of their estimates.
  explicit PlanSearch(const PlanSpace& space);

  /// The next plan to measure; nullptr when every plan is known. Forms (choices of coarse parameters) come first, one
  /// plan each, the best estimates first; then, around the fastest so far, plans that differ from it in one choice, or
  /// in two of those that are numbers; when all of these are known, around the second fastest, and so on.
  [[nodiscard]] const Plan* next();
  /// A plan to measure before all others: what an earlier run found. False when the space has none with these choices
  /// (texts of values, by param id; choices that are not named may be any).
  bool prefer(const std::map<std::string, std::string>& choices);
  /// Cost of a plan that `next` gave; infinite when it could not be built or was refused.
  void measured(const Plan& plan, double cost);

 private:
  const PlanSpace& space_;
  std::vector<std::size_t> forms_;           ///< positions in the space, still to come
  std::multimap<double, std::size_t> known_; ///< cost -> position
  std::vector<char> taken_;                  ///< by position

  [[nodiscard]] bool near(const Plan& a, const Plan& b) const;
};

} // namespace aicf
