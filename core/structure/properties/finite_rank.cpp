#include "core/structure/properties/profile_facts.hpp"

namespace aicf {
namespace {

/// Each dependent reduction is a sum of finitely many products g(x)*h(d).
PropertyVerdict decide(const Subject& subject) {
  const StructureProfile& p = subject.profile();
  PropertyVerdict good = holds("separation rank of each reduction", {});
  bool unsure = false, any = false;
  for (const Reduction& r : p.reductions) {
    if (r.rank.kind == Rank::Kind::none) continue;
    any = true;
    const Certificate* c = certificate_in(p, r.certificate);
    if (r.rank.kind == Rank::Kind::unbounded)
      return fails(c != nullptr ? c->method : "samples", r.name, from_witness(c));
    if (r.rank.kind == Rank::Kind::unknown) {
      unsure = true;
      good.text = r.name + ": " + (c != nullptr ? c->method : "not known");
      break;
    }
    good.text += (good.text.empty() ? "" : ", ") + r.name + ": " + std::to_string(r.rank.value);
    if (c == nullptr) continue;
    good.method = c->method;
    if (c->verdict == Certificate::Verdict::probably && c->bound > good.bound)
      good.bound = c->bound, good.trials = c->trials;
  }
  if (!any) return not_applicable("no reduction of it has a rank");
  return unsure ? not_known(good.text) : good;
}

const RegisterProperty register_rank{{"finite_rank", 1, decide}};

} // namespace
} // namespace aicf
