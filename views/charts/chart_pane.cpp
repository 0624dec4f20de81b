#include "views/charts/chart_pane.hpp"

#include "views/frame/icons.hpp"

#include <QPainter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <memory>

namespace aicf::views {
namespace {

QToolButton* tool(const QString& text, const QString& tip, bool checkable) {
  auto* b = new QToolButton;
  b->setText(text);
  b->setToolTip(tip);
  b->setAccessibleName(tip);
  b->setCheckable(checkable);
  b->setFocusPolicy(Qt::TabFocus);
  return b;
}

QString absent() {
  return ChartPane::tr("This window was built without QCustomPlot, so charts are not drawn (apt install "
                       "libqcustomplot-dev, then build again). The table holds the same numbers.");
}

} // namespace

QString exportChart(const Chart& chart, const QString& path, const QSize& size) {
  if (!plotsAreBuilt()) return absent();
  return exportDrawing(path, size, chart.title, [&](QPaintDevice& device) {
    const std::unique_ptr<Plot> plot(makePlot(nullptr)); // here: it takes the colours of the drawing
    plot->setChart(chart);
    plot->draw(device, size);
  });
}

ChartPane::ChartPane(const QString& name)
    : name_(name), plot_(makePlot(nullptr)), stack_(new QStackedWidget), tablePage_(new QWidget),
      nothing_(label({}, "explain")), readout_(new ElidedLabel({}, "muted")),
      log_(tool(tr("log"), tr("Logarithmic scale of the values"), true)),
      twin_(tool(tr("Table"), tr("The same numbers as a table"), true)),
      zoom_(tool(tr("1:1"), tr("Show everything again (the wheel zooms, dragging moves)"), false)),
      export_(tool(tr("Export…"), tr("Write the picture as SVG, PDF or PNG"), false)) {
  nothing_->setWordWrap(true);
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setMargin(24);
  auto* column = new QVBoxLayout(tablePage_);
  column->setContentsMargins(0, 0, 0, 0);
  stack_->addWidget(nothing_);
  stack_->addWidget(tablePage_);
  if (plot_) stack_->addWidget(plot_);
  auto* body = new QWidget;
  auto* rows = new QVBoxLayout(body);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(2);
  rows->addWidget(stack_, 1);
  rows->addWidget(readout_);
  pane_ = new Pane(name, body);
  for (QToolButton* b : {log_, twin_, zoom_, export_}) pane_->addCorner(b);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pane_);
  connect(twin_, &QToolButton::toggled, this, &ChartPane::update);
  connect(log_, &QToolButton::toggled, this, [this](bool on) {
    if (plot_) plot_->setLogarithmic(on);
  });
  connect(zoom_, &QToolButton::clicked, this, [this] {
    if (plot_) plot_->resetZoom();
  });
  connect(export_, &QToolButton::clicked, this, &ChartPane::exportPicture);
  if (plot_) {
    connect(plot_, &Plot::hovered, this,
            [this](int row) { readout_->setFullText(row >= 0 ? readout(chart_, row) : chart_.note); });
    connect(plot_, &Plot::chosen, this, &ChartPane::chosen);
  }
  setNothing({});
}

void ChartPane::setChart(const Chart& chart) {
  chart_ = chart;
  empty_ = false;
  const ChartTable twin = tableOf(chart);
  delete table_;
  table_ = new Table(makeChartModel(twin, nullptr), tr("%1 as a table").arg(chart.title), tr("No numbers."));
  table_->proxy()->sourceModel()->setParent(table_);
  tablePage_->layout()->addWidget(table_);
  connect(table_, &QAbstractItemView::activated, this, [this] {
    if (const int row = table_->sourceRow(); row >= 0) Q_EMIT chosen(row);
  });
  const bool can = canBeLogarithmic(chart) && !std::holds_alternative<Roofline>(chart.what);
  log_->setEnabled(can);
  if (!can) log_->setChecked(false);
  log_->setToolTip(can ? tr("Logarithmic scale of the values") : tr("A logarithm needs values above zero"));
  if (plot_) {
    plot_->setChart(chart);
    plot_->setAccessibleName(
        tr("%1: %2. The table twin holds its %3 numbers.").arg(name_, chart.title).arg(twin.rows.size()));
  }
  pane_->setTitle(chart.title);
  readout_->setFullText(chart.note);
  update();
}

void ChartPane::setNothing(const QString& explanation) {
  empty_ = true;
  explanation_ = explanation;
  pane_->setTitle(name_);
  readout_->setFullText({});
  update();
}

void ChartPane::update() {
  const bool drawn = !empty_ && hasNumbers(chart_);
  for (QToolButton* b : {twin_, zoom_, export_}) b->setEnabled(drawn && (plot_ || b == twin_));
  if (!drawn) log_->setEnabled(false);
  nothing_->setText(empty_ ? explanation_ : tr("Nothing of this chart is measured yet."));
  if (!drawn)
    stack_->setCurrentWidget(nothing_);
  else
    stack_->setCurrentWidget(twin_->isChecked() || !plot_ ? tablePage_ : static_cast<QWidget*>(plot_));
  if (drawn && !plot_) readout_->setFullText(absent());
}

QString ChartPane::readoutText() const { return readout_->text(); }
void ChartPane::showTable(bool table) { twin_->setChecked(table); }
void ChartPane::setLogarithmic(bool log) {
  if (log_->isEnabled()) log_->setChecked(log);
}

void ChartPane::exportPicture() {
  askToExport(this, tr("Export chart"), chart_.id,
              [chart = chart_](const QString& path) { return exportChart(chart, path); });
}

} // namespace aicf::views
