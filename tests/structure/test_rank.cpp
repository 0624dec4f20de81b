// Separation ranks that are known from mathematics, among them twins that look alike and differ.
#include "core/structure/field.hpp"
#include "core/structure/separation.hpp"
#include "tests/structure/structure_case.hpp"

#include <QTest>

#include <cmath>

using namespace aicf;

class TestRank : public QObject {
  Q_OBJECT
 private slots:
  void known_data();
  void known();
  void bounded_has_summary_data() { known_data(); }
  void bounded_has_summary();
  void unbounded_has_real_witness();
  void any_of_a_comparison_is_bounded();
  void scalars_are_symbols();
  void separate_weights_keep_rank();
  void generated_exponential_polynomials();
  void generated_through_the_whole_analysis();
  void opaque_full_rank_is_never_unbounded();
  void same_seed_same_certificate();
};

namespace {

struct Known {
  const char* name;
  std::string op, rank;
};

// The ranks follow from f alone: a polynomial of degree n in x - d has n + 1, an exponential polynomial as many as its
// distinct x parts, a function of x - d that is none of these has no finite one.
const std::vector<Known>& table() {
  static const std::vector<Known> all{
      {"softmax l", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] exp(x[i,j] - m[i])"), "1"},
      {"variance", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (x[i,j] - s[i]/N)^2"), "3"},
      {"third moment", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (x[i,j] - s[i]/N)^3"), "4"},
      {"kurtosis", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (x[i,j] - s[i]/N)^4"), "5"},
      {"entropy p log p",
       row_op("m[i] = max[j] x[i,j]; l[i] = sum[j] exp(x[i,j] - m[i]); y[i] = sum[j] exp(x[i,j]-m[i])/l[i] * "
              "log(exp(x[i,j]-m[i])/l[i])"),
       "2"},
      {"entropy lse",
       row_op("m[i] = max[j] x[i,j]; l[i] = sum[j] exp(x[i,j] - m[i]); y[i] = sum[j] exp(x[i,j]-m[i])/l[i] * "
              "(x[i,j]-m[i]-log(l[i]))"),
       "2"},
      {"cos shift", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] cos(x[i,j] - s[i])"), "2"},
      {"sin shift", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] sin(2*x[i,j] - s[i])"), "2"},
      {"MAD", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] abs(x[i,j] - s[i]/N)"), "unbounded"},
      {"abs max", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] abs(x[i,j] - m[i])"), "2"},
      {"abs min", row_op("m[i] = min[j] x[i,j]; y[i] = sum[j] abs(x[i,j] - m[i])"), "2"},
      {"relu max", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] max(x[i,j] - m[i], 0)"), "0"},
      {"relu mean", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] max(x[i,j] - s[i]/N, 0)"), "unbounded"},
      {"tie", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] where(x[i,j] == m[i], v[i,j], 0)", ", v: float[M, N]"), "1"},
      {"floor max", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] floor(x[i,j] - m[i])"), "unbounded"},
      {"floor mean", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] floor(x[i,j] - s[i]/N)"), "unbounded"},
      {"cauchy", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] 1/(x[i,j] - s[i])"), "unbounded"},
      {"cauchy max", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] 1/(x[i,j] - m[i] - 1)"), "unbounded"},
      {"logistic", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] 1/(1 + exp(x[i,j] - m[i]))"), "unbounded"},
      {"sigmoid", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] sigmoid(x[i,j] - m[i])"), "unbounded"},
      {"tanh", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] tanh(x[i,j] - s[i]/N)"), "unbounded"},
      {"gauss", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] exp(-(x[i,j] - s[i]/N)^2)"), "unbounded"},
      {"exp mean", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] exp(x[i,j] - s[i]/N)"), "1"},
      {"x/a cubed", row_op("a[i] = max[j] abs(x[i,j]); y[i] = sum[j] abs(x[i,j]/a[i])^3"), "1"},
      {"x-a cubed", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] abs(x[i,j] - s[i]/N)^3"), "unbounded"},
      {"x-absmax cubed", row_op("a[i] = max[j] abs(x[i,j]); y[i] = sum[j] abs(x[i,j] - a[i])^3"), "4"},
      {"normalize", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (x[i,j]/s[i])^2"), "1"},
      {"min max", row_op("a[i] = min[j] x[i,j]; b[i] = max[j] x[i,j]; y[i] = sum[j] ((x[i,j] - a[i])/(b[i] - a[i]))^2"),
       "3"},
      {"covariance",
       row_op("a[i] = sum[j] x[i,j]; b[i] = sum[j] z[i,j]; y[i] = sum[j] (x[i,j] - a[i]/N)*(z[i,j] - b[i]/N)",
              ", z: float[M, N]"),
       "4"},
      {"weighted", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] w[i,j]*(x[i,j] - s[i]/N)^2", ", w: float[M, N]"), "3"},
      {"max minus mean", row_op("s[i] = sum[j] x[i,j]; y[i] = max[j] (x[i,j] - s[i]/N)"), "1"},
      {"max abs dev", row_op("s[i] = sum[j] x[i,j]; y[i] = max[j] (abs(x[i,j] - s[i]/N))"), "2"},
      {"min of shift", row_op("m[i] = max[j] x[i,j]; y[i] = min[j] (x[i,j] - m[i])"), "1"},
      {"prod scaled", row_op("s[i] = sum[j] x[i,j]; y[i] = prod[j] (x[i,j] * s[i])"), "1"},
      // A polynomial in s whose coefficients are the elementary symmetric ones: a new one with each element.
      {"prod shift", row_op("s[i] = sum[j] x[i,j]; y[i] = prod[j] (x[i,j] - s[i])"), "unbounded"},
      {"count above", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] where(x[i,j] > s[i]/N, 1, 0)"), "unbounded"},
      {"expanded variance", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (x[i,j]^2 - 2*x[i,j]*s[i]/N + (s[i]/N)^2)"),
       "3"},
      {"log ratio", row_op("s[i] = sum[j] exp(x[i,j]); y[i] = sum[j] log(exp(x[i,j])/s[i])"), "2"},
      {"two deps",
       row_op(
           "s[i] = sum[j] x[i,j]; q[i] = sum[j] (x[i,j] - s[i]/N)^2; y[i] = sum[j] ((x[i,j] - s[i]/N)/sqrt(q[i]/N))^3"),
       "4"},
      {"sqrt product", row_op("m[i] = max[j] abs(x[i,j]); y[i] = sum[j] sqrt(abs(x[i,j])/m[i])"), "1"},
      {"erf", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] erf(x[i,j] - s[i]/N)"), "unbounded"},
      {"erf of x alone", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] erf(x[i,j])*exp(x[i,j]-m[i])"), "1"},
      {"exp2", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] exp2(x[i,j] - m[i])"), "1"},
      {"expm1", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] expm1(x[i,j] - m[i])"), "2"},
      {"log1p of diff", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] log1p(exp(x[i,j] - m[i]))"), "unbounded"},
      {"square exp", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] exp(x[i,j] - m[i])^2"), "1"},
      {"log-distance", row_op("s[i] = sum[j] x[i,j]^2; y[i] = sum[j] log(1 + (x[i,j])^2 + s[i])"), "unbounded"},
      {"independent", row_op("y[i] = sum[j] x[i,j]^2"), "1"},
      {"mixed moments exp", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] exp(x[i,j]-m[i])*(x[i,j]-m[i])^2"), "3"},
      {"two exps", row_op("m[i] = max[j] x[i,j]; y[i] = sum[j] (exp(x[i,j]-m[i]) + exp(2*(x[i,j]-m[i])))"), "2"},
      {"cosh", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (exp(x[i,j]-s[i]/N) + exp(s[i]/N - x[i,j]))"), "2"},
      {"huber",
       row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] where(abs(x[i,j]-s[i]/N) < 1, (x[i,j]-s[i]/N)^2, "
              "2*abs(x[i,j]-s[i]/N)-1)"),
       "unbounded"},
      {"masked softmax",
       row_op("m[i] = max[j where k[j]] x[i,j]; y[i] = sum[j where k[j]] exp(x[i,j] - m[i])", ", k: bool[N]"), "1"},
      {"rms then", row_op("s[i] = sum[j] x[i,j]^2; y[i] = sum[j] x[i,j]^4/(s[i]/N)^2"), "1"},
      {"l1 of softmax",
       row_op("m[i] = max[j] x[i,j]; l[i] = sum[j] exp(x[i,j]-m[i]); y[i] = sum[j] abs(exp(x[i,j]-m[i])/l[i] - 1/N)"),
       "unbounded"},
      {"sum p^2",
       row_op("m[i] = max[j] x[i,j]; l[i] = sum[j] exp(x[i,j]-m[i]); y[i] = sum[j] (exp(x[i,j]-m[i])/l[i])^2"), "1"},
      {"poly rank by d", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (x[i,j]^3 + 2*x[i,j]^2 + x[i,j] + 7)*s[i]"), "1"},
      {"degree 8", row_op("s[i] = sum[j] x[i,j]; y[i] = sum[j] (x[i,j] - s[i]/N)^8"), "9"},
      {"attention o", row_op("m[i] = max[j] x[i,j];y[i] = sum[j] exp(x[i,j] - m[i])*w[i,j]", ", w: float[M, N]"), "1"},
      {"symbolic power", row_op("a[i] = max[j] abs(x[i,j]);y[i] = sum[j] (abs(x[i,j])/a[i])^p", "; p = 2.5"), "1"},
      {"temperature", row_op("m[i] = max[j] x[i,j];y[i] = sum[j] exp((x[i,j] - m[i])/t)", "; t = 2.0"), "1"},
      {"generalized power", row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] abs(x[i,j] - s[i]/N)^p", "; p = 2.5"),
       "unbounded"},
      {"softplus of a shift", row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] log(1 + exp(x[i,j] - s[i]/N))"), "unbounded"},
      {"masked variance",
       row_op("c[i] = sum[j where k[i,j]] x[i,j]^0;s[i] = sum[j where k[i,j]] x[i,j];y[i] = sum[j where k[i,j]] "
              "(x[i,j] - s[i]/c[i])^2",
              ", k: bool[M, N]"),
       "3"},
  };
  return all;
}

} // namespace

void TestRank::known_data() {
  QTest::addColumn<QString>("op");
  QTest::addColumn<QString>("rank");
  for (const Known& k : table())
    QTest::newRow(k.name) << QString::fromStdString(k.op) << QString::fromStdString(k.rank);
}

void TestRank::known() {
  QFETCH(QString, op);
  QFETCH(QString, rank);
  StructureProfile p = profile_of(op.toStdString());
  QCOMPARE(QString::fromStdString(text_of(reduction(p, "y").rank)), rank);
}

void TestRank::bounded_has_summary() {
  QFETCH(QString, op);
  QFETCH(QString, rank);
  StructureProfile p = profile_of(op.toStdString());
  const Reduction& y = reduction(p, "y");
  bool finite = rank != "unbounded" && rank != "unknown";
  QCOMPARE(y.bounded, finite);
  QCOMPARE(cascade_with(p, "y").summary.has_value(), finite);
  QVERIFY(!y.certificate.empty());
}

void TestRank::unbounded_has_real_witness() {
  for (const Known& k : table()) {
    if (k.rank != "unbounded") continue;
    StructureProfile p = profile_of(k.op);
    const Reduction& y = reduction(p, "y");
    for (const Certificate& c : p.certificates) {
      if (c.id != y.certificate) continue;
      QVERIFY2(c.verdict == Certificate::Verdict::proven && c.witness.has_value(), k.name);
      QVERIFY2(c.method.find("exact rationals") == 0 || c.method.find("MPFR intervals") == 0, k.name);
      QVERIFY2(c.trials == 4, k.name); // sizes 4, 8, 16 and 32
      QVERIFY2(!c.witness->inputs.empty(), k.name);
    }
  }
}

void TestRank::any_of_a_comparison_is_bounded() { // any[x > d] is max x > d; the sum of it is not
  std::string op = "op t(x: float[M, N]) -> y: bool[M]\n  s[i] = sum[j] x[i,j]\n  y[i] = any[j] (x[i,j] > s[i]/N)\n";
  StructureProfile p = profile_of(op);
  QCOMPARE(QString::fromStdString(text_of(reduction(p, "y").rank)), QString("none"));
  QVERIFY(reduction(p, "y").bounded);
  QVERIFY(cascade_with(p, "y").summary.has_value());
}

void TestRank::scalars_are_symbols() { // never their defaults: with c = 0 the rank would be 1
  StructureProfile p = profile_of(row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] (x[i,j] - c*s[i]/N)^2", "; c = 0.0"));
  QCOMPARE(reduction(p, "y").rank.value, 3);
}

void TestRank::separate_weights_keep_rank() {
  StructureProfile p = profile_of(row_op(
      "s[i] = sum[j] x[i,j];y[i] = sum[j] (w[i,j]^2 + exp(w[i,j]) + 1)*(x[i,j] - s[i]/N)^2", ", w: float[M, N]"));
  QCOMPARE(reduction(p, "y").rank.value, 3);
}

namespace {

int exact_rank(std::vector<std::vector<mpq_class>> m) {
  int rank = 0;
  for (std::size_t c = 0; c < m[0].size() && rank < static_cast<int>(m.size()); ++c) {
    auto r = static_cast<std::size_t>(rank);
    std::size_t pivot = r;
    while (pivot < m.size() && m[pivot][c] == 0) ++pivot;
    if (pivot == m.size()) continue;
    std::swap(m[pivot], m[r]);
    for (std::size_t i = r + 1; i < m.size(); ++i) {
      mpq_class f = m[i][c] / m[r][c];
      for (std::size_t k = c; k < m[0].size(); ++k) m[i][k] -= f * m[r][k];
    }
    ++rank;
  }
  return rank;
}

/// sum of C[i][k] * x^a_i exp(b_i x) * d^e_k exp(g_k d) with C = A B of inner dimension r: rank(C), the parts being
/// linearly independent functions.
struct Generated {
  std::string text;
  int rank = 0;
};

Generated generate(Random& random) {
  auto parts = 1 + random.below(6), inner = 1 + random.below(6);
  auto part = [&](const std::string& v, std::size_t i) { // distinct by their exponents
    return v + "^" + std::to_string(1 + i % 3) + "*exp(" + std::to_string(static_cast<int>(i / 3) + 1) + "*" + v + ")";
  };
  std::vector<std::vector<mpq_class>> a(parts, std::vector<mpq_class>(inner)), b(inner, std::vector<mpq_class>(parts)),
      c(parts, std::vector<mpq_class>(parts));
  for (auto* m : {&a, &b})
    for (auto& row : *m)
      for (mpq_class& v : row) v = static_cast<long>(random.below(7)) - 3;
  Generated g;
  for (std::size_t i = 0; i < parts; ++i)
    for (std::size_t k = 0; k < parts; ++k) {
      for (std::size_t r = 0; r < inner; ++r) c[i][k] += a[i][r] * b[r][k];
      if (c[i][k] == 0) continue;
      g.text += (g.text.empty() ? "" : " + ") + std::string("(") + c[i][k].get_str() + ")*" + part("x[i,j]", i) + "*" +
                part("d[i]", k);
    }
  g.rank = exact_rank(c);
  if (g.text.empty()) g.text = "0*x[i,j]*d[i]";
  return g;
}

} // namespace

void TestRank::generated_exponential_polynomials() {
  Random random(20240611);
  int done = 0;
  for (int t = 0; t < 1000; ++t) {
    Generated g = generate(random);
    if (g.rank == 0) continue;
    Canonical c = canonical_of("op t(x: float[M, N], d: float[M]) -> y: float[M, N]\n  y[i, j] = " + g.text + "\n");
    Arena& arena = c.arena;
    Algebra algebra(arena, [&](ExprId id) -> std::optional<unsigned> {
      Op op = arena[id].op;
      if (op == Op::load) return arena[id].payload == 0 ? part_x : part_d;
      return op == Op::number || arena[id].count > 0 ? std::nullopt : std::optional(0U);
    });
    Form f = algebra.of(c.outputs[0].body);
    FieldRank field = field_rank(algebra, f, mix(7, static_cast<std::uint64_t>(t)));
    QVERIFY2(!field.full && field.rank == g.rank, g.text.c_str());
    auto s = split(algebra, f);
    QVERIFY2(s && coefficient_rank(algebra, *s, 5) == g.rank, g.text.c_str());
    ++done;
  }
  QVERIFY(done > 900);
}

void TestRank::generated_through_the_whole_analysis() {
  Random random(77);
  for (int t = 0; t < 20; ++t) {
    Generated g = generate(random);
    std::string op = "op t(x: float[M, N]) -> y: float[M]\n  d[i] = sum[j] x[i,j]\n  y[i] = sum[j] (" + g.text + ")\n";
    StructureProfile p = profile_of(op);
    QCOMPARE(QString::fromStdString(text_of(reduction(p, "y").rank)), QString::number(g.rank));
    QVERIFY2(reduction(p, "y").bounded, op.c_str());
  }
}

void TestRank::opaque_full_rank_is_never_unbounded() {
  // a user reducer cannot be sampled, so what depends on it is not decided; it must not be called unbounded
  std::string op = "reducer clip(a, b) = min(a + b, 1) identity 0\n"
                   "op t(x: float[M, N]) -> y: float[M]\n  s[i] = clip[j] x[i,j]\n  y[i] = sum[j] abs(x[i,j] - s[i])\n";
  StructureProfile p = profile_of(op);
  QCOMPARE(QString::fromStdString(text_of(reduction(p, "y").rank)), QString("unknown"));
}

void TestRank::same_seed_same_certificate() {
  std::string op = row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] abs(x[i,j] - s[i]/N)");
  StructureProfile a = profile_of(op, 5), b = profile_of(op, 5);
  QCOMPARE(a.certificates.size(), b.certificates.size());
  for (std::size_t i = 0; i < a.certificates.size(); ++i) {
    QCOMPARE(a.certificates[i].seed, b.certificates[i].seed);
    QVERIFY(a.certificates[i].bound == b.certificates[i].bound);
    QCOMPARE(a.certificates[i].witness.has_value(), b.certificates[i].witness.has_value());
    if (a.certificates[i].witness) QVERIFY(a.certificates[i].witness->inputs == b.certificates[i].witness->inputs);
  }
}

QTEST_GUILESS_MAIN(TestRank)
#include "test_rank.moc"
