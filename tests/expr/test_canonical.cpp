// The canonical form: names, spelling and order never enter; special values keep their meaning; size does not hurt.
#include "core/base/atlas_path.hpp"
#include "core/expr/canonical.hpp"
#include "core/expr/print.hpp"
#include "tests/reference/definitions.hpp"

#include <QElapsedTimer>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace aicf;
using aicf::test::parse;

namespace {

Canonical canonical(const std::string& text) { return canonicalize(parse(text)); }
std::string hash(const std::string& text) { return to_hex(canonical(text).structure_hash); }

/// y[i] = e over four inputs; e is the only thing that differs between two of these.
std::string around(const std::string& e) {
  return "op f(x: float[N], z: float[N], w: float[N], b: bool[N], n: i64[N]; eps = 1e-5, s: i32 = 1)"
         " -> y: float[N], u: float[N]\n  y[i] = " +
         e + "\n  u[i] = where(b[i] and n[i] > s, x[i] * z[i], w[i] + eps)\n";
}

std::string names(const Canonical& c) {
  std::string out;
  for (const NamedReduction& r : c.reductions) {
    out += r.name + "(";
    for (const std::string& a : r.axes) out += a;
    out += ") ";
  }
  return out;
}

std::string repeated(const std::string& piece, int times) {
  std::string out;
  out.reserve(piece.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

} // namespace

class TestCanonical : public QObject {
  Q_OBJECT
 private slots:
  void one_softmax_one_hash();
  void order_of_names_and_statements();
  void what_the_hash_tells_apart();
  void recurrences();
  void user_reducers_by_content();
  void normal_forms_data();
  void normal_forms();
  void functions_by_their_words();
  void levels();
  void capture();
  void substitution_by_symbols();
  void named_reductions();
  void atlas_operators_differ();
  void large_inputs_data();
  void large_inputs();
};

void TestCanonical::one_softmax_one_hash() {
  std::string one = hash("op softmax(x: float[M, N]) -> y: float[M, N]\n"
                         "  y[i, j] = exp(x[i, j] - max[k] x[i, k]) / sum[k] exp(x[i, k] - max[l] x[i, l])\n");
  std::string other = hash("op anything(logits: float[Rows, Cols]) -> out: float[Rows, Cols]\n"
                           "  top[a] = max[b] logits[a, b]\n"
                           "  total[r] = sum[c] exp(logits[r, c] - top[r])\n"
                           "  out[r, c] = exp(logits[r, c] - top[r]) / total[r]\n");
  std::string five = hash("op f(x: float[M, N]) -> y: float[M, N]\n"
                          "  e[i, j] = exp(s[i, j])\n"
                          "  s[i, j] = x[i, j] - m[i]\n"
                          "  m[i] = max[j] x[i, j]\n"
                          "  y[i, j] = e[i, j] / l[i]\n"
                          "  l[i] = sum[j] e[i, j]\n");
  std::string called = hash("op softmax(x: float[M, N]) -> y: float[M, N]\n"
                            "  m[i]    = max[j] x[i, j]\n"
                            "  l[i]    = sum[j] exp(x[i, j] - m[i])\n"
                            "  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n"
                            "op g(z: float[A, B]) -> w: float[A, B]\n"
                            "  w[i, j] = softmax(z)[i, j]\n");
  QCOMPARE(other, one);
  QCOMPARE(five, one);
  QCOMPARE(called, one);
  std::string min = hash("op f(x: float[M, N]) -> y: float[M, N]\n"
                         "  y[i, j] = exp(x[i, j] - min[k] x[i, k]) / sum[k] exp(x[i, k] - min[l] x[i, l])\n");
  QVERIFY(min != one);
}

void TestCanonical::order_of_names_and_statements() {
  // Names chosen so that any order by name would come out the other way round.
  std::string a = hash("op f(a: float[N], b: float[N]; p = 1, q = 2) -> y: float[N]\n"
                       "  c[i] = a[i] * p + b[i] * q\n  d[i] = sin(a[i]) * cos(b[i])\n  y[i] = c[i] * d[i] + c[i]\n");
  std::string b = hash("op f(z: float[K], y: float[K]; u = 1, t = 2) -> b: float[K]\n"
                       "  b[i] = e[i] + d[i] * e[i]\n  d[k] = cos(y[k]) * sin(z[k])\n  e[j] = t * y[j] + u * z[j]\n");
  QCOMPARE(a, b);
}

void TestCanonical::what_the_hash_tells_apart() {
  std::set<std::string> all;
  int count = 0;
  auto add = [&](const std::string& text) {
    all.insert(hash(text));
    ++count;
  };
  add("op f(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] x[i, j]\n");
  add("op f(x: float[M, N]) -> y: f32[M]\n  y[i] = sum[j] x[i, j]\n");
  add("op f(x: f32[M, N]) -> y: float[M]\n  y[i] = sum[j] x[i, j]\n");
  add("op f(x: float[N, N]) -> y: float[N]\n  y[i] = sum[j] x[i, j]\n");
  add("op f(x: float[M, N]) -> y: float[N]\n  y[j] = sum[i] x[i, j]\n");
  add("op f(x: float[M, N]; s = 1) -> y: float[M]\n  y[i] = sum[j] s * x[i, j]\n");
  add("op f(x: float[M, N]; s = 2) -> y: float[M]\n  y[i] = sum[j] s * x[i, j]\n");
  add("op f(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j where j != i] x[i, j]\n");
  add("op f(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j < i] x[i, j]\n");
  add("op f(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] bf16(x[i, j])\n");
  add("op f(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] f16(x[i, j])\n");
  add("op f(x: float[M, N], z: float[M, N]) -> y: float[M]\n  y[i] = sum[j] (x[i, j] - z[i, 0])\n");
  add("op f(x: float[M, N], z: float[M, N]) -> y: float[M]\n  y[i] = sum[j] (z[i, j] - x[i, 0])\n");
  QCOMPARE(static_cast<int>(all.size()), count);
}

void TestCanonical::recurrences() {
  std::string lstm = "op lstm(x: float[T, C], w: float[4, D, C], r: float[4, D, D]) -> h: float[T, D], c: float[T, D]\n"
                     "  z[t, g, d] = (sum[k] w[g, d, k] * x[t, k]) + (sum[k] r[g, d, k] * h[t - 1, k])\n"
                     "  c[t, d] = sigmoid(z[t, 2, d]) * c[t - 1, d] + sigmoid(z[t, 0, d]) * tanh(z[t, 3, d])"
                     " from c[-1, d] = 0\n"
                     "  h[t, d] = sigmoid(z[t, 1, d]) * tanh(c[t, d]) from h[-1, d] = 0\n";
  std::string shuffled =
      "op a(v: float[S, I], p: float[4, H, I], q: float[4, H, H]) -> o: float[S, H], s: float[S, H]\n"
      "  o[t, d] = tanh(s[t, d]) * sigmoid(g[t, 1, d]) from o[-1, d] = 0\n"
      "  s[n, u] = sigmoid(g[n, 0, u]) * tanh(g[n, 3, u]) + s[n - 1, u] * sigmoid(g[n, 2, u])"
      " from s[-1, u] = 0\n"
      "  g[t, k, d] = (sum[e] o[t - 1, e] * q[k, d, e]) + (sum[c] v[t, c] * p[k, d, c])\n";
  QCOMPARE(hash(shuffled), hash(lstm));
  Canonical c = canonical(lstm);
  QCOMPARE(c.values.size(), std::size_t{2}); // the gates are a map and are inlined
  for (std::size_t k = 0; k < 2; ++k) QCOMPARE(c.values[k].initial.size(), std::size_t{1});
  for (const CanonicalValue& out : c.outputs) {
    const Node& n = c.arena[out.body];
    QCOMPARE(n.op, Op::load);
    QCOMPARE(c.values.at(n.payload - c.source->inputs).source, out.source);
  }
  std::string forward = hash("op f(x: float[T]) -> h: float[T]\n  h[t] = h[t - 1] + x[t] from h[-1] = 0\n");
  std::string backward = hash("op f(x: float[T]) -> h: float[T]\n  h[t] = h[t + 1] + x[t] from h[T] = 0\n");
  std::string from_one = hash("op f(x: float[T]) -> h: float[T]\n  h[t] = h[t - 1] + x[t] from h[-1] = 1\n");
  QVERIFY(forward != backward && forward != from_one);
  // Two recurrences that nothing but their content tells apart, in either order.
  std::string ab = "op f(x: float[T]) -> y: float[T]\n  a[t] = 2 * a[t - 1] + x[t] from a[-1] = 0\n"
                   "  b[t] = 3 * b[t - 1] + x[t] from b[-1] = 0\n  y[t] = a[t] - b[t]\n";
  std::string ba = "op f(x: float[T]) -> y: float[T]\n  q[t] = 3 * q[t - 1] + x[t] from q[-1] = 0\n"
                   "  p[t] = 2 * p[t - 1] + x[t] from p[-1] = 0\n  y[t] = p[t] - q[t]\n";
  QCOMPARE(hash(ab), hash(ba));
}

void TestCanonical::user_reducers_by_content() {
  auto text = [](const std::string& reducers, const std::string& name) {
    return reducers + "op f(x: float[N]) -> y: float[]\n  y = " + name + "[j] x[j]\n";
  };
  std::string a = "reducer far(a, b) = where(abs(a) < abs(b), b, a) identity 0\n";
  std::string b =
      "reducer other(a, b) = a * b identity 1\nreducer mag(p, q) = where(abs(q) > abs(p), q, p) identity 0\n";
  QCOMPARE(hash(text(a, "far")), hash(text(b, "mag")));
  QVERIFY(hash(text(b, "other")) != hash(text(b, "mag")));
}

void TestCanonical::normal_forms_data() {
  QTest::addColumn<QString>("a");
  QTest::addColumn<QString>("b");
  QTest::addColumn<bool>("same");
  auto row = [](const char* a, const char* b, bool same) {
    QTest::newRow((std::string(a) + " | " + b).c_str()) << a << b << same;
  };
  row("x[i] * x[i]", "x[i]^2", true);
  row("x[i] * x[i] * x[i]", "x[i]^2 * x[i]", true);
  row("x[i] + z[i] + w[i]", "w[i] + (z[i] + x[i])", true);
  row("x[i] + x[i]", "2 * x[i]", true);
  row("x[i] - x[i]", "0", false);
  row("x[i] / x[i]", "1", false);
  row("x[i]^2 / x[i]", "x[i]", false);
  row("0 * x[i]", "0", false);
  row("2 * x[i] - x[i]", "x[i]", false);
  row("x[i] + 0", "x[i]", true);
  row("1 * x[i]", "x[i]", true);
  row("x[i]^0", "1", true); // the reference's power, as C's, is 1 even at NaN
  row("-(-x[i])", "x[i]", true);
  row("x[i] - (z[i] - w[i])", "x[i] - z[i] + w[i]", false); // products are not distributed
  row("x[i] / z[i] / w[i]", "x[i] / (z[i] * w[i])", true);
  row("x[i] / (z[i] / w[i])", "x[i] * w[i] / z[i]", true);
  row("1 / sqrt(x[i])", "rsqrt(x[i])", true);
  row("sqrt(x[i])", "x[i]^0.5", true);
  row("sqrt(x[i])^2", "x[i]", false);
  row("sqrt(x[i])^3", "x[i]^1.5", true); // 3/2 is no whole power: negative x is NaN both ways
  row("sqrt(x[i]) * sqrt(x[i])", "sqrt(x[i])^2", true);
  row("sqrt(x[i]^2)", "x[i]", false);
  row("(x[i]^2)^3", "x[i]^6", true);
  row("(x[i] * z[i])^2", "x[i]^2 * z[i]^2", true);
  row("1 / (1 / x[i])", "x[i]", true);
  row("x[i] * (z[i] + w[i])", "x[i] * z[i] + x[i] * w[i]", false);
  row("6 * x[i] / 3", "2 * x[i]", true);
  row("x[i] * 2.0 + 1.0", "1 + 2 * x[i]", true);
  row("0.1 * x[i] + 0.2 * x[i]", "0.3 * x[i]", false); // 0.1 + 0.2 is not 0.3 in f64
  row("where(x[i] > z[i], x[i], z[i])", "where(z[i] < x[i], x[i], z[i])", true);
  row("where(not (x[i] < z[i]), x[i], z[i])", "where(x[i] < z[i], z[i], x[i])", true);
  row("where(not (x[i] < z[i]), x[i], z[i])", "where(z[i] <= x[i], x[i], z[i])", false);
  row("where(not (x[i] == z[i]), x[i], z[i])", "where(x[i] != z[i], x[i], z[i])", true);
  row("where(not not b[i], x[i], z[i])", "where(b[i], x[i], z[i])", true);
  row("where(b[i], x[i], x[i])", "x[i]", true);
  row("where(1 < 2, x[i], z[i])", "x[i]", true);
  row("max(x[i], max(z[i], w[i]))", "max(max(w[i], x[i]), z[i])", true);
  row("max(x[i], x[i])", "x[i]", true);
  row("max(x[i], max(1, max(3, 2)))", "max(3.0, x[i])", true);
  row("where(x[i] < 0 and z[i] < 0, x[i], z[i])", "where(z[i] < 0 and x[i] < 0.0, x[i], z[i])", true);
  row("2^10 * x[i]", "1024 * x[i]", true);
  row("0.1 * 0.2 * x[i]", "0.02 * x[i]", false);
  row("log(exp(x[i]))", "x[i]", false);
  row("sum[j] x[j] * z[i]", "sum[k] z[i] * x[k]", true);
  row("sum[j, k] x[j] * z[k]", "sum[c, d] z[c] * x[d]", true);
  row("sum[j, k] (x[j] - x[k]) * z[k]", "sum[c, d] (x[d] - x[c]) * z[c]", true);
  row("sum[j] sum[k] x[j] * z[k]", "sum[c] sum[d] z[c] * x[d]", false); // the order of two sums is kept
  row("bf16(bf16(x[i]))", "bf16(x[i])", true);
  row("bf16(0.1) * x[i]", "0.10009765625 * x[i]", true); // 0x1.9ap-4
  row("exp2(x[i])", "exp(x[i])", false);
  row("sum[j] x[j] / N", "sum[j] x[j] * N^(-1)", true);
  row("x[(i + 1) - 1]", "x[i]", true);
  row("x[i + i - i]", "x[i]", true);
  row("x[(2 * i + i) // 3]", "x[3 * i // 3]", true);
  row("exp(0) * x[i]", "x[i]", true);
  row("x[i] / 4", "0.25 * x[i]", true);
  row("x[i] / 3", "0.3333333333333333 * x[i]", false);
  row("isnan(i) == b[i]", "(1 > 2) == b[i]", true);
}

void TestCanonical::normal_forms() {
  QFETCH(QString, a);
  QFETCH(QString, b);
  QFETCH(bool, same);
  auto of = [](const QString& e) {
    std::string text = e.toStdString();
    if (text.find("== b") != std::string::npos) text = "where(" + text + ", x[i], z[i])";
    return canonical(around(text));
  };
  Canonical x = of(a), y = of(b);
  std::string told =
      print(x.arena, x.outputs[0].body, names_of(x)) + "\n" + print(y.arena, y.outputs[0].body, names_of(y));
  QVERIFY2((x.structure_hash == y.structure_hash) == same, told.c_str());
}

/// A call holds the operation whose word it is, wherever that stands among the others, and prints as itself.
void TestCanonical::functions_by_their_words() {
  const std::set<std::string> algebraic{"sqrt", "rsqrt", "abs", "sign", "floor", "ceil", "round"};
  for (const char* word : {"exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "tanh", "erf", "atan",
                           "abs", "sigmoid", "sin", "cos", "sign", "ceil", "floor", "round"}) {
    auto d = parse("op f(x: float[N]) -> y: float[N]\n  y[i] = " + std::string(word) + "(x[i])\n");
    const Op op = d->arena[d->statements[0].body].op;
    QCOMPARE(name_of(op), std::string_view(word));
    QVERIFY2(is_transcendental(op) != algebraic.contains(word), word);
  }
}

/// Each reduction's variables lie just above the highest level bound inside it; equal ones are one node.
void TestCanonical::levels() {
  Canonical c = canonical("op f(x: float[M, N]) -> y: float[M, M]\n"
                          "  m[i] = max[j] x[i, j]\n"
                          "  y[i, k] = (sum[a, b] (x[a, b] - m[a])^2) + m[i] * max[q] x[k, q]\n");
  std::array roots{c.outputs[0].body};
  std::map<ExprId, std::uint32_t> level;
  int reductions = 0;
  for (ExprId id : reachable(c.arena, roots)) {
    std::uint32_t inside = 0;
    for (ExprId operand : c.arena.operands(id)) inside = std::max(inside, level[operand]);
    if (c.arena[id].op == Op::reduce) {
      ++reductions;
      for (VarId v : c.arena.reduction(id).vars) QCOMPARE(v, bound_base + inside++);
    }
    level[id] = inside;
  }
  QCOMPARE(reductions, 4); // max over x[a, ·], x[i, ·] and x[k, ·], and the sum
  QCOMPARE(free_vars(c.arena, c.outputs[0].body), (std::vector<VarId>{0, 1}));
}

/// An index that is itself a reduction is put into a body that binds variables of the same level.
void TestCanonical::capture() {
  std::string staged = hash("op f(t: float[M, N], s: float[N, M]) -> y: float[N]\n"
                            "  r[i] = sum[j] t[i, j]\n  y[n] = r[argmax[k] s[n, k]]\n");
  std::string direct = hash("op f(t: float[M, N], s: float[N, M]) -> y: float[N]\n"
                            "  y[n] = sum[j] t[argmax[k] s[n, k], j]\n");
  QCOMPARE(staged, direct);
  Arena a;
  auto var = [&](VarId v) { return a.make(Op::index, Kind::integer, {}, v); };
  ExprId n = a.make(Op::dim, Kind::integer, {}, 0), zero = a.integer(0), always = a.boolean(true);
  ExprId body = a.make(Op::load, Kind::real, {var(0), var(bound_base)}, 0);
  ExprId sum = a.reduce({0, {bound_base}}, std::array{zero, n, always, body});
  ExprId moved = substitute(a, sum, {{var(0), var(bound_base)}}); // a free variable of that very level
  QCOMPARE(free_vars(a, moved), (std::vector<VarId>{bound_base}));
  QVERIFY(a.reduction(moved).vars[0] != bound_base);
}

void TestCanonical::substitution_by_symbols() {
  Canonical c = canonical("op f(x: float[M, N]) -> y: float[M]\n"
                          "  m[i] = max[j] x[i, j]\n  y[i] = sum[j] exp(x[i, j] - m[i])\n");
  ExprId max = c.reductions.at(0).node, sum = c.reductions.at(1).node;
  ExprId d = c.arena.make(Op::symbol, Kind::real, {}, 7);
  ExprId open = substitute(c.arena, sum, {{max, d}});
  std::array roots{open};
  int reductions = 0;
  for (ExprId id : reachable(c.arena, roots)) reductions += c.arena[id].op == Op::reduce ? 1 : 0;
  QCOMPARE(reductions, 1);
  QCOMPARE(c.arena.reduction(open).vars, (std::vector<VarId>{bound_base})); // nothing is bound inside any more
  QCOMPARE(substitute(c.arena, open, {}), open);
}

void TestCanonical::named_reductions() {
  QCOMPARE(names(canonical("op f(x: float[M, N]) -> y: float[M, N]\n  m[i] = max[j] x[i, j]\n"
                           "  l[i] = sum[k] exp(x[i, k] - m[i])\n  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n")),
           std::string("m(j) l(k) "));
  QCOMPARE(names(canonical("op f(x: float[M, N]) -> h: float[M, N]\n"
                           "  h[i, j] = exp(x[i, j] - max[k] x[i, k]) / sum[l] exp(x[i, l] - max[q] x[i, q])\n")),
           std::string("h#1(k) h#2(l) "));
  QCOMPARE(names(canonical("op f(x: float[M, N]) -> v: float[M]\n  mu[i] = (sum[j] x[i, j]) / N\n"
                           "  v[i] = (sum[j] (x[i, j] - mu[i])^2) / N\n")),
           std::string("mu#1(j) v#1(j) "));
  // Inner first; a statement that is written below what reads it comes later.
  QCOMPARE(names(canonical("op f(x: float[M, N]) -> y: float[]\n  y = sum[i] (max[j] x[i, j]) * w[i]\n"
                           "  w[i] = prod[j] x[i, j]\n")),
           std::string("y#1(j) y(i) w(j) "));
  // Read at two indices: one entry for each, under one name.
  QCOMPARE(names(canonical("op f(x: float[K, N]) -> c: float[N, N]\n  mu[j] = sum[k] x[k, j]\n"
                           "  c[i, j] = sum[k] (x[k, i] - mu[i]) * (x[k, j] - mu[j])\n")),
           std::string("mu(k) mu(k) c(k) "));
}

void TestCanonical::atlas_operators_differ() {
  std::map<std::string, std::string> seen;
  for (const auto& entry : std::filesystem::directory_iterator(atlas_dir() / "ops")) {
    if (entry.path().extension() != ".op") continue;
    auto d = load_definition(entry.path().string());
    QVERIFY2(d, entry.path().c_str());
    auto definition = std::make_shared<const Definition>(std::move(*d));
    Canonical c = canonicalize(definition);
    auto [it, fresh] = seen.emplace(to_hex(c.structure_hash), entry.path().stem().string());
    QVERIFY2(fresh, (it->second + " and " + entry.path().stem().string()).c_str());
    std::vector<ExprId> roots;
    for (const auto* list : {&c.values, &c.outputs})
      for (const CanonicalValue& v : *list) roots.push_back(v.body);
    std::size_t reductions = 0;
    for (ExprId id : reachable(c.arena, roots)) reductions += c.arena[id].op == Op::reduce ? 1U : 0U;
    QCOMPARE(c.reductions.size(), reductions);
    QCOMPARE(to_hex(canonicalize(definition).structure_hash), it->first);
  }
  QVERIFY(seen.size() >= 20);
}

void TestCanonical::large_inputs_data() {
  QTest::addColumn<QString>("expression");
  auto row = [](const char* name, const std::string& e) { QTest::newRow(name) << QString::fromStdString(e); };
  row("a sum of 200,000 terms", "x[i]" + repeated(" + z[i] * x[i]", 200000));
  row("a sum of 200,000 numbers", "x[i]" + repeated(" + 0.1", 200000));
  row("a product of 200,000 factors", "x[i]" + repeated(" * z[i]", 200000));
  row("a sum of distinct terms", [] {
    std::string e = "x[i]";
    for (int k = 0; k < 100000; ++k) e += " + z[i] * " + std::to_string(k) + ".5";
    return e;
  }());
  row("alternating signs", "x[i]" + repeated(" - z[i] + w[i]", 50000));
  row("20,000 parentheses", repeated("(", 20000) + "x[i]" + repeated(")", 20000));
  row("20,000 functions", repeated("sin(", 20000) + "x[i]" + repeated(")", 20000));
  row("20,000 minus signs", repeated("-(1 - ", 20000) + "x[i]" + repeated(")", 20000));
  row("20,000 denominators", repeated("z[i] / (1 + x[i] / (", 10000) + "x[i]" + repeated("))", 10000));
  row("20,000 branches", repeated("where(x[i] > 0, z[i], ", 20000) + "x[i]" + repeated(")", 20000));
  row("20,000 maxima", repeated("max(z[i], 1 + ", 20000) + "x[i]" + repeated(")", 20000));
  row("5,000 nested sums", [] {
    std::string e;
    for (int k = 0; k < 5000; ++k) e += "(sum[j" + std::to_string(k) + "] x[j" + std::to_string(k) + "] * ";
    return e + "z[i]" + repeated(")", 5000);
  }());
}

void TestCanonical::large_inputs() {
  QFETCH(QString, expression);
  auto definition = parse(around(expression.toStdString()));
  QElapsedTimer timer;
  timer.start();
  Canonical c = canonicalize(definition);
  qInfo("%lld ms, %zu nodes", timer.elapsed(), c.arena.size());
  QVERIFY(c.outputs[0].body != no_expr);
  QVERIFY(timer.elapsed() < 20000); // generous: machines are shared
}

QTEST_GUILESS_MAIN(TestCanonical)
#include "test_canonical.moc"
