#include "views/frame/main_window.hpp"

#include "views/engine/text.hpp"
#include "views/frame/icons.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/theme.hpp"
#include "views/jobs/jobs_pane.hpp"
#include "views/widgets/panes.hpp"

#include <QAction>
#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace aicf::views {
namespace {
constexpr int railWidth = 78, railIcon = 20;
constexpr auto geometryKey = "window/geometry", stateKey = "window/state", themeKey = "window/dark";

struct Menu {
  const char* id;
  QString title;
};
std::vector<Menu> menus() {
  return {{"file", MainWindow::tr("&File")},
          {"edit", MainWindow::tr("&Edit")},
          {"go", MainWindow::tr("&Go")},
          {"profile", MainWindow::tr("&Profile")},
          {"synthesis", MainWindow::tr("&Synthesis")},
          {"compare", MainWindow::tr("&Compare")},
          {"window", MainWindow::tr("&Window")},
          {"help", MainWindow::tr("&Help")}};
}
} // namespace

MainWindow::MainWindow(Workbench& workbench)
    : workbench_(workbench), stack_(new QStackedWidget), rail_(new QWidget), railButtons_(new QButtonGroup(this)),
      locator_(new Locator(workbench, this)), jobsDock_(new QDockWidget(tr("Jobs"), this)) {
  setWindowTitle(tr("AICF Workbench"));
  setWindowIcon(icon("app"));
  setAcceptDrops(true);
  resize(1280, 800);

  auto* centre = new QWidget;
  auto* layout = new QHBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(rail_);
  layout->addWidget(stack_, 1);
  setCentralWidget(centre);

  jobsDock_->setObjectName("jobs");
  jobsDock_->setWidget(new JobsPane(workbench));
  addDockWidget(Qt::BottomDockWidgetArea, jobsDock_);
  jobsDock_->hide();

  buildRail();
  addActions();
  addFileActions();
  buildMenus();
  buildToolBar();
  buildStatus();

  connect(&workbench_.navigator(), &Navigator::currentChanged, this, &MainWindow::showView);
  connect(&workbench_, &Workbench::said, this, [this](const QString& text) { statusBar()->showMessage(text, 8000); });
  connect(&workbench_, &Workbench::failed, this, [this](const QString& title, const QString& text) {
    auto* box = new QMessageBox(QMessageBox::Warning, title, text, QMessageBox::Ok, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
  restoreGeometry(workbench_.settings().value(geometryKey).toByteArray());
  restoreState(workbench_.settings().value(stateKey).toByteArray());
  if (!workbench_.navigator().current()) workbench_.navigator().goTo(QStringLiteral("start"));
  updateStatus();
}

void MainWindow::showView(View* view) {
  QWidget* page = pages_.value(view);
  if (!page) {
    page = view->widget();
    stack_->addWidget(page);
    pages_.insert(view, page);
  }
  stack_->setCurrentWidget(page);
  page->setFocus();
  if (QAbstractButton* button = railButtons_->button(
          int(std::find(workbench_.navigator().views().begin(), workbench_.navigator().views().end(), view) -
              workbench_.navigator().views().begin())))
    button->setChecked(true);
  setWindowTitle(tr("%1 — AICF Workbench").arg(view->title()));
  workbench_.actions().invalidate();
}

void MainWindow::buildRail() {
  rail_->setObjectName("rail");
  rail_->setAttribute(Qt::WA_StyledBackground);
  rail_->setFixedWidth(railWidth);
  auto* layout = new QVBoxLayout(rail_);
  layout->setContentsMargins(0, 6, 0, 6);
  layout->setSpacing(0);
  railButtons_->setExclusive(true);
  int number = 0;
  for (View* view : workbench_.navigator().views()) {
    auto* button = new QToolButton;
    button->setText(view->title());
    button->setIcon(icon(view->icon()));
    button->setIconSize({railIcon, railIcon});
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setToolTip(view->tip());
    button->setAccessibleName(view->title());
    button->setCheckable(true);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    railButtons_->addButton(button, number++);
    layout->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, id = view->id()] { workbench_.navigator().goTo(id); });
  }
  layout->addStretch(1);
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
           key <= 9 ? QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + key++)) : QKeySequence(),
           {},
           [&n, id = v->id()] { n.goTo(id); },
           [&n, v] { return n.current() == v; }});
  a.add({"edit.find", tr("&Find in View"), tr("The filter of the view that is shown"), "search", QKeySequence::Find,
         [&n] { return n.current() != nullptr; },
         [this, &n] {
           if (!n.current()->find()) workbench_.say(tr("%1 has nothing to filter.").arg(n.current()->title()));
         }});
  a.add({"window.linked", tr("&Linked View"),
         tr("This view follows what is active; unlinked, it stays with what it shows"), "link",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L), [&n] { return n.current() != nullptr; },
         [&n] { n.setLinked(n.current(), !n.current()->isLinked()); },
         [&n] { return n.current() && n.current()->isLinked(); }});
  a.add({"edit.copy-link", tr("Copy &Link"), tr("A link to what is active, for --open and for notes"), "link",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), [&n] { return !n.active().isNull(); },
         [this, &n] {
           QApplication::clipboard()->setText(n.active().uri());
           workbench_.say(tr("Copied %1").arg(n.active().uri()));
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
  a.add({"window.jobs",
         tr("&Jobs"),
         tr("What runs and what ran, with its log"),
         "jobs",
         QKeySequence(Qt::CTRL | Qt::Key_J),
         {},
         [this] { jobsDock_->setVisible(!jobsDock_->isVisible()); },
         [this] { return jobsDock_->isVisible(); }});
  connect(jobsDock_, &QDockWidget::visibilityChanged, &a, &Actions::invalidate);
  a.add({"window.reset", tr("&Reset Layout"), tr("Sizes and docks as they were at first"), {}, {}, {}, [this] {
           jobsDock_->setFloating(false);
           addDockWidget(Qt::BottomDockWidgetArea, jobsDock_);
           jobsDock_->hide();
         }});
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

void MainWindow::buildMenus() {
  Actions& a = workbench_.actions();
  for (const Menu& menu : menus()) {
    QMenu* m = nullptr;
    for (const Action& action : a.all()) {
      if (!action.id.startsWith(QLatin1String(menu.id) + '.')) continue;
      if (!m) m = menuBar()->addMenu(menu.title);
      if (action.id == QLatin1String("file.quit") || action.id == QLatin1String("go.view-start")) m->addSeparator();
      m->addAction(a.find(action.id));
    }
    if (m) {
      m->setToolTipsVisible(true);
      connect(m, &QMenu::aboutToShow, &a, &Actions::refresh);
    }
  }
}

void MainWindow::buildToolBar() {
  Actions& a = workbench_.actions();
  auto* bar = addToolBar(tr("Tools"));
  bar->setObjectName("tools");
  bar->setMovable(false);
  bar->setIconSize({16, 16});
  const auto add = [&](const char* id) {
    if (QAction* action = a.find(QLatin1String(id))) bar->addAction(action);
  };
  add("go.back");
  add("go.forward");
  bar->addSeparator();
  add("file.new");
  add("file.open");
  add("file.save");
  bar->addSeparator();
  add("profile.undo");
  add("profile.redo");
  add("profile.export");
  bar->addSeparator();
  add("synthesis.start");
  add("synthesis.cancel");
  auto* space = new QWidget;
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(space);
  add("go.locator");
  add("window.jobs");
  add("window.theme");
  for (QAction* action : bar->actions())
    if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action)))
      button->setAccessibleName(QString(action->text()).remove('&'));
  if (auto* find = qobject_cast<QToolButton*>(bar->widgetForAction(a.find("go.locator")))) {
    find->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    find->setMinimumWidth(170);
  }
}

void MainWindow::buildStatus() {
  subjectStatus_ = new QLabel;
  legalStatus_ = new QLabel;
  jobsStatus_ = new QLabel;
  for (QLabel* l : {subjectStatus_, legalStatus_, jobsStatus_}) statusBar()->addPermanentWidget(l);
  statusBar()->setSizeGripEnabled(false);
  for (const auto& signal : {&Subject::opened, &Subject::checked, &Subject::analysed, &Subject::modifiedChanged})
    connect(&workbench_.subject(), signal, this, &MainWindow::updateStatus);
  connect(&workbench_.legality(), &Legality::changed, this, &MainWindow::updateStatus);
  connect(&workbench_.jobs(), &Jobs::changed, this, &MainWindow::updateStatus);
}

void MainWindow::updateStatus() {
  const Subject& s = workbench_.subject();
  QString text = tr("no operator");
  if (!s.isEmpty()) {
    std::size_t errors = 0;
    for (const Diagnostic& d : s.diagnostics()) errors += d.severity == Diagnostic::Severity::error ? 1 : 0;
    const QString check = s.isChecking() ? tr("checking") : errors > 0 ? tr("errors: %1").arg(errors) : tr("no errors");
    text = s.name() + (s.isModified() ? QStringLiteral(" *") : QString()) + QStringLiteral("  ·  ") + check;
  }
  subjectStatus_->setText(text);
  const auto space = workbench_.legality().space();
  legalStatus_->setText(
      space ? tr("legal plans: %1 of %2")
                  .arg(number(double(space->space.plans.size())), number(double(space->space.generated)))
            : QString());
  const int running = workbench_.jobs().running();
  jobsStatus_->setText(running > 0 ? tr("jobs running: %1").arg(running) : tr("no jobs running"));
}

void MainWindow::openFile() {
  auto* dialog = new QFileDialog(this, tr("Open"), {}, tr("Operators and profiles (*.op *.json *.acp);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, &workbench_, &Workbench::openFile);
  dialog->open();
}

void MainWindow::save(bool as) {
  const Subject& s = workbench_.subject();
  // The atlas is shared: what came from there is saved under a name of the user's own.
  const bool own = !s.path().isEmpty() && !s.path().startsWith(workbench_.library().folder());
  if (!as && own) {
    workbench_.saveOperator(s.path());
    return;
  }
  auto* dialog = new QFileDialog(this, tr("Save operator"), {}, tr("Operators (*.op)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("op");
  dialog->selectFile(s.name() + ".op");
  connect(dialog, &QFileDialog::fileSelected, &workbench_, &Workbench::saveOperator);
  dialog->open();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  workbench_.settings().setValue(geometryKey, saveGeometry());
  workbench_.settings().setValue(stateKey, saveState());
  for (const Job& job : workbench_.jobs().all()) workbench_.jobs().cancel(job.number);
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) workbench_.openFile(url.toLocalFile());
}

} // namespace aicf::views
