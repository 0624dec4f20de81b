// The operators, found by name, structure or comment.
#pragma once
#include "views/frame/workbench.hpp"
#include "views/models/records.hpp"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListView;

namespace aicf::views {

[[nodiscard]] RecordModel<OperatorEntry>* makeOperatorModel(QObject* parent);

class OperatorList : public QWidget {
  Q_OBJECT
 public:
  explicit OperatorList(Workbench& workbench);
  [[nodiscard]] QString filter() const;
  void setFilter(const QString& text);
  [[nodiscard]] int scroll() const;
  void setScroll(int value);
  void focusSearch();

 private:
  [[nodiscard]] int bestRow() const;
  void refill();
  void follow();
  Workbench& workbench_;
  RecordModel<OperatorEntry>* model_;
  RecordProxy* proxy_;
  QLineEdit* search_;
  QListView* list_;
  QLabel* count_;
};

} // namespace aicf::views
