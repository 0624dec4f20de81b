// Occupancy of a module at its launch, by NVIDIA's published table for compute capability 9.0, and intensity by hand.
#include "synth/kernel_position.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

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
    const auto r = roofline_json({exact_metric("warp_instructions", "instructions", 128),
                                  exact_metric("global_load_sectors", "sectors", 24),
                                  exact_metric("global_store_sectors", "sectors", 8)});
    QCOMPARE(r["sectors"], 32.0);
    QCOMPARE(r["intensity"], 4.0);
    QVERIFY(roofline_json({}).is_null());
    QVERIFY(roofline_json({exact_metric("warp_instructions", "instructions", 4)}).is_null());
  }
};

QTEST_GUILESS_MAIN(TestKernelPosition)
#include "test_kernel_position.moc"
