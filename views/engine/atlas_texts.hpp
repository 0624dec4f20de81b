// What the atlas names beside operators, to be found and linked: structures, properties, transformations, primitives.
#pragma once
#include <QString>

#include <vector>

namespace aicf::views {

struct AtlasText {
  QString kind, id, title, summary; ///< kind as in Entity
};
/// Read once, of the atlas files that are there, in their order.
[[nodiscard]] const std::vector<AtlasText>& atlasTexts();
/// The title under that kind and id; the id, spoken, where the atlas has none.
[[nodiscard]] QString titleOf(const QString& kind, const QString& id);

} // namespace aicf::views
