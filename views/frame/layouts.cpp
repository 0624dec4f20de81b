#include "views/frame/layouts.hpp"

#include <QDockWidget>
#include <QJsonArray>
#include <QJsonDocument>
#include <QScrollArea>
#include <QStackedWidget>

#include <algorithm>

namespace aicf::views {
namespace {
constexpr auto settingsGroup = "layouts/";

struct BuiltIn {
  QString name, middle;
  QStringList beside, panes;
};
std::vector<BuiltIn> builtIns() {
  return {{Layouts::tr("One view"), {}, {}, {}},
          {Layouts::tr("Operator and rules"), QStringLiteral("ops"), {QStringLiteral("builder")}, {}},
          {Layouts::tr("Kernels and jobs"), QStringLiteral("synthesis"), {}, {QStringLiteral("jobs")}},
          {Layouts::tr("What goes together"), QStringLiteral("ops"), {}, {QStringLiteral("related")}}};
}
/// A dock's content scrolls where the dock is small: else the window would grow beyond the screen with each dock.
QScrollArea* scrolled(QWidget* content) {
  auto* area = new QScrollArea;
  area->setFrameShape(QFrame::NoFrame);
  area->setWidgetResizable(true);
  area->setWidget(content);
  return area;
}
} // namespace

Layouts::Layouts(QMainWindow& window, QStackedWidget& stack, Workbench& workbench)
    : QObject(&window), window_(window), stack_(stack), workbench_(workbench) {
  window.setDockNestingEnabled(true);
}

QDockWidget* Layouts::addPane(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, &window_);
  dock->setObjectName(id);
  dock->setWidget(scrolled(content));
  window_.addDockWidget(area, dock);
  dock->hide();
  panes_.insert(id, {dock, area});
  connect(dock, &QDockWidget::visibilityChanged, this, &Layouts::changed);
  return dock;
}

QWidget* Layouts::pageOf(View* view) {
  QWidget*& page = pages_[view];
  if (!page) {
    page = view->widget();
    stack_.addWidget(page);
  }
  return page;
}

void Layouts::show(View* view) {
  QWidget* page = pageOf(view);
  if (QDockWidget* dock = docks_.value(view->id())) {
    dock->show();
    dock->raise();
  } else {
    middle_ = view;
    stack_.setCurrentWidget(page);
  }
  page->setFocus();
}

void Layouts::showInMiddle() {
  // What left the middle is followed by whatever is not beside; there is always one.
  if (middle_ && !isBeside(middle_)) {
    stack_.setCurrentWidget(pageOf(middle_));
    return;
  }
  for (View* view : workbench_.navigator().views())
    if (!isBeside(view)) {
      middle_ = view;
      stack_.setCurrentWidget(pageOf(view));
      return;
    }
}

void Layouts::setBeside(View* view, bool beside) {
  if (beside == isBeside(view)) return;
  if (beside && docks_.size() + 1 >= qsizetype(workbench_.navigator().views().size())) return;
  QWidget* page = pageOf(view);
  if (beside) {
    auto* dock = new QDockWidget(view->title(), &window_);
    dock->setObjectName("view-" + view->id());
    docks_.insert(view->id(), dock);
    stack_.removeWidget(page);
    dock->setWidget(scrolled(page));
    page->show();
    window_.addDockWidget(Qt::RightDockWidgetArea, dock);
    window_.resizeDocks({dock}, {window_.width() / 2}, Qt::Horizontal);
    // Its close button puts the view back in the middle; hiding behind a tab does not close.
    connect(dock, &QDockWidget::visibilityChanged, this, [this, view, dock] {
      if (dock->isHidden() && docks_.value(view->id()) == dock && window_.isVisible())
        QMetaObject::invokeMethod(
            this, [this, view] { setBeside(view, false); }, Qt::QueuedConnection);
    });
    showInMiddle();
  } else {
    QDockWidget* dock = docks_.take(view->id());
    static_cast<QScrollArea*>(dock->widget())->takeWidget();
    stack_.addWidget(page);
    // It lives until the event loop comes round, and no longer is the window's: its name may be taken again by then.
    window_.removeDockWidget(dock);
    dock->setParent(nullptr);
    dock->deleteLater();
    if (workbench_.navigator().current() == view) show(view);
  }
  Q_EMIT changed();
}

void Layouts::reset() {
  for (View* view : workbench_.navigator().views()) setBeside(view, false);
  for (const Pane& pane : std::as_const(panes_)) {
    pane.dock->setFloating(false);
    window_.addDockWidget(pane.area, pane.dock);
    pane.dock->hide();
  }
  if (View* current = workbench_.navigator().current()) show(current);
  Q_EMIT changed();
}

QStringList Layouts::names() const {
  QStringList out;
  for (const BuiltIn& b : builtIns()) out << b.name;
  QSettings& settings = workbench_.settings();
  settings.beginGroup("layouts");
  for (const QString& name : settings.childKeys()) out << name;
  settings.endGroup();
  return out;
}

void Layouts::apply(const QString& name) {
  for (const BuiltIn& b : builtIns()) {
    if (b.name != name) continue;
    reset();
    if (!b.middle.isEmpty()) workbench_.navigator().goTo(b.middle);
    for (const QString& id : b.beside)
      if (View* view = workbench_.navigator().view(id)) setBeside(view, true);
    for (const QString& id : b.panes) panes_.value(id).dock->show();
    return;
  }
  const QByteArray kept = workbench_.settings().value(settingsGroup + name).toByteArray();
  if (!kept.isEmpty()) restore(QJsonDocument::fromJson(kept).object());
}

void Layouts::save(const QString& name) {
  workbench_.settings().setValue(settingsGroup + QString(name).replace('/', ' '),
                                 QJsonDocument(state()).toJson(QJsonDocument::Compact));
  Q_EMIT changed();
}

void Layouts::remove(const QString& name) {
  workbench_.settings().remove(settingsGroup + name);
  Q_EMIT changed();
}

QJsonObject Layouts::state() const {
  // In the order of the views: QMainWindow does not keep the order in which docks share a tab bar.
  QJsonArray beside;
  for (View* view : workbench_.navigator().views())
    if (isBeside(view)) beside.append(view->id());
  return {{"beside", beside},
          {"middle", middle_ ? middle_->id() : QString()},
          {"window", QString::fromLatin1(window_.saveState().toBase64())}};
}

void Layouts::restore(const QJsonObject& state) {
  const QJsonArray beside = state.value("beside").toArray();
  for (View* view : workbench_.navigator().views()) setBeside(view, beside.contains(view->id()));
  if (View* view = workbench_.navigator().view(state.value("middle").toString()); view && !isBeside(view)) {
    middle_ = view;
    showInMiddle();
  }
  window_.restoreState(QByteArray::fromBase64(state.value("window").toString().toLatin1()));
  Q_EMIT changed();
}

} // namespace aicf::views
