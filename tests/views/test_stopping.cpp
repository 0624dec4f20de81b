// Work that a newer choice makes useless ends soon after it is told to: the aim is 200 ms, the limit here five times
// that, for every operator of the atlas.
#include "core/base/atlas_path.hpp"
#include "core/expr/check.hpp"
#include "core/plan/plan.hpp"
#include "views/atlas/property_matrix.hpp"
#include "views/engine/text.hpp"
#include "views/frame/workbench.hpp"
#include "views/ops/gradient_pane.hpp"

#include <pthread.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

using namespace aicf;
using namespace aicf::views;

namespace {
constexpr int patience = 120'000;
constexpr double limitMs = 5 * 200;

double cpuMs(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) / 1e6;
}

/// What `work` costs on a processor, whatever else the machine does, once it was asked to stop: `before` ms after its
/// start.
template <class Work> double afterStop(int before, Work work) {
  clockid_t mine{};
  pthread_getcpuclockid(pthread_self(), &mine);
  std::stop_source source;
  std::atomic<double> asked{0};
  std::thread asker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(before));
    asked = cpuMs(mine);
    source.request_stop();
  });
  work(source.get_token());
  const double ended = cpuMs(mine);
  asker.join();
  return std::max(0.0, ended - asked);
}

std::shared_ptr<const Definition> read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  auto parsed = parse_definition(text.str(), path.string());
  return parsed ? std::make_shared<const Definition>(std::move(*parsed)) : nullptr;
}

StructureProfile profileOf(const char* name) {
  return analyze(canonicalize(read(atlas_dir() / "ops" / (std::string(name) + ".op"))));
}
} // namespace

class TestStopping : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private Q_SLOTS:
  void initTestCase() {
    // No verdict is known yet, so that all must be decided.
    qputenv("AICF_CACHE_DIR", folder_.filePath("cache").toUtf8());
    qputenv("AICF_STORE", folder_.filePath("evidence.sqlite").toUtf8());
  }

  void analysisVerdictsAndDerivatives() {
    double longest = 0;
    QString of;
    const auto note = [&](double ms, const std::string& what, const std::filesystem::path& path) {
      if (ms <= longest) return;
      longest = ms;
      of = qs(what + " of " + path.stem().string());
    };
    std::size_t seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(atlas_dir() / "ops")) {
      const auto definition = read(entry.path());
      if (!definition) continue;
      ++seen;
      note(afterStop(3, [&](const auto& stop) { (void)analyze(canonicalize(definition), 1, stop); }), "the analysis",
           entry.path());
      note(afterStop(3, [&](const auto& stop) { (void)derive(*definition, stop); }), "the derivative", entry.path());
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      note(afterStop(20, [&](const auto& stop) { (void)decideOperator("x", {}, qs(text.str()), stop); }),
           "the properties", entry.path());
    }
    qInfo("longest %.0f ms after the stop: %s", longest, qPrintable(of));
    QVERIFY(seen > 100);
    QVERIFY2(longest <= limitMs, qPrintable(QStringLiteral("%1 ms: %2").arg(longest).arg(of)));
  }

  void plans() {
    const StructureProfile profile = profileOf("softmax");
    const CompilerProfile rules;
    const Ledger ledger = judge(profile, rules);
    Problem problem;
    problem.dims = {{"M", 64}, {"N", 1000}};
    QVERIFY(!plan(profile, ledger, rules, problem).plans.empty());
    std::stop_source stopped;
    stopped.request_stop();
    QVERIFY(plan(profile, ledger, rules, problem, {}, stopped.get_token()).plans.empty());
    for (int before : {0, 1, 5, 20, 100}) {
      const double ms =
          afterStop(before, [&](const auto& stop) { (void)plan(profile, ledger, rules, problem, {}, stop); });
      QVERIFY2(ms <= limitMs, qPrintable(QStringLiteral("%1 ms, asked after %2").arg(ms).arg(before)));
    }
  }

  /// What was chosen on the way is not waited for.
  void openingOneAfterOthers() {
    WorkbenchOptions options;
    options.settingsFile = folder_.filePath("settings.ini");
    Workbench w(options);
    QTRY_VERIFY_WITH_TIMEOUT(w.library().isLoaded(), patience);
    QTRY_VERIFY_WITH_TIMEOUT(w.library().isAnalysed(), patience);
    const auto settled = [&] { return w.subject().structureIsCurrent() && w.legality().isCurrent(); };
    const auto timed = [&](const QStringList& names) {
      QElapsedTimer clock;
      for (const QString& name : names) {
        clock.start();
        w.open({"op", name});
        QTest::qWait(30); // what was asked for has begun
      }
      if (!QTest::qWaitFor(settled, patience)) return 1e9;
      return double(clock.elapsed());
    };
    const double alone = timed({"softmax"});
    const double after = timed({"layernorm", "variance", "attention", "layernorm", "logsumexp", "softmax"});
    qInfo("softmax alone %.0f ms, after five others %.0f ms", alone, after);
    QVERIFY2(after <= 2 * alone + limitMs, qPrintable(QStringLiteral("%1 ms, %2 alone").arg(after).arg(alone)));
  }
};

QTEST_MAIN(TestStopping)
#include "test_stopping.moc"
