// Random programs in children: which a crash costs, whatever place it comes at.
#include "synth/workers/program_trials.hpp"

#include <nlohmann/json.hpp>

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
  /// The last word on a program counts: seed 2 differs, and more of it is told; seed 5 is the compiler's.
  void theCompilersOwnIsCountedApart() {
    auto t = try_programs(child("case $s in 2) echo differs seed 2; echo differs seed 2 after all;; 5) echo differs "
                                "seed 5; echo compiler seed 5, level 4 differs, level 0 agrees;; esac"),
                          7, {});
    QVERIFY(t);
    QCOMPARE(t->compared, 7);
    QCOMPARE(t->different, 1);
    QCOMPARE(t->compilers, 1);
    QCOMPARE(t->examples, std::vector<std::string>{"seed 2 after all"});
    QCOMPARE(t->compilers_examples, std::vector<std::string>{"seed 5, level 4 differs, level 0 agrees"});
    QVERIFY(!t->passed());
    QCOMPARE(summary(*t), std::string("7 compared, 1 differ, 1 the compiler's own"));
    auto own = try_programs(child("echo differs; echo differs it; echo compiler it"), 3, {});
    QVERIFY(own && own->passed());
    QCOMPARE(to_json(*own)["compiler_disagrees_with_itself"].get<int>(), 3);
    QCOMPARE(to_json(*own)["different"].get<int>(), 0);
  }
  /// What was already known of a program is not lost with its process.
  void aCrashBehindADifferenceLeavesIt() {
    auto t = try_programs(child("[ $s -ne 4 ] || { echo differs seed 4; kill -SEGV $$; }"), 6, {});
    QVERIFY(t);
    QCOMPARE(t->compared, 6);
    QCOMPARE(t->different, 1);
    QVERIFY(t->crashes.empty());
    QVERIFY2(t->examples.front().starts_with("seed 4 (then its process was ended by signal 11"),
             t->examples.front().c_str());
  }
  void eachProgramIsToldOfInTurn() {
    std::vector<int> compared;
    auto t = try_programs(child("[ $s -ne 3 ] || kill -SEGV $$"), 5, {},
                          [&](const ProgramTrials& so_far) { compared.push_back(so_far.compared); });
    QVERIFY(t);
    QCOMPARE(compared, (std::vector<int>{1, 2, 2, 3, 4})); // the third is of the crash
  }
  void aStoppedRunKeepsWhatItHas() {
    std::stop_source stop;
    auto t = try_programs(child("[ $s -ne 2 ] || echo differs seed 2; [ $s -ne 5 ] || sleep 60"), 9, stop.get_token(),
                          [&](const ProgramTrials& so_far) {
                            if (so_far.compared == 4) stop.request_stop();
                          });
    QVERIFY(t && t->cancelled && !t->passed());
    QCOMPARE(t->compared, 4);
    QCOMPARE(t->different, 1);
    QVERIFY(summary(*t).ends_with("; stopped"));
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
