// The laws that identity tests rest on, at random points.
#include "core/structure/field.hpp"
#include "core/structure/separation.hpp"

#include <QTest>

#include <array>

using namespace aicf;

class TestField : public QObject {
  Q_OBJECT
 private slots:
  void primes();
  void inverses();
  void exponentials();
  void trigonometry();
  void signs();
  void roots();
  void extrema();
  void opaque_functions();
  void nested_exponential_is_told();
  void false_accept_bound();
};

namespace {

FieldValue one() { return {1, 0, 1, true}; }

bool probably_prime(std::uint64_t n) { return mpz_probab_prime_p(mpz_class(std::to_string(n)).get_mpz_t(), 40) != 0; }

} // namespace

void TestField::primes() {
  QVERIFY(probably_prime(field_q));
  QVERIFY(probably_prime(field_p));
  QCOMPARE(field_p % 4, std::uint64_t{3});
  QCOMPARE(field_q % 4, std::uint64_t{3});
  QCOMPARE(pow_mod(2, field_q, field_p), std::uint64_t{1}); // the generator of the exponentials has order q
}

void TestField::inverses() {
  Field f(1);
  Random r(2);
  for (int i = 0; i < 100; ++i) {
    FieldValue a = f.random(r);
    FieldValue product = Field::mul(a, f.inv(a));
    QVERIFY(product == one() && product.q == 1);
    FieldValue s = f.sin(a); // lies off the real line of F_p[i]
    QVERIFY(Field::mul(s, f.inv(s)) == one());
  }
  f.divided_by_zero = false;
  (void)f.inv({});
  QVERIFY(f.divided_by_zero);
}

void TestField::exponentials() {
  Field f(3);
  Random r(4);
  for (int i = 0; i < 100; ++i) {
    FieldValue a = f.random(r), b = f.random(r);
    QVERIFY(f.exp(Field::add(a, b)) == Field::mul(f.exp(a), f.exp(b)));
    QVERIFY(!(f.exp(a) == f.exp(b)));
    QVERIFY(f.power(f.exp(a), 5) == f.exp(Field::mul(f.number(5), a)));
    std::array arg{a};
    FieldValue t = f.apply(Op::tanh, 0, arg), s = f.apply(Op::sigmoid, 0, std::array{Field::add(a, a)});
    QVERIFY(t == Field::sub(Field::add(s, s), one())); // tanh x = 2 sigmoid(2x) - 1
  }
}

void TestField::trigonometry() {
  Field f(5);
  Random r(6);
  for (int i = 0; i < 100; ++i) {
    FieldValue a = f.random(r), b = f.random(r);
    FieldValue sa = f.sin(a), ca = f.cos(a), sb = f.sin(b), cb = f.cos(b);
    QVERIFY(Field::add(Field::mul(sa, sa), Field::mul(ca, ca)) == one());
    QVERIFY(f.sin(Field::add(a, b)) == Field::add(Field::mul(sa, cb), Field::mul(ca, sb)));
    QVERIFY(f.cos(Field::add(a, b)) == Field::sub(Field::mul(ca, cb), Field::mul(sa, sb)));
    QVERIFY(f.sin(Field::neg(a)) == Field::neg(sa));
  }
  QVERIFY(f.cos({}) == one());
  QVERIFY(f.sin({}).zero());
}

void TestField::signs() {
  Field f(7);
  Random r(8);
  int positive = 0;
  for (int i = 0; i < 400; ++i) {
    FieldValue a = f.random(r), b = f.random(r);
    FieldValue magnitude = Field::mul(a, Field::sign(a));
    QVERIFY(Field::mul(magnitude, magnitude) == Field::mul(a, a));
    QVERIFY(Field::sign(Field::mul(a, b)) == Field::mul(Field::sign(a), Field::sign(b)));
    QVERIFY(Field::sign(Field::neg(a)) == Field::neg(Field::sign(a))); // -1 is no square
    positive += legendre(a.re) > 0 ? 1 : 0;
  }
  QVERIFY(positive > 120 && positive < 280);
}

void TestField::roots() {
  Field f(9);
  Random r(10);
  for (int i = 0; i < 50; ++i) {
    FieldValue a = f.positive(r), b = f.positive(r);
    FieldValue root = f.power(a, 1, 2);
    QVERIFY(Field::mul(root, root) == a);
    QCOMPARE(Field::mul(root, root).q, a.q); // an exponent may hold a root
    QVERIFY(f.power(Field::mul(a, b), 1, 2) == Field::mul(root, f.power(b, 1, 2)));
    QVERIFY(f.power(a, -3, 2) == f.inv(f.power(root, 3)));
    FieldValue e = f.random(r), g = f.random(r); // symbolic exponents
    QVERIFY(f.power(a, Field::add(e, g)) == Field::mul(f.power(a, e), f.power(a, g)));
    QVERIFY(f.power(a, f.number(3)) == f.power(a, 3));
  }
}

void TestField::extrema() {
  Field f(11);
  Random r(12);
  for (int i = 0; i < 50; ++i) {
    std::array args{f.random(r), f.random(r)};
    FieldValue hi = f.apply(Op::max, 0, args), lo = f.apply(Op::min, 0, args);
    QVERIFY(Field::add(hi, lo) == Field::add(args[0], args[1]));
    QVERIFY(hi == args[0] || hi == args[1]);
    QVERIFY(f.apply(Op::lt, 0, std::array{lo, hi}) == one());
  }
}

void TestField::opaque_functions() {
  Field f(13), g(14);
  Random r(15);
  FieldValue a = f.random(r);
  std::array arg{a};
  QVERIFY(f.apply(Op::erf, 0, arg) == f.apply(Op::erf, 0, arg));
  QVERIFY(!(f.apply(Op::erf, 0, arg) == f.apply(Op::floor, 0, arg)));
  QVERIFY(!(f.apply(Op::erf, 0, arg) == g.apply(Op::erf, 0, arg)));
  QVERIFY(f.opaque);
}

void TestField::nested_exponential_is_told() {
  Field f(16);
  Random r(17);
  (void)f.exp(f.random(r));
  QVERIFY(!f.nested_exp);
  (void)f.exp(f.exp(f.random(r)));
  QVERIFY(f.nested_exp);
}

void TestField::false_accept_bound() { // 8 d k^4/q + q^(-1/k^2): 0.07 at d = 2, k = 4
  QVERIFY(std::abs(false_accept(2, 4) - 0.068) < 0.002);
  QVERIFY(false_accept(2, 1) < 1e-17);
}

QTEST_GUILESS_MAIN(TestField)
#include "test_field.moc"
