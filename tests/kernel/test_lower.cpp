// From plans to CUDA C++: golden sources (one a state form; AICF_UPDATE_GOLDEN=1 writes them), the convention of
// arguments, notes, dumps, and that everything compiles without a warning.
#include "core/kernel/dim_expr.hpp"
#include "tests/kernel/row_plans.hpp"
#include "tests/support/paths.hpp"

#include <QtTest>

#include <fstream>
#include <sstream>

using namespace aicf;
using namespace aicf::test;

namespace {

using Choices = std::map<std::string, Value>;
Value number(std::int64_t n) { return n; }
Value word(const char* w) { return std::string(w); }

Problem problem(std::int64_t m, std::int64_t n, DType type) {
  Problem p;
  p.dims = {{"M", m}, {"N", n}};
  p.float_type = type;
  return p;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

const Choices fast{
    {"exp", word("fast")}, {"divide", word("reciprocal")}, {"contract_fma", true}, {"row_length", word("static")}};

Choices with(Choices choices, const Choices& more) {
  for (const auto& [id, value] : more) choices[id] = value;
  return choices;
}

} // namespace

class TestLower : public QObject {
  Q_OBJECT

  /// The plan's source is that of the file of the row's name, and compiles without spills.
  static void golden(const StructureProfile& p, const Plan& plan, const Problem& q) {
    auto modules = lower(p, plan, q);
    QVERIFY(modules);
    const std::string& source = (*modules)[0].cuda_source;
    std::string path = source_path("tests/data/golden/softmax_") + QTest::currentDataTag() + ".cu";
    if (qEnvironmentVariableIsSet("AICF_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << source;
    QCOMPARE(QString::fromStdString(source), QString::fromStdString(read(path)));
    Built built = build(p, plan, q);
    if (!built.available) QSKIP(built.missing.c_str());
    QCOMPARE(built.variant.compiled[0].spill_bytes, 0);
  }

 private slots:
  void goldenSources_data() {
    QTest::addColumn<QString>("form");
    QTest::addColumn<QString>("cooperation");
    for (auto [name, form, cooperation] : {std::array{"left_fold", "two_pass", "thread"},
                                           {"two_pass", "two_pass", "block"},
                                           {"online", "online", "warp"},
                                           {"resident_registers", "resident", "block"},
                                           {"resident_shared", "resident", "block"},
                                           {"resident_async", "resident", "warp"},
                                           {"resident_bulk", "resident", "block"},
                                           {"one_meeting", "resident_online", "cluster"},
                                           {"rows_in_turn", "resident_online", "cluster"},
                                           {"any_length", "resident", "warp"}})
      QTest::newRow(name) << form << cooperation;
  }
  void goldenSources() {
    QFETCH(QString, form);
    QFETCH(QString, cooperation);
    std::string name = QTest::currentDataTag();
    StructureProfile p = profile_of_file("softmax");
    Choices choices;
    Problem q = problem(8192, 4096, DType::bf16);
    if (name == "two_pass") choices = with(fast, {{"vector", number(8)}, {"vectors_per_thread", number(2)}});
    if (name == "online")
      choices = with(fast, {{"vector", number(4)}, {"vectors_per_thread", number(4)}}), q.float_type = DType::f32;
    if (name == "resident_registers")
      choices = with(fast, {{"threads", number(128)},
                            {"vector", number(8)},
                            {"vectors_per_thread", number(4)},
                            {"cache_hint", word("streaming")}});
    if (name == "resident_shared")
      choices = with(fast, {{"staging", word("shared")}, {"vector", number(8)}, {"vectors_per_thread", number(4)}});
    if (name == "resident_async")
      choices =
          with(fast, {{"staging", word("shared_async")}, {"vector", number(8)}, {"vectors_per_thread", number(4)}});
    if (name == "resident_bulk")
      choices = with(fast, {{"staging", word("shared_bulk")},
                            {"threads", number(256)},
                            {"vector", number(8)},
                            {"vectors_per_thread", number(2)}});
    if (name == "one_meeting")
      choices = with(fast, {{"row_blocks", number(4)},
                            {"threads", number(256)},
                            {"vector", number(8)},
                            {"vectors_per_thread", number(8)}}),
      q = problem(2048, 65536, DType::bf16);
    if (name == "rows_in_turn")
      choices = with(fast, {{"row_blocks", number(2)},
                            {"threads", number(512)},
                            {"vector", number(8)},
                            {"vectors_per_thread", number(8)},
                            {"turns", number(32)}}),
      q = problem(2048, 65536, DType::bf16);
    if (name == "any_length")
      choices = {{"vector", number(4)}, {"vectors_per_thread", number(8)}}, q = problem(64, 1000, DType::bf16);
    golden(p, row_plan(p, form.toStdString(), cooperation.toStdString(), choices), q);
  }

  void goldenColumns_data() {
    QTest::addColumn<QString>("form");
    QTest::newRow("columns_two_pass") << "two_pass";
    QTest::newRow("columns_online") << "online";
  }
  void goldenColumns() {
    QFETCH(QString, form);
    StructureProfile p = profile_of("op softmax(x: float[M, N]) -> y: float[M, N]\n  m[j] = max[i] x[i, j]\n"
                                    "  l[j] = sum[i] exp(x[i, j] - m[j])\n  y[i, j] = exp(x[i, j] - m[j]) / l[j]\n");
    Plan plan = column_plan(p, form.toStdString(),
                            {{"threads", number(256)},
                             {"column_lanes", number(16)},
                             {"reduction_tree", word("slices")},
                             {"vector", number(8)},
                             {"vectors_per_thread", number(2)},
                             {"row_blocks", number(form == "online" ? 2 : 1)},
                             {"exp", word("fast")}});
    Problem q = problem(4096, 8192, DType::bf16);
    golden(p, plan, q);
  }

  void argumentsInOrder() {
    StructureProfile p = profile_of_file("rmsnorm");
    Problem q = problem(8, 96, DType::bf16);
    auto modules = lower(p, row_plan(p, "two_pass", "warp"), q);
    QVERIFY(modules);
    const KernelModule& m = (*modules)[0];
    QCOMPARE(m.args.size(), std::size_t{4});
    QCOMPARE(m.args[0].name, std::string("x"));
    QCOMPARE(m.args[1].name, std::string("gamma"));
    QCOMPARE(m.args[2].name, std::string("y"));
    QCOMPARE(m.args[3].name, std::string("eps"));
    QVERIFY(m.args[0].role == Arg::Role::input && m.args[2].role == Arg::Role::output &&
            m.args[3].role == Arg::Role::scalar);
    QVERIFY(m.args[0].dtype == DType::bf16 && m.args[3].dtype == DType::f32); // a scalar is not rounded to bf16
    QCOMPARE(m.dim_args, (std::vector<std::string>{"M", "N"}));
    QCOMPARE(m.args[1].shape.size(), std::size_t{1});
    QCOMPARE(evaluate(m.args[1].shape[0], q.dims).value.value(), std::int64_t{96});
    QCOMPARE(evaluate(m.launch.grid[0], q.dims).value.value(), std::int64_t{8});
    QCOMPARE(evaluate(m.launch.grid[0], {{"M", 0}, {"N", 5}}).value.value(), std::int64_t{1}); // never an empty launch
    QCOMPARE(m.entry, std::string("rmsnorm_two_pass"));
    auto fixed = lower(p, row_plan(p, "two_pass", "warp", {{"row_length", word("static")}}), q);
    QCOMPARE((*fixed)[0].dim_args, std::vector<std::string>{"M"});
    QCOMPARE((*fixed)[0].plan.value(), id_of(row_plan(p, "two_pass", "warp", {{"row_length", word("static")}})));
  }

  void notesNameTheRuleOfTheirLine() {
    StructureProfile p = profile_of_file("softmax");
    auto modules = lower(p, row_plan(p, "online", "block"), problem(8, 100, DType::f32));
    QVERIFY(modules && !(*modules)[0].notes.empty());
    std::vector<std::string> lines;
    std::stringstream in((*modules)[0].cuda_source);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    for (const SourceNote& n : (*modules)[0].notes)
      QVERIFY(lines.at(static_cast<std::size_t>(n.line) - 1).find("[" + n.rule + "]") != std::string::npos);
  }

  void dumpsAfterAnyPass() {
    StructureProfile p = profile_of_file("softmax");
    Plan plan = row_plan(p, "resident", "warp", {{"vectors_per_thread", number(4)}});
    for (const std::string& pass : pass_names()) {
      std::string dump;
      QVERIFY(lower(p, plan, problem(8, 100, DType::f32), pass, &dump));
      QVERIFY2(dump.starts_with("kernel softmax_resident"), pass.c_str());
    }
    std::string dump;
    auto unknown = lower(p, plan, problem(8, 100, DType::f32), "polish", &dump);
    QVERIFY(!unknown);
    QCOMPARE(unknown.diagnostics[0].code, std::string("kernel.no-pass"));
    auto matrix =
        profile_of("op f(x: float[M, N]) -> y: float[M, N]\n  a[i] = sum[j] x[i, j]\n  b[j] = sum[i] x[i, j]\n"
                   "  y[i, j] = a[i] * b[j]\n");
    QCOMPARE(lower(matrix, plan, problem(8, 100, DType::f32)).diagnostics[0].code, std::string("kernel.mismatch"));
    plan.family = "crystal";
    QCOMPARE(lower(p, plan, problem(8, 100, DType::f32)).diagnostics[0].code, std::string("kernel.no-family"));
  }

  void contractionIsAnOptionOfTheCompiler() {
    StructureProfile p = profile_of_file("variance");
    auto off = lower(p, row_plan(p, "two_pass", "thread"), problem(8, 9, DType::f32));
    QCOMPARE((*off)[0].options, std::vector<std::string>{"-fmad=false"});
    auto on = lower(p, row_plan(p, "two_pass", "thread", {{"contract_fma", true}}), problem(8, 9, DType::f32));
    QVERIFY((*on)[0].options.empty());
  }

  void namesThatCxxForbids() {
    auto p = profile_of("op float_(int: float[while, N]; short = 2) -> double: float[while]\n"
                        "  double[for] = sum[if] int[for, if] * short\n");
    Problem q;
    q.dims = {{"while", 3}, {"N", 5}};
    Built built = build(p, row_plan(p, "two_pass", "warp"), q);
    if (!built.available) QSKIP(built.missing.c_str());
    QCOMPARE(built.variant.modules[0].args[0].name, std::string("int")); // bound by the definition's own name
  }

  void flatRowsNeedNoDivision() {
    const char* text = "op f(x: float[A, B, N]) -> y: float[A, B]\n  y[a, b] = sum[j] x[a, b, j]\n";
    const char* apart =
        "op f(x: float[A, B, N], s: float[B]) -> y: float[A, B]\n  y[a, b] = s[b] * (sum[j] x[a, b, j])\n";
    Problem q;
    q.dims = {{"A", 2}, {"B", 3}, {"N", 5}};
    auto p = profile_of(text), r = profile_of(apart);
    std::string flat = (*lower(p, row_plan(p, "two_pass", "warp"), q))[0].cuda_source;
    std::string split = (*lower(r, row_plan(r, "two_pass", "warp"), q))[0].cuda_source;
    QVERIFY(flat.find("% B") == std::string::npos && flat.find("/ B") == std::string::npos);
    QVERIFY(split.find("% B") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestLower)
#include "test_lower.moc"
