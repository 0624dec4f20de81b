// What WorkbenchStyle draws, a function a thing. `style.cpp` says which of Qt's elements is which.
#pragma once
#include <QColor>
#include <QLatin1String>
#include <QStyleOption>

class QPainter;

namespace aicf::views::style {

[[nodiscard]] bool has(const QStyleOption& option, QStyle::StateFlag flag);
[[nodiscard]] bool hasRole(const QWidget* widget, const char* role);
[[nodiscard]] bool isOnRail(const QWidget* widget);

/// A rectangle with round corners; an invalid colour draws nothing.
void box(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& edge, qreal radius = 0);
/// One line along a side of a rectangle; and the rectangle filled, with a border there.
void line(QPainter& painter, const QRect& rect, Qt::Edge side, const char* color, int width = 1);
void strip(QPainter& painter, const QRect& rect, const char* fill, Qt::Edge side);
void chevron(QPainter& painter, const QRect& room, bool up, bool enabled = true);

void panel(QPainter& painter, const QStyleOption& option, const QWidget* widget);
void pushButton(QPainter& painter, const QStyleOption& option, const QWidget* widget);
void pushButtonLabel(QPainter& painter, const QStyleOptionButton& option, const QWidget* widget);
void toolButton(QPainter& painter, const QStyleOption& option, const QWidget* widget);
void field(QPainter& painter, const QStyleOption& option);
void tick(QPainter& painter, const QStyleOption& option, bool round);
void menuBarItem(QPainter& painter, const QStyleOptionMenuItem& option, const QWidget* widget);
void menuBarRest(QPainter& painter, const QRect& rect, const QWidget* widget);
void tab(QPainter& painter, const QStyleOptionTab& option);
void headerSection(QPainter& painter, const QStyleOptionHeader& option);
void dockTitle(QPainter& painter, const QStyleOptionDockWidget& option);
void comboBox(QPainter& painter, const QStyleOptionComboBox& option, const QRect& arrow);
void spinBox(QPainter& painter, const QStyleOptionSpinBox& option, const QRect& up, const QRect& down);
void scrollBar(QPainter& painter, const QStyleOptionSlider& option, const QRect& handle, const QWidget* widget);

[[nodiscard]] QRect comboBoxPart(const QStyleOptionComboBox& option, QStyle::SubControl part);
[[nodiscard]] QRect spinBoxPart(const QStyleOptionSpinBox& option, QStyle::SubControl part);
[[nodiscard]] QRect scrollBarPart(const QStyleOptionSlider& option, QStyle::SubControl part, int leastHandle);

} // namespace aicf::views::style
