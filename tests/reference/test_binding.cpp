// Sizes from shapes, shapes from sizes, and what is said when they do not fit.
#include "core/exec/evaluations.hpp"
#include "tests/reference/definitions.hpp"

using namespace aicf;
using namespace aicf::test;

namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;
using Dims = std::map<std::string, std::int64_t>;

std::string all(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += format(d) + "\n";
  return out;
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const char* const pair = "op f(x: float[M, N], z: float[N]) -> y: float[M, N]\n  y[i, j] = x[i, j] + z[j]\n";

} // namespace

class TestBinding : public QObject {
  Q_OBJECT
 private slots:
  void dims_from_shapes();
  void linear_extents();
  void conflicts_name_both_places();
  void bad_inputs_data();
  void bad_inputs();
  void shapes_from_dims();
  void scalars_in_extents();
  void types();
  void evaluations_of_bodies();
};

void TestBinding::dims_from_shapes() {
  auto dims = bind_dims(*parse(pair), {{"x", {2, 3}}, {"z", {3}}});
  QVERIFY(dims);
  QCOMPARE(*dims, (Dims{{"M", 2}, {"N", 3}}));
  QCOMPARE(*bind_dims(*parse(pair), {{"x", {0, 1}}, {"z", {1}}}), (Dims{{"M", 0}, {"N", 1}}));
}

void TestBinding::linear_extents() {
  auto d = parse("op f(x: float[2 * N + 1], z: float[M + N]) -> y: float[N], u: float[M]\n"
                 "  y[i] = x[2 * i] + x[2 * i + 1]\n  u[i] = z[i + N]\n");
  QCOMPARE(*bind_dims(*d, {{"x", {7}}, {"z", {5}}}), (Dims{{"M", 2}, {"N", 3}}));
  std::string text = all(bind_dims(*d, {{"x", {6}}, {"z", {5}}}).diagnostics);
  QVERIFY2(contains(text, "axis 0 of x is 6, which is 2 * N + 1 for no N"), text.c_str());
  text = all(bind_dims(*d, {{"x", {7}}, {"z", {2}}}).diagnostics);
  QVERIFY2(contains(text, "axis 0 of z is 2, which is M + N for no M"), text.c_str());
}

void TestBinding::conflicts_name_both_places() {
  auto r = bind_dims(*parse(pair), {{"x", {2, 3}}, {"z", {4}}});
  QVERIFY(!r);
  std::string text = all(r.diagnostics);
  QVERIFY2(contains(text, "axis 0 of z is 4, but N is 3, N being 3 by axis 1 of x"), text.c_str());
  QCOMPARE(r.diagnostics.at(0).at.line, 1);
}

void TestBinding::bad_inputs_data() {
  QTest::addColumn<int>("which");
  QTest::addColumn<QString>("expected");
  QTest::newRow("missing") << 0 << "input z of f is not given";
  QTest::newRow("unknown") << 1 << "f has no input named w";
  QTest::newRow("rank") << 2 << "input x has rank 2, but a tensor of shape [6] is given";
}

void TestBinding::bad_inputs() {
  QFETCH(int, which);
  QFETCH(QString, expected);
  Shapes shapes[] = {{{"x", {2, 3}}}, {{"x", {2, 3}}, {"z", {3}}, {"w", {1}}}, {{"x", {6}}, {"z", {3}}}};
  std::string text = all(bind_dims(*parse(pair), shapes[which]).diagnostics);
  QVERIFY2(contains(text, expected.toStdString()), text.c_str());
}

void TestBinding::shapes_from_dims() {
  auto d =
      parse("op conv(x: float[B, N], w: float[K]) -> y: float[B, N - K + 1]\n  y[b, i] = sum[r] x[b, i + r] * w[r]\n");
  auto shapes = shapes_for(*d, {{"B", 2}, {"N", 5}, {"K", 3}});
  QVERIFY(shapes);
  QCOMPARE(*shapes, (Shapes{{"x", {2, 5}}, {"w", {3}}, {"y", {2, 3}}}));
  std::string text = all(shapes_for(*d, {{"B", 2}, {"N", 5}, {"K", 9}}).diagnostics);
  QVERIFY2(contains(text, "extent N - K + 1 of y is -3, which is negative"), text.c_str());
  text = all(shapes_for(*d, {{"B", 2}, {"N", 5}}).diagnostics);
  QVERIFY2(contains(text, "no size is given for K"), text.c_str());
  text = all(shapes_for(*d, {{"B", 2}, {"N", 5}, {"K", 1}, {"Q", 1}}).diagnostics);
  QVERIFY2(contains(text, "conv has no dimension named Q"), text.c_str());
  text = all(shapes_for(*d, {{"B", -2}, {"N", 5}, {"K", 1}}).diagnostics);
  QVERIFY2(contains(text, "B is -2"), text.c_str());
}

void TestBinding::scalars_in_extents() {
  auto d = parse("op f(x: float[N]; stride: i32 = 2) -> y: float[N // stride]\n  y[i] = x[i * stride]\n");
  QCOMPARE(shapes_for(*d, {{"N", 7}})->at("y"), (std::vector<std::int64_t>{3}));
  QCOMPARE(shapes_for(*d, {{"N", 7}}, {{"stride", 3}})->at("y"), (std::vector<std::int64_t>{2}));
  QCOMPARE(run(*d, {{{"x", tensor({7}, {0, 1, 2, 3, 4, 5, 6})}}, {{"stride", 3}}}), (std::vector<double>{0, 3}));
  std::string text = all(shapes_for(*d, {{"N", 7}}, {{"stride", 1.5}}).diagnostics);
  QVERIFY2(contains(text, "stride is an integer"), text.c_str());
  text = all(shapes_for(*d, {{"N", 7}}, {{"step", 1}}).diagnostics);
  QVERIFY2(contains(text, "f has no scalar named step"), text.c_str());
}

void TestBinding::types() {
  auto d = parse("op f(t: float[V], ids: i64[N]) -> y: float[N]\n  y[i] = t[ids[i]]\n");
  auto r = evaluate(*d, {{{"t", tensor({1}, {1})}, {"ids", tensor({1}, {0})}}, {}});
  std::string text = all(r.diagnostics);
  QVERIFY2(contains(text, "input ids is i64, but a tensor of f64 is given"), text.c_str());
  QCOMPARE(run(*d, {{{"t", tensor({1}, {3}, DType::bf16)}, {"ids", tensor({1}, {0}, DType::i32)}}, {}}),
           (std::vector<double>{3}));
}

void TestBinding::evaluations_of_bodies() {
  const auto of = [](const char* text, const Dims& dims) { return evaluations(*parse(text), dims); };
  const Dims sizes{{"M", 3}, {"N", 100}};
  QCOMPARE(of(pair, sizes), 300.0);
  // each result one evaluation, each element of its reduction another
  QCOMPARE(of("op f(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] x[i, j]\n", sizes), 3.0 + 300.0);
  QCOMPARE(of("op f(x: float[M, N]) -> y: float[M, N]\n  y[i, j in N] = max[k <= j] x[i, k]\n", sizes),
           300.0 + 300.0 * 100.0);
  // a reduction that does not read j is one for all j, and one within another runs once for each of its values
  QCOMPARE(of("op f(x: float[M, N]) -> y: float[M, N]\n  y[i, j] = x[i, j] - max[k] x[i, k]\n", sizes), 300.0 + 300.0);
  QCOMPARE(of("op f(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] (x[i, j] * sum[k] x[i, k] * x[i, j])\n", sizes),
           3.0 + 300.0 + 300.0 * 100.0);
  QCOMPARE(of("op f(a: float[M, K], b: float[K, N]) -> y: float[M, N]\n  y[i, j] = sum[k] a[i, k] * b[k, j]\n",
              {{"M", 3}, {"N", 5}, {"K", 7}}),
           15.0 + 105.0);
  QCOMPARE(of(pair, {{"M", 0}, {"N", 5}}), 0.0);
  QCOMPARE(of(pair, {{"M", 2}}), 0.0); // no shapes
}

QTEST_GUILESS_MAIN(TestBinding)
#include "test_binding.moc"
