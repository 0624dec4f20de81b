#include "views/screenshots/screenshots.hpp"

#include "views/builder/builder_view.hpp"
#include "views/builder/ledger_pane.hpp"
#include "views/compare/compare_view.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/main_window.hpp"
#include "views/frame/theme.hpp"
#include "views/ops/certificate_pane.hpp"
#include "views/ops/definition_pane.hpp"
#include "views/ops/ops_view.hpp"
#include "views/ops/structure_pane.hpp"
#include "views/runs/runs_view.hpp"
#include "views/start/start_view.hpp"
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
constexpr int width = 1280, height = 800;
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

class Photographer {
 public:
  Photographer(MainWindow& window, QString folder) : window_(window), folder_(std::move(folder)) {}
  bool take(const QString& view) {
    for (const bool dark : {false, true}) {
      theme().setDark(dark);
      // Deferred deletions and layouts first, then the picture.
      QApplication::sendPostedEvents();
      QApplication::processEvents();
      QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
      QApplication::processEvents();
      const QString name =
          QStringLiteral("%1-%2-%3x.png").arg(view, dark ? "dark" : "light").arg(qRound(window_.devicePixelRatioF()));
      if (!window_.grab().save(QDir(folder_).filePath(name))) return false;
    }
    theme().setDark(false);
    return true;
  }

 private:
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
  window.resize(width, height);
  window.show();
  Photographer photographer(window, folder);

  auto* start = viewOf<StartView>(w, "start");
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

  // A text with mistakes, as it looks while typing.
  const QString good = w.subject().text();
  w.subject().edit(QString(good).replace("exp(x[i, j] - m[i]) / l[i]", "exp(x[i, k] - mm[i]) / l[i]"));
  ops->definition()->editor().setText(w.subject().text());
  if (!waitFor([&] { return !w.subject().diagnostics().empty(); }, analysisMs)) return fail("mistakes were not found");
  if (!photographer.take("ops-errors")) return fail("a picture cannot be written");
  ops->definition()->editor().setText(good);
  if (!waitFor([&] { return w.subject().structureIsCurrent() && w.legality().isCurrent(); }, analysisMs))
    return fail("softmax was not analysed again");

  if (!waitFor([&] { return start->machineKnown(); }, analysisMs))
    return fail("the worker did not tell what the machine has");
  w.navigator().goTo("start");
  if (!photographer.take("start")) return fail("a picture cannot be written");

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
  if (!waitFor([&] { return runs->isLoaded(); }, analysisMs)) return fail("the evidence store was not read");
  if (!photographer.take("runs")) return fail("a picture cannot be written");

  w.navigator().goTo("ops");
  window.locator().popUp("norm");
  if (!photographer.take("locator")) return fail("a picture cannot be written");
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
