// The emulator's counters beside those that Nsight Compute read on an H200 for the same kernels
// (tests/bench/results/nvidia-h200-2026-11-30-counters.json, made by tests/bench/counters.py).
#include "tests/app/aicf_program.hpp"

#include <QFile>
#include <QJsonArray>
#include <QtTest>

using aicf::test::sourceFile;

namespace {

const QString l1 = QStringLiteral("l1tex__t_%1_pipe_lsu_mem_global_op_%2.sum");
const QString waves = QStringLiteral("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_%1.sum");

/// Where the machine code is another program than the PTX that the emulator runs: ptxas joins neighbouring loads
/// (layernorm, matmul_tiled, cluster_sum), reads once what is read again (compaction), puts a swap under predicates
/// (bitonic_sort).
const QStringList otherwise_compiled{"layernorm", "matmul_tiled", "cluster_sum", "compaction", "bitonic_sort"};

} // namespace

class TestHardwareCounters : public QObject, private aicf::test::AicfProgram {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (!run({"doctor", "--json"}).json()["nvrtc"].toObject()["available"].toBool())
      QSKIP("SKIPPED: no NVRTC, so no kernel can be compiled here");
  }

  /// Sectors and requests of global memory, atomics among them, wavefronts of shared memory. Not sectors of stores:
  /// that counter gave other values in each run of one kernel.
  void theEmulatorCountsWhatTheHardwareCounts() {
    QFile file(sourceFile("tests/bench/results/nvidia-h200-2026-11-30-counters.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QMap<QString, QJsonObject> hardware;
    for (const QJsonValue kernel : QJsonDocument::fromJson(file.readAll()).object()["kernels"].toArray())
      hardware[kernel["name"].toString()] = kernel["ncu"].toObject();
    const auto ran = run({"selftest", "counters", "--json"});
    QCOMPARE(ran.status, 0);
    int kernels = 0;
    for (const QJsonValue kernel : ran.json()["kernels"].toArray()) {
      const QString name = kernel["name"].toString();
      if (!hardware.contains(name) || otherwise_compiled.contains(name)) continue;
      ++kernels;
      QMap<QString, double> counted;
      for (const QJsonValue metric : kernel["metrics"].toArray())
        counted[metric["id"].toString()] = metric["value"].toDouble();
      auto sum = [&](const QStringList& metrics) {
        double total = 0;
        for (const QString& metric : metrics) total += hardware[name][metric].toDouble();
        return total;
      };
      auto same = [&](const char* what, double ours, double theirs) {
        QVERIFY2(ours == theirs,
                 qPrintable(QString("%1, %2: %3, the hardware %4").arg(name, what).arg(ours).arg(theirs)));
      };
      for (const char* what : {"requests", "sectors"}) {
        // those of the copy engine are no accesses of the kernel
        same("loads", counted[QString("global_load_") + what] - counted[QString("bulk_load_") + what],
             sum({l1.arg(what, "ld")}));
        same("atomics", counted[QString("global_atomic_") + what], sum({l1.arg(what, "atom"), l1.arg(what, "red")}));
      }
      same("store requests", counted["global_store_requests"] - counted["bulk_store_requests"],
           sum({l1.arg("requests", "st")}));
      same("shared loads", counted["shared_load_wavefronts"], sum({waves.arg("ld"), waves.arg("ldsm")}));
      same("shared stores", counted["shared_store_wavefronts"], sum({waves.arg("st"), waves.arg("stsm")}));
    }
    QVERIFY2(kernels >= 70, qPrintable(QString::number(kernels)));
  }
};

QTEST_GUILESS_MAIN(TestHardwareCounters)
#include "test_hardware_counters.moc"
