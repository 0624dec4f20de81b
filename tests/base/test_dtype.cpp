// Element types: every 16-bit pattern there and back, every tie between neighbours, and f16 against the compiler's own
// conversion (libgcc), which shares no code with ours.
#include "core/base/dtype.hpp"
#include "core/base/tensor.hpp"

#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace aicf;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// For exact comparison: QCOMPARE of doubles is fuzzy, and -0 is not 0 here.
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

std::uint16_t f32_to_bf16_bits(double value) { return f32_to_bf16(static_cast<float>(value)); }

} // namespace

class TestDType : public QObject {
  Q_OBJECT

  /// Every pattern, the midpoints of neighbours (even wins) and the doubles next to the midpoints (the nearer wins).
  template <class Decode, class Encode>
  static void exhaustive(DType type, unsigned infinity, Decode decode, Encode encode) {
    for (unsigned sign : {0U, 0x8000U}) {
      for (unsigned pattern_bits = 0; pattern_bits <= infinity; ++pattern_bits) {
        const auto pattern = static_cast<std::uint16_t>(pattern_bits | sign);
        const double value = decode(pattern);
        QCOMPARE(encode(value), pattern);
        QCOMPARE(bits(round_to(type, value)), bits(value));
        QCOMPARE(std::signbit(round_to(type, value)), sign != 0);
        if (pattern_bits >= infinity - 1) continue;
        const double next = decode(static_cast<std::uint16_t>(pattern + 1)), middle = (value + next) / 2;
        const double even = (pattern_bits & 1U) == 0 ? value : next;
        QCOMPARE(bits(round_to(type, middle)), bits(even));
        QCOMPARE(encode(middle), std::uint16_t(pattern + (pattern_bits & 1U)));
        QCOMPARE(bits(round_to(type, std::nextafter(middle, 0.0))), bits(value));
        QCOMPARE(bits(round_to(type, std::nextafter(middle, next * 2))), bits(next));
      }
    }
    for (unsigned pattern_bits = infinity + 1; pattern_bits <= 0x7fff; ++pattern_bits) {
      for (unsigned sign : {0U, 0x8000U}) {
        const double value = decode(static_cast<std::uint16_t>(pattern_bits | sign));
        QVERIFY(std::isnan(value));
        QCOMPARE(std::signbit(value), sign != 0);
        const std::uint16_t again = encode(value);
        QVERIFY((again & 0x7fffU) > infinity); // still a NaN
        QCOMPARE(again & 0x8000U, sign);
      }
    }
  }

 private slots:
  void bf16Exhaustive() {
    exhaustive(
        DType::bf16, 0x7f80, [](std::uint16_t b) -> double { return bf16_to_f32(b); }, f32_to_bf16_bits);
  }
  void f16Exhaustive() {
    exhaustive(
        DType::f16, 0x7c00, [](std::uint16_t b) -> double { return f16_to_f32(b); }, f64_to_f16);
  }

  void namedValues() {
    QCOMPARE(bits(f16_to_f32(0x3c00)), bits(1.0F));
    QCOMPARE(bits(f16_to_f32(0x7bff)), bits(65504.0F));
    QCOMPARE(bits(f16_to_f32(0x0001)), bits(0x1p-24F));
    QCOMPARE(bits(f16_to_f32(0x0400)), bits(0x1p-14F));
    QCOMPARE(bits(bf16_to_f32(0x3f80)), bits(1.0F));
    QCOMPARE(bits(bf16_to_f32(0x0001)), bits(0x1p-133F));
    QCOMPARE(bits(bf16_to_f32(0x7f7f)), bits(0x1.fep127F));
  }

  void overflowIsHalfway() { // 65520 is halfway between 65504 and 2^16: to even, which is infinity
    QCOMPARE(bits(round_to(DType::f16, 65519.99)), bits(65504.0));
    QCOMPARE(bits(round_to(DType::f16, 65520.0)), bits(inf));
    QCOMPARE(bits(round_to(DType::f16, -65520.0)), bits(-inf));
    QCOMPARE(bits(round_to(DType::bf16, 0x1.feffffp127)), bits(0x1.fep127));
    QCOMPARE(bits(round_to(DType::bf16, 0x1.ffp127)), bits(inf));
    QCOMPARE(f32_to_bf16(std::numeric_limits<float>::max()), std::uint16_t{0x7f80});
    QCOMPARE(bits(round_to(DType::f32, 0x1.fffffefffffffp127)),
             bits(static_cast<double>(std::numeric_limits<float>::max())));
    QCOMPARE(bits(round_to(DType::f32, 0x1.ffffffp127)), bits(inf));
  }

  void noDoubleRounding() { // through f32 this would become a tie and round down to 1
    QCOMPARE(bits(round_to(DType::f16, 1 + 0x1p-11 + 0x1p-40)), bits(1 + 0x1p-10));
    QCOMPARE(bits(round_to(DType::bf16, 1 + 0x1p-8 + 0x1p-40)), bits(1 + 0x1p-7));
  }

  void f16AgainstTheCompiler() {
#if defined(__GNUC__) && !defined(__clang__) // the other has the type on some processors alone
    std::mt19937_64 random(7);
    for (int i = 0; i < 1000000; ++i) {
      // Exponents from far below the subnormals to above the maximum, all significand bits random.
      const double magnitude =
          std::ldexp(1 + static_cast<double>(random() >> 12U) * 0x1p-52, static_cast<int>(random() % 48) - 30);
      const double value = (random() & 1U) != 0 ? -magnitude : magnitude;
      QCOMPARE(f64_to_f16(value), std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)));
    }
#else
    QSKIP("this compiler has no _Float16");
#endif
  }

  void integersSaturate() {
    QCOMPARE(bits(round_to(DType::i8, 127.6)), bits(127.0));
    QCOMPARE(bits(round_to(DType::i8, -1e9)), bits(-128.0));
    QCOMPARE(bits(round_to(DType::i8, not_a_number)), bits(0.0));
    QCOMPARE(bits(round_to(DType::i8, 2.5)), bits(2.0));
    QCOMPARE(bits(round_to(DType::i8, -3.5)), bits(-4.0));
    QCOMPARE(bits(round_to(DType::i32, inf)), bits(2147483647.0));
    QCOMPARE(bits(round_to(DType::i32, -inf)), bits(-2147483648.0));
    QCOMPARE(bits(round_to(DType::boolean, 0.25)), bits(1.0));
    QCOMPARE(bits(round_to(DType::boolean, -0.0)), bits(0.0));
    HostTensor t(DType::i64, {2}); // 2^63 itself does not fit
    t.set(0, 1e30);
    t.set(1, -1e30);
    QCOMPARE(bits(t.get(0)), bits(0x1.fffffffffffffp62));
    QCOMPARE(bits(t.get(1)), bits(-0x1p63));
  }

  void namesSizesAndRoundoffs() {
    struct Row {
      DType type;
      const char* name;
      std::size_t size;
      double roundoff, subnormal; // IEEE 754 binary16, 32, 64; bf16 is the upper half of binary32
    };
    for (const Row& r : {Row{DType::f32, "f32", 4, 0x1p-24, 0x1p-149}, Row{DType::f16, "f16", 2, 0x1p-11, 0x1p-24},
                         Row{DType::bf16, "bf16", 2, 0x1p-8, 0x1p-133}, Row{DType::f64, "f64", 8, 0x1p-53, 0x1p-1074},
                         Row{DType::i8, "i8", 1, 0, 0}, Row{DType::i32, "i32", 4, 0, 0},
                         Row{DType::i64, "i64", 8, 0, 0}, Row{DType::boolean, "bool", 1, 0, 0}}) {
      QCOMPARE(name_of(r.type), std::string_view(r.name));
      QVERIFY(dtype_from(r.name) == r.type);
      QCOMPARE(size_of(r.type), r.size);
      QCOMPARE(bits(unit_roundoff(r.type)), bits(r.roundoff));
      QCOMPARE(bits(smallest_subnormal(r.type)), bits(r.subnormal));
      QCOMPARE(is_float(r.type), r.roundoff > 0);
    }
    QVERIFY(!dtype_from("float"));
  }

  void tensors() {
    HostTensor scalar(DType::f64, {});
    QCOMPARE(scalar.element_count(), std::size_t{1});
    HostTensor none(DType::f32, {3, 0, 5});
    QCOMPARE(none.element_count(), std::size_t{0});
    HostTensor x(DType::f64, {2, 2});
    for (std::size_t i = 0; i < 4; ++i) x.set(i, 1 + static_cast<double>(i) * 0x1p-9);
    HostTensor narrow =
        x.converted(DType::bf16); // 1, 1 + 2^-9 (below half), 1 + 2^-8 (tie, to even), 1 + 3*2^-9 (above)
    QCOMPARE(bits(narrow.get(1)), bits(1.0));
    QCOMPARE(bits(narrow.get(2)), bits(1.0));
    QCOMPARE(bits(narrow.get(3)), bits(1 + 0x1p-7));
    QVERIFY_THROWS_EXCEPTION(std::logic_error, HostTensor(DType::f32, {-1}));
    QVERIFY_THROWS_EXCEPTION(std::logic_error, HostTensor(DType::f32, {std::int64_t{1} << 40, std::int64_t{1} << 40}));
  }
};

QTEST_GUILESS_MAIN(TestDType)
#include "test_dtype.moc"
