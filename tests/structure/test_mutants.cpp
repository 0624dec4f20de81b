// Faults planted in every derived merge: each is caught by the identity of merge and union at partial states, or by the
// special values that the ledger is made from; what is caught by neither is listed here, with the reason why it is no
// fault.
#define QT_NO_KEYWORDS // a summary has slots
#include "core/structure/node_program.hpp"
#include "core/structure/special_values.hpp"
#include "core/structure/verify.hpp"
#include "tests/structure/structure_case.hpp"

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

/// States of partial chunks, merged, against the state of all: random, equal, with leading zeros, one element, none.
bool identity_holds(const StructureProfile& p, const Cascade& c, const Summary& summary) {
  const Arena& arena = p.canonical->arena;
  NumericSummary good(arena, *c.summary), other(arena, summary);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-3, 3);
  for (int trial = 0; trial < 24; ++trial) {
    std::vector<NumericSummary::Element> all(6);
    for (ExprId leaf : good.leaves()) {
      const Node& n = arena[leaf];
      if (n.op == Op::number || n.op == Op::symbol || n.op == Op::reduce) continue;
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i][leaf] = n.op == Op::index         ? static_cast<double>(i)
                       : n.kind != Kind::real    ? static_cast<double>(random() % 2)
                       : trial % 4 == 1 && i < 3 ? 0
                       : trial % 4 == 2          ? 1.5
                                                 : any(random);
    }
    const std::size_t cut = static_cast<std::size_t>(trial) % 6, next = std::min<std::size_t>(6, cut + 2);
    auto part = [&](NumericSummary& s, std::size_t from, std::size_t size) {
      return s.state(std::span(all).subspan(from, size), from);
    };
    const std::vector<double> whole = good.finalize(part(good, 0, 6));
    // three parts: what the first merge leaves unused, the second one uses
    std::vector<double> merged = other.merge(part(other, 0, cut), part(other, cut, next - cut));
    merged = other.merge(merged, part(other, next, 6 - next));
    merged = other.merge(other.merge(part(other, 0, 0), merged), part(other, 0, 0));
    const std::vector<double> got = other.finalize(merged);
    for (std::size_t k = 0; k < whole.size(); ++k)
      if (std::isnan(whole[k]) != std::isnan(got[k]) || std::fabs(whole[k] - got[k]) > 1e-7 * (1 + std::fabs(whole[k])))
        return false;
  }
  return true;
}

/// What survives of an operator's merges: "slot: fault".
std::set<std::string> survivors(const std::string& op, int& made) {
  StructureProfile p = profile_of(op);
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
      if (!special && identity_holds(p, cascade, m.summary)) out.insert(m.slot + ": " + m.fault);
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

  void every_fault_is_caught_or_none() {
    QFETCH(QString, op);
    QFETCH(QStringList, equivalent);
    int made = 0;
    std::set<std::string> left = survivors(op.toStdString(), made);
    QVERIFY(made > 0);
    QStringList found;
    for (const std::string& s : left) found << QString::fromStdString(s);
    QVERIFY2(found == equivalent, qPrintable(found.join("; ") + " of " + QString::number(made)));
  }
};

QTEST_GUILESS_MAIN(TestMutants)
#include "test_mutants.moc"
