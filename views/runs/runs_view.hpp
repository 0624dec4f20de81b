// Runs: the evidence rows behind the numbers, newest first. The newest are there at once; then all of them are read,
// sorted and filtered off the window's thread. The metrics of one are read when it is chosen.
#pragma once
#include "core/evidence/evidence.hpp"
#include "views/frame/workbench.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

namespace aicf::views {

class Pane;

/// The rows are the view's: a million of them are sorted and filtered without a copy of any.
[[nodiscard]] RecordModel<const Evidence*>* makeRunsModel(QObject* parent);
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
    return !widget_ || (loaded_ && !arranging_.busy() && !loading_.busy() && !newest_.busy());
  }
  bool find() override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;
  [[nodiscard]] Table* table() const { return table_; }
  [[nodiscard]] bool isWhole() const { return loaded_; } ///< every row of the store is listed

 private:
  using Rows = std::vector<Evidence>;
  struct Loaded {
    std::shared_ptr<const Rows> rows = std::make_shared<const Rows>();
    QString problem;
  };
  /// Some of `of`, in an order asked for.
  struct Arranged {
    std::shared_ptr<const Rows> of;
    std::vector<const Evidence*> rows;
  };
  [[nodiscard]] static Loaded read(std::size_t limit);
  void load();
  void take(Loaded loaded, bool whole);
  void arrange();
  void showAll(Arranged arranged);
  void showRun();
  bool select(const QString& id, bool keepScroll = false);
  void selectAsked(const QString& id);
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  RecordModel<const Evidence*>* model_ = nullptr;
  RecordModel<Metric>* metrics_ = nullptr;
  Table *table_ = nullptr, *metricsTable_ = nullptr;
  Pane *pane_ = nullptr, *metricsPane_ = nullptr;
  QString awaited_;
  QJsonObject awaitedState_;
  bool whole_ = false, loaded_ = false; ///< all rows are read; they are listed too
  std::shared_ptr<const Rows> all_ = std::make_shared<const Rows>();
  std::shared_ptr<const Rows> listed_ = all_; ///< what the model's rows point into
  Latest<Loaded> newest_, loading_;
  Latest<Arranged> arranging_;
  Latest<Evidence> choosing_;
};

} // namespace aicf::views
