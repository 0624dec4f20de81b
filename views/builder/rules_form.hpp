// The ticks: one row a setting of profile_fields(), in groups; lists of transformations and primitives as check boxes.
#pragma once
#include "core/profile/fields.hpp"
#include "views/frame/workbench.hpp"

#include <QHash>
#include <QWidget>

class QCheckBox;
class QFormLayout;
class QScrollArea;
class QVBoxLayout;

namespace aicf::views {

class RulesForm : public QWidget {
  Q_OBJECT
 public:
  explicit RulesForm(Workbench& workbench);
  /// Scrolls to a setting and gives it the focus.
  void showRule(const QString& path);
  [[nodiscard]] int scroll() const;
  void setScroll(int value);

 private:
  void build();
  void addGroup(const QString& title, const QString& tip, const QString& prefix);
  QWidget* makeField(const ProfileField& field);
  QWidget* makeWord(const ProfileField& field);
  QWidget* makeNumber(const ProfileField& field);
  QWidget* makeText(const ProfileField& field);
  QWidget* makeChoices(const ProfileField& field, const QStringList& ids, const QStringList& titles,
                       bool emptyMeansAll);
  void set(const ProfileField& field, const nlohmann::json& value);
  void update();

  Workbench& workbench_;
  QScrollArea* area_;
  QVBoxLayout* groups_;
  QHash<QString, QWidget*> fields_;
  std::vector<std::function<void()>> readers_; ///< each shows the profile's value in its widget
  bool updating_ = false;
};

/// Ids and titles that a list setting can hold: transformations of the ledger, primitives of the plans' parameters.
struct ChoiceIds {
  QStringList ids, titles;
};
[[nodiscard]] ChoiceIds transformationIds();
[[nodiscard]] ChoiceIds primitiveIds();

} // namespace aicf::views
