// Priors: each rule against numbers worked out by hand, who may use one and until when, and the machine that plans are
// ordered for.
#include "core/evidence/priors.hpp"
#include "core/plan/machine.hpp"

#include <QTest>

namespace aicf {
namespace {

HardwareFigure figure(const std::string& id, double value, double lo, double hi, const std::string& clock = {}) {
  HardwareFigure f;
  f.id = id, f.status = "measured", f.value = value, f.lo = lo, f.hi = hi, f.clock = clock;
  return f;
}

HardwareProfile device_profile(std::vector<HardwareFigure> figures) {
  HardwareProfile p;
  p.source = "device";
  p.device.name = "A GPU", p.device.arch = "sm_90", p.device.driver = "13.0", p.device.sm_count = 100;
  p.finished = "2026-11-01T00:00:00.000Z";
  p.figures = std::move(figures);
  return p;
}

const Prior* find(const std::vector<Prior>& priors, const std::string& id) {
  for (const Prior& p : priors)
    if (p.id == id) return &p;
  return nullptr;
}

class TestPriors : public QObject {
  Q_OBJECT
 private slots:
  void rules_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("lo");
    QTest::addColumn<double>("hi");
    QTest::newRow("a bandwidth as it is") << "memory_bandwidth" << 4e12 << 3.9e12 << 4.1e12;
    // 128 a clock of 2 GHz
    QTest::newRow("operations a second") << "issue_rate" << 256e9 << 254e9 << 258e9;
    // 30 cycles of 2 GHz
    QTest::newRow("a barrier") << "block_meeting" << 15.0 << 14.0 << 16.0;
    QTest::newRow("a barrier of a cluster") << "cluster_meeting" << 180.0 << 179.0 << 181.0;
    // 4 over 8 TB/s; the spread is the quotients of the ends
    QTest::newRow("a byte read again") << "reread_cost" << 0.5 << 3.8 / 8.4 << 4.2 / 7.6;
    // 2 loads of 512 threads, 16 KiB, have 3.9 of 4; 1 of 512, 8 KiB, have 3.0
    QTest::newRow("bytes that saturate") << "bytes_to_saturate" << 16384.0 << 16384.0 << 16384.0;
    // 600 cycles of 2 GHz at 4 TB/s over 100 multiprocessors
    QTest::newRow("bytes in flight") << "bytes_in_flight" << 12000.0 << 12000.0 * 0.99 << 12000.0 * 1.01;
    QTest::newRow("a second kernel") << "second_kernel" << 1.5 << 1.4 << 1.6;
    // 128 threads take 16.0 to 16.6; 64 threads, 16.5 to 17, meet that, 256 do not
    QTest::newRow("threads of a row") << "threads_of_row_4096" << 128.0 << 64.0 << 128.0;
    QTest::newRow("threads of a shorter row") << "threads_of_row_256" << 64.0 << 64.0 << 64.0;
    // on chip 30 and 60 against 54 and 61 online; at 16384 online is faster
    QTest::newRow("rows on chip") << "resident_row" << 4096.0 << 4096.0 << 16384.0;
    // the block's tree is fastest, the warp's is within its spread, the sequential one is not
    QTest::newRow("drift of topologies") << "topology_drift" << 6e-8 << 6e-8 << 2e-7;
    // 95 % of 4.1 are 3.895: 2 copies have 3.9, but 3.8 at least; 2 stages have 3.8, but 3.95 at most
    QTest::newRow("stages of copies") << "bulk_copy_stages" << 2.0 << 2.0 << 4.0;
    QTest::newRow("stages of cp.async") << "async_copy_stages" << 4.0 << 2.0 << 4.0;
    QTest::newRow("streaming stores") << "streaming_writeback" << 1.05 << 40.0 / 41 << 44.0 / 39;
  }
  void rules() {
    QFETCH(QString, id);
    QFETCH(double, value);
    QFETCH(double, lo);
    QFETCH(double, hi);
    const auto priors =
        derive_priors(device_profile({figure("dram_copy.copy", 4e12, 3.9e12, 4.1e12),
                                      figure("arithmetic_rate.fma_f32", 128, 127, 129, "2000 MHz"),
                                      figure("barrier_latency.bar_256", 30, 28, 32, "2000 MHz"),
                                      figure("cluster_barrier_latency.blocks_4", 360, 358, 362, "2000 MHz"),
                                      figure("dram_read.loads_4", 4e12, 3.8e12, 4.2e12),
                                      figure("l2_bandwidth.kib_16384", 8e12, 7.6e12, 8.4e12),
                                      figure("bytes_in_flight.loads_1_threads_512", 3e12, 2.9e12, 3.1e12),
                                      figure("bytes_in_flight.loads_2_threads_512", 3.9e12, 3.85e12, 3.95e12),
                                      figure("bytes_in_flight.loads_4_threads_512", 4e12, 3.95e12, 4.05e12),
                                      figure("level_latency.dram", 600, 600 * 0.99, 600 * 1.01, "2000 MHz"),
                                      figure("dram_read.loads_8", 4e12, 4e12, 4e12),
                                      figure("launch_overhead.grid_132", 1.5, 1.4, 1.6),
                                      figure("threads_per_row.t64.4096.time", 16.8, 16.5, 17),
                                      figure("threads_per_row.t128.4096.time", 16.3, 16, 16.6),
                                      figure("threads_per_row.t256.4096.time", 18, 17, 19),
                                      figure("threads_per_row.t64.256.time", 40, 39, 41),
                                      figure("threads_per_row.t128.256.time", 44, 43, 45),
                                      figure("online_forms.online.1024.time", 54, 53, 55),
                                      figure("online_forms.resident.1024.time", 30, 29, 31),
                                      figure("online_forms.online.4096.time", 61, 60, 62),
                                      figure("online_forms.resident.4096.time", 60, 59, 62),
                                      figure("online_forms.online.16384.time", 50, 49, 51),
                                      figure("online_forms.resident.16384.time", 51, 50, 52),
                                      figure("reduction_topology.sequential.4096.time", 292, 291, 293),
                                      figure("reduction_topology.sequential.4096.drift", 5e-7, 5e-7, 5e-7),
                                      figure("reduction_topology.warp.4096.time", 27, 25.5, 28),
                                      figure("reduction_topology.warp.4096.drift", 2e-7, 2e-7, 2e-7),
                                      figure("reduction_topology.block.4096.time", 25, 24, 26),
                                      figure("reduction_topology.block.4096.drift", 6e-8, 6e-8, 6e-8),
                                      figure("bulk_copy_bandwidth.bytes_16384_depth_1", 2.8e12, 2.7e12, 2.9e12),
                                      figure("bulk_copy_bandwidth.bytes_16384_depth_2", 3.9e12, 3.8e12, 4e12),
                                      figure("bulk_copy_bandwidth.bytes_16384_depth_4", 4.1e12, 4e12, 4.2e12),
                                      figure("cp_async_bandwidth.bytes_16_depth_2", 3.8e12, 3.7e12, 3.95e12),
                                      figure("cp_async_bandwidth.bytes_16_depth_4", 4.1e12, 4e12, 4.2e12),
                                      figure("writeback_forms.streaming.4096.time", 42, 40, 44),
                                      figure("writeback_forms.plain.4096.time", 40, 39, 41)}));
    const Prior* prior = find(priors, id.toStdString());
    QVERIFY(prior != nullptr);
    auto near = [](double a, double b) { return std::fabs(a - b) <= 1e-9 * std::fabs(b); };
    QVERIFY2(near(prior->value, value) && near(prior->lo, lo) && near(prior->hi, hi),
             qPrintable(QString("%1, %2 to %3").arg(prior->value).arg(prior->lo).arg(prior->hi)));
    QCOMPARE(prior->device, std::string("A GPU"));
    QCOMPARE(prior->driver, std::string("13.0"));
    QVERIFY(!prior->evidence.empty());
  }

  void no_figure_no_prior() {
    auto withheld = figure("dram_copy.copy", 4e12, 4e12, 4e12);
    withheld.status = "withheld";
    QVERIFY(derive_priors(device_profile({withheld})).empty());
    // cycles whose clock is not known are no time
    QVERIFY(derive_priors(device_profile({figure("barrier_latency.bar_256", 30, 28, 32)})).empty());
  }

  /// Of exact counts: 14 instructions more in a kernel that calls a function twice are 7 a call, on every such device.
  void library_functions() {
    auto count = [](const char* id, double n) {
      auto f = figure(id, n, n, n);
      f.status = "exact";
      return f;
    };
    const auto priors = derive_priors(device_profile(
        {count("exp_forms.precise.4096.instructions", 54), count("exp_forms.fast.4096.instructions", 40),
         count("erf_forms.precise.4096.instructions", 33), count("erf_forms.fast.4096.instructions", 30)}));
    QCOMPARE(find(priors, "library_exp")->value, 7.0);
    QCOMPARE(find(priors, "library_erf")->value, 3.0);
    QCOMPARE(find(priors, "library_erf")->expires_days, 0);
    QVERIFY(find(priors, "library_erf")->driver.empty());
  }

  /// A shipped profile's priors are what the rules make of its figures.
  void shipped_profiles() {
    for (const auto& path : shipped_hardware_profiles()) {
      auto profile = load_hardware_profile(path);
      QVERIFY2(profile, path.string().c_str());
      const auto derived = derive_priors(*profile);
      QCOMPARE(derived.size(), profile->priors.size());
      for (const Prior& d : derived) {
        const Prior* kept = find(profile->priors, d.id);
        QVERIFY2(kept != nullptr && std::fabs(kept->value - d.value) <= 1e-12 * std::fabs(d.value) &&
                     kept->rule == d.rule && kept->evidence == d.evidence && kept->device == d.device &&
                     kept->expires_days == d.expires_days,
                 d.id.c_str());
      }
    }
  }

  void who_may_use_it() {
    const auto priors = derive_priors(device_profile({figure("dram_copy.copy", 4e12, 4e12, 4e12)}));
    HardwareDevice same, other, architecture;
    same.name = "A GPU", same.arch = "sm_90", same.driver = "13.0";
    other = same, other.name = "Another GPU";
    architecture.arch = "sm_90";
    CompilerProfile rules, lenient;
    lenient.foreign_priors = true;
    auto usable = [&](const HardwareDevice& here, const char* now, const CompilerProfile& by) {
      return judge_priors(priors, here, now, by).at(0).usable;
    };
    const char* soon = "2026-12-01T00:00:00.000Z";
    QVERIFY(usable(same, soon, rules));
    QVERIFY(!usable(other, soon, rules));
    QVERIFY(!usable(architecture, soon, rules));
    QVERIFY(usable(other, soon, lenient));
    QVERIFY(usable(architecture, soon, lenient));
    QVERIFY(!usable(same, "2027-06-01T00:00:00.000Z", lenient)); // 212 days
    same.driver = "13.1";
    QVERIFY(!usable(same, soon, rules));
    rules.prior_max_age_days = 10;
    same.driver = "13.0";
    QVERIFY(!usable(same, soon, rules));
  }

  void a_machine_of_priors() {
    std::vector<PriorState> states(3);
    states[0].prior.id = "memory_bandwidth", states[0].prior.value = 4e12, states[0].usable = true;
    states[1].prior.id = "second_kernel", states[1].prior.value = 1.5, states[1].usable = true;
    states[2].prior.id = "issue_rate", states[2].prior.value = 1e11, states[2].usable = false;
    const MachineModel m = machine_model(states, 132), nominal;
    QCOMPARE(m.memory_rate, 4000.0);
    QCOMPARE(m.second_kernel, 1500.0);
    QCOMPARE(m.issue, nominal.issue);
    QCOMPARE(m.multiprocessors, 132.0);
    QCOMPARE(m.priors, (std::vector<std::string>{"memory_bandwidth", "second_kernel"}));
    QVERIFY(machine_model({}).priors.empty());
  }
};

} // namespace
} // namespace aicf

QTEST_APPLESS_MAIN(aicf::TestPriors)
#include "test_priors.moc"
