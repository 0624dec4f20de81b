#include "views/atlas/matrix_table.hpp"

#include "views/frame/theme.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace aicf::views {
namespace {

constexpr int cellSize = 26, rowHeight = 24, headingHeight = 30, nameWidth = 186, titleHeight = 168;

QColor strip(const Theme& t, bool lit, bool near) {
  return lit ? t.color("selection") : near ? t.color("hover") : t.color("surface");
}

class CellPainter : public QStyledItemDelegate {
 public:
  explicit CellPainter(MatrixTable* table) : QStyledItemDelegate(table), table_(table) {}
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& at) const override {
    const Theme& t = theme();
    if (at.data(HeadingRole).toBool()) {
      p->fillRect(option.rect, t.color("window"));
      return;
    }
    const QModelIndex hovered = table_->hovered();
    const bool near = hovered.isValid() && (hovered.row() == at.row() || hovered.column() == at.column());
    p->fillRect(option.rect,
                strip(t, at.column() == table_->litColumn() || at.row() == table_->currentIndex().row(), near));
    p->save();
    p->setRenderHint(QPainter::Antialiasing);
    drawAnswer(*p, QRectF(option.rect).adjusted(3, 2, -3, -2), at.data(AnswerRole).toInt());
    if (at == table_->currentIndex()) {
      p->setPen(QPen(t.color("accent"), 2));
      p->setBrush(Qt::NoBrush);
      p->drawRoundedRect(QRectF(option.rect).adjusted(1.5, 1, -1.5, -1), 4, 4);
    }
    p->restore();
  }

 private:
  MatrixTable* table_;
};

/// Titles of the properties, read from bottom to top.
class TitleHeader : public QHeaderView {
 public:
  explicit TitleHeader(MatrixTable* table) : QHeaderView(Qt::Horizontal, table), table_(table) {
    setSectionsClickable(true);
    setFixedHeight(titleHeight);
    setMinimumSectionSize(cellSize);
    setDefaultSectionSize(cellSize);
    setSectionResizeMode(Fixed);
  }

 protected:
  void paintSection(QPainter* p, const QRect& rect, int section) const override {
    const Theme& t = theme();
    const QModelIndex hovered = table_->hovered(), current = table_->currentIndex();
    const bool near = hovered.isValid() && hovered.column() == section;
    const bool lit = section == table_->litColumn(), chosen = lit || (current.isValid() && current.column() == section);
    p->save();
    p->fillRect(rect, lit ? t.color("selection") : near ? t.color("hover") : t.color("window"));
    QFont font = this->font();
    font.setWeight(chosen || near ? QFont::DemiBold : QFont::Normal);
    p->setFont(font);
    p->setPen(t.color(chosen || near ? "text" : "muted"));
    p->translate(rect.left(), rect.bottom());
    p->rotate(-90);
    const QRect room(6, 0, rect.height() - 10, rect.width());
    p->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                QFontMetrics(font).elidedText(model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString(),
                                              Qt::ElideRight, room.width()));
    p->restore();
    p->setPen(t.color("border"));
    p->drawLine(rect.bottomLeft(), rect.bottomRight());
  }

 private:
  MatrixTable* table_;
};

/// Names of operators, and headings of groups over the whole width.
class NameHeader : public QHeaderView {
 public:
  explicit NameHeader(MatrixTable* table) : QHeaderView(Qt::Vertical, table), table_(table) {
    setSectionsClickable(true);
    setFixedWidth(nameWidth);
    setMinimumSectionSize(rowHeight);
    setDefaultSectionSize(rowHeight);
    setSectionResizeMode(Fixed);
  }

 protected:
  void paintSection(QPainter* p, const QRect& rect, int section) const override {
    const Theme& t = theme();
    const auto say = [&](int role) { return model()->headerData(section, Qt::Vertical, role); };
    const bool isHeading = say(HeadingRole).toBool();
    const QModelIndex hovered = table_->hovered(), current = table_->currentIndex();
    const bool near = hovered.isValid() && hovered.row() == section;
    const bool chosen = current.isValid() && current.row() == section;
    p->save();
    p->fillRect(rect, isHeading ? t.color("window") : strip(t, chosen, near));
    QFont font = this->font();
    font.setWeight(isHeading || chosen || near ? QFont::DemiBold : QFont::Normal);
    p->setFont(font);
    QRect room = rect.adjusted(isHeading ? 4 : 12, isHeading ? 6 : 0, -8, 0);
    if (isHeading) {
      const QString size = say(Qt::UserRole).toString();
      p->setPen(t.color("muted"));
      p->drawText(room, Qt::AlignRight | Qt::AlignVCenter, size);
      room.setRight(room.right() - QFontMetrics(font).horizontalAdvance(size) - 8);
    }
    p->setPen(t.text(isHeading ? Tone::plain : Tone(say(ToneRole).toInt())));
    p->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                QFontMetrics(font).elidedText(say(Qt::DisplayRole).toString(), Qt::ElideRight, room.width()));
    p->restore();
  }

 private:
  MatrixTable* table_;
};

} // namespace

void drawAnswer(QPainter& p, const QRectF& room, int answer) {
  const Theme& t = theme();
  const qreal side = std::min(room.width(), room.height());
  const QRectF box(room.center().x() - side / 2, room.center().y() - side / 2, side, side);
  const auto at = [&](qreal x, qreal y) { return QPointF(box.left() + x * side, box.top() + y * side); };
  const auto stroke = [&](Tone tone, qreal width) {
    p.setPen(QPen(t.text(tone), width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p.setBrush(Qt::NoBrush);
  };
  const auto fill = [&](Tone tone) {
    p.setPen(Qt::NoPen);
    p.setBrush(t.fill(tone));
    p.drawRoundedRect(box, 3, 3);
  };
  if (answer == int(PropertyVerdict::Answer::holds)) {
    fill(Tone::info);
    stroke(Tone::info, 1.8);
    p.drawPolyline(QPolygonF{at(0.26, 0.54), at(0.43, 0.71), at(0.75, 0.31)});
  } else if (answer == int(PropertyVerdict::Answer::fails)) {
    fill(Tone::warn);
    stroke(Tone::warn, 1.8);
    p.drawLine(at(0.32, 0.32), at(0.68, 0.68));
    p.drawLine(at(0.68, 0.32), at(0.32, 0.68));
  } else if (answer == int(PropertyVerdict::Answer::not_applicable)) {
    stroke(Tone::muted, 1.2);
    p.drawLine(at(0.38, 0.5), at(0.62, 0.5));
  } else if (answer == int(PropertyVerdict::Answer::unknown)) {
    stroke(Tone::muted, 1);
    p.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    p.drawText(box, Qt::AlignCenter, QStringLiteral("?"));
  } else {
    p.setPen(Qt::NoPen);
    p.setBrush(t.color("border"));
    for (const qreal x : {0.32, 0.5, 0.68}) p.drawEllipse(at(x, 0.5), 1.2, 1.2);
  }
}

MatrixTable::MatrixTable(MatrixModel& model) : matrix_(model) {
  setAccessibleName(tr("Operators and their properties"));
  setVerticalHeader(new NameHeader(this));
  setHorizontalHeader(new TitleHeader(this));
  setModel(&model);
  setItemDelegate(new CellPainter(this));
  setShowGrid(false);
  setSelectionMode(SingleSelection);
  setEditTriggers(NoEditTriggers);
  setTabKeyNavigation(false);
  setMouseTracking(true);
  setCornerButtonEnabled(false);
  setVerticalScrollMode(ScrollPerPixel);
  setHorizontalScrollMode(ScrollPerPixel);
  setColumnHidden(0, true); // the names stand in the header
  connect(&model, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
    const QRect cell = visualRect(currentIndex());
    seenAt_ = viewport()->rect().contains(cell) && cell.isValid() ? std::optional(cell.top()) : std::nullopt;
  });
  connect(&model, &MatrixModel::arranged, this, &MatrixTable::arranged);
  arranged();
  const auto tell = [this] {
    if (currentOperator().isEmpty()) return;
    op_ = currentOperator();
    property_ = currentProperty();
    Q_EMIT cellChosen(op_, property_);
  };
  connect(selectionModel(), &QItemSelectionModel::currentChanged, this, [this, tell] {
    viewport()->update();
    verticalHeader()->viewport()->update();
    horizontalHeader()->viewport()->update();
    if (!choosing_) tell();
  });
  // The chosen cell again, while a property is read about.
  connect(this, &QAbstractItemView::clicked, this, [this, tell](const QModelIndex& at) {
    if (at == currentIndex()) tell();
  });
  connect(horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int section) {
    Q_EMIT propertyChosen(matrix_.headerData(section, Qt::Horizontal, PropertyRole).toString());
  });
  connect(verticalHeader(), &QHeaderView::sectionClicked, this, [this](int section) {
    const int column = std::max(1, currentIndex().column());
    if (!matrix_.index(section, 0).data(HeadingRole).toBool()) setCurrentIndex(matrix_.index(section, column));
  });
  connect(verticalHeader(), &QHeaderView::sectionDoubleClicked, this, [this](int section) {
    if (const QString op = matrix_.index(section, 0).data(OperatorRole).toString(); !op.isEmpty())
      Q_EMIT operatorOpened(op);
  });
  connect(&theme(), &Theme::changed, this, [this] {
    viewport()->update();
    verticalHeader()->viewport()->update();
    horizontalHeader()->viewport()->update();
  });
}

QString MatrixTable::currentOperator() const { return currentIndex().data(OperatorRole).toString(); }
QString MatrixTable::currentProperty() const { return currentIndex().data(PropertyRole).toString(); }

void MatrixTable::select(const QString& op, const QString& property) {
  op_ = op;
  property_ = matrix_.columnOf(property) > 0 ? property : property_;
  choose();
}

void MatrixTable::choose() {
  const int row = matrix_.rowOf(op_), column = matrix_.columnOf(property_);
  setCurrentIndex(row < 0 ? QModelIndex() : matrix_.index(row, std::max(1, column)));
}

void MatrixTable::showChosen() {
  doItemsLayout(); // rows may just have moved
  if (currentIndex().isValid()) scrollTo(currentIndex());
}

void MatrixTable::arranged() {
  // A reset leaves each row the height of what stood there before.
  QHeaderView* names = verticalHeader();
  for (int r = 0; r < int(matrix_.rows().size()); ++r) {
    const int height = matrix_.rows()[std::size_t(r)].op < 0 ? headingHeight : names->defaultSectionSize();
    if (names->sectionSize(r) != height) names->resizeSection(r, height);
  }
  // Verdicts that arrive move rows too, and must not move the reader: the chosen cell stays where it is seen.
  int down = verticalScrollBar()->value();
  const int across = horizontalScrollBar()->value();
  choosing_ = true;
  choose();
  choosing_ = false;
  doItemsLayout();
  if (seenAt_ && currentIndex().isValid()) down = verticalHeader()->sectionPosition(currentIndex().row()) - *seenAt_;
  verticalScrollBar()->setValue(down);
  horizontalScrollBar()->setValue(across);
}

void MatrixTable::setLit(const QString& property) {
  lit_ = matrix_.columnOf(property);
  if (lit_ > 0) {
    property_ = property;
    choosing_ = true;
    choose();
    choosing_ = false;
    if (matrix_.rowCount() > 0) scrollTo(matrix_.index(std::max(0, rowAt(0)), lit_));
  }
  viewport()->update();
  horizontalHeader()->viewport()->update();
}

void MatrixTable::hover(const QModelIndex& at) {
  if (at == hovered_) return;
  hovered_ = at;
  viewport()->update();
  verticalHeader()->viewport()->update();
  horizontalHeader()->viewport()->update();
}

void MatrixTable::mouseMoveEvent(QMouseEvent* event) {
  const QModelIndex at = indexAt(event->pos());
  hover(at.isValid() && !at.data(HeadingRole).toBool() ? at : QModelIndex());
  QTableView::mouseMoveEvent(event);
}

void MatrixTable::leaveEvent(QEvent* event) {
  hover({});
  QTableView::leaveEvent(event);
}

void MatrixTable::keyPressEvent(QKeyEvent* event) {
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && !currentOperator().isEmpty())
    Q_EMIT operatorOpened(currentOperator());
  else
    QTableView::keyPressEvent(event);
}

void MatrixTable::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (matrix_.shownOperators() > 0) return;
  QPainter painter(viewport());
  painter.setPen(theme().color("muted"));
  painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("No operator answers to this filter."));
}

} // namespace aicf::views
