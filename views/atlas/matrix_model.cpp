#include "views/atlas/matrix_model.hpp"

#include "core/base/atlas_path.hpp"
#include "views/engine/text.hpp"

#include <nlohmann/json.hpp>

#include <QHash>

#include <algorithm>
#include <fstream>
#include <map>

namespace aicf::views {
namespace {

/// Structures by their place in the atlas.
const QStringList& structureOrder() {
  static const QStringList order = [] {
    QStringList ids;
    std::ifstream in(atlas_dir() / "structures.json");
    const nlohmann::json all = nlohmann::json::parse(in, nullptr, false);
    if (all.is_object() && all.contains("structures"))
      for (const auto& s : all["structures"]) ids << qs(s.value("id", std::string()));
    return ids;
  }();
  return order;
}

int place(const QString& structure) {
  const auto at = structureOrder().indexOf(structure);
  return at < 0 ? int(structureOrder().size()) : int(at);
}

bool matches(const MatrixOperator& op, const MatrixArrangement& a) {
  if (a.answer) {
    const PropertyVerdict* v = op.verdict(a.property);
    if (!v || v->answer != *a.answer) return false;
  }
  if (a.text.isEmpty()) return true;
  const QString words =
      (QStringList{op.name, op.summary} + op.structures + op.stages + op.families).join(' ').replace('_', ' ');
  return words.contains(QString(a.text).replace('_', ' '), Qt::CaseInsensitive);
}

/// What sorts first: holds, fails, not applicable, unknown, not decided.
int sortKey(const MatrixOperator& op, const QString& property) {
  const PropertyVerdict* v = op.verdict(property);
  return v ? int(v->answer) : int(PropertyVerdict::Answer::unknown) + 1;
}

} // namespace

QString groupOf(const MatrixOperator& op, MatrixGrouping grouping) {
  if (!op.problem.isEmpty()) return MatrixModel::tr("With errors");
  switch (grouping) {
  case MatrixGrouping::structure: {
    if (op.structures.isEmpty())
      return op.decided ? MatrixModel::tr("No named structure") : MatrixModel::tr("Deciding…");
    const auto first = std::min_element(op.structures.begin(), op.structures.end(),
                                        [](const auto& a, const auto& b) { return place(a) < place(b); });
    return capitalised(QString(*first).replace('_', ' '));
  }
  case MatrixGrouping::family:
    return !op.decided             ? MatrixModel::tr("Deciding…")
           : op.families.isEmpty() ? MatrixModel::tr("No family of plans realizes them yet")
                                   : op.families.join(QStringLiteral(", "));
  case MatrixGrouping::stages:
    return op.decided ? capitalised(op.stages.join(QStringLiteral(", "))) : MatrixModel::tr("Deciding…");
  case MatrixGrouping::none: break;
  }
  return {};
}

QString answerText(PropertyVerdict::Answer answer) {
  switch (answer) {
  case PropertyVerdict::Answer::holds: return MatrixModel::tr("holds");
  case PropertyVerdict::Answer::fails: return MatrixModel::tr("fails");
  case PropertyVerdict::Answer::not_applicable: return MatrixModel::tr("not applicable");
  case PropertyVerdict::Answer::unknown: return MatrixModel::tr("unknown");
  }
  return {};
}

std::vector<MatrixRow> arrange(const std::vector<MatrixOperator>& operators, const MatrixArrangement& arrangement) {
  struct Key {
    int structure;
    QString group;
    bool operator<(const Key& o) const { return structure != o.structure ? structure < o.structure : group < o.group; }
  };
  std::map<Key, std::vector<int>> groups;
  for (int i = 0; i < int(operators.size()); ++i) {
    const MatrixOperator& op = operators[std::size_t(i)];
    if (!matches(op, arrangement)) continue;
    int order = 0;
    if (arrangement.grouping == MatrixGrouping::structure) {
      order = int(structureOrder().size());
      for (const QString& s : op.structures) order = std::min(order, place(s));
    }
    groups[{order, groupOf(op, arrangement.grouping)}].push_back(i);
  }
  std::vector<MatrixRow> rows;
  for (auto& [key, members] : groups) {
    std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
      const MatrixOperator &x = operators[std::size_t(a)], &y = operators[std::size_t(b)];
      if (!arrangement.sortedBy.isEmpty()) {
        const int kx = sortKey(x, arrangement.sortedBy), ky = sortKey(y, arrangement.sortedBy);
        if (kx != ky) return kx < ky;
      }
      return x.name < y.name;
    });
    if (!key.group.isEmpty()) rows.push_back({-1, key.group, int(members.size())});
    for (const int op : members) rows.push_back({op, key.group, 0});
  }
  return rows;
}

MatrixModel::MatrixModel(PropertyMatrix& matrix, QObject* parent) : QAbstractTableModel(parent), matrix_(matrix) {
  for (const Property& p : properties()) properties_ << qs(p.id);
  connect(&matrix, &PropertyMatrix::reset, this, &MatrixModel::rebuild);
  connect(&matrix, &PropertyMatrix::rowDecided, this, &MatrixModel::decided);
  connect(&matrix, &PropertyMatrix::completed, this, &MatrixModel::rebuild);
  rebuild();
}

void MatrixModel::setArrangement(const MatrixArrangement& arrangement) {
  if (arrangement == arrangement_) return;
  arrangement_ = arrangement;
  rebuild();
}

void MatrixModel::rebuild() {
  beginResetModel();
  rows_ = arrange(matrix_.operators(), arrangement_);
  shown_ = int(std::count_if(rows_.begin(), rows_.end(), [](const MatrixRow& r) { return r.op >= 0; }));
  endResetModel();
  Q_EMIT arranged();
}

/// Cells change where they stand; groups move when all are decided, or every so often, not 229 times.
void MatrixModel::decided(int op) {
  constexpr int between = 40;
  if (matrix_.decided() % between == 0) {
    rebuild();
    return;
  }
  for (int r = 0; r < int(rows_.size()); ++r)
    if (rows_[std::size_t(r)].op == op) Q_EMIT dataChanged(index(r, 0), index(r, columnCount() - 1));
}

int MatrixModel::columnOf(const QString& property) const {
  const auto at = properties_.indexOf(property);
  return at < 0 ? -1 : int(at) + 1;
}

int MatrixModel::rowOf(const QString& name) const {
  for (int r = 0; r < int(rows_.size()); ++r)
    if (const int op = rows_[std::size_t(r)].op; op >= 0 && matrix_.operators()[std::size_t(op)].name == name) return r;
  return -1;
}

int MatrixModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }
int MatrixModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 1 + int(properties_.size());
}

QVariant MatrixModel::data(const QModelIndex& at, int role) const {
  if (!checkIndex(at, CheckIndexOption::IndexIsValid)) return {};
  const MatrixRow& row = rows_[std::size_t(at.row())];
  if (role == HeadingRole) return row.op < 0;
  if (row.op < 0) return at.column() == 0 && role == Qt::DisplayRole ? QVariant(row.heading) : QVariant();
  const MatrixOperator& op = matrix_.operators()[std::size_t(row.op)];
  if (role == OperatorRole) return op.name;
  if (at.column() > 0) return cellData(op, properties_[at.column() - 1], role);
  switch (role) {
  case Qt::DisplayRole:
  case SortRole: return op.name;
  case Qt::ToolTipRole: return op.problem.isEmpty() ? op.summary : op.problem;
  case ToneRole: return int(op.problem.isEmpty() ? Tone::plain : Tone::bad);
  default: return {};
  }
}

QVariant MatrixModel::cellData(const MatrixOperator& op, const QString& property, int role) const {
  const PropertyVerdict* v = op.verdict(property);
  switch (role) {
  case PropertyRole: return property;
  case AnswerRole: return v ? int(v->answer) : -1;
  case Qt::DisplayRole:
  case SortRole: return v ? answerText(v->answer) : QString();
  case Qt::AccessibleTextRole:
    return tr("%1, %2: %3")
        .arg(op.name, qs(property_text(property.toStdString()).title),
             v ? answerText(v->answer) : tr("not decided yet"));
  case Qt::ToolTipRole:
    return tr("%1: %2 %3\n%4")
        .arg(op.name, qs(property_text(property.toStdString()).title),
             v ? answerText(v->answer) : tr("not decided yet"), v ? qs(v->text) : QString())
        .trimmed();
  default: return {};
  }
}

QVariant MatrixModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) {
    if (section < 0 || section >= int(rows_.size())) return {};
    if (role == Qt::UserRole) return rows_[std::size_t(section)].size;
    return data(index(section, 0), role);
  }
  if (section < 0 || section >= columnCount()) return {};
  if (section == 0) return role == Qt::DisplayRole ? QVariant(tr("Operator")) : QVariant();
  const PropertyText text = property_text(properties_[section - 1].toStdString());
  switch (role) {
  case Qt::DisplayRole: return qs(text.title);
  case Qt::ToolTipRole: return qs(text.title + "\n" + text.definition);
  case PropertyRole: return properties_[section - 1];
  default: return {};
  }
}

Qt::ItemFlags MatrixModel::flags(const QModelIndex& at) const {
  if (at.isValid() && rows_[std::size_t(at.row())].op < 0) return Qt::ItemIsEnabled;
  return QAbstractTableModel::flags(at);
}

} // namespace aicf::views
