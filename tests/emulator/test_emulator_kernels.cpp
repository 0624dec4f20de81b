// Whole kernels as NVRTC's compiler makes them (tests/data/ptx, sources beside them) against the host's mathematics.
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

using namespace aicf;
using aicf::test::Kernel;

namespace {

/// Worst |got - expected| in units of the expected value's last place of type T, absolute below `tiny`.
template <class T>
QString worst(const std::vector<T>& got, const std::vector<double>& in, std::size_t at,
              const std::function<double(double)>& f, double ulps, double tiny = 0) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double want = f(in[i]), have = got[at * in.size() + i];
    if (std::isnan(want) && std::isnan(have)) continue;
    const double unit = std::max(std::fabs(want) * std::numeric_limits<T>::epsilon(), tiny);
    if (want == have || std::fabs(have - want) <= ulps * unit) continue;
    return QString("function %1 of %2: %3 instead of %4")
        .arg(at)
        .arg(in[i], 0, 'g', 17)
        .arg(have, 0, 'g', 17)
        .arg(want, 0, 'g', 17);
  }
  return {};
}

std::vector<double> inputs() {
  std::vector<double> x;
  for (int i = 0; i < 160; ++i) x.push_back(static_cast<float>((i - 80) * 0.0517 + (i % 7) * 0.003));
  return x;
}

} // namespace

class TestEmulatorKernels : public QObject {
  Q_OBJECT
 private slots:
  void softmax_data();
  void softmax();
  void functions_f32();
  void functions_f64();
  void functions_int();
  void functions_half();
  void divergent_loop();
  void device_calls();
  void switch_table();
  void private_array();
  void atomics_and_constants();
  void last_block();
  void block_orders_and_threads_agree();
};

void TestEmulatorKernels::softmax_data() {
  QTest::addColumn<QString>("file");
  QTest::newRow("exact division") << "softmax_bf16.ptx";
  QTest::newRow("fast math") << "softmax_bf16_fast.ptx";
}

void TestEmulatorKernels::softmax() {
  QFETCH(QString, file);
  constexpr std::int64_t rows = 5, columns = 1048; // not a multiple of the 1024 elements that a block takes at once
  std::vector<std::uint16_t> x(rows * columns), y(rows * columns, 0xffff);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = f32_to_bf16(static_cast<float>(std::sin(0.37 * static_cast<double>(i)) * 5));
  Kernel k{test::sample(file.toStdString())};
  k.entry = "softmax";
  k.grid = rows;
  k.block = 128;
  k.options.counters = true;
  k.with(x).with(y);
  k.dims = {rows, columns};
  const auto result = k.run();
  QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
  const auto out = k.values<std::uint16_t>(1);
  for (std::int64_t r = 0; r < rows; ++r) {
    double m = -INFINITY, l = 0;
    const auto at = [&](std::int64_t j) {
      return static_cast<double>(bf16_to_f32(x[static_cast<std::size_t>(r * columns + j)]));
    };
    for (std::int64_t j = 0; j < columns; ++j) m = std::max(m, at(j));
    for (std::int64_t j = 0; j < columns; ++j) l += std::exp(at(j) - m);
    for (std::int64_t j = 0; j < columns; ++j) {
      const double want = std::exp(at(j) - m) / l;
      const double have = bf16_to_f32(out[static_cast<std::size_t>(r * columns + j)]);
      QVERIFY2(std::fabs(have - want) <= want * 0x1.02p-8, qPrintable(QString("row %1 column %2").arg(r).arg(j)));
    }
  }
  // A warp takes 512 bytes at once; odd rows start in the middle of a sector. Three sweeps, one write.
  std::int64_t sectors = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t at = 0; at < columns * 2; at += 512) {
      const std::int64_t first = r * columns * 2 + at, last = first + std::min<std::int64_t>(512, columns * 2 - at) - 1;
      sectors += last / 32 - first / 32 + 1;
    }
  QCOMPARE(test::metric(*result, "global_load_sectors"), 3.0 * static_cast<double>(sectors));
  QCOMPARE(test::metric(*result, "global_store_sectors"), static_cast<double>(sectors));
  QCOMPARE(test::metric(*result, "global_load_bytes"), 3.0 * rows * columns * 2);
  QCOMPARE(test::metric(*result, "global_store_bytes"), 1.0 * rows * columns * 2);
  QCOMPARE(test::metric(*result, "barriers"), 2.0 * 4 * rows);
  QCOMPARE(test::metric(*result, "shared_bank_conflicts"), 0.0);
}

void TestEmulatorKernels::functions_f32() {
  const auto in = inputs();
  std::vector<float> x(in.begin(), in.end()), y(24 * x.size());
  Kernel k{test::sample("math.ptx")};
  k.entry = "math_f32";
  k.grid = 3;
  k.block = 64;
  k.with(x).with(y);
  k.dims = {static_cast<std::int64_t>(x.size())};
  QCOMPARE(k.problem(), std::string());
  const auto out = k.values<float>(1);
  const auto p = [](double v) { return static_cast<double>(std::fabs(static_cast<float>(v)) + 1e-3f); };
  struct Row {
    std::function<double(double)> f;
    double ulps, tiny;
  };
  // Bounds: CUDA C++ Programming Guide, mathematical functions, single precision (approximate ones in absolute terms).
  const std::vector<Row> rows{
      {[](double v) { return std::exp(v); }, 2, 0},
      {[](double v) { return std::exp(v); }, 8, 0},
      {[&](double v) { return std::log(p(v)); }, 2, 1e-7},
      {[&](double v) { return 1 / std::sqrt(p(v)); }, 2, 0},
      {[](double v) { return std::erf(v); }, 3, 0},
      {[](double v) { return std::tanh(v); }, 3, 0},
      {[&](double v) { return std::pow(p(v), static_cast<double>(1.3f)); }, 5, 0},
      {[](double v) { return std::sin(v); }, 3, 1e-8},
      {[](double v) { return std::cos(v); }, 3, 1e-8},
      {[&](double v) { return std::log1p(p(v)); }, 2, 0},
      {[](double v) { return std::expm1(v); }, 2, 0},
      {[](double v) { return std::exp2(v); }, 3, 0},
      {[&](double v) { return std::log2(p(v)); }, 2, 1e-7},
      {[&](double v) { return std::sqrt(p(v)); }, 0.5, 0},
      {[](double v) { return v / (v * v + 1); }, 2, 0},
      {[&](double v) { return v / p(v); }, 2, 0},
      {[](double v) { return std::nearbyint(v); }, 0, 0},
      {[](double v) { return std::floor(v); }, 0, 0},
      {[](double v) { return std::ceil(v); }, 0, 0},
      {[](double v) { return std::trunc(v); }, 0, 0},
      {[](double v) { return std::fmod(v, static_cast<double>(0.7f)); }, 0, 0},
      {[](double v) { return 1 / (1 + std::exp(-v)); }, 4, 0},
      {[](double v) { return std::sin(static_cast<double>(static_cast<float>(v) * 1e6f)); }, 3, 1e-7},
      {[](double v) { return std::cbrt(v); }, 2, 0},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const QString problem = worst(out, in, i, rows[i].f, rows[i].ulps, rows[i].tiny);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
  }
}

void TestEmulatorKernels::functions_f64() {
  const auto in = inputs();
  std::vector<double> y(12 * in.size());
  Kernel k{test::sample("math.ptx")};
  k.entry = "math_f64";
  k.grid = 3;
  k.block = 64;
  k.with(in).with(y);
  k.dims = {static_cast<std::int64_t>(in.size())};
  QCOMPARE(k.problem(), std::string());
  const auto out = k.values<double>(1);
  const auto p = [](double v) { return std::fabs(v) + 1e-3; };
  const std::vector<std::pair<std::function<double(double)>, double>> rows{
      {[](double v) { return std::exp(v); }, 2},          {[&](double v) { return std::log(p(v)); }, 2},
      {[&](double v) { return 1 / std::sqrt(p(v)); }, 2}, {[](double v) { return std::erf(v); }, 3},
      {[](double v) { return std::tanh(v); }, 3},         {[&](double v) { return std::pow(p(v), 1.3); }, 3},
      {[](double v) { return std::sin(v); }, 3},          {[](double v) { return std::cos(v); }, 3},
      {[&](double v) { return std::log1p(p(v)); }, 2},    {[&](double v) { return std::sqrt(p(v)); }, 0.5},
      {[](double v) { return v / (v * v + 1); }, 2},      {[](double v) { return std::sin(v * 1e9); }, 3},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const QString problem = worst(out, in, i, rows[i].first, rows[i].second, 1e-18);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
  }
}

void TestEmulatorKernels::functions_int() {
  std::vector<std::int64_t> a, b;
  const std::int64_t interesting[] = {1,        -1,         7,           -7,        1000003,
                                      -1000003, 0x7fffffff, 0x100000001, INT64_MAX, 123456789012345};
  for (const auto u : interesting)
    for (const auto v : interesting) {
      a.push_back(u);
      b.push_back(v);
    }
  std::vector<std::int64_t> y(20 * a.size());
  Kernel k{test::sample("math.ptx")};
  k.entry = "math_int";
  k.grid = 2;
  k.block = 96;
  k.with(a).with(b).with(y);
  k.dims = {static_cast<std::int64_t>(a.size())};
  QCOMPARE(k.problem(), std::string());
  const auto out = k.values<std::int64_t>(2);
  using U = std::uint64_t;
  __extension__ using Wide = __int128;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t u = a[i], v = b[i];
    const auto narrow_u = static_cast<std::int32_t>(u), narrow_v = static_cast<std::int32_t>(v);
    const auto reversed = [](U x) {
      U r = 0;
      for (int n = 0; n < 64; ++n) r |= ((x >> n) & 1) << (63 - n);
      return static_cast<std::int64_t>(r);
    };
    const std::int64_t want[] = {u / v,
                                 u % v,
                                 static_cast<std::int64_t>(static_cast<U>(u) / static_cast<U>(v)),
                                 static_cast<std::int64_t>(static_cast<U>(u) % static_cast<U>(v)),
                                 narrow_u / narrow_v,
                                 narrow_u % narrow_v,
                                 static_cast<std::uint32_t>(u) / static_cast<std::uint32_t>(v),
                                 static_cast<std::int64_t>(static_cast<U>(u) * static_cast<U>(v)),
                                 static_cast<std::int64_t>((static_cast<Wide>(u) * v) >> 64),
                                 std::popcount(static_cast<U>(u)),
                                 std::countl_zero(static_cast<U>(u)),
                                 u >> (v & 63),
                                 static_cast<std::int64_t>(static_cast<U>(u) << (v & 63)),
                                 reversed(static_cast<U>(u)),
                                 std::countr_zero(static_cast<U>(u)) + 1,
                                 u / 7,
                                 static_cast<std::int16_t>(u) / 3};
    for (std::size_t n = 0; n < std::size(want); ++n)
      QVERIFY2(out[n * a.size() + i] == want[n], qPrintable(QString("function %1 of %2, %3: %4 instead of %5")
                                                                .arg(n)
                                                                .arg(u)
                                                                .arg(v)
                                                                .arg(out[n * a.size() + i])
                                                                .arg(want[n])));
    QCOMPARE(out[19 * a.size() + i], std::max(u, v));
  }
}

void TestEmulatorKernels::functions_half() {
  const auto in = inputs();
  std::vector<float> x(in.begin(), in.end()), y(10 * x.size());
  Kernel k{test::sample("math.ptx")};
  k.entry = "math_half";
  k.grid = 3;
  k.block = 64;
  k.with(x).with(y);
  k.dims = {static_cast<std::int64_t>(x.size())};
  QCOMPARE(k.problem(), std::string());
  const auto out = k.values<float>(1);
  const auto h = [](double v) { return round_to(DType::f16, v); };
  const auto b = [](double v) { return round_to(DType::bf16, v); };
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double hv = h(in[i]), bv = b(in[i]);
    const auto at = [&](std::size_t n) { return static_cast<double>(out[n * in.size() + i]); };
    QCOMPARE(at(0), hv);
    QCOMPARE(at(1), bv);
    QCOMPARE(at(2), h(hv + hv));
    QCOMPARE(at(3), h(hv * hv + hv)); // exact in f64: 22 bits and a sum
    QCOMPARE(at(4), b(bv * bv));
    QCOMPARE(at(5), b(bv * bv + bv));
    QVERIFY(std::fabs(at(6) - std::exp(hv)) <= 0x1p-10 * std::exp(hv));
    QVERIFY(std::fabs(at(7) - std::exp2(bv)) <= 0x1p-7 * std::exp2(bv));
    QVERIFY(std::fabs(at(8) - hv / 3) <= 0x1p-10 * std::fabs(hv) + 0x1p-24);
    QVERIFY(std::fabs(at(9) - std::sqrt(std::fabs(hv))) <= 0x1p-10 * std::sqrt(std::fabs(hv)));
  }
}

void TestEmulatorKernels::divergent_loop() {
  std::vector<std::int32_t> x(100), y(100);
  std::iota(x.begin(), x.end(), 1);
  Kernel k{test::sample("control.ptx")};
  k.entry = "collatz";
  k.grid = 2;
  k.block = 50; // a warp of 32 and one of 18
  k.options.counters = true;
  k.with(x).with(y);
  const auto result = k.run();
  QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
  const auto out = k.values<std::int32_t>(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint32_t v = static_cast<std::uint32_t>(x[i]);
    int steps = 0;
    for (; v != 1; ++steps) v = (v & 1) != 0 ? 3 * v + 1 : v / 2;
    QCOMPARE(out[i], steps);
  }
  QVERIFY(test::metric(*result, "divergent_branches") > 0);
  const double efficiency = test::metric(*result, "active_lane_efficiency");
  QVERIFY(efficiency > 0.1 && efficiency < 0.9);
}

void TestEmulatorKernels::device_calls() {
  std::vector<float> x(32), y(32);
  std::iota(x.begin(), x.end(), 0.5f);
  Kernel k{test::sample("control.ptx")};
  k.entry = "calls";
  QVERIFY(k.ptx.find("call.uni") != std::string::npos);
  k.with(x).with(y);
  QCOMPARE(k.problem(), std::string());
  const auto out = k.values<float>(1);
  const auto polynomial = [](float v, int n) {
    float r = 0;
    for (int i = 0; i < n; ++i) r = std::fmaf(r, v, static_cast<float>(i));
    return r;
  };
  for (std::size_t i = 0; i < 32; ++i)
    QCOMPARE(out[i], i % 3 == 0 ? polynomial(x[i], 4) : polynomial(x[i] + 1, static_cast<int>(i % 5)));
}

void TestEmulatorKernels::switch_table() {
  std::vector<std::int32_t> x(32), y(32);
  for (int i = 0; i < 32; ++i) x[static_cast<std::size_t>(i)] = i % 9 - 1;
  Kernel k{test::sample("control.ptx")};
  k.entry = "choose";
  k.with(x).with(y);
  QCOMPARE(k.problem(), std::string());
  const auto out = k.values<std::int32_t>(1);
  for (int i = 0; i < 32; ++i) {
    const int want[] = {11, i * 3, std::popcount(static_cast<unsigned>(i)), -i, i ^ 5, i + 100, i / 7};
    const int v = x[static_cast<std::size_t>(i)];
    QCOMPARE(out[static_cast<std::size_t>(i)], v >= 0 && v < 7 ? want[v] : 1000);
  }
}

void TestEmulatorKernels::private_array() {
  std::vector<std::int32_t> x(32), y(32);
  std::iota(x.begin(), x.end(), 3);
  Kernel k{test::sample("control.ptx")};
  k.entry = "private_array";
  // The third parameter is a 32-bit int: pass it as a scalar of its own.
  Call call;
  call.module.entry = k.entry;
  call.compiled.ptx = k.ptx;
  call.module.args = {{"x", Arg::Role::input, DType::i32, {}, {}},
                      {"y", Arg::Role::output, DType::i32, {}, {}},
                      {"k", Arg::Role::scalar, DType::i32, {}, {}}};
  call.module.launch.block[0].text = "32";
  call.scalars["k"] = 5;
  call.buffers = {0, 1};
  std::vector<Buffer> views(2);
  views[0].bytes = std::as_writable_bytes(std::span(x));
  views[1].bytes = std::as_writable_bytes(std::span(y));
  const auto result = make_emulator(1)->run({&call, 1}, views, {}, {});
  QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
  for (std::size_t i = 0; i < 32; ++i) {
    int a[16];
    for (int j = 0; j < 16; ++j) a[j] = x[i] * j;
    for (int j = 0; j < 16; ++j) a[(j * x[i]) & 15] += 5;
    QCOMPARE(y[i], a[(x[i] + 5) & 15]);
  }
}

void TestEmulatorKernels::atomics_and_constants() {
  std::vector<std::int32_t> x(1000), bins(16);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i * i % 37);
  Call call;
  call.module.entry = "histogram";
  call.compiled.ptx = test::sample("control.ptx");
  call.module.args = {{"x", Arg::Role::input, DType::i32, {}, {}},
                      {"bins", Arg::Role::inout, DType::i32, {}, {}},
                      {"n", Arg::Role::scalar, DType::i32, {}, {}}};
  call.module.launch.grid[0].text = "4";
  call.module.launch.block[0].text = "96";
  call.scalars["n"] = 1000;
  call.buffers = {0, 1};
  std::vector<Buffer> views(2);
  views[0].bytes = std::as_writable_bytes(std::span(x));
  views[1].bytes = std::as_writable_bytes(std::span(bins));
  const auto result = make_emulator(2)->run({&call, 1}, views, {}, {});
  QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
  constexpr int weights[] = {2, 3, 5, 7};
  std::vector<std::int32_t> want(16);
  for (const auto v : x) want[static_cast<std::size_t>(v & 15)] += weights[v & 3];
  QCOMPARE(bins, want);
}

void TestEmulatorKernels::last_block() {
  std::vector<float> x(5000, 0.25f), partial(6), y(1);
  std::vector<std::uint32_t> arrived(1);
  Call call;
  call.module.entry = "last_block";
  call.compiled.ptx = test::sample("control.ptx");
  call.module.args = {{"x", Arg::Role::input, DType::f32, {}, {}},
                      {"partial", Arg::Role::workspace, DType::f32, {}, {}},
                      {"y", Arg::Role::output, DType::f32, {}, {}},
                      {"arrived", Arg::Role::inout, DType::i32, {}, {}}, // zero before
                      {"n", Arg::Role::scalar, DType::i32, {}, {}}};
  call.module.launch.grid[0].text = "6";
  call.module.launch.block[0].text = "256";
  call.scalars["n"] = 5000;
  call.buffers = {0, 1, 2, 3};
  std::vector<Buffer> views(4);
  views[0].bytes = std::as_writable_bytes(std::span(x));
  views[1].bytes = std::as_writable_bytes(std::span(partial));
  views[2].bytes = std::as_writable_bytes(std::span(y));
  views[3].bytes = std::as_writable_bytes(std::span(arrived));
  for (const std::uint64_t seed : {0u, 7u}) {
    RunOptions options;
    options.block_order_seed = seed;
    arrived[0] = 0;
    const auto result = make_emulator(2)->run({&call, 1}, views, options, {});
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    QCOMPARE(y[0], 1250.0f);
  }
}

void TestEmulatorKernels::block_orders_and_threads_agree() {
  constexpr std::int64_t rows = 9, columns = 256;
  std::vector<std::uint16_t> x(rows * columns);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = f32_to_bf16(static_cast<float>(std::cos(static_cast<double>(i))));
  std::vector<std::uint16_t> first;
  std::vector<double> counts;
  for (const unsigned threads : {1u, 3u})
    for (const std::uint64_t seed : {0u, 1u, 99u}) {
      Kernel k{test::sample("softmax_bf16.ptx")};
      k.entry = "softmax";
      k.grid = rows;
      k.block = 128;
      k.threads = threads;
      k.options.block_order_seed = seed;
      k.options.counters = true;
      k.with(x).with(std::vector<std::uint16_t>(x.size()));
      k.dims = {rows, columns};
      const auto result = k.run();
      QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
      std::vector<double> now;
      for (const auto& m : result->metrics) now.push_back(m.value);
      if (first.empty()) {
        first = k.values<std::uint16_t>(1);
        counts = now;
      }
      QCOMPARE(k.values<std::uint16_t>(1), first);
      QCOMPARE(now, counts);
    }
}

QTEST_GUILESS_MAIN(TestEmulatorKernels)
#include "test_emulator_kernels.moc"
