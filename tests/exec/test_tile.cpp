// Tensors that come in as tensor maps: the rules of cuTensorMapEncodeTiled, and a compiled kernel that copies tiles of
// one under the emulator.
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/tile.hpp"

#include <QtTest>

#include <cstring>

using namespace aicf;

namespace {

Arg tensor(std::vector<DimExpr> shape, std::vector<DimExpr> strides, Tile tile, DType type = DType::f32) {
  Arg arg{"x", Arg::Role::input, type, std::move(shape), std::move(strides)};
  arg.tile = std::move(tile);
  return arg;
}

constexpr const char* source = R"(struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };
extern "C" __global__ void tiles(const __grid_constant__ CUtensorMap x, float* y) {
  __shared__ alignas(1024) float tile[128];
  __shared__ alignas(8) unsigned long long bar;
  unsigned b = (unsigned)__cvta_generic_to_shared(&bar), s = (unsigned)__cvta_generic_to_shared(tile);
  int column = blockIdx.x * 16, row = blockIdx.y * 8;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async;" :: "r"(b) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" :: "r"(b) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(s), "l"(&x), "r"(column), "r"(row), "r"(b) : "memory");
  }
  asm volatile("{\n.reg .pred p;\nW:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra W;\n}" :: "r"(b) : "memory");
  y[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = tile[threadIdx.x];
}
)";

} // namespace

class TestTile : public QObject {
  Q_OBJECT
 private slots:
  void extents() {
    const auto t = tiled_tensor(tensor({{"M"}, {"2*N"}}, {}, {{{"8"}, {"N"}}, {2, 1}, 64, true}, DType::bf16),
                                {{"M", 20}, {"N", 32}});
    QVERIFY(t);
    QCOMPARE(t->rank, 2U); // dimension 0 is the last of the shape
    QCOMPARE(t->size[0], std::uint64_t{64});
    QCOMPARE(t->size[1], std::uint64_t{20});
    QCOMPARE(t->stride[0], std::uint64_t{2});
    QCOMPARE(t->stride[1], std::uint64_t{128});
    QCOMPARE(t->box[0], 32U);
    QCOMPARE(t->box[1], 8U);
    QCOMPARE(t->step[0], 1U);
    QCOMPARE(t->step[1], 2U);
    QVERIFY(t->swizzle == 64 && t->fill_nan && t->dtype == DType::bf16);
    // Three dimensions with strides of their own, in elements.
    const auto s =
        tiled_tensor(tensor({{"3"}, {"5"}, {"8"}}, {{"400"}, {"40"}, {"1"}}, {{{"1"}, {"5"}, {"4"}}, {}}), {});
    QVERIFY(s);
    QCOMPARE(s->stride[1], std::uint64_t{160});
    QCOMPARE(s->stride[2], std::uint64_t{1600});
  }

  void rules_data() {
    QTest::addColumn<int>("which");
    for (int i = 0; i < 13; ++i) QTest::addRow("rule %d", i) << i;
  }
  void rules() {
    QFETCH(int, which);
    const Tile good{{{"8"}, {"16"}}, {}};
    const std::vector<DimExpr> shape{{"20"}, {"40"}};
    const auto tile = [&](auto change) {
      Tile t = good;
      change(t);
      return tensor(shape, {}, t);
    };
    QVERIFY(tiled_tensor(tensor(shape, {}, good), {}));
    const std::vector<Arg> bad{tensor({}, {}, Tile{}),                                         // no dimensions
                               tensor({{"2"}, {"2"}, {"2"}, {"2"}, {"2"}, {"4"}}, {}, Tile{}), // six
                               tile([](Tile& t) { t.box.pop_back(); }),                        // a box of another rank
                               tile([](Tile& t) { t.box[0].text = "257"; }),                   // 256 at most
                               tile([](Tile& t) { t.box[1].text = "0"; }),                     // 1 at least
                               tile([](Tile& t) { t.box[1].text = "6"; }),                     // rows of 24 bytes
                               tile([](Tile& t) {
                                 t.step = {1, 9};
                               }),                                    // 8 at most
                               tile([](Tile& t) { t.swizzle = 48; }), // no such swizzle
                               tile([](Tile& t) { t.swizzle = 32; }), // rows of 64 bytes
                               tensor({{"20"}, {"41"}}, {}, good),    // rows 164 bytes apart
                               tensor(shape, {{"40"}, {"2"}}, good),  // not contiguous
                               tensor({{"0"}, {"40"}}, {}, good),     // empty
                               tensor(shape, {}, Tile{{{"8"}, {"16"}}, {}, 0, true}, DType::i32)}; // NaN among integers
    const auto t = tiled_tensor(bad.at(static_cast<std::size_t>(which)), {});
    QVERIFY(!t && !t.diagnostics.empty());
    QCOMPARE(t.diagnostics.front().code, std::string("exec.tile"));
    QVERIFY(t.diagnostics.front().message.find("'x'") != std::string::npos);
  }

  void kernel_data() {
    QTest::addColumn<int>("swizzle");
    QTest::newRow("plain") << 0;
    QTest::newRow("swizzled") << 64;
  }
  /// Tiles of 8 x 16 of a matrix of 20 x 40: what lies outside is zero.
  void kernel() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    QFETCH(int, swizzle);
    constexpr int rows = 20, columns = 40, across = 3, down = 3;
    Call call;
    call.module.entry = "tiles";
    call.module.cuda_source = source;
    call.module.arch = "sm_90a";
    call.module.args = {tensor({{"M"}, {"N"}}, {}, {{{"8"}, {"16"}}, {}, swizzle}),
                        {"y", Arg::Role::output, DType::f32, {{"9*128"}}, {}}};
    call.module.launch.grid = {{{"ceil(N/16)"}, {"ceil(M/8)"}, {"1"}}};
    call.module.launch.block[0].text = "128";
    call.dims = {{"M", rows}, {"N", columns}};
    call.buffers = {0, 1};
    auto compiled = compile(call.module);
    QVERIFY2(compiled, compiled.diagnostics.empty() ? "" : compiled.diagnostics.front().message.c_str());
    call.compiled = std::move(*compiled);
    std::vector<float> x(rows * columns), y(across * down * 128, -1.0F);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
    std::vector<Buffer> buffers(2);
    buffers[0].bytes = std::as_writable_bytes(std::span(x));
    buffers[1].bytes = std::as_writable_bytes(std::span(y));
    RunOptions options;
    options.counters = true;
    const auto result = make_emulator(1)->run({&call, 1}, buffers, options, {});
    QVERIFY2(result, result.diagnostics.empty() ? "" : result.diagnostics.front().message.c_str());
    QVERIFY2(result->faults.empty(), result->faults.empty() ? "" : result->faults.front().message.c_str());
    for (int block = 0; block < across * down; ++block)
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 16; ++c) {
          const int row = block / across * 8 + r, column = block % across * 16 + c;
          const float expected = row < rows && column < columns ? static_cast<float>(row * columns + column + 1) : 0;
          // CUDA programming guide, swizzle of 64 bytes: of the address in shared memory bits 4, 5 get bits 7, 8.
          unsigned at = static_cast<unsigned>(r * 64 + c * 4);
          if (swizzle == 64) at ^= (at >> 7 & 3U) << 4;
          QCOMPARE(y[static_cast<std::size_t>(block) * 128 + at / 4], expected);
        }
    for (const Metric& m : result->metrics)
      if (m.id == "global_load_bytes") QCOMPARE(m.value, 4.0 * rows * columns); // each element once
    // A pointer where the kernel takes a map, and a map that breaks a rule.
    call.module.args[0].tile.reset();
    const auto pointer = make_emulator(1)->run({&call, 1}, buffers, {}, {});
    QVERIFY(!pointer && pointer.diagnostics.front().message.find("128 in the PTX text") != std::string::npos);
    call.module.args[0].tile = Tile{{{"8"}, {"15"}}, {}};
    const auto ruled = make_emulator(1)->run({&call, 1}, buffers, {}, {});
    QVERIFY(!ruled);
    QCOMPARE(ruled.diagnostics.front().code, std::string("exec.tile"));
  }
};

QTEST_GUILESS_MAIN(TestTile)
#include "test_tile.moc"
