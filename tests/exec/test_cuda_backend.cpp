// The CUDA backend's own logic on a driver played in host memory: arguments, guard zones, copies, timing, errors,
// cancelling. What a real device does is `aicf selftest device`.
#include "core/exec/cuda/marshal.hpp"
#include "core/exec/cuda/power.hpp"
#include "core/exec/cuda/timing.hpp"
#include "core/exec/cuda/turns.hpp"
#include "tests/exec/fake_driver.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace aicf;
using namespace aicf::cuda;

namespace {

using Role = Arg::Role;

template <class T> T argument(void** parameters, std::size_t i) {
  T value;
  std::memcpy(&value, parameters[i], sizeof(T));
  return value;
}
float* floats(void** parameters, std::size_t i) { // a stand-in of the driver: its device pointers are the host's
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<float*>(static_cast<std::uintptr_t>(argument<DevicePointer>(parameters, i)));
}

struct Setup {
  Call call;
  std::vector<std::vector<std::byte>> memory;
  std::vector<Buffer> buffers;
  RunOptions options;

  explicit Setup(const std::string& entry = "k") {
    call.module.entry = entry;
    call.compiled.ptx = "ptx";
  }
  void tensor(const std::string& name, Role role, const std::string& extent, std::size_t elements,
              DType type = DType::f32) {
    call.module.args.push_back({name, role, type, {{extent}}, {}});
    call.buffers.push_back(buffers.size());
    memory.emplace_back(elements * size_of(type));
    buffers.push_back({{}, type, {static_cast<std::int64_t>(elements)}, {1}});
  }
  Result<RunResult> run(Backend& backend, const std::stop_token& stop = {}) {
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].bytes = memory[i];
    return backend.run({&call, 1}, buffers, options, stop);
  }
  float at(std::size_t buffer, std::size_t i) {
    return static_cast<float>(load_element(buffers[buffer].dtype, memory[buffer].data(), i));
  }
  /// Codes of the diagnostics that marshalling gives.
  std::string errors() {
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].bytes = memory[i];
    std::string out;
    for (const Diagnostic& d : marshal(call, buffers).diagnostics) out += (out.empty() ? "" : " ") + d.code;
    return out;
  }
};

int nothing(const LaunchConfig&, void**) { return success; }

} // namespace

class TestCudaBackend : public QObject {
  Q_OBJECT
  std::unique_ptr<Backend> backend;

 private slots:
  void initTestCase() { qputenv("AICF_CUDA", "none"); } // whatever this machine has: the driver is played
  void init() {
    backend.reset();
    fake::reset();
    backend = make_backend(fake::driver(), fake::device());
  }
  void cleanup() {
    backend.reset();
    QVERIFY2(fake::state().complaints.empty(),
             fake::state().complaints.empty() ? "" : fake::state().complaints.front().c_str());
    if (!fake::state().dead) QVERIFY(fake::state().allocations.empty()); // all was freed
    QCOMPARE(fake::state().calls_after_death, 0);
  }

  void argumentsComeInOrder() { // pointers and scalars as in args, then the dims
    Setup s;
    auto& args = s.call.module.args;
    s.tensor("x", Role::input, "N", 4);
    args.push_back({"f", Role::scalar, DType::f32, {}, {}});
    args.push_back({"h", Role::scalar, DType::f16, {}, {}});
    s.tensor("y", Role::output, "N", 4);
    args.push_back({"i", Role::scalar, DType::i32, {}, {}});
    args.push_back({"d", Role::scalar, DType::f64, {}, {}});
    args.push_back({"b", Role::scalar, DType::boolean, {}, {}});
    s.call.scalars = {{"f", 0.1}, {"h", -2.5}, {"i", -7}, {"d", 0.1}, {"b", 1}};
    s.call.module.dim_args = {"N", "big"};
    s.call.dims = {{"N", 4}, {"big", 12345678901}};
    s.call.module.launch.grid = {{{"ceil(N/3)"}, {"2"}, {"1"}}};
    s.call.module.launch.block = {{{"32*N"}, {"1"}, {"2"}}};
    s.call.module.launch.dynamic_shared = {"4*N"};
    store_element(DType::f32, s.memory[0].data(), 3, 42);
    bool seen = false;
    fake::state().kernels["k"].body = [&](const LaunchConfig& c, void** p) {
      seen = c.grid_x == 2 && c.grid_y == 2 && c.grid_z == 1 && c.block_x == 128 && c.block_y == 1 && c.block_z == 2 &&
             c.shared_bytes == 16 && c.attribute_count == 0 && floats(p, 0)[3] == 42 && argument<float>(p, 1) == 0.1F &&
             argument<std::uint16_t>(p, 2) == 0xc100 && argument<std::int32_t>(p, 4) == -7 &&
             argument<double>(p, 5) == 0.1 && argument<std::uint8_t>(p, 6) == 1 && argument<std::int64_t>(p, 7) == 4 &&
             argument<std::int64_t>(p, 8) == 12345678901;
      floats(p, 3)[0] = 7;
      return int{success};
    };
    auto result = s.run(*backend);
    QVERIFY(result);
    QVERIFY(result->status == RunResult::Status::ok && seen);
    QCOMPARE(s.at(1, 0), 7.0F);
    QVERIFY(result->metrics.empty());
  }

  void clustersAndSharedMemoryAreAskedFor() {
    Setup s;
    s.call.module.launch.grid[0] = {"32"};
    s.call.module.launch.cluster[0] = {"16"};
    s.call.module.launch.dynamic_shared = {"100*1024"};
    auto& kernel = fake::state().kernels["k"];
    unsigned cluster = 0;
    kernel.body = [&](const LaunchConfig& c, void**) {
      cluster = c.attribute_count == 1 && c.attributes->id == 4 ? c.attributes->value.cluster[0] : 0;
      return int{success};
    };
    QVERIFY(s.run(*backend)->faults.empty());
    QCOMPARE(cluster, 16U);
    QCOMPARE(kernel.asked_dynamic, 100 * 1024);
    QCOMPARE(kernel.asked_non_portable, 1);
    kernel.static_shared = 128 * 1024; // together more than the device has
    auto refused = s.run(*backend);
    QVERIFY(refused && refused->status == RunResult::Status::faulted);
    QCOMPARE(refused->faults.at(0).kind, std::string("launch-refused"));
  }

  void emptyGridsAndEmptyBuffers() {
    Setup s;
    s.tensor("x", Role::output, "N", 0);
    s.call.dims = {{"N", 0}};
    s.call.module.launch.grid[0] = {"N"};
    fake::state().kernels["k"].body = nothing;
    QVERIFY(s.run(*backend)->faults.empty());
    QCOMPARE(fake::state().launches, 0);
  }

  void writesOutsideAreFound_data() {
    QTest::addColumn<int>("offset");
    for (int offset : {-1, 10, -16384, 10 + 16383})
      QTest::newRow(std::to_string(offset).c_str()) << offset; // in floats
  }
  void writesOutsideAreFound() {
    QFETCH(int, offset);
    Setup s;
    s.tensor("a", Role::input, "10", 10);
    s.tensor("b", Role::output, "10", 10);
    fake::state().kernels["k"].body = [&](const LaunchConfig&, void** p) {
      floats(p, 1)[offset] = 1;
      floats(p, 1)[5] = 2;
      return int{success};
    };
    auto result = s.run(*backend);
    QVERIFY(result && result->status == RunResult::Status::faulted);
    const Fault& fault = result->faults.at(0);
    QCOMPARE(fault.kind, std::string("out-of-bounds"));
    QCOMPARE(fault.kernel, std::string("k"));
    QVERIFY(fault.message.find("'b'") != std::string::npos);
    QCOMPARE(s.at(1, 5), 2.0F); // what it wrote inside comes back all the same
    QCOMPARE(result->faults.size(), std::size_t{1});
    s.options.checks = false;
    QVERIFY(s.run(*backend)->faults.empty());
  }

  void theGuiltyCallIsNamed() {
    Setup s, second("k2");
    s.tensor("a", Role::inout, "4", 4);
    second.call.module.args = s.call.module.args;
    second.call.buffers = s.call.buffers;
    fake::state().kernels["k"].body = nothing;
    fake::state().kernels["k2"].body = [](const LaunchConfig&, void** p) { return floats(p, 0)[4] = 1, int{success}; };
    s.buffers[0].bytes = s.memory[0];
    std::vector<Call> calls{s.call, second.call, s.call};
    auto result = backend->run(calls, s.buffers, {}, {});
    QVERIFY(result);
    QCOMPARE(result->faults.size(), std::size_t{1});
    QCOMPARE(result->faults[0].kernel, std::string("k2"));
  }

  void ptxStandsInForAForeignCubin() {
    Setup s;
    s.call.compiled.cubin = {std::byte{'X'}};
    fake::state().kernels["k"].body = nothing;
    QVERIFY(s.run(*backend)->faults.empty());
    s.call.compiled.ptx.clear();
    QCOMPARE(s.run(*backend)->faults.at(0).kind, std::string("launch-refused"));
    s.call.compiled.cubin.clear();
    QCOMPARE(s.run(*backend).diagnostics.at(0).code, std::string("exec.not-compiled"));
  }

  void theDriverCompilesAtTheLevelThatTheModuleAsksFor_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<int>("level"); // -1: the driver's own
    QTest::newRow("none") << "" << -1;
    QTest::newRow("zero") << "--ptxas-options=-O0" << 0;
    QTest::newRow("among others") << "--use_fast_math --ptxas-options=-v,-O3 --maxrregcount=32" << 3;
    QTest::newRow("the last one") << "-Xptxas=-O1 --ptxas-options=-O4" << 4;
    QTest::newRow("no level of ptxas") << "-O2 --ptxas-options=-v" << -1;
  }
  void theDriverCompilesAtTheLevelThatTheModuleAsksFor() {
    QFETCH(QString, options);
    QFETCH(int, level);
    Setup s;
    for (const QString& option : options.split(' ', Qt::SkipEmptyParts))
      s.call.module.options.push_back(option.toStdString());
    fake::state().kernels["k"].body = nothing;
    QVERIFY(s.run(*backend)->faults.empty());
    const auto& given = fake::state().jit;
    QCOMPARE(given.contains(jit_level), level >= 0);
    if (level >= 0) QCOMPARE(given.at(jit_level), std::uintptr_t(level));
    QVERIFY(given.contains(jit_error_log));
  }

  void timesAreTheKernelsOwn() {
    Setup s;
    s.tensor("x", Role::inout, "4", 4);
    s.tensor("w", Role::workspace, "1000", 1000);
    auto& kernel = fake::state().kernels["k"];
    kernel.microseconds = 38.5;
    bool fresh = true;
    kernel.body = [&](const LaunchConfig&, void** p) {
      fresh = fresh && floats(p, 0)[1] == 5 && floats(p, 1)[999] == 0; // each run begins as the first
      floats(p, 0)[1] += 1;
      floats(p, 1)[999] = 1;
      return int{success};
    };
    store_element(DType::f32, s.memory[0].data(), 1, 5);
    s.options.repetitions = 100;
    auto result = s.run(*backend);
    QVERIFY(result && result->status == RunResult::Status::ok);
    QVERIFY(fresh);
    QCOMPARE(s.at(0, 1), 6.0F);                       // the first run's result
    QCOMPARE(result->metrics.size(), std::size_t{7}); // then three of clocks and one of the timed results
    const std::vector<std::pair<std::string, double>> expected{
        {"time_us.cold", 38.5}, {"time_us.hot", 38.5}, {"time_us.floor", 0}};
    for (std::size_t i = 0; i < 3; ++i) {
      const Metric& m = result->metrics[i];
      QCOMPARE(m.id, expected[i].first);
      QCOMPARE(m.unit, std::string("us"));
      QVERIFY(m.source == Metric::Source::measured && !m.method.empty());
      QCOMPARE(m.samples, 100);                                // all alike: no more are needed
      QVERIFY(std::fabs(m.value - expected[i].second) < 0.01); // the flush and the restoring copies are outside
    }
    QVERIFY(fake::state().fills >= 100); // one before each cold run
    s.options.cold = false;
    s.memory[0].assign(s.memory[0].size(), std::byte{0});
    store_element(DType::f32, s.memory[0].data(), 1, 5);
    s.memory[1].assign(s.memory[1].size(), std::byte{0});
    auto hot = s.run(*backend);
    QCOMPARE(hot->metrics.size(), std::size_t{6});
    QCOMPARE(hot->metrics[0].id, std::string("time_us.hot"));
    QCOMPARE(hot->metrics[5].id, std::string("timed_result.differing"));
    QCOMPARE(hot->metrics[5].value, 0.0);
  }

  static const Metric& named(const RunResult& result, const std::string& id) {
    static const Metric none;
    for (const Metric& m : result.metrics)
      if (m.id == id) return m;
    return none;
  }

  /// An L2 of 1 MiB and runs over 1 MiB: two others lie between two uses of the same buffers.
  void shortColdRunsAreTimedInBatches() {
    Setup s;
    const std::size_t n = std::size_t{1} << 17U;
    s.tensor("x", Role::input, "N", n);
    s.tensor("y", Role::output, "N", n);
    s.call.dims = {{"N", static_cast<std::int64_t>(n)}};
    store_element(DType::f32, s.memory[0].data(), n - 1, 3);
    auto& kernel = fake::state().kernels["k"];
    kernel.microseconds = 42;
    std::map<float*, int> seen; // the launches that used them
    bool right = true;
    std::size_t apart = 0;
    kernel.body = [&](const LaunchConfig&, void** p) {
      right = right && floats(p, 0)[n - 1] == 3;
      floats(p, 1)[n - 1] = 3;
      seen[floats(p, 0)] += 1;
      if (seen.size() > apart) apart = seen.size();
      return int{success};
    };
    s.options.repetitions = 20;
    s.options.cold_batch = true;
    auto result = s.run(*backend);
    QVERIFY(result && result->status == RunResult::Status::ok && right);
    const Metric& batch = named(*result, "time_us.cold_batch");
    QVERIFY(batch.source == Metric::Source::measured && std::fabs(batch.value - 42) < 0.01);
    QVERIFY2(batch.method.find("3 copies of all buffers (1 MiB each)") != std::string::npos, batch.method.c_str());
    QCOMPARE(named(*result, "time_us.cold_batch_runs").value, 24.0); // a millisecond of 42 us each
    QVERIFY(std::fabs(named(*result, "time_us.cold").value - 42) < 0.01);
    QCOMPARE(apart, std::size_t{4}); // the copies of the batches, and the other one of the single runs' inputs

    kernel.microseconds = 100; // long enough for a run alone
    result = s.run(*backend);
    QVERIFY(named(*result, "time_us.cold_batch").source == Metric::Source::not_measured);
    kernel.microseconds = 42;
    s.call.module.args[1].role = Role::inout; // must be brought back before each run
    result = s.run(*backend);
    QVERIFY(named(*result, "time_us.cold_batch").source == Metric::Source::not_measured);
    QVERIFY(named(*result, "time_us.cold").source == Metric::Source::measured);
    s.options.cold_batch = false;
    result = s.run(*backend);
    QVERIFY(named(*result, "time_us.cold_batch").id.empty());
  }

  void turnsLieApart() {
    using cuda::TurnsApart;
    const std::size_t mib = std::size_t{1} << 20U;
    QCOMPARE(TurnsApart::needed(128 * mib, 60 * mib), std::size_t{2});
    QCOMPARE(TurnsApart::needed(120 * mib, 60 * mib), std::size_t{2});
    QCOMPARE(TurnsApart::needed(119 * mib, 60 * mib), std::size_t{3});
    QCOMPARE(TurnsApart::needed(mib, 60 * mib), std::size_t{121});
    Session session(fake::driver(), fake::device());
    std::vector<GuardedMemory> buffers;
    buffers.emplace_back(session, 300 * 1024);
    buffers.emplace_back(session, 1000);
    const TurnsApart turns(session, buffers);
    std::map<DevicePointer, DevicePointer> taken; // begin and end: none lies in another
    for (std::size_t turn = 0; turn < 8; ++turn)
      for (std::size_t i = 0; i < 2; ++i) taken[turns.at(turn)[i]] = turns.at(turn)[i] + buffers[i].size();
    QCOMPARE(taken.size(), std::size_t{2 * 8}); // 2 MiB over 301.0 KiB, and one
    QCOMPARE(turns.at(0)[0], buffers[0].address());
    QCOMPARE(turns.at(8), turns.at(0));
    DevicePointer end = 0;
    for (const auto& [from, to] : taken) {
      QVERIFY(from >= end && from % 256 == 0);
      end = to;
    }
  }

  /// Three launches as one graph: captured once, not run by that, timed as one, each with its own parameters.
  void aGraphIsTimedAsOne() {
    Setup s;
    s.tensor("x", Role::inout, "4", 4);
    auto& kernel = fake::state().kernels["k"];
    kernel.microseconds = 7;
    kernel.parameters = 1;
    int most = 0;
    kernel.body = [&](const LaunchConfig&, void** p) {
      most = std::max(most, static_cast<int>(floats(p, 0)[1] += 1));
      return int{success};
    };
    s.options.repetitions = 10;
    s.options.graph = true;
    s.options.cold = false;
    for (std::size_t i = 0; i < s.buffers.size(); ++i) s.buffers[i].bytes = s.memory[i];
    const std::vector<Call> calls(3, s.call);
    auto result = backend->run(calls, s.buffers, s.options, {});
    QVERIFY(result && result->status == RunResult::Status::ok);
    QCOMPARE(s.at(0, 1), 3.0F); // of the run before the times
    QCOMPARE(most, 3);          // each run begins as the first
    QCOMPARE(result->metrics[0].id, std::string("time_us.hot"));
    QVERIFY(std::fabs(result->metrics[0].value - 21) < 0.01);
    QVERIFY(fake::state().graph_launches >= 10);
    QCOMPARE(fake::state().launches, 3 + 3 * fake::state().graph_launches);
    QCOMPARE(fake::state().graphs, 0);
  }

  void slopesOfEnergy() {
    QVERIFY(!slope_of({{1, 5}}, 0.1));
    const auto slope = slope_of({{0, 0}, {0.05, 5}, {0.1, 20}, {0.2, 30}, {0.4, 90}}, 0.1);
    QVERIFY(slope && std::fabs(slope->mean - 225) < 1e-9 && slope->windows == 3); // 200, 100 and 300 W
    QVERIFY(std::fabs(slope->lo - 100) < 1e-9 && std::fabs(slope->hi - 300) < 1e-9);
  }

  /// A load of 20 ms a launch that draws 300 W for a second and 400 W from then on, by a counter that moves every 40
  /// ms.
  void powerIsOfTheSecondHalf() {
    Session session(fake::driver(), fake::device());
    double now = 10;
    PowerRequest request;
    request.seconds = 2;
    request.run = [&] { now += 0.02; };
    request.now = [&] { return now; };
    request.watts = [] { return 398.0; };
    request.millijoules = [&] {
      const double t = std::floor((now - 10) / 0.04 + 1e-6) * 0.04;
      return 1000 * (t < 1 ? 300 * t : 300 + 400 * (t - 1));
    };
    const std::vector<Metric> power = measure_power(session, request, {});
    QCOMPARE(power.size(), std::size_t{2});
    QCOMPARE(power[0].id, std::string("power.board"));
    QVERIFY(power[0].source == Metric::Source::measured && power[0].unit == "W");
    QVERIFY2(std::fabs(power[0].value - 400) < 0.5, std::to_string(power[0].value).c_str());
    QVERIFY(power[0].lo <= power[0].value && power[0].value <= power[0].hi && power[0].samples >= 5);
    QCOMPARE(power[1].value, 398.0);
    request.millijoules = [] { return std::nullopt; };
    request.watts = {};
    const std::vector<Metric> none = measure_power(session, request, {});
    QVERIFY(none[0].source == Metric::Source::not_measured && !none[0].method.empty());
    QVERIFY(none[1].source == Metric::Source::not_measured && !none[1].method.empty());
    std::stop_source stopped;
    stopped.request_stop();
    QVERIFY(measure_power(session, request, stopped.get_token()).empty());
  }

  void samplesAreTakenUntilTheMedianIsKnown() {
    Setup s;
    auto& kernel = fake::state().kernels["k"];
    int runs = 0;
    kernel.body = [&](const LaunchConfig&, void**) { // every other run takes twice as long
      kernel.microseconds = ++runs % 2 == 0 ? 10 : 20;
      return int{success};
    };
    s.options.repetitions = 12;
    auto result = s.run(*backend);
    QVERIFY(result && result->status == RunResult::Status::ok);
    QCOMPARE(result->metrics[0].id, std::string("time_us.cold"));
    QCOMPARE(result->metrics[0].samples, 48); // four times as many, and it is said
    QVERIFY(result->metrics[0].method.find("cap of samples") != std::string::npos);
  }

  void clocksGoWithTheTimes() {
    TimingRequest request;
    Session session(fake::driver(), fake::device());
    request.run = [&](std::size_t) { fake::state().now_us += 5; };
    request.repetitions = 32;
    int reads = 0;
    std::uint64_t reasons = 0x5; // idle, and the power cap
    request.clocks = [&] { return std::optional(Clocks{1980 - 100 * (++reads % 2), 3201, reasons}); };
    std::vector<Metric> metrics = time_runs(session, request, {});
    QCOMPARE(metrics.size(), std::size_t{6});
    QCOMPARE(metrics[3].id, std::string("clock.sm"));
    QCOMPARE(metrics[3].unit, std::string("MHz"));
    QVERIFY(metrics[3].lo == 1880 && metrics[3].hi == 1980);
    QCOMPARE(metrics[4].value, 3201.0);
    QCOMPARE(metrics[5].id, std::string("clock.throttled"));
    QCOMPARE(metrics[5].value, 96.0); // 32 each of cold, hot and nothing
    QVERIFY(metrics[5].method.find("power cap") != std::string::npos);
    reasons = 0x1;
    metrics = time_runs(session, request, {});
    QCOMPARE(metrics[5].value, 0.0);
    request.clocks = {};
    metrics = time_runs(session, request, {});
    QVERIFY(metrics[3].source == Metric::Source::not_measured && metrics[5].source == Metric::Source::not_measured);
    QCOMPARE(throttled_by(0x1 | 0x2), std::string()); // idle, clocks that were set
    QCOMPARE(throttled_by(0x8 | 0x40), std::string("hardware slowdown, heat (hardware)"));
  }

  /// A tensor argument with a tile is 128 bytes that the driver encodes; where timed runs take turns of their inputs,
  /// it is encoded for each place.
  void tensorMaps() {
    Setup s;
    s.tensor("x", Role::input, "M", 12);
    s.call.module.args[0].shape = {{"M"}, {"8"}};
    s.call.module.args[0].strides = {{"16"}, {"1"}};
    s.call.module.args[0].tile = Tile{{{"3"}, {"4"}}, {2, 1}, 32, true};
    s.memory[0].resize(std::size_t{4} * (2 * 16 + 8));
    s.tensor("y", Role::output, "1", 1);
    s.call.dims = {{"M", 3}};
    s.options.repetitions = 20;
    std::set<std::uint64_t> places;
    bool as_asked = true;
    fake::state().kernels["k"].body = [&](const LaunchConfig&, void** p) {
      const auto map = argument<TensorMapBytes>(p, 0);
      places.insert(map.opaque[0]);
      // type, rank; extents with the contiguous one first, bytes from row to row, steps and box, swizzle, fill
      const std::vector<std::uint64_t> told(map.opaque + 1, map.opaque + 10);
      const std::vector<std::uint64_t> expected{7, 2, 8, 3, 64, 1ULL << 32 | 4, 2ULL << 32 | 3, 1, 1};
      as_asked = as_asked && told == expected;
      floats(p, 1)[0] = 1;
      return int{success};
    };
    auto result = s.run(*backend);
    QVERIFY(result);
    QCOMPARE(result->status, RunResult::Status::ok);
    QVERIFY(as_asked);
    QCOMPARE(places.size(), std::size_t{2});
    s.call.module.args[0].tile->swizzle = 5;
    QCOMPARE(s.errors(), std::string("exec.tile"));
  }

  void inputsTakeTurnsAndResultsAreLookedAt() {
    Setup s;
    s.tensor("x", Role::input, "4", 4);
    s.tensor("y", Role::output, "4", 4);
    store_element(DType::f32, s.memory[0].data(), 2, 3);
    std::set<float*> places;
    bool right = true;
    fake::state().kernels["k"].body = [&](const LaunchConfig&, void** p) {
      places.insert(floats(p, 0));
      right = right && floats(p, 0)[2] == 3;
      floats(p, 1)[1] = 7; // of four elements it writes one
      return int{success};
    };
    s.options.repetitions = 20;
    auto result = s.run(*backend);
    QVERIFY(result && result->status == RunResult::Status::ok && result->faults.empty());
    QCOMPARE(places.size(), std::size_t{2});
    QVERIFY(right);
    int poisonings = 0; // it writes at first, not while it is timed, and when it is looked at again
    fake::state().kernels["k"].body = [&](const LaunchConfig&, void** p) {
      poisonings += floats(p, 1)[0] < -300 ? 1 : 0;
      floats(p, 1)[0] = 1;
      if (poisonings != 1) floats(p, 1)[1] = 7;
      return int{success};
    };
    s.memory[1].assign(s.memory[1].size(), std::byte{0});
    result = s.run(*backend);
    QVERIFY(result && result->status == RunResult::Status::faulted);
    QCOMPARE(result->faults.at(0).kind, std::string("not-written-when-timed"));
    QVERIFY(result->metrics.empty());
    QCOMPARE(poisonings, 2);
  }

  void uncertaintyOfAMedian() { // of 1 … 100: ranks 40 and 60 of 100 (0.98 sqrt 100 = 9.8), half the width 10 of 51
    std::vector<double> values;
    for (int i = 100; i >= 1; --i) values.push_back(i);
    QVERIFY(std::fabs(median_uncertainty(values) - 10.0 / 51) < 1e-12);
    QCOMPARE(median_uncertainty({5, 5, 5, 5, 5, 5, 5}), 0.0);
    QVERIFY(std::isinf(median_uncertainty({5, 5, 5, 5, 5})));
  }

  void countersWithoutCuptiAreNotMeasured() {
    Setup s;
    s.tensor("x", Role::output, "4", 4);
    fake::state().kernels["k"].body = nothing;
    s.options.counters = true;
    auto result = s.run(*backend);
    QVERIFY(result && result->status == RunResult::Status::ok);
    QVERIFY(result->metrics.size() > 30);
    for (const Metric& m : result->metrics) {
      QVERIFY2(m.source == Metric::Source::not_measured, m.id.c_str());
      QVERIFY(m.method.find("CUPTI") != std::string::npos);
      QVERIFY(to_json(m)["value"].is_null());
    }
  }

  void quartiles() { // of 1 … 9: 3, 5, 7; interpolated between ranks otherwise
    Metric m = summarise("t", "m", {9, 1, 8, 2, 7, 3, 6, 4, 5});
    QVERIFY(m.value == 5 && m.lo == 3 && m.hi == 7 && m.samples == 9);
    m = summarise("t", "m", {4, 1});
    QVERIFY(m.value == 2.5 && m.lo == 1.75 && m.hi == 3.25);
    m = summarise("t", "m", {4});
    QVERIFY(m.value == 4 && m.lo == 4 && m.hi == 4);
  }

  void stickyErrorsSayWhatToDo() {
    Setup s;
    s.tensor("x", Role::output, "4", 4);
    fake::state().kernels["k"].body = nothing;
    fake::state().stream_error = error_illegal_address;
    for (auto status : {RunResult::Status::faulted, RunResult::Status::lost}) {
      auto result = s.run(*backend);
      QVERIFY(result && result->status == status);
      QCOMPARE(result->faults.at(0).kind, std::string("device-error"));
      QVERIFY(result->faults[0].message.find("start the worker process again") != std::string::npos);
    }
  }

  void refusedLaunchesLeaveTheDeviceUsable() {
    Setup s;
    s.tensor("x", Role::output, "4", 4);
    auto& kernel = fake::state().kernels["k"];
    kernel.body = [](const LaunchConfig&, void**) { return int{error_launch_out_of_resources}; };
    QCOMPARE(s.run(*backend)->faults.at(0).kind, std::string("launch-refused"));
    kernel.body = nothing;
    QVERIFY(s.run(*backend)->faults.empty());
    Setup absent("no_such_kernel");
    QCOMPARE(absent.run(*backend)->faults.at(0).kernel, std::string("no_such_kernel"));
  }

  void memoryThatIsNotThere() {
    Setup s;
    s.tensor("x", Role::output, "4", 4);
    fake::state().kernels["k"].body = nothing;
    fake::state().most_memory = 1000;
    auto result = s.run(*backend);
    QVERIFY(!result && result.missing);
    QVERIFY(result.missing->what.find("OUT_OF_MEMORY") != std::string::npos);
    fake::state().most_memory = std::size_t{1} << 40U;
    QVERIFY(s.run(*backend));
  }

  void cancelledBeforeAndWhileRunning() {
    Setup s;
    fake::state().kernels["k"].body = nothing;
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(s.run(*backend, stop.get_token())->status == RunResult::Status::cancelled);
    QVERIFY(s.run(*backend)->status == RunResult::Status::ok); // and it goes on
    std::stop_source later;
    fake::state().kernels["k"].body = [&](const LaunchConfig&, void**) {
      fake::state().queries_until_done = 1000000000; // never ends
      later.request_stop();
      return int{success};
    };
    QElapsedTimer timer;
    timer.start();
    auto result = s.run(*backend, later.get_token());
    QVERIFY(result->status == RunResult::Status::cancelled);
    QVERIFY(timer.elapsed() < 200);
    QVERIFY(s.run(*backend)->status == RunResult::Status::lost); // the kernel still runs: nothing can be done here
  }

  void whatCannotBeLaunchedIsSaid() {
    Setup s;
    s.tensor("x", Role::input, "N", 4);
    s.call.dims = {{"N", 4}};
    QCOMPARE(s.errors(), std::string());
    auto with = [&](auto change) {
      Setup changed = s;
      change(changed.call);
      return changed.errors();
    };
    QCOMPARE(with([](Call& c) { c.dims["N"] = 5; }), std::string("exec.buffer-size"));
    QCOMPARE(with([](Call& c) { c.dims["N"] = -1; }), std::string("exec.shape"));
    QCOMPARE(with([](Call& c) { c.dims.clear(); }), std::string("kernel.dim-unknown"));
    QCOMPARE(with([](Call& c) { c.module.args[0].strides = {{"2"}}; }), std::string("exec.buffer-size"));
    QCOMPARE(with([](Call& c) { c.module.args[0].strides = {{"0"}}; }), std::string()); // broadcast
    QCOMPARE(with([](Call& c) { c.module.args[0].strides = {{"1"}, {"1"}}; }), std::string("exec.strides"));
    QCOMPARE(with([](Call& c) { c.module.args[0].dtype = DType::bf16; }), std::string("exec.dtype"));
    QCOMPARE(with([](Call& c) {
               c.module.args[0].shape = {{"N"}, {"4611686018427387904"}};
             }),
             std::string("exec.shape"));
    QCOMPARE(with([](Call& c) { c.buffers.clear(); }), std::string("exec.buffers"));
    QCOMPARE(with([](Call& c) { c.buffers = {7}; }), std::string("exec.buffers"));
    QCOMPARE(with([](Call& c) { c.buffers = {0, 0}; }), std::string("exec.buffers"));
    QCOMPARE(with([](Call& c) { c.module.dim_args = {"M"}; }), std::string("exec.dims"));
    QCOMPARE(with([](Call& c) {
               c.module.args.push_back({"eps", Role::scalar, DType::f32, {}, {}});
             }),
             std::string("exec.scalar"));
    QCOMPARE(with([](Call& c) { c.module.launch.block[0] = {"1025"}; }), std::string("exec.launch"));
    QCOMPARE(with([](Call& c) { c.module.launch.block[0] = {"0"}; }), std::string("exec.launch"));
    QCOMPARE(with([](Call& c) { c.module.launch.block = {{{"1024"}, {"2"}, {"1"}}}; }), std::string("exec.launch"));
    QCOMPARE(with([](Call& c) { c.module.launch.grid[1] = {"65536"}; }), std::string("exec.launch"));
    QCOMPARE(with([](Call& c) { c.module.launch.grid[0] = {"0-1"}; }), std::string("exec.launch"));
    QCOMPARE(with([](Call& c) { c.module.launch.grid[0] = {"3"}, c.module.launch.cluster[0] = {"2"}; }),
             std::string("exec.launch"));
    QCOMPARE(with([](Call& c) { c.module.launch.dynamic_shared = {"0-1"}; }), std::string("exec.launch"));
  }
};

QTEST_GUILESS_MAIN(TestCudaBackend)
#include "test_cuda_backend.moc"
