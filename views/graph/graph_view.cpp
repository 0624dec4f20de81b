#include "views/graph/graph_view.hpp"

#include "views/charts/export_drawing.hpp"
#include "views/frame/theme.hpp"
#include "views/widgets/panes.hpp"

#include <QApplication>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace aicf::views {
namespace {

constexpr qreal zoomStep = 1.15, leastZoom = 0.1, mostZoom = 5, side = 10, nodeHeight = 40, flatHeight = 26, corner = 5;
constexpr qreal arrowLength = 9, arrowWidth = 3.6, margin = 14;
constexpr int wheelNotch = 120;

QFont nameFont() {
  QFont font = QApplication::font();
  font.setWeight(QFont::DemiBold);
  return font;
}
QFont detailFont() {
  QFont font = QApplication::font();
  font.setPointSizeF(font.pointSizeF() - 1);
  return font;
}

std::vector<QSizeF> sizesOf(const StructureGraph& graph) {
  const QFontMetricsF name(nameFont()), detail(detailFont());
  std::vector<QSizeF> out;
  for (const GraphNode& n : graph.nodes)
    out.emplace_back(std::max({name.horizontalAdvance(n.name), detail.horizontalAdvance(n.detail), 24.0}) + 2 * side,
                     n.detail.isEmpty() ? flatHeight : nodeHeight);
  return out;
}

void paintEdge(QPainter& painter, const QPolygonF& points, const GraphEdge& edge) {
  if (points.size() < 4) return;
  QPainterPath path(points.front());
  for (qsizetype i = 1; i + 2 < points.size(); i += 3) path.cubicTo(points[i], points[i + 1], points[i + 2]);
  const QColor ink = theme().color(edge.step ? "warn" : "strong");
  painter.setPen(QPen(ink, 1.3, edge.step ? Qt::DashLine : Qt::SolidLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  const QPointF end = points.back(), before = points[points.size() - 2];
  const qreal length = std::hypot(end.x() - before.x(), end.y() - before.y());
  if (length < 1e-6) return;
  const QPointF along = (end - before) / length, across(-along.y(), along.x()), tip = end + along * arrowLength;
  painter.setPen(Qt::NoPen);
  painter.setBrush(ink);
  painter.drawPolygon(QPolygonF{tip, end + across * arrowWidth, end - across * arrowWidth});
}

void paintNode(QPainter& painter, const GraphNode& node, const QRectF& at, bool selected) {
  const Theme& t = theme();
  const char* fill = node.kind == GraphNode::Kind::input    ? "neutralFill"
                     : node.kind == GraphNode::Kind::result ? "goodFill"
                     : node.kind == GraphNode::Kind::value  ? "surface"
                                                            : "infoFill";
  painter.setPen(QPen(t.color(selected ? "accent" : "strong"), selected ? 2.4 : 1));
  painter.setBrush(t.color(fill));
  painter.drawRoundedRect(at, corner, corner);
  painter.setPen(t.color("text"));
  painter.setFont(nameFont());
  if (node.detail.isEmpty()) {
    painter.drawText(at, Qt::AlignCenter, node.name);
    return;
  }
  painter.drawText(QRectF(at.left(), at.top() + 3, at.width(), at.height() / 2), Qt::AlignCenter, node.name);
  painter.setFont(detailFont());
  painter.setPen(t.color("muted"));
  painter.drawText(QRectF(at.left(), at.center().y() - 1, at.width(), at.height() / 2), Qt::AlignCenter, node.detail);
}

} // namespace

class GraphCanvas : public QWidget {
 public:
  explicit GraphCanvas(GraphView& view) : view_(view) {
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 80);
    setAccessibleName(GraphView::tr("Structure graph"));
    setToolTip(GraphView::tr("The wheel zooms, dragging moves, a double click shows all; a click selects"));
  }

  void setDrawn(const StructureGraph& graph, const GraphLayout& layout) {
    const bool same = graph.nodes.size() == graph_.nodes.size() && drawn_;
    graph_ = graph;
    layout_ = layout;
    drawn_ = true;
    if (!same) fitted_ = true;
    setAccessibleDescription(
        GraphView::tr("%1 values, %2 reads between them").arg(graph.nodes.size()).arg(graph.edges.size()));
    update();
  }
  void clear() {
    drawn_ = false;
    graph_ = {};
    update();
  }
  void setWords(const QString& words) {
    words_ = words;
    update();
  }
  void select(const QString& name) {
    selected_ = name;
    update();
  }
  [[nodiscard]] const QString& selected() const { return selected_; }
  [[nodiscard]] bool isDrawn() const { return drawn_; }
  [[nodiscard]] qreal zoom() const { return drawn_ ? transform().m11() : 1; }
  void setZoom(qreal zoom, QPointF at) {
    const QTransform before = transform();
    const QPointF fixed = before.inverted().map(at);
    zoom_ = std::clamp(zoom, leastZoom, mostZoom);
    fitted_ = false;
    origin_ = at - fixed * zoom_;
    update();
  }
  void fit() {
    fitted_ = true;
    update();
  }
  [[nodiscard]] QTransform transform() const {
    if (!fitted_) return {zoom_, 0, 0, zoom_, origin_.x(), origin_.y()};
    const qreal z = std::min({1.0, (width() - 2 * margin) / std::max(1.0, layout_.size.width()),
                              (height() - 2 * margin) / std::max(1.0, layout_.size.height())});
    const qreal zoom = std::max(z, leastZoom);
    return {zoom,
            0,
            0,
            zoom,
            (width() - layout_.size.width() * zoom) / 2,
            std::max(margin, (height() - layout_.size.height() * zoom) / 2)};
  }
  [[nodiscard]] QRect placeOf(const QString& name) const {
    for (std::size_t i = 0; i < graph_.nodes.size() && drawn_; ++i)
      if (graph_.nodes[i].name == name) return transform().mapRect(layout_.nodes[i]).toRect();
    return {};
  }
  [[nodiscard]] QSize drawingSize() const { return (layout_.size + QSizeF(2 * margin, 2 * margin)).toSize(); }
  void draw(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) paintEdge(painter, layout_.edges[i], graph_.edges[i]);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      paintNode(painter, graph_.nodes[i], layout_.nodes[i], graph_.nodes[i].name == selected_);
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color("surface"));
    if (drawn_) {
      painter.save();
      painter.setTransform(transform(), true);
      draw(painter);
      painter.restore();
    }
    if (words_.isEmpty()) return;
    painter.setPen(theme().color("muted"));
    painter.drawText(rect().adjusted(16, 8, -16, -8),
                     int(drawn_ ? Qt::AlignBottom | Qt::AlignLeft : Qt::AlignCenter) | Qt::TextWordWrap, words_);
  }
  void wheelEvent(QWheelEvent* event) override {
    if (drawn_) setZoom(zoom() * std::pow(zoomStep, double(event->angleDelta().y()) / wheelNotch), event->position());
    event->accept();
  }
  void mousePressEvent(QMouseEvent* event) override {
    pressed_ = event->position();
    start_ = transform();
    dragged_ = false;
  }
  void mouseMoveEvent(QMouseEvent* event) override {
    if (!(event->buttons() & Qt::LeftButton) || !drawn_) return;
    const QPointF by = event->position() - pressed_;
    if (by.manhattanLength() < QApplication::startDragDistance() && !dragged_) return;
    dragged_ = true;
    zoom_ = start_.m11();
    origin_ = QPointF(start_.dx(), start_.dy()) + by;
    fitted_ = false;
    update();
  }
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (dragged_ || !drawn_) return;
    const QPointF at = transform().inverted().map(event->position());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (layout_.nodes[i].contains(at)) choose(int(i));
  }
  void mouseDoubleClickEvent(QMouseEvent* /*event*/) override { fit(); }
  void keyPressEvent(QKeyEvent* event) override {
    int at = -1;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (graph_.nodes[i].name == selected_) at = int(i);
    const int count = int(graph_.nodes.size());
    if (drawn_ && count > 0 && (event->key() == Qt::Key_Down || event->key() == Qt::Key_Right))
      choose(std::min(at + 1, count - 1));
    else if (drawn_ && count > 0 && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Left))
      choose(std::max(at - 1, 0));
    else if (drawn_ && event->matches(QKeySequence::ZoomIn))
      setZoom(zoom() * zoomStep, rect().center());
    else if (drawn_ && event->matches(QKeySequence::ZoomOut))
      setZoom(zoom() / zoomStep, rect().center());
    else
      QWidget::keyPressEvent(event);
  }

 private:
  void choose(int node) {
    select(graph_.nodes[std::size_t(node)].name);
    Q_EMIT view_.chosen(selected_);
  }
  GraphView& view_;
  StructureGraph graph_;
  GraphLayout layout_;
  bool drawn_ = false, fitted_ = true, dragged_ = false;
  qreal zoom_ = 1;
  QPointF origin_, pressed_;
  QTransform start_;
  QString selected_, words_;
};

GraphView::GraphView()
    : canvas_(new GraphCanvas(*this)),
      cancel_(button(tr("Cancel"), tr("Ends the layout; the window never waits for it"))),
      again_(button(tr("Draw again"), tr("Asks Graphviz once more"))) {
  auto* fit = button(tr("Show all"), tr("The whole graph in the pane"));
  auto* write = button(tr("Export…"), tr("Write the graph as SVG, PDF or PNG"));
  auto* bar = new QHBoxLayout;
  bar->addStretch(1);
  for (QPushButton* b : {cancel_, again_, fit, write}) bar->addWidget(b);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(canvas_, 1);
  layout->addLayout(bar);
  connect(cancel_, &QPushButton::clicked, &dot_, &DotProcess::cancel);
  connect(again_, &QPushButton::clicked, this, &GraphView::request);
  connect(fit, &QPushButton::clicked, this, [this] { canvas_->fit(); });
  connect(write, &QPushButton::clicked, this, [this] {
    if (isDrawn())
      askToExport(this, tr("Export graph"), QStringLiteral("structure"),
                  [this](const QString& path) { return exportTo(path); });
  });
  connect(&dot_, &DotProcess::runningChanged, this, &GraphView::refresh);
  connect(&dot_, &DotProcess::failed, this, [this](const QString& why) {
    problem_ = why;
    canvas_->clear();
    refresh();
  });
  connect(&dot_, &DotProcess::done, this, [this](const QByteArray& plain) {
    if (const auto places = layoutOf(plain, graph_)) {
      problem_.clear();
      canvas_->setDrawn(graph_, *places);
    } else {
      problem_ = tr("Graphviz gave an answer that cannot be read.");
      canvas_->clear();
    }
    refresh();
  });
  connect(&theme(), &Theme::changed, canvas_, qOverload<>(&QWidget::update));
  refresh();
}

void GraphView::setGraph(StructureGraph graph) {
  graph_ = std::move(graph);
  problem_.clear();
  asked_ = false;
  // Only what somebody looks at is laid out.
  if (isVisible()) request();
}

void GraphView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!asked_) request();
}

void GraphView::request() {
  if (graph_.nodes.empty()) return;
  asked_ = true;
  problem_.clear();
  dot_.layOut(dotOf(graph_, sizesOf(graph_)));
}

void GraphView::setNothing(const QString& explanation) {
  graph_ = {};
  asked_ = true;
  dot_.blockSignals(true);
  dot_.cancel();
  dot_.blockSignals(false);
  problem_ = explanation;
  canvas_->clear();
  refresh();
}

void GraphView::refresh() {
  cancel_->setVisible(dot_.isRunning());
  again_->setVisible(!dot_.isRunning() && !problem_.isEmpty() && !graph_.nodes.empty());
  canvas_->setWords(!problem_.isEmpty()  ? problem_
                    : dot_.isRunning()   ? tr("Graphviz lays the graph out…")
                    : graph_.leftOut > 0 ? tr("%1 more values are not drawn.").arg(graph_.leftOut)
                                         : QString());
}

void GraphView::select(const QString& name) { canvas_->select(name); }
QString GraphView::selected() const { return canvas_->selected(); }
bool GraphView::isDrawn() const { return canvas_->isDrawn(); }
qreal GraphView::zoom() const { return canvas_->zoom(); }
void GraphView::setZoom(qreal zoom) { canvas_->setZoom(zoom, canvas_->rect().center()); }
QRect GraphView::placeOf(const QString& name) const { return canvas_->placeOf(name); }
QWidget* GraphView::canvas() const { return canvas_; }

QString GraphView::exportTo(const QString& path) const {
  return exportDrawing(path, canvas_->drawingSize(), tr("Structure graph"), [this](QPaintDevice& device) {
    QPainter painter(&device);
    painter.translate(margin, margin);
    canvas_->draw(painter);
  });
}

} // namespace aicf::views
