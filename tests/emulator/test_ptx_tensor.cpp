// Matrix instructions against sums worked out here: exact ones on small integers for every layout, and rounding as
// published for Hopper on chosen operands.
#include "core/exec/emulator/tensor_math.hpp"
#include "tests/emulator/ptx_fixture.hpp"
#include "tests/support/paths.hpp"

#include <QtTest>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

using namespace aicf;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

namespace {

using Bits = std::vector<std::uint32_t>;

/// An exact small value as bits of a type.
std::uint32_t bits_of(const std::string& type, int v) {
  const auto f = std::bit_cast<std::uint32_t>(static_cast<float>(v));
  if (type == "f32" || type == "tf32") return f;
  if (type == "bf16") return f >> 16;
  if (type == "s8" || type == "u8") return static_cast<std::uint8_t>(v);
  if (type == "s4" || type == "u4") return static_cast<std::uint32_t>(v) & 15;
  if (type == "b1") return static_cast<std::uint32_t>(v);
  if (type == "s32") return static_cast<std::uint32_t>(v);
  // Smaller floats, from the definition: sign, exponent + bias, fraction.
  const int exponent_bits = type == "e4m3" ? 4 : 5, fraction_bits = type == "f16" ? 10 : type == "e4m3" ? 3 : 2;
  if (v == 0) return 0;
  const int top = static_cast<int>(std::log2(std::abs(v))), bias = (1 << (exponent_bits - 1)) - 1;
  const auto fraction = static_cast<std::uint32_t>((std::abs(v) << fraction_bits >> top) & ((1 << fraction_bits) - 1));
  return (v < 0 ? 1u << (exponent_bits + fraction_bits) : 0) | static_cast<std::uint32_t>(top + bias) << fraction_bits |
         fraction;
}
unsigned width_of(const std::string& type) {
  return type == "f32" || type == "tf32" || type == "s32" ? 32
         : type == "f16" || type == "bf16"                ? 16
         : type == "s4" || type == "u4"                   ? 4
         : type == "b1"                                   ? 1
                                                          : 8;
}
int value_of(const std::string& type, std::uint32_t bits) {
  if (type == "s32") return static_cast<int>(bits);
  if (type == "f32") return static_cast<int>(std::bit_cast<float>(bits));
  const int exponent = static_cast<int>(bits >> 10 & 31) - 15; // f16
  if ((bits & 0x7fff) == 0) return 0;
  const int v = static_cast<int>(std::ldexp(1024 + (bits & 1023), exponent - 10));
  return (bits >> 15) != 0 ? -v : v;
}

struct Shape {
  int m, n, k;
};

/// Small integers whose sums stay exact in f16.
int small(std::mt19937& random, const std::string& type) {
  const int v = static_cast<int>(random() % 7) - 3;
  return type == "b1" ? v & 1 : type == "u8" || type == "u4" ? v + 3 : v;
}

} // namespace

class TestPtxTensor : public QObject {
  Q_OBJECT
 private slots:
  void mma_data() {
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("types"); // d a b c [operation]
    const auto row = [](const char* shape, const char* types) {
      QTest::newRow((std::string(shape) + " " + types).c_str()) << QString(shape) << QString(types);
    };
    row("16 8 16", "f32 f16 f16 f32");
    row("16 8 8", "f32 f16 f16 f32");
    row("16 8 16", "f16 f16 f16 f16");
    row("16 8 8", "f16 f16 f16 f16");
    row("16 8 16", "f32 bf16 bf16 f32");
    row("16 8 8", "f32 bf16 bf16 f32");
    row("16 8 8", "f32 tf32 tf32 f32");
    row("16 8 4", "f32 tf32 tf32 f32");
    row("16 8 16", "s32 s8 s8 s32");
    row("16 8 32", "s32 s8 s8 s32");
    row("16 8 32", "s32 u8 s8 s32");
    row("8 8 16", "s32 u8 u8 s32");
    row("16 8 32", "f32 e4m3 e4m3 f32");
    row("16 8 32", "f32 e5m2 e4m3 f32");
    row("8 8 32", "s32 s4 s4 s32");
    row("16 8 32", "s32 u4 s4 s32");
    row("16 8 64", "s32 s4 u4 s32");
    row("8 8 128", "s32 b1 b1 s32 xor");
    row("16 8 128", "s32 b1 b1 s32 and");
    row("16 8 256", "s32 b1 b1 s32 xor");
  }
  void mma() {
    QFETCH(QString, shape);
    QFETCH(QString, types);
    const auto s = shape.split(' '), t = types.split(' ');
    const Shape z{s[0].toInt(), s[1].toInt(), s[2].toInt()};
    const std::string td = t[0].toStdString(), ta = t[1].toStdString(), tb = t[2].toStdString();
    std::mt19937 random(7);
    std::vector<int> a(z.m * z.k), b(z.k * z.n), c(z.m * z.n);
    for (int& v : a) v = small(random, ta);
    for (int& v : b) v = small(random, tb);
    for (int& v : c) v = small(random, td);
    // Fragments: PTX ISA, "Matrix fragments for mma.m16n8k…": groups of four lanes share a row of A and a column of B.
    const int each = 32 / static_cast<int>(width_of(ta)), na = z.m * z.k / 32 / each, nb = z.n * z.k / 32 / each;
    const int half = td == "f16" ? 2 : 1, nd = z.m * z.n / 32 / half, rows = z.m / 8;
    Bits in;
    for (int lane = 0; lane < 32; ++lane) {
      const int group = lane >> 2, in_group = lane % 4;
      const auto pack = [&](const std::string& type, int count, const std::function<int(int)>& element) {
        std::uint32_t v = 0;
        for (int i = 0; i < count; ++i) v |= bits_of(type, element(i)) << (i * 32 / count);
        in.push_back(v);
      };
      for (int r = 0; r < na; ++r)
        pack(ta, each,
             [&](int i) { return a[(group + 8 * (r % rows)) * z.k + r / rows * 4 * each + in_group * each + i]; });
      for (int r = 0; r < nb; ++r)
        pack(tb, each, [&](int i) { return b[(r * 4 * each + in_group * each + i) * z.n + group]; });
      for (int r = 0; r < nd; ++r)
        pack(td, half, [&](int i) {
          const int e = half * r + i;
          return c[(group + 8 * (e / 2)) * z.n + in_group * 2 + e % 2];
        });
    }
    const int per_lane = na + nb + nd;
    std::string body = "mul.lo.u32 %r0, %t, " + std::to_string(4 * per_lane) +
                       ";\ncvt.u64.u32 %l1, %r0;\n"
                       "add.s64 %l1, %l1, %p0;\n";
    const auto list = [](int first, int count) {
      std::string text = "{";
      for (int i = 0; i < count; ++i) text += (i == 0 ? "%r" : ", %r") + std::to_string(first + i);
      return text + "}";
    };
    for (int i = 0; i < per_lane; ++i)
      body += "ld.global.u32 %r" + std::to_string(1 + i) + ", [%l1+" + std::to_string(4 * i) + "];\n";
    const bool bracket_one = nb == 1;
    const std::string d = list(1 + na + nb, nd);
    body += "mma.sync.aligned.m" + s[0].toStdString() + "n" + s[1].toStdString() + "k" + s[2].toStdString() +
            ".row.col." + td + "." + ta + "." + tb + "." + td +
            (t.size() > 4 ? "." + t[4].toStdString() + ".popc" : "") + " " + d + ", " + list(1, na) + ", " +
            list(1 + na, nb) + ", " + d + ";\n";
    Q_UNUSED(bracket_one)
    body += "mul.lo.u32 %r0, %t, " + std::to_string(4 * nd) + ";\ncvt.u64.u32 %l1, %r0;\nadd.s64 %l1, %l1, %p1;\n";
    for (int i = 0; i < nd; ++i)
      body += "st.global.u32 [%l1+" + std::to_string(4 * i) + "], %r" + std::to_string(1 + na + nb + i) + ";\n";
    Kernel k{test::entry(2, body)};
    k.with(in).with(Bits(32 * static_cast<std::size_t>(nd)));
    QCOMPARE(k.problem(), std::string());
    const auto out = k.values<std::uint32_t>(1);
    for (int lane = 0; lane < 32; ++lane)
      for (int e = 0; e < nd * half; ++e) {
        const int row = (lane >> 2) + 8 * (e / 2), column = lane % 4 * 2 + e % 2;
        int expected = c[row * z.n + column];
        for (int i = 0; i < z.k; ++i) {
          const int x = a[row * z.k + i], y = b[i * z.n + column];
          expected += t.size() > 4 && t[4] == "xor" ? x ^ y : x * y;
        }
        const std::uint32_t word = out[static_cast<std::size_t>(lane * nd + e / half)];
        QCOMPARE(value_of(td, half == 2 ? (word >> (16 * (e % 2))) & 0xffff : word), expected);
      }
  }

  void sparse_data() {
    QTest::addColumn<int>("depth");
    QTest::addColumn<QString>("types"); // d a b
    QTest::addColumn<int>("selector");
    const auto row = [](int depth, const char* types, int selectors = 1) {
      for (int s = 0; s < selectors; ++s)
        QTest::newRow((std::to_string(depth) + " " + types + " " + std::to_string(s)).c_str())
            << depth << QString(types) << s;
    };
    // As many selectors as there are quarters of the metadata's lanes that an instruction leaves unused.
    row(16, "f32 f16 f16", 4);
    row(32, "f32 f16 f16", 2);
    row(16, "f16 f16 f16", 4);
    row(32, "f16 f16 f16", 2);
    row(16, "f32 bf16 bf16", 4);
    row(32, "f32 bf16 bf16", 2);
    row(8, "f32 tf32 tf32", 4);
    row(16, "f32 tf32 tf32", 2);
    row(32, "s32 s8 u8", 2);
    row(64, "s32 u8 s8");
    row(32, "s32 u8 u8", 2);
    row(64, "s32 s8 s8");
    row(64, "f32 e4m3 e5m2");
    row(64, "f32 e5m2 e4m3");
    row(64, "f32 e4m3 e4m3");
    row(64, "f32 e5m2 e5m2");
    row(64, "s32 s4 s4", 2);
    row(128, "s32 u4 s4");
  }
  /// A dense product of what is held and zeros. PTX ISA, "Sparse matrix storage" and the figures of its metadata.
  void sparse() {
    QFETCH(int, depth);
    QFETCH(QString, types);
    QFETCH(int, selector);
    const auto t = types.split(' ');
    const std::string td = t[0].toStdString(), ta = t[1].toStdString(), tb = t[2].toStdString();
    const int bits = static_cast<int>(width_of(ta)), each = 32 / bits, chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4;
    const int chunks = depth / chunk, held = depth / 2;
    std::mt19937 random(11);
    std::vector<int> a(16 * depth), kept(16 * held), b(depth * 8), c(128);
    for (int& v : b) v = small(random, tb);
    for (int& v : c) v = small(random, td);
    std::vector<std::uint32_t> metadata(32);
    for (int r = 0; r < 16; ++r)
      for (int q = 0; q < chunks; ++q) {
        static constexpr unsigned orders[] = {0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110};
        const unsigned index = bits == 32 ? (random() % 2 == 0 ? 0b0100U : 0b1110U) : orders[random() % 6];
        for (int e = 0; e < chunk / 2; ++e) {
          const int column = bits == 32  ? (index == 0b1110 ? 1 : 0)
                             : bits == 4 ? static_cast<int>(index >> (e / 2 * 2) & 3) * 2 + e % 2
                                         : static_cast<int>(index >> (2 * e) & 3);
          kept[r * held + q * chunk / 2 + e] = a[r * depth + q * chunk + column] = small(random, ta);
        }
        const int group = r % 8 * 4;
        int lane = group, nibble = q % 8;
        if (chunks == 4) {
          lane = group + selector;
          nibble = q + 4 * (r / 8);
        } else if (bits > 8) {
          lane = group + 2 * selector + q / 4;
          nibble = q % 4 + 4 * (r / 8);
        } else {
          lane = group + 2 * selector + r / 8 + q / 8 * 2;
        }
        metadata[static_cast<std::size_t>(lane)] |= index << (4 * nibble);
      }
    const int nd = td == "f16" ? 2 : 4; // registers of D, pairs of halves or single
    const int na = 16 * held / 32 / each, nb = 8 * depth / 32 / each, per_lane = na + nb + nd + 1;
    Bits in;
    for (int lane = 0; lane < 32; ++lane) {
      const int group = lane >> 2, in_group = lane % 4;
      const auto pack = [&](const std::string& type, const std::function<int(int)>& element) {
        std::uint32_t v = 0;
        for (int i = 0; i < each; ++i) v |= bits_of(type, element(i)) << (i * bits);
        in.push_back(v);
      };
      for (int r = 0; r < na; ++r)
        pack(ta, [&](int i) { return kept[(group + 8 * (r % 2)) * held + r / 2 * 4 * each + in_group * each + i]; });
      for (int r = 0; r < nb; ++r) pack(tb, [&](int i) { return b[(r * 4 * each + in_group * each + i) * 8 + group]; });
      const auto of_c = [&](int e) { return bits_of(td, c[(group + 8 * (e / 2)) * 8 + in_group * 2 + e % 2]); };
      for (int e = 0; e < nd; ++e) in.push_back(nd == 4 ? of_c(e) : of_c(2 * e) | of_c(2 * e + 1) << 16);
      in.push_back(metadata[static_cast<std::size_t>(lane)]);
    }
    std::string body = "mul.wide.u32 %l1, %t, " + std::to_string(4 * per_lane) + ";\nadd.s64 %l1, %l1, %p0;\n";
    const auto list = [](int first, int count) {
      std::string text = "{";
      for (int i = 0; i < count; ++i) text += (i == 0 ? "%r" : ", %r") + std::to_string(first + i);
      return text + "}";
    };
    for (int i = 0; i < per_lane; ++i)
      body += "ld.global.u32 %r" + std::to_string(1 + i) + ", [%l1+" + std::to_string(4 * i) + "];\n";
    const std::string d = list(1 + na + nb, nd);
    body += "mma.sp::ordered_metadata.sync.aligned.m16n8k" + std::to_string(depth) + ".row.col." + td + "." + ta + "." +
            tb + "." + td + " " + d + ", " + list(1, na) + ", " + list(1 + na, nb) + ", " + d + ", %r" +
            std::to_string(per_lane) + ", " + std::to_string(selector) + ";\nmul.wide.u32 %l1, %t, " +
            std::to_string(4 * nd) + ";\nadd.s64 %l1, %l1, %p1;\nst.global.v" + std::to_string(nd) + ".u32 [%l1], " +
            d + ";\n";
    Kernel k{test::entry(2, body)};
    k.with(in).with(Bits(128));
    QCOMPARE(k.problem(), std::string());
    const auto out = k.values<std::uint32_t>(1);
    for (int lane = 0; lane < 32; ++lane)
      for (int e = 0; e < 4; ++e) {
        const int row = (lane >> 2) + 8 * (e / 2), column = lane % 4 * 2 + e % 2;
        int expected = c[row * 8 + column];
        for (int i = 0; i < depth; ++i) expected += a[row * depth + i] * b[i * 8 + column];
        const std::uint32_t got = nd == 4 ? out[static_cast<std::size_t>(lane * 4 + e)]
                                          : out[static_cast<std::size_t>(lane * 2 + e / 2)] >> (e % 2 * 16) & 0xffff;
        QCOMPARE(value_of(td, got), expected);
      }
  }

  void saturating() {
    // s8: 127 * 127 * 32 added to the largest s32.
    const std::string regs = "{%r1, %r1, %r1, %r1}, {%r1, %r1}, {%r2, %r2, %r2, %r2}";
    for (const bool saturate : {false, true}) {
      Kernel k{test::entry(1, "mov.u32 %r1, 0x7f7f7f7f;\nmov.u32 %r2, 0x7fffffff;\n"
                              "mma.sync.aligned.m16n8k32.row.col" +
                                  std::string(saturate ? ".satfinite" : "") + ".s32.s8.s8.s32 {%r3, %r4, %r5, %r6}, " +
                                  regs +
                                  ";\nmul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\nst.global.u32 [%l1], %r6;")};
      k.with(Bits(32));
      QCOMPARE(k.problem(), std::string());
      QCOMPARE(k.values<std::uint32_t>(0), Bits(32, saturate ? 0x7fffffffu : 0x7fffffffu + 127u * 127u * 32u));
    }
  }

  /// What an H200 made of sums near the least f32 (tests/bench/tensor_sums.py).
  void leastSums() {
    using namespace aicf::emulator;
    QFile file(aicf::test::sourceFile("tests/bench/results/nvidia-h200-2026-11-30-tensor-sums.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray rows = QJsonDocument::fromJson(file.readAll()).object()["rows"].toArray();
    QVERIFY(rows.size() > 60);
    const auto word = [](const QJsonValue& v) { return v.toString().toUInt(nullptr, 16); };
    for (const QJsonValue row : rows) {
      const auto values = [&](const char* key) {
        std::vector<TensorValue> all;
        for (const QJsonValue v : row[key].toArray())
          all.push_back(tensor_value(row["type"].toString() == "tf32" ? ptx::Type::tf32 : ptx::Type::bf16, word(v)));
        return all;
      };
      QCOMPARE(tensor_sum(values("a"), values("b"), ptx::Type::f32, word(row["c"]), 25), word(row["d"]));
    }
  }
  /// Alignment, truncation and special values: single sums.
  void sums() {
    using namespace aicf::emulator;
    const auto value = [](float v) { return tensor_value(ptx::Type::tf32, std::bit_cast<std::uint32_t>(v)); };
    const auto dot = [&](std::vector<float> a, std::vector<float> b, float c, int fraction = 25) {
      std::vector<TensorValue> x, y;
      for (const float v : a) x.push_back(value(v));
      for (const float v : b) y.push_back(value(v));
      return std::bit_cast<float>(tensor_sum(x, y, ptx::Type::f32, std::bit_cast<std::uint32_t>(c), fraction));
    };
    QCOMPARE(dot({1, 2}, {3, 4}, 5), 16.0F);
    // Truncation: 1 + 2^-24 has no f32; nearest even would give 1 as well, 1 + 3 * 2^-25 would go up.
    QCOMPARE(dot({0x1p-12F, 1}, {0x1p-12F, 1}, 0x1p-25F), 1.0F);
    QCOMPARE(dot({-0x1p-12F, -1}, {0x1p-12F, 1}, -0x1p-24F), -1.0F - 0x1p-23F);
    // Below the 25th fractional bit of the largest term all is lost, term by term.
    QCOMPARE(dot({0x1p-13F, 0x1p-13F, 1}, {0x1p-13F, 0x1p-13F, 1}, -1), 0.0F);
    QCOMPARE(dot({0x1p-13F, 0x1p-12F, 1}, {0x1p-12F, 0x1p-13F, 1}, -1), 0x1p-24F);
    QCOMPARE(dot({1, 1}, {0x1p-14F, 1}, -1, 13), 0.0F);
    QCOMPARE(dot({1, 1}, {0x1p-13F, 1}, -1, 13), 0x1p-13F);
    // The exponent of a product is the sum of its factors' exponents, whatever carry it has: 1.5 * 1.5 counts as 2^0.
    QCOMPARE(dot({1.5F, 0x1p-25F}, {1.5F, 1}, -2.25F), 0x1p-25F);
    const float inf = std::numeric_limits<float>::infinity();
    QCOMPARE(dot({inf, 1}, {1, 1}, 0), inf);
    QVERIFY(std::isnan(dot({inf, -inf}, {1, 1}, 0)));
    QVERIFY(std::isnan(dot({inf}, {0}, 0)));
    QCOMPARE(dot({0x1p100F, 0x1p100F}, {0x1p100F, 1}, 0), inf);
    QCOMPARE(dot({0x1p-100F}, {0x1p-49F}, 0), 0x1p-149F);
    QCOMPARE(dot({0}, {1}, -0.0F), 0.0F);
    for (const float below : {dot({0}, {1}, -0.0F), dot({-0x1p-100F}, {0x1p-100F}, 0), dot({-0x1p-90F}, {0x1p-60F}, 0)})
      QVERIFY(!std::signbit(below)); // a sum that vanishes is +0, from wherever
    // f16: one rounding, to nearest even.
    const auto half = [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      const TensorValue x = tensor_value(ptx::Type::f16, a), y = tensor_value(ptx::Type::f16, b);
      return tensor_sum({&x, 1}, {&y, 1}, ptx::Type::f16, c, 25);
    };
    QCOMPARE(half(0x3c00, 0x3c00, 0x1000), 0x3c00u); // 1 + 2^-11: a tie, to even
    QCOMPARE(half(0x3c01, 0x3c00, 0x1000), 0x3c02u); // 1 + 2^-10 + 2^-11: up to even
    QCOMPARE(half(0x7bff, 0x4000, 0x0000), 0x7c00u); // overflow
    // e4m3 has no infinity: all ones are NaN, 0x7e is 448.
    QVERIFY(tensor_value(ptx::Type::e4m3, 0x7f).nan);
    QCOMPARE(std::ldexp(tensor_value(ptx::Type::e4m3, 0x7e).significand, tensor_value(ptx::Type::e4m3, 0x7e).exponent),
             448.0);
    QCOMPARE(std::ldexp(tensor_value(ptx::Type::e4m3, 0x01).significand, tensor_value(ptx::Type::e4m3, 0x01).exponent),
             0x1p-9);
    QVERIFY(tensor_value(ptx::Type::e5m2, 0x7c).infinite);
    QCOMPARE(std::ldexp(tensor_value(ptx::Type::e5m2, 0x7b).significand, tensor_value(ptx::Type::e5m2, 0x7b).exponent),
             57344.0);
  }

  void load_matrix_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("transposed");
    for (const int count : {1, 2, 4})
      for (const bool transposed : {false, true})
        QTest::newRow(("x" + std::to_string(count) + (transposed ? " trans" : "")).c_str()) << count << transposed;
  }
  /// Element (r, c) of matrix i holds 100 i + 8 r + c; a store brings the fragments back to other places.
  void load_matrix() {
    QFETCH(int, count);
    QFETCH(bool, transposed);
    const std::string x = ".x" + std::to_string(count) + (transposed ? ".trans" : "");
    std::string regs = "{%r1";
    for (int i = 1; i < count; ++i) regs += ", %r" + std::to_string(1 + i);
    regs += "}";
    std::string body = "shl.b32 %r10, %t, 4;\nmov.u32 %r11, s;\nadd.u32 %r12, %r11, %r10;\nmul.wide.u32 %l1, %t, 16;\n"
                       "add.s64 %l1, %l1, %p0;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%l1];\n"
                       "st.shared.v4.u32 [%r12], {%r1, %r2, %r3, %r4};\nbar.warp.sync -1;\n"
                       "ldmatrix.sync.aligned.m8n8" +
                       x + ".shared.b16 " + regs +
                       ", [%r12];\n"
                       "stmatrix.sync.aligned.m8n8" +
                       x + ".shared.b16 [%r12+512], " + regs +
                       ";\nbar.warp.sync -1;\n"
                       "mul.wide.u32 %l2, %t, 16;\nadd.s64 %l2, %l2, %p1;\n";
    for (int i = 0; i < count; ++i)
      body += "st.global.u32 [%l2+" + std::to_string(4 * i) + "], %r" + std::to_string(1 + i) + ";\n";
    body += "add.s64 %l3, %l1, 512;\nsetp.lt.u32 %q1, %t, " + std::to_string(8 * count) +
            ";\n@%q1 ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r12+512];\n"
            "@%q1 st.global.v4.u32 [%l3], {%r5, %r6, %r7, %r8};";
    std::vector<std::uint16_t> in(512);
    for (int i = 0; i < 4; ++i)
      for (int e = 0; e < 64; ++e) in[static_cast<std::size_t>(64 * i + e)] = static_cast<std::uint16_t>(100 * i + e);
    Kernel k{test::entry(2, body, ".shared .align 16 .b8 s[1024];")};
    k.with(in).with(Bits(128));
    k.options.counters = true;
    const auto result = k.run();
    QCOMPARE(test::problems(result), std::string());
    const auto out = k.values<std::uint16_t>(1), back = k.values<std::uint16_t>(0);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < 2; ++j) {
          const int row = transposed ? lane % 4 * 2 + j : lane / 4, column = transposed ? lane / 4 : lane % 4 * 2 + j;
          QCOMPARE(int{out[static_cast<std::size_t>(lane * 8 + 2 * i + j)]}, 100 * i + 8 * row + column);
        }
    for (int i = 0; i < count; ++i)
      for (int e = 0; e < 64; ++e) QCOMPARE(int{back[static_cast<std::size_t>(256 + 64 * i + e)]}, 100 * i + e);
  }

  void move_matrix() {
    Kernel k{test::entry(2, "mul.wide.u32 %l1, %t, 4;\nadd.s64 %l2, %l1, %p0;\nadd.s64 %l3, %l1, %p1;\n"
                            "ld.global.u32 %r1, [%l2];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n"
                            "st.global.u32 [%l3], %r2;")};
    std::vector<std::uint16_t> in(64);
    for (std::size_t i = 0; i < 64; ++i) in[i] = static_cast<std::uint16_t>(i);
    k.with(in).with(std::vector<std::uint16_t>(64));
    QCOMPARE(k.problem(), std::string());
    const auto out = k.values<std::uint16_t>(1);
    for (std::size_t r = 0; r < 8; ++r)
      for (std::size_t c = 0; c < 8; ++c) QCOMPARE(std::size_t{out[8 * r + c]}, 8 * c + r);
  }

  void wmma_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shape");
    QTest::newRow("f16 row col") << "row col f16 f32"
                                 << "16 16 16";
    QTest::newRow("f16 col row") << "col row f16 f32"
                                 << "16 16 16";
    QTest::newRow("f16 wide") << "row row f16 f32"
                              << "8 32 16";
    QTest::newRow("f16 tall") << "row row f16 f16"
                              << "32 8 16";
    QTest::newRow("bf16") << "row col bf16 f32"
                          << "16 16 16";
    QTest::newRow("tf32") << "row col tf32 f32"
                          << "16 16 8";
    QTest::newRow("s8") << "row col s8 s32"
                        << "16 16 16";
    QTest::newRow("s4") << "row col s4 s32"
                        << "8 8 32";
    QTest::newRow("u4") << "row col u4 s32"
                        << "8 8 32";
    QTest::newRow("b1 xor") << "row col b1 s32 xor"
                            << "8 8 128";
    QTest::newRow("b1 and") << "row col b1 s32 and"
                            << "8 8 128";
  }
  void wmma() {
    QFETCH(QString, text);
    QFETCH(QString, shape);
    const auto t = text.split(' '), s = shape.split(' ');
    const Shape z{s[0].toInt(), s[1].toInt(), s[2].toInt()};
    const std::string type = t[2].toStdString(), sum = t[3].toStdString();
    const std::string name = ".m" + s[0].toStdString() + "n" + s[1].toStdString() + "k" + s[2].toStdString();
    const bool a_row = t[0] == "row", b_row = t[1] == "row";
    const std::string operation = t.size() > 4 ? t[4].toStdString() : "";
    const std::size_t sum_size = width_of(sum) / 8;
    std::mt19937 random(3);
    std::vector<int> a(z.m * z.k), b(z.k * z.n), c(z.m * z.n);
    for (auto* m : {&a, &b, &c})
      for (int& v : *m) v = small(random, type);
    // Elements of less than a byte lie from the low bits of a byte on.
    const auto bytes = [&](const std::vector<int>& m, int rows, int columns, bool row, const std::string& of) {
      const std::size_t width = width_of(of);
      std::vector<std::byte> out(m.size() * width / 8);
      for (int r = 0; r < rows; ++r)
        for (int q = 0; q < columns; ++q) {
          const std::uint64_t v = bits_of(of, m[static_cast<std::size_t>(r * columns + q)]);
          const std::size_t bit = static_cast<std::size_t>(row ? r * columns + q : q * rows + r) * width;
          for (std::size_t k = 0; k < width; ++k)
            if ((v >> k & 1) != 0) out[(bit + k) / 8] |= std::byte{1} << (bit + k) % 8;
        }
      return out;
    };
    // Registers of a fragment: PTX ISA, wmma.load; f16 fragments of A and B hold 16 elements whatever the shape.
    const auto registers = [&](int elements) {
      return type == "f16" ? 8 : elements / 32 / static_cast<int>(32 / width_of(type));
    };
    const int na = registers(z.m * z.k), nb = registers(z.k * z.n),
              nd = z.m * z.n / 32 * static_cast<int>(width_of(sum)) / 32;
    const auto list = [](const char* prefix, int count) {
      std::string out = "{";
      for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + std::string(prefix) + std::to_string(i);
      return out + "}";
    };
    const std::string la = list("%a", na), lb = list("%b", nb), ld = list("%d", nd);
    const std::string wa = a_row ? "row" : "col", wb = b_row ? "row" : "col";
    const std::string mma_types = type == "f16" ? sum + "." + sum : sum + "." + type + "." + type + "." + sum;
    const std::string body =
        "wmma.load.a.sync.aligned." + wa + name + ".global." + type + " " + la + ", [%p0], " +
        std::to_string(a_row ? z.k : z.m) + ";\n" + "wmma.load.b.sync.aligned." + wb + name + ".global." + type + " " +
        lb + ", [%p1], " + std::to_string(b_row ? z.n : z.k) + ";\n" + "wmma.load.c.sync.aligned.row" + name +
        ".global." + sum + " " + ld + ", [%p2], " + std::to_string(z.n) + ";\n" + "wmma.mma" +
        (operation.empty() ? "" : "." + operation + ".popc") + ".sync.aligned." + wa + "." + wb + name + "." +
        mma_types + " " + ld + ", " + la + ", " + lb + ", " + ld + ";\n" + "wmma.store.d.sync.aligned.row" + name +
        ".global." + sum + " [%p2], " + ld + ", " + std::to_string(z.n) + ";";
    Kernel k{test::entry(3, body, {}, ".reg .b32 %a<8>, %b<8>, %d<8>;")};
    k.buffers = {bytes(a, z.m, z.k, a_row, type), bytes(b, z.k, z.n, b_row, type), bytes(c, z.m, z.n, true, sum)};
    k.options.counters = true;
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    // Each matrix once; the sums come and go.
    QCOMPARE(test::metric(*result, "global_load_bytes"),
             static_cast<double>(k.buffers[0].size() + k.buffers[1].size() + k.buffers[2].size()));
    QCOMPARE(test::metric(*result, "global_store_sectors"), static_cast<double>(k.buffers[2].size()) / 32);
    for (int r = 0; r < z.m; ++r)
      for (int q = 0; q < z.n; ++q) {
        int expected = c[r * z.n + q];
        for (int i = 0; i < z.k; ++i) {
          const int x = a[r * z.k + i], y = b[i * z.n + q];
          expected += operation == "xor" ? x ^ y : x * y; // of bits, and is the product
        }
        std::uint32_t v = 0;
        std::memcpy(&v, k.buffers[2].data() + static_cast<std::size_t>(r * z.n + q) * sum_size, sum_size);
        QCOMPARE(value_of(sum, v), expected);
      }
  }

  void partWarp() {
    Kernel k{test::entry(0, "setp.lt.u32 %q1, %t, 16;\n@%q1 exit;\nmov.u32 %r1, 0;\n"
                            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r2, %r3, %r4, %r5}, {%r1, %r1}, {%r1}, "
                            "{%r1, %r1, %r1, %r1};")};
    const auto result = k.run();
    QVERIFY(result && !result->faults.empty());
    QCOMPARE(result->faults.front().kind, std::string("inactive-lane"));
  }
};

QTEST_MAIN(TestPtxTensor)
#include "test_ptx_tensor.moc"
