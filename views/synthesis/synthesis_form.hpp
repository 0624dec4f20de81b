// What to synthesize for: sizes, scalars, types, backend, budget; prefilled from the operator.
#pragma once
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLineEdit;
class QProgressBar;
class QSpinBox;

namespace aicf::views {

class SynthesisForm : public QWidget {
  Q_OBJECT
 public:
  explicit SynthesisForm(Workbench& workbench);
  [[nodiscard]] QString backend() const;
  /// Whose workers do it, by name.
  [[nodiscard]] QString where() const;
  [[nodiscard]] int budget() const;
  [[nodiscard]] int seed() const;
  void setBudget(int budget);
  /// Progress of the newest job; null: none yet.
  void showJob(const Job* job);
  /// Why there is no result, or nothing.
  void setNotice(const QString& text);

 private:
  void fillSizes();
  void edited();
  Workbench& workbench_;
  QFormLayout* sizes_;
  QLabel* operator_;
  QComboBox *dtype_, *backend_, *target_, *where_;
  QSpinBox *budget_, *seed_;
  QPushButton *start_, *cancel_;
  QProgressBar* bar_;
  ElidedLabel* progress_;
  QLabel* notice_;
  std::map<std::string, QSpinBox*> dims_;
  std::map<std::string, QLineEdit*> scalars_;
  bool filling_ = false;
};

} // namespace aicf::views
