// Where elements live between their uses: read again, kept on chip, read wide, computed once a row.
#include "core/semantics/claims.hpp"
#include "core/semantics/facts.hpp"

namespace aicf {
namespace {

Claim multi_sweep(const OperatorFacts&) {
  return identical_claim("elements are read and mapped again in each sweep: the same operations on the same operands");
}

Claim resident_row(const OperatorFacts&) {
  Claim c = identical_claim("elements stay on chip between sweeps: one read of global memory");
  c.reading = Reading::once;
  return c;
}

Claim vector_access(const OperatorFacts&) {
  return identical_claim("several neighbouring elements an access; no operation changes");
}

Claim loop_invariant_hoist(const OperatorFacts&) {
  return identical_claim("what does not vary along the axis is computed once a row by the same operations");
}

Claim tile(const OperatorFacts& facts) {
  if (facts.rank == 0) return inapplicable_claim("a single number has no axis to tile");
  return identical_claim("results are computed block by block; each by the same operations in the same order");
}

Claim transpose_layout(const OperatorFacts& facts) {
  const Definition& d = *facts.profile->canonical->source;
  bool matrix = facts.rank > 1;
  for (std::size_t t = 0; t < d.inputs; ++t) matrix = matrix || d.tensors[t].shape.size() > 1;
  if (!matrix) return inapplicable_claim("no tensor has two axes to exchange");
  return identical_claim("elements lie in another order in memory; the index is the same");
}

Claim persistent_blocks(const OperatorFacts& facts) {
  if (facts.rank == 0) return inapplicable_claim("there is one result, and one block");
  return identical_claim("as many blocks as fit take rows in turn; a row is computed as before, whoever takes it");
}

Claim async_copy(const OperatorFacts&) {
  return identical_claim("elements arrive in shared memory while others are used; they are the same elements");
}

Claim fuse_producer(const OperatorFacts& facts) {
  if (facts.mapped.empty()) return inapplicable_claim("every reduction reads its elements bare");
  return identical_claim("elements are mapped as they are read, by the same operations: no mapped tensor in memory");
}

Claim fuse_epilogue(const OperatorFacts& facts) {
  if (!facts.epilogue) return inapplicable_claim("no result computes with a reduction");
  return identical_claim("what follows a reduction is computed where its result already is");
}

Claim store_statistics(const OperatorFacts& facts) {
  if (!facts.along_axis) return inapplicable_claim("no result lies along an axis that a reduction has read");
  Claim c =
      identical_claim("only the numbers of a row are stored; what lies along it is computed again where it is read");
  c.statistics = true;
  return c;
}

Claim repeat_statistics(const OperatorFacts& facts) {
  if (facts.profile->reductions.empty() || facts.rank == 0)
    return inapplicable_claim("no reduction is shared by several results");
  Claim c = identical_claim("each block reduces for itself what several need: no exchange between blocks");
  c.reads_follow = "of each row as often as blocks reduce it, which is a choice of the plan";
  return c;
}

Claim skip_masked_tiles(const OperatorFacts& facts) {
  if (facts.masked.empty()) return inapplicable_claim("no predicate or bound leaves elements out");
  for (const Reduction& r : facts.profile->reductions)
    if (!laws_of(*facts.profile, r).holds(Law::identity))
      return inapplicable_claim("the reducer of " + r.name + " has no identity to stand for a tile that is left out");
  return identical_claim("a tile without an element that takes part is never read: it adds the identity");
}

const RegisterTransformation register_tile{{"tile", "representation", tile}};
const RegisterTransformation register_transpose{{"transpose_layout", "representation", transpose_layout}};
const RegisterTransformation register_persistent{{"persistent_blocks", "representation", persistent_blocks}};
const RegisterTransformation register_async{{"async_copy", "representation", async_copy}};
const RegisterTransformation register_producer{{"fuse_producer", "representation", fuse_producer}};
const RegisterTransformation register_epilogue{{"fuse_epilogue", "representation", fuse_epilogue}};
const RegisterTransformation register_statistics{{"store_statistics", "recomputation", store_statistics}};
const RegisterTransformation register_repeat{{"repeat_statistics", "recomputation", repeat_statistics}};
const RegisterTransformation register_skip{{"skip_masked_tiles", "reorder", skip_masked_tiles}};
const RegisterTransformation register_multi_sweep{{"multi_sweep", "recomputation", multi_sweep}};
const RegisterTransformation register_resident{{"resident_row", "representation", resident_row}};
const RegisterTransformation register_vector{{"vector_access", "representation", vector_access}};
const RegisterTransformation register_hoist{{"loop_invariant_hoist", "representation", loop_invariant_hoist}};

} // namespace
} // namespace aicf
