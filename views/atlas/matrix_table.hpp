// The matrix on the screen: names down and properties across stay in sight while the cells scroll; a verdict is a sign
// of its own shape on a fill of its own (blue and amber, told apart by everybody); the row and the column under the
// mouse and under the cursor are marked.
#pragma once
#include "views/atlas/matrix_model.hpp"

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>

#include <optional>

namespace aicf::views {

/// The sign of an answer in `room`: a tick, a cross, a dash, a question mark; -1: not decided, three dots.
void drawAnswer(QPainter& painter, const QRectF& room, int answer);

class MatrixTable : public QTableView {
  Q_OBJECT
 public:
  explicit MatrixTable(MatrixModel& model);
  /// Of the current cell; empty where there is none.
  [[nodiscard]] QString currentOperator() const;
  [[nodiscard]] QString currentProperty() const;
  /// Chooses a cell. It stays chosen when rows move; where a filter hides it, it is back when the filter lets it.
  void select(const QString& op, const QString& property);
  void showChosen(); ///< scrolls there
  /// The column to tint; empty: none.
  void setLit(const QString& property);
  [[nodiscard]] int litColumn() const { return lit_; }
  [[nodiscard]] QModelIndex hovered() const { return hovered_; }

 Q_SIGNALS:
  void cellChosen(const QString& op, const QString& property);
  void propertyChosen(const QString& property); ///< its heading was clicked
  void operatorOpened(const QString& op);       ///< its name was double clicked, or Enter pressed

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void hover(const QModelIndex& at);
  void choose();
  void arranged();
  MatrixModel& matrix_;
  QPersistentModelIndex hovered_;
  QString op_, property_;     ///< chosen, shown or not
  bool choosing_ = false;     ///< as before: nobody is told
  std::optional<int> seenAt_; ///< where the chosen cell was seen before rows moved
  int lit_ = -1;
};

} // namespace aicf::views
