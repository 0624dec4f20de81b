// Fusion drawn flat, with the sizes and habits of a dense tool. Colours are asked of theme() while painting, so that
// the other theme costs a repaint: a style sheet of the same looks took a second to be applied anew to 1,500 widgets,
// and half of the time in which a view is made.
//
// What a QFrame (a label is one) with a StyledPanel is filled with follows from its property "role":
//   "card" "notice" "rail" "locator" "chip" "explain"
// and the looks of a QPushButton likewise: "primary" "link" "step" "tick". `views/widgets/panes.hpp` makes them.
#pragma once
#include <QProxyStyle>

namespace aicf::views {

class WorkbenchStyle : public QProxyStyle {
  Q_OBJECT
 public:
  WorkbenchStyle();
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;
  [[nodiscard]] QRect subElementRect(SubElement element, const QStyleOption* option,
                                     const QWidget* widget) const override;
  [[nodiscard]] QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                     const QWidget* widget) const override;
  [[nodiscard]] QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                       const QWidget* widget) const override;
  [[nodiscard]] int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  [[nodiscard]] QIcon standardIcon(StandardPixmap which, const QStyleOption* option,
                                   const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override;
};

} // namespace aicf::views
