// The structure graph drawn: laid out by dot, painted by us in the theme's colours; the wheel zooms, dragging moves, a
// click or the arrow keys select. Written as SVG, PDF or PNG.
#pragma once
#include "views/graph/dot_process.hpp"
#include "views/graph/structure_graph.hpp"

#include <QWidget>

class QPushButton;

namespace aicf::views {

class GraphCanvas;

class GraphView : public QWidget {
  Q_OBJECT
 public:
  GraphView();
  /// Asks dot for places; what was drawn stays until the answer comes.
  void setGraph(StructureGraph graph);
  void setNothing(const QString& explanation);
  void select(const QString& name); ///< empty: none
  [[nodiscard]] QString selected() const;
  [[nodiscard]] DotProcess& dot() { return dot_; }
  [[nodiscard]] bool isDrawn() const;
  [[nodiscard]] const QString& problem() const { return problem_; }
  [[nodiscard]] qreal zoom() const;
  void setZoom(qreal zoom);
  /// Where a node is drawn, in the canvas.
  [[nodiscard]] QRect placeOf(const QString& name) const;
  [[nodiscard]] QWidget* canvas() const;
  [[nodiscard]] QString exportTo(const QString& path) const; ///< empty, or why not

 Q_SIGNALS:
  void chosen(const QString& name);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void request();
  void refresh();
  GraphCanvas* canvas_;
  DotProcess dot_;
  StructureGraph graph_;
  bool asked_ = true; ///< nothing waits to be laid out
  QString problem_;
  QPushButton *cancel_, *again_;
};

} // namespace aicf::views
