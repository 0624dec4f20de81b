// What the atlas says belongs together, told to the window's Related; nothing here is a list of its own:
//   property - transformation        the transformation states the property's law, or its premises name the property,
//                                    or the property says that it permits it;
//   property, structure - primitive  the primitive needs it (atlas/primitives.json).
#pragma once
#include "views/engine/related.hpp"

#include <vector>

namespace aicf::views {

struct Relation {
  Entity from, to;
  QString why; ///< the words that both sides share, for people
};

/// A primitive as the atlas describes it.
struct PrimitiveText {
  QString id, title, preservationClass, before, after, why;
  QStringList needs, params, references;
  std::vector<std::pair<QString, QString>> resources; ///< what it takes of each
};
/// Empty where the atlas is absent.
[[nodiscard]] const std::vector<PrimitiveText>& primitiveTexts();
[[nodiscard]] const PrimitiveText* primitiveText(const QString& id);

[[nodiscard]] const std::vector<Relation>& relations();
/// The words that a relation between the two rests on; empty where there is none.
[[nodiscard]] QString whyRelated(const Entity& a, const Entity& b);
[[nodiscard]] Related::Pairs relatedPairs();

} // namespace aicf::views
