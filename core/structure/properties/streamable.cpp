#include "core/structure/properties/profile_facts.hpp"

namespace aicf {
namespace {

/// One sweep over the inputs is enough: results follow from a state that each element updates once.
PropertyVerdict decide(const Subject& subject) {
  const StructureProfile& p = subject.profile();
  if (p.passes_best == 1) return holds("sweeps, from the levels of its reductions", "one sweep");
  const std::string text = std::to_string(p.passes_best) + " sweeps at best";
  for (const Reduction& r : p.reductions)
    if (!r.bounded)
      if (auto at = from_witness(certificate_in(p, r.certificate)))
        return fails("samples of full rank", text + ": " + r.name + " needs its elements again", at);
  Instance* instance = subject.instance();
  if (instance == nullptr) return fails("sweeps, from the levels of its reductions", text);
  // the first result waits for the last element that it reads
  const std::vector<bool> reads = instance->reads(flat(instance->results()).front());
  for (std::size_t s = reads.size(); s-- > 0;)
    if (reads[s])
      if (auto at = change(subject, 0, s))
        return fails("sweeps, and a first result that a last element changes", text, at);
  return fails("sweeps, from the levels of its reductions", text);
}

const RegisterProperty register_streamable{{"streamable", 1, decide}};

} // namespace
} // namespace aicf
