#include "views/screenshots/screenshots.hpp"

#include "views/builder/builder_view.hpp"
#include "views/builder/ledger_pane.hpp"
#include "views/compare/compare_view.hpp"
#include "views/frame/layouts.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/main_window.hpp"
#include "views/frame/theme.hpp"
#include "views/graph/graph_view.hpp"
#include "views/ops/certificate_pane.hpp"
#include "views/ops/definition_pane.hpp"
#include "views/ops/gradient_pane.hpp"
#include "views/ops/ops_view.hpp"
#include "views/ops/structure_pane.hpp"
#include "views/primitives/primitives_view.hpp"
#include "views/runs/runs_view.hpp"
#include "views/synthesis/synthesis_form.hpp"
#include "views/synthesis/synthesis_view.hpp"
#include "views/synthesis/variant_detail.hpp"

#include <QApplication>
#include <QDir>
#include <QEventLoop>
#include <QPixmap>
#include <QProcess>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTimer>

#include <cstdio>

namespace aicf::views {
namespace {
constexpr int stepMs = 20, analysisMs = 60'000, synthesisMs = 300'000, scaleMs = 600'000;
constexpr int budget = 4;

/// Runs the event loop until `ready`; false when that took too long.
bool waitFor(const std::function<bool()>& ready, int milliseconds) {
  QEventLoop loop;
  QTimer poll, limit;
  limit.setSingleShot(true);
  QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
    if (ready()) loop.quit();
  });
  QObject::connect(&limit, &QTimer::timeout, &loop, [&loop] { loop.exit(1); });
  poll.start(stepMs);
  limit.start(milliseconds);
  return ready() || loop.exec() == 0;
}

int fail(const char* what) {
  std::fprintf(stderr, "aicf-workbench: --screenshots: %s\n", what);
  return 1;
}

/// The size that a picture's name does not mention.
constexpr QSize plainSize(1280, 800);

class Photographer {
 public:
  Photographer(MainWindow& window, QString folder) : window_(window), folder_(std::move(folder)) {}
  /// Light and dark, in both sizes.
  bool take(const QString& view) {
    for (const QSize size : {QSize(2560, 1440), plainSize}) {
      window_.resize(size);
      for (const bool dark : {false, true}) {
        theme().setDark(dark);
        settle();
        QString name =
            QStringLiteral("%1-%2-%3x").arg(view, dark ? "dark" : "light").arg(qRound(window_.devicePixelRatioF()));
        if (size != plainSize) name += QStringLiteral("-%1x%2").arg(size.width()).arg(size.height());
        if (!window_.grab().save(QDir(folder_).filePath(name + ".png"))) return false;
      }
    }
    theme().setDark(false);
    settle();
    return true;
  }

 private:
  /// Deferred deletions and layouts first, then the picture.
  static void settle() {
    QApplication::sendPostedEvents();
    QApplication::processEvents();
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QApplication::processEvents();
  }
  MainWindow& window_;
  QString folder_;
};

template <class V> V* viewOf(Workbench& w, const char* id) {
  return dynamic_cast<V*>(w.navigator().view(QLatin1String(id)));
}

} // namespace

int screenshots(const QString& folder) {
  if (!QDir().mkpath(folder)) return fail("the folder cannot be made");
  QTemporaryDir temporary;
  WorkbenchOptions options;
  options.settingsFile = temporary.filePath("settings.ini");
  Workbench w(options);
  theme().install(false);
  MainWindow window(w);
  window.resize(plainSize);
  window.show();
  Photographer photographer(window, folder);

  auto* ops = viewOf<OpsView>(w, "ops");
  auto* builder = viewOf<BuilderView>(w, "builder");
  auto* synthesis = viewOf<SynthesisView>(w, "synthesis");
  auto* compare = viewOf<CompareView>(w, "compare");
  auto* runs = viewOf<RunsView>(w, "runs");
  if (!waitFor([&] { return w.library().isLoaded(); }, analysisMs)) return fail("the atlas was not read");
  if (!w.open({"op", "softmax"})) return fail("the atlas has no softmax");
  if (!waitFor([&] { return w.subject().structureIsCurrent() && w.legality().isCurrent() && w.library().isAnalysed(); },
               analysisMs))
    return fail("softmax was not analysed in time");
  ops->structure()->tabs().setCurrentIndex(1);
  if (!photographer.take("ops")) return fail("a picture cannot be written");
  ops->structure()->tabs().setCurrentIndex(StructurePane::GraphTab);
  if (!waitFor([&] { return ops->structure()->graph().isDrawn() || !ops->structure()->graph().problem().isEmpty(); },
               analysisMs))
    return fail("the structure graph was not drawn");
  if (!photographer.take("ops-graph")) return fail("a picture cannot be written");
  ops->structure()->tabs().setCurrentIndex(StructurePane::DerivativeTab);
  if (!waitFor([&] { return ops->structure()->derivative().derived().definition != nullptr; }, analysisMs))
    return fail("softmax was not differentiated");
  if (!photographer.take("ops-derivative")) return fail("a picture cannot be written");
  ops->structure()->tabs().setCurrentIndex(StructurePane::CertificatesTab);

  // A text with mistakes, as it looks while typing.
  const QString good = w.subject().text();
  w.subject().edit(QString(good).replace("exp(x[i, j] - m[i]) / l[i]", "exp(x[i, k] - mm[i]) / l[i]"));
  ops->definition()->editor().setText(w.subject().text());
  if (!waitFor([&] { return !w.subject().diagnostics().empty(); }, analysisMs)) return fail("mistakes were not found");
  if (!photographer.take("ops-errors")) return fail("a picture cannot be written");
  ops->definition()->editor().setText(good);
  if (!waitFor([&] { return w.subject().structureIsCurrent() && w.legality().isCurrent(); }, analysisMs))
    return fail("softmax was not analysed again");

  // Views that need no more than an open operator, whoever wrote them.
  const QStringList staged{"ops", "builder", "synthesis", "compare"};
  for (View* view : w.navigator().views()) {
    if (staged.contains(view->id())) continue;
    w.navigator().goTo(view->id());
    if (!waitFor([&] { return view->isReady(); }, analysisMs))
      return fail(qPrintable(QStringLiteral("the view %1 was not ready in time").arg(view->id())));
    // Those whose contents the synthesis below makes are taken after it.
    if (view->id() != QLatin1String("runs") && !photographer.take(view->id()))
      return fail("a picture cannot be written");
  }
  auto* primitives = viewOf<PrimitivesView>(w, "primitives");
  w.navigator().goTo("primitives");
  for (int tab = 1; tab < primitives->tabs()->count(); ++tab) {
    primitives->tabs()->setCurrentIndex(tab);
    if (!photographer.take(QStringLiteral("primitives-%1").arg(tab))) return fail("a picture cannot be written");
  }
  primitives->tabs()->setCurrentIndex(0);
  w.open({"document", "commands"});
  if (!photographer.take("documents-commands")) return fail("a picture cannot be written");
  if (!w.open({"op", "softmax"})) return fail("the atlas has no softmax");

  w.navigator().goTo("builder");
  w.rules().apply("strictness.arithmetic=reassociated");
  if (!waitFor([&] { return w.legality().isCurrent(); }, analysisMs)) return fail("the rules were not judged");
  builder->ledger()->select("online_state");
  if (!photographer.take("builder")) return fail("a picture cannot be written");
  w.rules().undoStack().undo();
  if (!waitFor([&] { return w.legality().isCurrent(); }, analysisMs)) return fail("the rules were not judged");

  w.navigator().goTo("synthesis");
  synthesis->form()->setBudget(budget);
  w.actions().trigger("synthesis.start");
  if (!waitFor([&] { return w.jobs().find(synthesis->job()) && w.jobs().find(synthesis->job())->isOver(); },
               synthesisMs))
    return fail("the synthesis did not end in time");
  if (!photographer.take("synthesis")) return fail("a picture cannot be written");
  synthesis->detail()->setCurrentIndex(1);
  w.actions().trigger("window.jobs");
  if (!photographer.take("synthesis-checks")) return fail("a picture cannot be written");
  w.actions().trigger("window.jobs");

  const auto& variants = w.variants().all();
  if (variants.size() < 2) return fail("the synthesis gave fewer than two variants");
  w.navigator().goTo("compare");
  compare->choose(variants[0].id, variants[1].id);
  if (!photographer.take("compare")) return fail("a picture cannot be written");

  w.navigator().goTo("runs");
  if (!waitFor([&] { return runs->isReady(); }, analysisMs)) return fail("the evidence store was not read");
  if (!photographer.take("runs")) return fail("a picture cannot be written");

  w.navigator().goTo("ops");
  window.resize(plainSize);
  window.locator().popUp("norm");
  if (!photographer.take("locator")) return fail("a picture cannot be written");
  window.locator().hide();
  w.actions().trigger("help.tour");
  window.layouts().apply(window.layouts().names().at(1));
  w.actions().trigger("window.related");
  if (!photographer.take("layout")) return fail("a picture cannot be written");
  return 0;
}

int screenshotsAtScale(const QString& folder, int scale) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("QT_SCALE_FACTOR", QString::number(scale));
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::ForwardedChannels);
  process.start(QCoreApplication::applicationFilePath(), {"--screenshots", folder, "--one-scale"});
  if (!process.waitForFinished(scaleMs)) {
    process.kill();
    process.waitForFinished();
    return fail("the pictures of the other scale took too long");
  }
  return process.exitStatus() == QProcess::NormalExit ? process.exitCode()
                                                      : fail("the pictures of the other scale failed");
}

} // namespace aicf::views
