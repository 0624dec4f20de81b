#include "views/frame/navigator.hpp"

namespace aicf::views {
namespace {
constexpr std::size_t longestHistory = 200;
}

View* Navigator::view(const QString& id) const {
  for (View* v : views_)
    if (v->id() == id) return v;
  return nullptr;
}

Place Navigator::here() const {
  return {current_ ? current_->id() : QString(), active_, current_ ? current_->state() : QJsonObject()};
}

void Navigator::leave() {
  if (!current_) return;
  back_.push_back(here());
  if (back_.size() > longestHistory) back_.erase(back_.begin());
  forward_.clear();
}

void Navigator::enter(View* view) {
  if (current_ == view) return;
  current_ = view;
  Q_EMIT currentChanged(view);
}

void Navigator::setActive(const Entity& entity) {
  if (entity == active_) return;
  active_ = entity;
  Q_EMIT activeChanged(entity);
  for (View* v : views_)
    if (v->isLinked()) v->follow(entity);
}

void Navigator::setLinked(View* view, bool linked) {
  if (view->linked_ == linked) return;
  view->linked_ = linked;
  if (linked) view->follow(active_);
  Q_EMIT linkedChanged(view);
}

void Navigator::goTo(const QString& id) {
  View* v = view(id);
  if (!v || v == current_) return;
  leave();
  enter(v);
  Q_EMIT historyChanged();
}

bool Navigator::open(const Entity& entity) {
  if (entity.kind == QLatin1String("view")) {
    if (!view(entity.id)) return false;
    goTo(entity.id);
    return true;
  }
  View* home = current_ && current_->kinds().contains(entity.kind) ? current_ : nullptr;
  for (View* v : views_)
    if (!home && v->kinds().contains(entity.kind)) home = v;
  if (!home) return false;
  if (home != current_ || entity != active_) leave();
  setActive(entity);
  enter(home);
  home->show(entity);
  Q_EMIT historyChanged();
  return true;
}

void Navigator::activate(const Entity& entity) {
  if (entity == active_) return;
  if (!active_.isNull()) leave();
  setActive(entity);
  Q_EMIT historyChanged();
}

void Navigator::travel(std::vector<Place>& from, std::vector<Place>& to) {
  if (from.empty()) return;
  const Place target = from.back();
  from.pop_back();
  to.push_back(here());
  setActive(target.entity);
  if (View* v = view(target.view)) {
    enter(v);
    if (!target.entity.isNull() && v->kinds().contains(target.entity.kind)) v->show(target.entity);
    v->restore(target.state);
  }
  Q_EMIT historyChanged();
}

} // namespace aicf::views
