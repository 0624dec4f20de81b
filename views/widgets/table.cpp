#include "views/widgets/table.hpp"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QJsonArray>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollBar>
#include <QShortcut>

#include <algorithm>
#include <utility>

namespace aicf::views {
namespace {
constexpr int lineHeight = 24, chipHeight = 18, padding = 6, headingRoom = 26, filterWidth = 180, litWidth = 3;
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
  if (index.column() == 0 && index.data(LitRole).toBool())
    painter->fillRect(QRect(cell.rect.left(), cell.rect.top(), litWidth, cell.rect.height()), theme().color("accent"));
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

Links& links() {
  static Links instance;
  return instance;
}

Table::Table(RecordModelBase* model, const QString& name, const QString& explanation, QWidget* parent, Order order)
    : QTableView(parent), proxy_(new RecordProxy(this)), explanation_(explanation), order_(order) {
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
  horizontalHeader()->setMinimumSectionSize(36);
  horizontalHeader()->setSortIndicatorClearable(true);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  if (order == Order::own) {
    setSortingEnabled(true);
  } else {
    horizontalHeader()->setSortIndicatorShown(true);
    horizontalHeader()->setSectionsClickable(true);
    connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &Table::sortAsked);
  }
  horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(horizontalHeader(), &QWidget::customContextMenuRequested, this,
          [this](const QPoint& at) { columnsMenu(horizontalHeader()->mapToGlobal(at)); });
  // Headings whole to begin with; words at the end take what there is.
  const int columns = model->columnCount(), room = roomiest();
  for (int c = 0; c < columns; ++c) {
    const int heading = horizontalHeader()->fontMetrics().horizontalAdvance(model->info(c).title) + headingRoom;
    setColumnWidth(c, c == room && c == columns - 1 ? heading : std::max(model->info(c).width, heading));
    widths_.push_back(columnWidth(c));
  }
  connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column, int before, int width) {
    if (spreading_) return;
    if (before > 0 && width > 0) widths_[std::size_t(column)] = width; // not hidden, nor shown again
    spread();
  });
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { Q_EMIT currentRowChanged(sourceRow()); });
  connect(&theme(), &Theme::changed, this, [this] { viewport()->update(); });
}

/// The column that has most to say: the widest text, else the last one.
int Table::roomiest() const {
  const auto* model = static_cast<const RecordModelBase*>(proxy_->sourceModel());
  int best = -1;
  for (int c = 0; c < model->columnCount(); ++c) {
    if (isColumnHidden(c)) continue;
    const auto words = [&](int column) {
      return model->info(column).kind == CellKind::text ? model->info(column).width : 0;
    };
    if (best < 0 || words(c) >= words(best)) best = c;
  }
  return best;
}

/// Gives that column what the others leave of the width.
void Table::spread() {
  const int column = roomiest();
  if (column < 0 || spreading_) return;
  spreading_ = true;
  int others = 0;
  for (int c = 0; c < int(widths_.size()); ++c) {
    if (isColumnHidden(c) || c == column) continue;
    setColumnWidth(c, widths_[std::size_t(c)]);
    others += widths_[std::size_t(c)];
  }
  setColumnWidth(column, std::max(widths_[std::size_t(column)], viewport()->width() - others));
  spreading_ = false;
}

void Table::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  spread();
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

void Table::keepSourceRow(int row) {
  const QJsonObject place{{"scroll", verticalScrollBar()->value()}, {"across", horizontalScrollBar()->value()}};
  selectSourceRow(row);
  scrollAs(place);
}

void Table::scrollAs(const QJsonObject& state) {
  executeDelayedItemsLayout(); // the bars' ranges are those of the rows
  verticalScrollBar()->setValue(state.value("scroll").toInt());
  horizontalScrollBar()->setValue(state.value("across").toInt());
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
  auto* dialog = new QFileDialog(this, tr("Export table"), {}, "*." + suffix);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  dialog->selectFile(QString(accessibleName()).toLower().replace(' ', '-') + '.' + suffix);
  connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text(format, false).toUtf8()) >= 0 && file.commit()) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Export table"),
                                tr("%1 could not be written: %2").arg(path, file.errorString()), QMessageBox::Ok, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
  dialog->open();
}

void Table::columnsMenu(const QPoint& at) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  int shown = 0;
  for (int c = 0; c < proxy_->columnCount(); ++c) shown += isColumnHidden(c) ? 0 : 1;
  for (int c = 0; c < proxy_->columnCount(); ++c) {
    QAction* item = menu->addAction(proxy_->headerData(c, Qt::Horizontal).toString());
    item->setCheckable(true);
    item->setChecked(!isColumnHidden(c));
    item->setEnabled(isColumnHidden(c) || shown > 1);
    connect(item, &QAction::toggled, this, [this, c](bool on) { setColumnHidden(c, !on); });
  }
  menu->popup(at);
}

QLineEdit* Table::filterLine() {
  if (filterLine_) return filterLine_;
  filterLine_ = new QLineEdit;
  filterLine_->setPlaceholderText(tr("Filter"));
  filterLine_->setAccessibleName(tr("Filter %1").arg(accessibleName()));
  filterLine_->setToolTip(tr("Shows the rows in which some cell holds this text (Ctrl+F)"));
  filterLine_->setClearButtonEnabled(true);
  filterLine_->setFixedWidth(filterWidth);
  filterLine_->setText(filter_);
  connect(filterLine_, &QLineEdit::textChanged, this, &Table::applyFilter);
  // From what was typed to what is left: Enter or an arrow.
  const auto enter = [this] {
    setFocus(Qt::OtherFocusReason);
    if (!currentIndex().isValid()) selectRow(0);
  };
  connect(filterLine_, &QLineEdit::returnPressed, this, enter);
  auto* down = new QShortcut(QKeySequence(Qt::Key_Down), filterLine_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(down, &QShortcut::activated, this, enter);
  return filterLine_;
}

QString Table::filter() const { return filter_; }

void Table::setFilter(const QString& text) {
  if (filterLine_)
    filterLine_->setText(text);
  else
    applyFilter(text);
}

void Table::applyFilter(const QString& text) {
  if (text == filter_) return;
  filter_ = text;
  if (order_ == Order::own)
    proxy_->setFilterFixedString(text.trimmed());
  else
    Q_EMIT filterAsked(text.trimmed());
  viewport()->update();
}

QJsonObject Table::state() const {
  QJsonArray hidden;
  for (int c = 0; c < proxy_->columnCount(); ++c)
    if (isColumnHidden(c)) hidden.append(c);
  const QModelIndex first = currentIndex().siblingAtColumn(0);
  return {{"filter", filter_},
          {"sort", horizontalHeader()->sortIndicatorSection()},
          {"descending", horizontalHeader()->sortIndicatorOrder() == Qt::DescendingOrder},
          {"hidden", hidden},
          {"scroll", verticalScrollBar()->value()},
          {"across", horizontalScrollBar()->value()},
          {"row", first.isValid() ? first.data().toString() : QString()}};
}

void Table::restore(const QJsonObject& state) {
  if (state.isEmpty()) return;
  setFilter(state.value("filter").toString());
  horizontalHeader()->setSortIndicator(state.value("sort").toInt(-1),
                                       state.value("descending").toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
  const QJsonArray hidden = state.value("hidden").toArray();
  for (int c = 0; c < proxy_->columnCount(); ++c) setColumnHidden(c, hidden.contains(c));
  const QString row = state.value("row").toString();
  const QModelIndexList at = row.isEmpty() || proxy_->rowCount() == 0
                                 ? QModelIndexList()
                                 : proxy_->match(proxy_->index(0, 0), Qt::DisplayRole, row, 1, Qt::MatchExactly);
  if (!at.isEmpty())
    selectionModel()->setCurrentIndex(at.front(), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  scrollAs(state);
}

void Table::showOrigin(const QModelIndex& at) {
  if (!at.isValid()) return;
  const QString column = proxy_->headerData(at.column(), Qt::Horizontal).toString();
  const QString link = at.data(OriginLinkRole).toString();
  QString text = at.data(OriginRole).toString();
  if (text.isEmpty()) text = tr("It is part of the row as it was read: %1.").arg(accessibleName());
  const QString value = at.data().toString();
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Where does this come from?"),
                              (value.isEmpty() ? column : column + QStringLiteral(" = ") + value) + "\n\n" + text,
                              QMessageBox::Close, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  if (!link.isEmpty()) {
    QPushButton* open = box->addButton(tr("Show what is behind it"), QMessageBox::AcceptRole);
    connect(open, &QPushButton::clicked, &links(), [link] { links().follow(link); });
  }
  box->open();
}

void Table::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QModelIndex at = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : indexAt(event->pos());
  if (at.isValid()) {
    menu->addAction(tr("Where does this come from?"), this,
                    [this, at = QPersistentModelIndex(at)] { showOrigin(QModelIndex(at)); });
    menu->addAction(tr("Copy cell"), this,
                    [at = QPersistentModelIndex(at)] { QApplication::clipboard()->setText(at.data().toString()); });
    menu->addSeparator();
  }
  menu->addAction(tr("Copy with headers"), QKeySequence::Copy, this, &Table::copy);
  menu->addSeparator();
  menu->addAction(tr("Export as CSV…"), this, [this] { exportAs(TableFormat::csv); });
  menu->addAction(tr("Export as JSON…"), this, [this] { exportAs(TableFormat::json); });
  menu->addAction(tr("Export as Markdown…"), this, [this] { exportAs(TableFormat::markdown); });
  menu->addSeparator();
  const QPoint place = event->globalPos();
  menu->addAction(tr("Columns…"), this, [this, place] { columnsMenu(place); });
  menu->popup(place);
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
  const QString why = filter_.trimmed().isEmpty() ? explanation_ : tr("No row holds “%1”.").arg(filter_.trimmed());
  if (proxy_->rowCount() > 0 || why.isEmpty()) return;
  QPainter painter(viewport());
  painter.setPen(theme().color("muted"));
  painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, why);
}

} // namespace aicf::views
