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

/// A user reducer without the laws keeps its meaning as a left fold: the refusal carries what refuted the law.
Claim lawless(const StructureProfile& profile, const std::vector<std::string>& names, bool reorder) {
  const Certificate* law = failed_law(profile, reorder);
  const bool refuted = law->verdict == Certificate::Verdict::refuted;
  Claim c = inapplicable_claim("the reducer of " + joined(names) + " is a left fold: " +
                               (refuted ? law->claim : law->claim + " is not known (" + law->method + ")"));
  c.value = {refuted ? "refuted" : "unknown", law->id, {}};
  c.witness = law->witness;
  if (law->witness) c.reason += ": " + law->witness->expected + ", " + law->witness->observed;
  return c;
}

/// Where e + e is not e, two parts without elements must never meet.
Claim hollow(const StructureProfile& profile, const std::vector<std::string>& names) {
  std::string empties;
  for (const ReducerLaws& laws : profile.user_reducers)
    if (!laws.empties_merge) empties = laws.empties;
  Claim c = inapplicable_claim("lanes beyond the end of a row are empty, and two empty parts of " + joined(names) +
                               " do not merge to an empty one: " + empties);
  c.special.answer = "differs (empty: " + empties + ")";
  c.witness = Witness{{}, "the identity, from two empty parts", empties};
  return c;
}

Claim tree_of(const StructureProfile& profile, bool filled) {
  if (profile.reductions.empty()) return inapplicable_claim("there is no reduction to split over lanes");
  OperatorFacts facts = facts_of(profile);
  if (!facts.ordered.empty()) return lawless(profile, facts.ordered, true);
  if (!filled && !facts.hollow.empty()) return hollow(profile, facts.hollow);
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

Claim tree_reduction(const StructureProfile& profile) { return tree_of(profile, false); }

Claim filled_tree(const StructureProfile& profile) {
  Claim c = tree_of(profile, true);
  if (c.applicable) c.reason = "only lanes that hold an element take part, so no two empty parts meet; " + c.reason;
  return c;
}

const RegisterTransformation register_left_fold{{"left_fold", "reorder", left_fold}};
const RegisterTransformation register_filled{{"filled_tree", "reorder", filled_tree}};
const RegisterTransformation register_tree{{"tree_reduction", "reorder", tree_reduction}};

} // namespace
} // namespace aicf
