// The matrix as a table: headings of groups and operators down, properties across. What is shown and in which order is
// one plain function of the rows and an arrangement; the model holds its result.
#pragma once
#include "views/atlas/property_matrix.hpp"
#include "views/models/records.hpp"

#include <QAbstractTableModel>

#include <optional>

namespace aicf::views {

enum class MatrixGrouping { structure, family, stages, none };

struct MatrixArrangement {
  QString text; ///< in name, comment, structures or stages; empty: all
  MatrixGrouping grouping = MatrixGrouping::structure;
  QString sortedBy;                              ///< a property: what has it first, then by name; empty: by name
  QString property;                              ///< of the next filter
  std::optional<PropertyVerdict::Answer> answer; ///< only operators whose `property` has this answer
  bool operator==(const MatrixArrangement&) const = default;
};

struct MatrixRow {
  int op = -1;     ///< into the operators; -1: a heading
  QString heading; ///< of a group
  int size = 0;    ///< operators in the group
};

/// The group of an operator: the first of its structures in the order of the atlas, its plan families, or its stages.
[[nodiscard]] QString groupOf(const MatrixOperator& op, MatrixGrouping grouping);
[[nodiscard]] std::vector<MatrixRow> arrange(const std::vector<MatrixOperator>& operators,
                                             const MatrixArrangement& arrangement);
[[nodiscard]] QString answerText(PropertyVerdict::Answer answer);

enum MatrixRole {
  AnswerRole = Qt::UserRole + 50, ///< int(Answer), or -1 where it is not decided yet
  HeadingRole,                    ///< bool
  OperatorRole,                   ///< QString
  PropertyRole,                   ///< QString
};

class MatrixModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  explicit MatrixModel(PropertyMatrix& matrix, QObject* parent = nullptr);
  void setArrangement(const MatrixArrangement& arrangement);
  [[nodiscard]] const MatrixArrangement& arrangement() const { return arrangement_; }
  [[nodiscard]] const std::vector<MatrixRow>& rows() const { return rows_; }
  [[nodiscard]] int shownOperators() const { return shown_; }

  /// Column 0 is the operator's name, the others are properties.
  [[nodiscard]] int columnOf(const QString& property) const; ///< -1 when unknown
  [[nodiscard]] int rowOf(const QString& name) const;        ///< -1 when not shown

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& at, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& at) const override;

 Q_SIGNALS:
  void arranged();

 private:
  void rebuild();
  void decided(int op);
  [[nodiscard]] QVariant cellData(const MatrixOperator& op, const QString& property, int role) const;
  PropertyMatrix& matrix_;
  MatrixArrangement arrangement_;
  std::vector<MatrixRow> rows_;
  QStringList properties_;
  int shown_ = 0;
};

} // namespace aicf::views
