// A target behind a real Slurm of one node: work, a sweep that Slurm spreads, cancel, a killed worker, a cut
// connection.
#include "core/evidence/store.hpp"
#include "tests/support/paths.hpp"
#include "tests/workers/pool_fixture.hpp"
#include "tests/workers/servers.hpp"

#include <QFile>
#include <QProcess>
#include <QTest>

#include <csignal>
#include <fstream>

using namespace aicf;
using namespace aicf::test;
using nlohmann::json;

class TestSlurm : public QObject {
  Q_OBJECT
  PoolFixture fixture;
  std::unique_ptr<Slurm> slurm;
  const QByteArray mark = "AICF_TEST_MARK=slurm-" + QByteArray::number(getpid());

  [[nodiscard]] WorkerTarget cluster(int workers = 1) const {
    WorkerTarget t;
    t.name = "cluster";
    t.kind = WorkerTarget::Kind::srun;
    t.options = {"--job-name=aicf test"};
    t.program = binaryFile("bin/aicf").toStdString();
    t.workers = workers;
    t.connect_seconds = 60;
    t.environment = {{"AICF_STORE", fixture.path("far.sqlite").toStdString()},
                     {"AICF_TEST_MARK", mark.mid(15).toStdString()}};
    return t;
  }
  [[nodiscard]] std::vector<int> workers() const { return marked(mark, "/aicf"); }

 private slots:
  void initTestCase() {
    if (!PoolFixture::compiles()) QSKIP("SKIPPED: no NVRTC, workers cannot compile kernels");
    slurm = std::make_unique<Slurm>();
    if (const QString why = slurm->start(); !why.isEmpty()) {
      slurm.reset();
      QSKIP(qPrintable("SKIPPED: no Slurm can be started here: " + why));
    }
  }
  void cleanup() {
    if (!slurm) return;
    QTRY_VERIFY_WITH_TIMEOUT(workers().empty(), 10000);
    QTRY_COMPARE_WITH_TIMEOUT(slurm->jobs(), QString(), 20000); // and Slurm holds nothing for it any more
  }
  void cleanupTestCase() { slurm.reset(); }

  void resultsAndEvidenceComeBack() {
    WorkerPool pool({cluster()});
    const JobRun run = PoolFixture::run(pool, {"", "synth", synth_body(2)});
    QVERIFY2(run.end.status == JobEnd::Status::ok, (run.told() + slurm->log().constData()).c_str());
    QCOMPARE(run.results.size(), std::size_t{2});
    QCOMPARE(run.end.evidence, std::size_t{2});
    auto store = Store::open(fixture.store());
    QCOMPARE(*store->count(), std::size_t{2});
    QVERIFY(store->integrity_check()->empty());
    QVERIFY(!QFile::exists(fixture.path("far.sqlite")));
  }

  /// Five jobs, two workers: Slurm holds two jobs of its own at most, each used again and given back at the end.
  void aSweepIsSpread() {
    WorkerPool pool({cluster(2)});
    std::vector<std::unique_ptr<Watched>> jobs;
    for (int i = 0; i < 5; ++i)
      jobs.push_back(std::make_unique<Watched>(pool, WorkerJob{"", "synth", synth_body(1 + i % 2)}));
    for (auto& job : jobs) {
      QVERIFY(job->over());
      QVERIFY2(job->now().end.status == JobEnd::Status::ok, job->now().told().c_str());
    }
  }

  void cancelInTheMiddleOfAKernel() {
    WorkerPool pool({cluster()});
    works(pool);
    Watched job(pool, selftest("endless"));
    QVERIFY(job.begun());
    QTest::qWait(300);
    const double ms = job.cancel();
    QVERIFY2(ms < most_cancel_ms, qPrintable(QString("%1 ms, the aim is 200").arg(ms)));
    QVERIFY(job.now().end.status == JobEnd::Status::cancelled);
    works(pool);
  }

  void aKilledWorkerCostsItsOwnJob() {
    WorkerPool pool({cluster()});
    Watched victim(pool, {"", "synth", synth_body(200)});
    QVERIFY(victim.until([](const JobRun& r) { return !r.results.empty() || r.over; }));
    const auto there = workers();
    QCOMPARE(there.size(), std::size_t{1});
    kill(there.front(), SIGKILL);
    QVERIFY(victim.over(15000));
    QVERIFY2(victim.now().end.status == JobEnd::Status::lost, victim.now().told().c_str());
    QVERIFY(victim.now().end.results >= 1);
    QCOMPARE(victim.now().end.evidence, victim.now().end.results);
    works(pool);
  }

  /// `srun` itself is killed: the far end sees its input end, and Slurm gets its place back.
  void aCutConnectionCostsItsOwnJob() {
    WorkerPool pool({cluster()});
    Watched victim(pool, selftest("endless"));
    QVERIFY(victim.begun());
    QProcess find;
    find.start("pgrep", {"-P", QString::number(getpid()), "-x", "srun"});
    QVERIFY(find.waitForFinished());
    const int srun = find.readAllStandardOutput().trimmed().toInt();
    QVERIFY(srun > 0);
    kill(srun, SIGKILL);
    QVERIFY(victim.over(10000));
    QVERIFY2(victim.now().end.status == JobEnd::Status::lost, victim.now().told().c_str());
    works(pool);
  }

  void aJobThatSlurmEndsIsLost() {
    WorkerPool pool({cluster()});
    Watched victim(pool, selftest("endless"));
    QVERIFY(victim.begun());
    QProcess::execute("scancel", {slurm->jobs().section(' ', 0, 0)});
    QVERIFY(victim.over(20000));
    QVERIFY2(victim.now().end.status == JobEnd::Status::lost, victim.now().told().c_str());
    works(pool);
  }

  void theCommandLineGoesThrough() {
    const QString targets = fixture.path("targets.json");
    std::ofstream(targets.toStdString()) << to_json({cluster(2)});
    qputenv("AICF_TARGETS", targets.toUtf8());
    QProcess process;
    process.start(binaryFile("bin/aicf"), {"synth", "softmax", "--shape", "M=4,N=40", "--shape", "M=2,N=9", "--budget",
                                           "1", "--target", "cluster", "--json"});
    QVERIFY(process.waitForFinished(120000));
    const QByteArray out = process.readAllStandardOutput();
    const json document = json::parse(out.toStdString(), nullptr, false);
    QVERIFY2(process.exitCode() == 0, (out + process.readAllStandardError()).constData());
    QCOMPARE(document["syntheses"].size(), std::size_t{2});
    QVERIFY(document["syntheses"][0]["ran_on"]["evidence_rows"] == json(1));
  }
};

QTEST_GUILESS_MAIN(TestSlurm)
#include "test_slurm.moc"
