// The memory verdicts of the ledger against what the emulator counts: bytes that generated kernels ask for, results
// that they write, and the workspace of parts, at sizes where nothing is masked off.
#include "core/exec/backends.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "core/plan/choice.hpp"
#include "core/validate/inputs.hpp"
#include "synth/variant.hpp"
#include "tests/support/paths.hpp"

#include <QTest>

#include <set>

using namespace aicf;

namespace {

StructureProfile profile_of_atlas(const std::string& name) {
  auto d = load_definition(test::source_path("atlas/ops/" + name + ".op"));
  if (!d) throw std::runtime_error(d.diagnostics.empty() ? "?" : format(d.diagnostics.front()));
  return analyze(canonicalize(std::make_shared<const Definition>(std::move(*d))));
}
StructureProfile profile_of_text(const std::string& text) {
  auto d = parse_definition(text, "test.op");
  if (!d) throw std::runtime_error(d.diagnostics.empty() ? "?" : format(d.diagnostics.front()));
  return analyze(canonicalize(std::make_shared<const Definition>(std::move(*d))));
}

const Metric& metric(const LegalityRow& row, const std::string& id) {
  for (const Metric& m : row.memory)
    if (m.id == id) return m;
  throw std::runtime_error(row.transformation + " has no " + id);
}
double counted(const RunResult& run, const std::string& id) {
  for (const Metric& m : run.metrics)
    if (m.id == id) return m.value;
  return -1;
}

} // namespace

class TestMemoryVerdicts : public QObject {
  Q_OBJECT
  std::unique_ptr<Backend> emulator;

 private slots:
  void initTestCase() {
    if (auto nvrtc = nvrtc_info(); !nvrtc) QSKIP("SKIPPED: no NVRTC");
    auto made = make_backend("emulator");
    QVERIFY(made);
    emulator = std::move(*made);
  }

  void kernels_move_what_the_ledger_says_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("type");
    for (const char* op : {"softmax", "layernorm", "logsumexp", "sum", "variance", "bias_gelu"})
      for (DType type : {DType::f32, DType::bf16})
        QTest::addRow("%s %s", op, std::string(name_of(type)).c_str()) << op << static_cast<int>(type);
  }
  void kernels_move_what_the_ledger_says() {
    QFETCH(QString, op);
    QFETCH(int, type);
    const StructureProfile structure = profile_of_atlas(op.toStdString());
    const CompilerProfile rules;
    Problem problem;
    for (const std::string& dim : structure.canonical->source->dims) problem.dims[dim] = dim == "M" ? 8 : 2048;
    problem.float_type = static_cast<DType>(type);
    const Ledger ledger = judge(structure, rules, {problem.float_type, problem.dims});
    auto inputs = make_inputs(*structure.canonical->source, problem, InputKind::random, 1);
    QVERIFY(inputs);
    std::set<std::string> forms;
    const PlanSpace space = plan(structure, ledger, rules, problem);
    for (const Plan& p : space.plans) {
      if (!has(p, "state_form")) continue;
      const std::string form = word(p, "state_form");
      const bool split = chosen(p, "cooperation", "split");
      if (form == "resident_online" || !forms.insert(form + (split ? " in parts" : "")).second) continue;
      const char* id = form == "two_pass" ? "multi_sweep" : form == "online" ? "online_state" : "resident_row";
      const LegalityRow& row = *ledger.find(id);
      auto variant = build_variant(structure, p, problem);
      QVERIFY2(variant, variant ? "" : format(variant.diagnostics.front()).c_str());
      RunOptions how;
      how.counters = true;
      RunResult run;
      auto outputs = run_variant(structure, *variant, problem, *inputs, *emulator, how, &run);
      QVERIFY(outputs && run.status == RunResult::Status::ok);
      double through = 0; // states of parts are written once and read once
      if (split) {
        const bool states = structure.reductions.size() > 1 && keeps_state(p);
        const LegalityRow& parts = *ledger.find(states ? "split_state" : "split_reduction");
        VariantMemory memory;
        auto calls = calls_of(structure, *variant, problem, *inputs, memory);
        QVERIFY(calls);
        for (const auto& [name, place] : memory.place)
          if (name.starts_with("workspace")) through += static_cast<double>(memory.tensors[place].bytes.size());
        const double a_part = metric(parts, "workspace_bytes_per_part").value;
        QVERIFY(a_part > 0 && through > 0);
        QCOMPARE(std::fmod(through, a_part), 0.0);
      }
      const std::string what =
          form + (split ? " in parts: " : ": ") + std::to_string(counted(run, "global_load_bytes")) + " read, " +
          std::to_string(counted(run, "global_store_bytes")) + " written, " + std::to_string(through) + " of workspace";
      QVERIFY2(metric(row, "read_bytes").source == Metric::Source::exact, "bytes have a closed form");
      QVERIFY2(counted(run, "global_load_bytes") == metric(row, "read_bytes").value + through,
               (what + "; the ledger: " + std::to_string(metric(row, "read_bytes").value)).c_str());
      QVERIFY2(counted(run, "global_store_bytes") == metric(row, "written_bytes").value + through, what.c_str());
    }
    QVERIFY(!forms.empty());
  }

  /// Without sizes the bytes are expressions in the dims; what has no closed form says why.
  void bytes_without_sizes() {
    const Ledger softmax = judge(profile_of_atlas("softmax"), {});
    const Metric& read = metric(*softmax.find("multi_sweep"), "read_bytes");
    QVERIFY(read.source == Metric::Source::not_measured);
    QCOMPARE(read.method, std::string("12*M*N"));
    QCOMPARE(metric(*softmax.find("online_state"), "read_bytes").method, std::string("8*M*N"));
    QCOMPARE(metric(*softmax.find("resident_row"), "read_bytes").method, std::string("4*M*N"));
    QCOMPARE(metric(*softmax.find("split_state"), "workspace_bytes_per_part").method, std::string("8*M"));
    QCOMPARE(metric(*softmax.find("store_statistics"), "written_bytes").method, std::string("8*M"));
    QCOMPARE(metric(*softmax.find("multi_sweep"), "sweeps").value, 3.0);
    QCOMPARE(metric(*softmax.find("tile"), "workspace_bytes").value, 0.0);
    const Ledger matmul = judge(profile_of_text("op t(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N]\n"
                                                "  c[i, j] = sum[k] a[i, k] * b[k, j]\n"),
                                {});
    QCOMPARE(metric(*matmul.find("left_fold"), "read_bytes").method, std::string("4*M*K*N"));
    const Ledger scan =
        judge(profile_of_text("op t(x: float[N]) -> y: float[N]\n  y[i in N] = sum[j <= i] x[j]\n"), {});
    QVERIFY(metric(*scan.find("left_fold"), "read_bytes").method.find("moves with the row") != std::string::npos);
    const Ledger masked = judge(profile_of_text("op t(x: float[M, N], k: bool[M, N]) -> y: float[M]\n"
                                                "  y[i] = sum[j where k[i, j]] x[i, j]\n"),
                                {});
    QVERIFY(metric(*masked.find("left_fold"), "read_bytes").method.starts_with("at most "));
  }
};

QTEST_GUILESS_MAIN(TestMemoryVerdicts)
#include "test_memory_verdicts.moc"
