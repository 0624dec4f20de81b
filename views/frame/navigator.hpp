// The one active entity, the current view, and the way back. A place remembers view, entity, the view's own state, and
// what was seen of its panes.
#pragma once
#include "views/frame/view.hpp"

#include <QObject>
#include <QTimer>

#include <optional>

namespace aicf::views {

struct Place {
  QString view;
  Entity entity;
  QJsonObject state, seen; ///< seen: seenOf()
};

class Navigator : public QObject {
  Q_OBJECT
 public:
  explicit Navigator(QObject* parent = nullptr);

  void setViews(std::vector<View*> views) { views_ = std::move(views); }
  /// Of a view that was shown, its widget; or nothing.
  void setPages(std::function<QWidget*(View*)> pageOf) { pageOf_ = std::move(pageOf); }
  [[nodiscard]] const std::vector<View*>& views() const { return views_; }
  [[nodiscard]] View* view(const QString& id) const;
  [[nodiscard]] View* current() const { return current_; }
  [[nodiscard]] const Entity& active() const { return active_; }

  /// Another view, same entity.
  void goTo(const QString& view);
  /// The view that is home to the entity's kind (the current one where it can), with the entity active. False when no
  /// view shows that kind.
  bool open(const Entity& entity);
  /// The entity becomes active where the user is; linked views follow.
  void activate(const Entity& entity);
  void setLinked(View* view, bool linked);
  /// The current view's own state is about to change much (another tab, another filter): a place to come back to.
  void mark() { leave(); }

  [[nodiscard]] bool canGoBack() const { return !back_.empty(); }
  [[nodiscard]] bool canGoForward() const { return !forward_.empty(); }
  void goBack() { travel(back_, forward_); }
  void goForward() { travel(forward_, back_); }
  [[nodiscard]] Place here() const;
  /// Brings the current view to where it was at a place: now, and again once it has what it then shows, unless the user
  /// did something meanwhile.
  void resume(const Place& place);

 Q_SIGNALS:
  void currentChanged(View* view);
  void activeChanged(const Entity& entity);
  void historyChanged();
  void linkedChanged(View* view);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void bring();
  void awaitReadiness(bool await);
  void leave();
  void enter(View* view);
  void setActive(const Entity& entity);
  void travel(std::vector<Place>& from, std::vector<Place>& to);

  std::vector<View*> views_;
  std::function<QWidget*(View*)> pageOf_;
  View* current_ = nullptr;
  Entity active_;
  std::vector<Place> back_, forward_;
  Place resumed_;
  QTimer readiness_;
  int asked_ = 0;
};

} // namespace aicf::views
