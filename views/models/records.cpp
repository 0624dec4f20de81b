#include "views/models/records.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace aicf::views {

QVariant RecordModelBase::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::DisplayRole) return info(section).title;
  if (role == Qt::ToolTipRole) return info(section).tip;
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(
        Qt::Alignment(Qt::AlignVCenter | (info(section).kind == CellKind::number ? Qt::AlignRight : Qt::AlignLeft)));
  return {};
}

RecordProxy::RecordProxy(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(SortRole);
  setFilterKeyColumn(-1);
  setFilterCaseSensitivity(Qt::CaseInsensitive);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

bool RecordProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(SortRole), b = right.data(SortRole);
  if (!a.isValid() || !b.isValid()) {
    // Empty ones last, whichever way the column is sorted.
    const bool ascending = sortOrder() == Qt::AscendingOrder;
    return ascending ? a.isValid() && !b.isValid() : b.isValid() && !a.isValid();
  }
  return QSortFilterProxyModel::lessThan(left, right);
}

namespace {

QString cell(const QAbstractItemModel& model, int row, int column) {
  return model.index(row, column).data(Qt::DisplayRole).toString();
}

QString quoted(QString text, TableFormat format) {
  switch (format) {
  case TableFormat::tsv: return text.replace('\t', ' ').replace('\n', ' ');
  case TableFormat::csv:
    if (!text.contains(',') && !text.contains('"') && !text.contains('\n')) return text;
    return '"' + text.replace('"', QStringLiteral("\"\"")) + '"';
  case TableFormat::markdown: return text.replace('|', QStringLiteral("\\|")).replace('\n', QStringLiteral("<br>"));
  case TableFormat::json: break;
  }
  return text;
}

} // namespace

QString exportTable(const QAbstractItemModel& model, const std::vector<int>& rows, const std::vector<int>& columns,
                    TableFormat format) {
  const auto header = [&](int column) { return model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(); };
  if (format == TableFormat::json) {
    QJsonArray out;
    for (const int row : rows) {
      QJsonObject object;
      for (const int column : columns) {
        const QVariant value = model.index(row, column).data(SortRole);
        object.insert(header(column), QJsonValue::fromVariant(value));
      }
      out.append(object);
    }
    return QString::fromUtf8(QJsonDocument(out).toJson());
  }
  const QString between = format == TableFormat::tsv   ? QStringLiteral("\t")
                          : format == TableFormat::csv ? QStringLiteral(",")
                                                       : QStringLiteral(" | ");
  const auto line = [&](const QStringList& cells) {
    const QString text = cells.join(between);
    return (format == TableFormat::markdown ? "| " + text + " |" : text) + '\n';
  };
  QStringList heads, rules;
  for (const int column : columns) {
    heads << quoted(header(column), format);
    rules << QStringLiteral("---");
  }
  QString out = line(heads);
  if (format == TableFormat::markdown) out += line(rules);
  for (const int row : rows) {
    QStringList cells;
    for (const int column : columns) cells << quoted(cell(model, row, column), format);
    out += line(cells);
  }
  return out;
}

} // namespace aicf::views
