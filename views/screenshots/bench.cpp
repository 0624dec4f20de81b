#include "views/screenshots/bench.hpp"

#include "core/evidence/store.hpp"
#include "views/engine/text.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/main_window.hpp"
#include "views/frame/theme.hpp"
#include "views/runs/runs_view.hpp"

#include <nlohmann/json.hpp>

#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace aicf::views {
namespace {
constexpr int waitMs = 60'000, tickMs = 5;
constexpr std::size_t benchRows = 100'000, mostHandlers = 8;

/// What this thread has spent on a processor: what else the machine does counts for the clock alone.
double processorMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) / 1e6;
}

/// Runs the event loop until `ready`; how long that took, or a negative number when it took too long.
double until(const std::function<bool()>& ready) {
  QElapsedTimer timer;
  timer.start();
  QTimer tick; // what is waited for need not be an event of this thread
  tick.start(tickMs);
  while (!ready()) {
    if (timer.elapsed() > waitMs) return -1;
    QApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents);
  }
  return double(timer.nsecsElapsed()) / 1e6;
}

/// Does `what` as a handler of an event, as a click does it, so that it counts as one.
void asEvent(const std::function<void()>& what) {
  bool done = false;
  QMetaObject::invokeMethod(
      qApp,
      [&] {
        what();
        done = true;
      },
      Qt::QueuedConnection);
  (void)until([&] { return done; });
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
/// Runs is asked for first of all, while the library is still being analysed.
void openRuns(Workbench& w, BenchResult& out) {
  QElapsedTimer timer;
  timer.start();
  asEvent([&] { w.actions().trigger(QStringLiteral("go.view-runs")); });
  auto* runs = dynamic_cast<RunsView*>(w.navigator().view(QStringLiteral("runs")));
  if (runs == nullptr) {
    out.problem = QStringLiteral("there is no view of runs");
    return;
  }
  (void)until([&] { return runs->table()->model()->rowCount() > 0; });
  out.newestMs = double(timer.nsecsElapsed()) / 1e6;
  if (until([&] { return runs->isReady(); }) < 0) out.problem = QStringLiteral("listing the rows took over a minute");
  out.evidenceMs = double(timer.nsecsElapsed()) / 1e6;
  if (out.problem.isEmpty() && std::size_t(runs->table()->model()->rowCount()) != out.rows)
    out.problem = QStringLiteral("not every evidence row is listed");
}
} // namespace

bool TimedApplication::notify(QObject* receiver, QEvent* event) {
  if (depth_ > 0) return QApplication::notify(receiver, event);
  ++depth_;
  // The receiver may be gone afterwards.
  const char* const who = receiver->metaObject()->className();
  const int type = event->type();
  QElapsedTimer timer;
  timer.start();
  const double cpu = processorMs();
  const bool done = QApplication::notify(receiver, event);
  const Handler h{double(timer.nsecsElapsed()) / 1e6, processorMs() - cpu, {}};
  const bool costly = costliest_.size() < mostHandlers || h.cpuMs > costliest_.back().cpuMs;
  if (costly || h.ms > longest_.ms) {
    Handler named = h;
    named.what = QStringLiteral("%1, event %2 of %3").arg(during_).arg(type).arg(QLatin1String(who));
    if (h.ms > longest_.ms) longest_ = named;
    if (costly) {
      const auto place = std::find_if(costliest_.begin(), costliest_.end(),
                                      [&](const Handler& other) { return other.cpuMs < h.cpuMs; });
      costliest_.insert(place, named);
      if (costliest_.size() > mostHandlers) costliest_.pop_back();
    }
  }
  --depth_;
  return done;
}

void TimedApplication::resetLongest(const QString& during) {
  longest_ = {};
  costliest_.clear();
  during_ = during;
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
  application.resetLongest(QStringLiteral("runs"));
  openRuns(w, out);
  for (View* view : w.navigator().views()) {
    application.setDuring(view->id());
    asEvent([&] { w.actions().trigger("go.view-" + view->id()); });
    if (until([&] { return view->isReady(); }) < 0) never(qPrintable(view->id()));
  }
  application.setDuring(QStringLiteral("analysis"));
  (void)until([&] { return w.library().isAnalysed(); });

  // A selection until every view has it and the window is painted; analysis and verdicts follow off its thread.
  for (const char* op : {"softmax", "layernorm", "variance", "logsumexp"}) {
    application.setDuring(QStringLiteral("selection of %1").arg(QLatin1String(op)));
    QElapsedTimer selection;
    selection.start();
    const double cpu = processorMs();
    asEvent([&] { w.open({"op", QString::fromLatin1(op)}); });
    asEvent([&] { window.repaint(); });
    out.selectionMs = std::max(out.selectionMs, double(selection.nsecsElapsed()) / 1e6);
    out.selectionCpuMs = std::max(out.selectionCpuMs, processorMs() - cpu);
    (void)until([&] { return w.subject().structureIsCurrent() && w.legality().isCurrent(); });
  }
  application.setDuring(QStringLiteral("locator"));
  asEvent([&] { w.actions().trigger(QStringLiteral("go.locator")); });
  window.locator().hide();
  application.setDuring(QStringLiteral("theme"));
  for (int i = 0; i < 2; ++i) {
    QElapsedTimer change;
    change.start();
    const double cpu = processorMs();
    asEvent([&] { w.actions().trigger(QStringLiteral("window.theme")); });
    asEvent([&] { window.repaint(); });
    out.themeMs = std::max(out.themeMs, double(change.nsecsElapsed()) / 1e6);
    out.themeCpuMs = std::max(out.themeCpuMs, processorMs() - cpu);
  }
  bool idle = false;
  QTimer::singleShot(0, &window, [&] { idle = true; }); // it comes after what was posted before
  (void)until([&] { return idle; });
  out.longest = application.longest();
  out.costliest = application.costliest();

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
  std::printf("%-46s %8.1f ms\n", "Runs asked for until the newest rows are listed", r.newestMs);
  std::printf("%-46s %8.1f ms\n", "  until all of them are", r.evidenceMs);
  line("longest handler of an event", r.longest.ms, handlerAimMs);
  std::printf("  on a processor %.1f ms: %s\n", r.longest.cpuMs, qPrintable(r.longest.what));
  std::printf("  those that cost most, on a processor:\n");
  for (const TimedApplication::Handler& h : r.costliest)
    std::printf("  %6.1f ms (%.1f ms by the clock): %s\n", h.cpuMs, h.ms, qPrintable(h.what));
  line("selection until every view shows it", r.selectionMs, selectionAimMs);
  std::printf("  on a processor %.1f ms\n", r.selectionCpuMs);
  std::printf("%-46s %8.1f ms   on a processor %.1f ms\n", "light to dark, all views open, until painted", r.themeMs,
              r.themeCpuMs);
  line("cancel until the job has ended", r.cancelMs, cancelAimMs);
  return good ? 0 : 1;
}

} // namespace aicf::views
