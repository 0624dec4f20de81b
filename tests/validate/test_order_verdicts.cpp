// The order verdicts of the ledger, as derived from topologies, confirmed by running: generated kernels give the same
// bits with their blocks in other orders and in batches of other sizes; atomics and parts that follow the batch, whose
// verdicts say that an order is lost, are caught.
#include "core/exec/backends.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "core/plan/choice.hpp"
#include "core/plan/plan_order.hpp"
#include "core/validate/order_check.hpp"
#include "synth/variant.hpp"
#include "tests/support/paths.hpp"

#include <QTest>

#include <set>

using namespace aicf;
using aicf::test::source_path;

namespace {

StructureProfile profile_of_text(const std::string& text) {
  auto d = parse_definition(text, "test.op");
  if (!d) throw std::runtime_error(d.diagnostics.empty() ? "?" : format(d.diagnostics.front()));
  return analyze(canonicalize(std::make_shared<const Definition>(std::move(*d))));
}
StructureProfile profile_of_atlas(const std::string& name) {
  auto d = load_definition(source_path("atlas/ops/") + name + ".op");
  if (!d) throw std::runtime_error(d.diagnostics.empty() ? "?" : format(d.diagnostics.front()));
  return analyze(canonicalize(std::make_shared<const Definition>(std::move(*d))));
}

const std::string sum_of_rows = "op rows(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] x[i, j]\n";

KernelModule kernel(const std::string& entry, const std::string& body) {
  KernelModule m;
  m.entry = entry;
  m.arch = "sm_90";
  m.cuda_source = "extern \"C\" __global__ void " + entry + body;
  return m;
}
Arg tensor(const char* name, Arg::Role role, std::vector<DimExpr> shape) {
  return {name, role, DType::f32, std::move(shape), {}};
}

/// y[row] += what each of 16 blocks of a row has summed, as they finish.
std::vector<KernelModule> by_atomics() {
  KernelModule clear = kernel("clear", "(float* y, long long M) {\n"
                                       "  if (threadIdx.x < M) y[threadIdx.x] = 0;\n}\n");
  clear.args = {tensor("y", Arg::Role::output, {{"M"}})};
  clear.dim_args = {"M"};
  clear.launch.block[0] = {"64"};
  KernelModule add = kernel("add", "(const float* x, float* y, long long M, long long N) {\n"
                                   "  long long row = blockIdx.x / 16, part = blockIdx.x % 16;\n"
                                   "  float s = 0;\n"
                                   "  for (long long j = part; j < N; j += 16) s += x[row * N + j];\n"
                                   "  atomicAdd(y + row, s);\n}\n");
  add.args = {tensor("x", Arg::Role::input, {{"M"}, {"N"}}), tensor("y", Arg::Role::inout, {{"M"}})};
  add.dim_args = {"M", "N"};
  add.launch.grid[0] = {"16*M"};
  return {clear, add};
}

/// As many parts a row as make 16 blocks; the second kernel adds them in order.
std::vector<KernelModule> parts_by_batch() {
  KernelModule part = kernel("part_sums", "(const float* x, float* parts, long long M, long long N) {\n"
                                          "  long long count = M < 16 ? 16 / M : 1;\n"
                                          "  long long row = blockIdx.x / count, part = blockIdx.x % count;\n"
                                          "  long long length = (N + count - 1) / count, first = part * length;\n"
                                          "  float s = 0;\n"
                                          "  for (long long j = first; j < min(N, first + length); ++j) "
                                          "s += x[row * N + j];\n"
                                          "  parts[row * 16 + part] = s;\n}\n");
  part.args = {tensor("x", Arg::Role::input, {{"M"}, {"N"}}), tensor("parts", Arg::Role::workspace, {{"M"}, {"16"}})};
  part.dim_args = {"M", "N"};
  part.launch.grid[0] = {"M*max(1, 16/M)"};
  KernelModule join = kernel("join", "(const float* parts, float* y, long long M) {\n"
                                     "  long long count = M < 16 ? 16 / M : 1;\n"
                                     "  float s = 0;\n"
                                     "  for (long long p = 0; p < count; ++p) s += parts[blockIdx.x * 16 + p];\n"
                                     "  y[blockIdx.x] = s;\n}\n");
  join.args = {tensor("parts", Arg::Role::workspace, {{"M"}, {"16"}}), tensor("y", Arg::Role::output, {{"M"}})};
  join.dim_args = {"M"};
  join.launch.grid[0] = {"M"};
  return {part, join};
}

Result<Variant> compiled(const std::vector<KernelModule>& modules) {
  Variant v;
  v.plan.family = "own_kernel"; // bounds for any order of summation
  v.modules = modules;
  for (const KernelModule& m : modules) {
    auto c = compile(m);
    if (!c) return c.failure<Variant>();
    v.compiled.push_back(std::move(*c));
  }
  return v;
}

std::string said(const OrderConfirmation& c) {
  std::string text = c.difference;
  for (const std::string& t : c.tried) text += "; " + t;
  return text;
}

} // namespace

class TestOrderVerdicts : public QObject {
  Q_OBJECT
  std::unique_ptr<Backend> emulator;

 private slots:
  void initTestCase() {
    if (auto nvrtc = nvrtc_info(); !nvrtc) QSKIP("SKIPPED: no NVRTC");
    auto made = make_backend("emulator");
    QVERIFY(made);
    emulator = std::move(*made);
  }

  void batches_are_seen() {
    QCOMPARE(batch_dims(profile_of_atlas("softmax")), std::vector<std::string>{"M"});
    QCOMPARE(batch_dims(profile_of_atlas("matmul")).size(), std::size_t{2});
    QVERIFY(batch_dims(profile_of_text("op t(x: float[M, N]) -> y: float[N]\n  y[j] = (sum[i] x[i, j])/M\n")) ==
            std::vector<std::string>{"N"});
    QVERIFY(batch_dims(profile_of_text("op t(x: float[M, N]) -> y: float[M]\n  y[i] = (sum[j] x[i, j])/M\n")).empty());
    QVERIFY(batch_dims(profile_of_text("op t(x: float[N]) -> y: float[]\n  y = sum[j] x[j]\n")).empty());
    // A neighbour is gone where the batch is cut before it; so is a place counted from elsewhere.
    const char* neighbour = "op t(x: float[M, N]) -> y: float[M, N]\n  y[i, j] = pad(x[i + 1, j], 0)\n";
    QCOMPARE(batch_dims(profile_of_text(neighbour)), std::vector<std::string>{"N"});
    const char* gathered = "op t(x: float[M, N], id: i32[M]) -> y: float[M, N]\n  y[i, j] = x[id[i], j]\n";
    QCOMPARE(batch_dims(profile_of_text(gathered)), std::vector<std::string>{"N"});
    const char* crossed = "op t(x: float[M, M]) -> y: float[M, M]\n  y[i, j] = x[j, i]\n";
    QCOMPARE(batch_dims(profile_of_text(crossed)), std::vector<std::string>{"M"});
  }

  void generated_kernels_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("type");
    for (const char* op : {"softmax", "layernorm", "sum", "logsumexp", "variance", "cross_entropy", "bias_gelu"})
      for (DType type : {DType::f32, DType::bf16})
        QTest::addRow("%s %s", op, std::string(name_of(type)).c_str()) << op << static_cast<int>(type);
  }
  /// One plan of each algorithm, with its order derived and tried.
  void generated_kernels() {
    QFETCH(QString, op);
    QFETCH(int, type);
    const StructureProfile structure = profile_of_atlas(op.toStdString());
    CompilerProfile rules;
    const Ledger ledger = judge(structure, rules);
    Problem problem;
    for (const std::string& dim : structure.canonical->source->dims) problem.dims[dim] = dim == "M" ? 5 : 517;
    problem.float_type = static_cast<DType>(type);
    const PlanSpace space = plan(structure, ledger, rules, problem);
    std::set<std::string> forms;
    std::size_t ran = 0;
    for (std::size_t i = 0; i < space.plans.size() && ran < 10; ++i) {
      const Plan& p = space.plans[i];
      if (!forms.insert(coarse_form(p)).second) continue;
      const PlanOrder order = order_of(p, ledger);
      QVERIFY(!order.assumptions.empty());
      auto build = [&](const Problem& sizes) { return build_variant(structure, p, sizes); };
      auto confirmed = confirm_order(structure, problem, *emulator, build);
      QVERIFY2(confirmed, confirmed ? "" : format(confirmed.diagnostics.front()).c_str());
      QCOMPARE(order.run_to_run.answer, std::string("kept"));
      QCOMPARE(order.batch_invariant.answer, std::string("kept"));
      QVERIFY2(confirmed->run_to_run && confirmed->batch_invariant, (coarse_form(p) + ": " + said(*confirmed)).c_str());
      QVERIFY(confirmed->tried.size() >= 6);
      ++ran;
    }
    QVERIFY(ran >= 2);
  }

  /// Atomics: the ledger says that run-to-run is lost, and a run shows it.
  void atomics_are_caught() {
    const StructureProfile structure = profile_of_text(sum_of_rows);
    const Ledger ledger = judge(structure, CompilerProfile{});
    QVERIFY(ledger.find("atomic_accumulate")->run_to_run.answer.starts_with("lost"));
    auto build = [](const Problem&) { return compiled(by_atomics()); };
    auto confirmed = confirm_order(structure, {{{"M", 8}, {"N", 1000}}, {}, DType::f32, "sm_90"}, *emulator, build);
    QVERIFY2(confirmed, confirmed ? "" : format(confirmed.diagnostics.front()).c_str());
    QVERIFY2(!confirmed->run_to_run, said(*confirmed).c_str());
    QVERIFY(confirmed->difference.find("blocks in order") != std::string::npos);
  }

  /// Parts that follow the batch: every run has the same bits, a row of another batch has not.
  void parts_by_batch_are_caught() {
    const StructureProfile structure = profile_of_text(sum_of_rows);
    const Ledger ledger = judge(structure, CompilerProfile{});
    const LegalityRow& row = *ledger.find("split_to_fill");
    QCOMPARE(row.run_to_run.answer, std::string("kept"));
    QVERIFY(row.batch_invariant.answer.starts_with("lost"));
    auto build = [](const Problem&) { return compiled(parts_by_batch()); };
    auto confirmed = confirm_order(structure, {{{"M", 8}, {"N", 1000}}, {}, DType::f32, "sm_90"}, *emulator, build);
    QVERIFY2(confirmed, confirmed ? "" : format(confirmed.diagnostics.front()).c_str());
    QVERIFY2(confirmed->run_to_run, said(*confirmed).c_str());
    QVERIFY2(!confirmed->batch_invariant, said(*confirmed).c_str());
    QVERIFY(confirmed->difference.find("M=") != std::string::npos);
  }

  /// Validation runs them too: what was derived for a plan, or is asked of it, fails where a run shows otherwise.
  void validation_confirms_orders() {
    const StructureProfile structure = profile_of_text(sum_of_rows);
    const Problem problem{{{"M", 8}, {"N", 1000}}, {}, DType::f32, "sm_90"};
    auto failed = [&](const std::vector<KernelModule>& modules, Order asked, Order claimed) {
      CompilerProfile rules;
      rules.order = asked;
      rules.adversarial.clear();
      ValidationOptions options;
      options.edge_shapes = false;
      options.claimed = claimed;
      auto variant = compiled(modules);
      auto rebuild = [&](const Plan&, const Problem&) { return compiled(modules); };
      auto v = validate(structure, rules, *variant, problem, *emulator, rebuild, options);
      if (!v) return format(v.diagnostics.front());
      std::string names;
      bool tried = false;
      for (const Check& c : v->checks) {
        tried = tried || c.id == "batch-invariant";
        if (!c.passed) names += c.id + " ";
      }
      return tried ? names : "no batch was tried";
    };
    QCOMPARE(failed(by_atomics(), Order::any, Order::any), std::string());
    QCOMPARE(failed(by_atomics(), Order::run_to_run, Order::any), std::string("run-to-run "));
    QCOMPARE(failed(by_atomics(), Order::any, Order::run_to_run), std::string("run-to-run "));
    QCOMPARE(failed(parts_by_batch(), Order::run_to_run, Order::any), std::string());
    QCOMPARE(failed(parts_by_batch(), Order::batch_invariant, Order::any), std::string("batch-invariant "));
    QCOMPARE(failed(parts_by_batch(), Order::any, Order::device_to_device), std::string("batch-invariant "));
  }

  /// A plan whose choices stood on parts that follow the batch would say so.
  void a_plan_is_as_weak_as_its_weakest_choice() {
    const StructureProfile structure = profile_of_text(sum_of_rows);
    Ledger ledger = judge(structure, CompilerProfile{});
    Problem problem{{{"M", 4}, {"N", 4096}}, {}, DType::f32, "sm_90"};
    const PlanSpace space = plan(structure, ledger, CompilerProfile{}, problem);
    const Plan* split = nullptr;
    for (const Plan& p : space.plans)
      if (chosen(p, "cooperation", "split")) split = &p;
    QVERIFY(split != nullptr);
    QVERIFY(order_of(*split, ledger).keeps == Order::device_to_device);
    for (LegalityRow& r : ledger.rows)
      if (r.transformation == "split_reduction") r.batch_invariant = ledger.find("split_to_fill")->batch_invariant;
    QVERIFY(order_of(*split, ledger).keeps == Order::run_to_run);
    QVERIFY(order_of(*split, ledger).batch_invariant.answer.starts_with("lost"));
  }
};

QTEST_GUILESS_MAIN(TestOrderVerdicts)
#include "test_order_verdicts.moc"
