#include "views/screenshots/bench.hpp"

#include "core/evidence/store.hpp"
#include "views/engine/text.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/main_window.hpp"
#include "views/frame/theme.hpp"

#include <nlohmann/json.hpp>

#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace aicf::views {
namespace {
constexpr int waitMs = 60'000;
constexpr std::size_t benchRows = 100'000;

/// Runs the event loop until `ready`; how long that took, or a negative number when it took too long.
double until(const std::function<bool()>& ready) {
  QElapsedTimer timer;
  timer.start();
  while (!ready()) {
    if (timer.elapsed() > waitMs) return -1;
    QApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 20);
  }
  return double(timer.nsecsElapsed()) / 1e6;
}

/// A store as a diligent user has it: few kinds, many shapes.
QString fillStore(const QString& path, std::size_t rows) {
  auto store = Store::open(path.toStdString());
  if (!store) return qs(store.diagnostics.front().message);
  std::vector<Store::Row> all(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    Evidence& e = all[i].evidence;
    e.key.kind = i % 3 == 0 ? "compile" : i % 3 == 1 ? "validate" : "time";
    e.key.shape = "M=" + std::to_string(1 + i % 977) + ",N=" + std::to_string(1 + i / 977);
    e.key.dtype = i % 2 == 0 ? "bf16" : "f32";
    e.key.device = "emulator";
    e.started = utc_now();
    e.status = i % 11 == 0 ? "failed" : "ok";
    e.command = "aicf synth row" + std::to_string(i);
    e.seconds = double(i % 97) / 10;
    e.metrics = {exact_metric("global_load_sectors", "sectors", double(i))};
  }
  const auto put = store->put_all(all);
  return put ? QString() : qs(put.diagnostics.front().message);
}
} // namespace

bool TimedApplication::notify(QObject* receiver, QEvent* event) {
  if (depth_ > 0) return QApplication::notify(receiver, event);
  ++depth_;
  const QString what = QString::fromLatin1(receiver->metaObject()->className()) + QStringLiteral(" event ") +
                       QString::number(event->type());
  QElapsedTimer timer;
  timer.start();
  const bool done = QApplication::notify(receiver, event);
  if (const qint64 took = timer.nsecsElapsed(); took > longestNs_) {
    longestNs_ = took;
    what_ = what;
  }
  --depth_;
  return done;
}

void TimedApplication::resetLongest() {
  longestNs_ = 0;
  what_.clear();
}

BenchResult measureWindow(TimedApplication& application, std::size_t rows) {
  BenchResult out;
  const QTemporaryDir folder;
  out.rows = rows;
  out.problem = fillStore(folder.filePath("evidence.sqlite"), rows);
  if (!out.problem.isEmpty()) return out;
  const QByteArray before = qgetenv("AICF_STORE");
  qputenv("AICF_STORE", folder.filePath("evidence.sqlite").toUtf8());

  QElapsedTimer start;
  start.start();
  WorkbenchOptions options;
  options.settingsFile = folder.filePath("settings.ini");
  Workbench w(options);
  theme().install(false);
  MainWindow window(w);
  window.show();
  const auto never = [&](const char* what) { out.problem = QStringLiteral("%1 took over a minute").arg(what); };
  if (until([&] { return w.library().isLoaded(); }) < 0) never("reading the atlas");
  out.startMs = double(start.nsecsElapsed()) / 1e6;
  out.operators = w.library().entries().size();
  // Views are built when first shown: that is a handler like any other.
  application.resetLongest();
  for (View* view : w.navigator().views()) {
    w.actions().trigger("go.view-" + view->id());
    if (until([&] { return view->isReady(); }) < 0) never(qPrintable(view->id()));
    if (view->id() == QLatin1String("runs")) out.evidenceMs = double(start.nsecsElapsed()) / 1e6;
  }
  (void)until([&] { return w.library().isAnalysed(); });

  // A selection until every view has it: the active operator, seen by all, analysed and judged beforehand elsewhere.
  double worst = 0;
  for (const char* op : {"softmax", "layernorm", "variance", "logsumexp"}) {
    QElapsedTimer selection;
    selection.start();
    w.open({"op", QString::fromLatin1(op)});
    for (QWidget* child : window.findChildren<QWidget*>())
      if (child->isVisible()) child->repaint();
    worst = std::max(worst, double(selection.nsecsElapsed()) / 1e6);
    (void)until([&] { return w.subject().structureIsCurrent() && w.legality().isCurrent(); });
  }
  out.selectionMs = worst;
  w.actions().trigger(QStringLiteral("go.locator"));
  window.locator().hide();
  w.actions().trigger(QStringLiteral("window.theme"));
  w.actions().trigger(QStringLiteral("window.theme"));
  bool idle = false;
  QTimer::singleShot(0, &window, [&] { idle = true; }); // it comes after what was posted before
  (void)until([&] { return idle; });
  out.handlerMs = application.longestMs();
  out.longestHandler = application.longestWhat();

  if (w.actions().trigger(QStringLiteral("synthesis.start"))) {
    const int job = int(w.jobs().all().size());
    (void)until([&] { return w.jobs().find(job)->state == Job::State::running || w.jobs().find(job)->isOver(); });
    QElapsedTimer cancel;
    cancel.start();
    w.jobs().cancel(job);
    if (until([&] { return w.jobs().find(job)->isOver(); }) < 0) never("cancelling");
    out.cancelMs = double(cancel.nsecsElapsed()) / 1e6;
  } else if (out.problem.isEmpty()) {
    out.problem = QStringLiteral("the synthesis did not start");
  }
  qputenv("AICF_STORE", before);
  return out;
}

int bench() {
  auto* application = static_cast<TimedApplication*>(QApplication::instance());
  const BenchResult r = measureWindow(*application, benchRows);
  if (!r.problem.isEmpty()) {
    std::fprintf(stderr, "aicf-workbench: --bench: %s\n", qPrintable(r.problem));
    return 1;
  }
  bool good = true;
  const auto line = [&](const char* what, double ms, double aim) {
    good = good && ms <= 5 * aim;
    std::printf("%-46s %8.1f ms   aim %6.0f ms%s\n", what, ms, aim,
                ms <= aim       ? ""
                : ms <= 5 * aim ? "   missed"
                                : "   FAILED");
  };
  std::printf("operators %zu, evidence rows %zu\n", r.operators, r.rows);
  line("start to a usable window", r.startMs, startAimMs);
  std::printf("%-46s %8.1f ms\n", "until all evidence rows are listed too", r.evidenceMs);
  line("longest handler of an event", r.handlerMs, handlerAimMs);
  std::printf("  (%s)\n", qPrintable(r.longestHandler));
  line("selection until every view shows it", r.selectionMs, selectionAimMs);
  line("cancel until the job has ended", r.cancelMs, cancelAimMs);
  return good ? 0 : 1;
}

} // namespace aicf::views
