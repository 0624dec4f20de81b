// The inverse-map route: a reduction that reads d keeps its own value at the running d, where what a new d makes of an
// element distributes over the reducer; and products, whose logarithms are sums. Against formulas written out here.
#define QT_NO_KEYWORDS // a summary has slots
#include "core/structure/verify.hpp"
#include "tests/structure/structure_case.hpp"

#include <QTest>

#include <cmath>
#include <numeric>
#include <random>

using namespace aicf;

namespace {

using Row = std::vector<double>;

const std::string softly =
    "reducer lse(a, b) = max(a, b) + log1p(exp(-abs(a - b))) identity -inf\n"; // stable, and never -inf - -inf
const std::string adds = "reducer add(a, b) = a + b identity 0\n";
const std::string top = "reducer top(a, b) = where(a < b, b, a) identity -inf\n";
const char* const max_of_x = "m[i] = max[j] x[i,j];";
const char* const sum_of_x = "s[i] = sum[j] x[i,j];";

double greatest(const Row& x) { return *std::max_element(x.begin(), x.end()); }
double total(const Row& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double mean(const Row& x) { return total(x) / static_cast<double>(x.size()); }

/// States of parts of a row, merged from the left, against the whole.
double merged(const StructureProfile& p, const Row& x, const Row& z, std::size_t part) {
  const Cascade& c = p.cascades.at(0);
  const Arena& arena = p.canonical->arena;
  NumericSummary n(arena, *c.summary);
  ExprId first = no_expr, second = no_expr;
  for (ExprId leaf : n.leaves()) {
    if (arena[leaf].op == Op::load) (arena[leaf].payload == 0 ? first : second) = leaf;
    if (arena[leaf].op == Op::dim) n.set(leaf, static_cast<double>(x.size()));
  }
  std::vector<NumericSummary::Element> elements(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    elements[i][first] = x[i];
    if (second != no_expr) elements[i][second] = z[i];
  }
  std::vector<double> state = n.state({});
  for (std::size_t at = 0; at < x.size(); at += part)
    state = n.merge(state, n.state(std::span(elements).subspan(at, std::min(part, x.size() - at)), at));
  state = n.merge(state, n.state({}));
  return n.finalize(state).back();
}

struct Kept {
  const char* name;
  std::string text;
  std::function<double(const Row& x, const Row& z)> value;
};

std::string with(const std::string& reducer, const std::string& statements, const std::string& inputs = {}) {
  return reducer + row_op(statements, inputs);
}

std::vector<Kept> kept() {
  return {
      {"log-sum-exp of x - max", with(softly, std::string(max_of_x) + "y[i] = lse[j] (x[i,j] - m[i])"),
       [](const Row& x, const Row&) {
         double s = 0;
         for (double v : x) s += std::exp(v - greatest(x));
         return std::log(s);
       }},
      {"a sum by a reducer of one's own, rescaled",
       with(adds, std::string(max_of_x) + "y[i] = add[j] exp(x[i,j] - m[i])*z[i,j]", ", z: float[M, N]"),
       [](const Row& x, const Row& z) {
         double s = 0;
         for (std::size_t i = 0; i < x.size(); ++i) s += std::exp(x[i] - greatest(x)) * z[i];
         return s;
       }},
      {"a maximum by a condition, less the mean", with(top, std::string(sum_of_x) + "y[i] = top[j] (x[i,j] - s[i]/N)"),
       [](const Row& x, const Row&) { return greatest(x) - mean(x); }},
      {"a reducer that reads no d", with(softly, "y[i] = lse[j] x[i,j]"),
       [](const Row& x, const Row&) {
         double s = 0;
         for (double v : x) s += std::exp(v);
         return std::log(s);
       }},
      {"a product of Gaussians", row_op(std::string(sum_of_x) + "y[i] = prod[j] exp(0 - (x[i,j] - s[i]/N)^2)"),
       [](const Row& x, const Row&) {
         double e = 0;
         for (double v : x) e -= (v - mean(x)) * (v - mean(x));
         return std::exp(e);
       }},
      {"a product of powers", row_op("a[i] = max[j] abs(x[i,j]);y[i] = prod[j] abs(x[i,j])^a[i]"),
       [](const Row& x, const Row&) {
         double a = 0, p = 1;
         for (double v : x) a = std::max(a, std::fabs(v));
         for (double v : x) p *= std::pow(std::fabs(v), a);
         return p;
       }},
      {"a product with factors of its own",
       row_op(std::string(sum_of_x) + "y[i] = prod[j] 2*z[i,j]*exp(x[i,j]*s[i])", ", z: float[M, N]"),
       [](const Row& x, const Row& z) {
         double p = 1;
         for (std::size_t i = 0; i < x.size(); ++i) p *= 2 * z[i] * std::exp(x[i] * total(x));
         return p;
       }},
  };
}

const Certificate& certificate(const StructureProfile& p, const std::string& id) {
  for (const Certificate& c : p.certificates)
    if (c.id == id) return c;
  throw std::runtime_error(id);
}

} // namespace

class TestInverseMap : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void states_are_kept_data() {
    QTest::addColumn<int>("which");
    int which = 0;
    for (const Kept& k : kept()) QTest::newRow(k.name) << which++;
  }
  void states_are_kept() {
    QFETCH(int, which);
    const Kept k = kept()[static_cast<std::size_t>(which)];
    const StructureProfile p = profile_of(k.text);
    QVERIFY(p.cascades.at(0).summary.has_value());
    QVERIFY(p.reductions.back().bounded);
    std::mt19937 random(11);
    std::uniform_real_distribution<double> any(-1.5, 1.5);
    for (int trial = 0; trial < 20; ++trial) {
      Row x(1 + random() % 9), z(x.size());
      for (double& v : x) v = any(random);
      for (double& v : z) v = any(random);
      const double expected = k.value(x, z);
      for (std::size_t part : {1U, 2U, 5U}) {
        const double got = merged(p, x, z, part);
        QVERIFY2(std::fabs(got - expected) <= 1e-10 * (1 + std::fabs(expected)),
                 (std::to_string(got) + " for " + std::to_string(expected)).c_str());
      }
    }
  }

  /// exp(-inf) is the empty weight: a part of nothing else leaves no trace in what follows.
  void parts_without_weight_leave_no_trace() {
    const StructureProfile p = profile_of(kept()[0].text);
    const double inf = std::numeric_limits<double>::infinity();
    for (std::size_t part : {1U, 2U}) {
      const double got = merged(p, {-inf, -inf, 0.5, 0.25}, {}, part);
      QVERIFY(std::fabs(got - std::log1p(std::exp(-0.25))) < 1e-12);
    }
  }

  void what_does_not_distribute_is_refused() {
    // the sum of x - s: an element moves by s - s', a sum of n of them by n times as much
    const StructureProfile p = profile_of(with(adds, std::string(sum_of_x) + "y[i] = add[j] (x[i,j] - s[i])"));
    QVERIFY(!p.cascades.at(0).summary.has_value() && !p.reductions.back().bounded);
    bool said = false;
    for (const Step& s : certificate(p, "rank:y").steps)
      said = said || (s.rule == "inverse-map" && s.after.find("does not distribute") != std::string::npos);
    QVERIFY(said);
    // nor has a product of x - s a bounded number of factors g(x)^h(d): its logarithm has a pole at every s
    const StructureProfile q = profile_of(row_op(std::string(sum_of_x) + "y[i] = prod[j] (x[i,j] - s[i])"));
    QVERIFY(q.reductions.back().rank.kind == Rank::Kind::unbounded && !q.reductions.back().bounded);
    QVERIFY(certificate(q, "rank:y").witness.has_value());
  }

  /// A left fold of elements that read d keeps nothing while d moves.
  void a_reducer_without_laws_keeps_nothing_that_reads_d() {
    const std::string clip = "reducer clip(a, b) = min(a + b, 1) identity 0\n";
    const StructureProfile p = profile_of(with(clip, std::string(max_of_x) + "y[i] = clip[j] (x[i,j] - m[i])"));
    QVERIFY(!p.reductions.back().bounded && !p.cascades.at(0).summary.has_value());
    QVERIFY(profile_of(with(clip, "y[i] = clip[j] x[i,j]")).reductions.back().bounded);
  }
};

QTEST_GUILESS_MAIN(TestInverseMap)
#include "test_inverse_map.moc"
