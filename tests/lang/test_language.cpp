// What well-formed text means: precedence, ranges, kinds, recurrences, calls. Values come from a small evaluator of
// this file and from the generator's own arithmetic.
#include "core/expr/check.hpp"
#include "core/expr/print.hpp"

#include <QtTest>

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

using namespace aicf;

namespace {

Definition parsed(const std::string& text, const std::optional<std::string>& op = std::nullopt) {
  auto result = parse_definition(text, "t.op", op);
  std::string problems;
  for (const Diagnostic& d : result.diagnostics) problems += format(d, text) + "\n";
  if (!result) qFatal("%s", problems.c_str());
  return std::move(*result);
}

std::string shown(const Definition& d, ExprId e) { return print(d.arena, e, names_of(d)); }

/// The body of the first statement.
std::string body(const std::string& text) {
  Definition d = parsed(text);
  return shown(d, d.statements.at(0).body);
}

/// "lo .. hi" of each variable of the last reduction of the text (the largest id).
std::string reduction_range(const Definition& d) {
  for (auto id = static_cast<ExprId>(d.arena.size()); id-- > 0;) {
    if (d.arena[id].op != Op::reduce) continue;
    std::string text;
    for (std::size_t v = 0; v < d.arena.reduction(id).vars.size(); ++v)
      text += (v == 0 ? "" : ", ") + shown(d, d.arena.operand(id, 2 * v)) + " .. " +
              shown(d, d.arena.operand(id, 2 * v + 1));
    return text;
  }
  return "no reduction";
}

std::string ranges(const std::string& statements) {
  return reduction_range(parsed("op f(x: float[M, N], a: float[N]; k: i32 = 1) -> y: float[M, N]\n" + statements +
                                "\n  u[i, j in N] = x[i, j] * a[j] * k\n"));
}

/// Arithmetic without tensors, in order of the ids: operands come first.
double value(const Definition& d) {
  const Arena& arena = d.arena;
  std::vector<double> v(arena.size(), 0);
  for (ExprId id = 0; id < arena.size(); ++id) {
    auto at = [&](std::size_t i) { return v[arena.operand(id, i)]; };
    switch (arena[id].op) {
    case Op::number: v[id] = arena.value(id); break;
    case Op::scalar: v[id] = d.scalars[arena[id].payload].value; break;
    case Op::neg: v[id] = -at(0); break;
    case Op::add:
      for (std::size_t i = 0; i < arena[id].count; ++i) v[id] = i == 0 ? at(0) : v[id] + at(i);
      break;
    case Op::mul:
      for (std::size_t i = 0; i < arena[id].count; ++i) v[id] = i == 0 ? at(0) : v[id] * at(i);
      break;
    case Op::sub: v[id] = at(0) - at(1); break;
    case Op::div: v[id] = at(0) / at(1); break;
    case Op::floordiv: v[id] = std::floor(at(0) / at(1)); break;
    case Op::mod: v[id] = at(0) - at(1) * std::floor(at(0) / at(1)); break;
    case Op::pow: v[id] = std::pow(at(0), at(1)); break;
    case Op::lt: v[id] = at(0) < at(1) ? 1 : 0; break;
    case Op::le: v[id] = at(0) <= at(1) ? 1 : 0; break;
    case Op::eq: v[id] = at(0) == at(1) ? 1 : 0; break;
    case Op::ne: v[id] = at(0) != at(1) ? 1 : 0; break;
    case Op::and_: v[id] = at(0) != 0 && at(1) != 0 ? 1 : 0; break;
    case Op::or_: v[id] = at(0) != 0 || at(1) != 0 ? 1 : 0; break;
    case Op::not_: v[id] = at(0) == 0 ? 1 : 0; break;
    case Op::select: v[id] = at(0) != 0 ? at(1) : at(2); break;
    case Op::min: v[id] = std::fmin(at(0), at(1)); break;
    case Op::max: v[id] = std::fmax(at(0), at(1)); break;
    case Op::abs: v[id] = std::fabs(at(0)); break;
    default: break; // the load of the unused input
    }
  }
  return v[d.statements.at(0).body];
}

double calculate(const std::string& expression, bool condition = false) {
  std::string text = "op f(x: float[N]; s = 3) -> z: float[N]" +
                     std::string(condition ? ", y: bool[]" : ", y: float[]") + "\n  y = " + expression +
                     "\n  z[i] = x[i] * s\n";
  Definition d = parsed(text);
  return value(d);
}

/// A random arithmetic expression with its value, written with as few brackets as the grammar allows, and some more.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  struct Expression {
    std::string text;
    double value = 0;
    int strength = 9; ///< 1 or … 9 an operand
  };

  Expression number(int depth) {
    if (depth == 0 || pick(8) == 0) {
      int n = pick(9) + 1;
      return pick(5) == 0 ? Expression{"s", 3, 9} : Expression{std::to_string(n) + (pick(2) == 0 ? ".5" : ""), 0, 9};
    }
    Expression a = operand(depth), b = operand(depth);
    switch (pick(9)) {
    case 0: return {at(a, 5) + " + " + at(b, 6), a.value + b.value, 5};
    case 1: return {at(a, 5) + " - " + at(b, 6), a.value - b.value, 5};
    case 2: return {at(a, 6) + "*" + at(b, 7), a.value * b.value, 6};
    case 3: return {at(a, 6) + " / " + at(b, 7), a.value / b.value, 6};
    case 4: return {at(a, 6) + " // " + at(b, 7), std::floor(a.value / b.value), 6};
    case 5: return {"-" + at(a, 7), -a.value, 7};
    case 6: return {at(a, 9) + "^2", std::pow(a.value, 2), 8};
    case 7: return {"max(" + a.text + ", " + b.text + ")", std::fmax(a.value, b.value), 9};
    default: {
      Expression c = condition(depth - 1);
      return {"where(" + c.text + "," + a.text + "," + b.text + ")", c.value != 0 ? a.value : b.value, 9};
    }
    }
  }

 private:
  Expression operand(int depth) {
    Expression e = number(depth - 1);
    if (e.value == 0 && e.strength == 9 && e.text.find_first_not_of("0123456789.") == std::string::npos)
      e.value = std::stod(e.text);
    return e;
  }

  Expression condition(int depth) {
    Expression a = operand(std::max(depth, 1)), b = operand(std::max(depth, 1));
    if (depth <= 0 || pick(3) == 0) {
      switch (pick(4)) {
      case 0: return {at(a, 5) + " < " + at(b, 5), a.value < b.value ? 1.0 : 0.0, 4};
      case 1: return {at(a, 5) + " >= " + at(b, 5), a.value >= b.value ? 1.0 : 0.0, 4};
      case 2: return {at(a, 5) + " == " + at(b, 5), a.value == b.value ? 1.0 : 0.0, 4};
      default: return {at(a, 5) + " != " + at(b, 5), a.value != b.value ? 1.0 : 0.0, 4};
      }
    }
    Expression p = condition(depth - 1), q = condition(depth - 1);
    bool x = p.value != 0, y = q.value != 0;
    switch (pick(3)) {
    case 0: return {at(p, 2) + " and " + at(q, 3), x && y ? 1.0 : 0.0, 2};
    case 1: return {at(p, 1) + " or " + at(q, 2), x || y ? 1.0 : 0.0, 1};
    default: return {"not " + at(p, 3), x ? 0.0 : 1.0, 3};
    }
  }

  std::string at(const Expression& e, int strength) {
    return e.strength < strength || pick(6) == 0 ? "(" + e.text + ")" : e.text;
  }

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::mt19937 random_;
};

} // namespace

class TestLanguage : public QObject {
  Q_OBJECT

 private slots:
  void precedence() {
    QCOMPARE(calculate("2 + 3 * 4"), 14.0);
    QCOMPARE(calculate("-2^2"), -4.0);
    QCOMPARE(calculate("2^3^2"), 512.0);
    QCOMPARE(calculate("(2^3)^2"), 64.0);
    QCOMPARE(calculate("2^-1"), 0.5);
    QCOMPARE(calculate("2^-2^2"), 0.0625);
    QCOMPARE(calculate("-3 * -2"), 6.0);
    QCOMPARE(calculate("--2"), 2.0);
    QCOMPARE(calculate("10 - 4 - 3"), 3.0);
    QCOMPARE(calculate("10 - 4 + 3"), 9.0);
    QCOMPARE(calculate("24 / 4 / 3"), 2.0);
    QCOMPARE(calculate("24 / 4 * 3"), 18.0);
    QCOMPARE(calculate("7 // 2 * 2 + 7 % 2"), 7.0);
    QCOMPARE(calculate("-7 // 2"), -4.0); // (-7) // 2: unary minus binds tighter
    QCOMPARE(calculate("-7 % 3"), 2.0);
    QCOMPARE(calculate("1 / 2"), 0.5);
    QCOMPARE(calculate("s * 2e0 + .5"), 6.5);
    QCOMPARE(calculate("not 1 < 2", true), 0.0);
    QCOMPARE(calculate("not 1 > 2 and 2 < 3", true), 1.0);
    QCOMPARE(calculate("1 > 2 and 3 > 4 or 2 > 1", true), 1.0);
    QCOMPARE(calculate("2 > 1 or 1 > 2 and 3 > 4", true), 1.0);
    QCOMPARE(calculate("1 + 1 == 2", true), 1.0);
  }

  void random_arithmetic() {
    for (unsigned seed = 1; seed <= 2000; ++seed) {
      Generator generator(seed);
      auto e = generator.number(1 + static_cast<int>(seed % 6));
      if (e.strength == 9 && e.value == 0) continue; // a lone literal
      double got = calculate(e.text);
      bool same = got == e.value || (std::isnan(got) && std::isnan(e.value));
      if (!same) qCritical("seed %u: %s", seed, e.text.c_str());
      QVERIFY(same);
    }
  }

  void reducers_bind_products() {
    QCOMPARE(body("op f(x: float[N], w: float[N]) -> y: float[]\n  y = 2 * sum[j] x[j] * w[j] / 3\n"),
             std::string("2 * (sum[j in N] x[j] * w[j] / 3)"));
    QCOMPARE(body("op f(x: float[N], w: float[N]) -> y: float[]\n  y = -sum[j] x[j]^2 * w[j]\n"),
             std::string("-(sum[j in N] x[j]^2 * w[j])"));
    QCOMPARE(body("op f(x: float[M, N]) -> y: float[]\n  y = sum[i] max[j] x[i, j]\n"),
             std::string("sum[i in M] max[j in N] x[i, j]"));
    QCOMPARE(body("op f(x: float[N]) -> y: bool[]\n  y = (sum[j] x[j]) > 0 and any[j] (x[j] > 1)\n"),
             std::string("0 < (sum[j in N] x[j]) and (any[j in N] (1 < x[j]))"));
  }

  void ranges_of_reductions() {
    QCOMPARE(ranges("  y[i, j] = sum[l] x[i, l]"), std::string("0 .. N"));
    QCOMPARE(ranges("  y[i, j] = sum[l, q] x[l, q]"), std::string("0 .. M, 0 .. N"));
    QCOMPARE(ranges("  y[i, j] = sum[l <= j] x[i, l]"), std::string("0 .. j + 1"));
    QCOMPARE(ranges("  y[i, j] = sum[l < j] x[i, l]"), std::string("0 .. j"));
    QCOMPARE(ranges("  y[i, j] = sum[l >= j] x[i, l]"), std::string("j .. N"));
    QCOMPARE(ranges("  y[i, j] = sum[l > j] x[i, l]"), std::string("j + 1 .. N"));
    // Where the bound may leave the axis it is clamped.
    QCOMPARE(ranges("  y[i, j] = sum[l <= j + k] x[i, l]"), std::string("0 .. min(N, j + k + 1)"));
    QCOMPARE(ranges("  y[i, j] = sum[l <= j + 2] x[i, l]"), std::string("0 .. min(N, j + 3)"));
    QCOMPARE(ranges("  y[i, j] = sum[l <= i] x[i, l]"), std::string("0 .. min(N, i + 1)"));
    QCOMPARE(ranges("  y[i, j] = sum[l >= j - k] x[i, l]"), std::string("max(0, j - k) .. N"));
    QCOMPARE(ranges("  y[i, j] = sum[l > j - 1] x[i, l]"), std::string("j .. N"));
    QCOMPARE(ranges("  y[i, j] = sum[l < N + 5] x[i, l]"), std::string("0 .. N"));
    QCOMPARE(ranges("  y[i, j] = sum[l in 3] x[i, l]"), std::string("0 .. 3"));
    QCOMPARE(ranges("  y[i, j] = sum[l in 1 .. N] x[i, l - 1]"), std::string("1 .. N"));
    QCOMPARE(ranges("  y[i, j] = sum[l in 1..N] x[i, l - 1]"), std::string("1 .. N"));
    QCOMPARE(ranges("  y[i, j] = sum[l in j .. N, q in l] x[i, l] * a[q]"), std::string("j .. N, 0 .. l"));
    QCOMPARE(ranges("  y[i, j] = sum[l in N <= j] x[i, l]"), std::string("0 .. j + 1"));
  }

  void ranges_of_statements() {
    Definition d = parsed("op f(x: float[N], w: float[K]) -> y: float[N - K + 1]\n"
                          "  y[i] = (sum[r] x[i + r] * w[r]) + c[i]\n"
                          "  d[i in 1 .. N] = x[i] - x[i - 1]\n"
                          "  c[l] = sum[i] d[i] * z[l]\n"
                          "  z[l] = y0[l]\n"
                          "  y0[l in N - K + 1] = 0\n");
    std::map<std::string, std::string> found;
    for (const Statement& s : d.statements)
      found[d.tensors[s.target].name] = shown(d, s.lo[0]) + " .. " + shown(d, s.hi[0]);
    QCOMPARE(found["y"], std::string("0 .. N - K + 1"));
    QCOMPARE(found["d"], std::string("1 .. N"));
    QCOMPARE(found["c"], std::string("0 .. N - K + 1"));
    QCOMPARE(found["z"], std::string("0 .. N - K + 1"));
    QCOMPARE(shown(d, d.tensors[d.outputs[0]].shape[0]), std::string("N - K + 1"));
    for (const TensorDecl& t : d.tensors)
      if (t.name == "d") QCOMPARE(shown(d, t.shape[0]), std::string("N - 1"));
    // Operands come first.
    std::set<TensorId> known;
    for (TensorId t = 0; t < d.inputs; ++t) known.insert(t);
    for (const Statement& s : d.statements) {
      for (ExprId id : reachable(d.arena, std::array{s.body}))
        if (d.arena[id].op == Op::load) QVERIFY(known.contains(d.arena[id].payload));
      known.insert(s.target);
    }
  }

  void equal_dims_may_be_spelt_differently() {
    parsed("op f(x: float[N], w: float[K], v: float[K * N + 2 * N]) -> y: float[N - K + 1], z: float[N * (2 + K)]\n"
           "  y[i] = (sum[r] x[i + r] * w[r]) + t[i]\n  t[i in 1 - K + N] = 2\n  z[i] = v[i]\n");
  }

  void kinds() {
    Definition d = parsed("op f(x: float[N], ids: i64[N]; n: i32 = 3) -> y: float[N], i: i64[]\n"
                          "  y[j] = (ids[j] + n) / 2 + x[ids[j] // 2 % n]\n  i = argmax[j] x[j]\n");
    const Arena& arena = d.arena;
    for (ExprId id = 0; id < arena.size(); ++id) {
      if (arena[id].op == Op::div) QCOMPARE(arena[id].kind, Kind::real);
      if (arena[id].op == Op::floordiv || arena[id].op == Op::mod || arena[id].op == Op::reduce)
        QCOMPARE(arena[id].kind, Kind::integer);
    }
    d = parsed("op f(x: float[N]) -> y: i8[N], z: float[N]\n  y[i] = i8(127 * x[i])\n  z[i] = bf16(x[i])\n");
    QCOMPARE(shown(d, d.statements[0].body), std::string("i8(127 * x[i])"));
    QCOMPARE(shown(d, d.statements[1].body), std::string("bf16(x[i])"));
    QCOMPARE(d.arena[d.statements[0].body].op, Op::round_to);
  }

  void kind_of_a_recurrence() {
    // An automaton's state is an integer, and indexes; a running condition is a condition; a mean is real.
    Definition d =
        parsed("op f(table: i32[S, A], x: i64[T], m: bool[T], a: float[T]) -> y: i64[T], b: bool[T], r: float[T]\n"
               "  s[t] = table[s[t - 1], x[t]] from s[-1] = 0\n  y[t] = s[t]\n"
               "  seen[t] = seen[t - 1] or m[t] from seen[-1] = 0 > 1\n  b[t] = seen[t]\n"
               "  v[t] = v[t - 1] / 2 + a[t] from v[-1] = 0\n  r[t] = v[t]\n");
    std::map<std::string, Kind> kind;
    for (const TensorDecl& t : d.tensors) kind[t.name] = t.kind;
    QCOMPARE(kind["s"], Kind::integer);
    QCOMPARE(kind["seen"], Kind::boolean);
    QCOMPARE(kind["v"], Kind::real);
  }

  void recurrences() {
    Definition d = parsed("op f(x: float[T, D], w: float[D, D]) -> h: float[T, D], e: float[T]\n"
                          "  e[t] = sum[d] h[t, d]\n"
                          "  h[t, d] = o[t, d] * tanh(c[t, d]) from h[-1, d] = 0\n"
                          "  c[t, d] = c[t - 1, d] + g[t, d] from c[-1, d] = x[0, d]\n"
                          "  g[t, d] = x[t, d] + (sum[k] w[d, k] * h[t - 1, k])\n"
                          "  o[t, d] = sigmoid(g[t, d])\n");
    std::vector<std::string> order;
    for (const Statement& s : d.statements) {
      order.push_back(d.tensors[s.target].name);
      bool member = order.back() != "e";
      QCOMPARE(s.step, member ? 1 : 0);
      QCOMPARE(s.axis, 0U);
      QCOMPARE(s.group == d.statements[0].group, member);
      QCOMPARE(s.initial.size(), std::size_t{order.back() == "h" || order.back() == "c" ? 1U : 0U});
    }
    auto place = [&](const char* name) { return std::find(order.begin(), order.end(), name) - order.begin(); };
    QVERIFY(place("g") < place("o") && place("g") < place("c") && place("o") < place("h") && place("c") < place("h"));
    QCOMPARE(place("e"), 4);

    d = parsed("op f(x: float[D, T]) -> h: float[D, T]\n  h[d, t] = x[d, t] * h[d, t + 2] from h[d, T] = 1, h[d, T + "
               "1] = 2\n");
    QCOMPARE(d.statements[0].step, -1);
    QCOMPARE(d.statements[0].axis, 1U);
    d = parsed(
        "op f(x: float[T]) -> h: float[T]\n  h[t] = x[t] + (sum[k in T where k > 0] k * h[t - 1]) from h[-1] = 0\n");
    QCOMPARE(d.statements[0].step, 1);
  }

  void calls_are_inlined() {
    const std::string text =
        "reducer lse(a, b) = max(a, b) + log1p(exp(-abs(a - b))) identity -inf\n"
        "op norm(x: float[M, N]; eps = 1e-5) -> y: float[M, N], n: float[M]\n"
        "  n[i] = sqrt(sum[j] x[i, j]^2) + eps\n  y[i, j] = x[i, j] / n[i]\n  unread[i] = lse[j] x[i, j]\n"
        "op f(q: float[A, B]; e = 2, n: i32 = 3) -> y: float[A, B], z: float[A]\n"
        "  y[i, j] = norm(q; eps = e).y[i, j] + norm(q; eps = e).n[i] + n\n"
        "  z[i] = norm(norm(q).y).n[i]\n";
    Definition d = parsed(text);
    QCOMPARE(print(d), std::string("op f(q: float[A, B]; e = 2.0, n: i32 = 3) -> y: float[A, B], z: float[A]\n"
                                   "  y_norm_n[i] = sqrt(sum[j] q[i, j]^2) + e\n"
                                   "  y_norm_y[i, j] = q[i, j] / y_norm_n[i]\n"
                                   "  y[i, j] = y_norm_y[i, j] + y_norm_n[i] + n\n"
                                   "  z_norm_n[i] = sqrt(sum[j] q[i, j]^2) + 1e-05\n"
                                   "  z_norm_y[i, j] = q[i, j] / z_norm_n[i]\n"
                                   "  z_norm_n_2[i] = sqrt(sum[j] z_norm_y[i, j]^2) + 1e-05\n"
                                   "  z[i] = z_norm_n_2[i]\n"));
    QCOMPARE(d.text, text);
    QCOMPARE(d.file, std::string("t.op"));
    // The name of the callee's index is taken by a tensor of the caller.
    d = parsed(
        "op g(x: float[N]) -> y: float[]\n  y = sum[j] x[j]\nop f(j: float[N]) -> z: float[N]\n  z[i] = j[i] * g(j)\n");
    QCOMPARE(print(d),
             std::string("op f(j: float[N]) -> z: float[N]\n  z_g_y = sum[j_2] j[j_2]\n  z[i] = j[i] * z_g_y\n"));
  }

  void user_reducers() {
    Definition d = parsed("reducer unused(a, b) = a + b identity 0\n"
                          "reducer lse(p, q) = max(p, q) + log1p(exp(-abs(p - q))) identity -inf\n"
                          "op f(x: float[N]) -> y: float[]\n  y = lse[j] 2 * x[j]\n");
    QCOMPARE(d.reducers.size(), std::size_t{1});
    QCOMPARE(d.reducers[0].name, std::string("lse"));
    QCOMPARE(d.arena.reduction(d.statements[0].body).reducer, first_user_reducer);
    QCOMPARE(d.arena.value(d.reducers[0].identity), -std::numeric_limits<double>::infinity());
    QCOMPARE(print(d), std::string("reducer lse(p, q) = max(p, q) + log1p(exp(-abs(p - q))) identity -inf\n\n"
                                   "op f(x: float[N]) -> y: float[]\n  y = lse[j] 2 * x[j]\n"));
  }

  void text_forms() {
    const std::string plain = print(parsed("op f(x: float[N]) -> y: float[N]\n  y[i] = x[i] + 1\n"));
    for (const char* same :
         {"\xef\xbb\xbfop f(x: float[N]) -> y: float[N]\n  y[i] = x[i] + 1",
          "# c\r\n\r\nop f(x: float[N]) -> y: float[N]\r\n\ty[i] = x[i] + 1 # end\r\n",
          "op f(\n  x: float[\nN]\n) -> y: float[N]\n\n# between\ny[\ni] = (x[i]\n   # inside\n + 1)\n\n"})
      QCOMPARE(print(parsed(same)), plain);
  }

  void columns_after_a_byte_order_mark() {
    auto result = parse_definition("\xef\xbb\xbfop f(x: float[N]) -> y: float[K]\n  y[i] = x[i]\n", "t.op");
    QCOMPARE(result.diagnostics.at(0).at.column, 31);
  }
};

QTEST_GUILESS_MAIN(TestLanguage)
#include "test_language.moc"
