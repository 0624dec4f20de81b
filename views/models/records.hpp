// Table models over plain structs: a column says how a cell reads, sorts and is meant; the index arithmetic is here,
// once. Models know no widget; delegates draw by role.
#pragma once
#include "views/frame/theme.hpp"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <functional>
#include <vector>

namespace aicf::views {

enum class CellKind { text, mono, number, chip };

enum CellRole {
  SortRole = Qt::UserRole + 1, ///< what the cell sorts by
  ToneRole,                    ///< int(Tone)
  KindRole,                    ///< int(CellKind)
  OriginRole,                  ///< where the cell comes from, in words
  OriginLinkRole,              ///< a link (aicf://…) to what is behind it, or empty
  LitRole,                     ///< the row goes with what is active: drawn with a mark
};

/// Where a number comes from: how it was made, and a link to its evidence or to what it is computed from.
struct Origin {
  QString text, link;
};

struct ColumnInfo {
  QString title, tip;
  CellKind kind = CellKind::text;
  int width = 100; ///< to begin with, in pixels at 1×
};

class RecordModelBase : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;
  [[nodiscard]] virtual const ColumnInfo& info(int column) const = 0;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
};

template <class Row> struct Column {
  ColumnInfo info;
  std::function<QVariant(const Row&)> value;  ///< sorted by
  std::function<QString(const Row&)> shown{}; ///< absent: the value as text
  std::function<Tone(const Row&)> tone{};
  std::function<QString(const Row&)> tip{};
  std::function<Origin(const Row&)> origin{}; ///< absent: what the column's tip says
};

template <class Row> class RecordModel : public RecordModelBase {
 public:
  explicit RecordModel(std::vector<Column<Row>> columns, QObject* parent = nullptr)
      : RecordModelBase(parent), columns_(std::move(columns)) {}

  void setRows(std::vector<Row> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }
  void setRow(int row, Row value) {
    rows_[std::size_t(row)] = std::move(value);
    Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
  }
  void append(Row row) {
    beginInsertRows({}, int(rows_.size()), int(rows_.size()));
    rows_.push_back(std::move(row));
    endInsertRows();
  }
  /// Marks the rows that go with what is active.
  void setLit(std::function<bool(const Row&)> lit) {
    lit_ = std::move(lit);
    if (!rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {LitRole});
  }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const Row& at(int row) const { return rows_[std::size_t(row)]; }

  /// What a row that the model need not hold would show, and sort by.
  [[nodiscard]] QString shown(const Row& row, int column) const {
    const Column<Row>& c = columns_[std::size_t(column)];
    return c.shown ? c.shown(row) : c.value(row).toString();
  }
  [[nodiscard]] QVariant key(const Row& row, int column) const { return columns_[std::size_t(column)].value(row); }

  [[nodiscard]] const ColumnInfo& info(int column) const override { return columns_[std::size_t(column)].info; }
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : int(rows_.size());
  }
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : int(columns_.size());
  }
  [[nodiscard]] QVariant data(const QModelIndex& at, int role) const override {
    if (!checkIndex(at, CheckIndexOption::IndexIsValid)) return {};
    const Column<Row>& column = columns_[std::size_t(at.column())];
    const Row& row = rows_[std::size_t(at.row())];
    switch (role) {
    case Qt::DisplayRole: return column.shown ? QVariant(column.shown(row)) : column.value(row);
    case SortRole: return column.value(row);
    case ToneRole: return int(column.tone ? column.tone(row) : Tone::plain);
    case KindRole: return int(column.info.kind);
    case Qt::ToolTipRole: return column.tip ? QVariant(column.tip(row)) : QVariant();
    case OriginRole: return column.origin ? column.origin(row).text : column.info.tip;
    case OriginLinkRole: return column.origin ? column.origin(row).link : QString();
    case LitRole: return lit_ && lit_(row);
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(
          Qt::Alignment(Qt::AlignVCenter | (column.info.kind == CellKind::number ? Qt::AlignRight : Qt::AlignLeft)));
    default: return {};
    }
  }

 private:
  std::vector<Column<Row>> columns_;
  std::vector<Row> rows_;
  std::function<bool(const Row&)> lit_;
};

/// Sorts by SortRole with empty cells last, filters on every column.
class RecordProxy : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit RecordProxy(QObject* parent = nullptr);

 protected:
  [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

enum class TableFormat { tsv, csv, json, markdown };
/// Rows and columns as they are seen (of the model given, hidden ones left out), with headers.
[[nodiscard]] QString exportTable(const QAbstractItemModel& model, const std::vector<int>& rows,
                                  const std::vector<int>& columns, TableFormat format);

} // namespace aicf::views
