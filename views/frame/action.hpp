// Every command of the window, once: menus, tool bar, shortcuts, command palette and tool tips read this registry.
#pragma once
#include <QHash>
#include <QKeySequence>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

class QAction;

namespace aicf::views {

/// The id is stable and starts with the menu that holds it: "file.open", "profile.undo".
struct Action {
  QString id, text, tip, icon;
  QKeySequence shortcut;
  std::function<bool()> enabled{}; ///< absent: always
  std::function<void()> run;
  std::function<bool()> checked{}; ///< present: the action shows a state
};

class Actions : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// Throws std::logic_error when the id or the shortcut is taken, or `run` is absent.
  QAction* add(Action action);
  [[nodiscard]] QAction* find(const QString& id) const; ///< nullptr when nobody registered it
  [[nodiscard]] const std::vector<Action>& all() const { return actions_; }
  /// Runs an enabled action; false when it is disabled or unknown.
  bool trigger(const QString& id);
  /// Something changed that enabled() or checked() may depend on. Cheap: evaluated once when the event loop is next
  /// idle.
  void invalidate();
  void refresh(); ///< evaluate now

 private:
  std::vector<Action> actions_;
  QHash<QString, QAction*> byId_;
  bool pending_ = false;
};

} // namespace aicf::views
