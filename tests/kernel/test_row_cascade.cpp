// Row kernels on the emulator, with all of its checks, against the reference and against values known by hand.
#include "core/base/json.hpp"
#include "core/exec/reference.hpp"
#include "core/plan/choice.hpp"
#include "tests/kernel/row_plans.hpp"
#include "tests/support/paths.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <filesystem>
#include <random>
#include <set>

using namespace aicf;
using namespace aicf::test;

namespace {

using Choices = std::map<std::string, Value>;
constexpr double inf = INFINITY;

Problem problem(std::map<std::string, std::int64_t> dims, DType type = DType::f32) {
  Problem p;
  p.dims = std::move(dims);
  p.float_type = type;
  return p;
}

HostTensor tensor(DType type, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  HostTensor t(type, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) t.set(i, values[i]);
  return t;
}

/// Inputs from a fixed seed: normal reals, truth values, ids below `ids`.
std::map<std::string, HostTensor> inputs_for(const StructureProfile& p, const Problem& q, std::int64_t ids) {
  const Definition& d = *p.canonical->source;
  auto shapes = shapes_for(d, q.dims);
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, 2);
  std::map<std::string, HostTensor> inputs;
  for (TensorId t = 0; t < d.inputs; ++t) {
    const TensorDecl& decl = d.tensors[t];
    HostTensor h(decl.type.bind(q.float_type), shapes->at(decl.name));
    for (std::size_t i = 0; i < h.element_count(); ++i)
      h.set(i, is_float(h.dtype) ? normal(random)
               : h.dtype == DType::boolean
                   ? static_cast<double>(random() % 4 != 0)
                   : static_cast<double>(random() % static_cast<std::uint64_t>(std::max<std::int64_t>(ids, 1))));
    inputs[decl.name] = std::move(h);
  }
  return inputs;
}

/// Sums of up to `length` terms by any tree, and a few ulp a function: (length + 64) roundings to f32, one to the
/// output. The operators compared this way have no cancellation in their last step worth more than 2^4.
double tolerance(DType out, std::int64_t length) {
  return 2 * unit_roundoff(out) + 16 * static_cast<double>(length + 64) * 0x1p-24;
}

QString compare(const std::map<std::string, HostTensor>& got, const std::map<std::string, HostTensor>& want,
                std::int64_t length) {
  for (const auto& [name, w] : want) {
    const HostTensor& g = got.at(name);
    for (std::size_t i = 0; i < w.element_count(); ++i) {
      double a = g.get(i), b = w.get(i), scale = std::max(std::abs(b), 1.0);
      bool same = std::isfinite(b) && std::isfinite(a)
                      ? std::abs(a - b) <= (is_float(g.dtype)      ? tolerance(g.dtype, length) * scale
                                            : g.dtype == DType::i8 ? 1
                                                                   : 0)
                      : a == b || (std::isnan(a) && std::isnan(b)) || round_to(g.dtype, b) == a;
      if (!same) return QString("%1[%2] = %3, expected %4").arg(name.c_str()).arg(i).arg(a).arg(b);
    }
  }
  return {};
}

/// What is wrong with a kernel at these sizes; empty: nothing. `length`: of the longest reduction.
QString judged(const StructureProfile& p, const Built& built, const Problem& q,
               const std::map<std::string, HostTensor>& inputs, std::int64_t length) {
  Ran ran = run(p, built, q, inputs);
  if (!ran.result.faults.empty()) return QString::fromStdString(ran.result.faults[0].message);
  auto want = evaluate(*p.canonical->source, {inputs, {}});
  return want ? compare(ran.outputs, *want, length) : QString("the reference refuses");
}

/// One plan of each way of doing it that the family has for rows of any length.
std::vector<Plan> general_plans(const StructureProfile& p, bool online) {
  Value four = std::int64_t{4}, sixteen = std::int64_t{16};
  std::vector<Plan> plans;
  for (const char* who : {"thread", "warp", "block"}) {
    plans.push_back(row_plan(p, "two_pass", who));
    plans.push_back(row_plan(p, "two_pass", who, {{"vector", four}, {"vectors_per_thread", four}}));
    if (online) plans.push_back(row_plan(p, "online", who, {{"vectors_per_thread", four}}));
  }
  if (online) plans.push_back(row_plan(p, "online", "block", {{"vector", four}, {"exp", std::string("fast")}}));
  Choices two_blocks{{"threads", std::int64_t{64}}, {"row_blocks", std::int64_t{2}}};
  plans.push_back(row_plan(p, "two_pass", "split", two_blocks));
  if (online) plans.push_back(row_plan(p, "online", "split", two_blocks));
  plans.push_back(row_plan(p, "two_pass", "block", {{"accumulate", std::string("compensated")}, {"vector", four}}));
  plans.push_back(row_plan(p, "resident", "block", {{"threads", std::int64_t{512}}, {"vectors_per_thread", sixteen}}));
  plans.push_back(row_plan(p, "resident", "block",
                           {{"threads", std::int64_t{512}}, {"vector", four}, {"vectors_per_thread", four}}));
  return plans;
}

/// The first element of the only result for one row.
double one(const HostTensor& x, const Plan& plan, const StructureProfile& p) {
  Problem q = problem({{"M", 1}, {"N", x.shape[1]}}, x.dtype);
  Built built = build(p, plan, q);
  return run(p, built, q, {{"x", x}}).outputs.begin()->second.get(0);
}

} // namespace

class TestRowCascade : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    auto p = profile_of_file("sum");
    Built built = build(p, row_plan(p, "two_pass", "thread"), problem({{"M", 1}, {"N", 1}}));
    if (!built.available) QSKIP(built.missing.c_str());
  }

  /// A kernel that takes its sizes at run time serves every size.
  void anyNumberAndLengthOfRows_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("type");
    for (const char* op : {"softmax", "layernorm"})
      for (DType type : {DType::f32, DType::bf16})
        QTest::addRow("%s %s", op, std::string(name_of(type)).c_str()) << QString(op) << static_cast<int>(type);
  }
  void anyNumberAndLengthOfRows() {
    QFETCH(QString, op);
    QFETCH(int, type);
    auto p = profile_of_file(op.toStdString());
    for (const Plan& plan : general_plans(p, true)) {
      Built built = build(p, plan, problem({{"M", 7}, {"N", 1000}}, static_cast<DType>(type)));
      for (std::int64_t m : {1, 3, 7})
        for (std::int64_t n : {0, 1, 2, 31, 33, 127, 1000, 1025, 4097}) {
          if (m != 3 && n > 130) continue; // the emulator is exact, not fast
          Problem q = problem({{"M", m}, {"N", n}}, static_cast<DType>(type));
          auto inputs = inputs_for(p, q, n);
          std::string where = to_json_text(plan) + " M=" + std::to_string(m) + " N=" + std::to_string(n);
          QString wrong = judged(p, built, q, inputs, n);
          QVERIFY2(wrong.isEmpty(), (where + ": " + wrong.toStdString()).c_str());
        }
    }
  }

  /// Rows split over blocks that meet in memory, fewer and more of them than lanes of a warp: results of the row alone,
  /// results along it, a best element with its index, integers, no length at all.
  void partsOfARow() {
    const std::string text = "op f(x: float[M, N]) -> at: i32[M], v: float[M], y: float[M, N]\n"
                             "  at[i] = argmin[j] x[i, j]\n  mu[i] = (sum[j] x[i, j]) / N\n"
                             "  v[i] = (sum[j] (x[i, j] - mu[i])^2) / N\n"
                             "  n[i] = sum[j] where(x[i, j] > 0, 1, 0)\n  y[i, j] = x[i, j] / (1 + n[i])\n";
    for (const StructureProfile& p : {profile_of(text), profile_of_file("logsumexp"), profile_of_file("argmax")})
      for (std::int64_t parts : {8, 64})
        for (const char* form : {"two_pass", "online"}) {
          if (form == std::string("online") && (p.cascades.empty() || !p.cascades[0].summary)) continue;
          Plan plan = row_plan(p, form, "split", {{"row_blocks", parts}, {"threads", std::int64_t{64}}});
          Built built = build(p, plan, problem({{"M", 2}, {"N", 9001}}));
          for (std::int64_t n : {9001, 70, 1, 0}) {
            bool best = p.reductions[0].reducer.starts_with("arg");
            if (n == 0 && best) continue; // the best of nothing is an error
            Problem q = problem({{"M", 2}, {"N", n}});
            auto inputs = inputs_for(p, q, n);
            std::string where = to_json_text(plan) + " N=" + std::to_string(n);
            QString wrong = judged(p, built, q, inputs, n);
            QVERIFY2(wrong.isEmpty(), (where + ": " + wrong.toStdString()).c_str());
          }
        }
  }

  /// Blocks and clusters that work through several rows and read the next one ahead: every row once, whatever their
  /// number; one reduction, several, and a state; a length that the tile does not divide.
  void rowsInTurn_data() {
    QTest::addColumn<QString>("op");
    for (const char* op : {"softmax", "layernorm", "add_rmsnorm"}) QTest::newRow(op) << QString(op);
  }
  void rowsInTurn() {
    QFETCH(QString, op);
    auto p = profile_of_file(op.toStdString());
    const std::int64_t two = 2, three = 3, four = 4, eight = 8;
    std::vector<Plan> plans;
    for (const char* form : {"resident", "resident_online"}) {
      if (std::string(form) == "resident_online" && !p.cascades.front().summary) continue;
      for (const char* length : {"dynamic", "static"})
        plans.push_back(row_plan(p, form, "block",
                                 {{"threads", std::int64_t{64}},
                                  {"vector", four},
                                  {"vectors_per_thread", four},
                                  {"turns", three},
                                  {"row_length", std::string(length)}}));
      plans.push_back(
          row_plan(p, form, "block",
                   {{"threads", std::int64_t{512}}, {"vectors_per_thread", two}, {"turns", std::int64_t{32}}}));
      plans.push_back(row_plan(p, form, "cluster",
                               {{"threads", std::int64_t{64}},
                                {"row_blocks", two},
                                {"vector", four},
                                {"vectors_per_thread", two},
                                {"turns", two}}));
      plans.push_back(row_plan(
          p, form, "cluster",
          {{"threads", std::int64_t{64}}, {"row_blocks", eight}, {"vectors_per_thread", two}, {"turns", three}}));
    }
    for (const Plan& plan : plans)
      for (std::int64_t n : {1000, 998}) {
        Built built = build(p, plan, problem({{"M", 7}, {"N", n}}));
        for (std::int64_t m : {0, 1, 2, 3, 4, 7}) {
          Problem q = problem({{"M", m}, {"N", n}});
          QString wrong = judged(p, built, q, inputs_for(p, q, 1), n);
          QVERIFY2(wrong.isEmpty(), qPrintable(QString("%1 rows of %2, %3: %4")
                                                   .arg(m)
                                                   .arg(n)
                                                   .arg(QString::fromStdString(to_json(plan).dump()), wrong)));
        }
      }
  }

  /// A barrier less would be a race between one row's parts and the next one's.
  void rowsInTurnMeetOnceMore() {
    auto barriers = [](const std::string& op, const char* form, std::int64_t turns) {
      auto p = profile_of_file(op);
      Problem q = problem({{"M", 6}, {"N", 512}});
      Built built =
          build(p,
                row_plan(p, form, "block",
                         {{"threads", std::int64_t{128}}, {"vectors_per_thread", std::int64_t{4}}, {"turns", turns}}),
                q);
      return metric(run(p, built, q, inputs_for(p, q, 1)).result, "barriers");
    };
    constexpr double warps = 4, rows = 6;
    QCOMPARE(barriers("softmax", "resident", 1), 2 * rows * warps); // a level, a meeting
    QCOMPARE(barriers("softmax", "resident", 3), 2 * rows * warps); // the other level's lies between
    QCOMPARE(barriers("softmax", "resident_online", 1), rows * warps);
    QCOMPARE(barriers("softmax", "resident_online", 3), 2 * rows * warps);
  }

  /// What a compensated sum loses it adds at the end, whoever folds the row and wherever parts meet; an infinite sum
  /// stays infinite.
  void compensatedSums() {
    StructureProfile rows = profile_of("op f(x: float[M, N]) -> y: float[M]\n  y[i] = sum[j] x[i, j]\n");
    StructureProfile columns = profile_of("op f(x: float[N, M]) -> y: float[M]\n  y[i] = sum[j] x[j, i]\n");
    const Value compensated = std::string("compensated"), four = std::int64_t{4}, threads = std::int64_t{64};
    const std::string slices = "slices";
    std::vector<std::pair<const StructureProfile*, Plan>> plans;
    for (const char* who : {"thread", "warp", "block"})
      plans.emplace_back(&rows, row_plan(rows, "two_pass", who, {{"accumulate", compensated}, {"vector", four}}));
    plans.emplace_back(&rows, row_plan(rows, "two_pass", "split",
                                       {{"accumulate", compensated}, {"row_blocks", four}, {"threads", threads}}));
    plans.emplace_back(&rows, row_plan(rows, "two_pass", "cluster",
                                       {{"accumulate", compensated}, {"row_blocks", four}, {"threads", threads}}));
    plans.emplace_back(&columns, column_plan(columns, "two_pass",
                                             {{"accumulate", compensated},
                                              {"threads", threads},
                                              {"column_lanes", std::int64_t{8}},
                                              {"reduction_tree", slices}}));
    for (const auto& [p, plan] : plans) {
      std::vector<double> x(1200, 0.75); // beside 2^24 a sum in f32 loses each of them, or rounds it to 1
      x[100] = 0x1p24, x[1100] = -0x1p24;
      bool by_rows = p == &rows;
      auto ran = [&, p = p, plan = plan] {
        Problem q = problem({{"M", 1}, {"N", 1200}});
        HostTensor t =
            tensor(DType::f32, by_rows ? std::vector<std::int64_t>{1, 1200} : std::vector<std::int64_t>{1200, 1}, x);
        return run(*p, build(*p, plan, q), q, {{"x", t}}).outputs.at("y").get(0);
      };
      QCOMPARE(ran(), 1198 * 0.75);
      x[7] = inf;
      QCOMPARE(ran(), inf);
      x[8] = -inf;
      QVERIFY(std::isnan(ran()));
    }
  }

  /// Reductions over several axes at once: one run of memory, runs apart from each other, rows next to each other;
  /// sizes that a packed access divides and sizes that it does not; a result that numbers the rows in its own way.
  void severalAxes() {
    const std::string together = "op f(x: float[B, H, W], g: float[W]) -> y: float[B, H, W]\n"
                                 "  m[b] = (sum[h, w] x[b, h, w]) / (H * W)\n"
                                 "  v[b] = max[h, w] abs(x[b, h, w] - m[b])\n"
                                 "  y[b, h, w] = (x[b, h, w] - m[b]) * g[w] / (1 + v[b])\n";
    const std::string apart = "op f(x: float[H, B, W]) -> y: float[H, B, W], m: float[B]\n"
                              "  m[b] = (sum[h, w] x[h, b, w] * w) / (H * W)\n  y[h, b, w] = x[h, b, w] - m[b]\n";
    const std::string across = "op f(x: float[H, W, B]) -> y: float[B]\n  y[b] = sum[h, w] x[h, w, b]^2\n";
    for (const std::string& text : {together, apart, across}) {
      StructureProfile p = profile_of(text);
      for (auto [h, w] : {std::pair<std::int64_t, std::int64_t>{5, 16}, {3, 7}, {1, 1}, {4, 40}}) {
        Problem q = problem({{"B", 8}, {"H", h}, {"W", w}});
        PlanSpace space = plan(p, judge(p, {}), {}, q);
        QVERIFY(!space.plans.empty());
        auto inputs = inputs_for(p, q, 1);
        std::map<std::string, const Plan*> kinds; // the best of each state form and width of access
        for (const Plan& candidate : space.plans)
          kinds.try_emplace(candidate.family + word(candidate, "state_form") + word(candidate, "row_length") +
                                std::to_string(number(candidate, "vector")),
                            &candidate);
        for (const auto& [kind, candidate] : kinds) {
          QString wrong = judged(p, build(p, *candidate, q), q, inputs, h * w);
          QVERIFY2(wrong.isEmpty(), (text + kind + ": " + wrong.toStdString()).c_str());
        }
      }
    }
  }

  /// Axes across memory: ragged lengths, no length at all, more rows than threads, clusters, a merge that reads its
  /// row.
  void columns() {
    const std::string text = "op f(x: float[M, N], t: float[N]) -> y: float[M, N]\n"
                             "  m[j] = max[i] x[i, j]\n  s[j] = sum[i] exp(t[j]^2 * (x[i, j] - m[j]))\n"
                             "  y[i, j] = exp(x[i, j] - m[j]) / (1 + s[j])\n";
    StructureProfile p = profile_of(text);
    const std::int64_t one = 1, two = 2, four = 4, eight = 8;
    std::vector<std::map<std::string, Value>> plans{
        {{"threads", std::int64_t{32}}, {"column_lanes", std::int64_t{32}}, {"vectors_per_thread", four}},
        {{"threads", std::int64_t{128}},
         {"column_lanes", eight},
         {"reduction_tree", std::string("slices")},
         {"vectors_per_thread", two}},
        {{"threads", std::int64_t{64}},
         {"column_lanes", std::int64_t{32}},
         {"reduction_tree", std::string("slices")},
         {"vector", four}},
        {{"threads", std::int64_t{64}},
         {"column_lanes", std::int64_t{16}},
         {"reduction_tree", std::string("slices")},
         {"row_blocks", two},
         {"vector", four},
         {"row_length", std::string("static")}}};
    for (const char* form : {"two_pass", "online"})
      for (auto& choices : plans)
        for (std::int64_t m : {0, 1, 37, 130})
          for (std::int64_t n : {1, 4, 36, 260}) {
            std::int64_t vector = choices.contains("vector") ? std::get<std::int64_t>(choices["vector"]) : one;
            if (n % vector != 0) continue;
            Problem q = problem({{"M", m}, {"N", n}}, DType::f32);
            Plan plan = column_plan(p, form, choices);
            Built built = build(p, plan, q);
            if (!built.available) QSKIP(built.missing.c_str());
            auto inputs = inputs_for(p, q, 7);
            std::string where = std::string(form) + " M=" + std::to_string(m) + " N=" + std::to_string(n);
            QString wrong = judged(p, built, q, inputs, 64);
            QVERIFY2(wrong.isEmpty(), (where + ": " + wrong.toStdString()).c_str());
          }
    StructureProfile deep = profile_of("op f(x: float[M, B, N], t: float[B, N]) -> y: float[M, B, N]\n"
                                       "  m[b, j] = max[i] x[i, b, j]\n"
                                       "  s[b, j] = sum[i] exp(t[b, j]^2 * (x[i, b, j] - m[b, j]))\n"
                                       "  y[i, b, j] = exp(x[i, b, j] - m[b, j]) / (1 + s[b, j])\n");
    for (const char* form : {"two_pass", "online"}) { // two row variables, more columns than threads merge them
      Problem q = problem({{"M", 21}, {"B", 3}, {"N", 20}}, DType::f32);
      Plan plan = column_plan(deep, form,
                              {{"threads", std::int64_t{32}},
                               {"column_lanes", std::int64_t{16}},
                               {"reduction_tree", std::string("slices")},
                               {"vector", four}});
      Built built = build(deep, plan, q);
      if (!built.available) QSKIP(built.missing.c_str());
      auto inputs = inputs_for(deep, q, 7);
      Ran ran = run(deep, built, q, inputs);
      QVERIFY(ran.result.faults.empty());
      auto want = evaluate(*deep.canonical->source, {inputs, {}});
      QVERIFY(want);
      QString difference = compare(ran.outputs, *want, 64);
      QVERIFY2(difference.isEmpty(), difference.toUtf8());
    }
    Problem ragged = problem({{"M", 8}, {"N", 37}}, DType::f32); // no multiple of the packed groups: refused, not wrong
    Built built = build(p, column_plan(p, "two_pass", plans[2]), ragged);
    if (!built.available) QSKIP(built.missing.c_str());
    QVERIFY(!run(p, built, ragged, inputs_for(p, ragged, 7)).result.faults.empty());
  }

  void everyOperatorOfTheAtlasThatFits() {
    std::filesystem::path folder = source_path("atlas/ops");
    int fitting = 0;
    std::set<std::filesystem::path> files; // in one order on every machine
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
    for (const std::filesystem::path& path : files) {
      auto p = profile_of_file(path.stem().string());
      bool fits =
          std::any_of(families().begin(), families().end(), [&](const Family& f) { return f.mismatch(p).empty(); });
      if (!fits) continue;
      ++fitting;
      Problem q = problem({}, DType::bf16);
      const auto& dims = p.canonical->source->dims;
      for (bool rising : {true, false}) { // a window comes after what it slides over, and is smaller
        for (std::size_t k = 0; k < dims.size(); ++k) {
          auto small = static_cast<std::int64_t>(3 + (rising ? k : dims.size() - k));
          q.dims[dims[k]] = rising && (dims[k] == "N" || dims[k] == "D") ? 40 : small;
        }
        if (shapes_for(*p.canonical->source, q.dims)) break;
      }
      CompilerProfile rules;
      PlanSpace space = plan(p, judge(p, rules), rules, q);
      QVERIFY2(!space.plans.empty(), path.c_str());
      std::map<std::string, std::vector<const Plan*>> forms; // by family: the best plan of each state form
      std::set<std::string> seen;
      for (const Plan& candidate : space.plans)
        if (seen.insert(candidate.family + word(candidate, "state_form")).second)
          forms[candidate.family].push_back(&candidate);
      for (const auto& [family, plans] : forms) { // one of them an operator, another for the next
        const Plan& candidate = *plans[static_cast<std::size_t>(fitting) % plans.size()];
        // fourth moments lose some more
        QString wrong = judged(p, build(p, candidate, q), q, inputs_for(p, q, 3), 1 << 10);
        QVERIFY2(wrong.isEmpty(),
                 (path.string() + " " + word(candidate, "state_form") + ": " + wrong.toStdString()).c_str());
      }
    }
    QVERIFY(fitting >= 100);
  }

  /// Each sweep of the plan reads the row once: 3 × 96 floats are 36 sectors of 32 bytes.
  void sectorsAreThoseOfTheSweeps() {
    auto p = profile_of_file("softmax");
    Problem q = problem({{"M", 3}, {"N", 96}});
    auto inputs = inputs_for(p, q, 1);
    auto sectors = [&](const Plan& plan) {
      return metric(run(p, build(p, plan, q), q, inputs).result, "global_load_sectors");
    };
    Value four = std::int64_t{4}, fixed = std::string("static");
    QCOMPARE(sectors(row_plan(p, "two_pass", "warp")), 3 * 36.0);
    QCOMPARE(sectors(row_plan(p, "online", "warp")), 2 * 36.0);
    QCOMPARE(sectors(row_plan(p, "resident", "warp", {{"vectors_per_thread", four}})), 36.0);
    QCOMPARE(sectors(row_plan(p, "resident", "warp", {{"staging", std::string("shared")}, {"row_length", fixed}})),
             36.0);
  }

  void sumsOfIntegersAreExact() {
    auto p = profile_of_file("sum");
    std::vector<double> values;
    double total = 0;
    for (int i = 0; i < 1000; ++i) values.push_back(i % 17 - 8), total += values.back();
    HostTensor x = tensor(DType::f32, {1, 1000}, values);
    for (const Plan& plan :
         {row_plan(p, "two_pass", "thread"), row_plan(p, "two_pass", "warp"), row_plan(p, "online", "block")})
      QCOMPARE(one(x, plan, p), total);
  }

  void specialValues() {
    auto max = profile_of_file("max"), argmax = profile_of_file("argmax");
    HostTensor plain = tensor(DType::f32, {1, 70}, std::vector<double>(70, -inf));
    HostTensor broken = plain;
    broken.set(40, NAN);
    broken.set(65, NAN);
    broken.set(3, 7);
    HostTensor ties = plain;
    for (std::size_t i : {69U, 33U, 34U}) ties.set(i, 2);
    HostTensor empty(DType::f32, {1, 0});
    for (const char* who : {"thread", "warp", "block"}) {
      QCOMPARE(one(plain, row_plan(max, "two_pass", who), max), -inf);
      QVERIFY(std::isnan(one(broken, row_plan(max, "two_pass", who), max)));
      QCOMPARE(one(empty, row_plan(max, "two_pass", who), max), -inf); // the identity
      for (const char* form : {"two_pass", "online"}) {
        QCOMPARE(one(ties, row_plan(argmax, form, who), argmax), 33.0);
        QCOMPARE(one(broken, row_plan(argmax, form, who), argmax), 40.0); // the first NaN
        QCOMPARE(one(plain, row_plan(argmax, form, who), argmax), 0.0);
      }
    }
  }

  void fullyMaskedRows() {
    auto p = profile_of_file("masked_softmax");
    Problem q = problem({{"M", 2}, {"N", 5}});
    HostTensor x = tensor(DType::f32, {2, 5}, {1, 2, 3, 4, 5, 1, 2, 3, 4, 5});
    HostTensor mask = tensor(DType::boolean, {2, 5}, {0, 0, 0, 0, 0, 0, 1, 0, 1, 0});
    for (const char* form : {"two_pass", "online", "resident"}) {
      auto y = run(p, build(p, row_plan(p, form, "warp"), q), q, {{"x", x}, {"mask", mask}}).outputs.at("y");
      for (std::size_t j = 0; j < 5; ++j) QCOMPARE(y.get(j), 0.0); // where() never asks for the 0/0
      QVERIFY(std::abs(y.get(8) - std::exp(2.0) / (1 + std::exp(2.0))) < 1e-6);
      QCOMPARE(y.get(5), 0.0);
    }
  }

  void idsOutOfRangeTrap() {
    auto p = profile_of_file("cross_entropy");
    Problem q = problem({{"M", 2}, {"N", 4}});
    HostTensor x = tensor(DType::f32, {2, 4}, std::vector<double>(8, 0));
    auto faults = [&](double id) {
      HostTensor target = tensor(DType::i64, {2}, {1, id});
      return run(p, build(p, row_plan(p, "two_pass", "warp"), q), q, {{"x", x}, {"target", target}}).result.faults;
    };
    QVERIFY(faults(3).empty());
    for (double bad : {4.0, -1.0}) {
      auto found = faults(bad);
      QVERIFY(!found.empty());
      QCOMPARE(found[0].kind, std::string("trap"));
    }
  }

  void whatAMaskHidesIsNotLookedUp() { // the id is out of range exactly where the mask is off, in both sweeps
    auto p = profile_of("op f(t: float[V], ids: i64[M, N], on: bool[M, N]) -> y: float[M, N]\n"
                        "  e[i, j] = where(on[i, j], exp(t[ids[i, j]]), 0)\n  y[i, j] = e[i, j] / (sum[k] e[i, k])\n");
    Problem q = problem({{"V", 2}, {"M", 1}, {"N", 3}});
    HostTensor t = tensor(DType::f32, {2}, {0, 0}), ids = tensor(DType::i64, {1, 3}, {1, 9, 0}),
               on = tensor(DType::boolean, {1, 3}, {1, 0, 1});
    for (const char* form : {"two_pass", "online", "resident"}) {
      Ran ran = run(p, build(p, row_plan(p, form, "warp"), q), q, {{"t", t}, {"ids", ids}, {"on", on}});
      QVERIFY(ran.result.faults.empty());
      QCOMPARE(ran.outputs.at("y").get(0), 0.5);
      QCOMPARE(ran.outputs.at("y").get(1), 0.0);
    }
  }

  void userReducersFoldInOrder() { // a - b is neither associative nor commutative: only the left fold is it
    auto p = profile_of("reducer minus(a, b) = a - b identity 0\n"
                        "op f(x: float[M, N]) -> y: float[M]\n  y[i] = minus[j] x[i, j]\n");
    HostTensor x = tensor(DType::f32, {1, 3}, {1, 2, 4});
    QCOMPARE(one(x, row_plan(p, "two_pass", "thread"), p), -7.0);
  }

  void columnsAndBatches() {
    for (const char* text :
         {"op f(x: float[A, N, B]) -> y: float[A, N, B]\n"
          "  l[a, b]    = sum[j] x[a, j, b]\n  y[a, j, b] = x[a, j, b] - l[a, b] / N\n",
          "op f(x: float[N, A, B]) -> y: float[N, A, B]\n  y[j, a, b] = x[j, a, b] - (max[k] x[k, a, b])\n",
          "op f(x: float[A, B, N], s: float[B]) -> y: float[A, B]\n  y[a, b] = s[b] * (sum[j] x[a, b, j])\n",
          "op f(x: float[N]) -> y: float[N]\n  y[j] = x[j] - (max[k] x[k])\n",
          "op f(x: float[A, N, B]) -> y: float[B, A]\n  y[b, a] = sum[j] x[a, j, b]\n"}) {
      auto p = profile_of(text);
      Problem q = problem({{"A", 2}, {"N", 37}, {"B", 3}});
      for (const char* unused : {"A", "B"})
        if (const auto& dims = p.canonical->source->dims; std::find(dims.begin(), dims.end(), unused) == dims.end())
          q.dims.erase(unused);
      auto inputs = inputs_for(p, q, 1);
      auto want = evaluate(*p.canonical->source, {inputs, {}});
      QVERIFY(want);
      for (const char* who : {"thread", "warp", "block"}) {
        QString difference = compare(run(p, build(p, row_plan(p, "two_pass", who), q), q, inputs).outputs, *want, 37);
        QVERIFY2(difference.isEmpty(), (text + difference.toStdString()).c_str());
      }
    }
  }

  void storedTypes() {
    auto p = profile_of("op f(a: i8[M, N], b: f16[M, N], c: i32[M, N], d: bool[M, N]) -> y: i8[M, N], z: f16[M, N], k: "
                        "i64[M, N], t: bool[M, N]\n"
                        "  y[i, j] = i8(b[i, j] * 100)\n  z[i, j] = a[i, j] + b[i, j]\n  k[i, j] = c[i, j] * c[i, j]\n"
                        "  t[i, j] = d[i, j] and b[i, j] < 0\n");
    Problem q = problem({{"M", 2}, {"N", 16}});
    auto inputs = inputs_for(p, q, 100);
    inputs.at("c").set(3, 2000000000); // its square needs 64 bits
    auto want = evaluate(*p.canonical->source, {inputs, {}});
    QVERIFY(want);
    for (std::int64_t v : {1, 2, 8}) {
      Plan plan =
          row_plan(p, "two_pass", "warp", {{"vector", Value(v)}, {"reduction_tree", std::string("sequential")}});
      QString difference = compare(run(p, build(p, plan, q), q, inputs).outputs, *want, 1);
      QVERIFY2(difference.isEmpty(), difference.toStdString().c_str());
    }
  }

 private:
  static std::string to_json_text(const Plan& plan) {
    std::string text;
    for (const auto& [id, value] : plan.choices) text += id + "=" + to_text(value) + " ";
    return text;
  }
};

QTEST_GUILESS_MAIN(TestRowCascade)
#include "test_row_cascade.moc"
