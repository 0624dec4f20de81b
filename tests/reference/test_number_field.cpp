// The evaluator over a field of our own: every definition evaluates, and each number carries what it wants.
#include "core/exec/reference/evaluate.hpp"
#include "core/exec/reference/mpfr_number.hpp"
#include "tests/reference/definitions.hpp"

using namespace aicf;
using namespace aicf::test;
using namespace aicf::reference;

namespace {

/// A double that knows the longest chain of operations behind it. Sums are told to be trees: depth log2 of the count.
struct Counted {
  double value = 0;
  int depth = 0;
};

struct CountingField {
  using Value = Counted;
  using Sum = std::vector<Counted>;

  static void assign(Counted& out, double v) { out = {v, 0}; }
  static void assign(Counted& out, std::int64_t v) { out = {static_cast<double>(v), 0}; }
  static double to_double(const Counted& a) { return a.value; }
  static bool is_nan(const Counted& a) { return std::isnan(a.value); }
  static bool less(const Counted& a, const Counted& b) { return a.value < b.value; }
  static bool less_equal(const Counted& a, const Counted& b) { return a.value <= b.value; }
  static bool equal(const Counted& a, const Counted& b) { return a.value == b.value; }
  template <class Fn> static void combine(Counted& out, const Counted& a, const Counted& b, Fn fn) {
    double v = 0;
    fn(v, a.value, b.value);
    out = {v, std::max(a.depth, b.depth) + 1};
  }
  static void add(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::add); }
  static void subtract(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::subtract); }
  static void multiply(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::multiply); }
  static void divide(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::divide); }
  static void floor_divide(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::floor_divide); }
  static void modulo(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::modulo); }
  static void power(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::power); }
  static void minimum(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::minimum); }
  static void maximum(Counted& out, const Counted& a, const Counted& b) { combine(out, a, b, F64::maximum); }
  static void function(Op op, Counted& out, const Counted& a) {
    double v = 0;
    F64::function(op, v, a.value);
    out = {v, a.depth + 1};
  }
  static void round_to(DType type, Counted& out, const Counted& a) {
    out = {aicf::round_to(type, a.value), a.depth + 1};
  }
  static void begin(Sum& sum) { sum.clear(); }
  static void accumulate(Sum& sum, const Counted& a) { sum.push_back(a); }
  static void finish(const Sum& sum, Counted& out) {
    out = {};
    for (const Counted& c : sum) out = {out.value + c.value, std::max(out.depth, c.depth)};
    for (std::size_t n = sum.size(); n > 1; n = (n + 1) / 2) ++out.depth;
  }
};
static_assert(NumberField<CountingField>);

} // namespace

class TestNumberField : public QObject {
  Q_OBJECT
 private slots:
  void depth_of_a_softmax();
  void mpfr_functions_against_double();
};

void TestNumberField::depth_of_a_softmax() {
  auto d = parse("op f(x: float[M, N]) -> y: float[M]\n  m[i] = max[j] x[i, j]\n"
                 "  y[i] = log(sum[j] exp(x[i, j] - m[i]))\n");
  BoundNames names{{2, 8}, {}};
  Evaluation<CountingField> evaluation(*d, names, {}, 16, {});
  auto& x = evaluation.input(0);
  for (std::size_t i = 0; i < 16; ++i) x.reals[i] = {static_cast<double>(i % 3), 0};
  QVERIFY(evaluation.run());
  std::vector<Counted> y;
  evaluation.each(d->outputs[0], [&](const auto& array, std::size_t e) { y.push_back(array.reals[e]); });
  QCOMPARE(y.size(), std::size_t{2});
  // 8 maxima one after another, the difference, exp, a tree of 3, log.
  QCOMPARE(y[0].depth, 8 + 1 + 1 + 3 + 1);
}

/// Each function in 200 bits, rounded, is within 2 ulp of the C library's.
void TestNumberField::mpfr_functions_against_double() {
  BigFloat::precision() = 200;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-6, 6);
  for (Op op :
       {Op::neg, Op::exp,     Op::exp2, Op::expm1, Op::log,  Op::log2, Op::log1p, Op::sqrt,  Op::rsqrt, Op::tanh,
        Op::erf, Op::sigmoid, Op::sin,  Op::cos,   Op::atan, Op::abs,  Op::sign,  Op::floor, Op::ceil,  Op::round})
    for (int k = 0; k < 500; ++k) {
      double v = uniform(random), a = 0;
      BigFloat x, y;
      Mpfr::assign(x, v);
      Mpfr::function(op, y, x);
      F64::function(op, a, v);
      double b = Mpfr::to_double(y);
      bool near = identical(a, b) || std::fabs(a - b) <= 4 * std::fabs(std::nextafter(b, 0) - b);
      QVERIFY2(near, (std::string(name_of(op)) + " " + std::to_string(v)).c_str());
    }
  for (DType type :
       {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i8, DType::i32, DType::i64, DType::boolean})
    for (int k = 0; k < 2000; ++k) {
      double v = std::ldexp(uniform(random), k % 300 - 160);
      if (k % 7 == 0) v = std::ldexp(std::nearbyint(uniform(random) * 512), -8); // ties
      BigFloat x, y;
      Mpfr::assign(x, v);
      Mpfr::round_to(type, y, x);
      QVERIFY2(identical(Mpfr::to_double(y) + 0.0, aicf::round_to(type, v) + 0.0),
               (std::string(name_of(type)) + " " + std::to_string(v)).c_str());
    }
  for (int k = 0; k < 2000; ++k) {
    double a = std::nearbyint(uniform(random) * 8) / 4, b = std::nearbyint(uniform(random) * 8) / 4, q = 0, r = 0;
    BigFloat x, y, z, w;
    Mpfr::assign(x, a);
    Mpfr::assign(y, b);
    Mpfr::floor_divide(z, x, y);
    Mpfr::modulo(w, x, y);
    F64::floor_divide(q, a, b);
    F64::modulo(r, a, b);
    QVERIFY(identical(q + 0.0, Mpfr::to_double(z) + 0.0) && identical(r, Mpfr::to_double(w)));
    if (b != 0) QCOMPARE(q, std::floor(a / b)); // quotients of quarters are exact enough for their floor
  }
  BigFloat::precision() = 53;
}

QTEST_GUILESS_MAIN(TestNumberField)
#include "test_number_field.moc"
