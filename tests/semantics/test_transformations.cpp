// Transformations as data: each has its texts and a worked example, of which both sides are evaluated here; and what
// judges say of operators whose answer is known.
#include "core/exec/reference.hpp"
#include "core/expr/check.hpp"
#include "core/semantics/legality.hpp"
#include "tests/structure/structure_case.hpp"
#include "tests/support/paths.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <ctime>
#include <fstream>
#include <set>

using namespace aicf;
using aicf::test::source_path;

namespace {

nlohmann::json entries() {
  std::ifstream in(source_path("atlas/transformations.json"));
  return nlohmann::json::parse(in).at("transformations");
}

std::vector<double> run(const nlohmann::json& example, const char* side) {
  auto d = parse_definition(example.at(side).get<std::string>(), side);
  if (!d)
    throw std::runtime_error(
        d.diagnostics.empty() ? "?" : format(d.diagnostics.front(), example.at(side).get<std::string>()));
  Bindings b;
  for (const auto& [name, t] : example.at("inputs").items()) {
    HostTensor tensor(DType::f64, t.at("shape").get<std::vector<std::int64_t>>());
    const auto values = t.at("values").get<std::vector<double>>();
    for (std::size_t i = 0; i < values.size(); ++i) tensor.set(i, values[i]);
    b.inputs[name] = std::move(tensor);
  }
  auto r = evaluate(*d, b);
  if (!r) throw std::runtime_error(r.diagnostics.empty() ? "?" : r.diagnostics.front().message);
  std::vector<double> out;
  const HostTensor& y = r->at("y");
  for (std::size_t i = 0; i < y.element_count(); ++i) out.push_back(y.get(i));
  return out;
}

const std::string softmax = "op t(x: float[M, N]) -> y: float[M, N]\n  m[i] = max[j] x[i,j]\n"
                            "  l[i] = sum[j] exp(x[i,j] - m[i])\n  y[i,j] = exp(x[i,j] - m[i])/l[i]\n";
const std::string attention = "op t(q: float[M, D], k: float[N, D], v: float[N, E]) -> o: float[M, E]\n"
                              "  s[i,j] = sum[d] q[i,d]*k[j,d]\n  m[i] = max[j] s[i,j]\n"
                              "  l[i] = sum[j] exp(s[i,j] - m[i])\n  o[i,e] = sum[j] exp(s[i,j] - m[i])/l[i]*v[j,e]\n";
const std::string row_max = row_op("y[i] = max[j] x[i,j]"), row_sum = row_op("y[i] = sum[j] x[i,j]");
const std::string matmul = "op t(a: float[M, K], b: float[K, N]) -> y: float[M, N]\n  y[i,j] = sum[k] a[i,k]*b[k,j]\n";
const std::string map = "op t(x: float[M, N]) -> y: float[M, N]\n  y[i,j] = x[i,j] + 1\n";
const std::string pool = "op t(x: float[M, N]) -> y: float[M, N - 2]\n  y[i,j] = sum[r in 3] x[i,j + r]\n";
const std::string max_pool = "op t(x: float[M, N]) -> y: float[M, N - 2]\n  y[i,j] = max[r in 3] x[i,j + r]\n";
const std::string average =
    "op t(x: float[T, D]) -> h: float[T, D]\n  h[t,d] = 0.5*h[t - 1,d] + 0.5*x[t,d] from h[-1,d] = 0\n";
const std::string log_softmax = "op t(x: float[M, N]) -> y: float[M, N]\n  m[i] = max[j] x[i,j]\n"
                                "  l[i] = sum[j] exp(x[i,j] - m[i])\n  y[i,j] = log(exp(x[i,j] - m[i])/l[i])\n";
const std::string image = "op t(x: float[C, H, W]) -> y: float[C]\n  y[c] = sum[h, w] x[c,h,w]\n";

LegalityRow row(const std::string& op, const char* id, const CompilerProfile& rules = {}) {
  return *judge(profile_of(op), rules).find(id);
}

} // namespace

class TestTransformations : public QObject {
  Q_OBJECT
 private slots:
  void data_is_whole() {
    const std::set<std::string> classes{"reorder",       "representation", "summary_state",        "rescaling",
                                        "recomputation", "decomposition",  "bounded_approximation"};
    std::set<std::string> written, registered, used;
    std::map<std::string, std::string> class_of;
    for (const Transformation& t : transformations()) registered.insert(t.id), class_of[t.id] = t.preservation_class;
    for (const auto& e : entries()) {
      for (const char* key : {"id", "title", "class", "before", "after", "law", "premises", "why"})
        QVERIFY2(!e.at(key).get<std::string>().empty(), (e.at("id").get<std::string>() + " " + key).c_str());
      const auto id = e.at("id").get<std::string>();
      QVERIFY2(!e.at("references").empty(), id.c_str());
      QVERIFY(written.insert(id).second);
      QCOMPARE(QString::fromStdString(e.at("class").get<std::string>()), QString::fromStdString(class_of[id]));
      used.insert(class_of[id]);
    }
    QVERIFY(written == registered);
    QVERIFY(used == classes);
    QVERIFY(registered.size() >= 30);
  }

  void worked_examples_data() {
    QTest::addColumn<QString>("id");
    for (const auto& e : entries()) {
      QString id = QString::fromStdString(e.at("id").get<std::string>());
      QTest::newRow(qPrintable(id)) << id;
    }
  }
  void worked_examples() {
    QFETCH(QString, id);
    for (const auto& e : entries()) {
      if (e.at("id").get<std::string>() != id.toStdString()) continue;
      const auto& example = e.at("example");
      std::vector<double> before = run(example, "before"), after = run(example, "after");
      QCOMPARE(before.size(), after.size());
      double scale = 0;
      for (double v : before) scale = std::max(scale, std::fabs(v));
      const auto tolerance = example.at("tolerance").get<double>();
      for (std::size_t i = 0; i < before.size(); ++i)
        QVERIFY2(std::fabs(before[i] - after[i]) <= tolerance * scale,
                 (std::to_string(before[i]) + " " + std::to_string(after[i])).c_str());
    }
  }

  /// Where each applies, from the structure alone.
  void applicability_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("op");
    QTest::addColumn<bool>("applies");
    auto rows = [](const char* id, const std::vector<std::string>& yes, const std::vector<std::string>& no) {
      int n = 0;
      for (const std::string& op : yes)
        QTest::addRow("%s yes %d", id, n++) << QString(id) << QString::fromStdString(op) << true;
      for (const std::string& op : no)
        QTest::addRow("%s no %d", id, n++) << QString(id) << QString::fromStdString(op) << false;
    };
    rows("pairwise_sum", {row_sum, softmax}, {row_max, map});
    rows("split_reduction", {row_sum, row_max}, {map});
    rows("split_state", {softmax}, {row_sum, map});
    rows("atomic_accumulate", {row_sum, row_max, matmul}, {softmax, map});
    rows("loop_interchange", {image}, {row_sum, softmax, map});
    rows("scan_tree", {average, "op t(x: float[M, N]) -> y: float[M, N]\n  y[i,j] = sum[k <= j] x[i,k]\n"},
         {row_sum, map, softmax});
    rows("factor_out", {row_op("m[i] = max[j] x[i,j];y[i] = sum[j] m[i]*x[i,j]"), attention}, {row_sum, matmul, map});
    rows("delay_division", {attention}, {row_sum, softmax, matmul});
    rows("cancel_log_exp", {log_softmax}, {softmax, row_sum});
    rows("power_by_products", {row_op("y[i] = sum[j] x[i,j]^3")}, {row_sum, softmax});
    rows("share_subexpressions", {attention}, {row_sum, softmax});
    rows("sliding_window", {pool}, {max_pool, row_sum, map});
    rows("skip_masked_tiles", {"op t(x: float[N, N]) -> y: float[N]\n  y[i] = sum[j <= i] x[i,j]\n"},
         {row_sum, softmax, map});
    rows("fuse_producer", {softmax, row_op("y[i] = sum[j] exp(x[i,j])")}, {row_sum, map});
    rows("fuse_epilogue", {softmax, row_op("y[i] = exp(sum[j] x[i,j])")}, {row_sum, map});
    rows("store_statistics", {softmax}, {row_sum, map});
    rows("tf32_products", {matmul, attention}, {row_sum, softmax});
    rows("matrix_instruction", {matmul, attention}, {row_sum, softmax});
    rows("fast_tanh", {"op t(x: float[N]) -> y: float[N]\n  y[i] = tanh(x[i])\n"}, {softmax, map});
    rows("fast_root", {row_op("y[i] = sqrt(sum[j] x[i,j])")}, {softmax, map});
    rows("transpose_layout", {softmax, matmul}, {"op t(x: float[N]) -> y: float[N]\n  y[i] = x[i]\n"});
  }
  void applicability() {
    QFETCH(QString, id);
    QFETCH(QString, op);
    QFETCH(bool, applies);
    LegalityRow r = row(op.toStdString(), id.toUtf8().constData());
    QVERIFY2(r.applicable == applies, r.reason.c_str());
    QVERIFY(!r.reason.empty());
  }

  /// The order that each topology keeps, of a sum and of a maximum.
  void orders_follow_from_topology() {
    struct Expected {
      const char* id;
      Order keeps;
    };
    auto kept = [](const LegalityRow& r) {
      return r.cross_device.answer == "kept"      ? Order::device_to_device
             : r.batch_invariant.answer == "kept" ? Order::batch_invariant
             : r.run_to_run.answer == "kept"      ? Order::run_to_run
                                                  : Order::any;
    };
    for (const Expected& e : {Expected{"tree_reduction", Order::device_to_device},
                              {"split_reduction", Order::device_to_device},
                              {"split_to_fill", Order::run_to_run},
                              {"atomic_accumulate", Order::any},
                              {"cluster_merge", Order::device_to_device}}) {
      QVERIFY2(kept(row(row_sum, e.id)) == e.keeps, e.id);
      QVERIFY2(kept(row(row_max, e.id)) == Order::device_to_device, e.id); // a maximum has the same bits in any order
      QVERIFY2(!row(row_sum, e.id).assumptions.empty(), e.id);
    }
    QVERIFY(kept(row(softmax, "fast_exp")) == Order::batch_invariant);
    CompilerProfile rules;
    rules.order = Order::run_to_run;
    LegalityRow atomic = row(row_sum, "atomic_accumulate", rules);
    QVERIFY(!atomic.allowed);
    QVERIFY(atomic.smallest_ticks == std::vector<std::string>{"strictness.order=any"});
    rules.order = Order::any;
    QVERIFY(row(row_sum, "atomic_accumulate", rules).allowed);
  }

  /// The sum of |x - max| after a leading -inf: inf by definition, NaN from a state that met -inf first.
  void ledger_foresees_special_values() {
    const std::string gap = row_op("m[i] = max[j] x[i,j];y[i] = sum[j] abs(x[i,j] - m[i])");
    LegalityRow r = row(gap, "online_state");
    QVERIFY(r.applicable && !r.allowed);
    QVERIFY(r.special.answer.starts_with("differs (infinity"));
    QVERIFY(r.witness && !r.witness->inputs.empty());
    // by the reference: inf
    auto d = parse_definition(gap, "t.op");
    Bindings b;
    HostTensor x(DType::f64, {1, 4});
    const std::vector<double>& values = r.witness->inputs.begin()->second;
    QCOMPARE(values.size(), std::size_t{4});
    for (std::size_t i = 0; i < 4; ++i) x.set(i, values[i]);
    b.inputs["x"] = x;
    QVERIFY(std::isinf(evaluate(*d, b)->at("y").get(0)));
    // and by hand, online: |−inf − m| after m has moved
    CompilerProfile any;
    any.infinity = "any";
    QVERIFY(row(gap, "online_state", any).allowed);
    QVERIFY(r.smallest_ticks == std::vector<std::string>{"special.infinity=any"});
    QVERIFY(row(softmax, "online_state").allowed);
    QCOMPARE(QString::fromStdString(row(softmax, "online_state").special.answer), QString("same"));
    QVERIFY(row(row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] (x[i,j] - s[i]/N)^2"), "online_state").special.answer ==
            "same");
  }

  /// log(x/s) has no value where x and s differ in sign; log |x| - log |s| has one.
  void a_lost_nan_is_told() {
    LegalityRow r = row(row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] log(x[i,j]/s[i])"), "online_state");
    QVERIFY2(r.special.answer.starts_with("differs (nan"), r.special.answer.c_str());
    QVERIFY(r.witness && r.applicable && !r.allowed);
    const std::vector<double>& x = r.witness->inputs.begin()->second;
    double s = 0, y = 0;
    for (double v : x) s += v;
    for (double v : x) y += std::log(v / s);
    QVERIFY(std::isnan(y));
    QCOMPARE(QString::fromStdString(
                 row(row_op("s[i] = sum[j] abs(x[i,j]);y[i] = sum[j] log(abs(x[i,j])/s[i])"), "online_state")
                     .special.answer),
             QString("same"));
  }

  void special_verdicts_of_laws() {
    auto special = [](const std::string& op, const char* id) {
      return QString::fromStdString(row(op, id).special.answer);
    };
    QVERIFY(special(pool, "sliding_window").contains("nan") && special(pool, "sliding_window").contains("infinity"));
    QCOMPARE(special(row_sum, "compensated_sum"), QString("same"));  // what an infinite sum lost is left out
    QVERIFY(special(attention, "delay_division").contains("empty")); // 0 elements over l = 0
    QVERIFY(special(log_softmax, "cancel_log_exp").startsWith("differs"));
    QCOMPARE(special(row_op("y[i] = sum[j] x[i,j]^3"), "power_by_products"), QString("same"));
    QVERIFY(special(row_sum, "narrow_accumulator").contains("infinity"));
  }

  void a_query_is_fast() {
    for (const std::string& op : {softmax, attention, matmul}) {
      StructureProfile p = profile_of(op);
      CompilerProfile rules;
      (void)judge(p, rules);
      const std::clock_t start = std::clock(); // time on a core: what else the machine does is not counted
      constexpr int times = 50;
      for (int k = 0; k < times; ++k) (void)judge(p, rules);
      const double ms = static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC / times;
      qInfo("%.3f ms", ms);
#ifdef NDEBUG
      QVERIFY2(ms < 1, std::to_string(ms).c_str());
#endif
    }
  }
};

QTEST_GUILESS_MAIN(TestTransformations)
#include "test_transformations.moc"
