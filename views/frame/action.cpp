#include "views/frame/action.hpp"

#include "views/frame/icons.hpp"

#include <QAction>
#include <QTimer>

#include <stdexcept>

namespace aicf::views {

QAction* Actions::add(Action action) {
  if (!action.run) throw std::logic_error("action without run: " + action.id.toStdString());
  if (byId_.contains(action.id)) throw std::logic_error("two actions named " + action.id.toStdString());
  for (const Action& other : actions_)
    if (!action.shortcut.isEmpty() && other.shortcut == action.shortcut)
      throw std::logic_error(action.id.toStdString() + " and " + other.id.toStdString() + " have one shortcut");
  auto* item = new QAction(action.text, this);
  item->setObjectName(action.id);
  if (!action.icon.isEmpty()) item->setIcon(icon(action.icon));
  const QString keys = action.shortcut.toString(QKeySequence::NativeText);
  item->setToolTip(keys.isEmpty() ? action.tip : action.tip + "  (" + keys + ')');
  item->setStatusTip(action.tip);
  item->setShortcut(action.shortcut);
  item->setCheckable(bool(action.checked));
  connect(item, &QAction::triggered, this, [this, run = action.run] {
    run();
    invalidate();
  });
  byId_.insert(action.id, item);
  actions_.push_back(std::move(action));
  invalidate();
  return item;
}

QAction* Actions::find(const QString& id) const { return byId_.value(id, nullptr); }

bool Actions::trigger(const QString& id) {
  refresh();
  QAction* item = find(id);
  if (!item || !item->isEnabled()) return false;
  item->trigger();
  return true;
}

void Actions::invalidate() {
  if (pending_) return;
  pending_ = true;
  QTimer::singleShot(0, this, [this] { refresh(); });
}

void Actions::refresh() {
  pending_ = false;
  for (const Action& action : actions_) {
    QAction* item = byId_.value(action.id);
    item->setEnabled(!action.enabled || action.enabled());
    if (action.checked) item->setChecked(action.checked());
  }
}

} // namespace aicf::views
