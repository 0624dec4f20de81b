// Faults planted in every derived merge: each is caught by the identity of merge and union at partial states, or by the
// special values that the ledger is made from; what is caught by neither is listed here, with the reason why it is no
// fault.
#define QT_NO_KEYWORDS // a summary has slots
#include "core/structure/node_program.hpp"
#include "core/structure/special_values.hpp"
#include "core/structure/verify.hpp"
#include "tests/structure/structure_case.hpp"
#include "tests/support/paths.hpp"

#include <QtTest>

#include <cmath>
#include <functional>
#include <random>
#include <set>

using namespace aicf;

namespace {

/// A merge with nodes replaced, rebuilt as it was written.
ExprId replaced(Arena& arena, ExprId root, const std::function<std::optional<ExprId>(ExprId)>& by) {
  std::map<ExprId, ExprId> now;
  for (ExprId id : reachable(arena, std::span(&root, 1))) {
    const Node n = arena[id];
    std::vector<ExprId> args;
    for (ExprId o : arena.operands(id)) args.push_back(now.at(o));
    ExprId same = arena.make(n.op, n.kind, n.payload, args);
    now[id] = by(same).value_or(same);
  }
  return now.at(root);
}

struct Mutant {
  std::string slot, fault;
  Summary summary;
};

bool is_symbol(const Arena& arena, ExprId id, std::uint32_t symbol) {
  return arena[id].op == Op::symbol && arena[id].payload == symbol;
}

std::vector<Mutant> mutants(Arena& arena, const Summary& s) {
  std::vector<Mutant> out;
  auto add = [&](std::size_t k, const char* fault, ExprId merge) {
    if (merge == s.slots[k].merge) return;
    Mutant m{s.slots[k].name, fault, s};
    m.summary.slots[k].merge = merge;
    out.push_back(std::move(m));
  };
  std::set<std::size_t> counts; // slots that count the elements of a chunk
  for (std::size_t k = 0; k < s.slots.size(); ++k) {
    const bool sum = s.slots[k].reducer == static_cast<ReducerId>(Builtin::sum);
    if (sum && arena.is_number(s.slots[k].body, 1)) counts.insert(k);
  }
  for (std::size_t k = 0; k < s.slots.size(); ++k) {
    const ExprId merge = s.slots[k].merge;
    add(k, "dropped rescale", replaced(arena, merge, [&](ExprId id) -> std::optional<ExprId> {
          if (arena[id].op == Op::exp || arena[id].op == Op::exp2) return arena.number(1);
          return std::nullopt;
        }));
    add(k, "unguarded identity", replaced(arena, merge, [&](ExprId id) -> std::optional<ExprId> {
          if (arena[id].op != Op::select) return std::nullopt;
          // a guard gives a constant or an operand where one side is empty; the law itself is the other branch
          const ExprId a = arena.operand(id, 1), b = arena.operand(id, 2);
          return arena[a].count >= arena[b].count ? a : b;
        }));
    add(k, "swapped operand", replaced(arena, merge, [&](ExprId id) -> std::optional<ExprId> {
          if (is_symbol(arena, id, left_symbol(k))) return arena.make(Op::symbol, Kind::real, {}, right_symbol(k));
          return std::nullopt;
        }));
    for (std::size_t n : counts) {
      add(k, "N for n", replaced(arena, merge, [&](ExprId id) -> std::optional<ExprId> {
            if (n != k && is_symbol(arena, id, left_symbol(n)))
              return arena.make(Op::symbol, Kind::real, {}, slot_symbol(n));
            return std::nullopt;
          }));
    }
    Mutant m{s.slots[k].name, "wrong identity", s};
    const double e = arena.value(s.slots[k].identity);
    m.summary.slots[k].identity = arena.number(std::isinf(e) ? 0 : e + 1);
    out.push_back(std::move(m));
  }
  return out;
}

constexpr std::size_t elements = 6;

/// Values of the leaves along the axis, and of the others once for all.
class Samples {
 public:
  Samples(const StructureProfile& p, const Cascade& c, const NumericSummary& s) : arena_(p.canonical->arena) {
    std::vector<ExprId> extents{c.hi};
    extents.insert(extents.end(), c.more_hi.begin(), c.more_hi.end());
    for (ExprId leaf : s.leaves()) {
      const Node& n = arena_[leaf];
      if (n.op == Op::number || n.op == Op::symbol) continue;
      const std::vector<VarId> vars = free_vars(arena_, leaf);
      auto place = std::find(extents.begin(), extents.end(), leaf);
      if (std::any_of(vars.begin(), vars.end(), [](VarId v) { return v <= axis_var && axis_var - v < 16; }))
        along_.push_back(leaf);
      else if (place != extents.end())
        fixed_[leaf] = place == extents.begin() ? elements : 1;
      else
        free_.push_back(leaf);
    }
  }
  /// The same values of what does not vary along the axis, in both.
  void fix(NumericSummary& a, NumericSummary& b) {
    for (ExprId leaf : free_)
      fixed_[leaf] = arena_[leaf].kind == Kind::integer ? static_cast<double>(below(5)) : real(0.5, 1.5);
    for (NumericSummary* s : {&a, &b})
      for (const auto& [leaf, v] : fixed_) s->set(leaf, v);
  }
  /// Of one kind of partial state: any numbers, leading zeros, equal elements, of a unit interval (where log(-log u) is
  /// a number), -inf first, an infinity alone, of one sign. Of every leaf, or of one, the others in the unit interval.
  static constexpr int kinds = 9;
  std::vector<NumericSummary::Element> draw(int wanted, bool of_one) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    std::vector<NumericSummary::Element> all(elements);
    const std::size_t one = along_.empty() ? 0 : below(along_.size());
    for (std::size_t k = 0; k < along_.size(); ++k) {
      const ExprId leaf = along_[k];
      const Node& n = arena_[leaf];
      const int kind = of_one && k != one ? 3 : wanted;
      for (std::size_t i = 0; i < elements; ++i)
        all[i][leaf] = n.op == Op::index                   ? static_cast<double>(i)
                       : n.kind == Kind::boolean           ? static_cast<double>(random_() % 2)
                       : n.kind == Kind::integer           ? static_cast<double>(random_() % 3)
                       : kind == 1 && i < 3                ? 0
                       : kind == 2                         ? 1.5
                       : kind == 3                         ? real(0.05, 0.95)
                       : kind == 6                         ? real(-3, -0.5)
                       : kind == 7                         ? real(0.5, 3)
                       : kind == 5 || (kind == 4 && i < 2) ? -inf
                       : kind == 8                         ? inf
                                                           : real(-3, 3);
    }
    return all;
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  double real(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }

  const Arena& arena_;
  std::mt19937 random_{5};
  std::vector<ExprId> along_, free_;
  std::map<ExprId, double> fixed_;
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
    if (!(std::fabs(a[k] - b[k]) <= 1e-7 * (1 + std::fabs(a[k])))) return false;
  }
  return true;
}

/// What a merge is held to, at one set of elements: parts in any brackets are the state of all, and a part that begins
/// later is itself beside an empty one. Finalized, as that is what counts; the parts are merged once more afterwards,
/// so that what one merge leaves unused the next one uses.
std::vector<std::vector<double>> outcomes(NumericSummary& s, const std::vector<NumericSummary::Element>& all,
                                          std::size_t cut, std::size_t next) {
  auto part = [&](std::size_t from, std::size_t to) { return s.state(std::span(all).subspan(from, to - from), from); };
  const std::vector<double> a = part(0, cut), b = part(cut, next), c = part(next, elements), none = part(0, 0);
  return {s.finalize(s.merge(s.merge(a, b), c)), s.finalize(s.merge(a, s.merge(b, c))),
          s.finalize(s.merge(s.merge(none, s.merge(a, s.merge(b, c))), none)), s.finalize(s.merge(none, c)),
          s.finalize(s.merge(c, none))};
}

/// Whether some partial states tell the mutant from the derived merge, where that one gives what the elements
/// themselves give.
bool caught_by_identity(const StructureProfile& p, const Cascade& c, const Summary& mutant) {
  NumericSummary good(p.canonical->arena, *c.summary), other(p.canonical->arena, mutant);
  Samples samples(p, c, good);
  for (int trial = 0; trial < 60 * Samples::kinds; ++trial) {
    samples.fix(good, other);
    const std::vector<NumericSummary::Element> all =
        samples.draw(trial % Samples::kinds, trial / Samples::kinds % 2 != 0);
    const std::size_t cut = samples.below(elements + 1), next = cut + samples.below(elements + 1 - cut);
    const std::vector<double> whole = good.finalize(good.state(all)),
                              rest = good.finalize(good.state(std::span(all).subspan(next), next));
    const std::vector<std::vector<double>> mine = outcomes(good, all, cut, next), its = outcomes(other, all, cut, next);
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const std::vector<double>& expected = k < 3 ? whole : rest;
      if (same(expected, mine[k]) && !same(expected, its[k])) return true;
    }
  }
  return false;
}

/// What survives of an operator's merges: "slot: fault".
std::set<std::string> survivors(StructureProfile p, int& made) {
  auto canonical = std::make_shared<Canonical>(*p.canonical);
  p.canonical = canonical;
  std::set<std::string> out;
  for (const Cascade& cascade : p.cascades) {
    if (!cascade.summary) continue;
    for (const Mutant& m : mutants(canonical->arena, *cascade.summary)) {
      ++made;
      Cascade changed = cascade;
      changed.summary = m.summary;
      bool complete = true;
      auto kinds = [](const std::vector<SpecialDifference>& all) {
        std::set<std::string> k;
        for (const SpecialDifference& d : all) k.insert(d.kind);
        return k;
      };
      const bool special = kinds(special_differences(p, changed, complete)) != kinds(cascade.special);
      if (!special && !caught_by_identity(p, cascade, m.summary)) out.insert(m.slot + ": " + m.fault);
    }
  }
  return out;
}

} // namespace

class TestMutants : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_fault_is_caught_or_none_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QStringList>("equivalent");
    auto row = [](const char* name, const std::string& statements, const QStringList& equivalent,
                  const std::string& more = {}) {
      QTest::newRow(name) << QString::fromStdString(row_op(statements, more)) << equivalent;
    };
    row("sum", "y[i] = sum[j] x[i,j]", {});
    row("product", "y[i] = prod[j] x[i,j]", {});
    row("maximum", "y[i] = max[j] x[i,j]", {});
    row("logsumexp", "m[i] = max[j] x[i,j];y[i] = m[i] + log(sum[j] exp(x[i,j] - m[i]))", {});
    row("weighted softmax",
        "m[i] = max[j] x[i,j];l[i] = sum[j] exp(x[i,j] - m[i]);y[i] = (sum[j] exp(x[i,j] - m[i])*z[i,j])/l[i]", {},
        ", z: float[M, N]");
    row("variance", "s[i] = sum[j] x[i,j];y[i] = (sum[j] (x[i,j] - s[i]/N)^2)/N", {});
    row("third moment", "s[i] = sum[j] x[i,j];y[i] = sum[j] (x[i,j] - s[i]/N)^3", {});
    row("fourth moment", "s[i] = sum[j] x[i,j];y[i] = sum[j] (x[i,j] - s[i]/N)^4", {});
    row("covariance", "s[i] = sum[j] x[i,j];t[i] = sum[j] z[i,j];y[i] = sum[j] (x[i,j] - s[i]/N)*(z[i,j] - t[i]/N)", {},
        ", z: float[M, N]");
    row("entropy",
        "m[i] = max[j] x[i,j];l[i] = sum[j] exp(x[i,j] - m[i]);y[i] = sum[j] exp(x[i,j] - m[i])/l[i]*(x[i,j] - m[i])",
        {});
    row("distance from the maximum", "m[i] = max[j] x[i,j];y[i] = sum[j] (m[i] - x[i,j])^2", {});
    row("minimum", "m[i] = min[j] x[i,j];y[i] = sum[j] exp(m[i] - x[i,j])", {});
  }

  void faults_of_other_routes_data() {
    QTest::addColumn<QString>("op");
    auto row = [](const char* name, const std::string& reducer, const std::string& statements) {
      QTest::newRow(name) << QString::fromStdString(reducer + row_op(statements));
    };
    row("a reducer of one's own", "reducer lse(a, b) = max(a, b) + log1p(exp(-abs(a - b))) identity -inf\n",
        "y[i] = lse[j] x[i,j]");
    row("its value at the running maximum", "reducer lse(a, b) = max(a, b) + log1p(exp(-abs(a - b))) identity -inf\n",
        "m[i] = max[j] x[i,j];y[i] = lse[j] (x[i,j] - m[i])");
    row("product of Gaussians", {}, "s[i] = sum[j] x[i,j];y[i] = prod[j] exp(0 - (x[i,j] - s[i]/N)^2)");
    row("product of powers", {}, "a[i] = max[j] abs(x[i,j]);y[i] = prod[j] abs(x[i,j])^a[i]");
  }
  void faults_of_other_routes() {
    QFETCH(QString, op);
    int made = 0;
    QStringList found;
    for (const std::string& s : survivors(profile_of(op.toStdString()), made)) found << QString::fromStdString(s);
    QVERIFY(made > 0);
    QVERIFY2(found.isEmpty(), qPrintable(found.join("; ") + " of " + QString::number(made)));
  }

  void every_fault_is_caught_or_none() {
    QFETCH(QString, op);
    QFETCH(QStringList, equivalent);
    int made = 0;
    std::set<std::string> left = survivors(profile_of(op.toStdString()), made);
    QVERIFY(made > 0);
    QStringList found;
    for (const std::string& s : left) found << QString::fromStdString(s);
    QVERIFY2(found == equivalent, qPrintable(found.join("; ") + " of " + QString::number(made)));
  }

  /// The equivalent ones, with the reason. Where elements are weighted, their mean s/n is only a pivot: an identity of
  /// one more element gives every part another pivot, s/(n + 1), merges shift from pivot to pivot as before (the joint
  /// one is still the mean of the parts' weighted by their counts), and the finalized value holds for any pivot.
  static QStringList equivalent(const QString& op) {
    if (op == "softmax_kl_divergence" || op == "weighted_variance") return {"n: wrong identity"};
    return {};
  }
  void the_whole_atlas_data() {
    QTest::addColumn<QString>("file");
    const QDir folder(test::sourceFile("atlas/ops"));
    for (const QString& file : folder.entryList({"*.op"}))
      QTest::newRow(qPrintable(file.chopped(3))) << folder.filePath(file);
  }
  void the_whole_atlas() {
    QFETCH(QString, file);
    QFile in(file);
    QVERIFY(in.open(QIODevice::ReadOnly));
    int made = 0;
    QStringList found;
    for (const std::string& s : survivors(profile_of(in.readAll().toStdString()), made))
      found << QString::fromStdString(s);
    made_ += made;
    QVERIFY2(found == equivalent(QTest::currentDataTag()),
             qPrintable(found.join("; ") + " of " + QString::number(made)));
  }
  void many_were_made() { QVERIFY2(made_ >= 700, qPrintable(QString::number(made_))); }

 private:
  int made_ = 0;
};

QTEST_GUILESS_MAIN(TestMutants)
#include "test_mutants.moc"
