// A chart with what belongs to every chart: title and source, read-out under the mouse, logarithm, zoom, table twin,
// export as SVG, PDF, PNG (the picture) or through the table's own menu (the numbers).
#pragma once
#include "views/charts/export_drawing.hpp"
#include "views/charts/plot.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

class QStackedWidget;
class QToolButton;

namespace aicf::views {

/// Draws without a window, in the theme's colours. An empty string, or why not.
[[nodiscard]] QString exportChart(const Chart& chart, const QString& path, const QSize& size = {960, 600});

class ChartPane : public QWidget {
  Q_OBJECT
 public:
  explicit ChartPane(const QString& name);
  void setChart(const Chart& chart);
  /// No chart, and why.
  void setNothing(const QString& explanation);
  [[nodiscard]] const Chart& chart() const { return chart_; }
  [[nodiscard]] QString readoutText() const;
  [[nodiscard]] Table* table() const { return table_; }
  void showTable(bool table);
  void setLogarithmic(bool log);

 Q_SIGNALS:
  /// A datum was clicked, or its row activated: show what is behind it.
  void chosen(int row);

 private:
  void exportPicture();
  void update();
  QString name_;
  Chart chart_;
  bool empty_ = true;
  QString explanation_;
  Plot* plot_;
  Pane* pane_;
  QStackedWidget* stack_;
  QWidget* tablePage_;
  Table* table_ = nullptr;
  QLabel* nothing_;
  ElidedLabel* readout_;
  QToolButton *log_, *twin_, *zoom_, *export_;
};

} // namespace aicf::views
