// A view of the window. One folder a view; adding one touches no other file: it registers itself in one line,
//   static const RegisterView registration{30, [](Workbench& w) { return std::make_unique<BuilderView>(w); }};
// in the order of work. The object is made at start and adds its actions and locator filters then; its widget is made
// when first shown, in the window or beside another view.
//
// What a view paints by itself it repaints on theme().changed(). A click on something that can be active calls
// Workbench::navigator().activate(entity), or Workbench::open(entity) to go where that is at home.
#pragma once
#include "views/frame/entity.hpp"

#include <QJsonObject>
#include <QStringList>

#include <functional>
#include <memory>
#include <vector>

class QWidget;

namespace aicf::views {

class Workbench;

class View {
 public:
  virtual ~View() = default;
  [[nodiscard]] virtual QString id() const = 0; ///< "ops": stable, in links, settings and names of pictures
  [[nodiscard]] virtual QString title() const = 0;
  [[nodiscard]] virtual QString tip() const = 0; ///< one sentence: which question it answers
  [[nodiscard]] virtual QString icon() const { return id(); }
  /// Kinds of entities that a link opens here.
  [[nodiscard]] virtual QStringList kinds() const { return {}; }
  [[nodiscard]] virtual QWidget* widget() = 0; ///< made on first use; owned by its parent widget
  virtual void show(const Entity& entity) = 0; ///< of one of `kinds()`
  /// Selection, filter, scroll: what going back, a session and a link restore. Table::state() gives a table's part.
  [[nodiscard]] virtual QJsonObject state() const { return {}; }
  virtual void restore(const QJsonObject& /*state*/) {}
  /// The selection bus: this became active, here or elsewhere; Workbench::related() knows what goes with it. Not called
  /// while the view is unlinked. May come before `widget()` was made; must return within milliseconds.
  virtual void follow(const Entity& /*active*/) {}
  /// Ctrl+F: the focus goes to the view's own filter. False: it has none.
  virtual bool find() { return false; }
  /// Everything that was asked for is shown: nothing is being read, analysed or drawn. Pictures, tests and the
  /// benchmark wait for it.
  [[nodiscard]] virtual bool isReady() const { return true; }

  /// An unlinked view stays with what it shows; linked again, it follows what is active then. The frame switches it
  /// (Navigator::setLinked).
  [[nodiscard]] bool isLinked() const { return linked_; }

 private:
  friend class Navigator;
  bool linked_ = true;
};

using MakeView = std::function<std::unique_ptr<View>(Workbench&)>;

struct RegisterView {
  RegisterView(int order, MakeView make);
};
/// Of all registered views, by order.
[[nodiscard]] std::vector<MakeView> registeredViews();

} // namespace aicf::views
