#include "views/charts/plot.hpp"
#include "views/engine/text.hpp"
#include "views/frame/theme.hpp"

#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace aicf::views {
namespace {

/// A mouse is on a datum within this many pixels of it.
constexpr double reach = 14, changeTop = 8;
constexpr int scaleWidth = 12, mostLabels = 16, roofSteps = 64, legendGap = 14;

QString label(double value, const QString& unit) { return unit == QLatin1String("B") ? bytes(value) : prefixed(value); }

/// Powers of two where the unit is bytes, of ten elsewhere.
class LogTicker : public QCPAxisTickerLog {
 public:
  explicit LogTicker(QString unit) : unit_(std::move(unit)) {
    setLogBase(unit_ == QLatin1String("B") ? 2 : 10);
    setSubTickCount(unit_ == QLatin1String("B") ? 0 : 8);
  }

 protected:
  QString getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/, int /*precision*/) override {
    return label(tick, unit_);
  }

 private:
  QString unit_;
};

class LinearTicker : public QCPAxisTicker {
 public:
  explicit LinearTicker(QString unit) : unit_(std::move(unit)) {}

 protected:
  QString getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/, int /*precision*/) override {
    return label(std::abs(tick) < 1e-300 ? 0 : tick, unit_);
  }

 private:
  QString unit_;
};

void setScale(QCPAxis* axis, bool log, const QString& unit) {
  axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (log)
    axis->setTicker(QSharedPointer<QCPAxisTicker>(new LogTicker(unit)));
  else
    axis->setTicker(QSharedPointer<QCPAxisTicker>(new LinearTicker(unit)));
}

/// Room around the data: a factor where the axis is logarithmic.
QCPRange padded(double lo, double hi, bool log) {
  if (log && lo > 0) {
    const double room = std::pow(hi / lo, 0.05) * 1.05;
    return {lo / room, hi * room};
  }
  const double room = hi > lo ? (hi - lo) * 0.06 : std::max(std::abs(hi) * 0.1, 1.0);
  return {lo - room, hi + room};
}

class DrawnPlot : public Plot {
 public:
  explicit DrawnPlot(QWidget* parent) : Plot(parent), plot_(new QCustomPlot(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setMouseTracking(true);
    setMinimumSize(160, 120);
    connect(&theme(), &Theme::changed, this, [this] { renew(); });
    connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* e) { Q_EMIT hovered(rowAt(e->position())); });
    connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* e) { pressed_ = e->pos(); });
    connect(plot_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* e) {
      // A drag moves the picture; a click chooses.
      if ((e->pos() - pressed_).manhattanLength() > QApplication::startDragDistance()) return;
      if (const int row = rowAt(e->position()); row >= 0) Q_EMIT chosen(row);
    });
    connect(plot_, &QCustomPlot::afterLayout, this, [this] {
      placeLegend();
      placeChanges();
    });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { resetZoom(); });
  }

  void setChart(const Chart& chart) override {
    chart_ = chart;
    renew();
  }
  void setLogarithmic(bool log) override {
    log_ = log;
    renew();
  }
  void resetZoom() override {
    plot_->xAxis->setRange(x_);
    plot_->yAxis->setRange(y_);
    plot_->replot();
  }
  void draw(QPaintDevice& device, const QSize& size) override {
    if (stale_) build();
    QCPPainter painter; // once: a document gets a page whenever one begins
    painter.begin(&device);
    painter.setRenderHint(QPainter::LosslessImageRendering); // a document would blur the cells of a map
    plot_->toPainter(&painter, size.width(), size.height());
  }

 protected:
  void showEvent(QShowEvent* event) override {
    Plot::showEvent(event);
    if (stale_) build();
  }

 private:
  /// Most charts stand on pages that nobody looks at: these are built when somebody does.
  void renew() {
    stale_ = true;
    if (isVisible()) build();
  }
  void build() {
    stale_ = false;
    plot_->clearPlottables();
    plot_->clearItems();
    changes_.clear();
    if (scale_) {
      plot_->plotLayout()->remove(scale_);
      plot_->plotLayout()->simplify();
      scale_ = nullptr;
    }
    data_.clear();
    plot_->xAxis->grid()->setVisible(true);
    plot_->yAxis->grid()->setVisible(true);
    plot_->axisRect()->setBackground(QBrush(theme().color("surface")));
    plot_->legend->setVisible(false);
    std::visit([this](const auto& what) { drawChart(what); }, chart_.what);
    dress();
    resetZoom();
  }

  void dress() {
    const Theme& t = theme();
    plot_->setBackground(QBrush(t.color("surface")));
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() - 0.75);
    const QPen line(t.color("strong")), grid(t.color("border"), 0, Qt::DotLine);
    const auto axis = [&](QCPAxis* a) {
      a->setBasePen(line);
      a->setTickPen(line);
      a->setSubTickPen(line);
      a->setTickLabelColor(t.color("muted"));
      a->setLabelColor(t.color("text"));
      a->setTickLabelFont(font);
      a->setLabelFont(font);
      a->grid()->setPen(grid);
      a->grid()->setZeroLinePen(grid);
    };
    axis(plot_->xAxis);
    axis(plot_->yAxis);
    if (scale_) axis(scale_->axis());
    plot_->legend->setFont(font);
    plot_->legend->setTextColor(t.color("text"));
    QColor glass = t.color("raised"); // no corner may be free
    glass.setAlphaF(0.8F);
    plot_->legend->setBrush(glass);
    plot_->legend->setBorderPen(QPen(t.color("border")));
    plot_->legend->setRowSpacing(0);
  }

  void drawChart(const HeatMap& m) {
    const int columns = int(m.xs.size()), rows = int(m.ys.size());
    places(plot_->xAxis, m.xs, m.xNames, m.x);
    places(plot_->yAxis, m.ys, m.yNames, m.y);
    plot_->xAxis->grid()->setVisible(false);
    plot_->yAxis->grid()->setVisible(false);
    // What is not measured shows the hatched ground through its cell.
    plot_->axisRect()->setBackground(QBrush(theme().color("strong"), Qt::BDiagPattern));
    x_ = {-0.5, columns - 0.5};
    y_ = {-0.5, rows - 0.5};
    if (columns == 0 || rows == 0) return;
    auto* map = new QCPColorMap(plot_->xAxis, plot_->yAxis);
    map->data()->setSize(columns, rows);
    map->data()->setRange({0, double(std::max(1, columns - 1))}, {0, double(std::max(1, rows - 1))});
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const double v = m.cells[std::size_t(r)][std::size_t(c)];
        map->data()->setCell(c, r, v);
        data_.push_back({double(c), double(r), r * columns + c});
        if (!std::isfinite(v)) continue;
        least = std::min(least, v);
        most = std::max(most, v);
      }
    map->setInterpolate(false);
    map->setTightBoundary(false);
    QCPColorGradient gradient;
    gradient.clearColorStops();
    const auto& stops = cividis();
    for (std::size_t i = 0; i < stops.size(); ++i)
      gradient.setColorStopAt(double(i) / double(stops.size() - 1), stops[i]);
    gradient.setNanHandling(QCPColorGradient::nhTransparent);
    if (least > most) return;
    scale_ = new QCPColorScale(plot_);
    plot_->plotLayout()->addElement(0, 1, scale_);
    scale_->setType(QCPAxis::atRight);
    scale_->setBarWidth(scaleWidth);
    scale_->axis()->setLabel(m.z.title());
    const bool log = log_ && least > 0;
    scale_->setDataScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    setScale(scale_->axis(), log, m.z.unit);
    map->setColorScale(scale_);
    scale_->setGradient(gradient); // it had brought its own
    const bool flat = least == most;
    map->setDataRange(flat ? QCPRange(log ? least / 2 : least - 1, log ? most * 2 : most + 1) : QCPRange(least, most));
  }

  /// One even place a value, labelled with it; every so many where they would not fit.
  static void places(QCPAxis* axis, const std::vector<double>& values, const QStringList& names, const ChartAxis& of) {
    axis->setScaleType(QCPAxis::stLinear);
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    const int every = std::max(1, (int(values.size()) + mostLabels - 1) / mostLabels);
    for (int i = 0; i < int(values.size()); i += every)
      ticker->addTick(i, names.isEmpty() ? label(values[std::size_t(i)], of.unit) : names[i]);
    axis->setTicker(ticker);
    axis->setLabel(of.title());
  }

  void drawChart(const Curves& c) {
    const bool logY = log_ || c.y.log;
    setScale(plot_->xAxis, c.x.log, c.x.unit);
    setScale(plot_->yAxis, logY, c.y.unit);
    plot_->xAxis->setLabel(c.x.title());
    plot_->yAxis->setLabel(c.y.title());
    double left = std::numeric_limits<double>::infinity(), right = -left, low = left, high = right;
    int index = 0, row = 0;
    for (const Curve& curve : c.curves) {
      for (const CurvePointAt& p : curve.points) {
        left = std::min(left, p.x);
        right = std::max(right, p.x);
        for (const double v : {p.y, p.lo, p.hi}) {
          if (!std::isfinite(v)) continue;
          low = std::min(low, v);
          high = std::max(high, v);
        }
        data_.push_back({p.x, p.y, row++});
      }
      drawCurve(curve, index++);
    }
    plot_->legend->setVisible(c.curves.size() > 1);
    if (left > right) left = 0, right = 1;
    if (low > high) low = 0, high = 1;
    x_ = padded(left, right, c.x.log);
    y_ = padded(low, high, logY);
  }

  /// Once sizes are known: the legend goes to the corner where it hides least of the curves.
  void placeLegend() {
    const auto* c = std::get_if<Curves>(&chart_.what);
    if (!c || !plot_->legend->visible() || plot_->axisRect()->width() < 1) return;
    constexpr int steps = 8;
    const QSize size = plot_->legend->minimumOuterSizeHint();
    const QRectF area = plot_->axisRect()->rect();
    const std::array corners{Qt::AlignTop | Qt::AlignRight, Qt::AlignTop | Qt::AlignLeft,
                             Qt::AlignBottom | Qt::AlignRight, Qt::AlignBottom | Qt::AlignLeft};
    std::array<int, corners.size()> hidden{};
    for (const Curve& curve : c->curves)
      for (std::size_t i = 0; i + 1 < curve.points.size(); ++i)
        for (int s = 0; s <= steps; ++s) {
          const auto at = [&](const CurvePointAt& p) {
            return QPointF(plot_->xAxis->coordToPixel(p.x), plot_->yAxis->coordToPixel(p.y));
          };
          const double t = double(s) / steps;
          const QPointF p = (1 - t) * at(curve.points[i]) + t * at(curve.points[i + 1]);
          for (std::size_t k = 0; k < corners.size(); ++k) {
            const double across = corners[k].testFlag(Qt::AlignRight) ? area.right() - p.x() : p.x() - area.left();
            const double down = corners[k].testFlag(Qt::AlignTop) ? p.y() - area.top() : area.bottom() - p.y();
            if (across < size.width() + legendGap && down < size.height() + legendGap) ++hidden[k];
          }
        }
    const auto best = std::size_t(std::min_element(hidden.begin(), hidden.end()) - hidden.begin());
    QCPLayoutInset* inset = plot_->axisRect()->insetLayout();
    if (inset->insetAlignment(0) == corners[best]) return;
    inset->setInsetAlignment(0, corners[best]);
    inset->update(QCPLayoutElement::upLayout);
  }

  void drawCurve(const Curve& curve, int index) {
    static const std::vector<Qt::PenStyle> dashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    static const std::vector<QCPScatterStyle::ScatterShape> marks{
        QCPScatterStyle::ssDisc, QCPScatterStyle::ssSquare, QCPScatterStyle::ssTriangle, QCPScatterStyle::ssDiamond};
    const QColor color = curveColor(index, theme().isDark());
    QVector<double> xs, ys, los, his;
    for (const CurvePointAt& p : curve.points) {
      xs << p.x;
      ys << p.y;
      los << p.lo;
      his << p.hi;
    }
    QColor band = color;
    band.setAlphaF(0.22F);
    QCPGraph* low = plot_->addGraph();
    low->setData(xs, los, true);
    low->setPen(Qt::NoPen);
    low->removeFromLegend();
    QCPGraph* high = plot_->addGraph();
    high->setData(xs, his, true);
    high->setPen(Qt::NoPen);
    high->setBrush(band);
    high->setChannelFillGraph(low);
    high->removeFromLegend();
    QCPGraph* line = plot_->addGraph();
    line->setName(curve.name);
    line->setData(xs, ys, true);
    line->setPen(QPen(color, 1.8, dashes[std::size_t(index) % dashes.size()]));
    if (!curve.joined) line->setLineStyle(QCPGraph::lsNone);
    line->setScatterStyle(
        QCPScatterStyle(marks[std::size_t(index) % marks.size()], color, theme().color("surface"), 6));
    for (const CurveChange& change : curve.changes) drawChange(change, color);
  }

  void drawChange(const CurveChange& change, const QColor& color) {
    auto* mark = new QCPItemStraightLine(plot_);
    mark->point1->setCoords(change.x, 1);
    mark->point2->setTypeX(QCPItemPosition::ptPlotCoords);
    mark->point1->setTypeY(QCPItemPosition::ptAxisRectRatio);
    mark->point2->setTypeY(QCPItemPosition::ptAxisRectRatio);
    mark->point1->setCoords(change.x, 0);
    mark->point2->setCoords(change.x, 1);
    mark->setPen(QPen(color, 1, Qt::DashLine));
    auto* text = new QCPItemText(plot_);
    text->position->setTypeX(QCPItemPosition::ptPlotCoords);
    text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    text->position->setCoords(change.x, 0);
    text->setPadding({6, 1, 6, 1});
    text->setBrush(theme().color("surface")); // lines of earlier changes end behind it
    text->setText(QStringLiteral("%1 → %2").arg(number(change.before), number(change.after)));
    text->setColor(theme().color("text"));
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() - 1);
    text->setFont(font);
    changes_.push_back(text);
  }

  /// Once sizes are known: each beside its line, on the first row where it is free; leftwards where there is room.
  void placeChanges() {
    const QRectF area = plot_->axisRect()->rect();
    if (changes_.empty() || area.height() < 1) return;
    std::sort(changes_.begin(), changes_.end(), [](const QCPItemText* a, const QCPItemText* b) {
      return a->position->coords().x() < b->position->coords().x();
    });
    std::vector<double> ends; // of the last text on each row
    for (QCPItemText* text : changes_) {
      const QFontMetricsF metrics(text->font());
      const double x = plot_->xAxis->coordToPixel(text->position->coords().x());
      const double width = metrics.horizontalAdvance(text->text()) + text->padding().left() + text->padding().right();
      const bool leftwards = x - width >= area.left();
      const double from = leftwards ? x - width : x;
      std::size_t row = 0;
      while (row < ends.size() && ends[row] > from) ++row;
      if (row == ends.size()) ends.push_back(0);
      ends[row] = from + width;
      text->position->setCoords(text->position->coords().x(),
                                (double(row) * (metrics.height() + 2) + changeTop) / area.height());
      text->setPositionAlignment(Qt::AlignTop | (leftwards ? Qt::AlignRight : Qt::AlignLeft));
    }
  }

  void drawChart(const Roofline& r) {
    setScale(plot_->xAxis, true, {});
    setScale(plot_->yAxis, true, {});
    plot_->xAxis->setLabel(QCoreApplication::translate("Chart", "operations a byte"));
    plot_->yAxis->setLabel(r.unit);
    const Span2 span = intensities(r);
    double top = 0, fastest = 0, bottom = std::numeric_limits<double>::infinity();
    for (const RoofCeiling& c : r.ceilings) {
      if (!std::isfinite(c.value)) continue;
      if (c.bandwidth)
        fastest = std::max(fastest, c.value);
      else
        top = std::max(top, c.value);
    }
    int index = 0, row = 0;
    for (const RoofCeiling& c : r.ceilings) {
      const int self = row++;
      if (!std::isfinite(c.value)) continue;
      // Slopes end at the highest level; levels begin under the steepest slope.
      const double from = c.bandwidth || fastest == 0 ? span.from : std::max(span.from, ridge(fastest, c.value));
      const double to = !c.bandwidth || top == 0 ? span.to : std::min(span.to, ridge(c.value, top));
      QVector<double> xs, ys;
      for (int i = 0; i <= roofSteps; ++i) {
        const double x = from * std::pow(to / from, double(i) / roofSteps);
        xs << x;
        ys << (c.bandwidth ? x * c.value : c.value);
        data_.push_back({x, ys.back(), self});
      }
      bottom = std::min(bottom, ys.front());
      QCPGraph* line = plot_->addGraph();
      line->setName(c.name);
      line->setData(xs, ys, true);
      line->setPen(QPen(curveColor(index, theme().isDark()), 2, c.bandwidth ? Qt::SolidLine : Qt::DashLine));
      ++index;
    }
    for (const RoofPoint& p : r.points) {
      QCPGraph* dot = plot_->addGraph();
      dot->setName(p.name);
      dot->setData({p.intensity}, {p.rate}, true);
      dot->setLineStyle(QCPGraph::lsNone);
      dot->setScatterStyle(
          QCPScatterStyle(QCPScatterStyle::ssDiamond, theme().color("text"), theme().color("accent"), 9));
      data_.push_back({p.intensity, p.rate, row++});
      bottom = std::min(bottom, p.rate);
      top = std::max(top, p.rate);
    }
    plot_->legend->setVisible(true);
    plot_->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignBottom | Qt::AlignRight);
    if (top == 0) top = fastest > 0 ? fastest * span.to : 1;
    if (!std::isfinite(bottom)) bottom = top / 1000;
    x_ = {span.from, span.to};
    y_ = padded(bottom, top, true);
  }

  /// The row of the datum nearest to a place on the widget; -1 beyond its reach.
  [[nodiscard]] int rowAt(const QPointF& at) const {
    if (const auto* m = std::get_if<HeatMap>(&chart_.what)) {
      const double x = plot_->xAxis->pixelToCoord(at.x()), y = plot_->yAxis->pixelToCoord(at.y());
      const auto column = std::lround(x), row = std::lround(y);
      if (!plot_->axisRect()->rect().contains(at.toPoint()) || column < 0 || row < 0 || column >= long(m->xs.size()) ||
          row >= long(m->ys.size()))
        return -1;
      return int(row * long(m->xs.size()) + column);
    }
    double best = reach * reach;
    int row = -1;
    for (const Datum& d : data_) {
      if (!std::isfinite(d.y)) continue;
      const double dx = plot_->xAxis->coordToPixel(d.x) - at.x(), dy = plot_->yAxis->coordToPixel(d.y) - at.y();
      if (const double far = dx * dx + dy * dy; far < best) {
        best = far;
        row = d.row;
      }
    }
    return row;
  }

  struct Datum {
    double x, y;
    int row;
  };
  QCustomPlot* plot_;
  QCPColorScale* scale_ = nullptr;
  Chart chart_;
  std::vector<Datum> data_;
  std::vector<QCPItemText*> changes_; ///< texts beside change points
  QCPRange x_, y_;
  QPoint pressed_;
  bool log_ = false, stale_ = false;
};

} // namespace

bool plotsAreBuilt() { return true; }
Plot* makePlot(QWidget* parent) { return new DrawnPlot(parent); }

} // namespace aicf::views
