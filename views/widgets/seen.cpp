#include "views/widgets/seen.hpp"

#include <QAbstractItemView>
#include <QScrollBar>
#include <QTextBrowser>

#include <algorithm>

namespace aicf::views {
namespace {
constexpr int mostSearched = 2000; ///< rows of a table that was sorted or filled anew
constexpr int mostPasses = 3;

QList<QAbstractScrollArea*> panes(const QWidget& root) {
  QList<QAbstractScrollArea*> out;
  for (auto* area : root.findChildren<QAbstractScrollArea*>())
    if (area->isVisibleTo(&root) && !area->accessibleName().isEmpty()) out << area;
  // The root itself may be what scrolls.
  if (auto* area = qobject_cast<QAbstractScrollArea*>(const_cast<QWidget*>(&root))) out << area;
  return out;
}

/// What a row says: its number may be another by now.
QString words(const QAbstractItemModel& model, int row, const QModelIndex& parent) {
  QStringList cells;
  for (int c = 0; c < model.columnCount(parent); ++c) cells << model.index(row, c, parent).data().toString();
  return cells.join('\t');
}

QModelIndex find(const QAbstractItemView& view, const QJsonObject& place) {
  const QAbstractItemModel& model = *view.model();
  const QModelIndex parent = view.rootIndex();
  const QString wanted = place.value("row").toString();
  const int rows = model.rowCount(parent), at = place.value("at").toInt(), column = place.value("column").toInt();
  if (at < rows && words(model, at, parent) == wanted) return model.index(at, column, parent);
  for (int row = 0; row < std::min(rows, mostSearched); ++row)
    if (words(model, row, parent) == wanted) return model.index(row, column, parent);
  return {};
}

bool chooseOnce(const QWidget& root, const QJsonObject& seen) {
  bool changed = false;
  for (QAbstractScrollArea* area : panes(root)) {
    auto* view = qobject_cast<QAbstractItemView*>(area);
    const QJsonObject place = seen.value(area->accessibleName()).toObject();
    if (!view || !view->model() || !place.contains("row")) continue;
    const QModelIndex at = find(*view, place);
    if (!at.isValid() || at == view->currentIndex()) continue;
    const bool rows = view->selectionBehavior() == QAbstractItemView::SelectRows;
    view->selectionModel()->setCurrentIndex(at, rows ? QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows
                                                     : QItemSelectionModel::ClearAndSelect);
    changed = true;
  }
  return changed;
}

} // namespace

QJsonObject seenOf(const QWidget& root) {
  QJsonObject out;
  for (const QAbstractScrollArea* area : panes(root)) {
    QJsonObject place{{"down", area->verticalScrollBar()->value()}, {"across", area->horizontalScrollBar()->value()}};
    const auto* view = qobject_cast<const QAbstractItemView*>(area);
    if (const QModelIndex current = view ? view->currentIndex() : QModelIndex(); current.isValid()) {
      place.insert("row", words(*view->model(), current.row(), current.parent()));
      place.insert("at", current.row());
      place.insert("column", current.column());
    }
    out.insert(area->accessibleName(), place);
  }
  return out;
}

bool chooseRows(const QWidget& root, const QJsonObject& seen) {
  bool changed = false;
  // A row of one may choose a row of another.
  for (int pass = 0; pass < mostPasses && chooseOnce(root, seen); ++pass) changed = true;
  return changed;
}

void scrollTo(const QWidget& root, const QJsonObject& seen) {
  for (QAbstractScrollArea* area : panes(root)) {
    const QJsonObject place = seen.value(area->accessibleName()).toObject();
    if (place.isEmpty()) continue;
    // The bars' ranges are those of what is laid out, and these lay out late.
    if (auto* view = qobject_cast<QAbstractItemView*>(area)) view->doItemsLayout();
    if (auto* page = qobject_cast<QTextBrowser*>(area)) (void)page->document()->size();
    area->verticalScrollBar()->setValue(place.value("down").toInt());
    area->horizontalScrollBar()->setValue(place.value("across").toInt());
  }
}

} // namespace aicf::views
