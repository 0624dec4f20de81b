// mbarriers, bulk and tensor copies, st.async and wgmma: data, phases, and the faults of each with a clean twin.
#include "core/exec/emulator/tensor_map.hpp"
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

using namespace aicf;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

namespace {

const std::string shared = ".shared .align 128 .b8 s[4096];\n.shared .align 8 .b64 bar;\n";
/// The barrier for one arrival; %r30 its address, %r20 = s + 4 * tid; thread 0 in %q7.
const std::string setup = "mov.u32 %r30, bar;\nmov.u32 %r31, s;\nshl.b32 %r1, %t, 2;\nadd.u32 %r20, %r31, %r1;\n"
                          "setp.eq.u32 %q7, %t, 0;\n@%q7 mbarrier.init.shared::cta.b64 [%r30], 1;\n"
                          "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n";
std::string wait(const std::string& label, int parity) {
  return label + ":\nmbarrier.try_wait.parity.shared::cta.b64 %q1, [%r30], " + std::to_string(parity) +
         ";\n@!%q1 bra " + label + ";\n";
}
std::string load(int bytes, const std::string& predicate = "@%q7 ") {
  const std::string n = std::to_string(bytes);
  return predicate + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], " + n + ";\n" + predicate +
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%p0], " + n + ", [%r30];\n";
}
std::vector<std::uint32_t> counting(std::size_t n) {
  std::vector<std::uint32_t> v(n);
  std::iota(v.begin(), v.end(), 1u);
  return v;
}

} // namespace

class TestPtxAsync : public QObject {
  Q_OBJECT
 private slots:
  void bulkLoad() {
    Kernel k{test::entry(2,
                         setup + load(512) + wait("W", 0) +
                             "ld.shared.u32 %r2, [%r20];\nmul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p1;\n"
                             "st.global.u32 [%l1], %r2;",
                         shared)};
    k.with(counting(128)).with(std::vector<std::uint32_t>(128));
    k.block = 128;
    QCOMPARE(k.problem(), std::string());
    QCOMPARE(k.values<std::uint32_t>(1), counting(128));
  }

  /// A ring of two stages over eight tiles: a producer warp and a consumer warp, full and empty barriers.
  void ring() {
    const std::string body =
        "mov.u32 %r31, s;\nmov.u32 %r30, bars;\nsetp.eq.u32 %q7, %t, 0;\n"
        "@!%q7 bra READY;\n"
        "mbarrier.init.shared::cta.b64 [%r30], 1;\nmbarrier.init.shared::cta.b64 [%r30+8], 1;\n"
        "mbarrier.init.shared::cta.b64 [%r30+16], 32;\nmbarrier.init.shared::cta.b64 [%r30+24], 32;\n"
        "READY:\nbar.sync 0;\n"
        "mov.u32 %r1, 0;\nmov.u32 %r9, 0;\nshr.u32 %r2, %t, 5;\nsetp.eq.u32 %q2, %r2, 1;\nmov.u64 %l5, %p0;\n"
        "LOOP:\nand.b32 %r3, %r1, 1;\nshl.b32 %r4, %r3, 3;\nadd.u32 %r5, %r30, %r4;\nshl.b32 %r6, %r3, 9;\n"
        "add.u32 %r6, %r31, %r6;\nshr.u32 %r7, %r1, 1;\nand.b32 %r7, %r7, 1;\nxor.b32 %r8, %r7, 1;\n"
        "@%q2 bra CONSUME;\n"
        "@!%q7 bra NEXT;\n"
        "E:\nmbarrier.try_wait.parity.shared::cta.b64 %q1, [%r5+16], %r8;\n@!%q1 bra E;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 512;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%l5], 512, [%r5];\n"
        "add.s64 %l5, %l5, 512;\nbra NEXT;\n"
        "CONSUME:\nF:\nmbarrier.try_wait.parity.shared::cta.b64 %q1, [%r5], %r7;\n@!%q1 bra F;\n"
        "and.b32 %r10, %t, 31;\nshl.b32 %r10, %r10, 4;\nadd.u32 %r10, %r10, %r6;\n"
        "ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r10];\nadd.u32 %r9, %r9, %r11;\nadd.u32 %r9, %r9, %r12;\n"
        "add.u32 %r9, %r9, %r13;\nadd.u32 %r9, %r9, %r14;\n"
        "mbarrier.arrive.shared::cta.b64 %l6, [%r5+16];\n"
        "NEXT:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %q3, %r1, 8;\n@%q3 bra LOOP;\n"
        "bar.sync 0;\n@!%q2 exit;\nred.global.add.u32 [%p1], %r9;";
    Kernel k{test::entry(2, body, ".shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 bars[4];")};
    k.with(counting(1024)).with(std::vector<std::uint32_t>(1));
    k.block = 64;
    QCOMPARE(k.problem(), std::string());
    QCOMPARE(k.values<std::uint32_t>(1)[0], 1024u * 1025u / 2);
  }

  /// The state that arrive returns; counts; arrive_drop.
  void phases() {
    Kernel k{test::entry(1,
                         "mov.u32 %r30, bar;\nmbarrier.init.shared.b64 [%r30], 3;\n"
                         "mbarrier.arrive.shared.b64 %l1, [%r30];\nmbarrier.pending_count.b64 %r1, %l1;\n"
                         "mbarrier.test_wait.shared.b64 %q1, [%r30], %l1;\nselp.u32 %r2, 1, 0, %q1;\n"
                         "mbarrier.arrive.shared.b64 %l2, [%r30], 2;\n"
                         "mbarrier.test_wait.shared.b64 %q2, [%r30], %l1;\nselp.u32 %r3, 1, 0, %q2;\n"
                         "mbarrier.arrive_drop.shared.b64 %l3, [%r30];\nmbarrier.arrive.shared.b64 %l4, [%r30], 2;\n"
                         "mbarrier.test_wait.parity.shared.b64 %q3, [%r30], 1;\nselp.u32 %r4, 1, 0, %q3;\n"
                         "mbarrier.arrive.shared.b64 %l5, [%r30];\nmbarrier.pending_count.b64 %r5, %l5;\n"
                         "st.global.u32 [%p0], %r1;\nst.global.u32 [%p0+4], %r2;\nst.global.u32 [%p0+8], %r3;\n"
                         "st.global.u32 [%p0+12], %r4;\nst.global.u32 [%p0+16], %r5;\n"
                         "mbarrier.inval.shared.b64 [%r30];",
                         shared)};
    k.with(std::vector<std::uint32_t>(5));
    k.block = 1;
    QCOMPARE(k.problem(), std::string());
    QCOMPARE(k.values<std::uint32_t>(0), (std::vector<std::uint32_t>{3, 0, 1, 1, 2}));
  }

  void bulkStore() {
    for (const bool reduce : {false, true}) {
      const std::string copy = reduce ? "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"
                                      : "cp.async.bulk.global.shared::cta.bulk_group";
      Kernel k{test::entry(
          1,
          setup + "st.shared.u32 [%r20], %t;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n@!%q7 exit;\n" + copy +
              " [%p0], [%r31], 512;\ncp.async.bulk.commit_group;\n"
              "cp.async.bulk.wait_group 0;",
          shared)};
      k.with(std::vector<std::uint32_t>(128, 1000));
      k.block = 128;
      QCOMPARE(k.problem(), std::string());
      for (std::uint32_t i = 0; i < 128; ++i) QCOMPARE(k.values<std::uint32_t>(0)[i], reduce ? 1000 + i : i);
    }
  }

  /// Block 0 multicasts to both, each waits at its own barrier.
  void multicast() {
    Kernel k{
        test::entry(2,
                    setup +
                        "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                        "@%q7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 512;\n"
                        "mov.u32 %r2, %cluster_ctarank;\nsetp.eq.and.u32 %q2, %r2, 0, %q7;\nmov.u16 %h1, 3;\n"
                        "@%q2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                        "[%r31], [%p0], 512, [%r30], %h1;\n" +
                        wait("W", 0) +
                        "ld.shared.u32 %r3, [%r20];\nmad.lo.u32 %r4, %r2, 128, %t;\n"
                        "mul.wide.u32 %l1, %r4, 4;\nadd.s64 %l1, %l1, %p1;\nst.global.u32 [%l1], %r3;\n"
                        "barrier.cluster.arrive;\nbarrier.cluster.wait;",
                    shared)};
    k.with(counting(128)).with(std::vector<std::uint32_t>(256));
    k.block = 128;
    k.grid = k.cluster = 2;
    QCOMPARE(k.problem(), std::string());
    auto twice = counting(128);
    twice.insert(twice.end(), twice.begin(), twice.begin() + 128);
    QCOMPARE(k.values<std::uint32_t>(1), twice);
  }

  /// Each thread of block 0 sends its number to block 1 with st.async.
  void storeAsync() {
    Kernel k{test::entry(
        1,
        setup +
            "mov.u32 %r2, %cluster_ctarank;\nsetp.eq.u32 %q3, %r2, 1;\n"
            "and.pred %q4, %q3, %q7;\n"
            "@%q4 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 128;\n"
            "barrier.cluster.arrive;\nbarrier.cluster.wait;\n@%q3 bra TAKE;\n"
            "mapa.shared::cluster.u32 %r3, %r20, 1;\nmapa.shared::cluster.u32 %r4, %r30, 1;\n"
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], %t, [%r4];\nbra END;\nTAKE:\n" +
            wait("W", 0) +
            "ld.shared.u32 %r5, [%r20];\nmul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\n"
            "st.global.u32 [%l1], %r5;\nEND:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;",
        shared)};
    k.with(std::vector<std::uint32_t>(32, 99));
    k.grid = k.cluster = 2;
    QCOMPARE(k.problem(), std::string());
    for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(k.values<std::uint32_t>(0)[i], i);
  }

  /// A box at the edge of a matrix of 10 x 24 f32, of which 8 x 32 bytes are swizzled or not; outside is zero.
  void tensorLoad_data() {
    QTest::addColumn<int>("swizzle");
    for (const int s : {0, 32, 64, 128}) QTest::newRow(std::to_string(s).c_str()) << s;
  }
  void tensorLoad() {
    QFETCH(int, swizzle);
    const std::uint32_t inner = swizzle == 0 ? 32 : static_cast<std::uint32_t>(swizzle) / 4, rows = 8;
    const std::uint32_t bytes = inner * 4 * rows;
    emulator::TensorMap map;
    map.rank = 2;
    map.size = {36, 10};
    map.stride = {4, 144};
    map.box = {inner, rows};
    map.step = {1, 1};
    map.swizzle = static_cast<std::uint32_t>(swizzle);
    std::vector<std::uint32_t> matrix = counting(360);
    const std::string n = std::to_string(bytes);
    Kernel k{
        test::entry(3,
                    setup + "@%q7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], " + n +
                        ";\nmov.u32 %r5, 20;\n"
                        "mov.u32 %r6, 4;\n"
                        "@%q7 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], "
                        "[%p0, {%r5, %r6}], [%r30];\n" +
                        wait("W", 0) + "setp.lt.u32 %q5, %t, " + std::to_string(bytes / 4) +
                        ";\n@!%q5 exit;\nld.shared.u32 %r2, [%r20];\nmul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p2;\n"
                        "st.global.u32 [%l1], %r2;",
                    shared)};
    k.with(std::vector<std::byte>(emulator::tensor_map_bytes)).with(matrix).with(std::vector<std::uint32_t>(bytes / 4));
    map.address = k.address(1);
    const auto encoded = emulator::encode(map);
    QVERIFY(encoded);
    k.buffers[0].assign(encoded->begin(), encoded->end());
    k.block = 256;
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint32_t>(2);
    for (std::uint32_t r = 0; r < rows; ++r)
      for (std::uint32_t c = 0; c < inner; ++c) {
        const bool inside = 4 + r < 10 && 20 + c < 36;
        std::uint32_t at =
            (r * inner + c) * 4; // PTX ISA: 16-byte units are exchanged by the number of the 128-byte line
        if (swizzle == 128) at ^= (at >> 7 & 7) << 4;
        if (swizzle == 64) at ^= (at >> 7 & 3) << 4;
        if (swizzle == 32) at ^= (at >> 7 & 1) << 4;
        QCOMPARE(got[at / 4], inside ? matrix[(4 + r) * 36 + 20 + c] : 0u);
      }
  }

  void tensorStore() {
    emulator::TensorMap map;
    map.rank = 3;
    map.element = emulator::TensorMap::Element::u16;
    map.size = {16, 3, 2};
    map.stride = {2, 32, 96};
    map.box = {8, 2, 2};
    map.step = {1, 1, 1};
    Kernel k{test::entry(
        2,
        setup + "cvt.u16.u32 %h1, %t;\nshl.b32 %r2, %t, 1;\nadd.u32 %r2, %r2, %r31;\nst.shared.u16 [%r2], %h1;\n"
                "fence.proxy.async;\nbar.sync 0;\n@!%q7 exit;\nmov.u32 %r5, 8;\nmov.u32 %r6, 2;\nmov.u32 %r7, 0;\n"
                "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%p0, {%r5, %r6, %r7}], [%r31];\n"
                "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;",
        shared)};
    k.with(std::vector<std::byte>(emulator::tensor_map_bytes)).with(std::vector<std::uint16_t>(96, 7777));
    map.address = k.address(1);
    const auto encoded = emulator::encode(map);
    QVERIFY(encoded);
    k.buffers[0].assign(encoded->begin(), encoded->end());
    k.block = 32;
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint16_t>(1);
    for (std::size_t z = 0; z < 2; ++z)
      for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t x = 0; x < 16; ++x) // row 3 is outside: not written
          QCOMPARE(std::size_t{got[z * 48 + y * 16 + x]}, y == 2 && x >= 8 ? z * 16 + x - 8 : 7777);
  }

  /// The rows of a 3 x 3 convolution with padding 1 and strides 1 and 2: by its definition, each output's input pixel.
  void im2col_data() {
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("first"); ///< output pixel
    QTest::newRow("stride 1") << 1 << 7;
    QTest::newRow("stride 2") << 2 << 1;
    QTest::newRow("past the last image") << 1 << 30;
  }
  void im2col() {
    QFETCH(int, stride);
    QFETCH(int, first);
    constexpr int images = 2, height = 4, width = 5, channels = 8, taken = 4, pixels = 16, r = 2, s = 0;
    const int p = (height + 2 - 3) / stride + 1, q = (width + 2 - 3) / stride + 1;
    emulator::TensorMap map;
    map.rank = 4;
    map.size = {channels, width, height, images};
    map.stride = {4, 4 * channels, 4 * channels * width, 4 * channels * width * height};
    map.step = {1, static_cast<std::uint32_t>(stride), static_cast<std::uint32_t>(stride), 1};
    map.im2col = true;
    map.channels = taken;
    map.pixels = pixels;
    map.lower = {-1, -1};
    map.upper = {-1, -1};
    const std::string at = "mov.u32 %r5, 4;\nmov.u32 %r6, " + std::to_string(first % q * stride - 1) +
                           ";\nmov.u32 %r7, " + std::to_string(first / q % p * stride - 1) + ";\nmov.u32 %r8, " +
                           std::to_string(first / q / p) + ";\nmov.u16 %h1, " + std::to_string(s) + ";\nmov.u16 %h2, " +
                           std::to_string(r) + ";\n";
    Kernel k{test::entry(3,
                         setup + at +
                             "@%q7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 256;\n"
                             "@%q7 cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                             "[%r31], [%p0, {%r5, %r6, %r7, %r8}], [%r30], {%h1, %h2};\n" +
                             wait("W", 0) +
                             "ld.shared.u32 %r2, [%r20];\nmul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p2;\n"
                             "st.global.u32 [%l1], %r2;",
                         shared)};
    const auto x = counting(images * height * width * channels);
    k.with(std::vector<std::byte>(emulator::tensor_map_bytes)).with(x).with(std::vector<std::uint32_t>(64));
    map.address = k.address(1);
    const auto encoded = emulator::encode(map);
    QVERIFY(encoded);
    k.buffers[0].assign(encoded->begin(), encoded->end());
    k.block = 64;
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint32_t>(2);
    for (int i = 0; i < pixels; ++i)
      for (int c = 0; c < taken; ++c) {
        const int o = first + i, n = o / q / p, h = o / q % p * stride - 1 + r, w = o % q * stride - 1 + s;
        const bool inside = n < images && h >= 0 && h < height && w >= 0 && w < width;
        const auto expected =
            inside ? x[static_cast<std::size_t>(((n * height + h) * width + w) * channels + 4 + c)] : 0U;
        QCOMPARE(got[static_cast<std::size_t>(i * taken + c)], expected);
      }
  }

  /// A tile is added to global memory where it lies inside; the least of signed numbers by the map's type.
  void tensorReduce_data() {
    QTest::addColumn<std::string>("operation");
    QTest::addColumn<int>("element");
    QTest::newRow("add") << std::string("add") << static_cast<int>(emulator::TensorMap::Element::u32);
    QTest::newRow("min") << std::string("min") << static_cast<int>(emulator::TensorMap::Element::s32);
    QTest::newRow("or") << std::string("or") << static_cast<int>(emulator::TensorMap::Element::u32);
  }
  void tensorReduce() {
    QFETCH(std::string, operation);
    QFETCH(int, element);
    emulator::TensorMap map;
    map.rank = 2;
    map.element = static_cast<emulator::TensorMap::Element>(element);
    map.size = {20, 3};
    map.stride = {4, 80};
    map.box = {8, 2};
    map.step = {1, 1};
    Kernel k{test::entry(2,
                         setup +
                             "sub.s32 %r2, %t, 5;\nst.shared.u32 [%r20], %r2;\nfence.proxy.async;\nbar.sync 0;\n@!%q7 "
                             "exit;\nmov.u32 %r5, 16;\nmov.u32 %r6, 1;\ncp.reduce.async.bulk.tensor.2d.global."
                             "shared::cta." +
                             operation +
                             ".tile.bulk_group [%p0, {%r5, %r6}], [%r31];\ncp.async.bulk.commit_group;\n"
                             "cp.async.bulk.wait_group 0;",
                         shared)};
    k.with(std::vector<std::byte>(emulator::tensor_map_bytes)).with(counting(60));
    map.address = k.address(1);
    const auto encoded = emulator::encode(map);
    QVERIFY(encoded);
    k.buffers[0].assign(encoded->begin(), encoded->end());
    k.block = 64;
    QCOMPARE(k.problem(), std::string());
    const auto before = counting(60), got = k.values<std::uint32_t>(1);
    for (std::uint32_t y = 0; y < 3; ++y)
      for (std::uint32_t x = 0; x < 20; ++x) {
        const auto old = static_cast<std::int32_t>(before[y * 20 + x]);
        const auto given = static_cast<std::int32_t>((y - 1) * 8 + x - 16) - 5;
        const std::int32_t combined = operation == "add"   ? old + given
                                      : operation == "min" ? std::min(old, given)
                                                           : old | given;
        QCOMPARE(static_cast<std::int32_t>(got[y * 20 + x]), y >= 1 && x >= 16 ? combined : old);
      }
  }

  void maps() {
    emulator::TensorMap map;
    map.size = {16};
    map.stride = {4};
    map.box = {4};
    map.step = {1};
    QVERIFY(emulator::encode(map));
    auto wrong = map;
    wrong.box[0] = 3; // 12 bytes
    QVERIFY(!emulator::encode(wrong));
    wrong = map;
    wrong.swizzle = 32;
    wrong.box[0] = 16; // 64 bytes
    QVERIFY(!emulator::encode(wrong));
    wrong = map;
    wrong.address = 8;
    QVERIFY(!emulator::encode(wrong));
    wrong = map;
    wrong.rank = 6;
    QVERIFY(!emulator::encode(wrong));
    wrong = map;
    wrong.element = emulator::TensorMap::Element::u32;
    wrong.fill_nan = true; // an integer has none
    QVERIFY(!emulator::encode(wrong));
    auto columns = map;
    columns.im2col = true;
    columns.rank = 4;
    columns.size = {8, 5, 4, 2};
    columns.stride = {4, 32, 160, 640};
    columns.step = {1, 2, 2, 1};
    columns.channels = 8;
    columns.pixels = 1024;
    columns.lower = {-128, 0};
    columns.upper = {127, -1};
    const auto packed = emulator::encode(columns);
    QVERIFY(packed);
    const auto back = emulator::decode_tensor_map(packed->data());
    QVERIFY(back && back->im2col && back->pixels == 1024 && back->lower == columns.lower);
    QVERIFY(back->upper == columns.upper && back->channels == 8);
    wrong = columns;
    wrong.lower[1] = -129; // eight bits in 4 dimensions
    QVERIFY(!emulator::encode(wrong));
    wrong = columns;
    wrong.pixels = 1025;
    QVERIFY(!emulator::encode(wrong));
    wrong = columns;
    wrong.rank = 2;
    QVERIFY(!emulator::encode(wrong));
    const std::vector<std::byte> zeros(128);
    QVERIFY(!emulator::decode_tensor_map(zeros.data()));
  }

  /// D = A B + D for a warpgroup with A and B in shared memory, K-major, under every swizzle.
  void wgmma_data() {
    QTest::addColumn<int>("swizzle");
    QTest::addColumn<bool>("registers");
    QTest::addColumn<bool>("transposed");
    for (const int s : {0, 32, 64, 128}) {
      QTest::newRow(("shared " + std::to_string(s)).c_str()) << s << false << false;
      QTest::newRow(("transposed B " + std::to_string(s)).c_str()) << s << false << true;
    }
    QTest::newRow("registers") << 128 << true << false;
  }
  void wgmma() {
    QFETCH(int, swizzle);
    QFETCH(bool, registers);
    QFETCH(bool, transposed);
    // bf16, m64n16k16. The place of element (row, k) of an operand with k contiguous: PTX ISA, "Canonical layouts".
    const std::uint32_t width = swizzle == 0 ? 16 : static_cast<std::uint32_t>(swizzle);
    const auto flip = [&](std::uint32_t at) { return at ^ ((at >> 7 & (width / 16 - 1)) << 4); };
    // No swizzle: core matrices of 8 rows x 16 bytes; k's two lie 128 bytes apart, groups of 8 rows 256.
    const std::uint32_t leading = swizzle == 0 ? 128 : 16, stride = swizzle == 0 ? 256 : 8 * width;
    const auto place = [&](std::uint32_t row, std::uint32_t k) {
      const std::uint32_t byte = 2 * k;
      if (swizzle == 0) return row / 8 * stride + byte / 16 * leading + row % 8 * 16 + byte % 16;
      return flip(row / 8 * stride + row % 8 * width + byte);
    };
    // n contiguous, 16 columns are 32 bytes: repeats of an atom along n lie `across` apart, groups of 8 k `down`.
    const std::uint32_t across = 1024, down = 2048;
    const auto place_transposed = [&](std::uint32_t n, std::uint32_t k) {
      const std::uint32_t byte = 2 * n;
      if (swizzle == 0) return byte / 16 * across + k / 8 * down + k % 8 * 16 + byte % 16;
      return flip(byte / width * across + k / 8 * down + k % 8 * width + byte % width);
    };
    std::vector<std::uint16_t> a(4096), b(4096);
    const auto value = [](std::uint32_t r, std::uint32_t c) { return static_cast<int>((r * 5 + c * 3) % 7) - 3; };
    const auto bf16 = [](int v) {
      return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16);
    };
    for (std::uint32_t r = 0; r < 64; ++r)
      for (std::uint32_t k = 0; k < 16; ++k) a[place(r, k) / 2] = bf16(value(r, k));
    for (std::uint32_t n = 0; n < 16; ++n)
      for (std::uint32_t k = 0; k < 16; ++k)
        b[(transposed ? place_transposed(n, k) : place(n, k)) / 2] = bf16(value(n + 1, k));
    const auto descriptor = [&](std::uint32_t l, std::uint32_t s) {
      const std::uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
      return std::uint64_t{l / 16} << 16 | std::uint64_t{s / 16} << 32 | mode << 62;
    };
    const std::uint64_t of_a = descriptor(leading, stride);
    const std::uint64_t of_b = !transposed    ? descriptor(leading, stride)
                               : swizzle == 0 ? descriptor(down, across)
                                              : descriptor(across, down);
    std::string body =
        "mov.u32 %r1, sa;\nmov.u32 %r2, sb;\nmov.u32 %r3, %t;\n"
        "COPY:\nmul.wide.u32 %l1, %r3, 4;\nadd.s64 %l2, %l1, %p0;\nld.global.u32 %r4, [%l2];\n"
        "shl.b32 %r5, %r3, 2;\nadd.u32 %r6, %r5, %r1;\nst.shared.u32 [%r6], %r4;\n"
        "add.s64 %l2, %l1, %p1;\nld.global.u32 %r4, [%l2];\nadd.u32 %r6, %r5, %r2;\nst.shared.u32 [%r6], %r4;\n"
        "add.u32 %r3, %r3, 128;\nsetp.lt.u32 %q1, %r3, 2048;\n@%q1 bra COPY;\n"
        "fence.proxy.async;\nbar.sync 0;\nshr.u32 %r1, %r1, 4;\nshr.u32 %r2, %r2, 4;\n"
        "cvt.u64.u32 %l3, %r1;\ncvt.u64.u32 %l4, %r2;\nor.b64 %l3, %l3, " +
        std::to_string(of_a) + ";\nor.b64 %l4, %l4, " + std::to_string(of_b) + ";\n";
    for (int i = 0; i < 8; ++i) body += "mov.u32 %f" + std::to_string(i) + ", 0x3f800000;\n"; // D starts as ones
    std::string from = "%l3";
    if (registers) { // lane l of warp w: rows 16 w + l / 4 (+ 8), k = 2 (l % 4) (+ 8)
      body += "shr.u32 %r7, %t, 5;\nand.b32 %r8, %t, 31;\nshr.u32 %r9, %r8, 2;\nmad.lo.u32 %r9, %r7, 16, %r9;\n"
              "and.b32 %r10, %t, 3;\nshl.b32 %r10, %r10, 2;\nmov.u32 %r11, sr;\n";
      // A again in plain rows of 32 bytes in p3.
      body += "mul.lo.u32 %r12, %r9, 32;\nadd.u32 %r12, %r12, %r10;\ncvt.u64.u32 %l6, %r12;\nadd.s64 %l6, %l6, %p3;\n"
              "ld.global.u32 %r13, [%l6];\nld.global.u32 %r14, [%l6+256];\nld.global.u32 %r15, [%l6+16];\n"
              "ld.global.u32 %r16, [%l6+272];\n";
      from = "{%r13, %r14, %r15, %r16}";
    }
    body += "setp.ne.u32 %q2, 1, 0;\nwgmma.fence.sync.aligned;\n"
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, " +
            from + ", %l4, %q2, 1, 1, " + (registers ? std::string() : std::string("0, ")) + (transposed ? "1" : "0") +
            ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
            "mul.wide.u32 %l5, %t, 32;\nadd.s64 %l5, %l5, %p2;\n";
    for (int i = 0; i < 8; ++i)
      body += "st.global.u32 [%l5+" + std::to_string(4 * i) + "], %f" + std::to_string(i) + ";\n";
    std::vector<std::uint16_t> plain(64 * 16);
    for (std::uint32_t r = 0; r < 64; ++r)
      for (std::uint32_t k = 0; k < 16; ++k) plain[r * 16 + k] = bf16(value(r, k));
    Kernel k{test::entry(4, body,
                         ".shared .align 1024 .b8 sa[8192];\n.shared .align 1024 .b8 sb[8192];\n.shared .b32 sr;",
                         ".reg .b32 %f<8>;")};
    k.with(a).with(b).with(std::vector<float>(128 * 8)).with(plain);
    k.block = 128;
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<float>(2);
    for (std::uint32_t t = 0; t < 128; ++t)
      for (std::uint32_t i = 0; i < 8; ++i) { // PTX ISA: fragment of D
        const std::uint32_t row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2 % 2), column = 8 * (i / 4) + t % 4 * 2 + i % 2;
        int expected = 1;
        for (std::uint32_t q = 0; q < 16; ++q) expected += value(row, q) * value(column + 1, q);
        QCOMPARE(got[t * 8 + i], static_cast<float>(expected));
      }
  }

  void sparseWgmma_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("selector");
    QTest::addColumn<bool>("registers");
    for (const char* type : {"bf16", "tf32"})
      for (const int selector : {0, 1})
        for (const bool registers : {false, true})
          QTest::newRow((std::string(type) + " " + std::to_string(selector) + (registers ? " registers" : "")).c_str())
              << QString(type) << selector << registers;
    for (const char* type : {"f16", "f16 to f16"})
      for (const int selector : {0, 1})
        QTest::newRow((std::string(type) + " " + std::to_string(selector)).c_str())
            << QString(type) << selector << (selector == 0);
    for (const char* type : {"s8", "e4m3", "e5m2", "e4m3 to f16", "e5m2 to f16"})
      for (const bool registers : {false, true})
        QTest::newRow((std::string(type) + (registers ? " registers" : "")).c_str()) << QString(type) << 0 << registers;
  }
  /// m64n8 with 64 bytes of B a column, of A the half that is held, against the dense product of A with its zeros.
  /// PTX ISA, "Sparse matrix storage" of wgmma, and the figures of its metadata: each warp gives that of its 16 rows.
  void sparseWgmma() {
    QFETCH(QString, type);
    QFETCH(int, selector);
    QFETCH(bool, registers);
    const bool halves = type.endsWith("to f16"); // what is accumulated
    type = type.section(' ', 0, 0);
    const int bytes = type == "tf32" ? 4 : type.endsWith("f16") ? 2 : 1, depth = 64 / bytes, held = depth / 2;
    const int chunk = bytes == 4 ? 2 : 4, chunks = depth / chunk, each = 4 / bytes;
    std::mt19937 random(5);
    const auto small = [&] { return static_cast<int>(random() % 7) - 3; };
    const auto bits = [&](int v) -> std::uint32_t {
      const auto f = std::bit_cast<std::uint32_t>(static_cast<float>(v));
      if (type == "s8") return static_cast<std::uint8_t>(v);
      if (type == "tf32") return f;
      if (type == "bf16") return f >> 16;
      // 0, 1, 2 and 3 of the small formats, and the sign above them.
      static const std::map<QString, std::array<std::uint32_t, 5>> small_numbers{
          {"f16", {0, 0x3c00, 0x4000, 0x4200, 0x8000}},
          {"e4m3", {0, 0x38, 0x40, 0x44, 0x80}},
          {"e5m2", {0, 0x3c, 0x40, 0x42, 0x80}}};
      const auto& numbers = small_numbers.at(type);
      return numbers[static_cast<std::size_t>(std::abs(v))] | (v < 0 ? numbers[4] : 0);
    };
    std::vector<int> a(64 * depth), kept(64 * held), b(8 * depth);
    for (int& v : b) v = small();
    std::vector<std::uint32_t> metadata(128);
    for (int row = 0; row < 64; ++row)
      for (int q = 0; q < chunks; ++q) {
        static constexpr unsigned orders[] = {0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110};
        const unsigned index = bytes == 4 ? (random() % 2 == 0 ? 0b0100U : 0b1110U) : orders[random() % 6];
        for (int e = 0; e < chunk / 2; ++e) {
          const int column = bytes == 4 ? static_cast<int>(index == 0b1110) : static_cast<int>(index >> (2 * e) & 3);
          kept[row * held + q * chunk / 2 + e] = a[row * depth + q * chunk + column] = small();
        }
        const int r = row % 16, quad = row / 16 * 32 + r % 8 * 4;
        const int lane = bytes == 1 ? quad + r / 8 + q / 8 * 2 : quad + 2 * selector + q / 4;
        const int nibble = bytes == 1 ? q % 8 : q % 4 + 4 * (r / 8);
        metadata[static_cast<std::size_t>(lane)] |= index << (4 * nibble);
      }
    // No swizzle: core matrices of 8 rows of 16 bytes, 128 bytes apart along k; then groups of 8 rows.
    const auto place = [](int row, int byte, int stride) {
      return row / 8 * stride + byte / 16 * 128 + row % 8 * 16 + byte % 16;
    };
    std::vector<std::uint8_t> sa(2048), sb(512);
    const auto put = [&](std::vector<std::uint8_t>& to, int at, int v) {
      const std::uint32_t word = bits(v);
      std::memcpy(to.data() + at, &word, static_cast<std::size_t>(bytes));
    };
    for (int row = 0; row < 64; ++row)
      for (int k = 0; k < held; ++k) put(sa, place(row, k * bytes, 256), kept[row * held + k]);
    for (int n = 0; n < 8; ++n)
      for (int k = 0; k < depth; ++k) put(sb, place(n, k * bytes, 512), b[n * depth + k]);
    std::vector<std::uint32_t> fragments; // of A, four registers a thread
    for (int t = 0; t < 128; ++t)
      for (int r = 0; r < 4; ++r) {
        std::uint32_t v = 0;
        for (int i = 0; i < each; ++i) {
          const int row = t / 32 * 16 + t % 32 / 4 + 8 * (r % 2), column = r / 2 * 4 * each + t % 4 * each + i;
          v |= bits(kept[row * held + column]) << (8 * bytes * i);
        }
        fragments.push_back(v);
      }
    const auto descriptor = [](std::uint64_t stride) { return std::to_string(128ull / 16 << 16 | stride / 16 << 32); };
    const std::string of = type.toStdString();
    const std::string types = type == "s8" ? "s32.s8.s8" : std::string(halves ? "f16." : "f32.") + of + "." + of;
    const std::string d = halves ? "{%f0, %f1}" : "{%f0, %f1, %f2, %f3}";
    const std::string immediates = type == "s8" ? "" : bytes != 2 ? ", 1, 1" : registers ? ", 1, 1, 0" : ", 1, 1, 0, 0";
    const std::string body =
        "mov.u32 %r1, sa;\nmov.u32 %r2, sb;\nmov.u32 %r3, %t;\n"
        "COPY:\nmul.wide.u32 %l1, %r3, 4;\nadd.s64 %l2, %l1, %p0;\nld.global.u32 %r4, [%l2];\n"
        "shl.b32 %r5, %r3, 2;\nadd.u32 %r6, %r5, %r1;\nst.shared.u32 [%r6], %r4;\n"
        "add.u32 %r3, %r3, 128;\nsetp.lt.u32 %q1, %r3, 512;\n@%q1 bra COPY;\n"
        "mul.wide.u32 %l1, %t, 4;\nadd.s64 %l2, %l1, %p1;\nld.global.u32 %r4, [%l2];\nshl.b32 %r5, %t, 2;\n"
        "add.u32 %r6, %r5, %r2;\nst.shared.u32 [%r6], %r4;\nadd.s64 %l2, %l1, %p3;\nld.global.u32 %r20, [%l2];\n"
        "mul.wide.u32 %l1, %t, 16;\nadd.s64 %l2, %l1, %p4;\nld.global.v4.u32 {%r13, %r14, %r15, %r16}, [%l2];\n"
        "fence.proxy.async;\nbar.sync 0;\nshr.u32 %r1, %r1, 4;\nshr.u32 %r2, %r2, 4;\n"
        "cvt.u64.u32 %l3, %r1;\ncvt.u64.u32 %l4, %r2;\nor.b64 %l3, %l3, " +
        descriptor(256) + ";\nor.b64 %l4, %l4, " + descriptor(512) +
        ";\nmov.u32 %f0, 0;\nmov.u32 %f1, 0;\nmov.u32 %f2, 0;\nmov.u32 %f3, 0;\nsetp.ne.u32 %q2, 1, 0;\n"
        "wgmma.fence.sync.aligned;\nwgmma.mma_async.sp.sync.aligned.m64n8k" +
        std::to_string(depth) + "." + types + " " + d + ", " + (registers ? "{%r13, %r14, %r15, %r16}" : "%l3") +
        ", %l4, %r20, " + std::to_string(selector) + ", %q2" + immediates +
        ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        "add.s64 %l5, %l1, %p2;\nst.global.v4.u32 [%l5], {%f0, %f1, %f2, %f3};\n";
    Kernel k{test::entry(5, body, ".shared .align 1024 .b8 sa[2048];\n.shared .align 1024 .b8 sb[512];",
                         ".reg .b32 %f<4>;")};
    k.with(sa).with(sb).with(std::vector<std::uint32_t>(512)).with(metadata).with(fragments);
    k.block = 128;
    k.options.counters = true;
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    const auto operations = test::metric(*result, type == "s8" ? "tensor_integer_operations" : "tensor_flops");
    QCOMPARE(operations, 2.0 * 64 * 8 * depth);
    QCOMPARE(test::metric(*result, "shared_load_bytes"), registers ? 512.0 : 512.0 + 2048);
    const auto got = k.values<std::uint32_t>(2);
    for (int t = 0; t < 128; ++t)
      for (int i = 0; i < 4; ++i) {
        const int row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2), column = t % 4 * 2 + i % 2;
        int expected = 0;
        for (int q = 0; q < depth; ++q) expected += a[row * depth + q] * b[column * depth + q];
        std::uint32_t v = got[static_cast<std::size_t>(4 * t + (halves ? i / 2 : i))];
        if (halves) {
          v = v >> (i % 2 * 16) & 0xffff; // finite and normal, or 0: below 2^11 halves hold every whole number
          const float f = std::ldexp(static_cast<float>((v & 0x3ff) | 0x400), static_cast<int>(v >> 10 & 31) - 25);
          v = (v & 0x7fff) == 0 ? 0 : std::bit_cast<std::uint32_t>((v & 0x8000) != 0 ? -f : f);
        }
        QCOMPARE(type == "s8" ? static_cast<int>(v) : static_cast<int>(std::bit_cast<float>(v)), expected);
      }
  }

  void faults_data() {
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("kind"); // empty: clean
    const auto row = [](const char* name, const char* kind, const std::string& body) {
      QTest::newRow(name) << body << std::string(kind);
    };
    const std::string read = "ld.shared.u32 %r2, [%r20];\n";
    row("read before the wait", "shared-race", setup + load(512) + read + wait("W", 0));
    row("read after the wait", "", setup + load(512) + wait("W", 0) + read);
    row("one warp waits, another reads", "shared-race",
        setup + load(512) +
            "setp.lt.u32 %q2, %t, 32;\n@%q2 bra A;\nmov.u32 %r9, 100000;\nL:\nsub.u32 %r9, %r9, 1;\n"
            "setp.ne.u32 %q3, %r9, 0;\n@%q3 bra L;\n" +
            read + "bra B;\nA:\n" + wait("W", 0) + "B:\n");
    row("overwritten while others read", "shared-race",
        setup + "st.shared.u32 [%r20], %t;\nbar.sync 0;\n" + read + load(512) + wait("W", 0));
    row("overwritten after the barrier", "",
        setup + "st.shared.u32 [%r20], %t;\nbar.sync 0;\n" + read + "bar.sync 0;\n" + load(512) + wait("W", 0));
    row("fewer bytes than expected", "deadlock",
        setup +
            "@%q7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 1024;\n"
            "@%q7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%p0], 512, [%r30];\n" +
            wait("W", 0));
    row("no arrival", "deadlock", setup + wait("W", 0));
    row("barrier never made", "mbarrier", "mov.u32 %r30, bar;\nmbarrier.arrive.shared.b64 %l1, [%r30];\n");
    row("barrier invalidated", "mbarrier",
        setup + "@!%q7 exit;\nmbarrier.inval.shared.b64 [%r30];\nmbarrier.arrive.shared.b64 %l1, [%r30];\n");
    row("too many arrivals", "mbarrier", setup + "mbarrier.arrive.shared.b64 %l1, [%r30], 2;\n");
    row("barrier of no arrivals", "mbarrier", "mov.u32 %r30, bar;\nmbarrier.init.shared.b64 [%r30], 0;\n");
    row("barrier not published", "shared-race",
        "mov.u32 %r30, bar;\nsetp.eq.u32 %q7, %t, 0;\n@%q7 mbarrier.init.shared.b64 [%r30], 128;\n"
        "mov.u32 %r9, 100000;\n@%q7 bra S;\nL:\nsub.u32 %r9, %r9, 1;\nsetp.ne.u32 %q3, %r9, 0;\n@%q3 bra L;\nS:\n"
        "mbarrier.arrive.shared.b64 %l1, [%r30];\n");
    row("store without a proxy fence", "proxy-fence",
        setup + "st.shared.u32 [%r20], %t;\nbar.sync 0;\n@!%q7 exit;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r31], 512;\ncp.async.bulk.commit_group;\n"
                "cp.async.bulk.wait_group 0;\n");
    row("store with a proxy fence", "",
        setup + "st.shared.u32 [%r20], %t;\nfence.proxy.async;\nbar.sync 0;\n@!%q7 exit;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r31], 512;\ncp.async.bulk.commit_group;\n"
                "cp.async.bulk.wait_group 0;\n");
    row("store without a barrier", "shared-race",
        setup + "st.shared.u32 [%r20], %t;\nfence.proxy.async;\n@!%q7 exit;\nmov.u32 %r9, 100000;\nL:\nsub.u32 %r9, "
                "%r9, 1;\n"
                "setp.ne.u32 %q3, %r9, 0;\n@%q3 bra L;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r31], 512;\ncp.async.bulk.commit_group;\n"
                "cp.async.bulk.wait_group 0;\n");
    row("store of what nobody wrote", "uninitialised-shared",
        setup + "@!%q7 exit;\ncp.async.bulk.global.shared::cta.bulk_group [%p0], [%r31], 512;\n"
                "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
    row("exit before the store has read", "bulk-exit",
        setup + "st.shared.u32 [%r20], %t;\nfence.proxy.async;\nbar.sync 0;\n@!%q7 exit;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r31], 512;\ncp.async.bulk.commit_group;\n");
    row("changed before the store has read", "shared-race",
        setup + "st.shared.u32 [%r20], %t;\nfence.proxy.async;\nbar.sync 0;\n@!%q7 exit;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r31], 512;\ncp.async.bulk.commit_group;\n"
                "st.shared.u32 [%r20], 5;\ncp.async.bulk.wait_group.read 0;\n");
    row("past the end of the buffer", "out-of-bounds", setup + load(528) + wait("W", 0));
    row("past the end of shared memory", "out-of-bounds",
        setup + "add.u32 %r31, %r31, 4096;\n" + load(512) + wait("W", 0));
    row("not a multiple of 16", "misaligned", setup + load(500) + wait("W", 0));
    row("misaligned target", "misaligned", setup + "add.u32 %r31, %r31, 8;\n" + load(256) + wait("W", 0));
    row("no tensor map", "tensor-map",
        setup + "mov.u32 %r5, 0;\n@!%q7 exit;\n"
                "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%p0, {%r5}], "
                "[%r30];\n");
    row("cp.async and its mbarrier", "",
        setup +
            "setp.lt.u32 %q2, %t, 32;\n@!%q2 bra C;\nmul.wide.u32 %l1, %t, 16;\nadd.s64 %l1, %l1, %p0;\n"
            "mad.lo.u32 %r3, %t, 16, %r31;\ncp.async.cg.shared.global [%r3], [%l1], 16;\n"
            "cp.async.mbarrier.arrive.shared.b64 [%r30];\nbar.warp.sync -1;\n@%q7 mbarrier.arrive.shared.b64 %l2, "
            "[%r30];\nC:\n" +
            wait("W", 0) + read);
  }
  void faults() {
    QFETCH(std::string, body);
    QFETCH(std::string, kind);
    Kernel k{test::entry(1, body, shared)};
    k.with(std::vector<std::uint32_t>(128));
    k.block = 128;
    const auto result = k.run();
    QVERIFY2(result, test::problems(result).c_str());
    if (kind.empty())
      QVERIFY2(result->faults.empty(), test::problems(result).c_str());
    else
      QVERIFY2(!result->faults.empty() && result->faults.front().kind == kind, test::problems(result).c_str());
  }
};

QTEST_MAIN(TestPtxAsync)
#include "test_ptx_async.moc"
