#include "core/structure/properties/profile_facts.hpp"

#include <algorithm>

namespace aicf {

const Certificate* certificate_in(const StructureProfile& profile, const std::string& id) {
  auto found = std::find_if(profile.certificates.begin(), profile.certificates.end(),
                            [&](const Certificate& c) { return c.id == id; });
  return found == profile.certificates.end() ? nullptr : &*found;
}

std::optional<Counterexample> from_witness(const Certificate* certificate) {
  if (certificate == nullptr || !certificate->witness) return std::nullopt;
  Counterexample c;
  c.inputs = certificate->witness->inputs;
  c.text = "expected " + certificate->witness->expected + "; observed " + certificate->witness->observed;
  return c;
}

const Reduction* unbounded_in(const StructureProfile& profile) {
  for (const Reduction& r : profile.reductions)
    if (r.rank.kind == Rank::Kind::unbounded) return &r;
  return nullptr;
}

const Reduction* reduction_named(const StructureProfile& profile, const std::string& name) {
  for (const Reduction& r : profile.reductions)
    if (r.name == name) return &r;
  return nullptr;
}

} // namespace aicf
