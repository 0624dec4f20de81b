// The frame's own commands. Those of a view are registered by the view.
#include "views/frame/icons.hpp"
#include "views/frame/layouts.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/main_window.hpp"
#include "views/frame/theme.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QInputDialog>
#include <QMessageBox>

namespace aicf::views {
namespace {
constexpr auto themeKey = "window/dark";
}

void MainWindow::addActions() {
  Actions& a = workbench_.actions();
  Navigator& n = workbench_.navigator();
  a.add({"go.back", tr("&Back"), tr("The place before this one, as it was"), "back",
         QKeySequence(Qt::ALT | Qt::Key_Left), [&n] { return n.canGoBack(); }, [&n] { n.goBack(); }});
  a.add({"go.forward", tr("&Forward"), tr("The place that you came back from"), "forward",
         QKeySequence(Qt::ALT | Qt::Key_Right), [&n] { return n.canGoForward(); }, [&n] { n.goForward(); }});
  a.add({"go.locator",
         tr("Find &Anything…"),
         tr("Operators, views, transformations, rules, variants and jobs by name"),
         "search",
         QKeySequence(Qt::CTRL | Qt::Key_K),
         {},
         [this] { locator_->popUp({}); }});
  a.add({"go.palette",
         tr("&Command Palette…"),
         tr("Every command by name"),
         "command",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
         {},
         [this] { locator_->popUp(QStringLiteral("> ")); }});
  int key = 1;
  for (View* v : n.views())
    a.add({"go.view-" + v->id(),
           v->title(),
           v->tip(),
           v->icon(),
           key <= 10 ? QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + key++ % 10)) : QKeySequence(),
           {},
           [&n, id = v->id()] { n.goTo(id); },
           [&n, v] { return n.current() == v; }});
}

void MainWindow::addEditActions() {
  Actions& a = workbench_.actions();
  Navigator& n = workbench_.navigator();
  a.add({"edit.find", tr("&Find in View"), tr("The filter of the view that is shown"), "search", QKeySequence::Find,
         [&n] { return n.current() != nullptr; },
         [this, &n] {
           if (!n.current()->find()) workbench_.say(tr("%1 has nothing to filter.").arg(n.current()->title()));
         }});
  a.add({"edit.copy-link", tr("Copy &Link"), tr("A link to what is active, for --open and for notes"), "link",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), [&n] { return !n.active().isNull(); },
         [this, &n] {
           QApplication::clipboard()->setText(n.active().uri());
           workbench_.say(tr("Copied %1").arg(n.active().uri()));
         }});
}

void MainWindow::addWindowActions() {
  Actions& a = workbench_.actions();
  Navigator& n = workbench_.navigator();
  const auto pane = [&](const QString& id, const QString& text, const QString& tip, const QString& icon, int key,
                        QDockWidget* dock) {
    a.add({id,
           text,
           tip,
           icon,
           QKeySequence(key),
           {},
           [dock] { dock->setVisible(!dock->isVisible()); },
           [dock] { return dock->isVisible(); }});
    connect(dock, &QDockWidget::visibilityChanged, &a, &Actions::invalidate);
  };
  pane("window.jobs", tr("&Jobs"), tr("What runs and what ran, with its log"), "jobs",
       (Qt::CTRL | Qt::Key_J).toCombined(), jobsDock_);
  pane("window.related", tr("What &Goes Together"),
       tr("Operators, properties, transformations, primitives and metrics that go with what is active"), "related",
       (Qt::CTRL | Qt::Key_G).toCombined(), relatedDock_);
  a.add({"window.linked", tr("&Linked View"),
         tr("This view follows what is active; unlinked, it stays with what it shows"), "link",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L), [&n] { return n.current() != nullptr; },
         [&n] { n.setLinked(n.current(), !n.current()->isLinked()); },
         [&n] { return n.current() && n.current()->isLinked(); }});
  a.add({"window.beside", tr("View &Beside"), tr("This view in a dock beside another one, or back in the middle"),
         "beside", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return), [&n] { return n.current() != nullptr; },
         [this, &n] { layouts_->setBeside(n.current(), !layouts_->isBeside(n.current())); },
         [this, &n] { return n.current() && layouts_->isBeside(n.current()); }});
  connect(layouts_, &Layouts::changed, &a, &Actions::invalidate);
  a.add({"window.layouts",
         tr("Layo&uts…"),
         tr("Arrangements of views and docks by name: choose one, or keep the present one"),
         {},
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O),
         {},
         [this] { locator_->popUp(QStringLiteral("l ")); }});
  a.add({"window.save-layout", tr("&Keep Layout…"), tr("The present arrangement under a name"), {}, {}, {}, [this] {
           auto* dialog = new QInputDialog(this);
           dialog->setAttribute(Qt::WA_DeleteOnClose);
           dialog->setWindowTitle(tr("Keep layout"));
           dialog->setLabelText(tr("Name of this arrangement of views and docks"));
           connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& name) {
             if (!name.trimmed().isEmpty()) layouts_->save(name.trimmed());
           });
           dialog->open();
         }});
  a.add({"window.reset", tr("&Reset Layout"), tr("Sizes and docks as they were at first"), {}, {}, {}, [this] {
           layouts_->reset();
         }});
  a.add({"window.theme",
         tr("&Dark Colours"),
         tr("Light or dark, in every pane"),
         "theme",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D),
         {},
         [this] {
           theme().setDark(!theme().isDark());
           workbench_.settings().setValue(themeKey, theme().isDark());
         },
         [] { return theme().isDark(); }});
  a.add({"help.about", tr("&About AICF Workbench"), tr("Version and licences"), "app", {}, {}, [this] {
           auto* box = new QMessageBox(
               QMessageBox::NoIcon, tr("About AICF Workbench"),
               tr("AICF Workbench %1\n\nGPU optimisation as structure: what an operator computes, which "
                  "transformations keep its meaning, and the kernels that follow.\n\nGPL-3.0-or-later. "
                  "Fonts: Inter (OFL 1.1), JetBrains Mono (Apache 2.0).")
                   .arg(QStringLiteral(AICF_VERSION)),
               QMessageBox::Ok, this);
           box->setAttribute(Qt::WA_DeleteOnClose);
           box->open();
         }});
}

void MainWindow::addLayoutFilter() {
  workbench_.addFilter({"layouts", "l ", tr("Layouts"),
                        [this] {
                          std::vector<LocatorEntry> out;
                          for (const QString& name : layouts_->names())
                            out.push_back({name, tr("views and docks as they stand under this name"), tr("layout"),
                                           "beside", [this, name] { layouts_->apply(name); }});
                          return out;
                        },
                        5, false});
}

void MainWindow::addFileActions() {
  Actions& a = workbench_.actions();
  const auto hasSubject = [this] { return !workbench_.subject().isEmpty(); };
  a.add({"file.new",
         tr("&New Operator"),
         tr("A definition of your own, analysed as you type"),
         "new",
         QKeySequence::New,
         {},
         [this] { workbench_.newOperator(); }});
  a.add({"file.open",
         tr("&Open…"),
         tr("An operator (.op) or a compiler profile (.json, .acp)"),
         "open",
         QKeySequence::Open,
         {},
         [this] { openFile(); }});
  a.add({"file.save", tr("&Save Operator"), tr("The definition, as a .op file"), "save", QKeySequence::Save,
         [this, hasSubject] {
           return hasSubject() && (workbench_.subject().isModified() || workbench_.subject().path().isEmpty());
         },
         [this] { save(false); }});
  a.add({"file.save-as",
         tr("Save Operator &As…"),
         tr("The definition under another name"),
         {},
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
         hasSubject,
         [this] { save(true); }});
  a.add({"file.quit",
         tr("&Quit"),
         tr("Running jobs are cancelled; what they finished is kept"),
         {},
         QKeySequence(Qt::CTRL | Qt::Key_Q),
         {},
         [this] { close(); }});
}

} // namespace aicf::views
