// The laboratory without a device: probes on disk and in the registry, kernels that compile and have the instructions
// that they are about, controls that withhold, and results that say where they come from.
#include "core/evidence/priors.hpp"
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "core/plan/compositions.hpp"
#include "core/semantics/legality.hpp"
#include "probes/findings.hpp"
#include "probes/kernels.hpp"
#include "probes/lab.hpp"
#include "probes/outputs.hpp"
#include "probes/plan_probe.hpp"
#include "tests/support/paths.hpp"

#include <nlohmann/json.hpp>

#include <QDirIterator>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <set>

using namespace aicf;
using namespace aicf::probes;
using aicf::test::sourceFile;

namespace {

/// Counts the sectors of a warp that reads 128 bytes in order; its control is right or wrong, as told.
class Planted final : public Probe {
 public:
  enum class Control { right, wrong, none };
  const Control control;
  explicit Planted(Control c) : control(c) {}
  [[nodiscard]] ProbeText text() const override {
    return {.id = "planted",
            .lab = "hardware",
            .name = "Planted",
            .measures = "sectors",
            .method = "counted",
            .control = "4 sectors",
            .inputs = "zeros"};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting&) const override {
    KernelText k;
    k.source = "extern \"C\" __global__ void probe(const unsigned* from, unsigned* to, long long n) {\n"
               "  to[threadIdx.x] = from[threadIdx.x] + n;\n}\n";
    k.buffers = {{"from", DType::i32, 32, Arg::Role::input, constant_fill(3)}, {"to", DType::i32, 32}};
    k.values = {{"n", 1}};
    Trial seen = exact_trial("seen", k);
    seen.judge = [](const std::vector<HostTensor>& m) { return std::map<std::string, double>{{"to", m[1].get(31)}}; };
    Trial absent = exact_trial("absent", k);
    absent.expects = {{"mma.sync", 1}};
    Trial timed = trial("timed", Trial::Reads::time, k);
    return {seen, absent, timed};
  }
  void conclude(const Setting&, const Observations& o, Findings& findings) const override {
    const double sectors = o.at("seen").counter("global_load_sectors");
    if (control != Control::none)
      findings.control_exact((sectors == 4) == (control == Control::right), "4 sectors, came out 4");
    findings.exact("sectors", "Sectors", "sectors", o.at("seen"), sectors);
    findings.exact("sum", "Sum", "", o.at("seen"), o.at("seen").number("to"));
    findings.exact("absent", "Absent", "", o.at("absent"), 1);
    findings.exact("uncounted", "Uncounted", "", o.at("seen"), o.at("seen").counter("no_such_counter"));
    findings.measured("time", "Time", "us", o.at("timed"));
    HardwareCurve& curve = findings.curve("curve", "Curve", {"x", "", false}, {"y", "", false}, false);
    fill_curve(curve, o, {"seen"}, [&](const Trial&, const Observation&) {
      return Spread{sectors, sectors, sectors, 1};
    });
  }
};

/// Times and cycles of one kernel on a device that is played: they depend on where its buffers lie.
class Placed final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "planted",
            .lab = "hardware",
            .name = "Placed",
            .measures = "time",
            .method = "played",
            .control = "passes",
            .inputs = "zeros"};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting&) const override {
    KernelText k;
    k.source = "extern \"C\" __global__ void probe(long long* samples) { samples[0] += 1; }\n";
    k.buffers = {{"samples", DType::i64, 2}};
    Trial cycles = trial("cycles", Trial::Reads::cycles, k);
    cycles.per = 10;
    return {trial("time", Trial::Reads::time, k), cycles};
  }
  void conclude(const Setting&, const Observations& o, Findings& findings) const override {
    findings.control_device(true, "played");
    findings.measured("time", "Time", "us", o.at("time"));
    findings.measured("cycles", "Cycles", "cycles", o.at("cycles"));
  }
};

class PlayedDevice final : public Backend {
 public:
  std::set<std::size_t> before; ///< bytes that lay before the kernel's buffers
  bool intact = true;           ///< each run found its buffer as the probe made it
  [[nodiscard]] std::string id() const override { return "cuda"; }
  Result<RunResult> run(std::span<const Call> calls, std::span<Buffer> buffers, const RunOptions& options,
                        std::stop_token) override {
    const std::size_t at = calls[0].buffers[0];
    auto* samples = reinterpret_cast<std::int64_t*>(buffers[at].bytes.data()); // NOLINT: as a kernel has it
    intact = intact && samples[0] == 0;
    samples[0] = 1980000;
    if (buffers[at].bytes.size() != 16) return RunResult{}; // the clock's
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < at; ++i) bytes += buffers[i].bytes.size();
    before.insert(bytes);
    const auto place = static_cast<double>(std::distance(before.begin(), before.find(bytes)));
    samples[0] = 100 + static_cast<std::int64_t>(10 * place), samples[1] = samples[0] + 1;
    RunResult result;
    if (options.repetitions > 0)
      result.metrics.push_back({Metric::Source::measured,
                                "time_us.hot",
                                "us",
                                "played",
                                {},
                                10 + place,
                                9.5 + place,
                                10.5 + place,
                                options.repetitions});
    return result;
  }
};

Outcome outcome_of(const Probe& probe) {
  EmulatorBackend emulator;
  Setting setting;
  setting.hardware.sm_count = 1;
  return run_probe(probe, setting, emulator, nullptr);
}

const HardwareFigure& named(const Outcome& outcome, const std::string& id) {
  for (const HardwareFigure& f : outcome.figures)
    if (f.id == "planted." + id) return f;
  throw std::logic_error("no figure " + id);
}

} // namespace

class TestLab : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (!nvrtc_info()) QSKIP("no NVRTC here");
  }

  void everyFileOfProbesIsRegistered() {
    const QRegularExpression statement("\\bRegisterProbe\\s+\\w+\\s*\\{\\s*\"([^\"]+)\"");
    QSet<QString> written;
    for (const char* folder : {"hardware", "primitive"})
      for (QDirIterator it(sourceFile("probes/") + folder, {"*.cpp"}); it.hasNext();) {
        QFile file(it.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto match = statement.match(QString::fromUtf8(file.readAll()));
        QVERIFY2(match.hasMatch(), qPrintable(file.fileName() + " registers no probe"));
        QCOMPARE(match.captured(1), QFileInfo(file).baseName());
        const Probe* probe = find(match.captured(1).toStdString());
        QVERIFY2(probe != nullptr, qPrintable(match.captured(1) + " is not in the program"));
        QCOMPARE(probe->text().lab, std::string(folder));
        written << match.captured(1);
      }
    QCOMPARE(static_cast<qsizetype>(registered().size()), written.size());
    for (const Probe* probe : registered()) {
      const ProbeText t = probe->text();
      QVERIFY2(!t.name.empty() && !t.measures.empty() && !t.method.empty() && !t.control.empty() && !t.inputs.empty(),
               t.id.c_str());
    }
  }

  void aGoodControlLetsFiguresThrough() {
    const Outcome outcome = outcome_of(Planted(Planted::Control::right));
    QCOMPARE(named(outcome, "sectors").status, std::string("exact"));
    QCOMPARE(named(outcome, "sectors").value, 4.0);
    QCOMPARE(named(outcome, "sectors").control.status, std::string("passed"));
    QCOMPARE(named(outcome, "sum").value, 4.0);
    QCOMPARE(outcome.curves.size(), std::size_t{1});
    // What the emitted code has not, what nobody counted, and what needs a device: no number, and why.
    QCOMPARE(named(outcome, "absent").status, std::string("not_measured"));
    QVERIFY(named(outcome, "absent").reason.find("mma.sync") != std::string::npos);
    QCOMPARE(named(outcome, "uncounted").status, std::string("not_measured"));
    QCOMPARE(named(outcome, "time").status, std::string("not_measured"));
    QVERIFY(named(outcome, "time").reason.find("needs a device") != std::string::npos);
  }

  /// A full run measures in several places of memory, and its spread holds what each of them gave.
  void aSpreadHoldsSeveralPlaces() {
    for (const bool quick : {true, false}) {
      EmulatorBackend emulator;
      PlayedDevice device;
      Setting setting;
      setting.device = true, setting.quick = quick, setting.hardware.sm_count = 1;
      const Outcome outcome = run_probe(Placed(), setting, emulator, &device);
      const auto places = static_cast<double>(device.before.size());
      QCOMPARE(device.before.size(), quick ? std::size_t{1} : std::size_t{3});
      QVERIFY(device.intact);
      const HardwareFigure &time = named(outcome, "time"), &cycles = named(outcome, "cycles");
      QCOMPARE(time.value, 10 + (places - 1) / 2);
      QCOMPARE(time.lo, 9.5);
      QCOMPARE(time.hi, 10.5 + places - 1);
      // 10 and 10.1 of the first place, whose 5 % quantile is 10.005 when it is alone; and a tenth, a cycle of ten
      // steps
      QVERIFY(cycles.lo >= 9.9 - 1e-9 && cycles.lo <= 9.905 + 1e-9);
      QVERIFY(cycles.hi >= 10.195 - 1e-9 + places - 1 && cycles.hi <= 10.2 + places - 1 + 1e-9);
      QCOMPARE(time.method.find("3 rounds, each in other memory") != std::string::npos, !quick);
    }
  }

  void aFailedControlWithholds() {
    for (const auto control : {Planted::Control::wrong, Planted::Control::none}) {
      const Outcome outcome = outcome_of(Planted(control));
      const HardwareFigure& f = named(outcome, "sectors");
      QCOMPARE(f.status, std::string("withheld"));
      QVERIFY(std::isnan(f.value) && std::isnan(f.lo) && std::isnan(f.hi));
      QVERIFY(f.reason.find("control") != std::string::npos);
      QVERIFY(outcome.curves.empty());
    }
  }

  void kernelsCompileAndRunOnTheEmulator_data() {
    QTest::addColumn<QString>("id");
    for (const Probe* probe : registered()) {
      const QString id = QString::fromStdString(probe->text().id);
      QTest::newRow(qPrintable(id)) << id;
    }
  }
  void kernelsCompileAndRunOnTheEmulator() {
    QFETCH(QString, id);
    const auto trouble = rehearse(*find(id.toStdString()));
    QVERIFY(trouble);
    QString failed;
    for (const auto& [trial, what] : *trouble)
      if (what.starts_with("skipped: "))
        qInfo().noquote() << "SKIP" << id << QString::fromStdString(trial + " " + what);
      else
        failed += QString::fromStdString(trial + ": " + what.substr(0, 400) + "\n");
    QVERIFY2(failed.isEmpty(), qPrintable(failed));
  }

  void whatOnlyADeviceRunsCompilesToo() {
    // Sizes may change a text: those that no rehearsal has compiled are compiled here.
    for (const Probe* probe : registered()) {
      std::set<std::string> known;
      for (const bool device : {false, true}) {
        Setting setting;
        setting.device = device;
        setting.hardware.sm_count = device ? 132 : 1;
        for (const Trial& t : probe->trials(setting))
          for (const Call& call : t.calls) {
            if (!known.insert(call.module.cuda_source).second || !device) continue;
            const auto compiled = compile(call.module);
            QVERIFY2(compiled, (probe->text().id + "/" + t.id + ": " +
                                (compiled.diagnostics.empty() ? "" : compiled.diagnostics[0].message))
                                   .c_str());
          }
      }
    }
  }

  void aRunIsKeptAndTakenUpAgain() {
    QTemporaryDir folder;
    auto store = Store::open(folder.path().toStdString() + "/evidence.sqlite");
    QVERIFY(store);
    LabRequest request;
    request.probes = {find("coalescing_alignment"), find("shared_conflicts")};
    const auto first = run_lab(request, &*store);
    QVERIFY(first);
    QVERIFY(first->complete);
    QCOMPARE(*store->count(), std::size_t{2});
    QVERIFY(!first->figures[0].run.empty());
    const auto read = hardware_profile_from_json(to_json(*first), "first");
    QVERIFY2(read, read.diagnostics.empty() ? "" : format(read.diagnostics[0]).c_str());
    request.resume = true;
    const auto second = run_lab(request, &*store);
    QVERIFY(second);
    QCOMPARE(*store->count(), std::size_t{2});
    QCOMPARE(second->figures.size(), first->figures.size());
    QCOMPARE(second->figures[0].run, first->figures[0].run);
    QVERIFY(to_json(*second)["figures"] == to_json(*first)["figures"]);
  }

  void countsAreThoseOfTheHardwareModel() {
    // 32 banks of 4 bytes: stride s puts gcd(s, 32) words on a bank; 32-byte sectors: stride s reads min(32, 4s) of
    // them.
    LabRequest request;
    request.probes = {find("shared_conflicts"), find("coalescing_stride")};
    const auto profile = run_lab(request, nullptr);
    QVERIFY(profile);
    for (int stride : {1, 2, 4, 8, 16, 32})
      QCOMPARE(figure_of(*profile, "shared_conflicts.wavefronts_" + std::to_string(stride))->value, double(stride));
    for (int stride : {1, 2, 4, 8, 16, 32})
      QCOMPARE(figure_of(*profile, "coalescing_stride.sectors_" + std::to_string(stride))->value,
               std::min(32.0, 4.0 * stride));
    const auto prior = std::find_if(profile->priors.begin(), profile->priors.end(),
                                    [](const Prior& p) { return p.id == "conflict_free_stride"; });
    QVERIFY(prior != profile->priors.end());
    QCOMPARE(prior->value, 1.0);
    QCOMPARE(prior->device, std::string("sm_90"));
    for (const HardwareFigure& f : profile->figures) QVERIFY(f.status != "measured");
  }

  void stoppedRunsSaySo() {
    LabRequest request;
    request.probes = {find("shared_conflicts")};
    std::stop_source stop;
    stop.request_stop();
    const auto profile = run_lab(request, nullptr, {}, stop.get_token());
    QVERIFY(profile);
    QVERIFY(!profile->complete);
    QVERIFY(profile->figures.empty());
  }

  /// What the shipped profiles say beside their figures is what today's rules make of these.
  void shippedOutputsAreDerived() {
    for (const auto& path : shipped_hardware_profiles()) {
      auto shipped = load_hardware_profile(path);
      QVERIFY(shipped);
      const nlohmann::json before = to_json(*shipped);
      derive_outputs(*shipped);
      const nlohmann::json after = to_json(*shipped);
      for (const char* list : {"envelope", "limits", "realizations", "legality_costs", "viability", "priors"}) {
        QVERIFY2(!before[list].empty() || (shipped->source == "emulator" && std::string(list) == "envelope"), list);
        QVERIFY2(before[list] == after[list],
                 (path.string() + ": " + list + ": `aicf probe derive` makes it new").c_str());
      }
    }
  }

  /// Each composition is judged, reached, and by what it stands on; those that a probe realizes have their costs.
  void compositionsAreViable() {
    auto shipped = load_hardware_profile(aicf::test::source_path("atlas/hardware/nvidia-h200.json"));
    QVERIFY(shipped);
    QCOMPARE(shipped->viability.size(), compositions().size());
    for (std::size_t i = 0; i < compositions().size(); ++i) {
      const FamilyViability& v = shipped->viability[i];
      QCOMPARE(v.family, compositions()[i].family);
      QVERIFY2(v.verdict == "viable" && v.reason.starts_with(compositions()[i].title), v.reason.c_str());
      QVERIFY(!v.primitives.empty());
    }
    auto costs = [&](const char* id) {
      for (std::size_t i = 0; i < compositions().size(); ++i)
        if (compositions()[i].id == id) return shipped->viability[i].figures;
      return std::vector<std::string>{};
    };
    auto has = [](const std::vector<std::string>& list, const char* id) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    QVERIFY(has(costs("row_online"), "online_forms.online.4096.time"));
    QVERIFY(has(costs("row_resident_bulk"), "tile_staging.shared_bulk.4096.time"));
    QVERIFY(!has(costs("row_online"), "online_forms.two_pass.4096.time"));
  }

  /// Each primitive that a composition joins is in a legal plan that makes the composition's choices; no two of a
  /// family are made by the same ones.
  void compositionsJoinWhatTheirPlansStandOn() {
    const char* const texts[] = {row_softmax, "op columns(x: float[M, N]) -> y: float[M, N]\n  m[j] = max[i] x[i, j]\n"
                                              "  l[j] = sum[i] exp(x[i, j] - m[j])\n"
                                              "  y[i, j] = exp(x[i, j] - m[j]) / l[j]\n"};
    std::vector<StructureProfile> structures;
    for (const char* text : texts)
      structures.push_back(analyze(canonicalize(std::make_shared<const Definition>(*parse_definition(text, "test")))));
    const auto reached = [&](const Composition& c, const std::string& id) {
      const bool long_rows = c.when.contains("cooperation") || c.when.contains("turns");
      for (const std::int64_t n : long_rows ? std::vector<std::int64_t>{32768} : std::vector<std::int64_t>{256, 32768})
        for (const Param& p : params())
          for (const Value& v : p.domain) {
            if (p.family != c.family || !p.primitives) continue;
            if (c.when.contains(p.id) && c.when.at(p.id) != to_text(v)) continue;
            const auto named = p.primitives(v);
            if (std::find(named.begin(), named.end(), id) == named.end()) continue;
            auto choices = c.when;
            choices[p.id] = to_text(v);
            Problem problem;
            problem.dims = {{"M", 512}, {"N", n}};
            const FoundPlan found = find_plan(structures[c.family == "column_cascade" ? 1 : 0], problem, choices);
            if (found.why_not.empty() && found.plan.family == c.family) return true;
          }
      return false;
    };
    std::set<std::pair<std::string, std::map<std::string, std::string>>> told;
    std::string never;
    for (const Composition& c : compositions()) {
      QVERIFY2(!c.when.empty() && told.insert({c.family, c.when}).second, c.id.c_str());
      for (const std::string& id : c.joins)
        if (!reached(c, id)) never += c.id + " joins " + id + "; ";
    }
    QVERIFY2(never.empty(), never.c_str());
  }

  /// Pairs of cases that differ in one rewriting, as a reader of the probes finds them; each row's ratio is that of its
  /// two figures, and everything that is priced is a transformation.
  void rewritingsArePriced() {
    struct Pair {
      const char *transformation, *quantity, *without, *with;
    };
    static constexpr Pair expected[] = {
        {"online_state", "sectors", "online_forms.two_pass.4096", "online_forms.online.4096"},
        {"online_state", "time", "online_forms.two_pass.1024", "online_forms.online.1024"},
        {"resident_row", "sectors", "online_forms.two_pass.4096", "online_forms.resident.4096"},
        {"vector_access", "instructions", "vector_width.v1.4096", "vector_width.v8.4096"},
        {"tree_reduction", "drift", "reduction_topology.sequential.4096", "reduction_topology.block.4096"},
        {"fast_exp", "drift", "exp_forms.precise.4096", "exp_forms.fast.4096"},
        {"fast_divide", "drift", "division_forms.ieee.4096", "division_forms.fast.4096"},
        {"reciprocal_hoist", "instructions", "division_forms.ieee.4096", "division_forms.reciprocal.4096"},
        {"fma_contraction", "drift", "fma_contraction.off.4096", "fma_contraction.on.4096"}};
    auto shipped = load_hardware_profile(aicf::test::source_path("atlas/hardware/nvidia-h200.json"));
    QVERIFY(shipped);
    const HardwareProfile& profile = *shipped; // derived anew above
    std::set<std::string> known;
    for (const Transformation& t : transformations()) known.insert(t.id);
    for (const LegalityCost& c : profile.legality_costs) {
      QVERIFY2(known.contains(c.transformation), c.transformation.c_str());
      const double with = figure_of(profile, c.with)->value, without = figure_of(profile, c.without)->value;
      QVERIFY(std::abs(c.ratio * without - with) <= 1e-12 * with);
      QVERIFY(c.lo <= c.ratio && c.ratio <= c.hi);
    }
    for (const Pair& p : expected) {
      const std::string end = std::string(".") + p.quantity;
      const bool found = std::any_of(profile.legality_costs.begin(), profile.legality_costs.end(), [&](const auto& c) {
        return c.transformation == p.transformation && c.without == p.without + end && c.with == p.with + end;
      });
      QVERIFY2(found, (std::string(p.transformation) + " by " + p.with + end).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(TestLab)
#include "test_lab.moc"
