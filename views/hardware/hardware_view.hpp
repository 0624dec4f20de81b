// Hardware Maps: what does this device do, how far can that be trusted, and how does another one differ?
#pragma once
#include "views/frame/workbench.hpp"
#include "views/hardware/hardware_charts.hpp"
#include "views/hardware/hardware_profiles.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

class QComboBox;
class QSplitter;

namespace aicf::views {

class ChartPane;
class Page;
class ProfileChooser;

[[nodiscard]] RecordModel<HardwareItem>* makeHardwareModel(QObject* parent);
/// "12.4 ± 0.3 GB/s", or why there is no number.
[[nodiscard]] QString figureText(const HardwareItem& item);
/// What is known of an item and how, in a page; `other` is the name of the second profile, or empty.
[[nodiscard]] QString itemPage(Workbench& workbench, const HardwareItem& item, const QString& other);

class HardwareView : public QObject, public View {
  Q_OBJECT
 public:
  explicit HardwareView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("hardware"); }
  [[nodiscard]] QString title() const override { return tr("Hardware"); }
  [[nodiscard]] QString tip() const override {
    return tr("Hardware Maps: what does this device do, how far can that be trusted, and how does another one differ?");
  }
  [[nodiscard]] QStringList kinds() const override { return {QStringLiteral("hardware"), QStringLiteral("metric")}; }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  void follow(const Entity& active) override;
  bool find() override;
  [[nodiscard]] bool isReady() const override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;

  [[nodiscard]] Table* table() const { return table_; }
  [[nodiscard]] ChartPane* chart() const { return chart_; }
  [[nodiscard]] Page* page() const { return page_; }
  [[nodiscard]] QLabel* banner() const { return banner_; }
  /// Selects an item by its id; false when the profile has none.
  bool select(const QString& id);
  void compareWith(int index); ///< of the known profiles; -1: with none

 private:
  QWidget* makeBar();
  void profilesChanged();
  void refill();
  void showItem();
  void openProfile();
  [[nodiscard]] const KnownProfile* other() const;
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  RecordModel<HardwareItem>* model_ = nullptr;
  Table* table_ = nullptr;
  ChartPane *chart_ = nullptr, *second_ = nullptr;
  QWidget* charts_ = nullptr;
  Page* page_ = nullptr;
  Pane* list_ = nullptr;
  QLabel* banner_ = nullptr;
  ProfileChooser* profile_ = nullptr;
  QComboBox* compare_ = nullptr;
  bool filling_ = false;
};

} // namespace aicf::views
