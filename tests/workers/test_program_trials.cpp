// Random programs in children: which a crash costs, whatever place it comes at.
#include "synth/workers/program_trials.hpp"

#include <QTest>
#include <QThread>

#include <thread>

using namespace aicf;

namespace {

/// A child in shell: $1 is the first seed, $2 how many; `each` is done for every $s.
std::vector<std::string> child(const std::string& each, const std::string& last = "echo done") {
  return {"/bin/sh", "-c",
          "s=$1; end=$(($1 + $2)); while [ $s -lt $end ]; do echo seed $s; " + each + "; s=$((s + 1)); done; " + last,
          "child"};
}

} // namespace

class TestProgramTrials : public QObject {
  Q_OBJECT
 private slots:
  void allAreCompared() {
    auto t = try_programs(child("[ $s -ne 4 ] || echo differs seed 4 in the last bit"), 7, {});
    QVERIFY(t);
    QCOMPARE(t->compared, 7);
    QCOMPARE(t->different, 1);
    QCOMPARE(t->examples, std::vector<std::string>{"seed 4 in the last bit"});
    QVERIFY(t->crashes.empty() && !t->cancelled);
  }
  void aCrashCostsItsProgramAlone_data() {
    QTest::addColumn<QString>("seeds");
    QTest::addColumn<int>("crashes");
    QTest::newRow("first") << "1" << 1;
    QTest::newRow("last") << "9" << 1;
    QTest::newRow("neighbours") << "4 5" << 2;
    QTest::newRow("all") << "1 2 3 4 5 6 7 8 9" << 9;
  }
  void aCrashCostsItsProgramAlone() {
    QFETCH(QString, seeds);
    QFETCH(int, crashes);
    auto t = try_programs(child("case \" " + seeds.toStdString() + " \" in *\" $s \"*) kill -SEGV $$;; esac"), 9, {});
    QVERIFY(t);
    QCOMPARE(t->compared, 9 - crashes);
    QCOMPARE(t->different, 0);
    QCOMPARE(static_cast<int>(t->crashes.size()), crashes);
    const std::string first = "seed " + seeds.split(' ').first().toStdString() + ": ";
    QVERIFY2(t->crashes.front().starts_with(first), t->crashes.front().c_str());
    QVERIFY(t->crashes.front().find("signal 11") != std::string::npos);
  }
  void aChildThatSaysNothingIsAnError() {
    auto t = try_programs({"/bin/sh", "-c", "echo no device >&2; exit 4", "child"}, 5, {});
    QVERIFY(!t);
    QCOMPARE(t.diagnostics.front().code, std::string("selftest.child"));
    QVERIFY(t.diagnostics.front().message.find("no device") != std::string::npos);
    QVERIFY(!try_programs({"/no/such/program"}, 5, {}));
  }
  /// "done" before the last seed is none, and a seed that is named again moves nothing on.
  void aChildThatLiesEnds() {
    auto t = try_programs(
        {"/bin/sh", "-c", "echo seed $1; echo seed $1; echo seed 0; echo seed 99; echo done", "child"}, 3, {});
    QVERIFY(t);
    QCOMPARE(static_cast<int>(t->crashes.size()), 2);
    QCOMPARE(t->compared, 1); // at seed 3 it is the last one
  }
  void aHangIsCancelled() {
    std::stop_source stop;
    std::jthread later([&] {
      QThread::msleep(200);
      stop.request_stop();
    });
    auto t = try_programs(child("sleep 60"), 3, stop.get_token());
    QVERIFY(t && t->cancelled);
    QCOMPARE(t->compared, 0);
  }
};

QTEST_GUILESS_MAIN(TestProgramTrials)
#include "test_program_trials.moc"
