// Orders of combination: the left fold in index order, and trees.
#include "core/semantics/claims.hpp"
#include "core/semantics/facts.hpp"

namespace aicf {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return text;
}

Claim left_fold(const StructureProfile& profile) {
  if (profile.reductions.empty()) return inapplicable_claim("there is no reduction to fold");
  return identical_claim("the baseline itself: one accumulator a reduction, elements in index order");
}

Claim tree_reduction(const StructureProfile& profile) {
  if (profile.reductions.empty()) return inapplicable_claim("there is no reduction to split over lanes");
  OperatorFacts facts = facts_of(profile);
  if (!facts.ordered.empty())
    return inapplicable_claim("associativity and commutativity are not proven for the reducer of " +
                              joined(facts.ordered));
  Claim c = identical_claim("lanes and warps combine in a fixed tree that depends on the length of the row alone");
  if (!facts.inexact.empty()) {
    c.needs = Arithmetic::reassociated;
    c.rounding.answer = "reassociated";
    c.reason +=
        "; the rounding of " + joined(facts.inexact) + " changes, by at most gamma(depth) of the sum of magnitudes";
    c.special.answer = "same (an intermediate overflow may come earlier or later)";
  }
  return c;
}

const RegisterTransformation register_left_fold{{"left_fold", "reorder", left_fold}};
const RegisterTransformation register_tree{{"tree_reduction", "reorder", tree_reduction}};

} // namespace
} // namespace aicf
