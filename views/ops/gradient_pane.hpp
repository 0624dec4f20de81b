// The derivative of the active operator: its vector-Jacobian product, an operator like any other, set in type, with its
// own structure. Derived off the window's thread when somebody looks.
#pragma once
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"

class QPlainTextEdit;

namespace aicf::views {

class FormulaView;

struct Derived {
  QString text, name, facts, problem; ///< text: in the operator language; problem: why there is none
  std::shared_ptr<const Definition> definition;
};
/// Never throws. Polls `stop`.
[[nodiscard]] Derived derive(const Definition& definition, std::stop_token stop);

class GradientPane : public QWidget {
  Q_OBJECT
 public:
  explicit GradientPane(Workbench& workbench);
  [[nodiscard]] const Derived& derived() const { return derived_; }
  [[nodiscard]] FormulaView& formula() { return *formula_; }
  [[nodiscard]] bool isBusy() const { return deriving_.busy(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void request();
  void openAsOperator();
  void show(Derived derived);
  Workbench& workbench_;
  Derived derived_;
  bool stale_ = true;
  FormulaView* formula_;
  QPlainTextEdit* text_;
  ElidedLabel* facts_;
  QPushButton* open_;
  Latest<Derived> deriving_;
};

} // namespace aicf::views
