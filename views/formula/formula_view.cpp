#include "views/formula/formula_view.hpp"

#include "views/charts/export_drawing.hpp"
#include "views/frame/theme.hpp"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace aicf::views {
namespace {
constexpr qreal letters = 12.5, zoomStep = 1.15, leastZoom = 0.4, mostZoom = 5;
constexpr int wheelNotch = 120;
} // namespace

class FormulaView::Canvas : public QWidget {
 public:
  explicit Canvas(FormulaView& view) : view_(view) { setMouseTracking(true); }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    const Theme& t = theme();
    if (view_.lines_.empty()) {
      painter.setPen(t.color("muted"));
      painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, view_.explanation_);
      return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.color("selection"));
    if (!view_.selected_.isEmpty())
      for (const QRectF& r : view_.layout_.rectsOf(view_.selected_))
        painter.drawRoundedRect(r.adjusted(-2, -1, 2, 1), 3, 3);
    view_.layout_.paint(painter, t.color("text"), t.color("muted"));
  }
  void mouseMoveEvent(QMouseEvent* event) override {
    setCursor(view_.layout_.tagAt(event->position()).isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  }
  void mousePressEvent(QMouseEvent* event) override {
    if (event->button() != Qt::LeftButton) return;
    const QString tag = view_.layout_.tagAt(event->position());
    view_.select(tag);
    if (!tag.isEmpty()) Q_EMIT view_.chosen(tag);
  }

 private:
  FormulaView& view_;
};

FormulaView::FormulaView(const QString& name) : canvas_(new Canvas(*this)) {
  setAccessibleName(name);
  setWidget(canvas_);
  setWidgetResizable(true);
  setFocusPolicy(Qt::StrongFocus);
  setToolTip(tr("Ctrl and the wheel zoom; a click on a value selects it; the right button copies and exports"));
  connect(&theme(), &Theme::changed, this, [this] { relayout(); });
}

void FormulaView::setFormula(std::vector<Math> lines, const QString& plain) {
  lines_ = std::move(lines);
  plain_ = plain;
  selected_.clear();
  QStringList spoken;
  for (const Math& line : lines_) spoken << spokenOf(line);
  setAccessibleDescription(spoken.join('\n'));
  relayout();
}

void FormulaView::setNothing(const QString& explanation) {
  explanation_ = explanation;
  setFormula({}, {});
}

void FormulaView::relayout() {
  layout_ = FormulaLayout(lines_, letters * zoom_);
  const QSizeF size = layout_.size();
  canvas_->setMinimumSize(int(std::ceil(size.width())), int(std::ceil(size.height())));
  canvas_->update();
}

void FormulaView::select(const QString& tag) {
  if (tag == selected_) return;
  selected_ = tag;
  canvas_->update();
}

void FormulaView::setZoom(qreal zoom) {
  zoom_ = std::clamp(zoom, leastZoom, mostZoom);
  relayout();
}

void FormulaView::copyText() const { QApplication::clipboard()->setText(plain_); }
void FormulaView::copyLatex() const {
  if (!lines_.empty()) QApplication::clipboard()->setText(latexOf(std::vector<Math>(lines_.begin() + 1, lines_.end())));
}

QString FormulaView::exportTo(const QString& path) const {
  return exportDrawing(path, layout_.size().toSize() + QSize(1, 1), accessibleName(), [this](QPaintDevice& device) {
    QPainter painter(&device);
    layout_.paint(painter, theme().color("text"), theme().color("muted"));
  });
}

void FormulaView::askToExportFormula() {
  if (lines_.empty()) return;
  askToExport(this, tr("Export formula"), QStringLiteral("formula"),
              [this](const QString& path) { return exportTo(path); });
}

void FormulaView::wheelEvent(QWheelEvent* event) {
  if (!(event->modifiers() & Qt::ControlModifier)) {
    QScrollArea::wheelEvent(event);
    return;
  }
  setZoom(zoom_ * std::pow(zoomStep, double(event->angleDelta().y()) / wheelNotch));
  event->accept();
}

void FormulaView::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Copy as text"), this, &FormulaView::copyText);
  menu->addAction(tr("Copy as LaTeX"), this, &FormulaView::copyLatex);
  menu->addAction(tr("Export…"), this, &FormulaView::askToExportFormula);
  menu->addSeparator();
  menu->addAction(tr("Larger"), this, [this] { setZoom(zoom_ * zoomStep); });
  menu->addAction(tr("Smaller"), this, [this] { setZoom(zoom_ / zoomStep); });
  menu->addAction(tr("As it was"), this, [this] { setZoom(1); });
  for (QAction* a : menu->actions()) a->setEnabled(a->isSeparator() || !lines_.empty());
  menu->popup(event->globalPos());
}

void FormulaView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy))
    copyText();
  else if (event->matches(QKeySequence::ZoomIn))
    setZoom(zoom_ * zoomStep);
  else if (event->matches(QKeySequence::ZoomOut))
    setZoom(zoom_ / zoomStep);
  else
    QScrollArea::keyPressEvent(event);
}

} // namespace aicf::views
