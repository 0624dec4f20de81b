// Long and deep definitions, and enough elements to see that evaluation is not slow.
#include "tests/reference/definitions.hpp"

#include <QElapsedTimer>

using namespace aicf;
using namespace aicf::test;

namespace {

std::string repeated(const std::string& piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

double of(const std::string& expression, double x) {
  std::string text = "op f(x: float[N], z: float[N]) -> y: float[N]\n  y[i] = " + expression + " + 0 * z[i]\n";
  auto d = parse(text);
  QElapsedTimer timer;
  timer.start();
  std::vector<double> y = run(
      *d, {{{"x", tensor({300}, std::vector<double>(300, x))}, {"z", tensor({300}, std::vector<double>(300, 1))}}, {}});
  qInfo("%lld ms", timer.elapsed());
  for (double v : y)
    if (v != y[0]) qFatal("lanes differ");
  return y[0];
}

} // namespace

class TestReferenceSize : public QObject {
  Q_OBJECT
 private slots:
  void long_and_deep();
  void nested_reductions();
  void many_statements();
  void long_recurrence();
  void speed_data();
  void speed();
};

void TestReferenceSize::long_and_deep() {
  QCOMPARE(of("x[i]" + repeated(" + z[i] * x[i]", 200000), 1), 200001.0);
  QCOMPARE(of(repeated("(", 20000) + "x[i]" + repeated(" + 1)", 20000), 1), 20001.0);
  QCOMPARE(of(repeated("(1 + ", 20000) + "x[i]" + repeated(")", 20000), 1), 20001.0);
  QCOMPARE(of(repeated("abs(", 20000) + "x[i]" + repeated(")", 20000), -3), 3.0);
  QCOMPARE(of(repeated("where(x[i] > 0, x[i], ", 20000) + "7" + repeated(")", 20000), -3), 7.0);
  QCOMPARE(of(repeated("where(x[i] > 0, ", 20000) + "7" + repeated(", x[i])", 20000), 3), 7.0);
}

void TestReferenceSize::nested_reductions() {
  int depth = 20000;
  std::string e;
  for (int k = 0; k < depth; ++k) e += "(sum[j" + std::to_string(k) + " in 1] ";
  auto d = parse("op f(x: float[N]) -> y: float[N]\n  y[i] = " + e + "x[i]" + repeated(")", depth) + "\n");
  QElapsedTimer timer;
  timer.start();
  QCOMPARE(run(*d, {{{"x", tensor({2}, {3, 4})}}, {}}), (std::vector<double>{3, 4}));
  qInfo("%lld ms", timer.elapsed());
  // Three levels over the same row: 6 · 6 · 6 terms for each of 500 elements, the inner ones kept.
  auto nested = parse("op f(x: float[M, N]) -> y: float[M, N]\n"
                      "  y[i, j] = sum[a] (x[i, a] - sum[b] (x[i, b] - sum[c] x[i, c]))\n");
  std::vector<double> y = run(*nested, {{{"x", tensor({500, 6}, std::vector<double>(3000, 1))}}, {}});
  for (double v : y) QCOMPARE(v, 6.0 - 6 * (6 - 6 * 6.0));
}

void TestReferenceSize::many_statements() {
  std::string text = "op f(x: float[N]) -> y: float[N]\n  a0[i] = x[i]\n";
  int n = 3000;
  for (int k = 1; k <= n; ++k) text += "  a" + std::to_string(k) + "[i] = a" + std::to_string(k - 1) + "[i] + 1\n";
  auto d = parse(text + "  y[i] = a" + std::to_string(n) + "[i]\n");
  QElapsedTimer timer;
  timer.start();
  QCOMPARE(run(*d, {{{"x", tensor({1}, {1})}}, {}}), (std::vector<double>{n + 1.0}));
  qInfo("%lld ms", timer.elapsed());
}

void TestReferenceSize::long_recurrence() {
  auto d = parse("op f(x: float[T]) -> h: float[T]\n  h[t] = h[t - 1] + x[t] from h[-1] = 0\n");
  std::size_t n = 200000;
  QElapsedTimer timer;
  timer.start();
  std::vector<double> h =
      run(*d, {{{"x", tensor({static_cast<std::int64_t>(n)}, std::vector<double>(n, 1))}}, {}}, 53, "h");
  qInfo("%lld ms", timer.elapsed());
  QCOMPARE(h.back(), static_cast<double>(n));
}

void TestReferenceSize::speed_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<double>("operations"); // an element
  auto row = [](const char* name, const char* body, double operations) {
    QTest::newRow(name) << QString("op f(x: float[M, N]) -> y: float[M, N]\n") + body << operations;
  };
  row("map", "  y[i, j] = (x[i, j] * 2 + 1) * x[i, j] - 3 * (x[i, j] + 5)\n", 7);
  row("softmax",
      "  m[i] = max[j] x[i, j]\n  l[i] = sum[j] exp(x[i, j] - m[i])\n  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n", 7);
  row("stencil", "  y[i, j] = pad(x[i, j - 1], 0) + 2 * x[i, j] + pad(x[i, j + 1], 0)\n", 3);
  row("columns", "  y[i, j] = x[i, j] - sum[k] x[k, j]\n", 2);
}

void TestReferenceSize::speed() {
  QFETCH(QString, text);
  QFETCH(double, operations);
  auto d = parse(text.toStdString());
  Bindings b{{{"x", random_tensor({500, 2000}, 1)}}, {}};
  QElapsedTimer timer;
  timer.start();
  run(*d, b);
  double seconds = static_cast<double>(timer.nsecsElapsed()) * 1e-9;
  qInfo("%.0f ms, %.0f M operations/s, reading and writing the tensors included", seconds * 1e3,
        1e6 * operations / seconds * 1e-6);
  QVERIFY(seconds < 20);
}

QTEST_GUILESS_MAIN(TestReferenceSize)
#include "test_reference_size.moc"
