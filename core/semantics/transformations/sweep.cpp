// Where elements live between their uses: read again, kept on chip, read wide, computed once a row.
#include "core/semantics/claims.hpp"
#include "core/semantics/facts.hpp"

namespace aicf {
namespace {

Claim multi_sweep(const StructureProfile& profile) {
  Claim c =
      identical_claim("elements are read and mapped again in each sweep: the same operations on the same operands");
  c.memory.push_back(sweeps_metric(profile.passes_definition));
  return c;
}

Claim resident_row(const StructureProfile&) {
  Claim c = identical_claim("elements stay on chip between sweeps: one read of global memory");
  c.memory.push_back(sweeps_metric(1));
  return c;
}

Claim vector_access(const StructureProfile&) {
  return identical_claim("several neighbouring elements an access; no operation changes");
}

Claim loop_invariant_hoist(const StructureProfile&) {
  return identical_claim("what does not vary along the axis is computed once a row by the same operations");
}

const RegisterTransformation register_multi_sweep{{"multi_sweep", "recomputation", multi_sweep}};
const RegisterTransformation register_resident{{"resident_row", "representation", resident_row}};
const RegisterTransformation register_vector{{"vector_access", "representation", vector_access}};
const RegisterTransformation register_hoist{{"loop_invariant_hoist", "representation", loop_invariant_hoist}};

} // namespace
} // namespace aicf
