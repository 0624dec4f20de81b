// A definition as mathematics: set in type by our own hand, zoomed by Ctrl and the wheel, in the theme's colours,
// copied as text or LaTeX, written as SVG, PDF or PNG. A click on a value selects it.
#pragma once
#include "views/formula/typeset.hpp"

#include <QScrollArea>

namespace aicf::views {

class FormulaView : public QScrollArea {
  Q_OBJECT
 public:
  explicit FormulaView(const QString& name);
  /// `plain` is what "Copy as text" copies: the operator language.
  void setFormula(std::vector<Math> lines, const QString& plain);
  /// Nothing to show, and why.
  void setNothing(const QString& explanation);
  /// Marks every place of a value; empty: none.
  void select(const QString& tag);
  [[nodiscard]] const QString& selected() const { return selected_; }
  [[nodiscard]] const std::vector<Math>& formula() const { return lines_; }
  [[nodiscard]] const FormulaLayout& layoutOfFormula() const { return layout_; }
  [[nodiscard]] qreal zoom() const { return zoom_; }
  void setZoom(qreal zoom);
  void copyText() const;
  void copyLatex() const;
  [[nodiscard]] QString exportTo(const QString& path) const; ///< empty, or why not
  void askToExportFormula();

 Q_SIGNALS:
  void chosen(const QString& tag);

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  class Canvas;
  void relayout();
  Canvas* canvas_;
  std::vector<Math> lines_;
  FormulaLayout layout_;
  QString plain_, explanation_, selected_;
  qreal zoom_ = 1;
};

} // namespace aicf::views
