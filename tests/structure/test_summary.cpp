// Derived states: what a kernel that follows them computes, at partial states and special values, against formulas
// written out here; and mutants of the merges, which must not pass.
#define QT_NO_KEYWORDS // a summary has slots
#include "core/structure/decide.hpp"
#include "core/structure/field.hpp"
#include "core/structure/summary_builder.hpp"
#include "core/structure/verify.hpp"
#include "tests/structure/structure_case.hpp"

#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>

using namespace aicf;

class TestSummary : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void softmax_over_a_tree();
  void softmax_special_values();
  void variance_is_welford();
  void variance_keeps_digits_far_from_zero();
  void kurtosis_and_skewness();
  void entropy_in_both_spellings();
  void masks_are_kept();
  void position_of_the_maximum();
  void exponent_of_a_mean_has_its_own_maximum();
  void counts_belong_to_the_chunk();
  void merge_text();
  void mutants_data();
  void mutants();
};

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// The summary of one op, run on values of its x.
class Chunks {
 public:
  Chunks(const std::string& op, const std::string& name) : p_(profile_of(op)), c_(cascade_with(p_, name)) {
    if (!c_.summary) throw std::runtime_error("no summary");
    n_.emplace(p_.canonical->arena, *c_.summary);
    for (ExprId leaf : n_->leaves()) {
      const Node& node = p_.canonical->arena[leaf];
      if (node.op == Op::load && node.payload == 0) x_ = leaf;
      if (node.op == Op::load && node.payload == 1) other_ = leaf;
    }
  }
  std::vector<double> state(const std::vector<double>& x, std::size_t first = 0,
                            const std::vector<double>& other = {}) {
    std::vector<NumericSummary::Element> elements;
    for (std::size_t i = 0; i < x.size(); ++i) {
      elements.push_back({{x_, x[i]}});
      if (other_ != no_expr) elements.back()[other_] = other[i];
    }
    return n_->state(elements, first);
  }
  /// Merges chunks of `size` elements pairwise, as a tree does.
  std::vector<double> tree(const std::vector<double>& x, std::size_t size, const std::vector<double>& other = {}) {
    std::vector<std::vector<double>> level;
    for (std::size_t i = 0; i < x.size(); i += size) {
      std::size_t end = std::min(x.size(), i + size);
      auto part = [&](const std::vector<double>& v) {
        return v.empty() ? v
                         : std::vector<double>(v.begin() + static_cast<long>(i), v.begin() + static_cast<long>(end));
      };
      level.push_back(state(part(x), i, part(other)));
    }
    if (level.empty()) level.push_back(state({}));
    while (level.size() > 1) {
      std::vector<std::vector<double>> next;
      for (std::size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(n_->merge(level[i], level[i + 1]));
      if (level.size() % 2 != 0) next.push_back(level.back());
      level = std::move(next);
    }
    return level[0];
  }
  /// The value of a reduction of the cascade after the whole chunk.
  double value(const std::vector<double>& state, const std::string& name, std::size_t length) {
    for (ExprId leaf : n_->leaves())
      if (p_.canonical->arena[leaf].op == Op::dim) n_->set(leaf, static_cast<double>(length));
    std::vector<double> all = n_->finalize(state);
    for (std::size_t i = 0; i < c_.reductions.size(); ++i)
      if (&p_.reductions[c_.reductions[i]] == &reduction(p_, name)) return all[i];
    throw std::runtime_error(name);
  }
  double of(const std::vector<double>& x, const std::string& name, std::size_t size = 3) {
    return value(tree(x, size), name, x.size());
  }
  std::vector<double> merge(const std::vector<double>& a, const std::vector<double>& b) { return n_->merge(a, b); }
  const StructureProfile& profile() const { return p_; }

 private:
  StructureProfile p_;
  const Cascade& c_;
  std::optional<NumericSummary> n_;
  ExprId x_ = no_expr, other_ = no_expr;
};

std::vector<double> numbers(int n, double scale = 1, double shift = 0) {
  Random r(static_cast<std::uint64_t>(n) * 31 + 7);
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back(shift + scale * (2 * r.uniform() - 1));
  return x;
}

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double central(const std::vector<double>& x, int k) {
  double m = mean(x), s = 0;
  for (double v : x) s += std::pow(v - m, k);
  return s;
}

bool close(double a, double b, double tolerance = 1e-12) {
  return std::fabs(a - b) <= tolerance * (std::fabs(b) + 1e-300);
}

const char* const softmax = "m[i] = max[j] x[i,j];l[i] = sum[j] exp(x[i,j] - m[i]);y[i] = m[i] + log(l[i])";
const char* const variance = "s[i] = sum[j] x[i,j];v[i] = sum[j] (x[i,j] - s[i]/N)^2;y[i] = v[i]/N";

} // namespace

void TestSummary::softmax_over_a_tree() {
  Chunks c(row_op(softmax), "l");
  for (int n : {1, 2, 7, 64}) {
    std::vector<double> x = numbers(n, 30);
    double m = *std::max_element(x.begin(), x.end()), l = 0;
    for (double v : x) l += std::exp(v - m);
    for (std::size_t size : {1U, 2U, 5U}) QVERIFY(close(c.of(x, "l", size), l));
  }
}

void TestSummary::softmax_special_values() {
  Chunks c(row_op(softmax), "l");
  QCOMPARE(c.of({-inf, -inf, -inf, 1, 2}, "l", 3), 1 + std::exp(-1)); // a chunk of -inf weighs nothing
  QCOMPARE(c.of({1, 2, -inf, -inf}, "l", 2), 1 + std::exp(-1));
  QCOMPARE(c.of({}, "l"), 0.0);                    // the sum of nothing
  QVERIFY(std::isnan(c.of({-inf, -inf}, "l", 1))); // exp(-inf - -inf) is NaN, as the definition says
  QVERIFY(std::isnan(c.of({1, inf, 2}, "l", 1)));
  std::vector<double> empty = c.state({}), some = c.state({3, 4}), lost = c.state({-inf});
  QCOMPARE(c.merge(empty, some), some);
  QCOMPARE(c.merge(some, empty), some);
  QCOMPARE(c.merge(lost, some), some); // a true -inf stays in the state and leaves it when a finite maximum comes
  QCOMPARE(c.merge(empty, empty), empty);
  QVERIFY(c.value(c.merge(c.state({1000}), c.state({-1000})), "l", 2) == 1); // no overflow either way
}

void TestSummary::variance_is_welford() {
  Chunks c(row_op(variance), "v");
  QCOMPARE(reduction(c.profile(), "v").rank.value, 3);
  QVERIFY(reduction(c.profile(), "v").stable);
  for (int n : {1, 2, 3, 50}) {
    std::vector<double> x = numbers(n, 5, 2);
    double v = central(x, 2);
    for (std::size_t size : {1U, 4U}) QVERIFY(std::fabs(c.of(x, "v", size) - v) < 1e-12 * (1 + v));
  }
  QCOMPARE(c.of({2.5, 2.5, 2.5, 2.5}, "v", 1), 0.0);
  QCOMPARE(c.of({0, 0, 0, 3}, "v", 3), 6.75);
  QCOMPARE(c.of({}, "v"), 0.0);
}

void TestSummary::variance_keeps_digits_far_from_zero() { // raw moments would lose them all
  Chunks c(row_op(variance), "v");
  std::vector<double> x = numbers(1000, 1, 1e9), centred = x;
  for (double& v : centred) v -= 1e9;
  QVERIFY(close(c.of(x, "v", 7), central(centred, 2), 1e-5));
  std::vector<double> one_by_one = c.state({x[0]});
  for (std::size_t i = 1; i < x.size(); ++i) one_by_one = c.merge(one_by_one, c.state({x[i]}));
  QVERIFY(close(c.value(one_by_one, "v", x.size()), central(centred, 2), 1e-5));
}

void TestSummary::kurtosis_and_skewness() {
  Chunks c(row_op("s[i] = sum[j] x[i,j];a[i] = sum[j] (x[i,j] - s[i]/N)^4;b[i] = sum[j] (x[i,j] - s[i]/N)^3;"
                  "y[i] = a[i] + b[i]"),
           "a");
  std::vector<double> x = numbers(41, 3, -1);
  for (std::size_t size : {1U, 2U, 10U}) {
    QVERIFY(close(c.of(x, "a", size), central(x, 4), 1e-11));
    QVERIFY(std::fabs(c.of(x, "b", size) - central(x, 3)) < 1e-10 * central(x, 4));
  }
}

void TestSummary::entropy_in_both_spellings() {
  const std::string head = "m[i] = max[j] x[i,j];l[i] = sum[j] exp(x[i,j] - m[i]);";
  Chunks p(row_op(head + "y[i] = sum[j] exp(x[i,j]-m[i])/l[i] * log(exp(x[i,j]-m[i])/l[i])"), "y");
  Chunks q(row_op(head + "y[i] = sum[j] exp(x[i,j]-m[i])/l[i] * (x[i,j] - m[i] - log(l[i]))"), "y");
  std::vector<double> x = numbers(33, 4);
  double m = *std::max_element(x.begin(), x.end()), l = 0, h = 0;
  for (double v : x) l += std::exp(v - m);
  for (double v : x) h += std::exp(v - m) / l * std::log(std::exp(v - m) / l);
  QVERIFY(close(p.of(x, "y", 4), h));
  QVERIFY(close(q.of(x, "y", 4), h));
  QCOMPARE(reduction(p.profile(), "y").rank.value, 2);
  QCOMPARE(reduction(q.profile(), "y").rank.value, 2);
}

void TestSummary::masks_are_kept() {
  Chunks c(row_op("m[i] = max[j where k[i,j]] x[i,j];y[i] = sum[j where k[i,j]] exp(x[i,j] - m[i])", ", k: bool[M, N]"),
           "y");
  std::vector<double> x{9, 1, 2, 7, 0}, k{0, 1, 1, 0, 1}, none{0, 0, 0, 0, 0};
  for (std::size_t size : {1U, 2U, 3U}) {
    QVERIFY(close(c.value(c.tree(x, size, k), "y", 5), 1 + std::exp(-1) + std::exp(-2)));
    QCOMPARE(c.value(c.tree(x, size, none), "y", 5), 0.0);
  }
}

void TestSummary::position_of_the_maximum() {
  std::string op = "op t(x: float[M, N]) -> y: i64[M]\n  y[i] = argmax[j] x[i,j]\n";
  Chunks c(op, "y");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t size : {1U, 2U, 3U}) {
    QCOMPARE(c.of({1, 5, 2, 5, 3}, "y", size), 1.0);  // the lowest index
    QCOMPARE(c.of({1, nan, 9, nan}, "y", size), 1.0); // the first NaN
    QCOMPARE(c.of({-inf, -inf, 0}, "y", size), 2.0);
    QCOMPARE(c.of({-inf, -inf}, "y", size), 0.0);
  }
}

void TestSummary::exponent_of_a_mean_has_its_own_maximum() {
  Chunks c(row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] exp(x[i,j] - s[i]/N)"), "y");
  std::vector<double> x{1000, 1001, 999, 1002};
  double expected = 0;
  for (double v : x) expected += std::exp(v - 1000.5);
  QVERIFY(close(c.of(x, "y", 1), expected));
  QVERIFY(reduction(c.profile(), "y").stable);
}

void TestSummary::counts_belong_to_the_chunk() { // a partial state must not know N
  Chunks c(row_op(variance), "v");
  const Cascade& cascade = cascade_with(c.profile(), "v");
  const Arena& arena = c.profile().canonical->arena;
  for (const Slot& s : cascade.summary->slots) {
    std::array roots{s.body, s.merge};
    for (ExprId id : reachable(arena, roots)) QVERIFY(arena[id].op != Op::dim);
  }
}

void TestSummary::merge_text() {
  StructureProfile p = profile_of(row_op(softmax));
  QCOMPARE(QString::fromStdString(reduction(p, "l").merge.at(0)),
           QString("l = a.l * exp(a.m - m) + b.l * exp(b.m - m)"));
  QCOMPARE(QString::fromStdString(reduction(p, "m").merge.at(0)), QString("m = max(a.m, b.m)"));
}

namespace {

/// The stages of the analysis of one cascade, with the summary open to change.
struct Opened {
  Canonical canonical;
  Model model;
  std::unique_ptr<Algebra> algebra;
  std::unique_ptr<SummaryBuilder> builder;
  std::map<std::size_t, Form> forms;
  Summary summary;

  explicit Opened(const std::string& op) : canonical(canonical_of(op)), model(make_model(canonical)) {
    const auto& cascade = model.cascades.at(0);
    algebra = std::make_unique<Algebra>(make_algebra(model, cascade));
    learn_facts(model, cascade, *algebra);
    builder = std::make_unique<SummaryBuilder>(model, cascade, *algebra);
    Names names = names_for(model, cascade);
    for (std::size_t i : cascade) {
      Decision d = decide(model, cascade, i, *algebra, names, 1, {});
      if (!builder->add(i, d.form, d.split).possible) throw std::runtime_error("not derived");
      forms[i] = d.form;
    }
    summary = builder->summary();
  }
  bool holds() {
    return verify(model, model.cascades.at(0), *algebra, summary, forms, builder->final_forms(), 3).holds;
  }
  /// Every node with `op` in `root` replaced by what `by` makes of it.
  ExprId replaced(ExprId root, const std::function<std::optional<ExprId>(ExprId)>& by) {
    std::unordered_map<ExprId, ExprId> with;
    std::array roots{root};
    for (ExprId id : reachable(canonical.arena, roots))
      if (auto other = by(id)) with[id] = *other;
    return substitute(canonical.arena, root, with);
  }
};

const std::vector<std::pair<const char*, std::string>>& subjects() {
  static const std::vector<std::pair<const char*, std::string>> all{
      {"softmax", row_op(softmax)},
      {"variance", row_op(variance)},
      {"fourth moment", row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] (x[i,j] - s[i]/N)^4")},
      {"entropy", row_op("m[i] = max[j] x[i,j];l[i] = sum[j] exp(x[i,j] - m[i]);"
                         "y[i] = sum[j] exp(x[i,j]-m[i])/l[i] * (x[i,j] - m[i] - log(l[i]))")},
      {"weighted", row_op("m[i] = max[j] x[i,j];y[i] = sum[j] exp(x[i,j] - m[i])*w[i,j]", ", w: float[M, N]")},
      {"distance to the maximum", row_op("m[i] = max[j] x[i,j];y[i] = sum[j] (x[i,j] - m[i])^2")},
  };
  return all;
}

} // namespace

void TestSummary::mutants_data() {
  QTest::addColumn<QString>("op");
  for (const auto& [name, op] : subjects()) QTest::newRow(name) << QString::fromStdString(op);
}

void TestSummary::mutants() {
  QFETCH(QString, op);
  Opened original(op.toStdString());
  QVERIFY(original.holds());
  const std::size_t slots = original.summary.slots.size();
  int tried = 0;
  auto caught = [&](const char* what, const std::string& slot, const std::function<bool(Opened&)>& mutate) {
    Opened mutant(op.toStdString());
    if (!mutate(mutant)) return;
    ++tried;
    QVERIFY2(!mutant.holds(), (std::string(what) + " of " + slot).c_str());
  };
  for (std::size_t k = 0; k < slots; ++k) {
    const std::string name = original.summary.slots[k].name;
    const bool maximum = original.summary.slots[k].reducer == static_cast<ReducerId>(Builtin::max);
    caught("dropped rescale", name, [&](Opened& m) {
      Arena& arena = m.canonical.arena;
      ExprId& merge = m.summary.slots[k].merge;
      ExprId before = merge;
      merge = m.replaced(
          merge, [&](ExprId id) { return arena[id].op == Op::exp ? std::optional(arena.number(1)) : std::nullopt; });
      return merge != before;
    });
    caught("wrong identity", name, [&](Opened& m) {
      m.summary.slots[k].identity = m.canonical.arena.number(maximum ? 0 : 1);
      return true;
    });
    caught("left operand forgotten", name, [&](Opened& m) {
      m.summary.slots[k].merge = m.canonical.arena.make(Op::symbol, Kind::real, {}, right_symbol(k));
      return true;
    });
    caught("unguarded merge", name, [&](Opened& m) {
      bool guarded = m.summary.slots[k].merge != m.builder->plain_merges()[k];
      m.summary.slots[k].merge = m.builder->plain_merges()[k];
      return guarded;
    });
    caught("N for n", name, [&](Opened& m) {
      Arena& arena = m.canonical.arena;
      ExprId dim = m.model.items[0].hi[0], before = m.summary.slots[k].merge;
      if (m.summary.slots[k].name == "n") return false;
      std::optional<std::size_t> n;
      for (std::size_t i = 0; i < m.summary.slots.size(); ++i)
        if (m.summary.slots[i].name == "n") n = i;
      if (!n) return false;
      m.summary.slots[k].merge = m.replaced(before, [&](ExprId id) {
        bool is_n = arena[id].op == Op::symbol && arena[id].payload == left_symbol(*n);
        return is_n ? std::optional(dim) : std::nullopt;
      });
      return m.summary.slots[k].merge != before;
    });
    caught("swapped operand", name, [&](Opened& m) { // a rescaled by b's factor
      Arena& arena = m.canonical.arena;
      ExprId before = m.summary.slots[k].merge;
      m.summary.slots[k].merge = m.replaced(before, [&](ExprId id) {
        bool left =
            arena[id].op == Op::symbol && arena[id].payload >= left_symbol(0) && arena[id].payload < right_symbol(0);
        bool own = left && arena[id].payload == left_symbol(k);
        return left && !own ? std::optional(arena.make(Op::symbol, Kind::real, {}, arena[id].payload + 1000))
                            : std::nullopt;
      });
      return m.summary.slots[k].merge != before;
    });
  }
  QVERIFY(tried >= 5);
}

QTEST_GUILESS_MAIN(TestSummary)
#include "test_summary.moc"
