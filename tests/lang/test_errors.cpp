// Every rule of the language has its error, at its place; a wrong statement costs its readers no further errors.
#include "core/expr/check.hpp"

#include <QtTest>

using namespace aicf;

namespace {

/// "line:column message" of each diagnostic, one a line; a warning says so.
QString problems(const QByteArray& text) {
  auto result = parse_definition(text.toStdString(), "t.op");
  QStringList lines;
  for (const Diagnostic& d : result.diagnostics) {
    QString message = QString::fromStdString(d.message);
    if (message == "'u' is not used") continue; // it only uses what a snippet may not
    if (d.severity == Diagnostic::Severity::warning) message = "warning: " + message;
    lines << QString("%1:%2 %3").arg(d.at.line).arg(d.at.column).arg(message);
    if (d.at.file != "t.op") lines << "wrong file";
  }
  if (has_errors(result.diagnostics) == bool(result)) lines << "a value exactly if there is no error";
  return lines.join('\n');
}

/// One statement or more for y: float[M, N] over x: float[M, N], a: float[N], ids: i64[M], b: bool[M, N].
QByteArray op(const char* statements) {
  return QByteArray("op f(x: float[M, N], a: float[N], ids: i64[M], b: bool[M, N]; s = 1.0, k: i32 = 2) -> y: "
                    "float[M, N]\n") +
         statements + "\n  u[i, j in N] = where(b[i, j], x[i, j] * a[j] * s, ids[i] * k)\n";
}

void row(const char* name, const QByteArray& text, const char* expected) {
  QTest::newRow(name) << text << QString(expected);
}

} // namespace

class TestErrors : public QObject {
  Q_OBJECT

 private slots:
  void messages() {
    QFETCH(QByteArray, text);
    QFETCH(QString, expected);
    QCOMPARE(problems(text), expected);
  }

  void messages_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("expected");
    syntax();
    names();
    ranges();
    kinds();
    calls();
    recurrences();
  }

  void hints() {
    auto hint = [](const QByteArray& text) {
      auto result = parse_definition(text.toStdString(), "t.op");
      return result.diagnostics.empty() ? QString() : QString::fromStdString(result.diagnostics[0].hint);
    };
    QCOMPARE(hint("op f(xvalue: float[N]) -> y: float[N]\n  y[i] = xvalu[i]\n"), QString("did you mean 'xvalue'?"));
    QCOMPARE(hint("op f(x: float[N]) -> y: float[N]\n  y[i] = sgmoid(x[i])\n"), QString("did you mean 'sigmoid'?"));
    QCOMPARE(hint("op f(x: flaot[N]) -> y: float[N]\n  y[i] = x[i]\n"), QString("did you mean 'float'?"));
    QCOMPARE(hint("op f(x: float[N]; scale = 2) -> y: float[N]\n  y[i] = scal * x[i]\n"),
             QString("did you mean 'scale'?"));
    QCOMPARE(hint("op g(x: float[N]; eps = 1) -> y: float[N]\n  y[i] = x[i] + eps\n"
                  "op f(x: float[N]) -> y: float[N]\n  y[i] = g(x; esp = 2)[i]\n"),
             QString("did you mean 'eps'?"));
    QCOMPARE(hint("op f(x: float[N]) -> y: float\n  y = sum[j] x[j]\n"), QString("a statement continues on the next "
                                                                                 "line only inside brackets"));
  }

  void format_shows_line_and_caret() {
    QByteArray text = "op f(x: float[N]) -> y: float[N]\n  y[i] = x[i] + xx[i]\n";
    auto result = parse_definition(text.toStdString(), "dir/f.op");
    QCOMPARE(result.diagnostics.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(format(result.diagnostics[0], text.toStdString())),
             QString("dir/f.op:2:17: error: no tensor 'xx'\n    y[i] = x[i] + xx[i]\n                  ^~\n"
                     "  did you mean 'x'?"));
  }

  void missing_file() {
    auto result = load_definition("/nowhere/at/all.op");
    QVERIFY(!result);
    QCOMPARE(QString::fromStdString(format(result.diagnostics.at(0))),
             QString("/nowhere/at/all.op: error: No such file or directory"));
    result = load_definition("/");
    QVERIFY(!result);
    QCOMPARE(result.diagnostics.size(), std::size_t{1});
  }

  void choice_of_operator() {
    std::string text = "op first(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n"
                       "op second(x: float[N]) -> y: float[N]\n  y[i] = 2 * x[i]\n";
    QCOMPARE(parse_definition(text, "t.op")->name, std::string("second"));
    QCOMPARE(parse_definition(text, "t.op", "first")->name, std::string("first"));
    auto none = parse_definition(text, "t.op", "frist");
    QVERIFY(!none);
    QCOMPARE(none.diagnostics.at(0).message, std::string("there is no operator 'frist' in the text"));
    QCOMPARE(none.diagnostics.at(0).hint, std::string("did you mean 'first'?"));
    QVERIFY(!parse_definition("# nothing\n", "t.op"));
    // An error anywhere in the file counts, whichever operator was asked for.
    QVERIFY(!parse_definition(text + "op third(x: float[N]) -> y: float[N]\n  y[i] = z[i]\n", "t.op", "first"));
  }

 private:
  static void syntax() {
    row("sum body", op("  y[i, j] = sum[l] x[i, l] + a[j]"), "2:28 the body of 'sum' is a product and ends before '+'");
    row("sum body minus", op("  y[i, j] = 2 * max[l] x[i, l] - a[j]"),
        "2:32 the body of 'max' is a product and ends before '-'");
    row("chained", op("  y[i, j] = where(0 < x[i, j] < 1, 1, 0)"), "2:31 comparisons do not chain");
    row("chained equality", op("  y[i, j] = where(x[i, j] == a[j] == 1, 1, 0)"), "2:35 comparisons do not chain");
    row("unary plus", op("  y[i, j] = +x[i, j]"), "2:13 there is no unary '+'");
    row("not inside", op("  y[i, j] = where(b[i, j] == not b[i, j], 1, 0)"),
        "2:30 'not' binds looser than what stands before it");
    row("line end", op("  y[i, j] = x[i, j] +"), "2:22 an expression expected before the end of the line");
    row("no value", op("  y[i, j] ="), "2:12 an expression expected before the end of the line");
    row("no assignment", op("  y[i, j] x[i, j]"), "2:11 '=' expected before 'x'");
    row("stray bracket", op("  y[i, j] = x[i, j])"),
        "2:20 an operator or the end of the statement expected before ')'");
    row("juxtaposed", op("  y[i, j] = 2 x[i, j]"), "2:15 an operator or the end of the statement expected before 'x'");
    row("wrong closer", op("  y[i, j] = (x[i, j]]"), "2:21 an operator or ')' expected before ']'");
    row("indexed value", op("  y[i, j] = (x[i, j] + 1)[i]"),
        "2:26 an operator or the end of the statement expected before '['");
    row("two errors", op("  y[i, j] = x[i, j] +\n  z[i] = * 2\n  w[i, j] = (x[i, j]"),
        "2:22 an expression expected before the end of the line\n3:10 an expression expected before '*'\n"
        "5:3 an operator or ')' expected before 'u'");
    row("empty index", op("  y[i, j] = x[]"), "2:15 an expression expected before ']'");
    row("reducer word", op("  y[i, j] = max"), "2:13 'max' is a reducer and needs an index");
    row("function word", op("  y[i, j] = exp"), "2:13 'exp' needs its operand in parentheses");
    row("keyword", op("  y[i, j] = from"), "2:13 an expression expected before 'from'");
    row("binder expression", op("  y[i, 2 * j] = x[i, j]"), "2:8 an index expected before '2'");
    row("two relations", op("  y[i, j] = sum[l < i < 2] x[l, j]"), "2:23 ',' or ']' expected before '<'");
    row("character", op("  y[i, j] = x[i, j] @ 2"), "2:21 unexpected '@'");
    row("letter", op("  \xce\xbc[i] = sum[j] x[i, j]\n  y[i, j] = x[i, j]"), "2:3 unexpected '\xce\xbc'");
    row("column counts code points", op("  y[i, j] = x[i, j] \xce\xbc\xce\xbc\xce\xbd $ 1"),
        "2:21 unexpected '\xce\xbc'\n2:23 unexpected '\xce\xbd'\n2:25 unexpected '$'");
    row("nul", op("  y[i, j] = x[i, j]").replace("s = 1.0", QByteArray("s =\0 1.0", 8)),
        "1:66 a NUL byte is no part of the language");
    row("broken utf-8", op("  y[i, j] = x[i, j] # \xff\xfe"), "2:23 not UTF-8");
    row("surrogate", op("  y[i, j] = x[i, j] # \xed\xa0\x80"), "2:23 not UTF-8");
    row("overlong", op("  y[i, j] = x[i, j] # \xc0\xaf"), "2:23 not UTF-8");
    row("number", op("  y[i, j] = 12abc * x[i, j]"), "2:13 '12abc' is neither a number nor a name");
    row("huge number", op("  y[i, j] = 1e999 * x[i, j]"), "2:13 the number is beyond the range of f64");
    row("huge integer", op("  y[i, j] = 9007199254740993 * x[i, j]"),
        "2:13 integers from 2^53 on are not exact in f64");
    row("arity", op("  y[i, j] = exp(x[i, j], 2) + min(1)"),
        "2:13 exp takes 1 operand, not 2\n2:31 min takes 2 operands, not 1");
    row("pad", op("  y[i, j] = pad(2 * x[i, j], 0)"), "2:13 pad guards one access: pad(x[i - 1], 0)");
    row("type", "op f(x: float16[N]) -> y: float[N]\n  y[i] = x[i]\n", "1:9 no type 'float16'");
    row("no type", "op f(x[N]) -> y: float[N]\n  y[i] = x[i]\n", "1:7 ':' and a type expected before '['");
    row("no result", "op f(x: float[N])\n  y[i] = x[i]\n",
        "1:18 '->' and the results expected before the end of the line");
    row("default", "op f(x: float[N]; s) -> y: float[N]\n  y[i] = x[i]\n",
        "1:20 '=' and a default value expected before ')'");
    row("top level", "y[i] = x[i]\nop f(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n",
        "1:1 'op' or 'reducer' expected before 'y'");
    row("after a bad header",
        "op f(x float[N]) -> y: float[N]\n  y[i] = x[i] +\nop g(x: float[N]) -> y: float[N]\n  y[i] = z[i]\n",
        "1:8 ':' and a type expected before 'float'\n2:16 an expression expected before the end of the line\n4:10 no "
        "tensor 'z'");
    row("reducer arity", "reducer r(a, b, c) = a identity 0\nop f(x: float[N]) -> y: float[]\n  y = r[i] x[i]\n",
        "1:9 a reducer combines two values, not 3");
    row("no identity", "reducer r(a, b) = a + b\nop f(x: float[N]) -> y: float[]\n  y = sum[i] x[i]\n",
        "1:24 'identity' and the value of nothing expected before the end of the line");
    row("carriage return", "op f(x: float[N]) -> y: float[N]\r\n  y[i] = x[i]\r  \r\n",
        "2:14 a carriage return without a line feed");
  }

  static void names() {
    row("unknown tensor", op("  y[i, j] = z[i, j]"), "2:13 no tensor 'z'");
    row("unknown name", op("  y[i, j] = x[i, j] * q"), "2:23 unknown name 'q'");
    row("unknown function", op("  y[i, j] = relu(x[i, j])"), "2:13 no function or operator 'relu'");
    row("reducer called", op("  y[i, j] = sum(x[i, j])"), "2:13 'sum' is a reducer, not a function");
    row("unknown in many", op("  m[i] = p[i]\n  y[i, j] = m[i] * m[j] + q[i]"),
        "2:10 no tensor 'p'\n3:27 no tensor 'q'");
    row("index out of scope", op("  y[i, j] = (sum[l] x[i, l]) * a[l]"), "2:34 unknown name 'l'");
    row("index hides index", op("  y[i, j] = sum[i] x[i, j]"), "2:17 the index 'i' hides an index (2:5)");
    row("index hides tensor", op("  y[i, j] = sum[x] a[x]"), "2:17 the index 'x' hides a tensor (1:6)");
    row("binder hides dim", op("  y[i, N] = x[i, N]"), "2:8 the index 'N' hides a dimension (1:18)");
    row("bound twice", op("  y[i, i] = x[i, i]"), "2:8 the index 'i' is bound twice (2:5)");
    row("defined twice", op("  y[i, j] = x[i, j]\n  y[i, j] = x[i, j]"), "3:3 'y' is already defined (2:3)");
    row("input defined", op("  y[i, j] = x[i, j]\n  a[j] = 2"), "3:3 'a' is an input and cannot be defined");
    row("scalar defined", op("  y[i, j] = x[i, j]\n  s[j in N] = 2"), "3:3 's' is already a scalar (1:63)");
    row("reserved", op("  y[i, j] = x[i, j]\n  exp[j in N] = 2"),
        "3:3 'exp' is a word of the language: a statement expected");
    row("twice an input", "op f(x: float[N], x: float[N]) -> y: float[N]\n  y[i] = x[i]\n",
        "1:19 'x' is already a tensor (1:6)");
    row("twice an operator",
        "op f(x: float[N]) -> y: float[N]\n  y[i] = x[i]\nop f(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n",
        "3:4 the operator 'f' is already defined (1:4)");
    row("missing result", "op f(x: float[N]) -> y: float[N], z: float[N]\n  y[i] = x[i]\n",
        "1:35 the result 'z' has no statement");
    row("unused input", "op f(x: float[N], w: float[N]) -> y: float[N]\n  y[i] = x[i]\n",
        "1:19 the input 'w' is not used");
    row("unused scalar", "op f(x: float[N]; s = 1) -> y: float[N]\n  y[i] = x[i]\n", "1:19 the scalar 's' is not used");
    row("unused value", "op f(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n  z[i] = x[i]\n",
        "3:3 warning: 'z' is not used");
    row("scalar indexed", op("  y[i, j] = s[i] * x[i, j]"), "2:13 's' is a scalar, not a tensor");
    row("index indexed", op("  y[i, j] = i[j] * x[i, j]"), "2:13 'i' is an index, not a tensor");
    row("tensor bare", op("  y[i, j] = x * a[j]"), "2:13 'x' has 2 indices and is read with none");
    row("rank", op("  y[i, j] = x[i]"), "2:13 'x' has 2 indices and is read with 1");
    row("result rank", op("  y[i] = x[i, 0]"), "2:3 'y' is declared with 2 indices and defined with 1");
    row("unbound dim", "op f(x: float[N * N]) -> y: float[N]\n  y[i] = x[0]\n",
        "1:15 no input determines the dimension 'N'");
    row("unknown dim", "op f(x: float[N]) -> y: float[K]\n  y[i] = x[i]\n", "1:31 no dimension 'K'");
    row("real dim", "op f(x: float[N]; s = 2) -> y: float[N * s]\n  y[i] = x[0]\n",
        "1:42 's' is a scalar: a dimension is made of dimensions and integer scalars");
    row("divided dim", "op f(x: float[N]) -> y: float[N / 2]\n  y[i] = x[0]\n",
        "1:33 a dimension is made of + - * //, integers and names");
    row("reducer scope", "reducer r(a, b) = a + c identity 0\nop f(x: float[N]) -> y: float[]\n  y = r[i] x[i]\n",
        "1:23 unknown name 'c'");
    row("reducer reads",
        "reducer r(a, b) = a + b identity sum[i in 3] 1\nop f(x: float[N]) -> y: float[]\n  y = r[i] x[i]\n",
        "1:34 a reducer is made of its parameters, numbers and functions");
  }

  static void ranges() {
    row("indexes nothing", op("  y[i, j] = x[i, j]\n  t[l] = 2"),
        "3:5 the range of the index 'l' is not known: it indexes nothing");
    row("reduction of nothing", op("  y[i, j] = sum[l] x[i, j]"),
        "2:17 the range of the index 'l' is not known: it indexes nothing");
    row("only in an expression", op("  y[i, j] = sum[l] x[i, 2 * l]"),
        "2:17 the range of the index 'l' is not known: it indexes nothing");
    row("only in a pad", op("  y[i, j] = sum[l] pad(x[i, l], 0)"),
        "2:17 the range of the index 'l' is not known: it indexes nothing");
    row("conflict", op("  y[i, j] = sum[l] x[i, l] * x[l, j]"),
        "2:32 the index 'l' ranges over M in 'x' but over N in 'x' (2:25)");
    row("conflict with result", op("  y[i, j] = x[j, i]"),
        "2:15 the index 'j' ranges over M in 'x' but over N in the result 'y'\n"
        "2:18 the index 'i' ranges over N in 'x' but over M in the result 'y'");
    row("outside", op("  y[i, j] = x[i, j + 1]"), "2:18 the index j + 1 leaves the range N of 'x'");
    row("before", op("  y[i, j] = x[i - 1, j]"), "2:15 the index i - 1 leaves the range M of 'x'");
    row("negative", op("  y[i, j] = x[i, -1] * a[N]"),
        "2:18 the index -1 leaves the range N of 'x'\n2:26 the index N leaves the range N of 'a'");
    row("scaled", op("  y[i, j] = x[i, 2 * j]"), "");
    row("twice and one", op("  y[i, j] = x[i, 2 * j + 1]"), "2:18 the index 2 * j + 1 leaves the range N of 'x'");
    row("written range", op("  y[i, j] = sum[l in N + 1] x[i, l]"), "2:34 the index l leaves the range N of 'x'");
    row("result range", op("  y[i, j in 1 .. N] = x[i, j]"), "2:8 'j' ranges over 1 .. N, but 'y' is declared with N");
    row("range of a condition", op("  y[i, j] = sum[l in x[i, j]] a[l]"),
        "2:22 a bound must be an integer, this is a real number");
    row("guarded", op("  y[i, j] = where(j + 1 < N, x[i, j + 1], 0)"), "");
    row("guarded always outside", op("  y[i, j] = where(j > 2, x[i, j + N], 0)"),
        "2:31 the index j + N leaves the range N of 'x'");
    row("padded", op("  y[i, j] = pad(x[i, j - 1], 0) + pad(x[i, N], 0)"), "");
    row("where guards", op("  y[i, j] = sum[l where l > 0] x[i, l - 1] * a[l]"), "");
    row("triangle", op("  y[i, j] = sum[l < j] x[i, j - l - 1] * a[l]"), "");
    row("wrong range of a reader", op("  t[l] = 2\n  y[i, j] = x[i, j] * t[j] + (sum[q] t[q])"),
        "2:5 the range of the index 'l' is not known: it indexes nothing");
  }

  static void kinds() {
    row("real index", op("  y[i, j] = x[i / 2, j]"), "2:15 an index must be an integer, this is a real number");
    row("value as index", op("  y[i, j] = a[x[i, j]]"), "2:15 an index must be an integer, this is a real number");
    row("condition as index", op("  y[i, j] = a[i < j]"), "2:15 an index must be an integer, this is a condition");
    row("floor is real", op("  y[i, j] = a[floor(x[i, j])]"),
        "2:15 an index must be an integer, this is a real number");
    row("rounded index", op("  y[i, j] = a[i32(x[i, j])]"), "");
    row("gather", op("  y[i, j] = x[ids[i], j]"), "");
    row("condition added", op("  y[i, j] = x[i, j] + (x[i, j] > 0)"), "2:24 a number is expected, this is a condition");
    row("condition summed", op("  y[i, j] = sum[l] b[i, l]"), "2:20 a number is expected, this is a condition");
    row("number as condition", op("  y[i, j] = where(x[i, j], 1, 0)"),
        "2:19 a condition is expected, this is a real number");
    row("any of numbers", op("  y[i, j] = where(any[l] x[i, l], 1, 0)"),
        "2:26 a condition is expected, this is a real number");
    row("any of a comparison", op("  y[i, j] = where(any[l] x[i, l] > 0, 1, 0)"),
        "2:26 a condition is expected, this is a real number");
    row("branches", op("  y[i, j] = where(b[i, j], x[i, j], b[i, j])"),
        "2:37 one branch is a real number, the other a condition");
    row("compared conditions", op("  y[i, j] = where(b[i, j] < b[i, j], 1, 0)"),
        "2:19 a number is expected, this is a condition\n2:29 a number is expected, this is a condition");
    row("equal conditions", op("  y[i, j] = where(b[i, j] == (x[i, j] > 0), 1, 0)"), "");
    row("logic of numbers", op("  y[i, j] = where(x[i, j] and b[i, j], 1, 0)"),
        "2:19 a condition is expected, this is a real number");
    row("condition as result", op("  y[i, j] = b[i, j]"), "2:13 'y' is float, its value is a condition");
    row("real as i8", "op f(x: float[N]) -> y: i8[N]\n  y[i] = x[i]\n", "2:10 'y' is i8, its value is a real number");
    row("real as bool", "op f(x: float[N]) -> y: bool[N]\n  y[i] = x[i]\n",
        "2:10 'y' is bool, its value is a real number");
    row("argmax of two", "op f(x: float[M, N]) -> y: i64[]\n  y = argmax[i, j] x[i, j]\n",
        "2:7 argmax gives one index and cannot run over 2");
    row("integer scalar", "op f(x: float[N]; k: i32 = 1.5) -> y: float[N]\n  y[i] = k * x[i]\n",
        "1:28 'k' is an integer: its default must be one");
    row("bool scalar", "op f(x: float[N]; k: bool = 2) -> y: float[N]\n  y[i] = where(k, x[i], 0)\n",
        "1:29 a bool is 0 or 1");
    row("padded with a condition", op("  y[i, j] = pad(x[i, j - 1], i < j)"),
        "2:30 pads a real number with a condition");
  }

  static void calls() {
    const QByteArray g = "op g(x: float[N], w: float[N]; eps = 1) -> y: float[N], z: float[N]\n"
                         "  y[i] = x[i] * eps\n  z[i] = w[i]\n"
                         "op f(p: float[M], q: float[N], r: float[M, N], c: i64[M]) -> y: float[M]\n"
                         "  u[i, j] = q[j] * r[i, j] * c[i]\n";
    row("call", g + "  y[i] = g(p, p; eps = 2).y[i]\n", "");
    row("two results", g + "  y[i] = g(p, p)[i]\n", "6:10 'g' has 2 results");
    row("no such result", g + "  y[i] = g(p, p).v[i]\n", "6:10 'g' has no result 'v'");
    row("no such scalar", g + "  y[i] = g(p, p; esp = 2).y[i]\n", "6:18 'g' has no scalar 'esp'");
    row("scalar twice", g + "  y[i] = g(p, p; eps = 2, eps = 3).y[i]\n", "6:27 the scalar 'eps' is given twice");
    row("few arguments", g + "  y[i] = g(p).y[i]\n", "6:10 'g' takes 2 tensors, not 1");
    row("argument not whole", g + "  y[i] = g(p[i], p).y[i]\n", "6:12 arguments of an operator are whole tensors");
    row("argument expression", g + "  y[i] = g(p + p, p).y[i]\n", "6:12 arguments of an operator are whole tensors");
    row("argument number", g + "  y[i] = g(1, p).y[i]\n", "6:12 a tensor expected before '1'");
    row("unknown argument", g + "  y[i] = g(pp, p).y[i]\n", "6:12 no tensor 'pp'");
    row("argument rank", g + "  y[i] = g(r, p).y[i]\n", "6:12 'x' of 'g' has rank 1, 'r' has 2");
    row("argument kind", g + "  y[i] = g(c, p).y[i]\n", "6:12 'x' of 'g' holds a real number, 'c' an integer");
    row("argument range", g + "  y[i] = g(p, q).y[i]\n", "6:15 axis 0 of 'w' of 'g' has the extent M here, 'q' has N");
    row("argument from 1", g + "  v[i in 1 .. M] = p[i]\n  y[i] = g(p, v).y[i]\n",
        "7:15 axis 0 of 'v' ranges over 1 .. M; an argument's range starts at 0");
    row("result rank", g + "  y[i] = g(p, p).y[i, i]\n", "6:10 'y_g_y' has 1 index and is read with 2");
    row("result range", g + "  y[i] = g(q, q).y[i]\n",
        "6:20 the index 'i' ranges over N in 'y_g_y' but over M in the result 'y'");
    row("recursion", "op f(x: float[N]) -> y: float[N]\n  y[i] = f(x)[i]\n", "1:4 'f' calls itself");
    row("mutual recursion",
        "op g(x: float[N]) -> y: float[N]\n  y[i] = f(x)[i]\nop f(x: float[N]) -> y: float[N]\n  y[i] = g(x)[i]\n",
        "1:4 'g' calls itself, through others");
    row("wrong callee",
        "op g(x: float[N]) -> y: float[N]\n  y[i] = z[i]\nop f(x: float[N]) -> y: float[N]\n  y[i] = g(x)[i]\n",
        "2:10 no tensor 'z'");
  }

  static void recurrences() {
    const QByteArray f = "op f(a: float[T], x: float[T, D]) -> h: float[T, D]\n";
    row("ema", f + "  h[t, d] = a[t] * h[t - 1, d] + x[t, d] from h[-1, d] = 0\n", "");
    row("backward", f + "  h[t, d] = a[t] * h[t + 1, d] + x[t, d] from h[T, d] = 0\n", "");
    row("two steps", f + "  h[t, d] = h[t - 1, d] + a[t] * h[t - 2, d] * x[t, d] from h[-1, d] = 0, h[-2, d] = 1\n",
        "");
    row("one first value of two", f + "  h[t, d] = h[t - 1, d] + a[t] * h[t - 2, d] * x[t, d] from h[-1, d] = 0\n",
        "2:34 h[t - 2, d] needs a first value of 'h' at -2");
    row("cycle", f + "  h[t, d] = a[t] * h[t, d] + x[t, d]\n", "2:3 'h' is defined by itself");
    row("cycle of two", f + "  h[t, d] = a[t] * g[t, d]\n  g[t, d] = x[t, d] + h[t, d]\n",
        "2:3 'h', 'g' are defined by one another");
    row("no first value", f + "  h[t, d] = a[t] * h[t - 1, d] + x[t, d]\n",
        "2:20 h[t - 1, d] is read before there is any value of 'h'");
    row("first value inside", f + "  h[t, d] = a[t] * h[t - 1, d] + x[t, d] from h[-1, d] = 0, h[0, d] = 0\n",
        "2:61 the first value at 0 does not lie before the range T");
    row("first value of another", f + "  h[t, d] = a[t] * h[t - 1, d] + x[t, d] from g[-1, d] = 0\n",
        "2:47 first values of 'h' are expected, not of 'g'");
    row("first values of nothing", f + "  h[t, d] = a[t] * x[t, d] from h[-1, d] = 0\n",
        "2:33 'from' belongs to a recurrence, and 'h' does not read itself");
    row("first value reads t", f + "  h[t, d] = a[t] * h[t - 1, d] from h[-1, d] = x[t, d]\n", "2:50 unknown name 't'");
    row("first value of all", f + "  h[t, d] = a[t] * h[t - 1, d] + x[t, d] from h[t, d] = 0\n",
        "2:47 a first value fixes one index, the others are those of the statement");
    row("both directions", f + "  h[t, d] = h[t - 1, d] + a[t] * h[t + 1, d] * x[t, d] from h[-1, d] = 0\n",
        "2:34 h[t + 1, d] and h[t - 1, d] (2:13) run in opposite directions");
    row("not by a constant", f + "  h[t, d] = (sum[l < t] h[l, d]) + a[t] * h[t - 1, d] * x[t, d] from h[-1, d] = 0\n",
        "2:25 h[l, d] is part of a cycle and is not read at 't' plus a constant");
    row("padded", f + "  h[t, d] = a[t] * pad(h[t - 1, d], 0) + x[t, d]\n",
        "2:24 a recurrence takes its first values from 'from', not from pad");
    row("call in a cycle",
        "op g(x: float[N]) -> y: float[N]\n  y[i] = x[i]\nop f(x: float[N]) -> y: float[N]\n  y[i] = x[i] + z[i]\n  "
        "z[i] = g(y)[i]\n",
        "5:12 a call needs all of 'y', which is defined with its result");
    row("same step", f + "  h[t, d] = a[t] * g[t, d] + h[t - 1, d] from h[-1, d] = 0\n  g[t, d] = x[t, d] + h[t, d]\n",
        "2:3 'h', 'g' are defined by one another");
  }
};

QTEST_GUILESS_MAIN(TestErrors)
#include "test_errors.moc"
