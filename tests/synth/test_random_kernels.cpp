// Random definitions, legal plans of them and hostile sizes: every kernel is compiled, emulated and judged within its
// own derived bound. `aicf selftest kernels` does the same at length.
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "synth/random_check.hpp"
#include "synth/random_definition.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

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
  }

  void the_same_seed_gives_the_same_answer() {
    if (!nvrtc_info()) QSKIP("SKIPPED: no NVRTC");
    RandomCheckOptions options;
    options.count = 6, options.seed = 77, options.threads = 1;
    QCOMPARE(to_json(random_check(options), options), to_json(random_check(options), options));
  }
};

QTEST_GUILESS_MAIN(TestRandomKernels)
#include "test_random_kernels.moc"
