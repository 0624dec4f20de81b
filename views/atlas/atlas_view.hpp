// Property Atlas: which operators have which property, how is that known, and what does it permit?
#pragma once
#include "views/atlas/property_matrix.hpp"
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"

#include <QPointer>

class QComboBox;
class QLineEdit;

namespace aicf::views {

class MatrixModel;
class MatrixTable;
class Page;

/// The verdict of one cell, readable: how it was decided, or the values at which the property fails.
[[nodiscard]] QString verdictPage(const MatrixOperator& op, const QString& property);
/// A property: definition, law, what it permits, its operators, and what is related to it.
[[nodiscard]] QString propertyPage(Workbench& workbench, const PropertyMatrix& matrix, const QString& property);

class AtlasView : public QObject, public View {
  Q_OBJECT
 public:
  explicit AtlasView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("atlas"); }
  [[nodiscard]] QString title() const override { return tr("Properties"); }
  [[nodiscard]] QString tip() const override {
    return tr("Property Atlas: which operators have which property, how is that known, and what does it permit?");
  }
  [[nodiscard]] QStringList kinds() const override { return {QStringLiteral("property")}; }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  void follow(const Entity& active) override;
  bool find() override;
  [[nodiscard]] bool isReady() const override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;

  [[nodiscard]] MatrixModel* model() const { return model_; }
  [[nodiscard]] MatrixTable* table() const { return table_; }
  [[nodiscard]] Page* page() const { return page_; }
  [[nodiscard]] QString property() const { return property_; }
  [[nodiscard]] QString op() const { return op_; }

 private:
  QWidget* makeBar();
  void arrangeAgain();
  void showCell(const QString& op, const QString& property);
  void showProperty(const QString& property);
  void updateCount();
  void tell();
  void decideActive();
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  MatrixModel* model_ = nullptr;
  MatrixTable* table_ = nullptr;
  Page* page_ = nullptr;
  Pane* pagePane_ = nullptr;
  QLineEdit* search_ = nullptr;
  QComboBox *grouping_ = nullptr, *answer_ = nullptr;
  ElidedLabel* count_ = nullptr;
  Latest<MatrixOperator> deciding_;
  QString op_, property_; ///< of the page; op_ empty: the property as a whole
};

} // namespace aicf::views
