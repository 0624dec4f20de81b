// The canonical form means what the definition means: both are evaluated and must agree, special values included.
#include "core/base/atlas_path.hpp"
#include "core/expr/canonical.hpp"
#include "tests/reference/definitions.hpp"

#include <filesystem>

using namespace aicf;
using namespace aicf::test;

namespace {

/// A definition whose statements are the values and outputs of a canonical form.
Definition written_out(const Canonical& c) {
  const Definition& source = *c.source;
  Definition d = source;
  d.statements.clear();
  d.tensors.resize(d.inputs);
  d.outputs.clear();
  d.vars.assign(bound_base + 4096, "v");
  d.arena = c.arena;
  // Shapes of the tensors and parts of reducers are expressions of the source's arena: they are made again.
  std::unordered_map<ExprId, ExprId> moved;
  auto move = [&](ExprId root) {
    for (ExprId id : reachable(source.arena, std::array{root})) {
      const Node& n = source.arena[id];
      std::vector<ExprId> operands;
      for (ExprId e : source.arena.operands(id)) operands.push_back(moved.at(e));
      moved[id] = n.op == Op::number ? d.arena.number(source.arena.value(id), n.kind)
                                     : d.arena.make(n.op, n.kind, n.payload, operands);
    }
    return moved.at(root);
  };
  for (TensorDecl& t : d.tensors)
    for (ExprId& e : t.shape) e = move(e);
  for (UserReducer& r : d.reducers) {
    r.combine = move(r.combine);
    r.identity = move(r.identity);
  }
  std::uint32_t group = 0;
  auto add = [&](const CanonicalValue& v, bool output, std::uint32_t of_group) {
    TensorDecl t = source.tensors[v.source];
    for (ExprId& e : t.shape) e = move(e);
    if (!output) t.name = "value " + t.name;
    Statement s;
    s.target = static_cast<TensorId>(d.tensors.size());
    for (VarId k = 0; k < v.lo.size(); ++k) s.vars.push_back(k);
    s.lo = v.lo;
    s.hi = v.hi;
    s.body = v.body;
    s.initial = v.initial;
    s.group = of_group;
    if (output) d.outputs.push_back(s.target);
    d.tensors.push_back(std::move(t));
    d.statements.push_back(std::move(s));
  };
  for (const CanonicalValue& v : c.values) add(v, false, 0); // recurrences may read one another
  for (const CanonicalValue& v : c.outputs) add(v, true, ++group);
  return d;
}

double distance(double a, double b) {
  if (identical(a, b) || a == b) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  return std::fabs(a - b) / std::max({1.0, std::fabs(a), std::fabs(b)});
}

void compare(const std::shared_ptr<const Definition>& d, const Bindings& b, double tolerance, int precision) {
  auto expected = evaluate(*d, b, {precision, {}});
  auto actual = evaluate(written_out(canonicalize(d)), b, {precision, {}});
  QVERIFY2(expected, expected ? "" : format(expected.diagnostics.at(0)).c_str());
  QVERIFY2(actual, actual ? "" : format(actual.diagnostics.at(0)).c_str());
  for (const auto& [name, tensor] : *expected) {
    std::vector<double> x = values(tensor), y = values(actual->at(name));
    QCOMPARE(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      QVERIFY2(distance(x[i], y[i]) <= tolerance,
               (d->text + "\n" + name + " " + std::to_string(x[i]) + " " + std::to_string(y[i])).c_str());
  }
}

/// Random expressions over two inputs, their elements at i and reductions.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}
  std::string op() {
    std::string text = "op f(x: float[M, N], z: float[N]; eps = 0.25) -> y: float[M, N]\n";
    text += "  a[i] = max[j] x[i, j]\n  b[j] = (sum[i] x[i, j]) / M\n";
    text += "  y[i, j] = " + real(5, {"i", "j"}) + " + 0 * (a[i] + b[j] + z[j] + eps)\n";
    return text;
  }

 private:
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::string real(int depth, const std::pair<std::string, std::string>& at) {
    auto sub = [&] { return real(depth - 1, at); };
    if (depth == 0) {
      switch (pick(7)) {
      case 0: return "z[" + at.second + "]";
      case 1: return "a[" + at.first + "]";
      case 2: return "b[" + at.second + "]";
      case 3: return std::to_string(pick(5) - 2);
      case 4: return "0.5";
      case 5: return "eps";
      default: return "x[" + at.first + ", " + at.second + "]";
      }
    }
    switch (pick(17)) {
    case 0:
    case 1: return "(" + sub() + " + " + sub() + ")";
    case 2: return "(" + sub() + " - " + sub() + ")";
    case 3:
    case 4: return "(" + sub() + " * " + sub() + ")";
    case 5: return "(" + sub() + " / (0.5 + abs(" + sub() + ")))"; // the sign of a zero is no part of the meaning
    case 6: return "(-" + sub() + ")";
    case 7: return "(" + sub() + ")^" + std::to_string(pick(4));
    case 8: return "sqrt(" + sub() + ")";
    case 9: return "exp(-abs(" + sub() + "))";
    case 10: return "max(" + sub() + ", " + sub() + ")";
    case 11: return "min(" + sub() + ", max(" + sub() + ", " + sub() + "))";
    case 12: return "where(" + condition(depth - 1, at) + ", " + sub() + ", " + sub() + ")";
    case 13: return "rsqrt(0.5 + " + sub() + "^2)";
    case 14: {
      std::string k = "k" + std::to_string(next_++);
      return "(sum[" + k + "] x[" + at.first + ", " + k + "] * (" + real(depth - 1, {at.first, k}) + "))";
    }
    case 15: {
      std::string k = "k" + std::to_string(next_++);
      return "(max[" + k + "] (x[" + k + ", " + at.second + "] + " + real(depth - 1, {k, at.second}) + "))";
    }
    default: return "round(" + sub() + ")";
    }
  }
  std::string condition(int depth, const std::pair<std::string, std::string>& at) {
    std::string a = real(std::max(depth - 1, 0), at), b = real(0, at);
    switch (pick(5)) {
    case 0: return "not (" + a + " < " + b + ")";
    case 1: return a + " <= " + b + " and " + b + " != 0";
    case 2: return "isnan(" + a + ") or " + b + " > 0";
    case 3: return a + " == " + b;
    default: return a + " > " + b;
    }
  }
  std::mt19937 random_;
  int next_ = 0;
};

} // namespace

class TestCanonicalMeaning : public QObject {
  Q_OBJECT
 private slots:
  void atlas();
  void constructs_data();
  void constructs();
  void random_definitions();
  void recurrences();
  void double_against_200_bits();
};

void TestCanonicalMeaning::atlas() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(atlas_dir() / "ops")) {
    if (entry.path().extension() != ".op") continue;
    auto d = load_definition(entry.path().string());
    QVERIFY2(d, entry.path().c_str());
    std::map<std::string, std::int64_t> dims;
    for (const std::string& name : d->dims) dims[name] = 3 + static_cast<std::int64_t>(dims.size()) % 3;
    if (dims.contains("K")) dims["K"] = 2; // a stencil is shorter than its signal
    auto shapes = shapes_for(*d, dims);
    QVERIFY2(shapes, entry.path().c_str());
    Bindings b;
    for (std::size_t t = 0; t < d->inputs; ++t) {
      const TensorDecl& tensor = d->tensors[t];
      HostTensor& x = b.inputs[tensor.name];
      if (tensor.kind == Kind::real) {
        x = random_tensor(shapes->at(tensor.name), 7 + static_cast<unsigned>(t));
      } else {
        x = HostTensor(tensor.kind == Kind::boolean ? DType::boolean : DType::i64, shapes->at(tensor.name));
        for (std::size_t i = 0; i < x.element_count(); ++i) x.set(i, static_cast<double>(i % 2));
      }
    }
    auto definition = std::make_shared<const Definition>(std::move(*d));
    compare(definition, b, 1e-12, 53);
    compare(definition, b, 1e-30, 200);
    ++count;
  }
  QVERIFY(count >= 20);
}

void TestCanonicalMeaning::constructs_data() {
  QTest::addColumn<QString>("body");
  auto row = [](const char* name, const char* body) { QTest::newRow(name) << body; };
  row("pad of a map", "  a[i, j] = x[i, j] * 2\n  y[i, j] = pad(a[i - 1, j + 1], 5) + a[i, j]\n");
  row("pad of a recurrence", "  a[i, j] = a[i - 1, j] / 2 + x[i, j] from a[-1, j] = 1\n"
                             "  y[i, j] = pad(a[i, j - 1], 5) + a[i, j]\n");
  row("shifted map", "  a[i in 1 .. M, j] = x[i - 1, j] - x[i, j]\n  y[i in M, j] = where(i > 0, a[i, j], 9)\n");
  row("gather by a reduction", "  r[i] = sum[j] x[i, j]\n  y[i, j] = r[argmin[k in M] x[k, j]] * x[i, j]\n");
  row("gather by ids", "  y[i, j] = x[i, n[j] % N] + x[n[j] % M, j]\n");
  row("gather by a rounded number", "  y[i, j] = x[i, min(i32(abs(x[i, j])), N - 1)]\n");
  row("any and all", "  p[i] = any[j] (x[i, j] > 1)\n  q[j] = all[i] (x[i, j] < 1)\n"
                     "  y[i, j] = where(p[i] and not q[j], x[i, j], where(p[i] == q[j], 7, 8))\n");
  row("integers", "  y[i, j] = (n[j] * 7 - i) // 3 + (n[j] - 2 * i) % 5 + max[k] n[k] * j\n");
  row("a user's reducer", "  y[i, j] = x[i, j] - (last[k <= j] x[i, k]) + last[k where x[i, k] > 0] x[i, k]\n");
  row("prefix of prefixes", "  c[i, j in N] = sum[k <= j] x[i, k]\n  y[i, j] = max[k < j] c[i, k] * c[k % M, j]\n");
  row("several axes", "  y[i, j] = x[i, j] * sum[a, b where (a + b) % 2 == 0] x[a, b]^2\n");
  row("dependent axes", "  y[i, j] = x[i, j] * sum[a, b in 0 .. a + 1] x[a, b % N]\n");
  row("rounding", "  y[i, j] = bf16(x[i, j]) + f16(x[i, j] * 3) + i8(x[i, j] * 40)\n");
  row("three recurrences", "  a[i, j] = 0.5 * a[i - 1, j] + x[i, j] from a[-1, j] = 0\n"
                           "  b[i, j] = b[i, j - 1] + a[i, j] from b[i, -1] = 1\n"
                           "  c[i, j] = c[i + 1, j] * 0.25 + b[i, j] from c[M, j] = x[0, j]\n"
                           "  y[i, j] = c[i, j] - b[i, j]\n");
}

void TestCanonicalMeaning::constructs() {
  QFETCH(QString, body);
  auto d = parse("reducer last(a, b) = where(isnan(b), a, b) identity -1\n"
                 "op f(x: float[M, N], n: i64[N]; s = 2) -> y: float[M, N], u: float[N]\n" +
                 body.toStdString() + "  u[j] = n[j] + s + x[0, j]\n");
  for (auto shape : {std::vector<std::int64_t>{3, 4}, {4, 3}, {1, 1}, {5, 300}}) {
    HostTensor x = random_tensor(shape, 11), n(DType::i64, {shape[1]});
    for (std::size_t i = 0; i < n.element_count(); ++i) n.set(i, static_cast<double>(i * i % 7));
    compare(d, {{{"x", x}, {"n", n}}, {}}, 1e-9, 53);
    if (shape[1] < 100) compare(d, {{{"x", x}, {"n", n}}, {}}, 1e-30, 200); // more lanes than a block only in f64
    if (QTest::currentTestFailed()) return;
  }
}

void TestCanonicalMeaning::random_definitions() {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    auto d = parse(Writer(seed).op());
    HostTensor x = random_tensor({2, 3}, seed), z = random_tensor({3}, seed + 1000);
    // Extended precision, so that a different order of operations shows only where it means something else.
    compare(d, {{{"x", x}, {"z", z}}, {}}, 1e-9, 2000);
    x.set(1, std::numeric_limits<double>::quiet_NaN());
    z.set(2, std::numeric_limits<double>::infinity());
    compare(d, {{{"x", x}, {"z", z}}, {}}, 1e-9, 2000);
    if (QTest::currentTestFailed()) return;
  }
}

void TestCanonicalMeaning::recurrences() {
  auto d = parse("op f(x: float[T, D], w: float[D, D]) -> h: float[T, D], c: float[T, D]\n"
                 "  g[t, d] = sigmoid(x[t, d] + sum[k] w[d, k] * h[t - 1, k])\n"
                 "  c[t, d] = g[t, d] * c[t - 1, d] + (1 - g[t, d]) * x[t, d] from c[-1, d] = 0\n"
                 "  h[t, d] = g[t, d] * tanh(c[t, d]) from h[-1, d] = 0.5 * w[d, d]\n");
  Bindings b{{{"x", random_tensor({9, 4}, 3)}, {"w", random_tensor({4, 4}, 4)}}, {}};
  compare(d, b, 1e-12, 53);
  compare(d, b, 1e-30, 200);
}

/// f64 lies within what its own rounding allows of 200 bits: the operators of random definitions are few and tame.
void TestCanonicalMeaning::double_against_200_bits() {
  int compared = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::string text = Writer(seed).op();
    if (text.find("round") != std::string::npos || text.find("where") != std::string::npos) continue; // discontinuous
    auto d = parse(text);
    Bindings b{{{"x", random_tensor({3, 70}, seed)}, {"z", random_tensor({70}, seed + 1)}}, {}};
    std::vector<double> f64 = run(*d, b), exact = run(*d, b, 200);
    std::vector<double> more = run(*d, b, 400);
    for (std::size_t i = 0; i < f64.size(); ++i) {
      QVERIFY2(distance(exact[i], more[i]) == 0 || distance(exact[i], more[i]) < 1e-30, text.c_str());
      if (std::isfinite(exact[i]) && std::isfinite(f64[i]) && std::fabs(exact[i]) < 1e6) {
        ++compared;
        QVERIFY2(distance(f64[i], exact[i]) < 1e-6, text.c_str());
      }
    }
  }
  QVERIFY(compared > 1000);
}

QTEST_GUILESS_MAIN(TestCanonicalMeaning)
#include "test_canonical_meaning.moc"
