// Preservation Guide: what may be done to this computation, under which law, and why is the rest refused?
#pragma once
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

#include <QPointer>

class QComboBox;

namespace aicf::views {

class Page;

struct GuideRow {
  enum class Mark { none, legal, refused, inapplicable } mark = Mark::none; ///< none: not judged yet
  QString id, title, preservationClass, law, reason;
};
[[nodiscard]] RecordModel<GuideRow>* makeGuideModel(QObject* parent);
/// One row a transformation, by class in the order of the guide, then by title. `ledger` may be null: nothing is
/// judged.
[[nodiscard]] std::vector<GuideRow> guideRows(const Ledger* ledger);

/// The page of a transformation: before and after, premises, law, class, the five verdicts for the active operator, the
/// witness, the worked example, and what is linked to it.
[[nodiscard]] QString transformationPage(Workbench& workbench, const QString& id);

class GuideView : public QObject, public View {
  Q_OBJECT
 public:
  explicit GuideView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("guide"); }
  [[nodiscard]] QString title() const override { return tr("Guide"); }
  [[nodiscard]] QString tip() const override {
    return tr("Preservation Guide: what may be done to this computation, under which law, and why is the rest "
              "refused?");
  }
  [[nodiscard]] QStringList kinds() const override { return {QStringLiteral("transformation")}; }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  void follow(const Entity& active) override;
  bool find() override;
  [[nodiscard]] bool isReady() const override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;

  [[nodiscard]] Table* table() const { return table_; }
  [[nodiscard]] Page* page() const { return page_; }
  [[nodiscard]] QPushButton* tickButton() const { return ticks_; } ///< hidden when nothing would allow it, or it is
  [[nodiscard]] QString selected() const;
  void select(const QString& transformation);
  void selectFirst();

 private:
  void judge();
  void showPage();
  void tick();
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  RecordModel<GuideRow>* model_ = nullptr;
  Table* table_ = nullptr;
  Page* page_ = nullptr;
  Pane *list_ = nullptr, *pagePane_ = nullptr;
  QPushButton* ticks_ = nullptr;
  QString shown_;        ///< what the page is about
  int awaitedPage_ = -1; ///< where to scroll it once the verdicts are there; -1: nowhere
};

} // namespace aicf::views
