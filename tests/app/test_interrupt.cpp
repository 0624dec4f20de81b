// Ctrl-C in the middle of an analysis: the program says that it was stopped and ends with status 1, soon.
#include "tests/app/aicf_program.hpp"
#include "tests/support/paths.hpp"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <csignal>

using namespace aicf::test;

namespace {

/// A definition whose analysis takes seconds: a sum of functions in which elements and a dependency meet.
QByteArray slow(int terms) {
  QByteArray sum;
  for (int k = 0; k < terms; ++k)
    sum += (k == 0 ? "" : " + ") + QByteArray("tanh(x[i, j]*") + QByteArray::number(k + 1) + " - s[i])";
  return "op slow(x: float[M, N]) -> y: float[M]\n  s[i] = sum[j] x[i, j]\n  y[i] = sum[j] (" + sum + ")\n";
}

class Interrupted : public AicfProgram {
 public:
  /// Starts, interrupts after `ms`, and says how long the end took.
  Ran after(const QStringList& arguments, int ms, qint64& took) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("AICF_ATLAS", sourceFile("atlas"));
    environment.insert("AICF_CACHE_DIR", directory_.filePath("cache"));
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    if (!process.waitForStarted(20000) || process.waitForFinished(ms)) return {}; // it was too quick to be interrupted
    QElapsedTimer timer;
    timer.start();
    kill(static_cast<pid_t>(process.processId()), SIGINT);
    if (!process.waitForFinished(20000)) return {};
    took = timer.elapsed();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
  }
};

} // namespace

class TestInterrupt : public QObject {
  Q_OBJECT
  Interrupted aicf;

 private slots:
  void ends_soon_data() {
    QTest::addColumn<QStringList>("arguments");
    const QString file = aicf.file("slow.op", slow(400)), deep = aicf.file("large.op", slow(20000));
    QTest::newRow("analyze") << QStringList{"analyze", file};
    QTest::newRow("analyze a very large one") << QStringList{"analyze", deep, "--json"};
    QTest::newRow("its gradient") << QStringList{"analyze", deep, "--grad"};
    QTest::newRow("legal") << QStringList{"legal", file};
    QTest::newRow("the matrix of properties") << QStringList{"ops", "--properties"};
  }
  void ends_soon() {
    QFETCH(QStringList, arguments);
    qint64 best = 1000000; // of a few: what else the machine does may keep a process waiting
    for (int k = 0; k < 5 && best >= 200; ++k) {
      qint64 took = 0;
      const Ran r = aicf.after(arguments, 300, took);
      QCOMPARE(r.status, 1);
      QVERIFY2(r.err.contains("aicf: stopped"), r.err.constData());
      best = std::min(best, took);
    }
    QVERIFY2(best < 200, QByteArray::number(best));
  }
};

QTEST_GUILESS_MAIN(TestInterrupt)
#include "test_interrupt.moc"
