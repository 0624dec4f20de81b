// The reference evaluator against values computed by hand, in f64 and in 200 bits.
#include "tests/reference/definitions.hpp"

#include <numeric>

using namespace aicf;
using namespace aicf::test;

namespace {
constexpr double NaN = std::numeric_limits<double>::quiet_NaN(), Inf = std::numeric_limits<double>::infinity();

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check(const std::string& text, const Bindings& b, const std::vector<double>& expected,
           const std::string& name = "y") {
  for (int precision : {53, 200}) {
    std::vector<double> y = run(text, b, precision, name);
    QVERIFY2(identical(y, expected), (text + "\n" + text_of(y) + "\nexpected " + text_of(expected)).c_str());
  }
}
} // namespace

class TestReference : public QObject {
  Q_OBJECT
 private slots:
  void softmax();
  void special_values_data();
  void special_values();
  void reducers_data();
  void reducers();
  void user_reducers_are_left_folds();
  void multi_axis_and_dependent_ranges();
  void where_is_lazy();
  void logic_and_any_decide_early();
  void pads_and_gathers();
  void errors_name_value_index_and_place();
  void recurrences();
  void wavefront();
  void rounding_points();
  void floors();
  void integers_are_exact();
  void empty_shapes();
  void sums_fold_in_index_order();
  void several_results_and_calls();
  void cancels();
};

void TestReference::softmax() {
  std::string text = "op softmax(x: float[M, N]) -> y: float[M, N]\n"
                     "  m[i]    = max[j] x[i, j]\n"
                     "  l[i]    = sum[j] exp(x[i, j] - m[i])\n"
                     "  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n";
  std::string nested = "op softmax(x: float[M, N]) -> y: float[M, N]\n"
                       "  y[i, j] = exp(x[i, j] - max[k] x[i, k]) / sum[k] exp(x[i, k] - max[l] x[i, l])\n";
  Bindings b{{{"x", tensor({2, 3}, {0, 0, std::log(2.0), 5, 5, 5})}}, {}};
  for (const auto& form : {text, nested})
    for (int precision : {53, 200}) {
      std::vector<double> y = run(form, b, precision), e{0.25, 0.25, 0.5, 1 / 3.0, 1 / 3.0, 1 / 3.0};
      QCOMPARE(y.size(), e.size());
      for (std::size_t i = 0; i < y.size(); ++i) QVERIFY(std::fabs(y[i] - e[i]) < 1e-15);
    }
  Bindings masked{{{"x", tensor({1, 2}, {-Inf, -Inf})}}, {}};
  check(text, masked, {NaN, NaN});
}

void TestReference::special_values_data() {
  QTest::addColumn<QString>("expression");
  QTest::addColumn<double>("a");
  QTest::addColumn<double>("b");
  QTest::addColumn<double>("expected");
  auto row = [](const char* e, double a, double b, double expected) {
    QTest::newRow((std::string(e) + " " + std::to_string(a) + " " + std::to_string(b)).c_str())
        << e << a << b << expected;
  };
  row("max(a[i], b[i])", NaN, 1, NaN);
  row("max(a[i], b[i])", 1, NaN, NaN);
  row("min(a[i], b[i])", NaN, -Inf, NaN);
  row("max(a[i], b[i])", -0.0, 0.0, 0.0);
  row("min(a[i], b[i])", 0.0, -0.0, -0.0);
  row("a[i] + b[i]", Inf, -Inf, NaN);
  row("a[i] * b[i]", 0, Inf, NaN);
  row("a[i] / b[i]", 1, -0.0, -Inf);
  row("a[i] / b[i]", 0, 0, NaN);
  row("a[i] ^ b[i]", NaN, 0, 1);
  row("a[i] ^ b[i]", -8, 1.0 / 3, NaN);
  row("sign(a[i]) + b[i]", -3, 0, -1);
  row("sign(a[i]) * b[i]", NaN, 1, NaN);
  row("sign(a[i]) + b[i]", 0, 0, 0);
  row("round(a[i]) + b[i]", 2.5, 0, 2);
  row("round(a[i]) + b[i]", 3.5, 0, 4);
  row("round(a[i]) * b[i]", -0.5, 1, -0.0);
  row("floor(a[i]) + b[i]", -0.5, 0, -1);
  row("ceil(a[i]) * b[i]", -0.5, 1, -0.0);
  row("abs(a[i]) + b[i]", -Inf, 1, Inf);
  row("sqrt(a[i]) + b[i]", -1, 0, NaN);
  row("sqrt(a[i]) * b[i]", -0.0, 1, -0.0);
  row("rsqrt(a[i]) + b[i]", 0, 0, Inf);
  row("exp(a[i]) + b[i]", -Inf, 0, 0);
  row("log(a[i]) + b[i]", 0, 0, -Inf);
  row("log1p(a[i]) + b[i]", -1, 0, -Inf);
  row("sigmoid(a[i]) + b[i]", -Inf, 0, 0);
  row("sigmoid(a[i]) + b[i]", Inf, 0, 1);
  row("sigmoid(a[i]) + b[i]", 0, 0, 0.5);
  row("tanh(a[i]) + b[i]", Inf, 0, 1);
  row("erf(a[i]) + b[i]", -Inf, 0, -1);
  row("atan(a[i]) + b[i]", -Inf, 0, -1.5707963267948966);
  row("atan(a[i]) + b[i]", 1, 0, 0.7853981633974483);
  row("where(a[i] < b[i], 1, 2)", NaN, 1, 2);
  row("where(not (a[i] < b[i]), 1, 2)", NaN, 1, 1);
  row("where(a[i] != b[i], 1, 2)", NaN, NaN, 1);
  row("where(a[i] == b[i], 1, 2)", -0.0, 0.0, 1);
  row("where(isnan(a[i]), b[i], a[i])", NaN, 7, 7);
  row("expm1(a[i]) * b[i]", -0.0, 1, -0.0);
  row("exp2(a[i]) + b[i]", 10, 0, 1024);
  row("log2(a[i]) + b[i]", 0.125, 0, -3);
}

void TestReference::special_values() {
  QFETCH(QString, expression);
  QFETCH(double, a);
  QFETCH(double, b);
  QFETCH(double, expected);
  std::string text = "op f(a: float[N], b: float[N]) -> y: float[N]\n  y[i] = " + expression.toStdString() + "\n";
  check(text, {{{"a", tensor({1}, {a})}, {"b", tensor({1}, {b})}}, {}}, {expected});
}

void TestReference::reducers_data() {
  QTest::addColumn<QString>("reducer");
  QTest::addColumn<QList<double>>("x");
  QTest::addColumn<double>("expected");
  auto row = [](const char* r, QList<double> x, double expected) {
    QTest::newRow((std::string(r) + std::to_string(x.size())).c_str()) << r << x << expected;
  };
  row("sum", {1, 2, 4}, 7);
  row("sum", {}, 0);
  row("sum", {1, Inf, -Inf}, NaN);
  row("prod", {2, -3}, -6);
  row("prod", {}, 1);
  row("max", {1, 3, 2, -7}, 3);
  row("max", {}, -Inf);
  row("max", {1, NaN, 3}, NaN);
  row("max", {NaN, 1}, NaN);
  row("min", {}, Inf);
  row("min", {4, 2, NaN, 1, 0}, NaN);
  row("min", {4}, 4);
  row("argmax", {1, 5, 5, 2}, 1);
  row("argmax", {1, NaN, 9, NaN, 3}, 1);
  row("argmax", {-Inf, -Inf}, 0);
  row("argmin", {3, 1, 1}, 1);
  row("argmin", {3, -Inf, NaN, 2, 2, 2}, 2);
}

void TestReference::reducers() {
  QFETCH(QString, reducer);
  QFETCH(QList<double>, x);
  QFETCH(double, expected);
  std::string r = reducer.toStdString(), type = r.starts_with("arg") ? "i64" : "float";
  std::string text = "op f(x: float[N]) -> y: " + type + "[]\n  y = " + r + "[j] x[j]\n";
  check(text, {{{"x", tensor({x.size()}, {x.begin(), x.end()})}}, {}}, {expected});
}

void TestReference::user_reducers_are_left_folds() {
  // Not associative: ((0 - 1)/2 - 2)/2 … over 1, 2, 3 gives ((−0.5 − 2)/2 − 3)/2 = −2.125.
  std::string text = "reducer half(a, b) = (a - b) / 2 identity 0\n"
                     "op f(x: float[M, N]) -> y: float[M]\n  y[i] = half[j] x[i, j]\n";
  check(text, {{{"x", tensor({2, 3}, {1, 2, 3, 0, 0, 8})}}, {}}, {-2.125, -4});
  std::string chosen = "reducer last(a, b) = where(isnan(b), a, b) identity nan\n"
                       "op f(x: float[M, N]) -> y: float[M]\n  y[i] = last[j] x[i, j]\n";
  check(chosen, {{{"x", tensor({2, 3}, {1, 2, NaN, NaN, NaN, NaN})}}, {}}, {2, NaN});
  check(chosen, {{{"x", tensor({1, 0}, {})}}, {}}, {NaN});
}

void TestReference::multi_axis_and_dependent_ranges() {
  std::string total = "op f(x: float[M, N]) -> y: float[]\n  y = sum[i, j] (i + 1) * x[i, j]\n";
  check(total, {{{"x", tensor({2, 3}, {1, 1, 1, 10, 10, 10})}}, {}}, {63});
  std::string scan = "op f(x: float[M, N]) -> y: float[M, N]\n  y[i, j] = sum[k <= j] x[i, k]\n";
  check(scan, {{{"x", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}}, {}}, {1, 3, 6, 4, 9, 15});
  std::string where = "op f(x: float[N], b: bool[N]) -> y: float[], z: i64[]\n"
                      "  y = sum[j where b[j]] x[j]\n  z = argmax[j where b[j]] x[j]\n";
  Bindings b{{{"x", tensor({4}, {9, 2, 7, 4})}, {"b", tensor({4}, {0, 1, 0, 1}, DType::boolean)}}, {}};
  check(where, b, {6});
  check(where, b, {3}, "z");
  std::string triangle = "op f(x: float[N]) -> y: float[]\n  y = sum[i, j < i] x[i] * x[j]\n";
  check(triangle, {{{"x", tensor({4}, {1, 2, 3, 4})}}, {}}, {35}); // (10² − 30) / 2
  // The inner maximum reads the reduction around it: one value for each j.
  std::string nested = "op f(x: float[M, N]) -> y: float[]\n  y = sum[i] sum[j] (x[i, j] - max[k] x[k, j])\n";
  check(nested, {{{"x", tensor({2, 2}, {1, 5, 3, 4})}}, {}}, {-3});
  // Wide enough for many blocks, and an odd number of lanes.
  std::int64_t n = 1003;
  std::vector<double> x(static_cast<std::size_t>(3 * n)), expected(static_cast<std::size_t>(n));
  std::iota(x.begin(), x.end(), 0);
  for (std::int64_t j = 0; j < n; ++j) expected[static_cast<std::size_t>(j)] = static_cast<double>(3 * j + 3 * n);
  std::string columns = "op f(x: float[M, N]) -> y: float[N]\n  y[j] = sum[i] x[i, j]\n";
  check(columns, {{{"x", tensor({3, n}, x)}}, {}}, expected);
}

void TestReference::where_is_lazy() {
  std::string text = "op f(x: float[N], ids: i64[N]) -> y: float[N]\n"
                     "  y[i] = where(ids[i] >= 0, x[ids[i]], -1)\n";
  Bindings b{{{"x", tensor({4}, {5, 6, 7, 8})}, {"ids", tensor({4}, {3, -1, 0, -9}, DType::i64)}}, {}};
  check(text, b, {8, -1, 5, -1});
  // The same through a statement of its own: an element that nobody needs may be in error.
  std::string staged = "op f(x: float[N], ids: i64[N]) -> y: float[N]\n"
                       "  g[i] = x[ids[i]]\n  y[i] = where(ids[i] >= 0, g[i], -1)\n";
  check(staged, b, {8, -1, 5, -1});
  std::string reductions = "op f(x: float[M, N], n: i64[M]) -> y: i64[M]\n"
                           "  y[i] = where(n[i] > 0, argmax[j where j < n[i]] x[i, j], -1)\n";
  check(reductions, {{{"x", tensor({2, 2}, {1, 2, 3, 4})}, {"n", tensor({2}, {2, 0}, DType::i64)}}, {}}, {1, -1});
  std::string inside = "op f(x: float[N], ids: i64[M]) -> y: float[]\n"
                       "  y = sum[i] where(ids[i] < 0, 0, x[ids[i]])\n";
  check(inside, b, {13});
  std::string predicate = "op f(x: float[N], ids: i64[M]) -> y: float[]\n  y = sum[i where ids[i] >= 0] x[ids[i]]\n";
  check(predicate, b, {13});
}

void TestReference::logic_and_any_decide_early() {
  Bindings b{{{"x", tensor({4}, {5, 6, 7, 8})}, {"ids", tensor({4}, {3, -1, 0, -9}, DType::i64)}}, {}};
  std::string both = "op f(x: float[N], ids: i64[N]) -> y: float[N]\n"
                     "  y[i] = where(ids[i] >= 0 and x[ids[i]] > 5, 1, 0)\n";
  check(both, b, {1, 0, 0, 0});
  std::string either = "op f(x: float[N], ids: i64[N]) -> y: float[N]\n"
                       "  y[i] = where(ids[i] < 0 or x[ids[i]] > 5, 1, 0)\n";
  check(either, b, {1, 1, 0, 1});
  std::string any = "op f(x: float[N], ids: i64[N]) -> y: bool[], z: bool[]\n"
                    "  y = any[i] (x[ids[i]] > 5)\n  z = all[i where i < 3 and i != 1] (x[ids[i]] >= 5)\n";
  check(any, b, {1});
  check(any, b, {1}, "z");
  std::string nothing = "op f(x: float[N]) -> y: bool[], z: bool[]\n  y = any[i] (x[i] > 0)\n  z = all[i] (x[i] > 0)\n";
  check(nothing, {{{"x", tensor({0}, {})}}, {}}, {0});
  check(nothing, {{{"x", tensor({0}, {})}}, {}}, {1}, "z");
}

void TestReference::pads_and_gathers() {
  std::string smooth = "op f(x: float[N]) -> y: float[N]\n  y[i] = pad(x[i - 1], 10) + x[i] + pad(x[i + 1], 20)\n";
  check(smooth, {{{"x", tensor({3}, {1, 2, 3})}}, {}}, {13, 6, 25});
  check(smooth, {{{"x", tensor({1}, {1})}}, {}}, {31});
  check(smooth, {{{"x", tensor({0}, {})}}, {}}, {});
  std::string stride = "op f(x: float[2 * N]) -> y: float[N]\n  y[i] = x[2 * i] - x[2 * i + 1]\n";
  check(stride, {{{"x", tensor({6}, {1, 2, 4, 8, 16, 32})}}, {}}, {-1, -4, -16});
  std::string gather = "op f(t: float[V, D], ids: i32[N]) -> y: float[N, D]\n  y[i, d] = t[ids[i], d]\n";
  check(gather, {{{"t", tensor({2, 2}, {1, 2, 3, 4})}, {"ids", tensor({3}, {1, 0, 1}, DType::i32)}}, {}},
        {3, 4, 1, 2, 3, 4});
  std::string by_argmax = "op f(x: float[M, N], t: float[N]) -> y: float[M]\n  y[i] = t[argmax[j] x[i, j]]\n";
  check(by_argmax, {{{"x", tensor({2, 3}, {0, 9, 1, 3, 2, 1})}, {"t", tensor({3}, {10, 20, 30})}}, {}}, {20, 10});
  std::string expand = "op f(x: float[N]) -> y: float[3 * N]\n  y[i] = x[i // 3] + i % 3\n";
  check(expand, {{{"x", tensor({2}, {10, 20})}}, {}}, {10, 11, 12, 20, 21, 22});
}

void TestReference::errors_name_value_index_and_place() {
  std::string gather = "op f(t: float[V, D], ids: i32[N]) -> y: float[N, D]\n  y[i, d] = t[ids[i], d]\n";
  std::string message =
      failure(gather, {{{"t", tensor({2, 2}, {1, 2, 3, 4})}, {"ids", tensor({3}, {1, 7, 1}, DType::i32)}}, {}});
  QVERIFY2(message.starts_with("test.op:2:3: error: y[1, 0]: id 7 is outside axis 0 of t, which holds 0 .. 2"),
           message.c_str());
  std::string staged = "op f(t: float[V], ids: i32[N]) -> y: float[]\n  g[i] = 2 * t[ids[i]]\n  y = sum[i] g[i]\n";
  message = failure(staged, {{{"t", tensor({2}, {1, 2})}, {"ids", tensor({3}, {1, 0, -1}, DType::i32)}}, {}});
  QVERIFY2(message.starts_with("test.op:2:3: error: g[2]: id -1 is outside axis 0 of t"), message.c_str());
  std::string empty = "op f(x: float[M, N]) -> y: i64[M]\n  y[i] = argmax[j] x[i, j]\n";
  message = failure(empty, {{{"x", tensor({2, 0}, {})}}, {}});
  QVERIFY2(contains(message, "y[0]: argmax of nothing"), message.c_str());
  std::string affine = "op f(x: float[N], z: float[M]) -> y: float[M]\n  y[i in M] = x[i] + z[i]\n";
  auto parsed = parse_definition(affine, "test.op");
  if (parsed) { // M and N are free: only sizes can tell
    message = failure(affine, {{{"x", tensor({2}, {1, 2})}, {"z", tensor({3}, {1, 2, 3})}}, {}});
    QVERIFY2(contains(message, "index 2 is outside axis 0 of x"), message.c_str());
  }
  std::string zero = "op f(x: i64[N]) -> y: i64[N]\n  y[i] = 7 // x[i]\n";
  message = failure(zero, {{{"x", tensor({2}, {2, 0}, DType::i64)}}, {}});
  QVERIFY2(contains(message, "y[1]: integer division by zero"), message.c_str());
}

void TestReference::recurrences() {
  std::string ema = "op f(x: float[T, D], h0: float[D]; alpha = 0.5) -> h: float[T, D]\n"
                    "  h[t, d] = (1 - alpha) * h[t - 1, d] + alpha * x[t, d] from h[-1, d] = h0[d]\n";
  Bindings b{{{"x", tensor({3, 2}, {4, 0, 8, 0, 0, 16})}, {"h0", tensor({2}, {0, 8})}}, {}};
  check(ema, b, {2, 4, 5, 2, 2.5, 9}, "h");
  b.scalars["alpha"] = 1;
  check(ema, b, {4, 0, 8, 0, 0, 16}, "h");
  std::string back = "op f(x: float[N]) -> y: float[N]\n  y[i] = y[i + 1] + x[i] from y[N] = 100\n";
  check(back, {{{"x", tensor({3}, {1, 2, 4})}}, {}}, {107, 106, 104});
  std::string fibonacci = "op f(x: float[N]) -> y: float[N]\n"
                          "  y[i] = y[i - 1] + y[i - 2] + 0 * x[i] from y[-1] = 1, y[-2] = 0\n";
  check(fibonacci, {{{"x", tensor({6}, {0, 0, 0, 0, 0, 0})}}, {}}, {1, 2, 3, 5, 8, 13});
  std::string mutual = "op f(x: float[N]) -> y: float[N], z: float[N]\n"
                       "  g[i] = z[i - 1] + x[i]\n"
                       "  y[i] = y[i - 1] + g[i] from y[-1] = 0\n"
                       "  z[i] = y[i] * 2 from z[-1] = 1\n";
  Bindings ones{{{"x", tensor({3}, {1, 1, 1})}}, {}};
  check(mutual, ones, {2, 7, 22}); // g: 2, 5, 15
  check(mutual, ones, {4, 14, 44}, "z");
  std::string matrix = "op f(a: float[T, D, D], x: float[D]) -> h: float[T, D]\n"
                       "  h[t, d] = sum[k] a[t, d, k] * h[t - 1, k] from h[-1, d] = x[d]\n";
  check(matrix, {{{"a", tensor({2, 2, 2}, {0, 1, 1, 0, 1, 1, 0, 2})}, {"x", tensor({2}, {3, 5})}}, {}}, {5, 3, 8, 6},
        "h");
  check(ema, {{{"x", tensor({0, 2}, {})}, {"h0", tensor({2}, {0, 8})}}, {}}, {}, "h");
}

/// y[i, j] = y[i - 1, j] + y[i, j - 1] from 1 at both edges: two shifted axes, which only a definition made by hand
/// has.
void TestReference::wavefront() {
  Definition d;
  d.name = "paths";
  d.dims = {"N"};
  d.vars = {"i", "j"};
  Arena& a = d.arena;
  ExprId n = a.make(Op::dim, Kind::integer, {}, 0), zero = a.integer(0), minus = a.integer(-1), one = a.number(1);
  d.tensors.push_back({"x", {}, Kind::real, {n}, {}});
  d.tensors.push_back({"y", {}, Kind::real, {n, n}, {}});
  d.inputs = 1;
  d.outputs = {1};
  ExprId i = a.make(Op::index, Kind::integer, {}, 0), j = a.make(Op::index, Kind::integer, {}, 1);
  ExprId up = a.make(Op::load, Kind::real, {a.make(Op::add, Kind::integer, {i, minus}), j}, 1);
  ExprId left = a.make(Op::load, Kind::real, {i, a.make(Op::add, Kind::integer, {j, minus})}, 1);
  Statement s;
  s.target = 1;
  s.vars = {0, 1};
  s.lo = {zero, zero};
  s.hi = {n, n};
  s.body = a.make(Op::add, Kind::real, {up, left});
  s.initial = {{{minus, j}, one}, {{i, minus}, one}};
  d.statements.push_back(s);
  std::vector<double> y = run(d, {{{"x", tensor({3}, {0, 0, 0})}}, {}});
  QVERIFY2(identical(y, {2, 3, 4, 3, 6, 10, 4, 10, 20}), text_of(y).c_str()); // binomial(i + j + 2, i + 1)
}

void TestReference::rounding_points() {
  std::string text = "op f(x: float[N]) -> y: float[N]\n  y[i] = bf16(x[i])\n";
  // 1 + 2^-8 is halfway between 1 and 1 + 2^-7: to even, down; 1 + 3·2^-8 up to 1 + 2^-6.
  check(text, {{{"x", tensor({5}, {1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1.1p-8, 3.4e38, -0.0})}}, {}},
        {1, 1 + 0x1p-6, 1 + 0x1p-7, Inf, -0.0});
  std::string f16 = "op f(x: float[N]) -> y: float[N]\n  y[i] = f16(x[i])\n";
  check(f16, {{{"x", tensor({4}, {65519, 65520, 0x1p-25, 0x1.8p-24})}}, {}}, {65504, Inf, 0, 0x1p-23});
  std::string i8 = "op f(x: float[N]) -> y: i8[N]\n  y[i] = i8(x[i])\n";
  check(i8, {{{"x", tensor({6}, {2.5, -3.5, 1000, -1000, NaN, 0.49})}}, {}}, {2, -4, 127, -128, 0, 0});
  // bf16 of 2/3 from the exact quotient: 0.66796875 (0x1.56p-1).
  std::string third = "op f(x: float[N]) -> y: float[N]\n  y[i] = bf16(x[i] / 3)\n";
  check(third, {{{"x", tensor({1}, {2})}}, {}}, {0x1.56p-1});
}

void TestReference::floors() {
  std::string text =
      "op f(a: i64[N], b: i64[N]) -> y: i64[N], r: i64[N]\n  y[i] = a[i] // b[i]\n  r[i] = a[i] % b[i]\n";
  Bindings b{{{"a", tensor({4}, {7, -7, 7, -7}, DType::i64)}, {"b", tensor({4}, {2, 2, -2, -2}, DType::i64)}}, {}};
  check(text, b, {3, -4, -4, 3});
  check(text, b, {1, 1, -1, -1}, "r");
}

void TestReference::integers_are_exact() {
  std::string text = "op f(a: i64[N], b: i64[N]) -> y: i64[N]\n  y[i] = a[i] * b[i] - a[i] * b[i] + 1\n";
  HostTensor a(DType::i64, {1}), b(DType::i64, {1});
  std::int64_t large = 3037000493; // its square is just below 2^63, far above 2^53
  a.set(0, static_cast<double>(large));
  b.set(0, static_cast<double>(large));
  check(text, {{{"a", a}, {"b", b}}, {}}, {1});
  std::string rest = "op f(a: i64[N]) -> y: i64[N]\n  y[i] = (a[i] * a[i] + 1) % 10\n";
  check(rest, {{{"a", a}}, {}}, {0}); // …493² ends in 9
  a.set(0, 4e18);
  std::string over = "op f(a: i64[N]) -> y: i64[N]\n  y[i] = a[i] + a[i] + a[i]\n";
  std::string message = failure(over, {{{"a", a}}, {}});
  QVERIFY2(contains(message, "beyond 64 bits"), message.c_str());
}

void TestReference::empty_shapes() {
  std::string text = "op f(x: float[M, N]) -> y: float[M, N], m: float[M]\n"
                     "  m[i] = max[j] x[i, j]\n  y[i, j] = x[i, j] - m[i]\n";
  check(text, {{{"x", tensor({0, 3}, {})}}, {}}, {});
  check(text, {{{"x", tensor({2, 0}, {})}}, {}}, {-Inf, -Inf}, "m");
  check(text, {{{"x", tensor({1, 1}, {7})}}, {}}, {0});
  std::string scalar = "op f(x: float[]) -> y: float[]\n  y = x + 1\n";
  check(scalar, {{{"x", tensor({}, {41})}}, {}}, {42});
}

void TestReference::sums_fold_in_index_order() {
  // 1 + 2^-53 stays 1 (half to even) each time; from the other end the small ones add up.
  std::size_t n = 1000;
  std::vector<double> x(n, 0x1p-53);
  x[0] = 1;
  std::string text = "op f(x: float[N]) -> y: float[], z: float[]\n"
                     "  y = sum[j] x[j]\n  z = sum[j in N] x[N - 1 - j]\n";
  Bindings b{{{"x", tensor({static_cast<std::int64_t>(n)}, x)}}, {}};
  QCOMPARE(run(text, b)[0], 1.0);
  double exact = 1 + 999 * 0x1p-53;
  QCOMPARE(run(text, b, 53, "z")[0], exact);
  QCOMPARE(run(text, b, 200)[0], exact);
}

void TestReference::several_results_and_calls() {
  std::string text = "op stats(x: float[N]) -> s: float[], q: float[]\n  s = sum[j] x[j]\n  q = sum[j] x[j]^2\n"
                     "op f(x: float[M, N]; k = 2) -> y: float[]\n"
                     "  r[j] = sum[i] x[i, j]\n  y = stats(r).q * k + stats(r).s\n";
  check(text, {{{"x", tensor({2, 2}, {1, 2, 3, 4})}}, {}}, {2 * 52 + 10});
}

void TestReference::cancels() {
  std::stop_source stop;
  stop.request_stop();
  auto d = parse("op f(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n");
  auto r = evaluate(*d, {{{"x", tensor({2}, {1, 2})}}, {}}, {53, stop.get_token()});
  QVERIFY(!r);
  QCOMPARE(r.diagnostics.at(0).code, std::string("evaluate.cancelled"));
}

QTEST_GUILESS_MAIN(TestReference)
#include "test_reference.moc"
