#include "core/structure/properties/profile_facts.hpp"

#include <algorithm>

namespace aicf {
namespace {

/// States of two chunks, of a size that does not grow, merge into the state of their union.
PropertyVerdict decide(const Subject& subject) {
  const StructureProfile& p = subject.profile();
  if (p.reductions.empty()) return not_applicable("it has no reduction");
  if (const Reduction* r = unbounded_in(p))
    return fails("samples of full rank", "no state of bounded size keeps " + r->name,
                 from_witness(certificate_in(p, r->certificate)));
  PropertyVerdict good = holds("merges of each cascade", {});
  for (const Cascade& cascade : p.cascades) {
    std::string names;
    bool user = true;
    for (std::size_t k : cascade.reductions) {
      const Reduction& r = p.reductions[k];
      names += (names.empty() ? "" : ", ") + r.name;
      if (subject.canonical().arena.reduction(r.node).reducer < first_user_reducer || !r.depends_on.empty()) {
        user = false;
        continue;
      }
      const ReducerLaws& laws = subject.laws(r);
      if (laws.splits()) continue;
      const Certificate& broken = laws.of(laws.holds(Law::associative) ? Law::identity : Law::associative);
      if (broken.verdict == Certificate::Verdict::refuted)
        return fails(broken.method, r.name + ": " + broken.claim, from_witness(&broken));
      user = false;
    }
    if (!cascade.summary && !user) return not_known("no common state of " + names + " was derived");
    const Certificate* c =
        cascade.summary ? certificate_in(p, "summary:" + p.reductions[cascade.reductions.front()].name) : nullptr;
    good.text += (good.text.empty() ? "" : "; ") + names + ": " +
                 (cascade.summary ? std::to_string(cascade.summary->slots.size()) + " numbers" : "one number");
    if (c != nullptr && c->verdict == Certificate::Verdict::probably && c->bound > good.bound)
      good.bound = c->bound, good.trials = c->trials;
    if (c != nullptr) good.method = c->method;
  }
  return good;
}

const RegisterProperty register_mergeable{{"mergeable", 1, decide}};

} // namespace
} // namespace aicf
