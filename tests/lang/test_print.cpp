// Printing and reading back: random well-formed operators return node for node, and their text is a fixed point; the
// form for people is short and says the same.
#include "core/expr/check.hpp"
#include "core/expr/print.hpp"
#include "tests/support/paths.hpp"

#include <QtTest>

#include <filesystem>
#include <random>

using namespace aicf;
using aicf::test::source_path;

namespace {

/// Random operators over inputs x: [M, N], w: [N], v: [M], ids: i64[N], b: bool[M, N], with every construct of the
/// language; kinds, ranges and scopes are right by construction.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string file() {
    std::string text;
    if (pick(2) == 0) text += "reducer lse(p, q) = max(p, q) + log1p(exp(-abs(p - q))) identity -inf\n";
    user_reducer_ = !text.empty();
    text += "op other(a: float[P, Q]; e = 0.5) -> c: float[P, Q], d: float[P]\n"
            "  d[i] = (sum[k] a[i, k]^2) + e\n  c[i, k] = a[i, k] / d[i]\n";
    text +=
        "op generated(x: float[M, N], w: float[N], v: float[M], ids: i64[N], b: bool[M, N]; s = 1.5, n: i32 = 2) -> "
        "y: float[M, N], z: float[], r: float[M]\n";
    int statements = pick(4);
    for (int k = 0; k < statements; ++k) {
      std::string name = "t" + std::to_string(k);
      scope_ = {{"i", 'M'}, {"j", 'N'}};
      bool ranges = pick(3) == 0;
      // Used as an index alone, or its range is written.
      text += "  " + name + "[i" + (ranges ? " in M" : "") + ", j" + (ranges && pick(2) == 0 ? " in 0 .. N" : "") +
              "] = 0 * x[i, j] + " + real(3, 6) + "\n";
      temporaries_.push_back(name);
    }
    if (pick(3) == 0) {
      text += "  u[i, j] = other(x; e = " + std::string(pick(2) == 0 ? "s" : "1e-3") + ").c[i, j] + other(x).d[i]\n";
      temporaries_.push_back("u");
    }
    if (pick(3) == 0) {
      text += pick(2) == 0 ? "  h[i, j] = s * h[i - 1, j] + x[i, j] from h[-1, j] = w[j]\n"
                           : "  h[i, j] = g[i, j] + h[i, j + 2] from h[i, N] = v[i], h[i, N + 1] = 0\n"
                             "  g[i, j] = tanh(h[i, j + 1]) * x[i, j]\n";
      temporaries_.push_back("h");
    }
    scope_ = {{"i", 'M'}, {"j", 'N'}};
    text += "  y[i, j] = " + real(4, 0) + "\n";
    scope_ = {{"i", 'M'}};
    text += "  r[i] = " + real(3, 0) + "\n";
    scope_.clear();
    text += "  z = " + real(3, 0) + " + 0 * (sum[i, j where b[i, j]] x[i, j] * w[j] * v[i] * ids[j] * s * n)\n";
    return text;
  }

 private:
  struct Index {
    std::string name;
    char axis = 'M';
  };

  /// An index in scope with the range of the axis, or an integer below it.
  std::string index(char axis) {
    std::vector<std::string> fit;
    for (const Index& i : scope_)
      if (i.axis == axis) fit.push_back(i.name);
    if (!fit.empty() && pick(4) != 0) return fit[static_cast<std::size_t>(pick(static_cast<int>(fit.size())))];
    if (axis == 'N' && pick(3) == 0) return "ids[" + index('N') + "]";
    return pick(2) == 0 ? "0" : std::string(1, axis) + " // 2";
  }

  std::string load() {
    switch (pick(5)) {
    case 0: return "w[" + index('N') + "]";
    case 1: return "v[" + index('M') + "]";
    case 2: return "pad(x[" + index('M') + " - 1, 2 * " + index('N') + " + n], " + (pick(2) == 0 ? "-inf" : "0") + ")";
    case 3:
      if (!temporaries_.empty())
        return temporaries_[static_cast<std::size_t>(pick(static_cast<int>(temporaries_.size())))] + "[" + index('M') +
               ", " + index('N') + "]";
      [[fallthrough]];
    default: return "x[" + index('M') + ", " + index('N') + "]";
    }
  }

  std::string integer(int depth) {
    if (depth <= 0) {
      if (!scope_.empty() && pick(2) == 0)
        return scope_[static_cast<std::size_t>(pick(static_cast<int>(scope_.size())))].name;
      static const char* const leaves[] = {"n", "N", "M", "3", "17"};
      return leaves[pick(5)];
    }
    static const char* const signs[] = {" + ", " - ", " * ", " // ", " % "};
    return bracket(integer(depth - 1) + signs[pick(5)] + integer(depth - 1), true);
  }

  std::string reduction(int depth) {
    static const char* const reducers[] = {"sum", "prod", "max", "min", "argmax", "argmin"};
    bool user = user_reducer_ && pick(4) == 0;
    int which = pick(6);
    std::string name = "k" + std::to_string(counter_++);
    char axis = pick(2) == 0 ? 'M' : 'N';
    // Its own axis is indexed by it alone inside, so that a range need not be written.
    std::string use = axis == 'M' ? "v[" + name + "]" : "w[" + name + "]";
    std::string binder = name;
    if (pick(3) == 0) binder += " in " + std::string(pick(2) == 0 ? "1 .. " : "") + axis;
    if (pick(3) == 0) {
      static const char* const relations[] = {" < ", " <= ", " > ", " >= "};
      binder += relations[pick(4)] + integer(pick(2));
    }
    scope_.push_back({name, axis});
    std::string second;
    bool two = which < 4 && pick(4) == 0;
    if (two) {
      second = "k" + std::to_string(counter_++);
      binder += ", " + second + " in 1 .. 4";
      scope_.push_back({second, 'C'});
    }
    if (pick(3) == 0) binder += " where " + condition(depth - 2);
    std::string inner = bracket(real(depth - 1, 7), false);
    std::string text = std::string(user ? "lse" : reducers[which]) + "[" + binder + "] " + use + " * " + inner;
    scope_.pop_back();
    if (two) scope_.pop_back();
    return "(" + text + ")";
  }

  std::string condition(int depth) {
    if (depth <= 0) {
      static const char* const relations[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
      if (pick(4) == 0) return "isnan(" + load() + ")";
      if (pick(4) == 0) return "b[" + index('M') + ", " + index('N') + "]";
      return bracket(real(0, 5) + relations[pick(6)] + real(0, 5), true);
    }
    switch (pick(4)) {
    case 0: return "(" + condition(depth - 1) + " and " + condition(depth - 1) + ")";
    case 1: return "(" + condition(depth - 1) + " or not " + condition(depth - 1) + ")";
    case 2: return "(not " + condition(depth - 1) + ")";
    default: {
      std::string name = "k" + std::to_string(counter_++);
      scope_.push_back({name, 'N'});
      std::string text = std::string(pick(2) == 0 ? "any" : "all") + "[" + name + "] (w[" + name + "] > 0 or " +
                         condition(depth - 2) + ")";
      scope_.pop_back();
      return "(" + text + ")";
    }
    }
  }

  /// Wrapped in brackets unless its place surely allows it bare.
  std::string bracket(std::string text, bool always) { return always || pick(2) == 0 ? "(" + text + ")" : text; }

  std::string real(int depth, int strength) {
    if (depth <= 0) {
      switch (pick(6)) {
      case 0: return "s";
      case 1: return "2.5";
      case 2: return "7";
      case 3: return pick(2) == 0 ? "pi" : "inf";
      default: return load();
      }
    }
    static const char* const unary[] = {"exp",   "exp2", "expm1",   "log",  "log2", "log1p", "sqrt", "rsqrt",
                                        "tanh",  "erf",  "sigmoid", "sin",  "cos",  "atan",  "abs",  "sign",
                                        "floor", "ceil", "round",   "bf16", "f16",  "i8",    "i32"};
    std::string a = real(depth - 1, 5);
    auto sum = [&](const std::string& text) { return strength > 5 ? "(" + text + ")" : text; };
    switch (pick(14)) {
    case 0: return sum(a + " + " + real(depth - 1, 6));
    case 1: return sum(a + " - " + real(depth - 1, 6));
    case 2: return sum(a + " + " + real(depth - 1, 6) + " + " + real(depth - 1, 6));
    case 3: return "((" + a + ") * (" + real(depth - 1, 0) + ") * " + real(0, 9) + ")";
    case 4: return "((" + a + ") / (" + real(depth - 1, 0) + "))";
    case 5: return "((" + a + ")^" + (pick(2) == 0 ? "2" : pick(2) == 0 ? "-1" : "(" + real(depth - 1, 0) + ")") + ")";
    case 6: return "(-" + real(0, 9) + "^2)";
    case 7: return "(-(" + a + "))";
    case 8: return std::string(pick(2) == 0 ? "min" : "max") + "(" + a + ", " + real(depth - 1, 0) + ")";
    case 9: return "where(" + condition(depth - 1) + ", " + a + ", " + real(depth - 1, 0) + ")";
    case 10:
    case 11: return reduction(depth);
    case 12: return integer(depth - 1);
    default: return std::string(unary[pick(22)]) + "(" + a + ")";
    }
  }

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::mt19937 random_;
  std::vector<Index> scope_;
  std::vector<std::string> temporaries_;
  bool user_reducer_ = false;
  int counter_ = 0;
};

std::string problems(const Result<Definition>& result, const std::string& text) {
  std::string all;
  for (const Diagnostic& d : result.diagnostics)
    if (d.severity == Diagnostic::Severity::error) all += format(d, text) + "\n";
  return all;
}

/// What differs between two definitions, node for node; empty if nothing does.
std::string difference(const Definition& a, const Definition& b) {
  if (a.dims != b.dims || a.vars != b.vars || a.outputs != b.outputs || a.inputs != b.inputs) return "names";
  if (a.tensors.size() != b.tensors.size() || a.statements.size() != b.statements.size()) return "statements";
  if (a.arena.size() != b.arena.size()) return "arena";
  for (ExprId id = 0; id < a.arena.size(); ++id) {
    const Node &x = a.arena[id], &y = b.arena[id];
    bool same = x.op == y.op && x.kind == y.kind && std::ranges::equal(a.arena.operands(id), b.arena.operands(id));
    if (x.op == Op::number) {
      double p = a.arena.value(id), q = b.arena.value(id);
      same = same && (p == q || (p != p && q != q));
    } else if (x.op == Op::reduce) {
      same = same && a.arena.reduction(id) == b.arena.reduction(id);
    } else {
      same = same && x.payload == y.payload;
    }
    if (!same)
      return "node " + std::to_string(id) + " (" + print(a.arena, id, names_of(a)) + " and " +
             print(b.arena, id, names_of(b)) + ")";
  }
  for (std::size_t t = 0; t < a.tensors.size(); ++t) {
    const TensorDecl &x = a.tensors[t], &y = b.tensors[t];
    if (x.name != y.name || x.kind != y.kind || x.shape != y.shape) return "tensor " + x.name;
  }
  for (std::size_t k = 0; k < a.statements.size(); ++k) {
    const Statement &x = a.statements[k], &y = b.statements[k];
    bool same = x.target == y.target && x.vars == y.vars && x.lo == y.lo && x.hi == y.hi && x.body == y.body &&
                x.group == y.group && x.axis == y.axis && x.step == y.step && x.initial.size() == y.initial.size();
    for (std::size_t i = 0; same && i < x.initial.size(); ++i)
      same = x.initial[i].indices == y.initial[i].indices && x.initial[i].value == y.initial[i].value;
    if (!same) return "statement " + std::to_string(k);
  }
  return {};
}

/// Empty if reading what is printed gives the same definition and the same text.
std::string round_trip(const Definition& d) {
  std::string first = print(d);
  auto again = parse_definition(first, "printed");
  if (!again) return problems(again, first) + first;
  std::string second = print(*again);
  if (second != first) return "not a fixed point:\n" + first + second;
  std::string what = difference(d, *again);
  return what.empty() ? what : what + " differs in\n" + first;
}

QString pretty(Arena& arena, ExprId e) {
  Names names;
  names.var = [](VarId v) { return std::string(1, static_cast<char>('i' + v)); };
  names.tensor = [](TensorId t) { return std::string(1, static_cast<char>('x' + t)); };
  names.scalar = names.dim = names.symbol = [](std::uint32_t s) { return std::string(1, static_cast<char>('a' + s)); };
  names.reducer = [](ReducerId r) { return std::string(name_of(static_cast<Builtin>(r))); };
  return QString::fromStdString(print(arena, e, names));
}

} // namespace

class TestPrint : public QObject {
  Q_OBJECT

 private slots:
  void random_operators() {
    for (unsigned seed = 1; seed <= 1000; ++seed) {
      std::string text = Generator(seed).file();
      auto parsed = parse_definition(text, "generated");
      if (!parsed) qFatal("seed %u\n%s\n%s", seed, problems(parsed, text).c_str(), text.c_str());
      std::string wrong = round_trip(*parsed);
      if (!wrong.empty()) qFatal("seed %u\n%s\n%s", seed, wrong.c_str(), text.c_str());
    }
  }

  void atlas() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("atlas/ops"))) {
      if (entry.path().extension() != ".op") continue;
      ++count;
      auto parsed = load_definition(entry.path().string());
      if (!parsed) qFatal("%s", problems(parsed, {}).c_str());
      QVERIFY(parsed.diagnostics.empty());
      QCOMPARE(parsed->name, entry.path().stem().string());
      QVERIFY2(parsed->text.find("# Source:") != std::string::npos, entry.path().c_str());
      QCOMPARE(round_trip(*parsed), std::string());
    }
    QVERIFY(count >= 24);
  }

  void exact_text() {
    // As a person wrote it, with single spaces.
    const std::string text =
        "op f(x: float[M, N], mask: bool[M, N], ids: i64[N]; t = 0.5, k: i32 = -2) -> y: float[M, N]\n"
        "  m[i] = max[j where mask[i, j]] x[i, j]\n"
        "  c[i, j in N] = sum[l <= j] x[i, l]\n"
        "  e[i, l in 1 .. N] = x[i, l] - x[i, l - 1]\n"
        "  p[i in M, j in 2 * N] = pad(x[i, j - N], -inf) + k\n"
        "  h[i, j] = t * h[i, j - 1] + c[i, j] from h[i, -1] = m[i]\n"
        "  y[i, j] = -h[i, j]^2 / (1 + exp(-x[i, ids[j]])) - (e[i, 1] - p[i, 2 * j] * (t - 1)) + 1e-06\n";
    auto parsed = parse_definition(text, "t.op");
    QVERIFY2(parsed, problems(parsed, text).c_str());
    QCOMPARE(QString::fromStdString(print(*parsed)), QString::fromStdString(text));
  }

  void for_people() {
    Arena a;
    auto load = [&](TensorId t) { return a.make(Op::load, Kind::real, {a.make(Op::index, Kind::integer, {}, 0)}, t); };
    auto real = [&](double v) { return a.number(v); };
    auto mul = [&](std::initializer_list<ExprId> o) { return a.make(Op::mul, Kind::real, o); };
    auto add = [&](std::initializer_list<ExprId> o) { return a.make(Op::add, Kind::real, o); };
    auto pow = [&](ExprId b, double e) { return a.make(Op::pow, Kind::real, {b, real(e)}); };
    ExprId x = load(0), y = load(1), z = load(2);
    QCOMPARE(pretty(a, add({x, mul({real(-1), y})})), QString("x[i] - y[i]"));
    QCOMPARE(pretty(a, add({x, mul({real(-2), y, z}), real(-3)})), QString("x[i] - 2 * y[i] * z[i] - 3"));
    QCOMPARE(pretty(a, mul({x, pow(y, -1)})), QString("x[i] / y[i]"));
    QCOMPARE(pretty(a, mul({x, pow(y, -1), pow(z, -2)})), QString("x[i] / (y[i] * z[i]^2)"));
    QCOMPARE(pretty(a, pow(add({x, y}), -1)), QString("1 / (x[i] + y[i])"));
    QCOMPARE(pretty(a, mul({z, pow(add({x, y}), -1)})), QString("z[i] / (x[i] + y[i])"));
    QCOMPARE(pretty(a, pow(mul({x, y}), -1)), QString("1 / (x[i] * y[i])"));
    QCOMPARE(pretty(a, pow(x, 0.5)), QString("sqrt(x[i])"));
    QCOMPARE(pretty(a, mul({y, pow(x, -0.5)})), QString("y[i] / sqrt(x[i])"));
    QCOMPARE(pretty(a, pow(mul({y, z}), 2)), QString("(y[i] * z[i])^2"));
    QCOMPARE(pretty(a, pow(pow(x, 3), 2)), QString("(x[i]^3)^2"));
    QCOMPARE(pretty(a, pow(pow(x, -1), 2)), QString("(1 / x[i])^2"));
    QCOMPARE(pretty(a, pow(a.make(Op::pow, Kind::real, {x, y}), 2)), QString("(x[i]^y[i])^2"));
    QCOMPARE(pretty(a, mul({x, add({y, z})})), QString("x[i] * (y[i] + z[i])"));
    QCOMPARE(pretty(a, mul({real(-1), x})), QString("-x[i]"));
    QCOMPARE(pretty(a, mul({real(-1), add({x, y})})), QString("-(x[i] + y[i])"));
    QCOMPARE(pretty(a, add({x, mul({real(-1), add({y, z})})})), QString("x[i] - (y[i] + z[i])"));
    QCOMPARE(pretty(a, mul({real(-1), x, pow(y, -1)})), QString("-x[i] / y[i]"));
    QCOMPARE(pretty(a, mul({real(-0.5), x})), QString("-0.5 * x[i]"));
    QCOMPARE(pretty(a, a.make(Op::pow, Kind::real, {x, y})), QString("x[i]^y[i]"));
    QCOMPARE(pretty(a, a.make(Op::pow, Kind::real, {add({x, y}), mul({real(-1), z})})), QString("(x[i] + y[i])^-z[i]"));
    QCOMPARE(pretty(a, mul({pow(x, 2), a.make(Op::pow, Kind::real, {y, z})})), QString("x[i]^2 * y[i]^z[i]"));
    QCOMPARE(pretty(a, a.make(Op::exp, Kind::real, {add({x, mul({real(-1), y})})})), QString("exp(x[i] - y[i])"));
    QCOMPARE(pretty(a, pow(a.make(Op::exp, Kind::real, {x}), -1)), QString("1 / exp(x[i])"));
    QCOMPARE(pretty(a, a.make(Op::symbol, Kind::real, {}, 2)), QString("c"));
    QCOMPARE(pretty(a, a.boolean(true)), QString("true"));
    QCOMPARE(pretty(a, a.make(Op::and_, Kind::boolean,
                              {a.make(Op::lt, Kind::boolean, {x, y}),
                               a.make(Op::not_, Kind::boolean, {a.make(Op::eq, Kind::boolean, {x, y})})})),
             QString("x[i] < y[i] and not x[i] == y[i]"));
  }

  void names_for_nodes_and_limit() {
    auto d = parse_definition("op f(x: float[M, N]) -> y: float[M]\n  y[i] = exp(max[j] x[i, j]) + (max[j] x[i, j])\n",
                              "t.op");
    QVERIFY(d);
    Names names = names_of(*d);
    names.node = [&](ExprId id) { return d->arena[id].op == Op::reduce ? std::string("m") : std::string(); };
    QCOMPARE(print(d->arena, d->statements[0].body, names), std::string("exp(m) + m"));
    std::string cut = print(d->arena, d->statements[0].body, names_of(*d), 10);
    QCOMPARE(cut, std::string("exp(max[j …"));
    ExprId reduction = d->arena.operand(d->statements[0].body, 1);
    QCOMPARE(print(d->arena, reduction, names),
             std::string("max[j in N] x[i, j]")); // what was asked for is not its own name
  }
};

QTEST_GUILESS_MAIN(TestPrint)
#include "test_print.moc"
