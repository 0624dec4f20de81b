// Legality follows from verdicts and strictness; refusals name a smallest set of ticks, checked against brute force.
#include "core/expr/check.hpp"
#include "core/profile/tick.hpp"
#include "core/semantics/strictness.hpp"

#include <QtTest>

#include <map>
#include <random>
#include <set>

using namespace aicf;

namespace {

StructureProfile structure_of(const char* text) {
  auto d = parse_definition(text, "test.op");
  if (!d) throw std::runtime_error(d.diagnostics.empty() ? "?" : format(d.diagnostics.front()));
  return analyze(canonicalize(std::make_shared<const Definition>(std::move(*d))));
}

const char* softmax = R"(op f(x: float[M, N]) -> y: float[M, N]
  m[i] = max[j] x[i, j]
  l[i] = sum[j] exp(x[i, j] - m[i])
  y[i, j] = exp(x[i, j] - m[i]) / l[i]
)";
const char* deviation = R"(op f(x: float[M, N]) -> y: float[M]
  mu[i] = (sum[j] x[i, j]) / N
  y[i] = (sum[j] abs(x[i, j] - mu[i])) / N
)";
const char* row_max = R"(op f(x: float[M, N]) -> y: float[M]
  y[i] = max[j] x[i, j]
)";

std::set<std::string> legal(const StructureProfile& s, Order order, Arithmetic arithmetic, double epsilon = 1) {
  CompilerProfile rules;
  rules.order = order, rules.arithmetic = arithmetic, rules.epsilon = epsilon;
  std::set<std::string> ids;
  for (const LegalityRow& r : judge(s, rules).rows)
    if (r.allowed) ids.insert(r.transformation);
  return ids;
}

} // namespace

class TestLegality : public QObject {
  Q_OBJECT
 private slots:
  /// Each point of strictness contains what the stricter ones allow.
  void strictness_is_monotone() {
    for (const char* text : {softmax, deviation, row_max}) {
      StructureProfile s = structure_of(text);
      for (int order = 0; order < 4; ++order)
        for (int arithmetic = 0; arithmetic < 4; ++arithmetic) {
          auto here = legal(s, static_cast<Order>(order), static_cast<Arithmetic>(arithmetic));
          auto contains = [&](const std::set<std::string>& wide) {
            return std::includes(wide.begin(), wide.end(), here.begin(), here.end());
          };
          if (order > 0)
            QVERIFY(contains(legal(s, static_cast<Order>(order - 1), static_cast<Arithmetic>(arithmetic))));
          if (arithmetic < 3)
            QVERIFY(contains(legal(s, static_cast<Order>(order), static_cast<Arithmetic>(arithmetic + 1))));
        }
    }
  }

  void softmax_at_each_arithmetic() {
    StructureProfile s = structure_of(softmax);
    auto at = [&](Arithmetic a) { return legal(s, Order::any, a); };
    QVERIFY(at(Arithmetic::bitwise).contains("left_fold"));
    QVERIFY(at(Arithmetic::bitwise).contains("resident_row"));
    QVERIFY(!at(Arithmetic::bitwise).contains("tree_reduction"));
    QVERIFY(at(Arithmetic::reassociated).contains("tree_reduction"));
    QVERIFY(!at(Arithmetic::reassociated).contains("online_state"));
    QVERIFY(at(Arithmetic::rescaled).contains("online_state"));
    QVERIFY(at(Arithmetic::rescaled).contains("rescale"));
    QVERIFY(!at(Arithmetic::rescaled).contains("fast_exp"));
    QVERIFY(at(Arithmetic::approximate).contains("fast_exp"));
  }

  /// Where each survives is a claim of its own: a fold as written everywhere, trees wherever brackets may move, parts
  /// that follow the device's size not across batches, the hardware's own functions not across devices. A softmax adds
  /// nothing by atomics: its sum waits for the maximum.
  void softmax_at_each_point() {
    StructureProfile s = structure_of(softmax);
    CompilerProfile rules;
    rules.epsilon = 1;
    const StrictnessMatrix matrix = strictness_matrix(s, rules);
    QCOMPARE(matrix.points.size(), std::size_t{16});
    struct Expected {
      const char* id;
      Arithmetic from;
      Order to;
    };
    const Expected expected[] = {{"left_fold", Arithmetic::bitwise, Order::device_to_device},
                                 {"resident_row", Arithmetic::bitwise, Order::device_to_device},
                                 {"tree_reduction", Arithmetic::reassociated, Order::device_to_device},
                                 {"split_to_fill", Arithmetic::reassociated, Order::run_to_run},
                                 {"online_state", Arithmetic::rescaled, Order::device_to_device},
                                 {"rescale", Arithmetic::rescaled, Order::device_to_device},
                                 {"fast_exp", Arithmetic::approximate, Order::batch_invariant}};
    for (const StrictnessPoint& p : matrix.points) {
      auto survives = [&](const std::string& id) {
        return std::find(p.legal.begin(), p.legal.end(), id) != p.legal.end();
      };
      for (const Expected& e : expected) QVERIFY2(survives(e.id) == (p.arithmetic >= e.from && p.order <= e.to), e.id);
      QVERIFY(!survives("atomic_accumulate"));
    }
    // every difference between neighbours is there, once, with a reason that names its axis
    auto point = [&](int o, int a) { return matrix.points[static_cast<std::size_t>(4 * o + a)].legal; };
    std::size_t differences = 0, told = 0;
    auto lost = [&](const std::vector<std::string>& loose, const std::vector<std::string>& strict) {
      for (const std::string& id : loose) differences += std::count(strict.begin(), strict.end(), id) == 0 ? 1 : 0;
    };
    for (int o = 0; o < 4; ++o)
      for (int a = 0; a < 4; ++a) {
        if (o < 3) lost(point(o, a), point(o + 1, a));
        if (a > 0) lost(point(o, a), point(o, a - 1));
      }
    for (const StrictnessLoss& l : matrix.losses) {
      told += l.elsewhere.size();
      QVERIFY2(l.reason.find(l.axis) != std::string::npos && l.reason.find(l.to) != std::string::npos,
               l.reason.c_str());
    }
    QCOMPARE(told, differences);
    QVERIFY(differences > 20);
  }

  void hardware_approximations_do_not_cross_devices() {
    StructureProfile s = structure_of(softmax);
    QVERIFY(legal(s, Order::batch_invariant, Arithmetic::approximate).contains("fast_exp"));
    QVERIFY(!legal(s, Order::device_to_device, Arithmetic::approximate).contains("fast_exp"));
  }

  /// A maximum rounds nothing: any tree gives the same bits.
  void a_tree_of_maxima_is_bitwise() {
    QVERIFY(legal(structure_of(row_max), Order::device_to_device, Arithmetic::bitwise).contains("tree_reduction"));
  }

  void an_unbounded_reduction_refuses_the_online_form_with_a_witness() {
    Ledger ledger = judge(structure_of(deviation), CompilerProfile{});
    const LegalityRow* row = ledger.find("online_state");
    QVERIFY(row != nullptr);
    QVERIFY(!row->applicable && !row->allowed);
    QCOMPARE(row->value.answer, std::string("refuted"));
    QVERIFY(row->witness.has_value());
    QVERIFY(!row->witness->inputs.empty());
    QVERIFY(ledger.find("multi_sweep")->allowed);
  }

  /// exp(-inf - m) * inf is NaN, which a state that drops elements of weight 0 does not see: the ledger says so.
  void a_weight_without_end_is_told() {
    const Ledger ledger = judge(structure_of(R"(op f(x: float[N], w: float[N]) -> y: float[]
  m = max[j] x[j]
  y = sum[j] exp(x[j] - m) * w[j]
)"),
                                CompilerProfile{});
    const LegalityRow* row = ledger.find("online_state");
    QVERIFY(row != nullptr && row->witness.has_value());
    QCOMPARE(row->special.answer, std::string("differs (weights)"));
    QVERIFY(row->witness->expected.find("nan") != std::string::npos);
    QCOMPARE(judge(structure_of(softmax), CompilerProfile{}).find("online_state")->special.answer, std::string("same"));
    // One factor of all elements: taken out of the sum, it no longer meets the weight 0 of one of them.
    const Ledger factored = judge(structure_of(R"(op f(x: float[N], w: float[]) -> y: float[]
  m = max[j] x[j]
  y = sum[j] exp(x[j] - m) * w
)"),
                                  CompilerProfile{});
    row = factored.find("online_state");
    QVERIFY(row != nullptr && row->witness.has_value());
    QCOMPARE(row->special.answer, std::string("differs (weights)"));
    QCOMPARE(row->witness->inputs.at("w").size(), std::size_t{1});
  }

  /// The ticks lift the refusal, and no proper subset of them does.
  void ticks_are_smallest() {
    std::mt19937 random(3);
    std::vector<StructureProfile> structures;
    for (const char* text : {softmax, deviation, row_max}) structures.push_back(structure_of(text));
    int refused = 0;
    for (int trial = 0; trial < 400; ++trial) {
      CompilerProfile rules;
      rules.order = static_cast<Order>(random() % 4);
      rules.arithmetic = static_cast<Arithmetic>(random() % 4);
      rules.epsilon = random() % 2 == 0 ? 1e-9 : 1;
      rules.allow_approximation = random() % 2 == 0;
      rules.allow_recomputation = random() % 2 == 0;
      for (const Transformation& t : transformations())
        if (random() % 6 == 0) rules.transformations.forbid.push_back(t.id);
      const StructureProfile& s = structures[static_cast<std::size_t>(trial) % structures.size()];
      for (const LegalityRow& row : judge(s, rules).rows) {
        if (row.allowed || !row.applicable) continue;
        ++refused;
        QVERIFY(!row.smallest_ticks.empty() && !row.reason.empty());
        std::size_t all = (std::size_t{1} << row.smallest_ticks.size()) - 1;
        for (std::size_t subset = 0; subset <= all; ++subset) {
          CompilerProfile changed = rules;
          for (std::size_t k = 0; k < row.smallest_ticks.size(); ++k)
            if ((subset >> k & 1U) != 0) {
              auto next = with_tick(changed, row.smallest_ticks[k]);
              QVERIFY2(next, row.smallest_ticks[k].c_str());
              changed = *next;
            }
          QCOMPARE(judge(s, changed).find(row.transformation)->allowed, subset == all);
        }
      }
    }
    QVERIFY(refused > 500);
  }

  /// Every combination of every setting, tried: none that changes fewer settings allows it, and none allows what is
  /// said to have no ticks.
  void no_fewer_changes_allow_it() {
    std::mt19937 random(11);
    const std::vector<double> epsilons{1e-9, 1};
    const std::vector<std::string CompilerProfile::*> policies{&CompilerProfile::nan, &CompilerProfile::infinity,
                                                               &CompilerProfile::empty, &CompilerProfile::fully_masked};
    int refused = 0;
    for (int trial = 0; trial < 4; ++trial) {
      const StructureProfile s = structure_of(trial % 2 == 0 ? softmax : deviation);
      CompilerProfile rules;
      rules.order = static_cast<Order>(1 + random() % 3);
      rules.arithmetic = static_cast<Arithmetic>(random() % 3);
      rules.epsilon = 1e-9;
      rules.allow_approximation = random() % 2 == 0;
      rules.allow_recomputation = random() % 2 == 0;
      for (const Transformation& t : transformations())
        if (random() % 6 == 0) rules.transformations.forbid.push_back(t.id);
      std::map<std::string, int> fewest; // of the settings that differ
      for (int forbidding : {0, 1})      // lists change by an element, which concerns that one alone
        for (int order = 0; order < 4; ++order)
          for (int arithmetic = 0; arithmetic < 4; ++arithmetic)
            for (double epsilon : epsilons)
              for (unsigned flags = 0; flags < 64; ++flags) {
                CompilerProfile other = rules;
                other.order = static_cast<Order>(order), other.arithmetic = static_cast<Arithmetic>(arithmetic);
                other.epsilon = epsilon;
                other.allow_approximation = (flags & 1U) != 0, other.allow_recomputation = (flags & 2U) != 0;
                int changes = (other.order != rules.order ? 1 : 0) + (other.arithmetic != rules.arithmetic ? 1 : 0) +
                              (other.epsilon != rules.epsilon ? 1 : 0) +
                              (other.allow_approximation != rules.allow_approximation ? 1 : 0) +
                              (other.allow_recomputation != rules.allow_recomputation ? 1 : 0);
                for (std::size_t p = 0; p < policies.size(); ++p) {
                  other.*policies[p] = (flags >> (2 + p) & 1U) != 0 ? "any" : "same";
                  changes += other.*policies[p] != rules.*policies[p] ? 1 : 0;
                }
                if (forbidding == 0) other.transformations.forbid.clear();
                for (const LegalityRow& row : judge(s, other).rows) {
                  if (!row.allowed) continue;
                  const auto& list = rules.transformations.forbid;
                  const bool listed = std::find(list.begin(), list.end(), row.transformation) != list.end();
                  const int all = changes + (forbidding == 0 && listed ? 1 : 0);
                  auto [at, fresh] = fewest.try_emplace(row.transformation, all);
                  if (!fresh) at->second = std::min(at->second, all);
                }
              }
      for (const LegalityRow& row : judge(s, rules).rows) {
        if (row.allowed) continue;
        auto at = fewest.find(row.transformation);
        QVERIFY2((at != fewest.end()) == row.applicable, row.transformation.c_str());
        if (at == fewest.end()) continue;
        ++refused;
        QVERIFY2(at->second == static_cast<int>(row.smallest_ticks.size()),
                 (row.transformation + ": " + std::to_string(at->second) + " changes do").c_str());
      }
    }
    QVERIFY(refused > 40);
  }

  void ticks_that_say_nothing_are_errors() {
    for (const char* tick : {"", "=", "arithmetic", "strictness.arithmetic=soft", "nothing=1", "limits.registers-=3"})
      QVERIFY2(!with_tick({}, tick), tick);
  }
};

QTEST_GUILESS_MAIN(TestLegality)
#include "test_legality.moc"
