// A mutation test keeps the judge honest: faults planted in generated kernels are all caught, their clean twins pass.
#include "core/exec/backends.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "core/plan/choice.hpp"
#include "synth/variant.hpp"

#include <QtTest>

#include <regex>

using namespace aicf;

namespace {

StructureProfile structure_of(const std::string& name) {
  auto d = load_definition(std::string(AICF_SOURCE_DIR "/atlas/ops/") + name + ".op");
  if (!d) throw std::runtime_error("no operator " + name);
  return analyze(canonicalize(std::make_shared<const Definition>(std::move(*d))));
}

} // namespace

class TestPlantedFaults : public QObject {
  Q_OBJECT
  std::unique_ptr<Backend> emulator_ = std::move(*make_backend("emulator"));

  /// The first legal plan of that form and cooperation.
  static std::optional<Plan> plan_of(const StructureProfile& s, const Problem& problem, const char* form,
                                     const char* cooperation) {
    CompilerProfile rules;
    for (Plan& p : plan(s, judge(s, rules), rules, problem).plans)
      if (chosen(p, "state_form", form) && chosen(p, "cooperation", cooperation)) return std::move(p);
    return std::nullopt;
  }

  Validation judged(const StructureProfile& s, const Variant& variant, const Problem& problem) {
    ValidationOptions options;
    options.edge_shapes = false;
    auto rebuild = [&](const Plan& p, const Problem& other) { return build_variant(s, p, other); };
    auto v = validate(s, {}, variant, problem, *emulator_, rebuild, options);
    return v ? *v : Validation{};
  }

 private slots:
  void faults_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("form");
    QTest::addColumn<QString>("cooperation");
    QTest::addColumn<int>("length");
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("replacement");
    auto row = [](const char* name, const char* op, const char* form, const char* cooperation, int n,
                  const char* pattern, const char* replacement) {
      QTest::newRow(name) << op << form << cooperation << n << pattern << replacement;
    };
    row("clean resident", "softmax", "resident", "warp", 1000, "", "");
    row("clean online", "softmax", "online", "warp", 1000, "", "");
    row("clean two sweeps", "softmax", "two_pass", "block", 20000, "", "");
    row("clean maximum", "max", "two_pass", "warp", 1000, "", "");
    row("clean variance", "variance", "online", "warp", 1000, "", "");
    row("a lost element at the end", "softmax", "resident", "warp", 1000, "< 1000\\)", "< 996)");
    row("a lost element, online", "logsumexp", "online", "warp", 1000, "< 1000\\)", "< 996)");
    row("a dropped rescale of the running sum", "softmax", "online", "warp", 5000, "0\\.0f : l \\* exp2_fast\\([^;]*;",
        "0.0f : l;");
    row("a dropped rescale between lanes", "softmax", "online", "warp", 1000, "0\\.0f : l_warp \\* exp2_fast\\(",
        "0.0f : l_warp + 0.0f * exp2_fast(");
    row("an unguarded -inf", "softmax", "online", "warp", 5000,
        "m_value == t \\? l : m_value == -__int_as_float\\(0x7f800000\\) \\? 0\\.0f : ", "");
    row("a wrong identity of a maximum", "max", "two_pass", "warp", 1000, "-__int_as_float\\(0x7f800000\\)", "0.0f");
    row("a wrong identity of a sum", "sum", "two_pass", "warp", 1000, "= 0\\.0f;", "= 1.0f;");
    row("a tree that stops a step early", "softmax", "resident", "warp", 1000, "offset >= 1;", "offset >= 2;");
    row("a wrong base of the exponential", "softmax", "resident", "warp", 1000, "1\\.44269[0-9]*f", "1.4417f");
    row("the maximum is not subtracted", "softmax", "resident", "warp", 1000, " - m_warp\\w*\\) \\*", ") *");
    row("a row is written one element off", "softmax", "resident", "warp", 1000, "y \\+ row_start",
        "y + row_start + 4");
    row("results that are never written", "softmax", "two_pass", "block", 20000, "store_words\\(y_row \\+ j_first",
        "if (j_first != 8) store_words(y_row + j_first");
    row("a read past the end", "softmax", "two_pass", "block", 20000, "j_first < 20000", "j_first < 20004");
    row("a missing barrier", "softmax", "two_pass", "block", 20000, "__syncthreads\\(\\);", "");
    row("a warp's part that nobody stores", "logsumexp", "two_pass", "block", 20000, "if \\(is\\) \\{",
        "if (is && threadIdx.x > 32) {");
    row("accumulation in bf16", "sum", "two_pass", "warp", 1000, "(\\w+) = \\1 \\+ (f32_in\\([^;]*\\));",
        "$1 = __uint_as_float(__float_as_uint($1 + $2) & 0xffff0000u);");
    row("a loop that never ends", "logsumexp", "online", "warp", 5000, "\\+\\+tile", "tile += 0");
    row("one row twice, another never", "softmax", "resident", "warp", 1000, "row_start = row \\*",
        "row_start = (row | 1) *");
  }

  void faults() {
    QFETCH(QString, op);
    QFETCH(QString, form);
    QFETCH(QString, cooperation);
    QFETCH(int, length);
    QFETCH(QString, pattern);
    QFETCH(QString, replacement);
    if (!nvrtc_info()) QSKIP("SKIPPED: no NVRTC");
    StructureProfile s = structure_of(op.toStdString());
    Problem problem{{{"M", length > 10000 ? 2 : 8}, {"N", length}}, {}, DType::f32, "sm_90"};
    auto chosen_plan = plan_of(s, problem, form.toUtf8().constData(), cooperation.toUtf8().constData());
    QVERIFY(chosen_plan.has_value());
    auto variant = build_variant(s, *chosen_plan, problem);
    QVERIFY(variant);
    if (!pattern.isEmpty()) {
      KernelModule& module = variant->modules.front();
      std::size_t at = module.cuda_source.find("extern \"C\"");
      std::string kernel = module.cuda_source.substr(at);
      std::string changed = std::regex_replace(kernel, std::regex(pattern.toStdString()), replacement.toStdString(),
                                               std::regex_constants::format_first_only);
      if (changed == kernel) qInfo("%s", kernel.c_str());
      QVERIFY2(changed != kernel, "the pattern is not in this kernel any more: plant the fault where it is now");
      module.cuda_source = module.cuda_source.substr(0, at) + changed;
      auto compiled = compile(module);
      QVERIFY2(compiled, compiled.diagnostics.empty() ? "" : format(compiled.diagnostics.front()).c_str());
      variant->compiled.front() = *compiled;
    }
    Validation verdict = judged(s, *variant, problem);
    QVERIFY(!verdict.checks.empty());
    for (const Check& c : verdict.checks)
      if (pattern.isEmpty() && !c.passed) qInfo("%s: %s", c.id.c_str(), c.detail.c_str());
    QCOMPARE(verdict.passed, pattern.isEmpty());
  }
};

QTEST_GUILESS_MAIN(TestPlantedFaults)
#include "test_planted_faults.moc"
