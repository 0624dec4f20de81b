#include "views/widgets/table.hpp"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QSaveFile>

#include <algorithm>
#include <utility>

namespace aicf::views {
namespace {
constexpr int lineHeight = 24, chipHeight = 18, padding = 6, headingRoom = 26;
}

void CellDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  const auto kind = CellKind(index.data(KindRole).toInt());
  const auto tone = Tone(index.data(ToneRole).toInt());
  if (kind == CellKind::mono || kind == CellKind::number) option->font = theme().mono();
  option->fontMetrics = QFontMetrics(option->font);
  option->palette.setColor(QPalette::Text, theme().text(tone));
  option->palette.setColor(QPalette::HighlightedText, theme().text(tone));
  option->state &= ~QStyle::State_HasFocus;
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const QString text = std::exchange(cell.text, {});
  const QStyle* style = cell.widget ? cell.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  if (text.isEmpty()) return;
  const auto tone = Tone(index.data(ToneRole).toInt());
  const QRect room = cell.rect.adjusted(padding, 0, -padding, 0);
  painter->save();
  painter->setFont(cell.font);
  if (CellKind(index.data(KindRole).toInt()) == CellKind::chip) {
    const QString shown = cell.fontMetrics.elidedText(text, Qt::ElideRight, room.width() - 2 * padding);
    QRectF chip(0, 0, cell.fontMetrics.horizontalAdvance(shown) + 2 * padding, chipHeight);
    chip.moveLeft(room.left());
    chip.moveTop(cell.rect.top() + (cell.rect.height() - chipHeight) / 2.0);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme().fill(tone == Tone::plain ? Tone::muted : tone));
    painter->drawRoundedRect(chip, 3, 3);
    painter->setPen(theme().text(tone));
    painter->drawText(chip, Qt::AlignCenter, shown);
  } else {
    painter->setPen(theme().text(tone));
    painter->drawText(room, int(cell.displayAlignment),
                      cell.fontMetrics.elidedText(text, Qt::ElideRight, room.width()));
  }
  painter->restore();
}

Table::Table(RecordModelBase* model, const QString& name, const QString& explanation, QWidget* parent)
    : QTableView(parent), proxy_(new RecordProxy(this)), explanation_(explanation) {
  proxy_->setSourceModel(model);
  setModel(proxy_);
  setItemDelegate(new CellDelegate(this));
  setAccessibleName(name);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setVerticalScrollMode(ScrollPerPixel);
  setHorizontalScrollMode(ScrollPerPixel);
  setCornerButtonEnabled(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(lineHeight);
  verticalHeader()->setMinimumSectionSize(lineHeight);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setFixedHeight(lineHeight + 1);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setMinimumSectionSize(36);
  horizontalHeader()->setSortIndicatorClearable(true);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  setSortingEnabled(true);
  // Headings whole to begin with; the last column takes what is left.
  const int last = model->columnCount() - 1;
  for (int c = 0; c <= last; ++c) {
    const int heading = horizontalHeader()->fontMetrics().horizontalAdvance(model->info(c).title) + headingRoom;
    setColumnWidth(c, c == last ? heading : std::max(model->info(c).width, heading));
  }
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { Q_EMIT currentRowChanged(sourceRow()); });
  connect(&theme(), &Theme::changed, this, [this] { viewport()->update(); });
}

int Table::sourceRow() const {
  const QModelIndex at = proxy_->mapToSource(currentIndex());
  return at.isValid() ? at.row() : -1;
}

void Table::selectSourceRow(int row) {
  const QModelIndex at = proxy_->mapFromSource(proxy_->sourceModel()->index(row, 0));
  if (!at.isValid()) return;
  selectionModel()->setCurrentIndex(at, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  scrollTo(at);
}

void Table::setExplanation(const QString& text) {
  explanation_ = text;
  viewport()->update();
}

QString Table::text(TableFormat format, bool selectedOnly) const {
  std::vector<int> rows, columns;
  // Ranges, not indexes: a selection of 100,000 rows is one range.
  if (selectedOnly)
    for (const QItemSelectionRange& range : selectionModel()->selection())
      for (int r = range.top(); r <= range.bottom(); ++r) rows.push_back(r);
  else
    for (int r = 0; r < proxy_->rowCount(); ++r) rows.push_back(r);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (int v = 0; v < horizontalHeader()->count(); ++v)
    if (const int c = horizontalHeader()->logicalIndex(v); !isColumnHidden(c)) columns.push_back(c);
  return exportTable(*proxy_, rows, columns, format);
}

void Table::copy() { QApplication::clipboard()->setText(text(TableFormat::tsv, selectionModel()->hasSelection())); }

void Table::exportAs(TableFormat format) {
  const QString suffix = format == TableFormat::csv    ? QStringLiteral("csv")
                         : format == TableFormat::json ? QStringLiteral("json")
                                                       : QStringLiteral("md");
  const QString path = QFileDialog::getSaveFileName(this, tr("Export table"), "table." + suffix, "*." + suffix);
  if (path.isEmpty()) return;
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(text(format, false).toUtf8()) < 0 || !file.commit())
    QMessageBox::warning(this, tr("Export table"), tr("%1 could not be written: %2").arg(path, file.errorString()));
}

void Table::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction(tr("Copy with headers"), QKeySequence::Copy, this, &Table::copy);
  menu.addSeparator();
  menu.addAction(tr("Export as CSV…"), this, [this] { exportAs(TableFormat::csv); });
  menu.addAction(tr("Export as JSON…"), this, [this] { exportAs(TableFormat::json); });
  menu.addAction(tr("Export as Markdown…"), this, [this] { exportAs(TableFormat::markdown); });
  menu.exec(event->globalPos());
}

void Table::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    copy();
    return;
  }
  QTableView::keyPressEvent(event);
}

void Table::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (proxy_->rowCount() > 0 || explanation_.isEmpty()) return;
  QPainter painter(viewport());
  painter.setPen(theme().color("muted"));
  painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, explanation_);
}

} // namespace aicf::views
