// What the active operator is: structures, passes, reductions with rank and state, certificates step by step.
#pragma once
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

class QPlainTextEdit;
class QTabWidget;

namespace aicf::views {

class CertificatePane;

[[nodiscard]] RecordModel<Reduction>* makeReductionsModel(QObject* parent);
[[nodiscard]] QString rankText(const Rank& rank);

class StructurePane : public QWidget {
  Q_OBJECT
 public:
  explicit StructurePane(Workbench& workbench);
  [[nodiscard]] QTabWidget& tabs() { return *tabs_; }
  [[nodiscard]] CertificatePane& certificates() { return *certificates_; }

 private:
  void show();
  void showReduction();
  void showFacts();
  Workbench& workbench_;
  Chips* structures_;
  ElidedLabel *facts_, *hash_;
  RecordModel<Reduction>* model_;
  Table* reductions_;
  QTabWidget* tabs_;
  QPlainTextEdit *state_, *cascades_;
  CertificatePane* certificates_;
  Pane* pane_;
};

} // namespace aicf::views
