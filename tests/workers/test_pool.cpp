// A pool of real workers on this machine: several at once, cancels, deadlines, memory limits, crashes; each costs its
// own job, and what had arrived is kept.
#include "core/evidence/store.hpp"
#include "tests/support/paths.hpp"
#include "tests/workers/pool_fixture.hpp"

#include <QDir>
#include <QProcess>
#include <QTest>

#include <csignal>
#include <fstream>
#include <set>

using namespace aicf;
using namespace aicf::test;
using nlohmann::json;

namespace {

/// Children of this process that run `aicf worker`.
std::vector<pid_t> workers() {
  std::vector<pid_t> found;
  for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
    bool number = false;
    const int pid = name.toInt(&number);
    QFile status("/proc/" + name + "/stat"), line("/proc/" + name + "/cmdline");
    if (!number || !status.open(QIODevice::ReadOnly) || !line.open(QIODevice::ReadOnly)) continue;
    const QByteArray text = status.readAll();
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    const bool ours = fields.size() > 1 && fields[1].toLongLong() == getpid();
    if (ours && line.readAll().split('\0').contains("worker")) found.push_back(pid);
  }
  return found;
}

} // namespace

class TestPool : public QObject {
  Q_OBJECT
  PoolFixture fixture;

 private slots:
  void initTestCase() {
    if (!PoolFixture::compiles()) QSKIP("SKIPPED: no NVRTC, workers cannot compile kernels");
  }
  void cleanup() { QTRY_VERIFY_WITH_TIMEOUT(workers().empty(), 5000); } // none outlives its pool

  void aJobGivesItsResultsAndItsEvidence() {
    WorkerPool pool({PoolFixture::here()});
    const JobRun run = PoolFixture::run(pool, {"", "synth", synth_body(2)});
    QVERIFY2(run.end.status == JobEnd::Status::ok, run.told().c_str());
    QCOMPARE(run.results.size(), std::size_t{2});
    QCOMPARE(run.end.results, std::size_t{2});
    QVERIFY(run.steps >= 2);
    QCOMPARE(run.end.body["legal"].is_number(), true);
    QCOMPARE(run.greeting.target, std::string("local"));
    QCOMPARE(run.end.evidence, std::size_t{0}); // it was kept by the worker itself
    auto store = Store::open(fixture.store());
    QVERIFY(store && store->recent({.kind = "synth"})->size() >= 2);
  }

  void severalAtOnceAndTheRestInTurn() {
    WorkerPool pool({PoolFixture::here(2)});
    Watched a(pool, selftest("endless")), b(pool, selftest("endless")), c(pool, selftest("right"));
    QVERIFY(a.begun() && b.begun());
    QCOMPARE(workers().size(), std::size_t{2});
    QVERIFY(!c.now().begun); // both workers are busy
    a.cancel();
    QVERIFY(c.over());
    QVERIFY2(c.now().end.status == JobEnd::Status::ok, c.now().told().c_str());
    QVERIFY(!b.now().over);
    b.cancel();
    QVERIFY(b.now().end.status == JobEnd::Status::cancelled);
  }

  void aWorkerIsKeptForTheNextJob() {
    WorkerPool pool({PoolFixture::here()});
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok);
    const auto first = workers();
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok);
    QVERIFY(workers() == first);
  }

  void cancelInTheMiddleOfAnEmulatedKernel() {
    WorkerPool pool({PoolFixture::here()});
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok); // compiled and warm
    for (int i = 0; i < 5; ++i) {
      Watched job(pool, selftest("endless"));
      QVERIFY(job.begun());
      QTest::qWait(300);
      const double ms = job.cancel();
      QVERIFY2(ms < most_cancel_ms, qPrintable(QString("%1 ms, the aim is 200").arg(ms)));
      QVERIFY2(job.now().end.status == JobEnd::Status::cancelled, job.now().told().c_str());
    }
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok);
  }

  /// NVRTC cannot be interrupted: the worker goes with it, and the job is over in time.
  void cancelInTheMiddleOfACompilation() {
    std::string source = "extern \"C\" __global__ void slow(const float* x, float* y, long long N) {\n"
                         "  long long i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= N) return;\n"
                         "  float a = x[i];\n";
    for (int i = 0; i < 6000; ++i) source += "  a = sinf(a) + powf(a, " + std::to_string(i) + ".5f);\n";
    source +=
        "  y[i] = a;\n}\n// " + std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + "\n";
    const json body{
        {"source", source},   {"entry", "slow"}, {"text", "op f(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n"},
        {"dims", {{"N", 8}}}, {"grid", "1"},     {"block", "32"}};
    WorkerPool pool({PoolFixture::here()});
    Watched job(pool, {"", "check", body});
    QVERIFY(job.begun());
    QTest::qWait(700);
    if (job.now().over) QSKIP("SKIPPED: the compilation was over at once");
    const double ms = job.cancel();
    QVERIFY2(ms < most_cancel_ms, qPrintable(QString("%1 ms, the aim is 200").arg(ms)));
    QVERIFY2(job.now().end.status == JobEnd::Status::cancelled, job.now().told().c_str());
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok);
  }

  void aJobThatWaitsIsCancelledAtOnce() {
    WorkerPool pool({PoolFixture::here()});
    Watched busy(pool, selftest("endless")), waiting(pool, selftest("right"));
    QVERIFY(busy.begun());
    QVERIFY(waiting.cancel() < 100);
    QVERIFY(waiting.now().end.status == JobEnd::Status::cancelled && !waiting.now().begun);
    QVERIFY(!busy.now().over);
    busy.cancel();
  }

  void deadlinesAreKept() {
    WorkerPool pool({PoolFixture::here()});
    const JobRun run = PoolFixture::run(pool, selftest("endless", 800));
    QVERIFY2(run.end.status == JobEnd::Status::failed && run.has("job.deadline"), run.told().c_str());
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok);
  }

  void theMemoryLimitIsReportedWhenHit() {
    WorkerPool pool({PoolFixture::here()});
    json body = synth_body(1);
    body["dims"] = {{"M", 4096}, {"N", 16384}}; // the input alone has 256 MiB
    const JobRun run = PoolFixture::run(pool, {"", "synth", body, 0, 200});
    QVERIFY2(run.end.status == JobEnd::Status::failed && run.has("job.memory"), run.told().c_str());
    QVERIFY(run.told().find("200 MiB") != std::string::npos);
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok);
  }

  /// Sources that explode in one step or another of NVRTC, whose own ways of giving up differ: an error on a line, a
  /// failure without a word, an abort of the process.
  void theMemoryLimitHoldsInTheCompiler_data() {
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<int>("megabytes");
    const QByteArray head =
                         "extern \"C\" __global__ void k(const float* x, float* y, long long N) {\n  float a = x[0];\n",
                     tail = "  y[threadIdx.x] = a;\n}\n";
    QByteArray macros = "#define A0 a = a * 1.5f + x[3];\n";
    for (int i = 1; i <= 7; ++i)
      macros += "#define A" + QByteArray::number(i) + " " + ("A" + QByteArray::number(i - 1) + " ").repeated(10) + "\n";
    const QByteArray templates =
        "template <int N, int M> struct A { static const int v = A<N - 1, M>::v + A<N - 1, M + (1 << N)>::v; };\n"
        "template <int M> struct A<0, M> { static const int v = M; };\n";
    QTest::newRow("nested templates") << templates + head + "  a += A<24, 0>::v;\n" + tail << 330;
    QTest::newRow("nested macros") << macros + head + "  A7\n" + tail << 330;
    QTest::newRow("long straight code") << macros + head + "  A4\n" + tail << 305;
    QTest::newRow("an unrolled loop")
        << head + "#pragma unroll\n  for (int i = 0; i < 30000; ++i) a = a * x[i] + i % 7;\n" + tail << 286;
  }
  void theMemoryLimitHoldsInTheCompiler() {
    QFETCH(QByteArray, source);
    QFETCH(int, megabytes);
    source += "// " + QByteArray::number(QDateTime::currentMSecsSinceEpoch()); // not in the cache
    const json body{{"source", source.toStdString()},
                    {"entry", "k"},
                    {"text", "op f(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n"},
                    {"dims", {{"N", 8}}},
                    {"grid", "1"},
                    {"block", "32"}};
    WorkerPool pool({PoolFixture::here()});
    const JobRun run = PoolFixture::run(pool, {"", "check", body, 0, megabytes});
    QVERIFY2(run.end.status == JobEnd::Status::failed && run.has("job.memory"), run.told().c_str());
    QVERIFY(run.told().find(std::to_string(megabytes) + " MiB") != std::string::npos);
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok);
  }

  /// `kill -9` in the middle: that job is lost with what it had, the others go on, the next one has a new worker.
  void aKilledWorkerCostsItsOwnJob() {
    WorkerPool pool({PoolFixture::here(2)});
    Watched victim(pool, {"", "synth", synth_body(200)});
    QVERIFY(victim.until([](const JobRun& r) { return !r.results.empty() || r.over; }));
    const auto first = workers();
    QCOMPARE(first.size(), std::size_t{1});
    Watched other(pool, selftest("endless"));
    QVERIFY(other.begun());
    kill(first.front(), SIGKILL);
    QVERIFY(victim.over(5000));
    const JobRun lost = victim.now();
    QVERIFY2(lost.end.status == JobEnd::Status::lost && lost.has("worker.lost"), lost.told().c_str());
    QVERIFY(lost.told().find("signal 9") != std::string::npos);
    QVERIFY(lost.end.results >= 1 && lost.results.size() == lost.end.results);
    QVERIFY(!other.now().over);
    QVERIFY(PoolFixture::run(pool, selftest("right")).end.status == JobEnd::Status::ok);
    other.cancel();
    auto store = Store::open(fixture.store());
    QVERIFY(store && store->integrity_check()->empty());
  }

  void whatCannotBeStartedIsSaid() {
    WorkerTarget absent = PoolFixture::here(), other = PoolFixture::here(), unknown;
    absent.program = "/nonexistent/aicf";
    other.name = "other";
    other.program = "/bin/false";
    WorkerPool pool({absent, other});
    JobRun run = PoolFixture::run(pool, selftest("right"));
    QVERIFY2(run.end.status == JobEnd::Status::lost && run.has("worker.start"), run.told().c_str());
    run = PoolFixture::run(pool, {"other", "selftest", json::object()});
    QVERIFY2(run.end.status == JobEnd::Status::lost && run.told().find("status 1") != std::string::npos,
             run.told().c_str());
    run = PoolFixture::run(pool, {"nowhere", "selftest", json::object()});
    QVERIFY2(run.end.status == JobEnd::Status::failed && run.has("worker.target"), run.told().c_str());
  }

  void badJobsAreAnswers() {
    WorkerPool pool({PoolFixture::here()}, {}, "another build");
    JobRun run = PoolFixture::run(pool, {"", "juggle", json::object()});
    QVERIFY2(run.end.status == JobEnd::Status::failed && run.has("worker.capability"), run.told().c_str());
    run = PoolFixture::run(pool, {"", "synth", json{{"op", 3}}});
    QVERIFY2(run.end.status == JobEnd::Status::failed && run.has("job.field"), run.told().c_str());
    QVERIFY(run.has("worker.build"));
    run = PoolFixture::run(pool, {"", "synth", json::array()});
    QVERIFY2(run.has("job.body"), run.told().c_str());
    run = PoolFixture::run(pool, {"", "probe", json{{"ids", {"no_such"}}}});
    QVERIFY2(run.has("job.field"), run.told().c_str());
  }

  void aPoolThatGoesCancelsWhatRuns() {
    auto pool = std::make_unique<WorkerPool>(std::vector{PoolFixture::here()});
    Watched running(*pool, selftest("endless")), waiting(*pool, selftest("right"));
    QVERIFY(running.begun());
    pool.reset();
    QVERIFY(running.now().end.status == JobEnd::Status::cancelled);
    QVERIFY(waiting.now().end.status == JobEnd::Status::cancelled);
  }

  /// A worker whose client is killed leaves by itself, in the middle of a kernel.
  void theEndOfInputEndsAWorker() {
    QProcess worker;
    worker.start(binaryFile("bin/aicf"), {"worker"});
    worker.write(
        R"({"jsonrpc":"2.0","method":"start","params":{"job":1,"kind":"selftest","body":{"kernel":"endless","backend":"emulator"}}})"
        "\n");
    QVERIFY(worker.waitForReadyRead(20000));
    QTest::qWait(500);
    worker.closeWriteChannel();
    QVERIFY(worker.waitForFinished(1000));
  }

  /// aicf selftest workers: each fault costs its own job.
  void selftestOfWorkersPasses() {
    QProcess aicf;
    aicf.start(binaryFile("bin/aicf"), {"selftest", "workers", "--backend", "emulator", "--json"});
    QVERIFY(aicf.waitForFinished(120000));
    const QByteArray out = aicf.readAllStandardOutput();
    const json document = json::parse(out.toStdString(), nullptr, false);
    QVERIFY2(aicf.exitCode() == 0, (out + aicf.readAllStandardError()).constData());
    QVERIFY(document["schema"] == json("aicf.selftest/1"));
    QCOMPARE(document["checks"].size(), std::size_t{9});
  }
};

QTEST_GUILESS_MAIN(TestPool)
#include "test_pool.moc"
