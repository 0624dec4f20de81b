// Runs: the evidence rows behind the numbers, newest first. All of them are read, sorted and filtered off the window's
// thread; the metrics of one are read when it is chosen.
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
  [[nodiscard]] bool isReady() const override {
    return !widget_ || (loaded_ && !arranging_.busy() && !loading_.busy());
  }
  bool find() override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;
  [[nodiscard]] Table* table() const { return table_; }

 private:
  using Rows = std::vector<Evidence>;
  struct Loaded {
    std::shared_ptr<const Rows> rows = std::make_shared<const Rows>();
    QString problem;
  };
  void load();
  void arrange();
  void showAll(Rows rows);
  void showRun();
  bool select(const QString& id);
  void selectAsked(const QString& id);
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  RecordModel<Evidence>* model_ = nullptr;
  RecordModel<Metric>* metrics_ = nullptr;
  Table *table_ = nullptr, *metricsTable_ = nullptr;
  Pane *pane_ = nullptr, *metricsPane_ = nullptr;
  QString awaited_;
  QJsonObject awaitedState_;
  bool loaded_ = false;
  std::shared_ptr<const Rows> all_ = std::make_shared<const Rows>();
  Latest<Loaded> loading_;
  Latest<Rows> arranging_;
  Latest<Evidence> choosing_;
};

} // namespace aicf::views
