// Line icons of resources/icons (SVG: path M L H V C Z, rect, circle; 24 units square), stroked in the theme's colours
// at any scale. They follow a theme switch by themselves.
#pragma once
#include <QIcon>

namespace aicf::views {

/// Of resources/icons/NAME.svg; throws std::logic_error when there is none.
[[nodiscard]] QIcon icon(const QString& name);
[[nodiscard]] QPixmap iconPixmap(const QString& name, int size, const QColor& color, qreal ratio);

} // namespace aicf::views
