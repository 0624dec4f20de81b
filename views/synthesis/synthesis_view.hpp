// Synthesis: which kernels realize the legal plans, and do they pass?
#pragma once
#include "views/frame/workbench.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

namespace aicf::views {

class Pane;
class SynthesisForm;
class VariantDetail;

[[nodiscard]] RecordModel<VariantRow>* makeVariantsModel(QObject* parent);

class SynthesisView : public QObject, public View {
  Q_OBJECT
 public:
  explicit SynthesisView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("synthesis"); }
  [[nodiscard]] QString title() const override { return tr("Synthesis"); }
  [[nodiscard]] QString tip() const override {
    return tr("Synthesis: which kernels realize the legal plans, and do they pass?");
  }
  [[nodiscard]] QStringList kinds() const override { return {QStringLiteral("variant"), QStringLiteral("job")}; }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;
  bool find() override;
  [[nodiscard]] bool isReady() const override;

  [[nodiscard]] int job() const { return job_; } ///< the newest, 0: none
  [[nodiscard]] Table* table() const { return table_; }
  [[nodiscard]] SynthesisForm* form() const { return form_; }
  [[nodiscard]] VariantDetail* detail() const { return detail_; }

 private:
  void addActions();
  void start();
  void refill();
  void finished(int number, const nlohmann::json& body);
  [[nodiscard]] const VariantRow* selected() const;
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  SynthesisForm* form_ = nullptr;
  RecordModel<VariantRow>* model_ = nullptr;
  Table* table_ = nullptr;
  VariantDetail* detail_ = nullptr;
  Pane* pane_ = nullptr;
  int job_ = 0;
};

} // namespace aicf::views
