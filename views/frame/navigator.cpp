#include "views/frame/navigator.hpp"

#include "views/widgets/seen.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <QWidget>

namespace aicf::views {
namespace {
constexpr std::size_t longestHistory = 200;
constexpr int askMs = 30, mostAsked = 1000;
} // namespace

Navigator::Navigator(QObject* parent) : QObject(parent) {
  readiness_.setInterval(askMs);
  connect(&readiness_, &QTimer::timeout, this, [this] {
    const bool ready = current_ && current_->isReady();
    if (ready) bring();
    if (ready || ++asked_ == mostAsked) awaitReadiness(false);
  });
}

View* Navigator::view(const QString& id) const {
  for (View* v : views_)
    if (v->id() == id) return v;
  return nullptr;
}

Place Navigator::here() const {
  if (!current_) return {{}, active_, {}, {}};
  const QWidget* page = pageOf_ ? pageOf_(current_) : nullptr;
  return {current_->id(), active_, current_->state(), page ? seenOf(*page) : QJsonObject()};
}

void Navigator::leave() {
  awaitReadiness(false);
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
  awaitReadiness(false);
  setActive(target.entity);
  if (View* v = view(target.view)) {
    enter(v);
    if (!target.entity.isNull() && v->kinds().contains(target.entity.kind)) v->show(target.entity);
    resume(target);
  }
  Q_EMIT historyChanged();
}

void Navigator::resume(const Place& place) {
  resumed_ = place;
  bring();
  awaitReadiness(!current_->isReady());
}

void Navigator::bring() {
  current_->restore(resumed_.state);
  const QWidget* page = pageOf_ ? pageOf_(current_) : nullptr;
  if (!page) return;
  // A row that is chosen shows its own, and something else may have been looked at last.
  if (chooseRows(*page, resumed_.seen)) current_->restore(resumed_.state);
  scrollTo(*page, resumed_.seen);
}

void Navigator::awaitReadiness(bool await) {
  if (await == readiness_.isActive()) return;
  asked_ = 0;
  if (await) {
    readiness_.start();
    QCoreApplication::instance()->installEventFilter(this);
  } else {
    readiness_.stop();
    QCoreApplication::instance()->removeEventFilter(this);
  }
}

bool Navigator::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
  case QEvent::KeyPress:
  case QEvent::MouseButtonPress:
  case QEvent::Wheel: awaitReadiness(false); break;
  default: break;
  }
  return QObject::eventFilter(watched, event);
}

} // namespace aicf::views
