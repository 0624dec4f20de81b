// The error bounds hold: f32 arithmetic done for real, in any order, stays within them; and they are not vacuous.
#include "core/validate/bounded.hpp"

#include <QtTest>

#include <array>
#include <cmath>
#include <map>
#include <random>

using namespace aicf;

namespace {

const ErrorModel f32 = ErrorModel::of(DType::f32);

/// A number that the device holds: its f32 value, and what the analysis says of it.
struct Both {
  float device;
  Bounded judged;
};

bool holds(const Both& b) {
  if (std::isinf(b.judged.error)) return true; // nothing is claimed
  double off = std::fabs(static_cast<double>(b.device) - b.judged.value);
  return std::isnan(b.judged.value)                        ? std::isnan(b.device)
         : static_cast<double>(b.device) == b.judged.value ? true
                                                           : off <= b.judged.error;
}

} // namespace

class TestBounded : public QObject {
  Q_OBJECT
 private slots:
  /// Random straight-line programs in f32 against the same in f64 with bounds.
  void random_programs_stay_within_their_bounds() {
    std::mt19937_64 random(11);
    std::normal_distribution<float> normal;
    int finite = 0;
    for (int trial = 0; trial < 20000; ++trial) {
      std::vector<Both> values;
      for (int i = 0; i < 4; ++i) {
        float x = normal(random) * std::ldexp(1.0F, static_cast<int>(random() % 9) - 4);
        values.push_back({x, {x, 0}});
      }
      for (int step = 0; step < 10; ++step) {
        const Both a = values[random() % values.size()], b = values[random() % values.size()];
        std::array<Bounded, 2> two{a.judged, b.judged};
        auto one = [&](Op op, float v) { values.push_back({v, apply(f32, op, 0, std::span(two).first(1))}); };
        auto both = [&](Op op, float v) { values.push_back({v, apply(f32, op, 0, two)}); };
        volatile float sum = a.device + b.device, difference = a.device - b.device, product = a.device * b.device,
                       quotient = a.device / b.device;
        switch (random() % 12) {
        case 0: both(Op::add, sum); break;
        case 1: both(Op::sub, difference); break;
        case 2: both(Op::mul, product); break;
        case 3: both(Op::div, quotient); break;
        case 4:
          if (std::fabs(a.device) < 80) one(Op::exp, static_cast<float>(std::exp(static_cast<double>(a.device))));
          break;
        case 5:
          if (a.device > 0) one(Op::log, static_cast<float>(std::log(static_cast<double>(a.device))));
          break;
        case 6:
          if (a.device > 0) one(Op::sqrt, std::sqrt(a.device));
          break;
        case 7: one(Op::tanh, static_cast<float>(std::tanh(static_cast<double>(a.device)))); break;
        case 8:
          both(Op::max, std::isnan(a.device)   ? a.device
                        : std::isnan(b.device) ? b.device
                                               : std::max(a.device, b.device));
          break;
        case 9: one(Op::floor, std::floor(a.device)); break;
        case 10: one(Op::abs, std::fabs(a.device)); break;
        default: {
          std::array<Bounded, 3> three{apply(f32, Op::lt, 0, two), a.judged, b.judged};
          values.push_back({a.device < b.device ? a.device : b.device, apply(f32, Op::select, 0, three)});
        }
        }
        const Both& last = values.back();
        QVERIFY2(holds(last), qPrintable(QString("trial %1: %2 against %3 +- %4")
                                             .arg(trial)
                                             .arg(double(last.device))
                                             .arg(last.judged.value)
                                             .arg(last.judged.error)));
        if (std::isfinite(last.judged.error)) ++finite;
      }
    }
    QVERIFY(finite > 100000); // the bounds say something
  }

  void sums_in_any_order_stay_within_gamma() {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    for (int n : {1, 2, 7, 64, 1000, 10000}) {
      std::vector<float> x(static_cast<std::size_t>(n));
      for (float& v : x) v = normal(random) * std::ldexp(1.0F, static_cast<int>(random() % 30) - 15);
      BoundedFold fold(f32, Builtin::sum, n);
      for (float v : x) fold.add({v, 0}, 0);
      for (int order = 0; order < 20; ++order) {
        std::shuffle(x.begin(), x.end(), random);
        volatile float total = 0;
        for (float v : x) total = total + v;
        QVERIFY(std::fabs(static_cast<double>(total) - fold.result().value) <= fold.result().error);
      }
    }
  }

  void small_integers_are_exact() {
    BoundedFold fold(f32, Builtin::sum, 1000);
    for (int i = 0; i < 1000; ++i) fold.add({static_cast<double>(i % 7 - 3), 0}, i);
    QCOMPARE(fold.result().error, 0.0);
    BoundedFold tenths(f32, Builtin::sum, 10);
    for (int i = 0; i < 10; ++i) tenths.add({static_cast<double>(0.1F), 0}, i);
    QVERIFY(tenths.result().error > 0);
    BoundedFold large(f32, Builtin::sum, 2); // 2^24 + 1 does not fit
    large.add({16777216, 0}, 0), large.add({1, 0}, 1);
    QVERIFY(large.result().error >= 1);
  }

  /// 1/3 is rounded in f64 too, though the judge's own quotient is an f64.
  void f64_rounds_as_well() {
    const ErrorModel f64 = ErrorModel::of(DType::f64);
    std::array<Bounded, 2> third{Bounded{1, 0}, {3, 0}}, half{Bounded{6, 0}, {3, 0}};
    QVERIFY(apply(f64, Op::div, 0, third).error > 0);
    QCOMPARE(apply(f64, Op::div, 0, half).error, 0.0);
  }

  void exponentials_of_zero_and_minus_infinity_are_exact() {
    for (auto [x, y] : {std::pair{0.0, 1.0}, {-INFINITY, 0.0}}) {
      Bounded in{x, 0}, out = apply(f32, Op::exp, 0, std::span(&in, 1));
      QCOMPARE(out.value, y);
      QCOMPARE(out.error, 0.0);
    }
    Bounded one{1, 0};
    QVERIFY(apply(f32, Op::exp, 0, std::span(&one, 1)).error > 0);
  }

  void uncertain_decisions_cover_both_branches() {
    Bounded near{1, 1e-3}, limit{1.0005, 0}, yes{10, 0}, no{20, 0};
    std::array<Bounded, 2> pair{near, limit};
    std::array<Bounded, 3> choice{apply(f32, Op::lt, 0, pair), yes, no};
    QVERIFY(apply(f32, Op::select, 0, choice).error >= 10);
    Bounded far{0.9, 1e-3};
    std::array<Bounded, 2> clear{far, limit};
    std::array<Bounded, 3> sure{apply(f32, Op::lt, 0, clear), yes, no};
    QCOMPARE(apply(f32, Op::select, 0, sure).error, 0.0);
  }

  void products_that_may_overflow_on_the_way_are_not_bounded() {
    BoundedFold fold(f32, Builtin::prod, 4);
    for (double x : {1e30, 1e30, 1e-30, 1e-30}) fold.add({x, 0}, 0);
    QVERIFY(std::isinf(fold.result().error));
  }

  /// Huge terms of both signs: their exact sum is small, yet an order of summation overflows.
  void sums_that_may_overflow_on_the_way_are_not_bounded() {
    BoundedFold fold(f32, Builtin::sum, 4);
    for (double x : {0x1p127, 0x1p127, -0x1p127, -0x1p127}) fold.add({x, 0}, 0);
    QCOMPARE(fold.result().value, 0.0);
    QVERIFY(std::isinf(fold.result().error));
  }

  /// In f64, 1e38 + 200 is 1e38: that the next difference then looks exact says nothing of the device.
  void what_the_judge_itself_loses_is_not_exact() {
    const double large = static_cast<double>(1e38F);
    std::array<Bounded, 3> terms{Bounded{large, 0}, {200, 0}, {-large, 0}};
    QVERIFY(apply(f32, Op::add, 0, terms).error >= 200);
    std::array<Bounded, 2> plain{Bounded{large, 0}, {-large, 0}};
    QCOMPARE(apply(f32, Op::add, 0, plain).error, 0.0);
  }

  /// inf times what underflows, or plus what overflows, is a NaN in some orders; a NaN is one in all of them.
  void infinities_that_other_terms_may_undo_are_not_bounded() {
    BoundedFold flushed(f32, Builtin::prod, 4), kept(f32, Builtin::prod, 3), undone(f32, Builtin::sum, 3),
        certain(f32, Builtin::sum, 3), nan(f32, Builtin::prod, 4);
    for (double x : {static_cast<double>(INFINITY), 0x1p-100, 0x1p-100}) flushed.add({x, 0}, 0);
    QVERIFY(std::isinf(flushed.result().error));
    for (double x : {static_cast<double>(INFINITY), -2.0, 0.5}) kept.add({x, 0}, 0);
    QCOMPARE(kept.result().value, -INFINITY);
    QCOMPARE(kept.result().error, 0.0);
    for (double x : {static_cast<double>(INFINITY), -0x1p127, -0x1p127}) undone.add({x, 0}, 0);
    QVERIFY(std::isinf(undone.result().error));
    for (double x : {static_cast<double>(INFINITY), -1.0, 3.0}) certain.add({x, 0}, 0);
    QCOMPARE(certain.result().error, 0.0);
    for (double x : {static_cast<double>(NAN), 0x1p-100, 0x1p-100, 0x1p-100}) nan.add({x, 0}, 0);
    QVERIFY(std::isnan(nan.result().value));
    QCOMPARE(nan.result().error, 0.0);
    std::array<Bounded, 3> three{Bounded{INFINITY, 0}, {0x1p-100, 0}, {0x1p-100, 0}};
    QVERIFY(std::isinf(apply(f32, Op::mul, 0, three).error));
  }

  /// Whatever the operands are, and however little is known of them, a bound is a number or infinite.
  void no_bound_is_a_nan() {
    std::vector<Bounded> all;
    for (double v : {0.0, -0.0, 1.0, -1.0, 0.5, -64.0, 100.5, 3e38, -3e38, 1e300, 1e-45, 1e-310,
                     static_cast<double>(INFINITY), -static_cast<double>(INFINITY), static_cast<double>(NAN)})
      for (double e : {0.0, 1e-300, 1e-8, 1.0, 1e39, static_cast<double>(INFINITY)}) all.push_back({v, e});
    ErrorModel fast = f32, kept = f32;
    fast.fast_exp = fast.fast_log = fast.fast_erf = fast.fast_tanh = fast.fast_divide = fast.shifts = true;
    kept.compensated = true;
    const std::array models{f32, ErrorModel::of(DType::f64), fast, kept};
    std::mt19937_64 random(3);
    auto any = [&] { return all[random() % all.size()]; };
    for (const ErrorModel& model : models) {
      for (Op op : {Op::neg,   Op::exp,   Op::exp2, Op::expm1, Op::log,     Op::log2, Op::log1p, Op::sqrt,
                    Op::rsqrt, Op::tanh,  Op::erf,  Op::atan,  Op::sigmoid, Op::sin,  Op::cos,   Op::abs,
                    Op::sign,  Op::floor, Op::ceil, Op::round, Op::not_,    Op::isnan})
        for (const Bounded& x : all) {
          const Bounded y = apply(model, op, 0, std::span(&x, 1));
          QVERIFY2(!std::isnan(y.error), qPrintable(QString("%1 of %2 +- %3").arg(int(op)).arg(x.value).arg(x.error)));
        }
      for (Op op : {Op::add, Op::mul, Op::sub, Op::div, Op::floordiv, Op::mod, Op::pow, Op::min, Op::max, Op::lt,
                    Op::le, Op::eq, Op::ne, Op::and_, Op::or_})
        for (const Bounded& a : all)
          for (const Bounded& b : all) {
            const Bounded y = apply(model, op, 0, std::array{a, b});
            QVERIFY2(!std::isnan(y.error), qPrintable(QString("%1 of %2 +- %3, %4 +- %5")
                                                          .arg(int(op))
                                                          .arg(a.value)
                                                          .arg(a.error)
                                                          .arg(b.value)
                                                          .arg(b.error)));
          }
      for (int trial = 0; trial < 20000; ++trial) {
        const std::array three{any(), any(), any()};
        for (Op op : {Op::add, Op::mul, Op::select}) QVERIFY(!std::isnan(apply(model, op, 0, three).error));
        for (auto type : {DType::f32, DType::f16, DType::bf16, DType::i8, DType::i64, DType::boolean})
          QVERIFY(!std::isnan(apply(model, Op::round_to, static_cast<std::uint32_t>(type), three).error));
        for (Builtin reducer : {Builtin::sum, Builtin::prod, Builtin::max, Builtin::min, Builtin::argmax,
                                Builtin::argmin, Builtin::any, Builtin::all}) {
          BoundedFold fold(model, reducer, 6);
          for (std::uint64_t n = random() % 7, i = 0; i < n; ++i) fold.add(any(), static_cast<double>(i));
          QVERIFY(!std::isnan(fold.result().error));
        }
      }
    }
  }

  /// Operands that lie anywhere within their own bounds: what comes of them lies within the bound, and where it may be
  /// no number nothing is claimed. The bound of a certain operand may hold nothing but rounding.
  void bounds_hold_all_that_operands_may_be() {
    std::mt19937_64 random(17);
    auto pick = [&](std::initializer_list<double> from) { return *(from.begin() + random() % from.size()); };
    auto operand = [&] {
      const double v = pick({0.0, 0.3, -0.3, 1, -1, 2.5, -2.5, 7, 40, -40, 1e-3, 1e10, -1e10, 1e30, 1e-30});
      return Bounded{v, pick({0, 0, 1e-9, 1e-3, 0.5, 1, 3}) * pick({1, std::fabs(v)})};
    };
    auto within = [&](const Bounded& x) { return x.value + x.error * pick({-1, 1, 0, -0.5, 0.7, 0.999}); };
    using Real = double (*)(double, double);
    const std::vector<std::pair<Op, Real>> ops{
        {Op::neg, [](double a, double) { return -a; }},
        {Op::exp, [](double a, double) { return std::exp(a); }},
        {Op::exp2, [](double a, double) { return std::exp2(a); }},
        {Op::expm1, [](double a, double) { return std::expm1(a); }},
        {Op::log, [](double a, double) { return std::log(a); }},
        {Op::log2, [](double a, double) { return std::log2(a); }},
        {Op::log1p, [](double a, double) { return std::log1p(a); }},
        {Op::sqrt, [](double a, double) { return std::sqrt(a); }},
        {Op::rsqrt, [](double a, double) { return 1 / std::sqrt(a); }},
        {Op::tanh, [](double a, double) { return std::tanh(a); }},
        {Op::erf, [](double a, double) { return std::erf(a); }},
        {Op::atan, [](double a, double) { return std::atan(a); }},
        {Op::sigmoid, [](double a, double) { return 1 / (1 + std::exp(-a)); }},
        {Op::sin, [](double a, double) { return std::sin(a); }},
        {Op::cos, [](double a, double) { return std::cos(a); }},
        {Op::abs, [](double a, double) { return std::fabs(a); }},
        {Op::sign, [](double a, double) { return a > 0   ? 1.0
                                                 : a < 0 ? -1.0
                                                         : a; }},
        {Op::floor, [](double a, double) { return std::floor(a); }},
        {Op::ceil, [](double a, double) { return std::ceil(a); }},
        {Op::round, [](double a, double) { return std::nearbyint(a); }},
        {Op::add, [](double a, double b) { return a + b; }},
        {Op::sub, [](double a, double b) { return a - b; }},
        {Op::mul, [](double a, double b) { return a * b; }},
        {Op::div, [](double a, double b) { return a / b; }},
        {Op::pow, [](double a, double b) { return std::pow(a, b); }},
        {Op::min, [](double a, double b) { return std::min(a, b); }},
        {Op::max, [](double a, double b) { return std::max(a, b); }},
        {Op::lt, [](double a, double b) { return a < b ? 1.0 : 0.0; }},
        {Op::eq, [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    };
    std::map<Op, int> claims;
    for (int trial = 0; trial < 300000; ++trial) {
      const auto& [op, real] = ops[random() % ops.size()];
      const std::array two{operand(), operand()};
      const Bounded y = apply(f32, op, 0, two);
      if (!std::isfinite(y.value) || std::isinf(y.error)) continue;
      ++claims[op];
      const double a = within(two[0]), b = within(two[1]), off = std::fabs(real(a, b) - y.value);
      QVERIFY2(off <= y.error * (1 + 1e-12) + 1e-13 * (std::fabs(a) + std::fabs(b) + std::fabs(y.value)),
               qPrintable(QString("op %1 of %2 +- %3 and %4 +- %5: at %6 and %7 off by %8, bound %9")
                              .arg(int(op))
                              .arg(two[0].value)
                              .arg(two[0].error)
                              .arg(two[1].value)
                              .arg(two[1].error)
                              .arg(a)
                              .arg(b)
                              .arg(off)
                              .arg(y.error)));
    }
    for (const auto& [op, real] : ops) QVERIFY2(claims[op] > 300, qPrintable(QString::number(int(op))));
  }

  /// What may be an infinity, or a NaN, on the device, or may not, makes no certain one of a sum.
  void uncertain_special_values_stay_uncertain() {
    const double inf = INFINITY;
    auto sum = [](std::initializer_list<Bounded> terms) {
      BoundedFold fold(f32, Builtin::sum, 4);
      for (const Bounded& x : terms) fold.add(x, 0);
      return fold.result();
    };
    QVERIFY(std::isinf(sum({{inf, inf}, {-inf, 0}}).error)); // a finite number, and -inf: -inf
    QVERIFY(std::isinf(sum({{NAN, inf}, {1, 0}}).error));
    QVERIFY(std::isinf(sum({{inf, 0}, {1, inf}}).error));
    QCOMPARE(sum({{inf, 0}, {-inf, 0}, {1, 0.5}}).error, 0.0);
    QCOMPARE(sum({{inf, 0}, {1, 0.5}}).error, 0.0);
    QCOMPARE(sum({{NAN, 0}, {inf, inf}}).error, 0.0);
    BoundedFold product(f32, Builtin::prod, 2); // a zero that may be none, and the rest
    product.add({0, 1}, 0), product.add({5, 0}, 1);
    QVERIFY(std::isinf(product.result().error));
  }

  void ties_of_argmax_are_the_lowest_index_and_near_ties_are_not_judged() {
    BoundedFold exact(f32, Builtin::argmax, 3);
    for (auto [i, x] : {std::pair{0, 1.0}, {1, 3.0}, {2, 3.0}}) exact.add({x, 0}, i);
    QCOMPARE(exact.result().value, 1.0);
    QCOMPARE(exact.result().error, 0.0);
    BoundedFold close(f32, Builtin::argmax, 2);
    close.add({3, 1e-3}, 0), close.add({3.0001, 1e-3}, 1);
    QVERIFY(std::isinf(close.result().error));
  }
};

QTEST_GUILESS_MAIN(TestBounded)
#include "test_bounded.moc"
