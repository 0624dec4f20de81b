// The profile as a document: sweeps, structures, spelling, names, and expressions of hostile size.
#define QT_NO_KEYWORDS // a summary has slots
#include "core/structure/shape.hpp"
#include "tests/structure/structure_case.hpp"
#include "tests/support/paths.hpp"

#include <nlohmann/json.hpp>

#include <QTest>

#include <fstream>
#include <set>

using namespace aicf;
using aicf::test::source_path;
using aicf::test::sourceFile;

class TestStructureProfile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void passes_data();
  void passes();
  void structures_of_known_operators();
  void structures_file_names_every_predicate();
  void document();
  void spelling_decides_nothing();
  void several_axis_variables();
  void stopped_analysis_says_so();
  void large_and_deep_expressions();
  void certificates_can_be_stepped_through();
};

namespace {

std::string softmax(const std::string& x = "x") {
  return "op t(" + x + ": float[M, N]) -> y: float[M, N]\n  m[i] = max[j] " + x + "[i,j]\n  l[i] = sum[j] exp(" + x +
         "[i,j] - m[i])\n  y[i,j] = exp(" + x + "[i,j] - m[i])/l[i]\n";
}

const char* const attention = "op t(q: float[M, D], k: float[N, D], v: float[N, E]) -> o: float[M, E]\n"
                              "  s[i,j] = sum[d] q[i,d]*k[j,d]\n  m[i] = max[j] s[i,j]\n"
                              "  l[i] = sum[j] exp(s[i,j] - m[i])\n"
                              "  o[i,e] = (sum[j] exp(s[i,j] - m[i])*v[j,e])/l[i]\n";

bool has(const StructureProfile& p, const char* structure) {
  return std::find(p.structures.begin(), p.structures.end(), structure) != p.structures.end();
}

} // namespace

void TestStructureProfile::passes_data() {
  QTest::addColumn<QString>("op");
  QTest::addColumn<int>("definition");
  QTest::addColumn<int>("best");
  auto row = [](const char* name, const std::string& op, int definition, int best) {
    QTest::newRow(name) << QString::fromStdString(op) << definition << best;
  };
  row("softmax", softmax(), 3, 2);
  row("logsumexp", row_op("m[i] = max[j] x[i,j];y[i] = m[i] + log(sum[j] exp(x[i,j] - m[i]))"), 2, 1);
  row("variance", row_op("s[i] = sum[j] x[i,j];y[i] = (sum[j] (x[i,j] - s[i]/N)^2)/N"), 2, 1);
  row("mean absolute deviation", row_op("s[i] = sum[j] x[i,j];y[i] = (sum[j] abs(x[i,j] - s[i]/N))/N"), 2, 2);
  row("attention", attention, 2, 1);
  row("map", "op t(x: float[M, N]) -> y: float[M, N]\n  y[i,j] = x[i,j]*sigmoid(x[i,j])\n", 1, 1);
  row("rmsnorm", "op t(x: float[M, N]) -> y: float[M, N]\n  s[i] = sum[j] x[i,j]^2\n  y[i,j] = x[i,j]*rsqrt(s[i]/N)\n",
      2, 2);
}

void TestStructureProfile::passes() {
  QFETCH(QString, op);
  QFETCH(int, definition);
  QFETCH(int, best);
  StructureProfile p = profile_of(op.toStdString());
  QCOMPARE(p.passes_definition, definition);
  QCOMPARE(p.passes_best, best);
}

void TestStructureProfile::structures_of_known_operators() {
  qputenv("AICF_ATLAS", sourceFile("atlas").toUtf8());
  StructureProfile s = profile_of(softmax());
  QVERIFY(has(s, "rescaled_accumulation") && has(s, "streaming_normalization") && has(s, "bounded_summary_state"));
  QVERIFY(!has(s, "mergeable_statistics") && !has(s, "order_statistic") && !has(s, "elementwise_map"));
  StructureProfile a = profile_of(attention);
  QVERIFY(has(a, "weighted_reduction") && has(a, "coupled_numerator_denominator") && has(a, "contraction"));
  QVERIFY(!has(a, "streaming_normalization"));
  StructureProfile v = profile_of(row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] (x[i,j] - s[i]/N)^2"));
  QVERIFY(has(v, "mergeable_statistics") && !has(v, "rescaled_accumulation"));
  StructureProfile d = profile_of(row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] abs(x[i,j] - s[i]/N)"));
  QVERIFY(!has(d, "bounded_summary_state"));
}

void TestStructureProfile::structures_file_names_every_predicate() {
  std::ifstream in(source_path("atlas/structures.json"));
  nlohmann::json document = nlohmann::json::parse(in);
  QCOMPARE(QString::fromStdString(document.at("schema").get<std::string>()), QString("aicf.structures/1"));
  std::set<std::string> ids, used, known;
  for (const ShapePredicate& s : shape_predicates()) known.insert(s.id);
  for (const auto& entry : document.at("structures")) {
    for (const char* key : {"id", "title", "statement", "predicate", "example", "source"})
      QVERIFY2(!entry.at(key).get<std::string>().empty(), key);
    QVERIFY(ids.insert(entry.at("id").get<std::string>()).second);
    QVERIFY(used.insert(entry.at("predicate").get<std::string>()).second);
  }
  QVERIFY(used == known);
}

void TestStructureProfile::document() {
  nlohmann::json j = to_json(profile_of(softmax()));
  QCOMPARE(QString::fromStdString(j.at("schema").get<std::string>()), QString("aicf.analysis/1"));
  for (const char* key :
       {"op", "structure_hash", "structures", "reductions", "passes", "certificates", "stages", "cascades"})
    QVERIFY2(j.contains(key), key);
  QCOMPARE(j.at("passes").at("definition").get<int>(), 3);
  std::set<std::string> certificates;
  for (const auto& c : j.at("certificates")) certificates.insert(c.at("id").get<std::string>());
  for (const auto& r : j.at("reductions")) {
    for (const char* key : {"name", "reducer", "axes", "depends_on", "rank", "bounded", "stable", "state", "merge"})
      QVERIFY2(r.contains(key), key);
    QVERIFY(certificates.contains(r.at("certificate").get<std::string>()));
  }
  QVERIFY(to_json(profile_of("op t(x: float[M, N]) -> y: i64[M]\n  y[i] = argmax[j] x[i,j]\n"))
              .at("reductions")
              .at(0)
              .at("rank")
              .is_null());
  nlohmann::json mad = to_json(profile_of(row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] abs(x[i,j] - s[i]/N)")));
  QCOMPARE(QString::fromStdString(mad.at("reductions").at(1).at("rank").get<std::string>()), QString("unbounded"));
}

void TestStructureProfile::spelling_decides_nothing() {
  StructureProfile a = profile_of(softmax()), b = profile_of(softmax("logits"));
  StructureProfile c = profile_of("op five(x: float[R, C]) -> out: float[R, C]\n  top[r] = max[c] x[r,c]\n"
                                  "  z[r,c] = x[r,c] - top[r]\n  e[r,c] = exp(z[r,c])\n  total[r] = sum[c] e[r,c]\n"
                                  "  out[r,c] = e[r,c]/total[r]\n");
  for (const StructureProfile* p : {&b, &c}) {
    QVERIFY(p->canonical->structure_hash == a.canonical->structure_hash);
    QVERIFY(p->structures == a.structures && p->stages == a.stages);
    QCOMPARE(p->reductions.size(), a.reductions.size());
    for (std::size_t i = 0; i < a.reductions.size(); ++i)
      QVERIFY(p->reductions[i].rank.kind == a.reductions[i].rank.kind &&
              p->reductions[i].rank.value == a.reductions[i].rank.value);
  }
}

void TestStructureProfile::several_axis_variables() { // statistics over two variables together
  StructureProfile p = profile_of("op t(x: float[C, H, W]) -> y: float[C]\n  s[c] = sum[h, w] x[c,h,w]\n"
                                  "  y[c] = sum[h, w] (x[c,h,w] - s[c]/(H*W))^2\n");
  QCOMPARE(reduction(p, "y").rank.value, 3);
  const Cascade& c = cascade_with(p, "y");
  QVERIFY(c.summary.has_value());
  QCOMPARE(c.more_lo.size(), std::size_t{1});
  QCOMPARE(c.summary->slots.size(), std::size_t{3});
}

void TestStructureProfile::stopped_analysis_says_so() {
  std::stop_source source;
  source.request_stop();
  StructureProfile p = analyze(canonical_of(softmax()), 1, source.get_token());
  for (const Reduction& r : p.reductions) {
    QVERIFY(r.rank.kind == Rank::Kind::unknown && !r.bounded);
    QVERIFY(!r.certificate.empty());
  }
}

void TestStructureProfile::large_and_deep_expressions() {
  std::string deep, wide;
  for (int k = 0; k < 20000; ++k) deep += "tanh(";
  deep += "x[i,j] - s[i]" + std::string(20000, ')');
  for (int k = 0; k < 20000; ++k)
    wide += (k == 0 ? "" : " + ") + std::string("floor(x[i,j] + ") + std::to_string(k) + ")";
  StructureProfile d = profile_of(row_op("s[i] = sum[j] x[i,j];y[i] = sum[j] (" + deep + ")"));
  QVERIFY(reduction(d, "y").rank.kind != Rank::Kind::finite);
  StructureProfile w = profile_of(row_op("y[i] = sum[j] (" + wide + ")"));
  QCOMPARE(reduction(w, "y").rank.value, 1);
}

void TestStructureProfile::certificates_can_be_stepped_through() {
  StructureProfile p = profile_of(softmax());
  std::set<std::string> rules;
  for (const Certificate& c : p.certificates)
    for (const Step& s : c.steps) {
      QVERIFY(!s.rule.empty() && !s.before.empty() && !s.after.empty());
      rules.insert(s.rule);
    }
  for (const char* rule :
       {"reads", "normal-form", "field-matrix", "separate", "exponent-bound", "slot", "guard-identity"})
    QVERIFY2(rules.contains(rule), rule);
}

QTEST_GUILESS_MAIN(TestStructureProfile)
#include "test_structure_profile.moc"
