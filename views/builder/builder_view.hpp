// Compiler Builder: which plans do the ticked rules leave, and why not the others?
#pragma once
#include "views/builder/profile_pane.hpp"
#include "views/frame/workbench.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

class QTabWidget;

namespace aicf::views {

class LedgerPane;
class RulesForm;

struct RefusalRow {
  QString reason, example;
  std::size_t count = 0;
};
[[nodiscard]] RecordModel<RefusalRow>* makeRefusalsModel(QObject* parent);

class BuilderView : public QObject, public View {
  Q_OBJECT
 public:
  explicit BuilderView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("builder"); }
  [[nodiscard]] QString title() const override { return tr("Compiler"); }
  [[nodiscard]] QString tip() const override {
    return tr("Compiler Builder: which plans do the ticked rules leave, and why not the others?");
  }
  [[nodiscard]] QStringList kinds() const override {
    return {QStringLiteral("transformation"), QStringLiteral("rule")};
  }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;
  void follow(const Entity& active) override;
  bool find() override;
  [[nodiscard]] bool isReady() const override;

  [[nodiscard]] LedgerPane* ledger() const { return ledger_; }
  [[nodiscard]] ProfilePane* json() const { return json_; }
  [[nodiscard]] QString count() const { return count_ ? count_->text() : QString(); }

 private:
  void addActions();
  void exportProfile();
  void tellUse(const QString& path);
  void update();
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  RulesForm* form_ = nullptr;
  LedgerPane* ledger_ = nullptr;
  ProfilePane *json_ = nullptr, *text_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QLabel *count_ = nullptr, *of_ = nullptr, *change_ = nullptr;
  ElidedLabel* subject_ = nullptr;
  RecordModel<RefusalRow>* refusals_ = nullptr;
  Table* refusalsTable_ = nullptr;
  std::optional<std::size_t> before_; ///< legal plans before the last tick, of the same operator
};

} // namespace aicf::views
