// No text is cut, none overlaps another: all visible widgets of all views at two sizes of the window, at one, two and
// three times the pixels, light and dark. Each scale is a process of its own, since Qt reads it once.
#include "tests/views/fake_worker.hpp"
#include "views/charts/chart_pane.hpp"
#include "views/compare/compare_view.hpp"
#include "views/frame/layouts.hpp"
#include "views/frame/main_window.hpp"
#include "views/frame/theme.hpp"
#include "views/ops/ops_view.hpp"
#include "views/ops/structure_pane.hpp"
#include "views/primitives/primitives_view.hpp"
#include "views/synthesis/synthesis_view.hpp"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QScrollArea>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>

using namespace aicf;
using namespace aicf::views;

namespace {
constexpr int patience = 60'000, scaleMs = 240'000;
constexpr int pointerRoom = 4; ///< between a text and the edge of what holds it

QString textOf(const QWidget* w) {
  if (const auto* l = qobject_cast<const QLabel*>(w)) return l->text();
  if (const auto* b = qobject_cast<const QAbstractButton*>(w)) return b->text();
  if (const auto* c = qobject_cast<const QComboBox*>(w)) return c->currentText();
  return {};
}

bool isElided(const QWidget* w) {
  return dynamic_cast<const ElidedLabel*>(w) || dynamic_cast<const ElidedCheckBox*>(w);
}

/// Whether something between the widget and the window scrolls.
bool scrolls(const QWidget* w) {
  for (const QWidget* p = w->parentWidget(); p; p = p->parentWidget())
    if (qobject_cast<const QAbstractScrollArea*>(p) || qobject_cast<const QTabBar*>(p)) return true;
  return false;
}

class Walk {
 public:
  Walk(const QWidget& window, QString where) : window_(window), where_(std::move(where)) {}

  QStringList run() {
    for (const QWidget* w : window_.findChildren<QWidget*>()) {
      if (!w->isVisible() || w->visibleRegion().isEmpty()) continue;
      label(w);
      button(w);
      combo(w);
      heading(w);
      tabs(w);
      edge(w);
    }
    overlaps();
    return problems_;
  }

 private:
  void fault(const QWidget* w, const QString& what) {
    problems_ << QStringLiteral("%1: “%2” (%3) %4")
                     .arg(where_, textOf(w).left(60), QString::fromLatin1(w->metaObject()->className()), what);
  }

  void label(const QWidget* w) {
    const auto* l = qobject_cast<const QLabel*>(w);
    if (!l || l->text().isEmpty() || isElided(w)) return;
    if (l->wordWrap()) {
      if (l->heightForWidth(l->width()) > l->height() + 1) fault(w, "needs more lines than it has");
    } else if (l->width() < l->minimumSizeHint().width() || l->height() + 1 < l->minimumSizeHint().height()) {
      fault(w, QStringLiteral("has %1x%2, needs %3x%4")
                   .arg(l->width())
                   .arg(l->height())
                   .arg(l->minimumSizeHint().width())
                   .arg(l->minimumSizeHint().height()));
    }
  }
  void button(const QWidget* w) {
    const auto* b = qobject_cast<const QAbstractButton*>(w);
    if (!b || b->text().isEmpty() || isElided(w)) return;
    if (b->width() < b->minimumSizeHint().width() || b->height() + 1 < b->minimumSizeHint().height())
      fault(w, QStringLiteral("has %1, needs %2").arg(b->width()).arg(b->minimumSizeHint().width()));
  }
  void combo(const QWidget* w) {
    const auto* c = qobject_cast<const QComboBox*>(w);
    if (!c) return;
    if (c->fontMetrics().horizontalAdvance(c->currentText()) > c->width() - 20 && c->toolTip().isEmpty())
      fault(w, "shows less than its text and has no tool tip");
  }
  void heading(const QWidget* w) {
    const auto* h = qobject_cast<const QHeaderView*>(w);
    if (!h || h->orientation() != Qt::Horizontal || !h->model() || !qobject_cast<const Table*>(h->parentWidget()))
      return;
    for (int i = 0; i < h->count(); ++i) {
      const QString text = h->model()->headerData(i, Qt::Horizontal).toString();
      if (!h->isSectionHidden(i) && h->sectionSize(i) < h->fontMetrics().horizontalAdvance(text) + pointerRoom)
        fault(w, "heading “" + text + "” is cut");
    }
  }
  void tabs(const QWidget* w) {
    const auto* bar = qobject_cast<const QTabBar*>(w);
    if (!bar) return;
    for (int i = 0; i < bar->count(); ++i)
      if (bar->tabRect(i).width() < bar->fontMetrics().horizontalAdvance(bar->tabText(i)))
        fault(w, "tab “" + bar->tabText(i) + "” is cut");
    // Where the bar scrolls, its arrows lead to the rest.
    if (bar->count() > 0 && !bar->usesScrollButtons() && bar->tabRect(bar->count() - 1).right() > bar->width() + 1 &&
        !qobject_cast<const QMainWindow*>(bar->parentWidget()))
      fault(w, "tabs do not fit: “" + bar->tabText(bar->count() - 1) + "” is outside");
  }
  /// Nothing with text hangs over what holds it where nothing scrolls.
  void edge(const QWidget* w) {
    const QWidget* parent = w->parentWidget();
    if (!parent || textOf(w).isEmpty() || scrolls(w)) return;
    if (w->geometry().right() > parent->width() || w->geometry().bottom() > parent->height() || w->x() < 0 ||
        w->y() < 0)
      fault(w, "hangs over the edge of " + QString::fromLatin1(parent->metaObject()->className()));
  }
  void overlaps() {
    QList<const QWidget*> texts;
    for (const QWidget* w : window_.findChildren<QWidget*>()) {
      const bool holdsText =
          !textOf(w).isEmpty() || qobject_cast<const QLineEdit*>(w) || qobject_cast<const QAbstractSpinBox*>(w);
      if (w->isVisible() && holdsText && !w->visibleRegion().isEmpty()) texts << w;
    }
    for (int i = 0; i < texts.size(); ++i)
      for (int j = i + 1; j < texts.size(); ++j) {
        const QWidget *a = texts[i], *b = texts[j];
        if (a->window() != b->window() || a->isAncestorOf(b) || b->isAncestorOf(a)) continue;
        const QRect first = a->visibleRegion().boundingRect().translated(a->mapTo(&window_, QPoint()));
        const QRect second = b->visibleRegion().boundingRect().translated(b->mapTo(&window_, QPoint()));
        if (first.adjusted(1, 1, -1, -1).intersects(second.adjusted(1, 1, -1, -1)))
          fault(a, "overlaps “" + textOf(b).left(60) + "”");
      }
  }

  const QWidget& window_;
  QString where_;
  QStringList problems_;
};

} // namespace

class TestFit : public QObject {
  Q_OBJECT
  bool inner_;

 public:
  explicit TestFit(bool inner) : inner_(inner) {}

 private Q_SLOTS:
  void everyScale() {
    if (inner_) QSKIP("the scale is set from outside");
    for (const int scale : {2, 3}) {
      QProcess process;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert("QT_SCALE_FACTOR", QString::number(scale));
      process.setProcessEnvironment(environment);
      process.setProcessChannelMode(QProcess::MergedChannels);
      process.start(QCoreApplication::applicationFilePath(), {"--inner"});
      QVERIFY(process.waitForFinished(scaleMs));
      QVERIFY2(
          process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
          qPrintable(QStringLiteral("at %1x:\n%2").arg(scale).arg(QString::fromUtf8(process.readAll().right(6000)))));
    }
  }

  void nothingIsCutAndNothingOverlaps() {
    QTemporaryDir folder;
    qputenv("AICF_STORE", folder.filePath("evidence.sqlite").toUtf8());
    WorkbenchOptions options;
    options.targets = fakeTargets("good");
    options.settingsFile = folder.filePath("settings.ini");
    Workbench w(options);
    theme().install(false);
    MainWindow window(w);
    window.show();
    QTRY_VERIFY_WITH_TIMEOUT(w.library().isLoaded(), patience);
    QStringList problems;
    const auto look = [&](const QString& what) {
      (void)QTest::qWaitFor([&] { return w.jobs().running() == 0; }, patience);
      for (const QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
        window.resize(size);
        QTest::qWait(30);
        QCoreApplication::processEvents();
        problems << Walk(window, QStringLiteral("%1 at %2x%3").arg(what).arg(size.width()).arg(size.height())).run();
      }
    };
    w.navigator().goTo("start");
    look("start, nothing open");
    w.navigator().goTo("ops");
    look("ops, nothing open");
    w.navigator().goTo("builder");
    look("builder, nothing open");
    QVERIFY(w.open({"op", "softmax"}));
    QTRY_VERIFY_WITH_TIMEOUT(w.subject().structureIsCurrent() && w.legality().isCurrent(), patience);
    QVERIFY(w.actions().trigger("synthesis.start"));
    QTRY_VERIFY_WITH_TIMEOUT(w.variants().all().size() == 2 && w.jobs().running() == 0, patience);
    dynamic_cast<CompareView*>(w.navigator().view("compare"))->choose("v0", "v1");
    for (View* view : w.navigator().views()) {
      w.navigator().goTo(view->id());
      QTRY_VERIFY_WITH_TIMEOUT(view->isReady(), patience);
      // Every page of every set of tabs.
      look(view->id());
      for (auto* tabs : view->widget()->findChildren<QTabWidget*>()) {
        if (!tabs->isVisible()) continue;
        for (int i = 1; i < tabs->count(); ++i) {
          tabs->setCurrentIndex(i);
          look(QStringLiteral("%1, tab %2").arg(view->id(), tabs->tabText(i)));
        }
        tabs->setCurrentIndex(0);
      }
    }
    // Panes of the frame, and the Compiler in a narrow dock.
    w.actions().trigger("window.jobs");
    w.actions().trigger("window.related");
    w.actions().trigger("help.tour");
    w.navigator().goTo("ops");
    look("ops with panes and a notice");
    w.actions().trigger("window.jobs");
    w.actions().trigger("window.related");
    window.layouts().setBeside(w.navigator().view("builder"), true);
    auto* dock = window.findChild<QDockWidget*>("view-builder");
    QVERIFY(dock);
    window.resizeDocks({dock}, {200}, Qt::Horizontal);
    look("builder in a narrow dock");
    // No layout makes the window larger than the screen that it fitted.
    const QSize before(1280, 800);
    window.layouts().reset();
    window.resize(before);
    for (const QString& name : window.layouts().names()) {
      window.layouts().apply(name);
      QCoreApplication::processEvents();
      if (window.size() != before)
        problems << QStringLiteral("the window is %1x%2 by the layout %3")
                        .arg(window.width())
                        .arg(window.height())
                        .arg(name);
    }
    // Where there is room, a view beside has its half, whatever pane stood there before it.
    window.layouts().reset();
    window.resize(2560, 1440);
    w.actions().trigger("window.related");
    QCoreApplication::processEvents();
    window.layouts().setBeside(w.navigator().view("builder"), true);
    QTRY_VERIFY(window.findChild<QDockWidget*>("view-builder")->width() > 2560 / 3);
    problems.removeDuplicates();
    QVERIFY2(problems.isEmpty(),
             qPrintable(QStringLiteral("%1 faults:\n%2").arg(problems.size()).arg(problems.mid(0, 40).join('\n'))));
  }
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const bool inner = argc > 1 && QByteArray(argv[1]) == "--inner";
  TestFit test(inner);
  char* only[] = {argv[0], nullptr};
  return inner ? QTest::qExec(&test, 1, only) : QTest::qExec(&test, argc, argv);
}
#include "test_fit.moc"
