// The ledger: every transformation with its five verdicts, whether the rules allow it, and if not, why and what would.
#pragma once
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

class QVBoxLayout;

namespace aicf::views {

[[nodiscard]] RecordModel<LegalityRow>* makeLedgerModel(QObject* parent);
/// Of an answer in the words of DESIGN.md, section 6.
[[nodiscard]] Tone verdictTone(const Verdict& verdict);
[[nodiscard]] QString verdictText(const Verdict& verdict);

class LedgerPane : public QWidget {
  Q_OBJECT
 public:
  explicit LedgerPane(Workbench& workbench);
  void select(const QString& transformation);
  [[nodiscard]] QString selected() const;
  /// The table's state and the row; what must be judged first is restored then.
  void restore(const QJsonObject& table, const QString& transformation);
  [[nodiscard]] Table& table() { return *table_; }
  [[nodiscard]] QPushButton* tickButton() const { return ticks_; } ///< hidden when nothing is refused

 private:
  void show();
  void showDetail();
  void relight();
  Workbench& workbench_;
  RecordModel<LegalityRow>* model_;
  Table* table_;
  QLabel *title_, *law_, *reason_, *witness_;
  QPushButton* ticks_;
  QString wanted_;      ///< selected before the rows went
  QJsonObject awaited_; ///< of the table, until there are rows
};

} // namespace aicf::views
