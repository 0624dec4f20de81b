// A computed f64 is rounded once to the type of its result: through an f32 in between, a value beside the middle of two
// neighbours would become that middle, and then the even one of them.
#include "tests/kernel/row_plans.hpp"

#include <QtTest>

#include <cmath>

using namespace aicf;
using namespace aicf::test;

class TestRounding : public QObject {
  Q_OBJECT
 private slots:
  void f64_results_are_rounded_once_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("vector");
    for (const char* type : {"bf16", "f16"})
      for (int vector : {1, 4}) QTest::addRow("%s by %d", type, vector) << type << vector;
  }
  void f64_results_are_rounded_once() {
    QFETCH(QString, type);
    QFETCH(int, vector);
    const DType to = *dtype_from(type.toStdString());
    const int digits = to == DType::bf16 ? 8 : 11;
    // above a middle by 2^-40 of it, below it, on it; for an even and an odd lower neighbour
    const double step = std::ldexp(1.0, 1 - digits), half = step / 2;
    const std::vector<double> middles{1 + half, 1 + step + half, -(1 + half), -(1 + step + half)};
    const std::vector<double> up{1 + step, 1 + 2 * step, -(1 + step), -(1 + 2 * step)},
        down{1, 1 + step, -1, -(1 + step)}, even{1, 1 + 2 * step, -1, -(1 + 2 * step)};
    StructureProfile p = profile_of("op f(x: f32[M, N], s: f64[M]) -> y: " + type.toStdString() + "[M, N]\n" +
                                    "  y[i, j] = x[i, j] * s[i]\n");
    Problem q;
    q.dims = {{"M", 5}, {"N", 4}};
    Built built = build(p, row_plan(p, "two_pass", "thread", {{"vector", std::int64_t{vector}}}), q);
    if (!built.available) QSKIP("SKIPPED: no NVRTC");
    std::map<std::string, HostTensor> inputs;
    inputs["x"] = HostTensor(DType::f32, {5, 4});
    inputs["s"] = HostTensor(DType::f64, {5});
    const std::vector<double> scales{1 + 0x1p-40, 1 - 0x1p-40, 1, std::nan(""), 1e300};
    for (std::size_t i = 0; i < scales.size(); ++i) {
      inputs["s"].set(i, scales[i]);
      for (std::size_t j = 0; j < 4; ++j) inputs["x"].set(4 * i + j, middles[j]);
    }
    Ran ran = run(p, built, q, inputs);
    QVERIFY(ran.result.faults.empty());
    const HostTensor& y = ran.outputs.at("y");
    for (std::size_t j = 0; j < 4; ++j) {
      QCOMPARE(y.get(j), up[j]);
      QCOMPARE(y.get(4 + j), down[j]);
      QCOMPARE(y.get(8 + j), even[j]);
      QVERIFY(std::isnan(y.get(12 + j)));
      QCOMPARE(y.get(16 + j), middles[j] > 0 ? INFINITY : -INFINITY);
    }
  }

  /// Saturated, half to even, NaN is 0; whatever the type of the computation.
  void i8_results() {
    for (const char* type : {"f32", "f64"}) {
      StructureProfile p = profile_of("op f(x: " + std::string(type) + "[N]) -> y: i8[N]\n  y[j] = i8(x[j])\n");
      Problem q;
      const std::vector<double> x{127.4, 127.5, 1e30, INFINITY, -128.5, -128.6, -1e300, -INFINITY,
                                  0.5,   1.5,   -0.5, -1.5,     -0.0,   126.5,  NAN,    -127.5},
          y{127, 127, 127, 127, -128, -128, -128, -128, 0, 2, 0, -2, 0, 126, 0, -128};
      q.dims = {{"N", static_cast<std::int64_t>(x.size())}};
      for (std::int64_t vector : {1, 4}) {
        Built built = build(p, row_plan(p, "two_pass", "thread", {{"vector", vector}}), q);
        if (!built.available) QSKIP("SKIPPED: no NVRTC");
        std::map<std::string, HostTensor> inputs;
        inputs["x"] = HostTensor(*dtype_from(type), {static_cast<std::int64_t>(x.size())});
        for (std::size_t i = 0; i < x.size(); ++i) inputs["x"].set(i, x[i]);
        Ran ran = run(p, built, q, inputs);
        for (std::size_t i = 0; i < x.size(); ++i)
          QVERIFY2(ran.outputs.at("y").get(i) == y[i],
                   qPrintable(QString("%1: %2 gives %3").arg(type).arg(x[i]).arg(ran.outputs.at("y").get(i))));
      }
    }
  }
};

QTEST_GUILESS_MAIN(TestRounding)
#include "test_rounding.moc"
