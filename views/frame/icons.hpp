// Line icons of resources/icons (SVG: path M L H V C Z, rect, circle; 24 units square), stroked in the theme's colours
// at any scale. They follow a theme switch by themselves.
#pragma once
#include <QIcon>

namespace aicf::views {

/// Of resources/icons/NAME.svg; throws std::logic_error when there is none.
[[nodiscard]] QIcon icon(const QString& name);
/// The same shape once, in a colour of one's own.
void paintIcon(QPainter& painter, const QString& name, const QRect& rect, const QColor& color, qreal width = 2.2);

} // namespace aicf::views
