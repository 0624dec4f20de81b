#include "views/frame/main_window.hpp"

#include "views/engine/text.hpp"
#include "views/frame/icons.hpp"
#include "views/frame/layouts.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/notice.hpp"
#include "views/frame/outside.hpp"
#include "views/frame/related_pane.hpp"
#include "views/frame/session.hpp"
#include "views/frame/theme.hpp"
#include "views/jobs/jobs_pane.hpp"
#include "views/widgets/panes.hpp"

#include <QAction>
#include <QApplication>
#include <QButtonGroup>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPointer>
#include <QProgressBar>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace aicf::views {
namespace {
constexpr int railWidth = 92, railIcon = 20, progressWidth = 120, saidMs = 8000;
constexpr auto geometryKey = "window/geometry";

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
    : workbench_(workbench), stack_(new QStackedWidget), rail_(new QFrame), railButtons_(new QButtonGroup(this)),
      locator_(new Locator(workbench, this)), notices_(new NoticeBar), layouts_(new Layouts(*this, *stack_, workbench)),
      session_(new Session(workbench, *layouts_, this)) {
  setWindowTitle(tr("AICF Workbench"));
  setWindowIcon(icon("app"));
  setAcceptDrops(true);
  resize(1280, 800);

  auto* centre = new QWidget;
  auto* layout = new QHBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(rail_);
  auto* middle = new QVBoxLayout;
  middle->setSpacing(0);
  middle->addWidget(notices_);
  middle->addWidget(stack_, 1);
  layout->addLayout(middle, 1);
  setCentralWidget(centre);

  jobsDock_ = layouts_->addPane(QStringLiteral("jobs"), tr("Jobs"), new JobsPane(workbench), Qt::BottomDockWidgetArea);
  relatedDock_ = layouts_->addPane(QStringLiteral("related"), tr("What goes together"), new RelatedPane(workbench),
                                   Qt::RightDockWidgetArea);

  buildRail();
  addActions();
  addEditActions();
  addWindowActions();
  addFileActions();
  addLayoutFilter();
  buildMenus();
  buildToolBar();
  buildStatus();

  workbench_.navigator().setPages(
      [layouts = QPointer(layouts_)](View* view) { return layouts ? layouts->pageOf(view) : nullptr; });
  connect(&workbench_.navigator(), &Navigator::currentChanged, this, &MainWindow::showView);
  connect(&workbench_, &Workbench::said, this, [this](const QString& text) { say(text); });
  connect(&workbench_, &Workbench::failed, this, [this](const QString& title, const QString& text) {
    auto* box = new QMessageBox(QMessageBox::Warning, title, text, QMessageBox::Ok, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
  connect(&workbench_, &Workbench::noticed, notices_, &NoticeBar::add);
  connect(&workbench_, &Workbench::unnoticed, notices_, &NoticeBar::remove);
  if (const auto& problems = workbench_.jobs().targets().problems; !problems.empty()) {
    QStringList lines;
    for (const Diagnostic& d : problems) lines << qs(format(d)).trimmed();
    notices_->add({QStringLiteral("targets"),
                   tr("Jobs run on this machine alone: the file of targets cannot be used. %1").arg(lines.join('\n')),
                   {}});
  }
  new Outside(workbench, this);
  restoreGeometry(workbench_.settings().value(geometryKey).toByteArray());
  if (!workbench_.navigator().current()) workbench_.navigator().goTo(QStringLiteral("start"));
  updateStatus();
}

void MainWindow::showView(View* view) {
  layouts_->show(view);
  if (QAbstractButton* button = railButtons_->button(
          int(std::find(workbench_.navigator().views().begin(), workbench_.navigator().views().end(), view) -
              workbench_.navigator().views().begin())))
    button->setChecked(true);
  setWindowTitle(tr("%1 — AICF Workbench").arg(view->title()));
  workbench_.actions().invalidate();
}

void MainWindow::buildRail() {
  setRole(*rail_, "rail");
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

void MainWindow::buildMenus() {
  Actions& a = workbench_.actions();
  for (const Menu& menu : menus()) {
    QMenu* m = nullptr;
    for (const Action& action : a.all()) {
      if (!action.id.startsWith(QLatin1String(menu.id) + '.')) continue;
      if (!m) m = menuBar()->addMenu(menu.title);
      if (action.id == QLatin1String("file.quit")) {
        recent_ = m->addMenu(tr("Open &Recent"));
        connect(recent_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
      }
      if (action.id == QLatin1String("file.quit") || action.id == QLatin1String("go.view-start")) m->addSeparator();
      m->addAction(a.find(action.id));
    }
    if (m) {
      m->setToolTipsVisible(true);
      connect(m, &QMenu::aboutToShow, &a, &Actions::refresh);
    }
  }
}

void MainWindow::fillRecent() {
  recent_->clear();
  for (const QString& uri : workbench_.recent()) {
    const auto entity = Entity::fromUri(uri);
    if (!entity) continue;
    const bool isFile = entity->kind == QLatin1String("profile");
    recent_->addAction(isFile ? QFileInfo(entity->id).fileName() : entity->id, this, [this, isFile, e = *entity] {
      if (isFile)
        workbench_.openFile(e.id);
      else if (!workbench_.open(e))
        workbench_.say(tr("%1 is not in the library any more.").arg(e.id));
    });
  }
  if (recent_->isEmpty()) recent_->addAction(tr("nothing yet"))->setEnabled(false);
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
  add("window.linked");
  add("window.beside");
  add("window.related");
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
  for (QLabel** l : {&subjectStatus_, &legalStatus_, &jobsStatus_}) {
    *l = label({}, "muted");
    (*l)->setContentsMargins(6, 0, 6, 0);
  }
  progress_ = new QProgressBar;
  progress_->setAccessibleName(tr("Progress of the running jobs"));
  progress_->setFixedWidth(progressWidth);
  progress_->setTextVisible(false);
  progress_->hide();
  for (QLabel* l : {subjectStatus_, legalStatus_}) statusBar()->addPermanentWidget(l);
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(jobsStatus_);
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
  updateProgress();
}

/// Steps done of all, over the jobs that run; without end while none of them knows how many there are.
void MainWindow::updateProgress() {
  qint64 done = 0, total = 0;
  for (const Job& job : workbench_.jobs().all()) {
    if (job.isOver()) continue;
    done += job.done;
    total += job.total;
  }
  progress_->setVisible(workbench_.jobs().running() > 0);
  progress_->setRange(0, int(total));
  progress_->setValue(int(done));
}

void MainWindow::openFile() {
  auto* dialog =
      new QFileDialog(this, tr("Open"), {}, tr("Operators, profiles, arrays (*.op *.json *.acp *.npy);;All files (*)"));
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

void MainWindow::say(const QString& text) {
  said_.start();
  statusBar()->showMessage(text, saidMs);
}

/// The tip of whatever the mouse comes over must not take away what was just said.
bool MainWindow::event(QEvent* event) {
  const bool stays = event->type() == QEvent::StatusTip && said_.isValid() && said_.elapsed() < saidMs;
  return stays || QMainWindow::event(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  workbench_.settings().setValue(geometryKey, saveGeometry());
  session_->save();
  for (const Job& job : workbench_.jobs().all()) workbench_.jobs().cancel(job.number);
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) workbench_.openFile(url.toLocalFile());
}

} // namespace aicf::views
