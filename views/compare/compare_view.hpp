// Compare: what does the difference of two plans change in source and numbers?
#pragma once
#include "views/editors/code_editor.hpp"
#include "views/frame/workbench.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

class QComboBox;

namespace aicf::views {

class Pane;

struct ComparedMetric {
  QString id, unit;
  std::optional<double> a, b;
  QString stateA = {}, stateB = {}; ///< of one without a value: "not permitted", "not supported", "not measured"
};
struct ComparedChoice {
  QString param, a, b;
};
[[nodiscard]] std::vector<ComparedMetric> compareMetrics(const VariantRow& a, const VariantRow& b);
/// Those that differ.
[[nodiscard]] std::vector<ComparedChoice> compareChoices(const VariantRow& a, const VariantRow& b);
[[nodiscard]] RecordModel<ComparedMetric>* makeComparedMetricsModel(QObject* parent);
[[nodiscard]] RecordModel<ComparedChoice>* makeComparedChoicesModel(QObject* parent);

class CompareView : public QObject, public View {
  Q_OBJECT
 public:
  explicit CompareView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("compare"); }
  [[nodiscard]] QString title() const override { return tr("Compare"); }
  [[nodiscard]] QString tip() const override {
    return tr("Compare: what does the difference of two plans change in source and numbers?");
  }
  [[nodiscard]] QStringList kinds() const override {
    return {QStringLiteral("compare-a"), QStringLiteral("compare-b")};
  }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;

  void choose(const QString& a, const QString& b);
  [[nodiscard]] int differingLines() const { return differing_; }

 private:
  void refill();
  void update();
  void nextDifference(int direction);
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  QComboBox *a_ = nullptr, *b_ = nullptr;
  CodeEditor *left_ = nullptr, *right_ = nullptr;
  RecordModel<ComparedMetric>* metrics_ = nullptr;
  RecordModel<ComparedChoice>* choices_ = nullptr;
  Table *metricsTable_ = nullptr, *choicesTable_ = nullptr;
  Pane* diffPane_ = nullptr;
  std::vector<int> starts_; ///< first rows of the differences
  int differing_ = 0;
  bool filling_ = false;
};

} // namespace aicf::views
