// Random definitions, legal plans of them and hostile sizes: every kernel is compiled, emulated and judged within its
// own derived bound. `aicf selftest kernels` does the same at length.
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "synth/random_check.hpp"
#include "synth/random_definition.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <regex>
#include <set>

using namespace aicf;

class TestRandomKernels : public QObject {
  Q_OBJECT
 private slots:
  void definitions_check_and_differ() {
    std::set<std::string> texts;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      std::string text = random_definition(seed);
      QCOMPARE(text, random_definition(seed));
      auto d = parse_definition(text, "random", std::nullopt);
      QVERIFY2(d, d ? "" : (text + format(d.diagnostics.front(), text)).c_str());
      texts.insert(text);
    }
    QVERIFY(texts.size() > 450);
  }

  void kernels_stay_within_their_bounds() {
    if (!nvrtc_info()) QSKIP("SKIPPED: no NVRTC");
    RandomCheckOptions options;
    options.count = 60, options.seed = 20261130;
    RandomCheckResult r = random_check(options);
    for (const RandomFailure& f : r.failures)
      qInfo("seed %llu, %s, %s: %s\n%s%s", static_cast<unsigned long long>(f.seed), f.sizes.c_str(), f.dtype.c_str(),
            f.what.c_str(), f.definition.c_str(), f.plan.c_str());
    QVERIFY(r.failures.empty());
    QVERIFY(r.judged >= 60);
    QCOMPARE(r.passed, r.judged);
    QVERIFY(r.not_judged.empty());
    QCOMPARE(to_json(r, options).at("judged").get<std::size_t>(), r.judged);
    for (const char* what : {"family", "dtype", "definition"}) {
      std::size_t sum = 0;
      for (const auto& [which, n] : r.by.at(what)) sum += n;
      QCOMPARE(sum, r.judged);
    }
    QVERIFY(r.compared.judged > r.compared.elements / 2); // it judges, and does not look away
  }

  /// Correct kernels that the judge once refused: a batch whose neighbours the definition reads, a NaN that a state
  /// loses (0 * inf, the factor taken out of the sum) with a comparison behind it, which shows no NaN, and blocks of
  /// many warps that hold a row of few elements.
  void correct_kernels_are_not_refused_data() {
    QTest::addColumn<quint64>("seed");
    for (quint64 seed : {90081, 90372, 90436, 200794, 201648}) QTest::addRow("%llu", seed) << seed;
  }
  void correct_kernels_are_not_refused() {
    if (!nvrtc_info()) QSKIP("SKIPPED: no NVRTC");
    QFETCH(quint64, seed);
    RandomCheckOptions options;
    options.count = 3, options.seed = seed;
    const RandomCheckResult r = random_check(options);
    for (const RandomFailure& f : r.failures) qInfo("%s\n%s", f.what.c_str(), f.definition.c_str());
    QVERIFY(r.failures.empty());
    QVERIFY(r.passed >= 3);
  }

  void the_same_seed_gives_the_same_answer() {
    if (!nvrtc_info()) QSKIP("SKIPPED: no NVRTC");
    RandomCheckOptions options;
    options.count = 6, options.seed = 77, options.threads = 1;
    const nlohmann::json alone = to_json(random_check(options), options);
    options.threads = 3;
    QCOMPARE(to_json(random_check(options), options), alone);
  }

  /// What a pass says is worth what a fault shows: one mistake of the generator, in every kernel that has a place for
  /// it, is seen in many triples. (Not in all: an empty row, a block of one warp, a constant row give it no say.)
  void a_mistake_of_the_generator_is_seen_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("replacement");
    QTest::newRow("a tree that stops a step early") << "offset >= 1;"
                                                    << "offset >= 2;";
    QTest::newRow("no barrier") << R"(__syncthreads\(\);)"
                                << "";
    QTest::newRow("a wrong identity of maxima") << R"(-__int_as_float\(0x7f800000\);)"
                                                << "0.5f;";
    QTest::newRow("truncated bf16") << R"(cvt\.rn\.bf16)"
                                    << "cvt.rz.bf16";
    QTest::newRow("a row beside") << R"(const long long row = ([^;]*);)"
                                  << "const long long row = ($1) ^ 1;";
  }
  void a_mistake_of_the_generator_is_seen() {
    if (!nvrtc_info()) QSKIP("SKIPPED: no NVRTC");
    QFETCH(QString, pattern);
    QFETCH(QString, replacement);
    const std::regex place(pattern.toStdString());
    RandomCheckOptions options;
    options.count = 6, options.seed = 4;
    options.plant = [&](KernelModule& m) {
      const std::string wrong = std::regex_replace(m.cuda_source, place, replacement.toStdString());
      const bool has_place = wrong != m.cuda_source;
      m.cuda_source = wrong;
      return has_place;
    };
    const RandomCheckResult r = random_check(options);
    qInfo("%zu of %zu seen", r.failures.size(), r.judged);
    QVERIFY(r.judged >= 6);
    QVERIFY(3 * r.failures.size() > r.judged);
  }
};

QTEST_GUILESS_MAIN(TestRandomKernels)
#include "test_random_kernels.moc"
