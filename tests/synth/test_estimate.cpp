// The estimate of a variant's time against sums worked out by hand, and what it says where it cannot know.
#include "synth/estimate.hpp"

#include <QTest>

namespace aicf {
namespace {

Variant variant(int kernels = 1) {
  Variant v;
  for (int i = 0; i < kernels; ++i) {
    KernelModule m;
    m.entry = "k";
    m.arch = "sm_90";
    m.args = {{"x", Arg::Role::input, DType::f32, {{"M"}, {"N"}}, {}},
              {"y", Arg::Role::output, DType::f32, {{"M"}, {"N"}}, {}}};
    m.launch.grid[0] = {"M"};
    m.launch.block[0] = {"256"};
    Compiled c;
    c.registers = 32;
    v.modules.push_back(m);
    v.compiled.push_back(c);
  }
  return v;
}

/// `reads` times over the input and once over the output, 16 sectors a request.
std::vector<Metric> counters(double reads, double instructions, double wavefronts = 0, double per_request = 16) {
  const double sectors = 1000.0 * 1000 * 4 / 32;
  return {exact_metric("global_load_sectors", "sectors", reads * sectors),
          exact_metric("global_store_sectors", "sectors", sectors),
          exact_metric("global_load_requests", "requests", reads * sectors / per_request),
          exact_metric("thread_instructions", "instructions", instructions),
          exact_metric("active_lane_efficiency", "fraction", 1),
          exact_metric("shared_load_wavefronts", "wavefronts", wavefronts),
          exact_metric("shared_store_wavefronts", "wavefronts", 0)};
}

MachineModel machine() {
  MachineModel m;
  m.multiprocessors = 100, m.memory_rate = 1000, m.in_flight = 16e3, m.reread = 0.5, m.issue = 256;
  m.second_kernel = 3000;
  return m;
}

Problem problem() {
  Problem p;
  p.dims = {{"M", 1000}, {"N", 1000}};
  return p;
}

class TestEstimate : public QObject {
  Q_OBJECT
 private slots:
  void terms_data() {
    QTest::addColumn<double>("reads");
    QTest::addColumn<double>("instructions");
    QTest::addColumn<double>("wavefronts");
    QTest::addColumn<int>("kernels");
    QTest::addColumn<double>("us");
    // 8 MB at 1000 B/ns: 8 us. 2.56e7 instructions over 100 * 256 a ns: 1 us, of which a seventh counts.
    QTest::newRow("bytes once") << 1.0 << 2.56e7 << 0.0 << 1 << 8 + 1.0 / 7;
    QTest::newRow("bytes read again") << 3.0 << 2.56e7 << 0.0 << 1 << 8 + 8 * 0.5 + 1.0 / 7;
    QTest::newRow("instructions") << 1.0 << 2.56e9 << 0.0 << 1 << 100 + 8.0 / 7;
    // 2e6 wavefronts over 100 multiprocessors at 2 GHz: 10 us
    QTest::newRow("wavefronts") << 1.0 << 0.0 << 2e6 << 1 << 10 + 8.0 / 7;
    QTest::newRow("two kernels") << 1.0 << 0.0 << 0.0 << 2 << 8 + 3.0;
  }
  void terms() {
    QFETCH(double, reads);
    QFETCH(double, instructions);
    QFETCH(double, wavefronts);
    QFETCH(int, kernels);
    QFETCH(double, us);
    const Metric m = estimated_time(variant(kernels), problem(), counters(reads, instructions, wavefronts), machine());
    QCOMPARE(m.source, Metric::Source::estimated);
    QVERIFY2(std::fabs(m.value - us) < 1e-9 * us, qPrintable(QString::number(m.value, 'g', 17)));
    QVERIFY(m.method.find("nominal") != std::string::npos);
  }

  /// 1e6 warps of a special function on 100 multiprocessors of 2 GHz, two clocks each: 10 us, where the schedulers
  /// alone would take 2.5.
  void unit_of_one_class() {
    auto all = counters(1, 0);
    all.push_back(exact_metric("warp_instructions.special", "instructions", 1e6));
    const Metric m = estimated_time(variant(), problem(), all, machine());
    const double us = 10 + 8.0 / 7;
    QVERIFY2(std::fabs(m.value - us) < 1e-9 * us, qPrintable(QString::number(m.value, 'g', 17)));
  }

  /// 8 blocks of 8 warps fit by threads; at 255 registers one block does (65536 / 256 / 256), and 8 warps of one sector
  /// a request ask for 2 * 8 * 32 B where 16 kB are needed.
  void too_little_in_flight() {
    Variant v = variant();
    v.compiled[0].registers = 255;
    const Metric m = estimated_time(v, problem(), counters(1, 0, 0, 1), machine());
    const double us = 8 * 16e3 / (2 * 8 * 32);
    QVERIFY2(std::fabs(m.value - us) < 1e-9 * us, qPrintable(QString::number(m.value)));
  }

  void what_is_not_known() {
    QCOMPARE(estimated_time(variant(), problem(), {}, machine()).source, Metric::Source::not_measured);
    Problem nameless;
    QCOMPARE(estimated_time(variant(), nameless, counters(1, 1), machine()).source, Metric::Source::not_measured);
    Variant large = variant();
    large.compiled[0].shared_bytes = 300000;
    QCOMPARE(estimated_time(large, problem(), counters(1, 1), machine()).source, Metric::Source::not_measured);
  }
};

} // namespace
} // namespace aicf

QTEST_APPLESS_MAIN(aicf::TestEstimate)
#include "test_estimate.moc"
