// Start: what this is, what this machine has and lacks, what was done lately, and the first steps of a real job.
#pragma once
#include "views/frame/workbench.hpp"
#include "views/start/tour.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

class QPushButton;
class QVBoxLayout;

namespace aicf::views {

struct MachineRow {
  QString part, detail, advice;
  bool available = false;
};
/// Of a doctor's report (aicf.doctor/1).
[[nodiscard]] std::vector<MachineRow> machineRows(const nlohmann::json& report);
[[nodiscard]] RecordModel<MachineRow>* makeMachineModel(QObject* parent);

class StartView : public QObject, public View {
  Q_OBJECT
 public:
  explicit StartView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("start"); }
  [[nodiscard]] QString title() const override { return tr("Start"); }
  [[nodiscard]] QString tip() const override {
    return tr("What this machine has, what was done lately, and the first steps");
  }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  [[nodiscard]] bool isReady() const override { return !widget_ || known_; }
  [[nodiscard]] Tour& tour() { return tour_; }

 private:
  [[nodiscard]] QWidget* stepsCard();
  [[nodiscard]] QWidget* recentCard();
  [[nodiscard]] QWidget* machineCard();
  void askMachine();
  void fillRecent();
  void showSteps();
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  RecordModel<MachineRow>* machine_ = nullptr;
  Table* machineTable_ = nullptr;
  QVBoxLayout* recent_ = nullptr;
  Tour tour_;
  std::vector<QPushButton*> steps_;
  int job_ = 0;
  bool known_ = false;
};

} // namespace aicf::views
