// The one table of the window: sorting, copying (TSV with headers), export, cells drawn by role.
#pragma once
#include "views/models/records.hpp"

#include <QStyledItemDelegate>
#include <QTableView>

namespace aicf::views {

/// Monospaced numbers and identifiers, tones, chips.
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
  /// `name` is for assistive technology. `explanation` stands in the middle while there are no rows.
  Table(RecordModelBase* model, const QString& name, const QString& explanation, QWidget* parent = nullptr);
  [[nodiscard]] RecordProxy* proxy() const { return proxy_; }
  /// Of the current row, in the source model; -1 when none.
  [[nodiscard]] int sourceRow() const;
  void selectSourceRow(int row);
  void setExplanation(const QString& text);
  [[nodiscard]] QString text(TableFormat format, bool selectedOnly) const;
  void copy();

 Q_SIGNALS:
  void currentRowChanged(int sourceRow);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void exportAs(TableFormat format);
  RecordProxy* proxy_;
  QString explanation_;
};

} // namespace aicf::views
