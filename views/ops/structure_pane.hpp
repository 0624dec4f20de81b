// What the active operator is: structures, passes, reductions with rank and state, certificates step by step.
#pragma once
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

class QPlainTextEdit;
class QTabWidget;

namespace aicf::views {

class CertificatePane;
class GradientPane;
class GraphView;

[[nodiscard]] RecordModel<Reduction>* makeReductionsModel(QObject* parent);
[[nodiscard]] QString rankText(const Rank& rank);

class StructurePane : public QWidget {
  Q_OBJECT
 public:
  explicit StructurePane(Workbench& workbench);
  [[nodiscard]] QTabWidget& tabs() { return *tabs_; }
  [[nodiscard]] CertificatePane& certificates() { return *certificates_; }
  [[nodiscard]] GraphView& graph() { return *graph_; }
  [[nodiscard]] GradientPane& derivative() { return *derivative_; }
  [[nodiscard]] Table& reductions() { return *reductions_; }
  enum Tab { StateTab, CertificatesTab, CascadesTab, GraphTab, DerivativeTab };
  /// A value of the definition was chosen elsewhere: its node, and its row where it is a reduction.
  void selectValue(const QString& name);

 Q_SIGNALS:
  void valueChosen(const QString& name);

 private:
  void show();
  void showReduction();
  void showFacts();
  void showGraph();
  Workbench& workbench_;
  Chips* structures_;
  ElidedLabel *facts_, *hash_;
  RecordModel<Reduction>* model_;
  Table* reductions_;
  QTabWidget* tabs_;
  QPlainTextEdit *state_, *cascades_;
  CertificatePane* certificates_;
  GraphView* graph_;
  GradientPane* derivative_;
  Pane* pane_;
};

} // namespace aicf::views
