// A bounded state in place of the elements: online algorithms.
#include "core/semantics/topology.hpp"

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

/// The first reduction without a bounded state, with its reason and witness.
Claim unbounded(const StructureProfile& profile, const Reduction& r) {
  const Certificate* certificate = certificate_of(profile, r.certificate);
  std::string why = r.rank.kind == Rank::Kind::unbounded ? "no state of bounded size exists for " + r.name
                                                         : "no state of bounded size is known for " + r.name;
  if (certificate != nullptr && !certificate->claim.empty()) why += ": " + certificate->claim;
  Claim c = inapplicable_claim(why);
  c.value = {r.rank.kind == Rank::Kind::unbounded ? "refuted" : "unknown", r.certificate, {}};
  if (certificate != nullptr) c.witness = certificate->witness;
  return c;
}

bool merges_through_exp(const StructureProfile& profile) {
  const Arena& arena = profile.canonical->arena;
  for (const Cascade& cascade : profile.cascades) {
    if (!cascade.summary) continue;
    for (const Slot& slot : cascade.summary->slots)
      for (ExprId id : reachable(arena, std::span(&slot.merge, 1)))
        if (arena[id].op == Op::exp || arena[id].op == Op::exp2) return true;
  }
  return false;
}

/// What the profile knows of the states at NaN, infinities, nothing and masks: both sides were run there.
void special_of_states(const StructureProfile& profile, Claim& c) {
  std::vector<std::string> kinds;
  std::string first;
  bool known = true;
  for (const Cascade& cascade : profile.cascades) {
    known = known && cascade.special_known;
    for (const SpecialDifference& d : cascade.special) {
      if (std::find(kinds.begin(), kinds.end(), d.kind) == kinds.end()) kinds.push_back(d.kind);
      if (c.witness) continue;
      const std::string name = profile.reductions[d.reduction].name;
      auto text = [](double v) {
        return std::isnan(v) ? "nan" : std::isinf(v) ? (v > 0 ? "inf" : "-inf") : std::to_string(v);
      };
      c.witness = Witness{d.inputs, name + " = " + text(d.expected),
                          name + " = " + text(d.observed) + " from chunks of " + d.chunks};
      first = d.what;
    }
  }
  if (!kinds.empty()) {
    c.special.answer = "differs (";
    for (const std::string& k : kinds) c.special.answer += (k == kinds.front() ? "" : ", ") + k;
    c.special.answer += ")";
    c.reason += "; " + first + ": " + c.witness->observed + ", " + c.witness->expected + " by definition";
  } else if (!known) {
    c.special.answer = "not known (too large to be run)";
  }
}

/// Applicable, and the verdicts that all online forms share.
Claim online_state(const OperatorFacts& facts) {
  const StructureProfile& profile = *facts.profile;
  if (profile.reductions.empty()) return inapplicable_claim("there is no reduction to keep a state for");
  for (const Reduction& r : profile.reductions)
    if (!r.bounded) return unbounded(profile, r);
  bool dependent = std::any_of(profile.reductions.begin(), profile.reductions.end(),
                               [](const Reduction& r) { return !r.depends_on.empty(); });
  for (const Cascade& cascade : profile.cascades)
    if (!cascade.summary)
      return inapplicable_claim("the reductions over " + cascade.axis +
                                " are bounded one by one, but no common state was derived");
  Claim c = identical_claim(dependent ? "states of chunks merge into the state of their union; no element is read twice"
                                      : "independent reductions share one sweep");
  // the ranks say that a state exists; the merge that was derived from them has a certificate of its own
  double bound = 0;
  for (const Certificate& certificate : profile.certificates) {
    if (!certificate.id.starts_with("summary:")) continue;
    c.value.certificate = certificate.id;
    if (certificate.verdict != Certificate::Verdict::proven) bound = std::max(bound, certificate.bound);
  }
  if (dependent && bound > 0) c.value.answer = "probably equal", c.value.bound = bound;
  if (dependent) {
    c.needs = Arithmetic::rescaled;
    c.rounding.answer = "reassociated (rescaled at each merge)";
  } else if (!facts.inexact.empty()) {
    c.needs = Arithmetic::reassociated;
    c.rounding.answer = "reassociated";
  }
  bool stable =
      std::all_of(profile.cascades.begin(), profile.cascades.end(), [](const Cascade& k) { return k.summary->stable; });
  special_of_states(profile, c);
  if (!stable && !c.special.answer.starts_with("differs")) {
    c.special.answer = "differs (infinity)";
    c.reason += "; the state may overflow where the definition does not";
  }
  derive_order(c, facts, {.shape = "the length of the row and of its chunks, which is a choice of the plan"});
  c.reading = Reading::bounded;
  return c;
}

Claim rescale(const OperatorFacts& facts) {
  Claim c = online_state(facts);
  if (!c.applicable) return c;
  if (!merges_through_exp(*facts.profile))
    return inapplicable_claim("no merge of its state carries an exponential factor");
  c.reason = "partial sums are carried to the new running maximum by exp(old - new) <= 1";
  c.needs = Arithmetic::rescaled;
  return c;
}

Claim split_state(const OperatorFacts& facts) {
  const StructureProfile& profile = *facts.profile;
  const bool dependent = std::any_of(profile.reductions.begin(), profile.reductions.end(),
                                     [](const Reduction& r) { return !r.depends_on.empty(); });
  if (!dependent)
    return inapplicable_claim("no reduction depends on another: parts combine by the reducers themselves");
  Claim c = online_state(facts);
  if (!c.applicable) return c;
  c.reason = "blocks keep states of parts of a row, and a second kernel merges them; " + c.reason;
  derive_order(c, facts, {.shape = "the length of the row alone: parts of a fixed length"});
  c.parts = true;
  return c;
}

const RegisterTransformation register_split{{"split_state", "summary_state", split_state}};
const RegisterTransformation register_online{{"online_state", "summary_state", online_state}};
const RegisterTransformation register_rescale{{"rescale", "rescaling", rescale}};

} // namespace
} // namespace aicf
