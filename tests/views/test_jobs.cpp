// The window's jobs on the pool of workers, against workers that crash, hang, babble and refuse.
#include "tests/views/fake_worker.hpp"
#include "views/engine/variants.hpp"
#include "views/jobs/jobs_pane.hpp"

#include <QApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

using namespace aicf;
using namespace aicf::views;

class TestJobs : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  static constexpr WorkerPatience quick{2000, 700, 200};

  /// Runs one job to its end and gives it back with the results that arrived.
  static Job run(const char* mode, std::vector<nlohmann::json>* results = nullptr) {
    Jobs jobs(fakeTargets(mode), quick);
    QSignalSpy finished(&jobs, &Jobs::finished);
    connect(&jobs, &Jobs::result, &jobs, [&](int, const QString&, const nlohmann::json& body) {
      if (results) results->push_back(body);
    });
    const int number = jobs.start("synth", "test", "softmax", {{"op", "softmax"}});
    if (finished.isEmpty()) finished.wait(5000);
    return *jobs.find(number);
  }

  /// fake_worker.sh in this mode, with a second word.
  JobTargets told(const char* mode, const QString& word, int workers) const {
    JobTargets targets = fakeTargets(mode, workers);
    targets.all.front().arguments.push_back(folder_.filePath(word).toStdString());
    return targets;
  }

  static void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
  }

 private Q_SLOTS:
  void initTestCase() {
    qputenv("AICF_STORE", folder_.filePath("evidence.sqlite").toUtf8());
    theme().install(false);
  }

  void resultsArriveOneByOne() {
    std::vector<nlohmann::json> results;
    const Job job = run("good", &results);
    QCOMPARE(job.state, Job::State::ok);
    QCOMPARE(job.results, 2);
    QCOMPARE(job.done, 2);
    QCOMPARE(job.total, 2);
    QCOMPARE(job.host, QStringLiteral("fake"));
    QCOMPARE(job.target, QStringLiteral("local"));
    const VariantRow v = variantFrom(results.at(1));
    QCOMPARE(v.id, QStringLiteral("v1"));
    QCOMPARE(v.choices.value("state"), QStringLiteral("two_pass"));
    QCOMPARE(v.choices.value("threads"), QStringLiteral("256"));
    QCOMPARE(*v.registers, 32);
    QCOMPARE(*v.metric("global_load_sectors")->value, 200.0);
    QVERIFY(v.passed);
    QCOMPARE(v.checks.size(), std::size_t(1));
  }

  void everythingComesOnTheWindowsThread() {
    Jobs jobs(fakeTargets("good"), quick);
    bool here = true;
    const auto look = [&] { here = here && QThread::currentThread() == QCoreApplication::instance()->thread(); };
    // Direct: in whatever thread the signal is emitted.
    connect(&jobs, &Jobs::changed, &jobs, look, Qt::DirectConnection);
    connect(&jobs, &Jobs::result, &jobs, look, Qt::DirectConnection);
    connect(&jobs, &Jobs::finished, &jobs, look, Qt::DirectConnection);
    QSignalSpy finished(&jobs, &Jobs::finished);
    jobs.start("synth", "test", {}, {});
    QVERIFY(finished.wait(5000));
    QVERIFY(here);
  }

  void linesBeforeTheHelloAreIgnored() { QCOMPARE(run("banner").state, Job::State::ok); }

  void theRequestArrives() { QCOMPARE(run("echo").state, Job::State::ok); }

  void crashLosesTheJobAndKeepsResults() {
    const Job job = run("crash");
    QCOMPARE(job.state, Job::State::lost);
    QCOMPARE(job.results, 1);
    QVERIFY2(job.log.join('\n').contains("the last words"), qPrintable(job.log.join('\n')));
  }

  void theJobAfterACrashGetsAnotherWorker() {
    Jobs jobs(told("once", "crashed", 1), quick);
    QSignalSpy finished(&jobs, &Jobs::finished);
    const int first = jobs.start("synth", "test", "softmax", {{"seed", 7}});
    QVERIFY(finished.wait(5000));
    QCOMPARE(jobs.find(first)->state, Job::State::lost);
    QCOMPARE(jobs.find(first)->results, 1);
    const int second = jobs.again(first);
    QVERIFY(finished.wait(5000));
    QCOMPARE(jobs.find(second)->state, Job::State::ok);
    QVERIFY(jobs.find(second)->body == nlohmann::json({{"seed", 7}}));
    QCOMPARE(jobs.find(second)->about, QStringLiteral("softmax"));
    QCOMPARE(jobs.find(first)->state, Job::State::lost);
  }

  /// Each of the two ends only once the other has begun.
  void severalWorkAtOnce() {
    QVERIFY(QDir(folder_.path()).mkdir("met"));
    Jobs jobs(told("meet", "met", 2), WorkerPatience{2000, 10'000, 200});
    QSignalSpy finished(&jobs, &Jobs::finished);
    for (int i = 0; i < 2; ++i) jobs.start("synth", "test", {}, {});
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 10'000);
    for (const Job& job : jobs.all()) QCOMPARE(job.state, Job::State::ok);
  }

  void endWithoutDoneIsALoss() {
    const Job job = run("quits");
    QCOMPARE(job.state, Job::State::lost);
    QVERIFY(job.log.join('\n').contains('7'));
    QCOMPARE(job.results, 1);
  }

  void silenceIsALoss() {
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(run("hang").state, Job::State::lost);
    QVERIFY2(timer.elapsed() < 4000, "noticed too late");
    QCOMPARE(run("silent").state, Job::State::lost);
  }

  void babbleAndForeignProtocolsAreLosses() {
    QCOMPARE(run("garbage").state, Job::State::lost);
    const Job foreign = run("foreign");
    QCOMPARE(foreign.state, Job::State::lost);
    QVERIFY(foreign.log.join('\n').contains("other/9"));
  }

  void refusalCarriesItsPlace() {
    const Job job = run("refuses");
    QCOMPARE(job.state, Job::State::refused);
    QCOMPARE(job.diagnostics.size(), std::size_t(1));
    QCOMPARE(job.diagnostics[0].at.line, 3);
    QCOMPARE(job.diagnostics[0].hint, std::string("tick more"));
  }

  void aDeafWorkerIsCancelledInTime() {
    Jobs jobs(fakeTargets("hang"), WorkerPatience{2000, 60'000, 200});
    QSignalSpy results(&jobs, &Jobs::result), finished(&jobs, &Jobs::finished);
    const int number = jobs.start("synth", "test", "softmax", {});
    QVERIFY(results.wait(5000));
    QElapsedTimer timer;
    timer.start();
    jobs.cancel(number);
    QVERIFY(finished.wait(5000));
    QVERIFY2(timer.elapsed() < 1000, "five times the aim of 200 ms");
    QCOMPARE(jobs.find(number)->state, Job::State::cancelled);
    QCOMPARE(jobs.find(number)->results, 1);
  }

  void aJobThatWaitsIsCancelledToo() {
    Jobs jobs(fakeTargets("hang"), WorkerPatience{2000, 60'000, 200});
    QSignalSpy results(&jobs, &Jobs::result), finished(&jobs, &Jobs::finished);
    jobs.start("synth", "first", {}, {});
    const int waits = jobs.start("synth", "second", {}, {});
    QVERIFY(results.wait(5000));
    QCOMPARE(jobs.find(waits)->state, Job::State::waiting);
    jobs.cancel(waits);
    QVERIFY(finished.wait(5000));
    QCOMPARE(jobs.find(waits)->state, Job::State::cancelled);
    QCOMPARE(jobs.running(), 1);
  }

  void aMissingProgramIsSaid() {
    JobTargets targets = noTargets();
    targets.all.front().program = "/nonexistent/aicf";
    Jobs jobs(targets, quick);
    QSignalSpy finished(&jobs, &Jobs::finished);
    const int number = jobs.start("synth", "test", {}, {});
    if (finished.isEmpty()) QVERIFY(finished.wait(5000));
    QCOMPARE(jobs.find(number)->state, Job::State::lost);
    QVERIFY(jobs.find(number)->log.join('\n').contains("/nonexistent/aicf"));
  }

  void aTargetIsChosenByName() {
    JobTargets targets = noTargets();
    targets.all.push_back(fakeTargets("good").all.front());
    targets.all.back().name = "other";
    Jobs jobs(targets, quick);
    QSignalSpy finished(&jobs, &Jobs::finished);
    const int other = jobs.start("synth", "test", {}, {}, "other");
    QVERIFY(finished.wait(5000));
    QCOMPARE(jobs.find(other)->state, Job::State::ok);
    const int first = jobs.start("synth", "test", {}, {});
    QVERIFY(finished.wait(5000));
    QCOMPARE(jobs.find(first)->state, Job::State::lost);
    const int unknown = jobs.start("synth", "test", {}, {}, "nowhere");
    QVERIFY(finished.wait(5000));
    QCOMPARE(jobs.find(unknown)->state, Job::State::failed);
    QVERIFY(jobs.find(unknown)->log.join('\n').contains("nowhere"));
  }

  void targetsComeFromTheUsersFile() {
    const QByteArray before = qgetenv("AICF_TARGETS");
    const QString path = folder_.filePath("targets.json");
    qputenv("AICF_TARGETS", path.toUtf8());
    const auto beside = (QCoreApplication::applicationDirPath() + "/aicf").toStdString();
    const JobTargets none = ownTargets();
    QCOMPARE(none.all.size(), std::size_t(1));
    QCOMPARE(none.all[0].program, beside);
    QVERIFY(none.all[0].workers > 1);
    write(path, R"({"schema": "aicf.targets/1", "targets": [
      {"name": "h200", "kind": "ssh", "host": "me@gpu1", "program": "/shared/x/aicf", "workers": 3}]})");
    const JobTargets some = ownTargets();
    QVERIFY(some.problems.empty());
    QCOMPARE(some.all.size(), std::size_t(2));
    QCOMPARE(some.all[0].name, std::string("local"));
    QCOMPARE(some.all[1].program, std::string("/shared/x/aicf"));
    QCOMPARE(some.all[1].workers, 3);
    write(path, R"({"schema": "aicf.targets/1", "targets": [{"name": 3}]})");
    const JobTargets broken = ownTargets();
    QVERIFY(!broken.problems.empty());
    QCOMPARE(broken.all.size(), std::size_t(1));
    if (before.isEmpty())
      qunsetenv("AICF_TARGETS");
    else
      qputenv("AICF_TARGETS", before);
  }

  void thePaneShowsTheLogOfTheSelectedJob() {
    WorkbenchOptions options;
    options.targets = fakeTargets("logs");
    options.settingsFile = folder_.filePath("settings.ini");
    Workbench w(options);
    JobsPane pane(w);
    pane.show();
    const auto expected = [] {
      QStringList lines;
      for (int i = 0; i < 300; ++i) lines << QStringLiteral("line %1").arg(i);
      return lines.join('\n');
    }();
    const int first = w.jobs().start("synth", "one", {}, {});
    QTRY_VERIFY_WITH_TIMEOUT(w.jobs().find(first)->isOver(), 5000);
    auto* log = pane.findChild<QPlainTextEdit*>();
    QCOMPARE(log->toPlainText(), expected);
    QPushButton* again = nullptr;
    for (auto* b : pane.findChildren<QPushButton*>())
      if (b->text() == "Start again") again = b;
    QVERIFY(again && again->isEnabled());
    again->click();
    QTRY_VERIFY_WITH_TIMEOUT(w.jobs().all().size() == 2 && w.jobs().running() == 0, 5000);
    QCOMPARE(log->toPlainText(), expected);
    auto* table = pane.findChild<Table*>();
    w.jobs().start("other", "refused at once", {}, {});
    QTRY_VERIFY_WITH_TIMEOUT(w.jobs().running() == 0, 5000);
    QVERIFY(log->toPlainText() != expected);
    table->selectSourceRow(0);
    QCOMPARE(log->toPlainText(), expected);
  }

  void nonsenseInAVariantIsNoCrash() {
    for (const char* text :
         {"{}", "[]", "null",
          R"({"id":3,"plan":[],"compile":"x","validation":{"checks":{"a":1},"max_rel_err":"nan"},"counters":"none"})"})
      (void)variantFrom(nlohmann::json::parse(text));
    QVERIFY(std::isnan(variantFrom(nlohmann::json::parse(R"({"validation":{"max_rel_err":"nan"}})")).relErr));
  }
};

QTEST_MAIN(TestJobs)
#include "test_jobs.moc"
