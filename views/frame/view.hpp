// A view of the window. One folder a view; adding one touches no other file: it registers itself in one line,
//   static const RegisterView registration{30, [](Workbench& w) { return std::make_unique<BuilderView>(w); }};
// in the order of work. The object is made at start and adds its actions then; its widget is made when first shown.
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
  /// Selection, filter, scroll: what going back restores.
  [[nodiscard]] virtual QJsonObject state() const { return {}; }
  virtual void restore(const QJsonObject& /*state*/) {}
};

using MakeView = std::function<std::unique_ptr<View>(Workbench&)>;

struct RegisterView {
  RegisterView(int order, MakeView make);
};
/// Of all registered views, by order.
[[nodiscard]] std::vector<MakeView> registeredViews();

} // namespace aicf::views
