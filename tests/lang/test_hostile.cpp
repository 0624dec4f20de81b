// Whatever the input, an answer or an error, in time that grows with its length. The limits are generous for a busy
// machine; something quadratic misses them by far.
#include "core/expr/check.hpp"
#include "core/expr/print.hpp"

#include <QElapsedTimer>
#include <QtTest>

#include <random>

using namespace aicf;

namespace {

const std::string header = "op f(x: float[M, N]) -> y: float[M, N]\n  y[i, j] = ";

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int scale = 10; // sanitizers are slow, and find what they look for in less
#else
constexpr int scale = 1;
#endif
constexpr int many = 200000 / scale, deep = 20000 / scale;

std::string repeat(std::string_view part, int times) {
  std::string text;
  text.reserve(part.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

/// part with every # replaced by the numbers 0, 1, …
std::string numbered(const std::string& part, int times, int first = 0) {
  std::string text;
  for (int i = first; i < first + times; ++i)
    for (char c : part) {
      if (c == '#')
        text += std::to_string(i);
      else if (c == '@')
        text += std::to_string(i - 1);
      else
        text += c;
    }
  return text;
}

} // namespace

class TestHostile : public QObject {
  Q_OBJECT

 private slots:
  void inputs_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("right");
    auto row = [](const char* name, const std::string& text, bool right) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << right;
    };
    const std::string nl = "\n", end = "x[i, j]\n", vector = "op f(x: float[N]) -> y: float[N]\n";
    row("sum of 200,000 terms", header + repeat("x[i, j] + ", many - 1) + end, true);
    row("sum of different terms", header + numbered("# * x[i, j] + ", many - 1) + end, true);
    row("alternating sum", header + numbered("x[i, j] * # + x[i, j] - ", many / 2) + end, true);
    row("product of 200,000 factors", header + repeat("x[i, j] * ", many - 1) + end, true);
    row("brackets", header + repeat("(", deep) + "x[i, j]" + repeat(")", deep) + nl, true);
    row("sums in brackets", header + repeat("(1 + ", deep) + "x[i, j]" + repeat(")", deep) + nl, true);
    row("functions", header + repeat("exp(", many) + "x[i, j]" + repeat(")", many) + nl, true);
    row("signs", header + repeat("-", many) + end, true);
    row("powers", header + repeat("x[i, j]^", many) + "2\n", true);
    row("branches", header + repeat("where(x[i, j] > 0, x[i, j], ", deep) + "x[i, j]" + repeat(")", deep) + nl, true);
    row("negations", header + "where(" + repeat("not ", many) + "x[i, j] > 0, 1, 0)\n", true);
    row("conjunctions", header + "where(" + numbered("x[i, j] > # and ", many / 2) + "x[i, j] > 0, 1, 0)\n", true);
    row("nested reductions", header + numbered("sum[k# in M] ", deep) + end, true);
    row("nested ranges",
        header + "(sum[k0 <= i] x[k0, j] * " + numbered("(sum[k# <= k@] x[k#, j] * ", deep - 1, 1) + "x[i, j]" +
            repeat(")", deep) + nl,
        true);
    row("many reductions", header + repeat("(sum[k] x[i, k]) + ", many / 4) + end, true);
    row("nested gathers", "op f(x: i64[N]) -> y: i64[N]\n  y[i] = " + repeat("x[", deep) + "i" + repeat("]", deep) + nl,
        true);
    row("long index", vector + "  y[i] = x[" + repeat("i - i + ", many / 4) + "i]\n", true);
    row("many statements",
        vector + "  a0[i] = x[i]\n" + numbered("  a#[i] = a@[i] + 1\n", deep, 1) + "  y[i] = a" + std::to_string(deep) +
            "[i]\n",
        true);
    row("long recurrence",
        vector + "  y[i] = a5000[i] from y[-1] = 0\n  a0[i] = y[i - 1] + x[i]\n" +
            numbered("  a#[i] = a@[i] + 1\n", 5000, 1),
        true);
    row("nested calls",
        "op g(x: float[N]) -> y: float[N]\n  y[i] = 2 * x[i]\n" + vector + "  y[i] = " + repeat("g(", 5000) + "x" +
            repeat(")", 5000) + "[i]\n",
        true);
    row("many operators", numbered("op g#(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n", deep), true);
    row("long comment", "#" + repeat("a", 10000000) + nl + header + end, true);
    row("blank lines", repeat("\n", 5000000) + header + end, true);

    row("empty", "", false);
    row("doubling calls",
        "op g0(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n" +
            numbered("op g#(x: float[N]) -> y: float[N]\n  z[i] = 2 * x[i]\n  y[i] = g@(x)[i] + g@(z)[i]\n", 60, 1),
        false);
    row("doubling extents",
        "op g0(x: float[N]) -> y: float[N * N]\n  y[i] = x[0]\n" +
            numbered("op g#(x: float[N]) -> y: float[N]\n  z[i] = g@(x)[i]\n  w[i] = g@(z)[i]\n  y[i] = w[i] * x[i]\n",
                     1, 1),
        false);
    row("squared extents",
        numbered("op g#(x: float[N]) -> y: float[N * N]\n  y[i] = x[0]\n", 1) +
            "op h(x: float[N]) -> y: float[N]\n  t0[i] = g0(x)[i]\n" + numbered("  t#[i] = g0(t@)[i]\n", 40, 1) +
            "  y[i] = x[i] + t40[0]\n",
        false);
    row("unclosed", header + repeat("(", many), false);
    row("unclosed indices", header + repeat("x[", 2000000), false);
    row("unclosed lines", header + repeat("a[\n", 1000000), false);
    row("unknown names", header + numbered("u# + ", many / 2) + end, false);
    row("unknown tensors", vector + numbered("  a#[i] = u#[i]\n", deep) + "  y[i] = x[i]\n", false);
    row("long cycle",
        vector + "  y[i] = x[i]\n  a0[i] = a" + std::to_string(deep) + "[i]\n" + numbered("  a#[i] = a@[i]\n", deep, 1),
        false);
    row("conflicts",
        "op f(x: float[M], z: float[N]) -> y: float[M]\n  y[i] = " + repeat("z[i] + ", many / 4) + "x[i]\n", false);
    row("zeros", std::string(10000000, '\0'), false);
    row("zeros inside", header + "x[i" + std::string(100000, '\0') + ", j]\n", false);
    row("high bytes", std::string(3000000, '\xff'), false);
    row("continuations", header + std::string(3000000, '\x80'), false);
    row("closers", repeat(")]", 2000000), false);
    row("long name", header + std::string(10000000, 'a') + nl, false);
    row("long number", header + std::string(1000000, '9') + nl, false);
    row("long fraction", header + "0." + std::string(1000000, '9') + " * x[i, j]\n", true);
    row("statement starts", header + repeat("a[i] = b[i\n", 500000), false);
  }

  void inputs() {
    QFETCH(QByteArray, text);
    QFETCH(bool, right);
    QElapsedTimer timer;
    timer.start();
    auto result = parse_definition(text.toStdString(), "hostile.op");
    QVERIFY2(timer.elapsed() < 30000, qPrintable(QString::number(timer.elapsed()) + " ms"));
    QCOMPARE(bool(result), right);
    QCOMPARE(has_errors(result.diagnostics), !right);
    QVERIFY(result.diagnostics.size() <= 21001);
    if (!right) return;
    std::string printed = print(*result);
    auto again = parse_definition(printed, "printed.op");
    QVERIFY2(again, again.diagnostics.empty() ? "" : format(again.diagnostics[0]).c_str());
    QVERIFY(print(*again) == printed);
  }

  void random_bytes() {
    std::mt19937 random(1);
    for (int length : {10, 1000, 100000, 1000000}) {
      for (int run = 0; run < (length > 1000 ? 2 : 50); ++run) {
        std::string text = run % 2 == 0 ? std::string() : header;
        for (int i = 0; i < length; ++i) text += static_cast<char>(random());
        auto result = parse_definition(text, "random.op");
        QVERIFY(!result && has_errors(result.diagnostics));
        (void)format(result.diagnostics[0], text);
      }
    }
  }

  /// Tokens of the language in any order: near enough to right texts to reach every corner of the parser.
  void random_tokens() {
    static const char* const tokens[] = {
        "op",  "f",  "(",   ")",       "[",        "]",   "x",       "y",    "i",     "j",   "=",   "+",   "-",
        "*",   "/",  "//",  "%",       "^",        "sum", "max",     "from", "where", "in",  "..",  "\n",  "\n  ",
        ",",   ";",  ":",   ".",       "float",    "->",  "<",       "<=",   "==",    "1",   "2.5", "exp", "pad",
        "and", "or", "not", "reducer", "identity", "i8",  "x[i, j]", "N",    "bf16",  "f(x)"};
    std::mt19937 random(2);
    for (int run = 0; run < 1500 / scale; ++run) {
      std::string text = run % 3 == 0 ? std::string() : header;
      int length = run % 100 == 0 ? 20000 : static_cast<int>(random() % 40);
      for (int i = 0; i < length; ++i)
        text += std::string(tokens[random() % std::size(tokens)]) + (random() % 4 == 0 ? "" : " ");
      auto result = parse_definition(text, "random.op");
      QCOMPARE(bool(result), !has_errors(result.diagnostics));
    }
  }

  /// A right text with a part removed, doubled or changed.
  void mutations() {
    const std::string right =
        "reducer lse(a, b) = max(a, b) + log1p(exp(-abs(a - b))) identity -inf\n"
        "op soft(x: float[M, N]; t = 1.0) -> y: float[M, N], l: float[M]\n"
        "  l[i] = lse[j where x[i, j] > 0] x[i, j] / t\n  y[i, j] = exp(x[i, j] / t - l[i])\n"
        "op f(q: float[M, D], k: float[N, D], ids: i64[M]; n: i32 = 2) -> o: float[M, N], h: float[M, D]\n"
        "  s[i, j] = sum[d] q[ids[i], d] * k[j, d]\n  o[i, j] = soft(s; t = 2).y[i, j] + pad(s[i - n, j], -1e5)\n"
        "  h[t, d] = 0.5 * h[t - 1, d] + q[t, d] from h[-1, d] = k[0, d]\n";
    QVERIFY(parse_definition(right, "m.op"));
    std::mt19937 random(3);
    for (int run = 0; run < 5000 / scale; ++run) {
      std::string text = right;
      for (unsigned change = 1 + random() % 3; change > 0; --change) {
        std::size_t at = random() % text.size(), length = 1 + random() % 6;
        switch (random() % 4) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, text.substr(random() % text.size(), length)); break;
        case 2: text[at] = right[random() % right.size()]; break;
        default: std::swap(text[at], text[random() % text.size()]); break;
        }
        if (text.empty()) text = "x";
      }
      auto result = parse_definition(text, "m.op");
      QCOMPARE(bool(result), !has_errors(result.diagnostics));
      if (!result) continue;
      std::string printed = print(*result);
      auto again = parse_definition(printed, "printed.op");
      if (!again || print(*again) != printed)
        qFatal("%s\n%s\n%s", text.c_str(), printed.c_str(),
               again ? print(*again).c_str() : format(again.diagnostics[0]).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(TestHostile)
#include "test_hostile.moc"
