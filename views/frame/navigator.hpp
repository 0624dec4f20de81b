// The one active entity, the current view, and the way back. A place remembers view, entity and the view's own state.
#pragma once
#include "views/frame/view.hpp"

#include <QObject>

namespace aicf::views {

struct Place {
  QString view;
  Entity entity;
  QJsonObject state;
};

class Navigator : public QObject {
  Q_OBJECT
 public:
  explicit Navigator(QObject* parent = nullptr) : QObject(parent) {}

  void setViews(std::vector<View*> views) { views_ = std::move(views); }
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

 Q_SIGNALS:
  void currentChanged(View* view);
  void activeChanged(const Entity& entity);
  void historyChanged();
  void linkedChanged(View* view);

 private:
  void leave();
  void enter(View* view);
  void setActive(const Entity& entity);
  void travel(std::vector<Place>& from, std::vector<Place>& to);
  [[nodiscard]] Place here() const;

  std::vector<View*> views_;
  View* current_ = nullptr;
  Entity active_;
  std::vector<Place> back_, forward_;
};

} // namespace aicf::views
