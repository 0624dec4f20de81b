// A bounded state in place of the elements: online algorithms.
#include "core/semantics/claims.hpp"
#include "core/semantics/facts.hpp"

#include <algorithm>

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

/// Applicable, and the verdicts that all online forms share.
Claim online_state(const StructureProfile& profile) {
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
  OperatorFacts facts = facts_of(profile);
  if (dependent) {
    c.needs = Arithmetic::rescaled;
    c.rounding.answer = "reassociated (rescaled at each merge)";
  } else if (!facts.inexact.empty()) {
    c.needs = Arithmetic::reassociated;
    c.rounding.answer = "reassociated";
  }
  bool stable =
      std::all_of(profile.cascades.begin(), profile.cascades.end(), [](const Cascade& k) { return k.summary->stable; });
  if (!stable) c.special.answer = "differs (infinity: the state may overflow where the definition does not)";
  c.memory.push_back(sweeps_metric(facts.sweeps_best));
  return c;
}

Claim rescale(const StructureProfile& profile) {
  Claim c = online_state(profile);
  if (!c.applicable) return c;
  if (!merges_through_exp(profile)) return inapplicable_claim("no merge of its state carries an exponential factor");
  c.reason = "partial sums are carried to the new running maximum by exp(old - new) <= 1";
  c.needs = Arithmetic::rescaled;
  return c;
}

const RegisterTransformation register_online{{"online_state", "summary_state", online_state}};
const RegisterTransformation register_rescale{{"rescale", "rescaling", rescale}};

} // namespace
} // namespace aicf
