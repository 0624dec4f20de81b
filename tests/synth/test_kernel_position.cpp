// Occupancy of a module at its launch, by NVIDIA's published table for compute capability 9.0, and intensity by hand.
#include "synth/kernel_position.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>

using namespace aicf;

class TestKernelPosition : public QObject {
  Q_OBJECT
 private slots:
  void occupancies() {
    KernelModule m;
    Compiled c;
    m.launch.block[0].text = "T";
    m.launch.dynamic_shared.text = "4*N";
    c.registers = 33;
    // 33 registers take the space of 40: 48 of 64 warps in whole partitions.
    auto o = occupancy_json(m, c, "sm_90", {{"T", 256}, {"N", 0}});
    QCOMPARE(o["blocks"], 6);
    QCOMPARE(o["fraction"], 0.75);
    QCOMPARE(o["limiter"], "registers");
    // 100 KiB and the system's 1 KiB go twice into 228 KiB.
    c.registers = 32;
    o = occupancy_json(m, c, "sm_90a", {{"T", 128}, {"N", 25600}});
    QCOMPARE(o["blocks"], 2);
    QCOMPARE(o["warps"], 8);
    QCOMPARE(o["limiter"], "shared");
    QVERIFY(occupancy_json(m, c, "sm_1", {{"T", 128}, {"N", 0}}).is_null());
    QVERIFY(occupancy_json(m, c, "sm_90", {{"N", 0}}).is_null());
    QVERIFY(occupancy_json(m, c, "sm_90", {{"T", 2048}, {"N", 0}}).is_null());
  }
  void intensities() {
    const MachineModel nominal;
    const auto r = roofline_json(
        {exact_metric("warp_instructions", "instructions", 128), exact_metric("flops_f32", "operations", 1000),
         exact_metric("flops_half", "operations", 24), exact_metric("tensor_flops", "operations", 1024),
         exact_metric("global_load_sectors", "sectors", 20), exact_metric("global_store_sectors", "sectors", 8),
         exact_metric("global_atomic_sectors", "sectors", 4)},
        nominal);
    QCOMPARE(r["sectors"], 32.0);
    QCOMPARE(r["intensity"], 4.0);
    QCOMPARE(r["flops_per_byte"], 2.0);
    QVERIFY(r["priors"].empty());
    QVERIFY(roofline_json({}, nominal).is_null());
    QVERIFY(roofline_json({exact_metric("warp_instructions", "instructions", 4)}, nominal).is_null());
  }
  /// 10 multiprocessors of 1 GHz and 100 bytes a nanosecond.
  void ceilings_data() {
    QTest::addColumn<QString>("counter");
    QTest::addColumn<double>("count");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<double>("us");
    const auto row = [](const char* counter, double count, const char* unit, double us) {
      QTest::newRow(unit) << QString(counter) << count << QString(unit) << us;
    };
    row("global_load_sectors", 1e6, "memory", 320);        // 32 MB
    row("warp_instructions.special", 1e6, "special", 200); // two clocks a warp
    row("warp_instructions.f64", 1e7, "f64", 500);         // half a clock
    row("warp_instructions.warp", 1e6, "warp", 100);       // one
    row("tensor_flops", 4096e6, "tensor", 100);            // 4096 a clock
    row("shared_load_wavefronts", 1e6, "shared", 100);     // one a clock
    row("warp_instructions", 1e8, "issue", 2500);          // four a clock
  }
  void ceilings() {
    QFETCH(QString, counter);
    QFETCH(double, count);
    QFETCH(QString, unit);
    QFETCH(double, us);
    MachineModel m;
    m.multiprocessors = 10, m.issue = 128, m.memory_rate = 100;
    std::vector<Metric> counters;
    counters.push_back(exact_metric(counter.toStdString(), "", count));
    for (const char* small : {"warp_instructions", "global_store_sectors"})
      if (counter != small) counters.push_back(exact_metric(small, "", 1));
    const auto r = roofline_json(counters, m);
    QCOMPARE(r["bound"].get<std::string>(), unit.toStdString());
    QVERIFY(std::abs(r["ceilings_us"][unit.toStdString()].get<double>() - us) < 1e-2);
  }
};

QTEST_GUILESS_MAIN(TestKernelPosition)
#include "test_kernel_position.moc"
