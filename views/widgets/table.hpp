// The one table of the window: sorting, filtering, columns shown and hidden, copying (TSV with headers), export in the
// order seen, where a cell comes from, cells drawn by role. Views make no table behaviour of their own.
#pragma once
#include "views/models/records.hpp"

#include <QJsonObject>
#include <QStyledItemDelegate>
#include <QTableView>

class QLineEdit;

namespace aicf::views {

/// Monospaced numbers and identifiers, tones, chips, the mark of rows that go with what is active.
class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

class Table : public QTableView {
  Q_OBJECT
 public:
  /// `own`: the proxy sorts and filters. `asked`: the owner does, off the window's thread, upon sortAsked() and
  /// filterAsked(): for tables of many thousand rows.
  enum class Order { own, asked };
  /// `name` is for assistive technology. `explanation` stands in the middle while there are no rows.
  Table(RecordModelBase* model, const QString& name, const QString& explanation, QWidget* parent = nullptr,
        Order order = Order::own);
  [[nodiscard]] RecordProxy* proxy() const { return proxy_; }
  /// Of the current row, in the source model; -1 when none.
  [[nodiscard]] int sourceRow() const;
  void selectSourceRow(int row);
  /// selectSourceRow without scrolling: for the row that was selected before its model was read again.
  void keepSourceRow(int row);
  void setExplanation(const QString& text);
  [[nodiscard]] QString text(TableFormat format, bool selectedOnly) const;
  void copy();

  /// The table's filter, made when first asked for, to be put above it (Pane::addCorner).
  [[nodiscard]] QLineEdit* filterLine();
  [[nodiscard]] QString filter() const;
  void setFilter(const QString& text);
  /// Filter, sorting, hidden columns, scroll and the current row's first cell: for View::state().
  [[nodiscard]] QJsonObject state() const;
  void restore(const QJsonObject& state);
  /// The scroll of a state alone: after a row was selected that restore() cannot know.
  void scrollAs(const QJsonObject& state);
  /// Answers "where does this come from?" for a cell of the proxy: a box with the origin's words and its link.
  void showOrigin(const QModelIndex& at);

 Q_SIGNALS:
  void currentRowChanged(int sourceRow);
  void sortAsked(int column, Qt::SortOrder order); ///< column -1: as the owner had them
  void filterAsked(const QString& text);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void spread();
  [[nodiscard]] int roomiest() const;
  void exportAs(TableFormat format);
  void columnsMenu(const QPoint& at);
  void applyFilter(const QString& text);
  RecordProxy* proxy_;
  QString explanation_, filter_;
  QLineEdit* filterLine_ = nullptr;
  Order order_;
  std::vector<int> widths_; ///< of the columns, as first given or as the user drew them
  bool spreading_ = false;
};

/// A link in a table or a box was chosen. The workbench opens it.
class Links : public QObject {
  Q_OBJECT
 public:
  void follow(const QString& uri) { Q_EMIT followed(uri); }

 Q_SIGNALS:
  void followed(const QString& uri);
};
[[nodiscard]] Links& links();

} // namespace aicf::views
