// What runs and what ran: state, progress, results, and the log of the one selected.
#pragma once
#include "views/frame/workbench.hpp"
#include "views/widgets/table.hpp"

class QPlainTextEdit;
class QPushButton;

namespace aicf::views {

class JobsPane : public QWidget {
  Q_OBJECT
 public:
  explicit JobsPane(Workbench& workbench);

 private:
  void update(int number);
  void showLog();
  Workbench& workbench_;
  RecordModel<Job>* model_;
  Table* table_;
  QPlainTextEdit* log_;
  QPushButton *cancel_, *again_;
  int logged_ = 0;            ///< whose log is shown
  qsizetype loggedLines_ = 0; ///< how much of it
};

/// Of jobs, newest number last.
[[nodiscard]] RecordModel<Job>* makeJobsModel(QObject* parent);

} // namespace aicf::views
