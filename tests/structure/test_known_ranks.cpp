// Ranks and boundedness that are known from mathematics, each with its reason; exponential polynomials whose rank is
// known by construction; pairs that look alike and differ.
#include "core/structure/field.hpp"
#include "tests/structure/structure_case.hpp"

#include <QTest>

#include <algorithm>
#include <array>

using namespace aicf;

namespace {

struct Known {
  const char* rank;   ///< with a "?" where it is found in the field, and no state is derived
  const char* inputs; ///< besides x
  const char* op;
  const char* why;
};

const char* const sum_of_x = "s[i] = sum[j] x[i,j];";
const char* const max_of_x = "m[i] = max[j] x[i,j];";
const char* const magnitude = "a[i] = max[j] abs(x[i,j]);";
const char* const softmax = "m[i] = max[j] x[i,j]; l[i] = sum[j] exp(x[i,j] - m[i]);";

struct Row {
  const char* before; ///< what comes before y
  Known known;
};

const std::vector<Row>& finite() {
  static const std::vector<Row> all{
      {sum_of_x, {"1", "", "sum[j] x[i,j]*s[i]", "a product g(x)*h(d)"}},
      {sum_of_x, {"2", "", "sum[j] (x[i,j] - s[i]/N)", "x*1 - 1*d"}},
      {sum_of_x, {"2", "", "sum[j] (x[i,j] - s[i])*(x[i,j] + s[i])", "x^2*1 - 1*d^2"}},
      {sum_of_x, {"1", "", "sum[j] ((x[i,j] - s[i])^2 - x[i,j]^2 - s[i]^2)", "-2 x d"}},
      {sum_of_x, {"2", "", "sum[j] ((x[i,j] - s[i])^3 + (x[i,j] + s[i])^3)", "2 x^3 + 6 x d^2"}},
      {sum_of_x, {"3", "", "sum[j] (x[i,j] + 1)*(x[i,j] - s[i])^2", "(x+1) {x^2, x, 1}: three functions of x"}},
      {sum_of_x, {"5", "", "sum[j] (x[i,j] - s[i]/N)^4", "binomial law: degree n gives n + 1"}},
      {sum_of_x, {"2", "", "sum[j] sin(x[i,j] + s[i])", "angle sum: sin x cos d + cos x sin d"}},
      {sum_of_x, {"2", "", "sum[j] (sin(x[i,j])*cos(s[i]) + cos(x[i,j])*sin(s[i]))", "the same, written out"}},
      {sum_of_x, {"3", "", "sum[j] cos(x[i,j] - s[i])^2", "(1 + cos 2(x - d))/2: 1, cos 2x, sin 2x"}},
      {sum_of_x, {"1", "", "sum[j] (sin(x[i,j]-s[i])^2 + cos(x[i,j]-s[i])^2)", "1 by Pythagoras"}},
      {sum_of_x, {"1", "", "sum[j] (cos(x[i,j] + s[i]) + cos(x[i,j] - s[i]))", "2 cos x cos d"}},
      {sum_of_x, {"4", "", "sum[j] (x[i,j]-s[i])*cos(x[i,j] - s[i])", "{x, 1} times {cos x, sin x}"}},
      {sum_of_x, {"1", "", "sum[j] abs(x[i,j]*s[i])", "|x| |d|"}},
      {sum_of_x, {"1", "", "sum[j] sqrt(abs(x[i,j]*s[i]))", "roots of a product"}},
      {sum_of_x, {"1", "", "sum[j] sqrt((x[i,j]*s[i])^2)", "|x| |d|"}},
      {sum_of_x, {"1", "", "sum[j] 1/(x[i,j]*s[i])", "1/x * 1/d"}},
      {sum_of_x, {"3", "", "sum[j] (exp(x[i,j]) - exp(s[i]))^2", "a square in exp x"}},
      {sum_of_x, {"2", "", "sum[j] log(exp(x[i,j])*exp(s[i]))", "log of a product: x + d"}},
      {sum_of_x, {"3", "", "sum[j] abs(x[i,j] - s[i])^2", "|u|^2 = u^2"}},
      {sum_of_x, {"2", "", "sum[j] abs(x[i,j] - s[i])*sign(x[i,j] - s[i])", "|u| sign u = u"}},
      {sum_of_x, {"2", "", "sum[j] (max(x[i,j], s[i]) + min(x[i,j], s[i]))", "x + d"}},
      {sum_of_x, {"1", "", "sum[j] max(x[i,j], s[i])*min(x[i,j], s[i])", "x d"}},
      {sum_of_x, {"1", "", "sum[j] (sigmoid(x[i,j] - s[i]) + sigmoid(s[i] - x[i,j]))", "1 by symmetry"}},
      {sum_of_x, {"2", "", "sum[j] (erf(x[i,j]) + erf(s[i]))", "any g(x) + h(d)"}},
      {sum_of_x, {"2", "", "sum[j] (floor(x[i,j]) + s[i])", "any g(x) + h(d)"}},
      {sum_of_x, {"1", "", "sum[j] where(s[i] > 0, x[i,j], -x[i,j])", "x sign d"}},
      {sum_of_x, {"2", "", "sum[j] where(x[i,j] > 0, s[i], s[i]^2)", "[x > 0] d + [x <= 0] d^2"}},
      {sum_of_x, {"2", "", "sum[j] where(x[i,j] == 0, s[i], x[i,j])", "[x = 0] d + x"}},
      {sum_of_x, {"2", ", w: float[N]", "sum[j] w[j]*(x[i,j] - s[i])", "a factor of x alone keeps the rank"}},
      {max_of_x, {"1", "", "sum[j] 2^(x[i,j] - m[i])", "exp of a difference"}},
      {max_of_x, {"1", "", "sum[j] exp(-abs(x[i,j] - m[i]))", "no x exceeds its max"}},
      {max_of_x, {"2", "", "sum[j] sqrt((x[i,j] - m[i])^2)", "d - x where d is the max"}},
      {max_of_x, {"0", "", "sum[j] max(x[i,j] - m[i], 0)", "no x exceeds its max"}},
      {max_of_x, {"0", "", "sum[j] where(x[i,j] > m[i], x[i,j], 0)", "no x exceeds its max"}},
      {max_of_x, {"1", "", "sum[j] where(x[i,j] >= m[i], 1, 0)", "only at the max itself"}},
      {max_of_x, {"4", "", "sum[j] exp(x[i,j]-m[i])*(x[i,j]-m[i])^3", "exp x {x^3, x^2, x, 1}"}},
      {max_of_x, {"1", "", "sum[j where x[i,j] > 0] exp(x[i,j] - m[i])", "a mask of x alone"}},
      {magnitude, {"1", "", "sum[j] abs(x[i,j]/a[i])^3", "rescale by a power: |x|^3 a^-3"}},
      {magnitude, {"1", "; p = 1.5", "sum[j] abs(x[i,j]/a[i])^p", "rescale by a symbolic power"}},
      {magnitude, {"3", "", "sum[j] (1 + x[i,j]/a[i])^2", "powers 0, 1, 2 of x/a"}},
      {magnitude, {"2", "", "sum[j] ((x[i,j]/a[i])^2 - (x[i,j]/a[i])^4)", "powers 2 and 4"}},
      {softmax, {"2", "", "sum[j] exp(x[i,j]-m[i])/l[i]*(1 - exp(x[i,j]-m[i])/l[i])", "p - p^2"}},
      {softmax, {"3", "", "sum[j] exp(x[i,j]-m[i])/l[i]*(x[i,j]-m[i]-log(l[i]))^2", "exp x {x^2, x, 1}"}},
      {softmax, {"1", "", "sum[j] (exp(x[i,j]-m[i])/l[i])^0.5", "a power of rank 1"}},
      {"s[i] = sum[j] x[i,j]; q[i] = sum[j] (x[i,j]-s[i]/N)^2;",
       {"5", "", "sum[j] (x[i,j]-s[i]/N)^4/q[i]^2", "a factor of d alone keeps the rank"}},
      {"s[i] = sum[j] x[i,j]; q[i] = max[j] x[i,j];",
       {"3", "", "sum[j] (x[i,j] - s[i])*(x[i,j] - q[i])", "x^2, x, 1 with two d"}},
      {"s[i] = sum[j] x[i,j]; q[i] = max[j] x[i,j];",
       {"4", "", "sum[j] (exp(x[i,j] - q[i]) + (x[i,j] - s[i])^2)", "exp x and x^2, x, 1"}},
      {"a[i] = sum[j] x[i,j]; b[i] = sum[j] z[i,j];",
       {"6", ", z: float[M, N]", "sum[j] (x[i,j] - a[i]/N)^2*(z[i,j] - b[i]/N)", "3 times 2, independent"}},
      {"a[i] = min[j] x[i,j]; b[i] = max[j] x[i,j];",
       {"1", "", "sum[j] (abs(x[i,j] - a[i]) + abs(x[i,j] - b[i]))", "b - a: x lies between them"}},
      {sum_of_x, {"2", "", "max[j] abs(x[i,j] - s[i]/N)", "(max, +): |u| is the larger of u and -u"}},
      {sum_of_x, {"2", "", "max[j] (x[i,j] - s[i])^2", "a square rises with |u|"}},
      {sum_of_x, {"3", "", "max[j] max(abs(x[i,j] - s[i]), 1)", "u, -u and 1"}},
      {sum_of_x, {"1", "", "max[j] tanh(x[i,j] - s[i])", "tanh rises"}},
      {sum_of_x, {"1", "", "min[j] (x[i,j] - s[i])^3", "an odd power rises"}},
      {sum_of_x, {"2", "", "max[j] x[i,j]*s[i]", "by the sign of d the greatest or the least x"}},
      {magnitude, {"1", "", "max[j] x[i,j]/a[i]", "a positive factor"}},
      {sum_of_x, {"2", "", "prod[j] exp(0 - (x[i,j] - s[i]/N)^2)", "factors g(x)^h(d): of x^2 and of x"}},
      {sum_of_x, {"1", "", "prod[j] exp(x[i,j]*s[i])", "(exp x)^d"}},
      {magnitude, {"1", "", "prod[j] abs(x[i,j])^a[i]", "|x|^d"}},
      {"p[i] = prod[j] x[i,j];", {"1", "", "prod[j] x[i,j]*p[i]", "under * a factor enters as often as there are x"}},
  };
  return all;
}

// Without a finite rank f(x - d) is no exponential polynomial; elsewhere x and d are told apart at every threshold.
const std::vector<Row>& unbounded() {
  static const std::vector<Row> all{
      {sum_of_x, {"", "", "sum[j] sqrt(abs(x[i,j] - s[i]))", "not smooth at x = d"}},
      {sum_of_x, {"", "", "sum[j] sqrt((x[i,j] - s[i])^2)", "|x - d|"}},
      {sum_of_x, {"", "", "sum[j] abs(x[i,j] - s[i]/N)^3", "not smooth at x = d"}},
      {sum_of_x, {"", "", "sum[j] log(1 + (x[i,j] - s[i])^2)", "of x - d, and no exponential polynomial"}},
      {sum_of_x, {"", "", "sum[j] 1/(1 + (x[i,j] - s[i])^2)", "poles move with d"}},
      {sum_of_x, {"", "", "sum[j] 1/(x[i,j] + s[i])", "Cauchy's determinant"}},
      {sum_of_x, {"", "", "sum[j] exp(x[i,j]*s[i])", "distinct rates are independent"}},
      {sum_of_x, {"", "", "sum[j] cos(x[i,j]*s[i])", "distinct frequencies are independent"}},
      {sum_of_x, {"", "", "sum[j] max(x[i,j], s[i])", "a kink at every d"}},
      {sum_of_x, {"", "", "sum[j] sign(x[i,j] - s[i]/N)", "a step at every d"}},
      {sum_of_x, {"", "", "sum[j] where(x[i,j] == s[i], 1, 0)", "the identity matrix"}},
      {sum_of_x, {"", "", "sum[j] where(x[i,j] != s[i], x[i,j], 0)", "a multiple of 1 1^T less the identity"}},
      {sum_of_x, {"", "", "sum[j] where(x[i,j] > 0 and x[i,j] < s[i], x[i,j], 0)", "a step at every d > 0"}},
      {sum_of_x, {"", "", "sum[j] where(abs(x[i,j] - s[i]/N) < 1, 1, 0)", "two steps at every d"}},
      {sum_of_x, {"", "", "sum[j] (x[i,j] - s[i]*floor(x[i,j]/s[i]))", "another period for every d"}},
      {sum_of_x, {"", "", "sum[j where x[i,j] > s[i]/N] x[i,j]", "a step at every d"}},
      {sum_of_x, {"", "", "sum[j] log(exp(x[i,j]) + exp(s[i]))", "softplus of x - d, plus d"}},
      {sum_of_x, {"", "", "prod[j] (x[i,j] - s[i])", "the logarithm has a pole at every d"}},
      {sum_of_x, {"", "", "min[j] abs(x[i,j] - s[i])", "each x is the nearest of some d"}},
      {sum_of_x, {"", "", "max[j] (0 - abs(x[i,j] - s[i]))", "the same, under max"}},
      {max_of_x, {"", "", "sum[j] where(x[i,j] >= m[i] - 1, 1, 0)", "a step at every d - 1"}},
      {max_of_x, {"", "", "sum[j] where(2*x[i,j] >= m[i], 1, 0)", "a step at every d/2"}},
      {max_of_x,
       {"", "; p = 0.1", "sum[j] where(exp(x[i,j] - m[i]) >= p, exp(x[i,j]-m[i]), 0)", "a step at every d + log p"}},
      {magnitude, {"", "", "sum[j] round(127*x[i,j]/a[i])", "steps at multiples of a/127"}},
      {"a[i] = min[j] x[i,j]; b[i] = max[j] x[i,j];",
       {"", "", "sum[j] abs(x[i,j] - (a[i]+b[i])/2)", "a kink at every midrange"}},
  };
  return all;
}

std::string text(const Row& row) {
  return row_op(std::string(row.before) + " y[i] = " + row.known.op, row.known.inputs);
}

void rows(const std::vector<Row>& table) {
  QTest::addColumn<QString>("op");
  QTest::addColumn<QString>("rank");
  for (const Row& row : table)
    QTest::newRow((std::string(row.known.op) + ": " + row.known.why).c_str())
        << QString::fromStdString(text(row)) << QString(row.known.rank);
}

const Certificate& certificate_of(const StructureProfile& p, const Reduction& r) {
  for (const Certificate& c : p.certificates)
    if (c.id == r.certificate) return c;
  throw std::runtime_error("no certificate " + r.certificate);
}

/// sum over a of (u_a + more)(x) * (v_a + more)(d): the u and the v are linearly independent functions, each of the r
/// terms has one of its own, so the rank is r.
std::string generate(Random& random, int r) {
  auto part = [](std::size_t k, const std::string& v) {
    const std::array all{v,
                         v + "^2",
                         "exp(" + v + ")",
                         v + "*exp(" + v + ")",
                         "cos(" + v + ")",
                         "sin(" + v + ")",
                         "exp(-" + v + ")",
                         v + "^3"};
    return all.at(k);
  };
  auto side = [&](const std::string& v, const std::vector<std::size_t>& order, int own) {
    std::string out = part(order[static_cast<std::size_t>(own)], v);
    for (int k = r; k < r + 2; ++k)
      if (auto c = static_cast<int>(random.below(5)) - 2; c != 0 && random.below(2) == 0)
        out += " + (" + std::to_string(c) + ")*" + part(order[static_cast<std::size_t>(k)], v);
    return "(" + out + ")";
  };
  auto shuffled = [&] {
    std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6, 7};
    for (std::size_t k = order.size(); k-- > 1;) std::swap(order[k], order[random.below(k + 1)]);
    return order;
  };
  const std::vector<std::size_t> xs = shuffled(), ds = shuffled();
  std::string out;
  for (int a = 0; a < r; ++a) out += (a > 0 ? " + " : "") + side("x[i,j]", xs, a) + "*" + side("s[i]", ds, a);
  return out;
}

} // namespace

class TestKnownRanks : public QObject {
  Q_OBJECT
 private slots:
  void finite_ranks_data() { rows(finite()); }
  void finite_ranks() {
    QFETCH(QString, op);
    QFETCH(QString, rank);
    const StructureProfile p = profile_of(op.toStdString());
    const Reduction& y = reduction(p, "y");
    QCOMPARE(QString::fromStdString(text_of(y.rank)), QString(rank).remove('?'));
    QCOMPARE(y.bounded, !rank.endsWith('?'));
  }

  void unbounded_ones_data() { rows(unbounded()); }
  void unbounded_ones() {
    QFETCH(QString, op);
    const StructureProfile p = profile_of(op.toStdString());
    const Reduction& y = reduction(p, "y");
    const Certificate& c = certificate_of(p, y);
    QVERIFY2(text_of(y.rank) == "unbounded", (text_of(y.rank) + ": " + c.method).c_str());
    QVERIFY(!y.bounded);
    QVERIFY(c.verdict == Certificate::Verdict::proven && c.witness.has_value());
    QCOMPARE(c.trials, 4);
  }

  void enough_cases() {
    QVERIFY(finite().size() + unbounded().size() >= 40);
    QVERIFY(unbounded().size() >= 12);
    for (const char* rank : {"1", "2", "3", "4", "5"})
      QVERIFY(std::ranges::any_of(finite(), [&](const Row& r) { return std::string(r.known.rank) == rank; }));
  }

  void twins_data() {
    QTest::addColumn<QString>("bounded");
    QTest::addColumn<QString>("not_bounded");
    auto row = [](const char* name, const std::string& a, const std::string& b) {
      QTest::newRow(name) << QString::fromStdString(a) << QString::fromStdString(b);
    };
    row("|x - max|, |x - mean|", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] abs(x[i,j] - m[i])"),
        row_op("m[i] = sum[j] x[i,j]; y[i] = sum[j] abs(x[i,j] - m[i]/N)"));
    row("|x/a|^3, |x - a|^3", row_op("a[i] = sum[j] x[i,j]; y[i] = sum[j] abs(x[i,j]/a[i])^3"),
        row_op("a[i] = sum[j] x[i,j]; y[i] = sum[j] abs(x[i,j] - a[i])^3"));
    row("max |x - mean|, min |x - mean|", row_op("s[i] = sum[j] x[i,j]; y[i] = max[j] abs(x[i,j] - s[i]/N)"),
        row_op("s[i] = sum[j] x[i,j]; y[i] = min[j] abs(x[i,j] - s[i]/N)"));
    row("x >= max, x >= max - 1", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] where(x[i,j] >= m[i], 1, 0)"),
        row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] where(x[i,j] >= m[i] - 1, 1, 0)"));
    row("exp(x + d), exp(x d)", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] exp(x[i,j] + s[i])"),
        row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] exp(x[i,j]*s[i])"));
    row("x = max, x = sum", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] where(x[i,j] == m[i], 1, 0)"),
        row_op("m[i] = sum[j] x[i,j]; y[i] = sum[j] where(x[i,j] == m[i], 1, 0)"));
  }
  void twins() {
    QFETCH(QString, bounded);
    QFETCH(QString, not_bounded);
    const StructureProfile a = profile_of(bounded.toStdString()), b = profile_of(not_bounded.toStdString());
    QVERIFY(reduction(a, "y").bounded && reduction(a, "y").rank.kind == Rank::Kind::finite);
    QVERIFY(!reduction(b, "y").bounded && reduction(b, "y").rank.kind == Rank::Kind::unbounded);
  }

  void truths_and_places_have_no_rank_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("op");
    QTest::addColumn<bool>("bounded");
    auto row = [](const char* type, const char* op, bool bounded) { QTest::newRow(op) << type << op << bounded; };
    row("bool", "any[j] (x[i,j] > s[i]/N)", true); // exactly if the greatest is
    row("bool", "all[j] (exp(x[i,j]) <= s[i])", true);
    row("bool", "any[j] (sin(x[i,j]) > s[i])", true);
    row("bool", "any[j] (sin(x[i,j]*s[i]) > 0)", false); // another order of the elements for every d
    row("i64", "argmax[j] (x[i,j] - s[i])", true);
    row("i64", "argmax[j] tanh(x[i,j] - s[i])", true);
    row("i64", "argmin[j] (s[i] - x[i,j])", true);
    row("i64", "argmax[j] abs(x[i,j] - s[i])", false); // either end may win: two values, one index each
  }
  void truths_and_places_have_no_rank() {
    QFETCH(QString, type);
    QFETCH(QString, op);
    QFETCH(bool, bounded);
    const StructureProfile p = profile_of("op t(x: float[M, N]) -> y: " + type.toStdString() +
                                          "[M]\n  s[i] = sum[j] x[i,j]\n  y[i] = " + op.toStdString() + "\n");
    QCOMPARE(QString::fromStdString(text_of(reduction(p, "y").rank)), QString("none"));
    QCOMPARE(reduction(p, "y").bounded, bounded);
    QCOMPARE(cascade_with(p, "y").summary.has_value(), bounded);
  }

  void generated_exponential_polynomials() {
    Random random(20261130);
    for (int t = 0; t < 1000; ++t) {
      const int r = 1 + t % 5;
      const std::string f = generate(random, r);
      const StructureProfile p = profile_of(row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (" + f + ")"));
      QVERIFY2(text_of(reduction(p, "y").rank) == std::to_string(r),
               (f + ": " + text_of(reduction(p, "y").rank) + " for " + std::to_string(r)).c_str());
      QVERIFY2(reduction(p, "y").bounded, f.c_str());
    }
  }

  /// What each element reads of the whole axis waits for a sweep of its own; a prefix does not.
  void elements_that_read_the_whole_axis() {
    const StructureProfile median =
        profile_of(row_op("r[i,j] = sum[k where x[i,k] <= x[i,j]] 1; y[i] = min[j where 2*r[i,j] >= N] x[i,j]"));
    QVERIFY(!reduction(median, "y").bounded);
    QCOMPARE(reduction(median, "y").level, 2);
    QCOMPARE(median.passes_definition, 2);
    QVERIFY(std::ranges::find(median.structures, "bounded_summary_state") == median.structures.end());
    const StructureProfile prefix = profile_of(row_op("c[i,j in N] = sum[k <= j] x[i,k]; y[i] = max[j] c[i,j]"));
    QVERIFY(reduction(prefix, "y").bounded);
    QCOMPARE(prefix.passes_definition, 1);
  }

  /// A prefix sum cannot be chosen element by element: it is computed from the elements before it, which can.
  void prefixes_are_made_of_elements() {
    const StructureProfile p = profile_of(row_op("c[i,j in N] = sum[k <= j] x[i,k]; t[i] = sum[j] x[i,j]; y[i] = "
                                                 "sum[j] abs(c[i,j] - t[i]/2)"));
    QCOMPARE(QString::fromStdString(text_of(reduction(p, "y").rank)), QString("unbounded"));
    QVERIFY(certificate_of(p, reduction(p, "y")).witness.has_value());
    const StructureProfile shifted = profile_of(row_op("c[i,j in N] = sum[k <= j] x[i,k]; t[i] = sum[j] x[i,j]; y[i] = "
                                                       "sum[j] (c[i,j] - t[i]/2)^2"));
    QCOMPARE(QString::fromStdString(text_of(reduction(shifted, "y").rank)), QString("3"));
  }

  /// What the elements after it change is no prefix: its samples would prove nothing.
  void suffixes_are_not_sampled() {
    const StructureProfile p = profile_of(row_op("c[i,j in N] = sum[k >= j] x[i,k]; t[i] = sum[j] x[i,j]; y[i] = "
                                                 "sum[j] abs(c[i,j] - t[i]/2)"));
    QCOMPARE(QString::fromStdString(text_of(reduction(p, "y").rank)), QString("unknown"));
  }

  /// One reduction, read at the rows of two results that order their indices differently, is one reduction.
  void rows_of_two_results() {
    const StructureProfile p =
        profile_of("op t(x: float[B, C]) -> m: float[C], v: float[C], y: float[B, C]\n  m[c] = (sum[b] x[b,c])/B\n"
                   "  v[c] = (sum[b] (x[b,c] - m[c])^2)/B\n  y[b,c] = (x[b,c] - m[c])/v[c]\n");
    QCOMPARE(p.reductions.size(), std::size_t{2});
    QCOMPARE(p.passes_definition, 3);
    QCOMPARE(p.passes_best, 2);
  }

  void scans_are_prefixes() {
    auto has = [](const std::string& op, const char* structure) {
      const StructureProfile p = profile_of(op);
      return std::ranges::find(p.structures, structure) != p.structures.end();
    };
    const char* scan = "prefix_scan";
    QVERIFY(has("op t(x: float[M, N]) -> y: float[M, N]\n  y[i, j in N] = sum[k <= j] x[i,k]\n", scan));
    QVERIFY(has("op t(x: float[M, N]) -> y: float[M, N]\n  y[i, j in N] = sum[k >= j] x[i,k]\n", scan));
    // a mask of values, a window, a relation of places: none of these grows with the row
    QVERIFY(!has("op t(a: i32[M, N], b: i32[M, N]) -> y: i64[M]\n  y[i] = sum[j where a[i,j] != b[i,j]] 1\n", scan));
    QVERIFY(
        !has("op t(x: float[M, N]) -> y: float[M, N]\n  y[i, j in N] = sum[k <= j where k > j - 3] x[i,k]\n", scan));
    QVERIFY(!has("op t(x: float[N], w: float[K]) -> y: float[2 * N + K]\n"
                 "  y[t] = sum[n in N, k in K where 2 * n + k == t] x[n]*w[k]\n",
                 scan));
    QVERIFY(has("op t(x: float[C, N]) -> g: float[C, C]\n  g[c, d] = sum[n] x[c,n]*x[d,n]\n", "contraction"));
    QVERIFY(!has("op t(x: float[C, N]) -> g: float[C]\n  g[c] = sum[n] x[c,n]*x[c,n]\n", "contraction"));
  }
};

QTEST_GUILESS_MAIN(TestKnownRanks)
#include "test_known_ranks.moc"
