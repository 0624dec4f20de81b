// The window's side of aicf.worker/1 against a worker that crashes, hangs, babbles and refuses.
#include "tests/support/paths.hpp"
#include "views/engine/jobs.hpp"
#include "views/engine/variants.hpp"

#include <QSignalSpy>
#include <QTest>

using namespace aicf;
using namespace aicf::views;
using aicf::test::sourceFile;

class TestWorkerClient : public QObject {
  Q_OBJECT

  static WorkerCommand fake(const char* mode) {
    return {QStringLiteral("/bin/sh"), {sourceFile("tests/views/fake_worker.sh"), QString::fromLatin1(mode)}};
  }
  static constexpr WorkerPatience quick{2000, 700, 200};

  /// Runs one job to its end and gives it back with the results that arrived.
  static Job run(const char* mode, std::vector<nlohmann::json>* results = nullptr) {
    Jobs jobs(fake(mode), quick);
    QSignalSpy finished(&jobs, &Jobs::finished);
    connect(&jobs, &Jobs::result, &jobs, [&](int, const QString&, const nlohmann::json& body) {
      if (results) results->push_back(body);
    });
    const int number = jobs.start("synth", "test", "softmax", {{"op", "softmax"}});
    if (finished.isEmpty()) finished.wait(5000);
    return *jobs.find(number);
  }

 private Q_SLOTS:
  void resultsArriveOneByOne() {
    std::vector<nlohmann::json> results;
    const Job job = run("good", &results);
    QCOMPARE(job.state, Job::State::ok);
    QCOMPARE(job.results, 2);
    QCOMPARE(job.done, 2);
    QCOMPARE(job.total, 2);
    QCOMPARE(job.worker, QStringLiteral("fake"));
    const VariantRow v = variantFrom(results.at(1));
    QCOMPARE(v.id, QStringLiteral("v1"));
    QCOMPARE(v.choices.value("state"), QStringLiteral("two_pass"));
    QCOMPARE(v.choices.value("threads"), QStringLiteral("256"));
    QCOMPARE(*v.registers, 32);
    QCOMPARE(*v.metric("global_load_sectors")->value, 200.0);
    QVERIFY(v.passed);
    QCOMPARE(v.checks.size(), std::size_t(1));
  }

  void linesBeforeTheHelloAreIgnored() { QCOMPARE(run("banner").state, Job::State::ok); }

  void theRequestArrives() { QCOMPARE(run("echo").state, Job::State::ok); }

  void crashLosesTheJobAndKeepsResults() {
    const Job job = run("crash");
    QCOMPARE(job.state, Job::State::lost);
    QCOMPARE(job.results, 1);
    QVERIFY2(job.log.join('\n').contains("the last words"), qPrintable(job.log.join('\n')));
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
    Jobs jobs(fake("hang"), WorkerPatience{2000, 60'000, 200});
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

  void aMissingProgramIsSaid() {
    Jobs jobs({QStringLiteral("/nonexistent/aicf"), {"worker"}}, quick);
    QSignalSpy finished(&jobs, &Jobs::finished);
    const int number = jobs.start("synth", "test", {}, {});
    if (finished.isEmpty()) QVERIFY(finished.wait(5000));
    QCOMPARE(jobs.find(number)->state, Job::State::lost);
    QVERIFY(jobs.find(number)->log.join('\n').contains("/nonexistent/aicf"));
  }

  void nonsenseInAVariantIsNoCrash() {
    for (const char* text :
         {"{}", "[]", "null",
          R"({"id":3,"plan":[],"compile":"x","validation":{"checks":{"a":1},"max_rel_err":"nan"},"counters":"none"})"})
      (void)variantFrom(nlohmann::json::parse(text));
    QVERIFY(std::isnan(variantFrom(nlohmann::json::parse(R"({"validation":{"max_rel_err":"nan"}})")).relErr));
  }
};

QTEST_GUILESS_MAIN(TestWorkerClient)
#include "test_worker_client.moc"
