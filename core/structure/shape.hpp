// Sweeps, stages and named structures of a definition. Internal to core/structure.
#pragma once
#include "core/structure/model.hpp"

namespace aicf {

/// Fills passes, stages and structures from the reductions and cascades that are there.
void describe_shape(const Model& model, StructureProfile& profile);

/// A predicate that atlas/structures.json may name.
struct ShapePredicate {
  std::string id;
  bool (*holds)(const Model& model, const StructureProfile& profile);
};
[[nodiscard]] const std::vector<ShapePredicate>& shape_predicates();
/// The structure of atlas/structures.json that a predicate decides; the predicate's own id where the atlas is absent.
[[nodiscard]] std::string structure_of(const std::string& predicate);

} // namespace aicf
