// aicf check on ten kernels as people write them: the right verdict, and the right line of the right kernel. The lines
// are found in the files by their text, the counters by hand.
#include "tests/app/aicf_program.hpp"
#include "tests/support/paths.hpp"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

using aicf::test::program;
using aicf::test::Ran;
using aicf::test::sourceFile;

namespace {

const QString kernels = sourceFile("tests/data/kernels/");

/// The first line that holds the text, from 1.
int line_of(const QString& file, const QString& text) {
  QFile f(file);
  if (!f.open(QIODevice::ReadOnly)) return -1;
  const QStringList lines = QString::fromUtf8(f.readAll()).split('\n');
  for (int i = 0; i < lines.size(); ++i)
    if (lines[i].contains(text)) return i + 1;
  return -1;
}

} // namespace

class TestCheck : public QObject, private aicf::test::AicfProgram {
  Q_OBJECT

  static QStringList case_of(const QString& kernel, const QString& op, const QString& shape, const QStringList& more) {
    return QStringList{"check", kernels + kernel + ".cu", "--op", op, "--shape", shape, "--json"} + more;
  }

 private slots:
  void initTestCase() {
    if (!run({"doctor", "--json"}).json()["nvrtc"].toObject()["available"].toBool())
      QSKIP("SKIPPED: no NVRTC, so no kernel can be compiled here");
  }

  void right_kernels_pass_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("tiled transpose") << case_of(
        "transpose_tiled", kernels + "transpose.op", "M=70,N=45",
        {"--entry", "transpose", "--grid", "(N+31)/32,(M+31)/32", "--block", "32,8"});
    QTest::newRow("naive matmul") << case_of(
        "matmul_naive", "matmul", "M=20,N=24,K=40",
        {"--entry", "matmul_naive", "--grid", "(N+15)/16,(M+15)/16", "--block", "16,16"});
    QTest::newRow("tiled matmul") << case_of(
        "matmul_tiled", "matmul", "M=20,N=24,K=40",
        {"--entry", "matmul_tiled", "--grid", "ceil(N/16),ceil(M/16)", "--block", "16,16"});
    QTest::newRow("tree reduction") << case_of("reduce_tree", "sum", "M=5,N=1000",
                                               {"--entry", "reduce_tree", "--grid", "M", "--block", "256"});
    QTest::newRow("atomic reduction") << case_of(
        "reduce_atomic", "sum", "M=3,N=1000",
        {"--entry", "reduce_atomic", "--grid", "(N+255)/256,M", "--block", "256", "--zero", "y"});
    QTest::newRow("histogram") << case_of(
        "histogram", kernels + "histogram.op", "N=1000",
        {"--entry", "histogram", "--grid", "(N+127)/128", "--block", "128", "--shared", "bins*4", "--zero", "y"});
    QTest::newRow("scan") << case_of("scan", "cumsum", "M=3,N=300",
                                     {"--entry", "scan", "--grid", "M", "--block", "128"});
  }
  void right_kernels_pass() {
    QFETCH(QStringList, arguments);
    Ran r = run(arguments);
    QVERIFY2(r.status == 0, (r.out + r.err).constData());
    QJsonObject document = r.json();
    QCOMPARE(document["schema"].toString(), QString("aicf.check/1"));
    QVERIFY(document["passed"].toBool());
    QVERIFY(document["findings"].toArray().isEmpty());
    QJsonObject validation = document["variant"].toObject()["validation"].toObject();
    QVERIFY(validation["max_rel_err"].toDouble() <= validation["bound"].toDouble() || validation["bound"] == 0);
    QVERIFY(validation["checks"].toArray().size() > 10); // edge sizes among them
    QVERIFY(!document["lines"].toArray().isEmpty());
    // Runs can refute an order, and prove none: sums by atomics differ with the order of the blocks.
    const QJsonObject order = document["variant"].toObject()["order"].toObject();
    QVERIFY(order.contains("keeps") && order["keeps"].isNull() && !order["reason"].toString().isEmpty());
    const bool atomic = QString(QTest::currentDataTag()) == "atomic reduction";
    QVERIFY2(order["run_to_run"].toString().startsWith(atomic ? "lost (y[" : "not seen to be lost"),
             qPrintable(order["run_to_run"].toString()));
    QVERIFY(!order["tried"].toArray().isEmpty());
  }

  void wrong_kernels_fail_on_their_line_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QStringList>("lines"); // texts, one of which is on the line of the first finding
    QTest::newRow("softmax with a race") << case_of("softmax_race", "softmax", "M=2,N=300",
                                                    {"--entry", "softmax_race", "--grid", "M", "--block", "256"})
                                         << "shared-race"
                                         << QStringList{"most[threadIdx.x] = m", "fmaxf(m, most[other])"};
    QTest::newRow("tail out of bounds") << case_of("relu_tail", "relu", "M=1,N=1000",
                                                   {"--entry", "relu_tail", "--args", "x,y,M*N", "--grid",
                                                    "(M*N+255)/256", "--block", "256"})
                                        << "out-of-bounds" << QStringList{"float value = x[i]"};
    QTest::newRow("last block forgotten")
        << case_of("relu_last_block", "relu", "M=1,N=1000",
                   {"--entry", "relu_last_block", "--args", "x,y,M*N", "--grid", "M*N/256", "--block", "256"})
        << "not-written" << QStringList{"y[i] ="};
  }
  void wrong_kernels_fail_on_their_line() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, kind);
    QFETCH(QStringList, lines);
    Ran r = run(arguments);
    QVERIFY2(r.status == 1, (r.out + r.err).constData());
    QJsonArray findings = r.json()["findings"].toArray();
    QVERIFY(!findings.isEmpty());
    QJsonObject first = findings.at(0).toObject();
    QCOMPARE(first["kind"].toString(), kind);
    QCOMPARE(first["kernel"].toString(), arguments[arguments.indexOf("--entry") + 1]);
    QCOMPARE(first["file"].toString(), arguments[1]);
    QVERIFY(first["ptx_line"].toInt() > 0);
    QList<int> expected;
    for (const QString& text : lines) expected << line_of(arguments[1], text);
    QVERIFY2(expected.contains(first["line"].toInt()), r.out.constData());
    if (kind == "out-of-bounds") { // the first element outside is 1000: thread 232 of block 3
      QCOMPARE(first["block"].toArray().at(0).toInt(), 3);
      QCOMPARE(first["thread"].toArray().at(0).toInt(), 232);
    }
    if (kind == "not-written") QVERIFY2(first["message"].toString().contains("y[0, 768]"), r.out.constData());
    arguments.removeAll("--json");
    Ran text = run(arguments);
    QVERIFY2(text.out.contains(QString("%1:%2:").arg(arguments[1]).arg(first["line"].toInt()).toUtf8()),
             text.out.constData());
  }

  /// A value that is wrong is traced to the thread and the line that wrote it.
  void a_wrong_value_names_its_writer() {
    QString cu = file("scale.cu", "__global__ void twice(const float* x, float* y, int M, int N) {\n"
                                  "  int i = blockIdx.x * 128 + threadIdx.x;\n"
                                  "  if (i >= M * N) return;\n"
                                  "  if (i == 200)\n"
                                  "    y[i] = 1e30f;\n"
                                  "  else\n"
                                  "    y[i] = x[i] < 0 ? 0 : x[i];\n}\n");
    Ran r = run({"check", cu, "--entry", "twice", "--op", "relu", "--shape", "M=4,N=100", "--grid", "(M*N+127)/128",
                 "--block", "128", "--json"});
    QVERIFY2(r.status == 1, (r.out + r.err).constData());
    QJsonObject first = r.json()["findings"].toArray().at(0).toObject();
    QCOMPARE(first["kind"].toString(), QString("wrong-value"));
    QCOMPARE(first["line"].toInt(), 5);
    QCOMPARE(first["block"].toArray().at(0).toInt(), 1);
    QCOMPARE(first["thread"].toArray().at(0).toInt(), 72);
  }

  void counters_of_a_line_are_exact() {
    Ran r =
        run(case_of("reduce_tree", "sum", "M=5,N=1024", {"--entry", "reduce_tree", "--grid", "M", "--block", "256"}));
    const int load = line_of(kernels + "reduce_tree.cu", "sum += row[j]");
    const QJsonArray lines = r.json()["lines"].toArray();
    double sectors = -1;
    for (const QJsonValue& l : lines)
      if (l.toObject()["line"].toInt() == load) sectors = l.toObject()["global_sectors"].toDouble();
    QCOMPARE(sectors, 5 * 1024 * 4 / 32.0); // every byte once, 32 a sector
  }

  void what_cannot_be_mapped_is_named() {
    QString cu = file("m.cu", "__global__ void k(const float* x, float* y, int rows, int cols) {\n  y[0] = x[0];\n}\n");
    Ran r = run({"check", cu, "--entry", "k", "--op", "relu", "--shape", "M=4,N=100", "--block", "128"});
    QCOMPARE(r.status, 2);
    QVERIFY2(r.err.contains("m.cu:1:49: error: parameter 'int rows' stands for nothing"), r.err.constData());
    QVERIFY(r.err.contains("--args"));
    r = run({"check", cu, "--entry", "k", "--op", "relu", "--shape", "M=4,N=100", "--args", "x,y,M"});
    QVERIFY2(r.status == 2 && r.err.contains("takes 4"), r.err.constData());
    r = run({"check", cu, "--entry", "k", "--op", "relu", "--shape", "M=4,N=100", "--args", "y,x,M,N"});
    QVERIFY2(r.status == 2 && r.err.contains("'float* x'"), r.err.constData());
    r = run({"check", cu, "--entry", "none", "--op", "relu", "--shape", "M=4,N=100"});
    QVERIFY2(r.status == 2 && r.err.contains("kernels here: k"), r.err.constData());
  }

  void launch_expressions_have_places() {
    QString cu = file("l.cu", "__global__ void k(const float* x, float* y, int M, int N) { y[0] = x[0]; }\n");
    Ran r = run({"check", cu, "--entry", "k", "--op", "relu", "--shape", "M=4,N=100", "--grid", "M,(N+Q)/2"});
    QCOMPARE(r.status, 2);
    QVERIFY2(r.err.contains("--grid:1:6: error:") && r.err.contains("Q"), r.err.constData());
  }

  void compile_errors_are_of_the_users_file() {
    QString cu = file("c.cu", "__global__ void k(const float* x, float* y, int M, int N) {\n  y[0] = z;\n}\n");
    Ran r = run({"check", cu, "--entry", "k", "--op", "relu", "--shape", "M=4,N=100"});
    QCOMPARE(r.status, 2);
    QVERIFY2(r.err.contains("c.cu:2:"), r.err.constData());
  }

  void sizes_that_the_kernel_holds_as_constants_stay() {
    QString cu =
        file("f.cu", "__global__ void k(const float* x, float* y) {\n"
                     "  for (int j = threadIdx.x; j < 100; j += 32)\n"
                     "    y[blockIdx.x * 100 + j] = x[blockIdx.x * 100 + j] < 0 ? 0 : x[blockIdx.x * 100 + j];\n}\n");
    Ran r = run({"check", cu, "--entry", "k", "--op", "relu", "--shape", "M=4,N=100", "--grid", "M", "--block", "32",
                 "--json"});
    QVERIFY2(r.status == 0, (r.out + r.err).constData());
    QCOMPARE(r.json()["fixed_sizes"].toArray(), QJsonArray{"N"});
  }

  /// In the evidence store it is a row like a generated variant's, found by its hash of everything.
  void the_result_is_kept() {
    Ran info = run({"store", "info", "--json"});
    QCOMPARE(info.status, 0);
    QVERIFY2(info.json()["kinds"].toObject()["check"].toObject()["rows"].toInt() > 0, info.out.constData());
  }

  /// Three kernels that cost their own job: the next one on the same worker works.
  void bad_kernels_cost_their_own_job() {
    auto job = [](int id, const QByteArray& body, const QString& block) {
      QJsonObject request{{"op", "relu"},
                          {"dims", QJsonObject{{"M", 1}, {"N", 64}}},
                          {"entry", "k"},
                          {"source", QString::fromUtf8("__global__ void k(const float* x, float* y, int M, int N) {\n" +
                                                       body + "\n}\n")},
                          {"grid", "1"},
                          {"block", block},
                          {"multiples", QJsonObject{{"M", 1}, {"N", 64}}}};
      QJsonObject message{{"jsonrpc", "2.0"},
                          {"method", "start"},
                          {"params", QJsonObject{{"job", id}, {"kind", "check"}, {"body", request}}}};
      return QJsonDocument(message).toJson(QJsonDocument::Compact) + "\n";
    };
    QProcess worker;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("AICF_STORE", directory_.filePath("worker.sqlite"));
    environment.insert("AICF_ATLAS", sourceFile("atlas"));
    worker.setProcessEnvironment(environment);
    worker.start(program, {"worker"});
    worker.write(job(1, "for (;;) if (N == 0) y[0] = x[0];", "32"));
    worker.write(job(2, "y[threadIdx.x * 1000] = x[threadIdx.x];", "32"));
    worker.write(job(3, "*(volatile float*)16 = 1; asm(\"trap;\");", "32")); // on a device it ends the context
    worker.write(job(4, "for (int i = threadIdx.x; i < M * N; i += 32) y[i] = x[i] < 0 ? 0 : x[i];", "32"));
    QMap<int, QString> status, fault;
    QByteArray pending;
    while (status.size() < 4 && worker.waitForReadyRead(120000)) {
      pending += worker.readAllStandardOutput();
      for (qsizetype at; (at = pending.indexOf('\n')) >= 0; pending.remove(0, at + 1)) {
        const QJsonObject message = QJsonDocument::fromJson(pending.left(at)).object();
        const QJsonObject params = message["params"].toObject();
        if (message["method"] == "done") status[params["job"].toInt()] = params["status"].toString();
        if (message["method"] == "result" && params["kind"] == "variant")
          fault[params["job"].toInt()] = params["body"]
                                             .toObject()["validation"]
                                             .toObject()["faults"]
                                             .toArray()
                                             .at(0)
                                             .toObject()["kind"]
                                             .toString();
      }
    }
    worker.closeWriteChannel();
    QVERIFY(worker.waitForFinished(5000));
    QCOMPARE(fault[1], QString("step-limit"));
    QCOMPARE(fault[2], QString("out-of-bounds"));
    QCOMPARE(fault[3], QString("out-of-bounds"));
    QCOMPARE(fault[4], QString());
    QCOMPARE(status, (QMap<int, QString>{{1, "refused"}, {2, "refused"}, {3, "refused"}, {4, "ok"}}));
  }
};

QTEST_GUILESS_MAIN(TestCheck)
#include "test_check.moc"
