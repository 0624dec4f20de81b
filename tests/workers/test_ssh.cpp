// A target behind a real sshd on loopback: work, cancel, a killed worker, a cut and a silent connection, and the
// command line through it.
#include "core/evidence/store.hpp"
#include "tests/support/paths.hpp"
#include "tests/workers/pool_fixture.hpp"
#include "tests/workers/servers.hpp"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>

#include <csignal>
#include <fstream>
#include <set>

using namespace aicf;
using namespace aicf::test;
using nlohmann::json;

class TestSsh : public QObject {
  Q_OBJECT
  PoolFixture fixture;
  std::unique_ptr<Sshd> sshd;
  const QByteArray mark = "AICF_TEST_MARK=ssh-" + QByteArray::number(getpid());

  [[nodiscard]] WorkerTarget far(int workers = 1) const {
    WorkerTarget t;
    t.name = "far";
    t.kind = WorkerTarget::Kind::ssh;
    t.host = sshd->host().toStdString();
    for (const QString& word : sshd->options()) t.options.push_back(word.toStdString());
    t.program = binaryFile("bin/aicf").toStdString();
    t.workers = workers;
    t.environment = {{"AICF_ATLAS", source_path("atlas")},
                     {"AICF_STORE", fixture.path("far.sqlite").toStdString()},
                     {"AICF_TEST_MARK", mark.mid(15).toStdString()}};
    for (const char* name : {"AICF_CUDA", "XDG_DATA_HOME", "AICF_CACHE_DIR"})
      if (qEnvironmentVariableIsSet(name)) t.environment[name] = qgetenv(name).toStdString();
    return t;
  }
  [[nodiscard]] std::vector<int> far_workers() const { return marked(mark, "/aicf"); }

 private slots:
  void initTestCase() {
    if (!PoolFixture::compiles()) QSKIP("SKIPPED: no NVRTC, workers cannot compile kernels");
    sshd = std::make_unique<Sshd>();
    if (const QString why = sshd->start(); !why.isEmpty()) {
      sshd.reset();
      QSKIP(qPrintable("SKIPPED: no sshd can be started here: " + why));
    }
  }
  void cleanup() {
    if (!sshd) return;
    QTRY_VERIFY_WITH_TIMEOUT(far_workers().empty(), 5000); // none is left behind over there
  }
  void cleanupTestCase() { sshd.reset(); }

  void resultsAndEvidenceComeBack() {
    const std::size_t before = *Store::open(fixture.store())->count();
    WorkerPool pool({far()});
    const JobRun run = PoolFixture::run(pool, {"", "synth", synth_body(2)});
    QVERIFY2(run.end.status == JobEnd::Status::ok, run.told().c_str());
    QCOMPARE(run.results.size(), std::size_t{2});
    QCOMPARE(run.end.evidence, std::size_t{2});
    auto store = Store::open(fixture.store());
    QCOMPARE(*store->count(), before + 2);
    QVERIFY(store->integrity_check()->empty());
    const std::string id = run.results[0]["id"].get<std::string>();
    QCOMPARE(store->recent({.kind = "synth", .variant = id})->size(), std::size_t{1});
    QVERIFY(!QFile::exists(fixture.path("far.sqlite"))); // nothing is kept over there
  }

  void severalWorkersThere() {
    WorkerPool pool({far(2)});
    Watched a(pool, selftest("endless")), b(pool, selftest("endless"));
    QVERIFY(a.begun() && b.begun());
    QCOMPARE(far_workers().size(), std::size_t{2});
    a.cancel();
    b.cancel();
  }

  void cancelInTheMiddleOfAKernel() {
    WorkerPool pool({far()});
    works(pool);
    for (int i = 0; i < 3; ++i) {
      Watched job(pool, selftest("endless"));
      QVERIFY(job.begun());
      QTest::qWait(300);
      const double ms = job.cancel();
      QVERIFY2(ms < most_cancel_ms, qPrintable(QString("%1 ms, the aim is 200").arg(ms)));
      QVERIFY(job.now().end.status == JobEnd::Status::cancelled);
    }
    works(pool);
  }

  void aKilledWorkerCostsItsOwnJob() {
    WorkerPool pool({far()});
    Watched victim(pool, {"", "synth", synth_body(200)});
    QVERIFY(victim.until([](const JobRun& r) { return !r.results.empty() || r.over; }));
    const auto there = far_workers();
    QCOMPARE(there.size(), std::size_t{1});
    kill(there.front(), SIGKILL);
    QVERIFY(victim.over(10000));
    QVERIFY2(victim.now().end.status == JobEnd::Status::lost, victim.now().told().c_str());
    QVERIFY(victim.now().end.results >= 1);
    QCOMPARE(victim.now().end.evidence, victim.now().end.results); // each variant's row came with it
    works(pool);
  }

  void aCutConnectionCostsItsOwnJob() {
    WorkerPool pool({far()});
    Watched victim(pool, {"", "synth", synth_body(200)});
    QVERIFY(victim.until([](const JobRun& r) { return !r.results.empty() || r.over; }));
    sshd->signal_connections(SIGKILL);
    QVERIFY(victim.over(10000));
    QVERIFY2(victim.now().end.status == JobEnd::Status::lost, victim.now().told().c_str());
    QVERIFY(victim.now().end.results >= 1);
    QTRY_VERIFY_WITH_TIMEOUT(far_workers().empty(), 3000); // it saw its input end
    works(pool);
  }

  /// Nothing comes and nothing goes, as when a cable is out: the silence tells.
  void aSilentConnectionIsNoticed() {
    WorkerPatience patience;
    patience.silence = 2500;
    WorkerPool pool({far()}, patience);
    Watched victim(pool, selftest("endless"));
    QVERIFY(victim.begun());
    sshd->signal_connections(SIGSTOP);
    QElapsedTimer clock;
    clock.start();
    QVERIFY(victim.over(10000));
    QVERIFY2(clock.elapsed() < 6000, qPrintable(QString::number(clock.elapsed())));
    const JobRun lost = victim.now();
    QVERIFY2(lost.end.status == JobEnd::Status::lost && lost.told().find("silent") != std::string::npos,
             lost.told().c_str());
    sshd->signal_connections(SIGCONT);
    works(pool);
  }

  void aHostThatIsNotThereIsSaid() {
    WorkerTarget t = far();
    t.options[3] = std::to_string(free_port()); // of -p
    WorkerPool pool({t});
    const JobRun run = PoolFixture::run(pool, selftest("right"));
    QVERIFY2(run.end.status == JobEnd::Status::lost && !run.begun, run.told().c_str());
    QVERIFY2(run.told().find("refused") != std::string::npos, run.told().c_str());
  }

  void theCommandLineGoesThrough() {
    const QString targets = fixture.path("targets.json");
    std::ofstream(targets.toStdString()) << to_json({far(2)});
    qputenv("AICF_TARGETS", targets.toUtf8());
    auto aicf = [](const QStringList& arguments) {
      QProcess process;
      process.start(binaryFile("bin/aicf"), arguments);
      process.waitForFinished(120000);
      const QByteArray out = process.readAllStandardOutput();
      return std::tuple(process.exitCode(), json::parse(out.toStdString(), nullptr, false),
                        out + process.readAllStandardError());
    };
    const QString out = fixture.path("out");
    auto [status, document, text] = aicf({"synth", "softmax", "--shape", "M=4,N=40", "--budget", "2", "--target", "far",
                                          "--target", "sm_80", "--out", out, "--json"});
    QVERIFY2(status == 0, text.constData());
    QCOMPARE(document["variants"].size(), std::size_t{2});
    QVERIFY(document["target"] == json("sm_80"));
    QVERIFY(document["ran_on"]["target"] == json("far"));
    QVERIFY(document["ran_on"]["evidence_rows"] == json(2));
    QCOMPARE(QDir(out).entryList({"*.cu"}).size(), 2);
    auto [here, local, said] =
        aicf({"synth", "softmax", "--shape", "M=4,N=40", "--budget", "2", "--target", "sm_80", "--json"});
    QVERIFY2(here == 0, said.constData());
    auto ids = [](const json& d) {
      std::set<std::string> all;
      for (const json& v : d["variants"]) all.insert(v["id"].get<std::string>());
      return all;
    };
    QVERIFY(ids(document) == ids(local)); // the same work, wherever it is done

    std::tie(status, document, text) = aicf({"synth", "softmax", "--shape", "M=4,N=40", "--shape", "M=2,N=9", "--shape",
                                             "M=3,N=5", "--budget", "1", "--target", "far", "--json"});
    QVERIFY2(status == 0, text.constData());
    QCOMPARE(document["syntheses"].size(), std::size_t{3});
    QVERIFY(document["syntheses"][1]["shape"]["N"] == json(9));

    const QString kernels = sourceFile("tests/data/kernels/");
    std::tie(status, document, text) =
        aicf({"check", kernels + "softmax_race.cu", "--entry", "softmax_race", "--op", "softmax", "--shape",
              "M=2,N=300", "--grid", "M", "--block", "256", "--target", "far", "--json"});
    QVERIFY2(status == 1, text.constData());
    QVERIFY(document["findings"][0]["kind"] == json("shared-race"));

    std::tie(status, document, text) = aicf({"probe", "run", "shared_conflicts", "--target", "far", "--json"});
    QVERIFY2(status == 0 && !document["figures"].empty(), text.constData());
    const std::string row = document["figures"][0]["run"].get<std::string>();
    QVERIFY(Store::open(fixture.store())->find(row)); // the figure leads to its row, which is here now

    std::tie(status, document, text) = aicf({"doctor", "--target", "far"});
    QVERIFY2(status == 0 && document.contains("os"), text.constData());
    std::tie(status, document, text) = aicf({"selftest", "workers", "--target", "far", "--json"});
    QVERIFY2(status == 0, text.constData());
    std::tie(status, document, text) = aicf({"synth", "softmax", "--shape", "M=4,N=40", "--target", "nowhere"});
    QVERIFY2(status == 2 && text.contains("far"), text.constData());
  }
};

QTEST_GUILESS_MAIN(TestSsh)
#include "test_ssh.moc"
