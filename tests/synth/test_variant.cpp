// What a judgement rebuilds: a plan is built at other sizes only where it is legal there.
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "core/plan/choice.hpp"
#include "synth/variant.hpp"
#include "tests/support/paths.hpp"

#include <QTest>

#include <algorithm>

using namespace aicf;

class TestVariant : public QObject {
  Q_OBJECT
 private slots:
  /// A row that its block's registers hold to the last place is refused one element longer.
  void sizes() {
    auto d = load_definition(test::source_path("atlas/ops/") + "layernorm.op");
    QVERIFY(d);
    const StructureProfile structure = analyze(canonicalize(std::make_shared<const Definition>(std::move(*d))));
    const CompilerProfile rules;
    Problem problem;
    problem.dims = {{"M", 3}, {"N", 4096}};
    problem.float_type = DType::bf16;
    const PlanSpace space = plan(structure, judge(structure, rules), rules, problem);
    const auto full = [](const Plan& p) {
      return p.family == "row_cascade" && word(p, "state_form") == "resident" && word(p, "staging") == "registers" &&
             word(p, "cooperation") == "block" && number(p, "row_blocks") == 1 &&
             number(p, "threads") * number(p, "vector") * number(p, "vectors_per_thread") == 4096;
    };
    const auto found = std::find_if(space.plans.begin(), space.plans.end(), full);
    QVERIFY(found != space.plans.end());
    Problem longer = problem;
    longer.dims["N"] = 4097;
    const auto refused = build_legal_variant(structure, rules, *found, longer);
    QVERIFY(!refused && !refused.diagnostics.empty());
    QCOMPARE(refused.diagnostics.front().code, std::string("synth.refused"));
    QVERIFY(!refused.diagnostics.front().message.empty());
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    QVERIFY(build_legal_variant(structure, rules, *found, problem));
  }
};

QTEST_MAIN(TestVariant)
#include "test_variant.moc"
