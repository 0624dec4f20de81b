// Runs: the evidence rows behind the numbers, newest first.
#pragma once
#include "core/evidence/evidence.hpp"
#include "views/frame/workbench.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

namespace aicf::views {

class Pane;

[[nodiscard]] RecordModel<Evidence>* makeRunsModel(QObject* parent);
[[nodiscard]] RecordModel<Metric>* makeEvidenceMetricsModel(QObject* parent);

class RunsView : public QObject, public View {
  Q_OBJECT
 public:
  explicit RunsView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("runs"); }
  [[nodiscard]] QString title() const override { return tr("Runs"); }
  [[nodiscard]] QString tip() const override {
    return tr("Runs: what was run, on what, how and when — the evidence behind every number");
  }
  [[nodiscard]] QStringList kinds() const override { return {QStringLiteral("run")}; }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  [[nodiscard]] bool isLoaded() const { return loaded_; }

 private:
  struct Loaded {
    std::vector<Evidence> rows;
    std::size_t all = 0;
    QString problem;
  };
  void load();
  void showRun();
  void select(const QString& id);
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  RecordModel<Evidence>* model_ = nullptr;
  RecordModel<Metric>* metrics_ = nullptr;
  Table *table_ = nullptr, *metricsTable_ = nullptr;
  Pane *pane_ = nullptr, *metricsPane_ = nullptr;
  QString awaited_;
  bool loaded_ = false;
  Latest<Loaded> loading_;
};

} // namespace aicf::views
