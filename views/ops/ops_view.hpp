// Ops Explorer: which computation is this, whatever its name?
#pragma once
#include "views/frame/workbench.hpp"

#include <QPointer>

namespace aicf::views {

class DefinitionPane;
class OperatorList;
class StructurePane;

class OpsView : public QObject, public View {
  Q_OBJECT
 public:
  explicit OpsView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("ops"); }
  [[nodiscard]] QString title() const override { return tr("Operators"); }
  [[nodiscard]] QString tip() const override {
    return tr("Ops Explorer: which computation is this, whatever its name?");
  }
  [[nodiscard]] QStringList kinds() const override { return {QStringLiteral("op")}; }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;
  bool find() override;
  [[nodiscard]] bool isReady() const override;

  [[nodiscard]] DefinitionPane* definition() const { return definition_; }
  [[nodiscard]] StructurePane* structure() const { return structure_; }

 private:
  Workbench& workbench_;
  QPointer<QWidget> widget_;
  OperatorList* list_ = nullptr;
  DefinitionPane* definition_ = nullptr;
  StructurePane* structure_ = nullptr;
};

} // namespace aicf::views
