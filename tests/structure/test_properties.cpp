// Properties decided by procedure, against what mathematics says, with every counterexample evaluated again by the
// reference; the data of the atlas against what is registered.
#include "core/exec/reference.hpp"
#include "core/structure/properties/cache.hpp"
#include "tests/structure/structure_case.hpp"
#include "tests/support/paths.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>

using namespace aicf;
using aicf::test::source_path;
using aicf::test::sourceFile;

namespace {

std::string map_op(const std::string& e) { return "op t(x: float[M, N]) -> y: float[M, N]\n  y[i,j] = " + e + "\n"; }
std::string op(const std::string& signature, const std::string& body) { return "op t" + signature + "\n" + body; }

const std::string softmax = "op t(x: float[M, N]) -> y: float[M, N]\n  m[i] = max[j] x[i,j]\n"
                            "  l[i] = sum[j] exp(x[i,j] - m[i])\n  y[i,j] = exp(x[i,j] - m[i])/l[i]\n";
const std::string causal_softmax =
    "op t(x: float[N, N]) -> y: float[N, N]\n  m[i] = max[j <= i] x[i,j]\n"
    "  l[i] = sum[j <= i] exp(x[i,j] - m[i])\n  y[i,j] = where(j <= i, exp(x[i,j] - m[i])/l[i], 0)\n";
const std::string cumsum = "op t(x: float[M, N]) -> y: float[M, N]\n  y[i,j] = sum[k <= j] x[i,k]\n";
const std::string matmul = "op t(a: float[M, K], b: float[K, N]) -> y: float[M, N]\n  y[i,j] = sum[k] a[i,k]*b[k,j]\n";
const std::string embedding = "op t(table: float[V, D], ids: i64[T]) -> y: float[T, D]\n  y[t,d] = table[ids[t],d]\n";
const std::string argmax = "op t(x: float[M, N]) -> y: i64[M]\n  y[i] = argmax[j] x[i,j]\n";
const std::string average = "op t(x: float[T, D]) -> h: float[T, D]\n"
                            "  h[t,d] = 0.5*h[t - 1,d] + 0.5*x[t,d] from h[-1,d] = 0\n";
const std::string row_max = row_op("y[i] = max[j] x[i,j]"), row_sum = row_op("y[i] = sum[j] x[i,j]"),
                  row_mean = row_op("y[i] = (sum[j] x[i,j])/N"), row_prod = row_op("y[i] = prod[j] x[i,j]"),
                  variance = row_op("s[i] = sum[j] x[i,j];y[i] = (sum[j] (x[i,j] - s[i]/N)^2)/N"),
                  deviation = row_op("s[i] = sum[j] x[i,j];y[i] = (sum[j] abs(x[i,j] - s[i]/N))/N"),
                  logsumexp = row_op("m[i] = max[j] x[i,j];y[i] = m[i] + log(sum[j] exp(x[i,j] - m[i]))"),
                  sum_of_squares = row_op("y[i] = sum[j] x[i,j]^2"),
                  maximal_distance = row_op("m[i] = max[j] x[i,j];y[i] = sum[j] 1/(1 + exp(x[i,j] - m[i]))");
std::string reducing(const std::string& reducer) {
  return "reducer r(a, b) = " + reducer + "\n" + row_op("y[i] = r[j] x[i,j]");
}

PropertyVerdict verdict(const StructureProfile& p, const std::string& property) {
  for (PropertyVerdict& v : properties_of(p))
    if (v.property == property) return v;
  throw std::runtime_error("no property " + property);
}

/// The result that a counterexample speaks of, from the reference.
double evaluated(const Definition& d, const Counterexample& c, bool changed) {
  Bindings b;
  auto shapes = shapes_for(d, c.dims);
  for (std::size_t t = 0; t < d.inputs; ++t) {
    const std::string& name = d.tensors[t].name;
    HostTensor tensor(d.tensors[t].type.bind(DType::f64), shapes.value->at(name));
    const auto& values = changed && c.changed.contains(name) ? c.changed.at(name) : c.inputs.at(name);
    for (std::size_t i = 0; i < values.size(); ++i) tensor.set(i, values[i]);
    b.inputs[name] = std::move(tensor);
  }
  auto r = evaluate(d, b);
  if (!r) throw std::runtime_error(r.diagnostics.empty() ? "?" : r.diagnostics[0].message);
  return r->at(c.result).get(c.element);
}

bool near(double a, double b) { return std::fabs(a - b) <= 1e-6 * (1 + std::fabs(a) + std::fabs(b)); }

} // namespace

class TestProperties : public QObject {
  Q_OBJECT
 private slots:
  void known_from_mathematics_data() {
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("expected");
    auto rows = [](const char* property, const std::vector<std::string>& hold, const std::vector<std::string>& fail,
                   const std::vector<std::string>& none = {}) {
      int n = 0;
      for (const auto& [list, word] : {std::pair{&hold, "holds"}, {&fail, "fails"}, {&none, "not applicable"}})
        for (const std::string& text : *list)
          QTest::addRow("%s %s %d", property, word, n++)
              << QString(property) << QString::fromStdString(text) << QString(word);
    };
    const std::string clip = reducing("min(a + b, 1) identity 0"), half = reducing("(a + b)/2 identity 0"),
                      lse = reducing("log(exp(a) + exp(b)) identity -inf"), first = reducing("a identity 0"),
                      minus = reducing("a - b identity 0"), tied = reducing("where(a < b, b, a) identity -inf"),
                      circle = reducing("a + b + a*b identity 0");
    rows("associative_carrier", {softmax, lse, circle, argmax}, {clip, half, minus}, {map_op("x[i,j] + 1")});
    rows("commutative_carrier", {softmax, clip, half}, {first, minus}, {map_op("x[i,j] + 1")});
    rows("idempotent_carrier", {row_max, argmax, tied, half}, {row_sum, softmax, clip}, {average});
    rows("invertible_update", {row_sum, variance, lse, half}, {row_max, row_prod, clip, argmax}, {map_op("x[i,j]")});
    rows("mergeable", {softmax, variance, row_max, lse}, {deviation, maximal_distance, clip}, {map_op("x[i,j]")});
    rows("finite_rank", {softmax, variance, row_sum}, {deviation, maximal_distance}, {argmax, map_op("x[i,j]")});
    rows("rescalable", {softmax, logsumexp}, {variance, deviation}, {row_sum, row_max});
    rows("streamable", {logsumexp, variance, row_sum, cumsum}, {softmax, deviation});
    rows("order_sensitive", {row_sum, softmax, row_prod, matmul}, {row_max, argmax, tied}, {map_op("x[i,j]")});
    rows("shift_invariant", {softmax, variance, argmax, deviation}, {row_sum, logsumexp, map_op("x[i,j]^2")});
    rows("shift_equivariant", {row_max, row_mean, logsumexp, map_op("x[i,j]")}, {row_sum, softmax, variance});
    rows("scale_invariant",
         {argmax, map_op("sign(x[i,j])"),
          op("(x: float[M, N]) -> y: float[M, N]", "  a[i] = sum[j] abs(x[i,j])\n  y[i,j] = x[i,j]/(a[i] + a[i])\n")},
         {softmax, row_sum, variance,
          op("(x: float[M, N]) -> y: float[M, N]",
             "  a[i] = sum[j] x[i,j]^2\n  y[i,j] = x[i,j]*rsqrt(a[i] + 0.00001)\n")});
    rows("scale_equivariant", {row_sum, row_max, map_op("max(x[i,j], 0)"), matmul, deviation},
         {softmax, variance, map_op("x[i,j] + 1")});
    rows("odd", {row_sum, map_op("tanh(x[i,j])"), map_op("x[i,j]^3"), matmul},
         {row_max, map_op("exp(x[i,j])"), variance});
    rows("linear", {row_sum, matmul, cumsum, average, embedding}, {softmax, row_max, map_op("x[i,j] + 1"), variance});
    rows("permutation_equivariant", {softmax, matmul, variance, row_max, map_op("x[i,j]^2")},
         {cumsum, causal_softmax, average, argmax});
    rows("batch_separable", {softmax, cumsum, matmul, variance},
         {op("(x: float[N]) -> y: float[N]", "  m = max[j] x[j]\n  y[i] = x[i] - m\n"),
          op("(x: float[N]) -> y: float[N]", "  y[i] = sum[j <= i] x[j]\n")},
         {op("(x: float[N]) -> y: float[]", "  y = sum[j] x[j]\n")});
    rows("pointwise",
         {map_op("x[i,j]*sigmoid(x[i,j])"),
          op("(x: float[M, N], b: float[N]) -> y: float[M, N]", "  y[i,j] = x[i,j] + b[j]\n"), embedding},
         {softmax, matmul, cumsum});
    rows("causal", {cumsum, average, op("(x: float[N]) -> y: float[N]", "  y[i] = x[i] - pad(x[i - 1], 0)\n")},
         {softmax, op("(x: float[N]) -> y: float[N]", "  y[i] = x[i] - pad(x[i + 1], 0)\n")},
         {row_sum, map_op("x[i,j]")});
    rows("data_oblivious", {softmax, causal_softmax, map_op("where(x[i,j] > 0, x[i,j], 0)")},
         {embedding, op("(x: float[M, N], t: i64[M]) -> y: float[M]", "  y[i] = x[i,t[i]]\n")});
    rows("monotone",
         {row_max, row_sum, map_op("max(x[i,j], 0)"), map_op("where(x[i,j] > 0, x[i,j], 0.1*x[i,j])"),
          map_op("-exp(x[i,j])"), map_op("x[i,j]^3")},
         {softmax, map_op("x[i,j]*sigmoid(x[i,j])"), map_op("abs(x[i,j])"), variance});
    rows("bounded_output",
         {softmax, argmax, map_op("tanh(x[i,j])*3"), map_op("1/(1 + x[i,j]^2)"),
          op("(x: float[M, N]) -> y: float[M, N]",
             "  a[i] = sum[j] x[i,j]^2\n  y[i,j] = x[i,j]*rsqrt(a[i] + 0.00001)\n")},
         {row_sum, logsumexp, map_op("exp(x[i,j])"), map_op("1/x[i,j]")});
    rows("nonnegative", {softmax, variance, map_op("exp(x[i,j]) + 1"), deviation},
         {row_sum, map_op("tanh(x[i,j])"), logsumexp});
    rows("differentiable", {softmax, variance, map_op("x[i,j]*sigmoid(x[i,j])"), matmul},
         {row_max, deviation, map_op("max(x[i,j], 0)"), map_op("where(x[i,j] > 1, 2*x[i,j], x[i,j])")}, {argmax});
    rows("recomputable", {softmax, map_op("x[i,j] + 1"), embedding}, {row_sum, matmul, cumsum, average});
  }

  void known_from_mathematics() {
    QFETCH(QString, property);
    QFETCH(QString, op);
    QFETCH(QString, expected);
    StructureProfile p = profile_of(op.toStdString());
    PropertyVerdict v = verdict(p, property.toStdString());
    QVERIFY2(name_of(v.answer) == expected.toStdString(), (std::string(name_of(v.answer)) + ": " + v.text).c_str());
    QVERIFY(!v.method.empty() && !v.text.empty());
    if (v.answer == PropertyVerdict::Answer::holds) QVERIFY2(v.bound <= 1e-6, std::to_string(v.bound).c_str());
    if (v.answer != PropertyVerdict::Answer::fails) return;
    if (property != "order_sensitive" && property != "recomputable" && property != "streamable")
      QVERIFY2(v.counterexample, v.text.c_str());
    if (v.counterexample && !v.counterexample->result.empty())
      check_again(*p.canonical->source, property, *v.counterexample);
  }

  /// Every counterexample of the atlas too, and how much stays unknown, and how long it all takes.
  void whole_atlas() {
    qputenv("AICF_ATLAS", sourceFile("atlas").toUtf8());
    std::vector<std::filesystem::path> files;
    for (const auto& f : std::filesystem::directory_iterator(source_path("atlas/ops")))
      if (f.path().extension() == ".op") files.push_back(f.path());
    std::sort(files.begin(), files.end());
    std::size_t cells = 0, unknown = 0;
    double seconds = 0;
    for (const auto& file : files) {
      Result<Definition> d = load_definition(file.string());
      QVERIFY2(d, file.c_str());
      auto definition = std::make_shared<const Definition>(std::move(*d));
      StructureProfile p = analyze(canonicalize(definition));
      const std::clock_t start = std::clock(); // time on a core: what else the machine does is not counted
      std::vector<PropertyVerdict> all = properties_of(p);
      seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      QCOMPARE(all.size(), properties().size());
      for (const PropertyVerdict& v : all) {
        ++cells;
        unknown += v.answer == PropertyVerdict::Answer::unknown ? 1 : 0;
        if (v.answer != PropertyVerdict::Answer::fails || !v.counterexample || v.counterexample->result.empty())
          continue;
        check_again(*definition, QString::fromStdString(v.property), *v.counterexample);
        if (QTest::currentTestFailed()) qFatal("%s: %s", file.c_str(), v.property.c_str());
      }
    }
    qInfo("%zu operators, %zu cells, %zu unknown, %.2f s", files.size(), cells, unknown, seconds);
    QVERIFY(unknown * 20 <= cells);
#ifdef NDEBUG
    QVERIFY(seconds < 10);
#endif
  }

  void the_name_decides_nothing() {
    std::string other =
        "op five(zeta: float[R, C]) -> out: float[R, C]\n  top[r] = max[c] zeta[r,c]\n"
        "  e[r,c] = exp(zeta[r,c] - top[r])\n  total[r] = sum[c] e[r,c]\n  out[r,c] = e[r,c]/total[r]\n";
    std::vector<PropertyVerdict> a = properties_of(profile_of(softmax)), b = properties_of(profile_of(other));
    for (std::size_t k = 0; k < a.size(); ++k) QVERIFY2(a[k].answer == b[k].answer, a[k].property.c_str());
  }

  void json_keeps_everything() {
    for (const std::string& text : {softmax, deviation, embedding, reducing("min(a + b, 1) identity 0")}) {
      std::vector<PropertyVerdict> all = properties_of(profile_of(text));
      nlohmann::json j = to_json(all);
      auto back = verdicts_from_json(nlohmann::json::parse(j.dump()));
      QVERIFY(back);
      QVERIFY(to_json(*back) == j);
    }
    QVERIFY(!verdicts_from_json({{{"property", 3}}}));
  }

  /// Kept by definition: decided once, and again when the definition, a default or a name changes.
  void verdicts_are_kept() {
    QTemporaryDir folder;
    int analysed = 0;
    auto verdicts = [&](const std::string& text, bool& fresh) {
      return kept_properties(
          folder.path().toStdString(), canonical_of(text),
          [&] {
            ++analysed;
            return profile_of(text);
          },
          &fresh);
    };
    bool fresh = false;
    std::vector<PropertyVerdict> first = verdicts(softmax, fresh);
    QVERIFY(fresh);
    std::vector<PropertyVerdict> second = verdicts(softmax, fresh);
    QVERIFY(!fresh && to_json(first) == to_json(second));
    QCOMPARE(analysed, 1);
    (void)verdicts(row_sum, fresh);
    QVERIFY(fresh);
    auto key = [](const std::string& text) { return property_key(canonical_of(text)); };
    const std::string scaled = "op t(x: float[N]; s = 2) -> y: float[N]\n  y[i] = s*x[i]\n";
    std::string other = scaled, named = scaled;
    other.replace(other.find("= 2"), 3, "= 3");
    for (std::size_t at; (at = named.find('x')) != std::string::npos;) named[at] = 'z';
    QVERIFY(key(scaled) == key(scaled) && key(scaled) != key(other) && key(scaled) != key(named));
  }

  void atlas_data() {
    std::ifstream in(source_path("atlas/properties.json"));
    nlohmann::json document = nlohmann::json::parse(in);
    QCOMPARE(QString::fromStdString(document.at("schema").get<std::string>()), QString("aicf.properties/1"));
    std::set<std::string> written, registered;
    for (const auto& entry : document.at("properties")) {
      for (const char* key : {"id", "title", "definition", "law", "permits"})
        QVERIFY2(!entry.at(key).get<std::string>().empty(), key);
      QVERIFY(!entry.at("references").empty());
      QCOMPARE(entry.size(), std::size_t{6});
      QVERIFY(written.insert(entry.at("id").get<std::string>()).second);
    }
    for (const Property& p : properties()) {
      registered.insert(p.id);
      QVERIFY2(std::filesystem::exists(source_path("core/structure/properties/") + p.id + ".cpp"), p.id.c_str());
    }
    QVERIFY(written == registered);
    QVERIFY(registered.size() >= 18);
  }

  /// Sizes that cannot be written out leave questions open; nothing hangs or fails.
  void large_definitions() {
    std::string wide;
    for (int k = 0; k < 3000; ++k)
      wide += (k == 0 ? "" : " + ") + std::string("tanh(x[i,j] + ") + std::to_string(k) + ")";
    std::string deep = "x[i,j]";
    for (int k = 0; k < 20000; ++k) deep = "tanh(" + deep + ")";
    for (const std::string& text : {map_op(wide), map_op(deep)}) {
      const std::clock_t start = std::clock(); // time on a core
      QCOMPARE(properties_of(profile_of(text)).size(), properties().size());
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      QVERIFY2(seconds < 30, QByteArray::number(seconds));
    }
  }

 private:
  /// What the counterexample says, from the reference alone.
  static void check_again(const Definition& d, const QString& property, const Counterexample& c) {
    const double before = evaluated(d, c, false), after = evaluated(d, c, true);
    const bool equivariant = property == "scale_equivariant" || property == "shift_equivariant" ||
                             property == "linear" || property == "permutation_equivariant";
    if (property == "bounded_output") {
      QVERIFY(std::fabs(before) > 65504);
    } else if (property == "nonnegative") {
      QVERIFY(before < 0);
    } else if (property == "differentiable") {
      // slopes on both sides, from three evaluations
      Counterexample back = c;
      for (auto& [name, values] : back.changed)
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2 * c.inputs.at(name)[i] - values[i];
      const double behind = evaluated(d, back, true), h = 0x1p-16;
      const double left = (before - behind) / h, right = (after - before) / h;
      QVERIFY2(std::fabs(left - right) > 1e-3 * (1 + std::fabs(left) + std::fabs(right)), c.text.c_str());
    } else if (property == "odd") {
      QVERIFY2(!(std::fabs(after + before) <= 1e-12 * std::fabs(before)), c.text.c_str());
      QVERIFY(near(after, c.observed) && near(-before, c.expected));
    } else if (equivariant) {
      QVERIFY2(near(after, c.observed), c.text.c_str());
      QVERIFY(c.expected != c.observed);
    } else { // a result that must not change, or whose change is the point
      QVERIFY2(near(after, c.observed) && near(before, c.expected), c.text.c_str());
      QVERIFY(before != after);
    }
  }
};

QTEST_GUILESS_MAIN(TestProperties)
#include "test_properties.moc"
