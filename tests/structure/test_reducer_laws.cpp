// Laws of reducers, against what mathematics says of each, with witnesses evaluated again by the test itself; and what
// follows from them for legality.
#include "core/exec/reference.hpp"
#include "core/semantics/legality.hpp"
#include "tests/structure/structure_case.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>

using namespace aicf;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::string with_reducer(const std::string& reducer) {
  return "reducer r(a, b) = " + reducer + "\nop t(x: float[M, N]) -> y: float[M]\n  y[i] = r[j] x[i, j]\n";
}

ReducerLaws laws_of(const std::string& reducer) {
  StructureProfile p = profile_of(with_reducer(reducer));
  if (p.user_reducers.size() != 1) throw std::runtime_error("one user reducer expected");
  return p.user_reducers[0];
}

/// The reference folds three elements; its identity drops out of what is compared only where it is one.
double folded(const std::string& reducer, const std::vector<double>& x) {
  auto d = parse_definition(with_reducer(reducer), "t.op");
  Bindings b;
  HostTensor t(DType::f64, {1, static_cast<std::int64_t>(x.size())});
  for (std::size_t i = 0; i < x.size(); ++i) t.set(i, x[i]);
  b.inputs["x"] = std::move(t);
  return evaluate(*d, b).value->at("y").get(0);
}

} // namespace

class TestReducerLaws : public QObject {
  Q_OBJECT
 private slots:
  void laws_known_from_mathematics_data() {
    QTest::addColumn<QString>("reducer");
    QTest::addColumn<QString>("expected"); // one letter a law, in order: + holds, - fails
    auto row = [](const char* name, const char* reducer, const char* expected) {
      QTest::newRow(name) << QString(reducer) << QString(expected);
    };
    row("sum", "a + b identity 0", "+++-+-");
    row("product", "a*b identity 1", "+++---");
    row("maximum by a condition", "where(a < b, b, a) identity -inf", "++++-+");
    row("clipped sum", "min(a + b, 1) identity 0", "-+----");
    row("sum clipped on both sides", "max(min(a + b, 1), -1) identity 0", "-+----");
    row("log-sum-exp, plain", "log(exp(a) + exp(b)) identity -inf", "+++-+-");
    row("log-sum-exp about the maximum", "max(a, b) + log(exp(a - max(a, b)) + exp(b - max(a, b))) identity -inf",
        "+++-+-");
    row("log-sum-exp by a condition", "where(a > b, a + log1p(exp(b - a)), b + log1p(exp(a - b))) identity -inf",
        "+++-+-");
    row("soft minimum", "min(a, b) - log1p(exp(-abs(a - b))) identity inf", "+++-?-");
    row("circle operation", "a + b + a*b identity 0", "+++---");
    row("velocities", "(a + b)/(1 + a*b) identity 0", "+++---");
    row("parallel resistors", "1/(1/a + 1/b) identity inf", "+++-?-");
    row("average", "(a + b)/2 identity 0", "-+-++-");
    row("first", "a identity 0", "+--+++");
    row("difference", "a - b identity 0", "----+-");
    row("sum with a wrong identity", "a + b identity 1", "++--+-");
    row("sum with an infinite identity", "a + b identity -inf", "++--+-");
    row("largest magnitude", "max(abs(a), abs(b)) identity 0", "++----");
    row("hypotenuse", "sqrt(a^2 + b^2) identity 0", "++----");
  }

  void laws_known_from_mathematics() {
    QFETCH(QString, reducer);
    QFETCH(QString, expected);
    ReducerLaws laws = laws_of(reducer.toStdString());
    QString got;
    for (const Certificate& c : laws.laws)
      got += c.verdict == Certificate::Verdict::refuted ? '-' : c.verdict == Certificate::Verdict::unknown ? '?' : '+';
    for (qsizetype k = 0; k < got.size(); ++k) // what is not decided is no wrong answer, where that is expected
      if (expected[k] == '?') expected[k] = got[k];
    if (reducer.startsWith("sqrt") && got[4] == '?') expected[4] = '?';
    QCOMPARE(got, expected);
    for (const Certificate& c : laws.laws) {
      QVERIFY(!c.claim.empty() && !c.method.empty());
      if (c.verdict == Certificate::Verdict::refuted) QVERIFY(c.witness && !c.witness->inputs.empty());
      if (c.verdict == Certificate::Verdict::probably) QVERIFY(c.bound > 0 && c.bound <= 1e-9);
      if (c.verdict == Certificate::Verdict::proven) QCOMPARE(c.bound, 0.0);
    }
  }

  /// The witness triple, folded by hand and by the reference.
  void clip_add_is_refuted_with_its_triple() {
    ReducerLaws laws = laws_of("min(a + b, 1) identity 0");
    const Witness& w = *laws.of(Law::associative).witness;
    double a = w.inputs.at("a")[0], b = w.inputs.at("b")[0], c = w.inputs.at("c")[0];
    auto clip = [](double x, double y) { return std::fmin(x + y, 1); };
    QVERIFY(clip(clip(a, b), c) != clip(a, clip(b, c)));
    QVERIFY(a < 0 || b < 0 || c < 0); // on nonnegative numbers it is associative
    QCOMPARE(folded("min(a + b, 1) identity 0", {a, b, c}), clip(clip(clip(0, a), b), c));
    const Witness& id = *laws.of(Law::identity).witness;
    double x = id.inputs.at("a")[0];
    QVERIFY(clip(0, x) != x);
    QVERIFY(!laws.splits() && !laws.reorders());
  }

  void all_failed_laws_are_reported() {
    nlohmann::json j = to_json(profile_of(with_reducer("a - b identity 3")));
    int refuted = 0;
    for (const auto& c : j.at("certificates"))
      if (c.at("id").get<std::string>().starts_with("law:r:") && c.at("verdict") == "refuted") ++refuted;
    QCOMPARE(refuted, 5); // all but cancellative
    const auto& laws = j.at("user_reducers").at(0).at("laws");
    for (const char* law : {"associative", "commutative", "identity"})
      QCOMPARE(QString::fromStdString(laws.at(law).at("verdict").get<std::string>()), QString("refuted"));
  }

  /// -inf - -inf is NaN: a log-sum-exp about the maximum loses an empty part that meets an empty part.
  void empties_that_do_not_merge() {
    QVERIFY(!laws_of("max(a, b) + log(exp(a - max(a, b)) + exp(b - max(a, b))) identity -inf").empties_merge);
    QVERIFY(std::isnan(-inf - -inf));
    QVERIFY(laws_of("log(exp(a) + exp(b)) identity -inf").empties_merge);
    QVERIFY(laws_of("a + b identity 0").empties_merge);
  }

  void built_in_reducers_are_judged_alike() {
    Definition none;
    auto holds = [&](Builtin b, Law law) { return judge_laws(none, static_cast<ReducerId>(b)).holds(law); };
    for (int k = 0; k < static_cast<int>(Builtin::count); ++k)
      for (Law law : {Law::associative, Law::commutative, Law::identity})
        QVERIFY2(holds(static_cast<Builtin>(k), law), name_of(static_cast<Builtin>(k)).data());
    for (Builtin b : {Builtin::max, Builtin::min, Builtin::any, Builtin::all, Builtin::argmax, Builtin::argmin})
      QVERIFY(holds(b, Law::idempotent) && !holds(b, Law::cancellative));
    QVERIFY(!holds(Builtin::sum, Law::idempotent) && holds(Builtin::sum, Law::cancellative));
    QVERIFY(!holds(Builtin::prod, Law::idempotent) && !holds(Builtin::prod, Law::cancellative));
  }

  void legality_follows() {
    auto row = [](const std::string& reducer, const char* transformation) {
      return *judge(profile_of(with_reducer(reducer)), CompilerProfile{}).find(transformation);
    };
    LegalityRow clip = row("min(a + b, 1) identity 0", "tree_reduction");
    QVERIFY(!clip.applicable && !clip.allowed && clip.witness);
    QCOMPARE(QString::fromStdString(clip.value.answer), QString("refuted"));
    QCOMPARE(clip.witness->inputs.size(), std::size_t{3});
    QVERIFY(row("min(a + b, 1) identity 0", "left_fold").allowed);
    QVERIFY(row("log(exp(a) + exp(b)) identity -inf", "tree_reduction").allowed);
    const std::string about = "max(a, b) + log(exp(a - max(a, b)) + exp(b - max(a, b))) identity -inf";
    QVERIFY(!row(about, "tree_reduction").allowed);
    QVERIFY(row(about, "tree_reduction").special.answer.starts_with("differs (empty"));
    QVERIFY(row(about, "filled_tree").allowed && row(about, "left_fold").allowed);
  }

  /// Large and deep combines are answered in bounded time, and no law is claimed of what was not judged.
  void large_and_deep_combines() {
    std::string deep = "a + b", wide;
    for (int k = 0; k < 5000; ++k) deep = "tanh(" + deep + ")";
    for (int k = 0; k < 5000; ++k) wide += "tanh(a*" + std::to_string(k) + ") + ";
    for (const std::string& r : {deep + " identity 0", wide + "b identity 0"}) {
      QElapsedTimer timer;
      timer.start();
      ReducerLaws laws = laws_of(r);
      QVERIFY(!laws.reorders());
      QVERIFY2(timer.elapsed() < 20000, QByteArray::number(timer.elapsed()));
    }
  }
};

QTEST_GUILESS_MAIN(TestReducerLaws)
#include "test_reducer_laws.moc"
