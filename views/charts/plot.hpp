// A drawn chart. Where the plotting library was absent at build time there is none (`plotsAreBuilt`), and panes show
// the table twin and say so. Plots expose nothing to assistive technology: their accessible name says what they show,
// and the table twin stands beside them.
#pragma once
#include "views/charts/chart.hpp"

#include <QWidget>

class QPaintDevice;

namespace aicf::views {

[[nodiscard]] bool plotsAreBuilt();

class Plot : public QWidget {
  Q_OBJECT
 public:
  using QWidget::QWidget;
  virtual void setChart(const Chart& chart) = 0;
  virtual void setLogarithmic(bool log) = 0; ///< cells of a heat map, y of curves
  virtual void resetZoom() = 0;
  /// Draws the whole chart on a device of that size, in the theme's colours.
  virtual void draw(QPaintDevice& device, const QSize& size) = 0;

 Q_SIGNALS:
  void hovered(int row); ///< of the table twin; -1: nothing is under the mouse
  void chosen(int row);
};

/// nullptr where plots are not built.
[[nodiscard]] Plot* makePlot(QWidget* parent);

} // namespace aicf::views
