// Derivatives: against central differences in extended precision, against known compact forms, and as definitions.
#include "core/base/atlas_path.hpp"
#include "core/exec/reference.hpp"
#include "core/expr/print.hpp"
#include "core/structure/gradient.hpp"
#include "core/structure/gradient_ranges.hpp"
#include "core/structure/sum_algebra.hpp"
#include "tests/structure/structure_case.hpp"

#include <QtTest>

#include <array>
#include <cmath>
#include <filesystem>
#include <random>

using namespace aicf;

namespace {

constexpr int precision = 160; ///< bits of every evaluation

using Tensors = std::map<std::string, HostTensor>;

Definition parsed(const std::string& text) {
  Result<Definition> d = parse_definition(text, "test.op");
  if (!d) qFatal("%s\n%s", d.diagnostics.empty() ? "" : format(d.diagnostics[0], text).c_str(), text.c_str());
  return std::move(*d);
}

Definition derived(const Definition& d) {
  Result<Definition> g = gradient(d);
  if (!g) qFatal("%s: %s", d.name.c_str(), g.diagnostics.empty() ? "" : format(g.diagnostics[0]).c_str());
  return std::move(*g);
}

bool is_float_tensor(const TensorDecl& t) { return t.kind == Kind::real && (t.type.generic || is_float(t.type.fixed)); }

HostTensor drawn(const TensorDecl& t, const std::vector<std::int64_t>& shape, std::mt19937& random, bool positive,
                 bool ones) {
  HostTensor x(t.kind == Kind::real ? DType::f64 : t.kind == Kind::boolean ? DType::boolean : DType::i64, shape);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.2, 0.9);
  for (std::size_t i = 0; i < x.element_count(); ++i)
    x.set(i, t.kind == Kind::real ? (positive ? uniform(random) : normal(random))
             : ones               ? 1
                                  : static_cast<double>(i % 2));
  return x;
}

/// A shape at which the operator has a value, its inputs and that value.
struct Case {
  Bindings bindings;
  Tensors results;
};

std::optional<Case> case_of(const Definition& d, unsigned seed, int family_from = 0) {
  static const std::vector<std::vector<std::int64_t>> patterns{{3, 4, 5}, {4},    {6, 5, 3, 2}, {2, 3, 6, 6, 2, 2},
                                                               {4, 2},    {2, 4}, {8, 4, 2}};
  for (int family = family_from; family < 4; ++family) // signs of numbers, then also indices that are all 1
    for (const auto& pattern : patterns) {
      std::map<std::string, std::int64_t> dims;
      for (const std::string& name : d.dims) dims[name] = pattern[dims.size() % pattern.size()];
      auto shapes = shapes_for(d, dims);
      if (!shapes) continue;
      std::mt19937 random(seed);
      Case c;
      for (std::size_t t = 0; t < d.inputs; ++t)
        c.bindings.inputs[d.tensors[t].name] =
            drawn(d.tensors[t], shapes->at(d.tensors[t].name), random, family % 2 == 1, family >= 2);
      auto results = evaluate(d, c.bindings, {precision, {}});
      if (!results) continue;
      bool finite = true;
      for (const auto& [name, y] : *results)
        for (std::size_t i = 0; i < y.element_count(); ++i) finite = finite && std::isfinite(y.get(i));
      if (!finite) continue;
      c.results = std::move(*results);
      return c;
    }
  return std::nullopt;
}

/// The name of the cotangent of a result, of the gradient by an input: the first that is not taken.
std::string cotangent_name(const Definition& d, const std::string& name) {
  for (int k = 1;; ++k) {
    std::string made = "d_" + name + (k == 1 ? "" : "_" + std::to_string(k));
    bool taken = std::any_of(d.tensors.begin(), d.tensors.end(), [&](const TensorDecl& t) { return t.name == made; });
    if (!taken) return made;
  }
}

/// Inputs of the gradient among those of the operator and the cotangents.
Bindings bound(const Definition& g, const Bindings& of, const Tensors& cotangents) {
  Bindings b;
  for (std::size_t t = 0; t < g.inputs; ++t) {
    const std::string& name = g.tensors[t].name;
    auto at = of.inputs.find(name);
    b.inputs[name] = at != of.inputs.end() ? at->second : cotangents.at(name);
  }
  for (const auto& [name, value] : of.scalars) b.scalars[name] = value;
  return b;
}

Tensors cotangents_for(const Definition& d, const Tensors& results, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Tensors made;
  for (TensorId y : d.outputs) {
    if (!is_float_tensor(d.tensors[y])) continue;
    HostTensor t(DType::f64, results.at(d.tensors[y].name).shape);
    for (std::size_t i = 0; i < t.element_count(); ++i) t.set(i, normal(random));
    made[cotangent_name(d, d.tensors[y].name)] = std::move(t);
  }
  return made;
}

long double dot(const HostTensor& a, const HostTensor& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.element_count(); ++i) sum += static_cast<long double>(a.get(i)) * b.get(i);
  return sum;
}

std::optional<long double> loss(const Definition& d, const Bindings& b, const Tensors& cotangents) {
  auto results = evaluate(d, b, {precision, {}});
  if (!results) return std::nullopt;
  long double sum = 0;
  for (TensorId y : d.outputs) {
    const std::string& name = d.tensors[y].name;
    if (is_float_tensor(d.tensors[y])) sum += dot(results->at(name), cotangents.at(cotangent_name(d, name)));
  }
  return sum;
}

/// Along random directions, <gradient, v> against Richardson's central difference. "" where they agree.
std::string difference(const Definition& d, const Definition& g, unsigned seed, int family_from = 0) {
  auto c = case_of(d, seed, family_from);
  if (!c) return "no value";
  std::mt19937 random(seed + 7);
  std::normal_distribution<double> normal;
  Tensors cotangents = cotangents_for(d, c->results, random);
  auto gradients = evaluate(g, bound(g, c->bindings, cotangents), {precision, {}});
  if (!gradients) return format(gradients.diagnostics.at(0));
  std::size_t result = 0;
  for (std::size_t t = 0; t < d.inputs; ++t) {
    if (!is_float_tensor(d.tensors[t])) continue;
    const std::string& name = d.tensors[t].name;
    const HostTensor& dx = gradients->at(g.tensors[g.outputs.at(result++)].name);
    const HostTensor x = c->bindings.inputs.at(name);
    HostTensor v(DType::f64, x.shape);
    for (std::size_t i = 0; i < v.element_count(); ++i) v.set(i, normal(random));
    auto slope = [&](double h) -> std::optional<long double> {
      Bindings b = c->bindings;
      std::array<std::optional<long double>, 2> ends;
      HostTensor moved[2] = {x, x};
      for (std::size_t i = 0; i < x.element_count(); ++i) {
        moved[0].set(i, x.get(i) - h * v.get(i));
        moved[1].set(i, x.get(i) + h * v.get(i));
      }
      for (int k = 0; k < 2; ++k) {
        b.inputs[name] = moved[k];
        ends[static_cast<std::size_t>(k)] = loss(d, b, cotangents);
        if (!ends[static_cast<std::size_t>(k)]) return std::nullopt;
      }
      return (*ends[1] - *ends[0]) / (2 * static_cast<long double>(h));
    };
    constexpr double h = 0x1p-14;
    auto near = slope(h), far = slope(2 * h);
    if (!near || !far) return "no value beside the point";
    long double expected = (4 * *near - *far) / 3, actual = dot(dx, v);
    long double scale = std::max({1.0L, std::fabs(expected), std::sqrt(dot(dx, dx))});
    if (!(std::fabs(expected - actual) <= 1e-8L * scale))
      return name + ": expected " + std::to_string(static_cast<double>(expected)) + ", got " +
             std::to_string(static_cast<double>(actual));
  }
  return {};
}

/// The reductions that are written in a definition, one for each reduce node.
int reductions(const Definition& d) {
  std::vector<ExprId> roots;
  for (const Statement& s : d.statements) roots.push_back(s.body);
  int count = 0;
  for (ExprId id : reachable(d.arena, roots)) count += d.arena[id].op == Op::reduce ? 1 : 0;
  return count;
}

std::string values_text(const HostTensor& t) {
  std::string out;
  for (std::size_t i = 0; i < t.element_count(); ++i)
    out += (i > 0 ? " " : "") + QString::number(t.get(i)).toStdString();
  return out;
}

HostTensor numbers(std::vector<std::int64_t> shape, const std::vector<double>& values) {
  HostTensor t(DType::f64, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) t.set(i, values[i]);
  return t;
}

} // namespace

class TestGradient : public QObject {
  Q_OBJECT
 private slots:
  void atlas();
  void constructs_data();
  void constructs();
  void kinks();
  void compact_data();
  void compact();
  void shift_vanishes_data();
  void shift_vanishes();
  void second();
  void deep();
  void refused();
  void reads_back();
};

/// Every operator with a float input and a float result: the derived definition is a fixed point of parse and print,
/// and agrees with differences.
void TestGradient::atlas() {
  int checked = 0, without = 0;
  for (const auto& entry : std::filesystem::directory_iterator(atlas_dir() / "ops")) {
    if (entry.path().extension() != ".op") continue;
    auto d = load_definition(entry.path().string());
    QVERIFY2(d, entry.path().c_str());
    auto is_float = [&](TensorId t) { return is_float_tensor(d->tensors[t]); };
    bool possible = std::any_of(d->outputs.begin(), d->outputs.end(), is_float);
    bool input = false;
    for (TensorId t = 0; t < d->inputs; ++t) input = input || is_float(t);
    Result<Definition> g = gradient(*d);
    if (!possible || !input) {
      QVERIFY2(!g && g.diagnostics.size() == 1, d->name.c_str());
      ++without;
      continue;
    }
    QVERIFY2(g, (d->name + ": " + (g ? "" : format(g.diagnostics.at(0)))).c_str());
    std::string text = print(*g);
    QCOMPARE(print(parsed(text)), text);
    std::string why = "untried";
    for (unsigned seed = 1; seed < 5 && !why.empty(); ++seed) why = difference(*d, *g, seed); // a kink may be near
    QVERIFY2(why.empty(), (d->name + ": " + why + "\n" + text).c_str());
    ++checked;
  }
  qInfo("%d operators differentiated, %d have no float input or result", checked, without);
  QVERIFY(checked >= 35);
}

void TestGradient::constructs_data() {
  QTest::addColumn<QString>("text");
  auto row = [](const char* name, const char* text) { QTest::newRow(name) << text; };
  row("strided stencil", "op t(x: float[M, N], w: float[K]) -> y: float[M, (N - K) // 2 + 1]\n"
                         "  y[i, j] = sum[r] x[i, 2 * j + r] * w[r]\n");
  row("dilated", "op t(x: float[M, N]) -> y: float[M, N]\n"
                 "  y[i, j] = pad(x[i, j - 2], 0) * x[i, N - 1 - j] + pad(x[i, j + 3], 1)\n");
  row("gather and scatter", "op t(table: float[V, D], ids: i64[T], w: float[T]) -> y: float[T, D]\n"
                            "  y[t, d] = exp(table[ids[t], d] * w[t]) * table[ids[t] + 1, D - 1 - d]\n");
  row("scan in a scan", "op t(x: float[M, N]) -> y: float[M]\n"
                        "  y[i] = sum[j] exp(x[i, j] * 0.1 * sum[k <= j] (x[i, k]^2 * sum[l in k .. N] x[i, l]))\n");
  row("bounds on a box", "op t(x: float[N, N]) -> y: float[N]\n"
                         "  y[i] = sum[a, b in a .. N where a + b < N and a <= i] x[a, b] * x[b, i]\n");
  row("masks", "op t(x: float[M, N], m: bool[M, N], c: float[N]) -> y: float[M]\n"
               "  y[i] = (sum[j where m[i, j] or x[i, j] > 0.4] sqrt(1 + x[i, j]^2) * c[j]) "
               "+ where(any[j] m[i, j], c[0], x[i, 0])\n");
  row("maxima",
      "op t(x: float[M, N], c: float[N]) -> y: float[M, N]\n"
      "  y[i, j] = (max[k <= j] x[i, k] * c[k]) + max(x[i, j], c[j]) * min(x[i, j], 0.2) - min[a, b] x[a, b]\n");
  row("products", "op t(x: float[M, N]) -> y: float[M, N]\n"
                  "  y[i, j] = (prod[k <= j] x[i, k]) * prod[a, b where a != i] (x[a, b] + 2)\n");
  row("a position", "op t(x: float[M, N]) -> y: float[M], z: float[M]\n"
                    "  y[i] = x[i, argmax[j] x[i, j]] * x[i, 0]\n  z[i] = max[j] x[i, j]\n");
  row("functions",
      "op t(x: float[N], p: float[N]) -> y: float[N]\n"
      "  s[i] = 1.5 + sin(x[i])\n"
      "  y[i] = log2(s[i]) + exp2(x[i]) + expm1(x[i]) * log1p(s[i]) + rsqrt(s[i]) + tanh(x[i]) * erf(x[i]) "
      "+ s[i]^p[i] + p[i]^3 + 2^x[i] + abs(x[i]) * sigmoid(p[i]) + cos(x[i]) / s[i] + atan(x[i] * p[i])\n");
  row("pieces", "op t(x: float[N], p: float[N]) -> y: float[N]\n"
                "  y[i] = floor(x[i]) * x[i] + round(4 * p[i]) * p[i] + x[i] % (2 + sin(p[i])) + sign(x[i]) * p[i] "
                "+ bf16(0.25) * x[i] + where(x[i] < p[i], x[i] * p[i], p[i])\n");
  row("quotient and remainder", "op t(x: float[M, 12], z: float[5]) -> y: float[M, 3, 4], w: float[10]\n"
                                "  y[i, a, b] = sin(x[i, 4 * a + b])\n  w[i] = z[i // 2] * z[4 - i % 5]\n");
  row("conditions that are equations",
      "op t(x: float[M, N], n: i64[M]; stride: i32 = 2) -> y: float[M, stride * N + 2], z: float[M]\n"
      "  y[i, t] = sum[j, k in 3 where j * stride + k == t] x[i, j] * x[i, k % N]\n"
      "  z[i] = (sum[j where j == n[i]] x[i, j]^2) + sum[j] where(j == 2 * i and i < 2, exp(x[i, j]), 0)\n");
  row("a diagonal", "op t(x: float[N, N]) -> y: float[N], z: float[]\n  y[i] = x[i, i] * x[i, N - 1 - i]\n"
                    "  z = sum[i] exp(x[i, i])\n");
  row("shifted statements", "op t(x: float[N]) -> y: float[N - 1]\n  a[i in 1 .. N] = x[i] * x[i - 1]\n"
                            "  y[i in N - 1] = a[i + 1]^2 + x[i]\n");
  row("forward recurrence", "op t(x: float[T, D], w: float[D, D], h0: float[D]) -> h: float[T, D], s: float[]\n"
                            "  h[t, d] = tanh(x[t, d] + 0.5 * sum[k] w[d, k] * h[t - 1, k]) from h[-1, d] = h0[d]^2\n"
                            "  s = sum[t, d] h[t, d] * x[t, d]\n");
  row("backward recurrence of two steps",
      "op t(x: float[T, D], a: float[T], h0: float[D], h1: float[D]) -> h: float[T, D]\n"
      "  h[t, d] = a[t] * h[t + 1, d] + 0.5 * sin(h[t + 2, d]) + x[t, d] from h[T, d] = h0[d]^2, h[T + 1, d] = "
      "h1[d]\n");
  row("mutual recurrence", "op t(x: float[T], w: float[3]) -> h: float[T], c: float[T]\n"
                           "  g[t] = sigmoid(x[t] + w[0] * h[t - 1])\n"
                           "  c[t] = g[t] * c[t - 1] + (1 - g[t]) * x[t] from c[-1] = w[1]\n"
                           "  h[t] = g[t] * tanh(c[t]) from h[-1] = sum[k] w[k]\n");
  row("recurrences of recurrences", "op t(x: float[M, N]) -> y: float[M, N]\n"
                                    "  a[i, j] = 0.5 * a[i - 1, j] + x[i, j] from a[-1, j] = 0\n"
                                    "  b[i, j] = b[i, j - 1] * 0.3 + sin(a[i, j]) from b[i, -1] = 1\n"
                                    "  y[i, j] = b[i, j] * pad(a[i - 1, j], 5)\n");
  row("a user's fold", "reducer last(a, b) = where(b > 0.3, b * b, a * 0.5) identity 2\n"
                       "op t(x: float[M, N], c: float[N]) -> y: float[M], z: float[M]\n"
                       "  y[i] = (last[j <= i] x[i, j] * c[j]) + last[j where x[i, j] > 0] x[i, j]\n"
                       "  z[i] = last[j in 0] x[i, j] * c[j]\n");
  row("calls", "op norm(a: float[M, N]; eps = 0.5) -> y: float[M, N]\n  q[i] = sum[j] a[i, j]^2\n"
               "  y[i, j] = a[i, j] * rsqrt(q[i] + eps)\n"
               "op t(x: float[A, B]) -> z: float[A, B]\n  u[i, j] = norm(x; eps = 0.1)[i, j]\n"
               "  z[i, j] = norm(u)[i, j] * x[i, j]\n");
}

void TestGradient::constructs() {
  QFETCH(QString, text);
  Definition d = parsed(text.toStdString()), g = derived(d);
  QCOMPARE(print(parsed(print(g))), print(g));
  int right = 0;
  std::string why;
  for (unsigned seed = 1; seed < 9; ++seed) { // pieces have kinks and steps: most points are not near one
    std::string problem = difference(d, g, seed);
    right += problem.empty() ? 1 : 0;
    if (!problem.empty()) why = problem;
  }
  QVERIFY2(right >= 7, (why + "\n" + print(g)).c_str());
}

/// What the header says of points where there is no derivative.
void TestGradient::kinks() {
  auto slope = [](const std::string& statement, const std::vector<double>& x, const std::vector<double>& cotangent,
                  const std::string& type = "float[N]") {
    Definition d = parsed("op t(x: float[N]) -> y: " + type + "\n  " + statement + "\n"), g = derived(d);
    auto n = static_cast<std::int64_t>(x.size());
    Bindings of{{{"x", numbers({n}, x)}}, {}};
    std::vector<std::int64_t> shape;
    if (cotangent.size() == x.size() && type != "float[]") shape.push_back(n);
    auto r = evaluate(g, bound(g, of, {{"d_y", numbers(shape, cotangent)}}), {precision, {}});
    if (!r) qFatal("%s", format(r.diagnostics.at(0)).c_str());
    return values_text(r->at("d_x"));
  };
  QCOMPARE(slope("y = max[i] x[i]", {1, 3, 3, 2}, {1}, "float[]"), "0 0.5 0.5 0");
  QCOMPARE(slope("y = min[i] x[i]", {5, 5, 5, 5}, {8}, "float[]"), "2 2 2 2");
  QCOMPARE(slope("y[i] = max(x[i], 0)", {-1, 0, 2}, {1, 1, 1}), "0 0 1");
  QCOMPARE(slope("y[i] = min(0, x[i])", {-1, 0, 2}, {1, 1, 1}), "1 0 0");
  QCOMPARE(slope("y[i] = max(x[i], x[N - 1 - i])", {4, 4}, {1, 1}), "1 1");
  QCOMPARE(slope("y[i] = abs(x[i])", {-2, 0, 2}, {1, 1, 1}), "-1 0 1");
  QCOMPARE(slope("y = prod[i] x[i]", {2, 0, 5}, {1}, "float[]"), "0 10 0");
  QCOMPARE(slope("y = prod[i] x[i]", {0, 0, 5}, {1}, "float[]"), "0 0 0");
  QCOMPARE(slope("y[i] = floor(x[i]) + sign(x[i]) + ceil(x[i]) + round(x[i])", {1, 2}, {1, 1}), "0 0");
  QCOMPARE(slope("y[i] = bf16(x[i]) * 3 + i8(x[i])", {1, 2}, {1, 1}), "3 3");
  QCOMPARE(slope("y = 2.0 * argmax[i] x[i]", {1, 2}, {1}, "float[]"), "0 0");
  QCOMPARE(slope("y = max[i in 0] x[i]", {1, 2}, {1}, "float[]"), "0 0");
}

void TestGradient::compact_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("known");
  QTest::addColumn<QString>("inputs");
  QTest::addColumn<QString>("arguments");
  QTest::addColumn<QStringList>("results");
  QTest::addColumn<int>("count"); // reductions of the forward part and of the known form
  const char* softmax_back = "op known(x: float[A, B], d_y: float[A, B]) -> d_x: float[A, B]\n"
                             "  m[i] = max[j] x[i, j]\n  l[i] = sum[j] exp(x[i, j] - m[i])\n"
                             "  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n  s[i] = sum[j] d_y[i, j] * y[i, j]\n"
                             "  d_x[i, j] = y[i, j] * (d_y[i, j] - s[i])\n";
  const char* softmax_in = "x: float[A, B], d_y: float[A, B]";
  QStringList dx{"d_x[i, j]"};
  QTest::newRow("softmax") << "op t(x: float[A, B]) -> y: float[A, B]\n  m[i] = max[j] x[i, j]\n"
                              "  l[i] = sum[j] exp(x[i, j] - m[i])\n  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n"
                           << softmax_back << softmax_in << "x, d_y" << dx << 3;
  QTest::newRow("softmax, five statements")
      << "op t(x: float[A, B]) -> y: float[A, B]\n  m[i] = max[j] x[i, j]\n  u[i, j] = x[i, j] - m[i]\n"
         "  e[i, j] = exp(u[i, j])\n  l[i] = sum[j] e[i, j]\n  y[i, j] = e[i, j] / l[i]\n"
      << softmax_back << softmax_in << "x, d_y" << dx << 3;
  QTest::newRow("softmax by the logarithm")
      << "op t(x: float[A, B]) -> y: float[A, B]\n  m[i] = max[j] x[i, j]\n"
         "  z[i] = m[i] + log(sum[j] exp(x[i, j] - m[i]))\n  y[i, j] = exp(x[i, j] - z[i])\n"
      << softmax_back << softmax_in << "x, d_y" << dx << 3;
  QTest::newRow("layernorm")
      << "op t(x: float[A, B], gamma: float[B], beta: float[B]; eps = 1e-5) -> y: float[A, B]\n"
         "  mu[i] = (sum[j] x[i, j]) / B\n  var[i] = (sum[j] (x[i, j] - mu[i])^2) / B\n"
         "  y[i, j] = (x[i, j] - mu[i]) * rsqrt(var[i] + eps) * gamma[j] + beta[j]\n"
      << "op known(x: float[A, B], gamma: float[B], d_y: float[A, B]; eps = 1e-5) -> d_x: float[A, B], "
         "d_gamma: float[B], d_beta: float[B]\n"
         "  mu[i] = (sum[j] x[i, j]) / B\n  var[i] = (sum[j] (x[i, j] - mu[i])^2) / B\n  r[i] = rsqrt(var[i] + eps)\n"
         "  xh[i, j] = (x[i, j] - mu[i]) * r[i]\n  g[i, j] = d_y[i, j] * gamma[j]\n  a[i] = (sum[j] g[i, j]) / B\n"
         "  b[i] = (sum[j] g[i, j] * xh[i, j]) / B\n  d_x[i, j] = r[i] * (g[i, j] - a[i] - xh[i, j] * b[i])\n"
         "  d_gamma[j] = sum[i] d_y[i, j] * xh[i, j]\n  d_beta[j] = sum[i] d_y[i, j]\n"
      << "x: float[A, B], gamma: float[B], d_y: float[A, B]"
      << "x, gamma, d_y" << QStringList{"d_x[i, j]", "d_gamma[j]", "d_beta[j]"} << 6;
  QTest::newRow("attention")
      << "op t(q: float[A, D], k: float[N, D], v: float[N, B]) -> o: float[A, B]\n"
         "  s[i, j] = (sum[d] q[i, d] * k[j, d]) / sqrt(D)\n  m[i] = max[j] s[i, j]\n"
         "  l[i] = sum[j] exp(s[i, j] - m[i])\n  o[i, e] = (sum[j] exp(s[i, j] - m[i]) * v[j, e]) / l[i]\n"
      << "op known(q: float[A, D], k: float[N, D], v: float[N, B], d_o: float[A, B]) -> d_q: float[A, D], "
         "d_k: float[N, D], d_v: float[N, B]\n"
         "  s[i, j] = (sum[d] q[i, d] * k[j, d]) / sqrt(D)\n  m[i] = max[j] s[i, j]\n"
         "  l[i] = sum[j] exp(s[i, j] - m[i])\n  p[i, j] = exp(s[i, j] - m[i]) / l[i]\n"
         "  o[i, e] = sum[j] p[i, j] * v[j, e]\n  d_v[j, e] = sum[i] p[i, j] * d_o[i, e]\n"
         "  dp[i, j] = sum[e] d_o[i, e] * v[j, e]\n  row[i] = sum[e] d_o[i, e] * o[i, e]\n"
         "  ds[i, j] = p[i, j] * (dp[i, j] - row[i]) / sqrt(D)\n  d_q[i, d] = sum[j] ds[i, j] * k[j, d]\n"
         "  d_k[j, d] = sum[i] ds[i, j] * q[i, d]\n"
      << "q: float[A, D], k: float[N, D], v: float[N, B], d_o: float[A, B]"
      << "q, k, v, d_o" << QStringList{"d_q[i, j]", "d_k[i, j]", "d_v[i, j]"} << 9;
  QTest::newRow("cross entropy")
      << "op t(x: float[A, B], target: i64[A]) -> loss: float[A]\n  m[i] = max[j] x[i, j]\n"
         "  l[i] = sum[j] exp(x[i, j] - m[i])\n  loss[i] = m[i] + log(l[i]) - x[i, target[i]]\n"
      << "op known(x: float[A, B], target: i64[A], d_loss: float[A]) -> d_x: float[A, B]\n"
         "  m[i] = max[j] x[i, j]\n  l[i] = sum[j] exp(x[i, j] - m[i])\n"
         "  d_x[i, j] = d_loss[i] * (exp(x[i, j] - m[i]) / l[i] - where(j == target[i], 1, 0))\n"
      << "x: float[A, B], target: i64[A], d_loss: float[A]"
      << "x, target, d_loss" << dx << 2;
  QTest::newRow("rmsnorm") << "op t(x: float[A, B]; eps = 1e-6) -> y: float[A, B]\n"
                              "  ms[i] = (sum[j] x[i, j]^2) / B\n  y[i, j] = x[i, j] * rsqrt(ms[i] + eps)\n"
                           << "op known(x: float[A, B], d_y: float[A, B]; eps = 1e-6) -> d_x: float[A, B]\n"
                              "  ms[i] = (sum[j] x[i, j]^2) / B\n  r[i] = rsqrt(ms[i] + eps)\n"
                              "  c[i] = (sum[j] d_y[i, j] * x[i, j]) / B\n"
                              "  d_x[i, j] = r[i] * (d_y[i, j] - x[i, j] * r[i]^2 * c[i])\n"
                           << softmax_in << "x, d_y" << dx << 2;
}

/// Equal to the compact form that textbooks give, as an identity and in numbers, with as many reductions.
void TestGradient::compact() {
  QFETCH(QString, text);
  QFETCH(QString, known);
  QFETCH(QString, inputs);
  QFETCH(QString, arguments);
  QFETCH(QStringList, results);
  QFETCH(int, count);
  Definition d = parsed(text.toStdString()), g = derived(d);
  std::string derived_text = print(g), known_text = known.toStdString();
  QVERIFY2(reductions(g) <= count, derived_text.c_str());
  Definition reference = parsed(known_text);
  // As an identity: what a result of one is less that of the other has the normal form 0.
  for (const QString& result : results) {
    std::string name = result.section('[', 0, 0).toStdString();
    std::string indices = result.section('[', 1).chopped(1).toStdString();
    const TensorDecl* decl = nullptr;
    for (TensorId y : reference.outputs)
      if (reference.tensors[y].name == name) decl = &reference.tensors[y];
    QVERIFY(decl != nullptr);
    std::string shape;
    for (ExprId e : decl->shape) shape += (shape.empty() ? "" : ", ") + reference.dims[reference.arena[e].payload];
    auto part = [&](const char* op) {
      return std::string(op) + "(" + arguments.toStdString() + ")." + name + "[" + indices + "]";
    };
    Definition both =
        parsed(derived_text + "\n" + known_text + "\nop difference(" + inputs.toStdString() + ") -> e: float[" + shape +
               "]\n  e[" + indices + "] = " + part("t_grad") + " - " + part("known") + "\n");
    Ranges ranges(both.arena);
    SumAlgebra algebra(both, [&](VarId v) { return ranges.box(v); });
    for (const Statement& s : both.statements) {
      for (std::size_t k = 0; k < s.vars.size(); ++k) ranges.bind(s.vars[k], s.lo[k], s.hi[k]);
      for (ExprId id : reachable(both.arena, std::array{s.body}))
        if (both.arena[id].op == Op::reduce)
          for (std::size_t k = 0; k < both.arena.reduction(id).vars.size(); ++k)
            ranges.bind(both.arena.reduction(id).vars[k], both.arena.operand(id, 2 * k),
                        both.arena.operand(id, 2 * k + 1));
      if (s.target != both.outputs[0]) algebra.define(s.target, s.vars, s.body);
    }
    auto form = algebra.of(both.statements.back().body);
    QVERIFY(form.has_value());
    QVERIFY2(algebra.zero(*form) != SumAlgebra::Zero::no, (name + "\n" + derived_text).c_str());
  }
  auto c = case_of(d, 3);
  QVERIFY(c.has_value());
  std::mt19937 random(5);
  Tensors cotangents = cotangents_for(d, c->results, random);
  auto a = evaluate(g, bound(g, c->bindings, cotangents), {precision, {}});
  auto b = evaluate(reference, bound(reference, c->bindings, cotangents), {precision, {}});
  QVERIFY(a && b);
  for (const auto& [name, x] : *a)
    for (std::size_t i = 0; i < x.element_count(); ++i)
      QVERIFY2(std::fabs(x.get(i) - b->at(name).get(i)) <= 1e-14 * (1 + std::fabs(x.get(i))), derived_text.c_str());
}

void TestGradient::shift_vanishes_data() {
  QTest::addColumn<QString>("text");
  QTest::newRow("masked") << "op t(x: float[M, N], k: bool[M, N]) -> y: float[M, N]\n"
                             "  m[i] = max[j where k[i, j]] x[i, j]\n"
                             "  l[i] = sum[j where k[i, j]] exp(x[i, j] - m[i])\n"
                             "  y[i, j] = where(k[i, j], exp(x[i, j] - m[i]) / l[i], 0)\n";
  QTest::newRow("causal") << "op t(x: float[N, N]) -> y: float[N, N]\n  m[i] = max[j <= i] x[i, j]\n"
                             "  l[i] = sum[j <= i] exp(x[i, j] - m[i])\n"
                             "  y[i, j] = where(j <= i, exp(x[i, j] - m[i]) / l[i], 0)\n";
  QTest::newRow("up to a length") << "op t(x: float[M, N], n: i64[M]) -> y: float[M, N]\n"
                                     "  m[i] = max[j where j < n[i] + 1] x[i, j]\n"
                                     "  l[i] = sum[j where j <= n[i]] exp(x[i, j] - m[i])\n"
                                     "  y[i, j] = where(j <= n[i], exp(x[i, j] - m[i]) / l[i], 0)\n";
  QTest::newRow("logsumexp") << "op t(x: float[M, N]) -> y: float[M]\n  m[i] = max[j] x[i, j]\n"
                                "  y[i] = m[i] + log(sum[j] exp(x[i, j] - m[i]))\n";
  QTest::newRow("by any value") << "op t(x: float[M, N]) -> y: float[M]\n  m[i] = min[j] x[i, j]\n"
                                   "  y[i] = log(sum[j] exp2(x[i, j] - m[i])) + m[i] * log(2)\n";
  QTest::newRow("weighted")
      << "op t(x: float[M, N], v: float[N]) -> y: float[M]\n  m[i] = max[j] x[i, j] * v[j]\n"
         "  y[i] = (sum[j] exp(x[i, j] * v[j] - m[i]) * v[j]) / sum[j] exp(x[i, j] * v[j] - m[i])\n";
}

/// The value does not depend on the shift, so no cotangent reaches it: neither ties nor positions are looked at.
void TestGradient::shift_vanishes() {
  QFETCH(QString, text);
  Definition d = parsed(text.toStdString()), g = derived(d);
  std::string out = print(g);
  QVERIFY2(out.find("ties") == std::string::npos && out.find("d_m") == std::string::npos, out.c_str());
  std::string why = difference(d, g, 1);
  QVERIFY2(why.empty(), (why + "\n" + out).c_str());
}

/// The gradient of the gradient of every operator is a definition; of a part of them it is held against differences.
void TestGradient::second() {
  constexpr int every = 5;
  int count = 0, compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(atlas_dir() / "ops")) {
    if (entry.path().extension() != ".op") continue;
    auto d = load_definition(entry.path().string());
    QVERIFY2(d, entry.path().c_str());
    Result<Definition> g = gradient(*d);
    if (!g || reductions(*g) > 12) continue; // the largest take a tenth of a second each
    Definition h = derived(*g);
    QCOMPARE(print(parsed(print(h))), print(h));
    if (++count % every != 0) continue;
    std::string why = "untried";
    for (unsigned seed = 1; seed < 5 && !why.empty(); ++seed) why = difference(*g, h, seed, 2); // no empty mask
    QVERIFY2(why.empty(), (d->name + ": " + why + "\n" + print(*g) + print(h)).c_str());
    ++compared;
  }
  QVERIFY(compared >= 6);
}

void TestGradient::deep() {
  std::string nested = "x[i]", product = "x[i]", sum = "x[i]";
  std::string open, close;
  for (int k = 0; k < 20000; ++k) open += "sin(", close += ")";
  nested = open + nested + close;
  for (int k = 0; k < 2000; ++k) product += " * (x[i] + " + std::to_string(k) + ")";
  for (int k = 0; k < 200000; ++k) sum += " + x[i]";
  for (const std::string& body : {nested, product, sum}) {
    Definition g = derived(parsed("op t(x: float[N]) -> y: float[N]\n  y[i] = " + body + "\n"));
    Bindings b{{{"x", numbers({2}, {0.5, -0.25})}, {"d_y", numbers({2}, {1, 2})}}, {}};
    auto r = evaluate(g, bound(g, b, b.inputs), {});
    QVERIFY2(r, r ? "" : format(r.diagnostics.at(0)).c_str());
    QVERIFY(!std::isnan(r->at("d_x").get(0)));
    if (body.size() == sum.size()) QCOMPARE(r->at("d_x").get(1), 2 * 200001.0);
  }
}

void TestGradient::refused() {
  auto message = [](const std::string& text) {
    Result<Definition> g = gradient(parsed(text));
    return g ? std::string("no error") : format(g.diagnostics.at(0));
  };
  QCOMPARE(message("op t(n: i64[N]) -> y: float[N]\n  y[i] = n[i] / 2\n"),
           "error: 't' has no input of type float to differentiate by");
  QCOMPARE(message("op t(x: float[N]) -> y: i64[]\n  y = argmax[i] x[i]\n"),
           "error: 't' has no result of type float to differentiate");
}

/// What the derived definitions ask of the language: an input that only gives a dimension, a result's range in print.
void TestGradient::reads_back() {
  QCOMPARE(print(derived(parsed("op s(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] x[i, j]\n"))),
           "op s_grad(x: float[M, N], d_y: float[M]) -> d_x: float[M, N]\n  d_x[i, j] = d_y[i]\n");
  QCOMPARE(print(derived(parsed("op s(x: float[N]) -> y: float[N - 1]\n  y[i in N - 1] = x[i]\n"))),
           "op s_grad(x: float[N], d_y: float[N - 1]) -> d_x: float[N]\n"
           "  d_x[i in N] = where(i + 1 < N, d_y[i], 0)\n");
  // Index equations are solved: what was spread is gathered.
  QCOMPARE(print(derived(parsed("op s(x: float[N]) -> y: float[2 * N]\n  y[i] = x[i // 2]\n"))),
           "op s_grad(x: float[N], d_y: float[2 * N]) -> d_x: float[N]\n"
           "  d_x[n] = sum[i in 2 * n .. 2 * n + 2] d_y[i]\n");
  QCOMPARE(print(derived(parsed("op s(x: float[M, 12]) -> y: float[M, 3, 4]\n  y[i, a, b] = x[i, 4 * a + b]\n"))),
           "op s_grad(d_y: float[M, 3, 4]) -> d_x: float[M, 12]\n  d_x[i, i2] = d_y[i, i2 // 4, i2 % 4]\n");
  Definition d =
      parsed("op s(x: float[N], z: float[N + 1]) -> y: float[N + 1]\n  y[i in N + 1] = where(i < N, x[i], z[i])\n");
  QCOMPARE(print(parsed(print(d))), print(d));
  Result<Definition> unused =
      parse_definition("op s(x: float[N], w: float[N]) -> y: float[N]\n  y[i] = x[i]\n", "t.op");
  QVERIFY(!unused);
}

QTEST_GUILESS_MAIN(TestGradient)
#include "test_gradient.moc"
