// Primitive Lab: which primitive realizes this, at which cost and drift, and where does another form become cheaper?
#pragma once
#include "views/frame/workbench.hpp"
#include "views/primitives/lab.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

class QComboBox;
class QTabWidget;

namespace aicf::views {

class ChartPane;
class Page;
class ProfileChooser;

[[nodiscard]] RecordModel<Realization>* makeRealizationsModel(QObject* parent);
[[nodiscard]] RecordModel<BreakEven>* makeBreakEvensModel(QObject* parent);
[[nodiscard]] RecordModel<FamilyRow>* makeFamiliesModel(QObject* parent);
[[nodiscard]] RecordModel<RewritingCost>* makeRewritingsModel(QObject* parent);
[[nodiscard]] RecordModel<PriorState>* makePriorsModel(QObject* parent);

class PrimitivesView : public QObject, public View {
  Q_OBJECT
 public:
  explicit PrimitivesView(Workbench& workbench) : workbench_(workbench) {}
  [[nodiscard]] QString id() const override { return QStringLiteral("primitives"); }
  [[nodiscard]] QString title() const override { return tr("Primitives"); }
  [[nodiscard]] QString tip() const override {
    return tr(
        "Primitive Lab: what does each form of a primitive cost and lose, and where does another become cheaper?");
  }
  [[nodiscard]] QStringList kinds() const override { return {QStringLiteral("primitive")}; }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  void follow(const Entity& active) override;
  bool find() override;
  [[nodiscard]] bool isReady() const override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;

  [[nodiscard]] Table* table() const { return table_; }
  [[nodiscard]] QTabWidget* tabs() const { return tabs_; }
  [[nodiscard]] ChartPane* scatter() const { return scatter_.pane; }
  [[nodiscard]] ChartPane* curves() const { return curves_.pane; }
  [[nodiscard]] ChartPane* viability() const { return grid_.pane; }
  [[nodiscard]] Page* page() const { return page_; }
  /// The probe that the charts are of; empty when nothing is chosen.
  [[nodiscard]] const QString& probe() const { return probe_; }
  /// Chooses the first realization that is built of a primitive of the atlas, or that is of this probe.
  bool select(const QString& id);

 private:
  struct Drawn {
    ChartPane* pane = nullptr;
    QStringList figures;
  };
  QWidget* makeBar();
  QWidget* makeTabs();
  void draw(Drawn& where, const LabChart& chart, const QString& nothing);
  void refill();
  void showRow();
  void showCharts();
  void showFigure(const QString& figure);
  void showPrimitive(const QString& id);
  [[nodiscard]] Quantity quantity() const;
  [[nodiscard]] std::vector<PriorState> priorsOf(const HardwareProfile& profile) const;

  Workbench& workbench_;
  QPointer<QWidget> widget_;
  std::vector<Realization> all_;
  QString probe_;
  Entity shown_; ///< on the page: a metric or a primitive
  RecordModel<Realization>* model_ = nullptr;
  RecordModel<BreakEven>* breaks_ = nullptr;
  RecordModel<FamilyRow>* families_ = nullptr;
  RecordModel<RewritingCost>* rewritings_ = nullptr;
  RecordModel<PriorState>* priors_ = nullptr;
  Table *table_ = nullptr, *breaksTable_ = nullptr, *familiesTable_ = nullptr, *rewritingsTable_ = nullptr,
        *priorsTable_ = nullptr;
  Drawn scatter_, curves_, grid_;
  Page* page_ = nullptr;
  Pane* list_ = nullptr;
  QLabel* banner_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  ProfileChooser* profile_ = nullptr;
  QComboBox* quantity_ = nullptr;
};

} // namespace aicf::views
