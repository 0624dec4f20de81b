// Dim expressions: floor arithmetic against its definition, and placed errors.
#include "core/kernel/dim_expr.hpp"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace aicf;

namespace {

using Int = std::int64_t;
const std::map<std::string, Int> dims{
    {"M", 10}, {"N", 7}, {"Z", 0}, {"lowest", std::numeric_limits<Int>::min()}, {"x_1", 3}};

Int value_of(const std::string& text) {
  auto result = evaluate({text}, dims);
  return result ? *result : -999999;
}
/// "code@column" of every diagnostic.
std::string errors_of(const std::string& text) {
  std::string out;
  for (const Diagnostic& d : evaluate({text}, dims).diagnostics)
    out += (out.empty() ? "" : " ") + d.code.substr(11) + "@" + std::to_string(d.at.column); // after "kernel.dim-"
  return out;
}

} // namespace

class TestDimExpr : public QObject {
  Q_OBJECT

 private slots:
  void values() {
    QCOMPARE(value_of("42"), Int{42});
    QCOMPARE(value_of(" M*N + 2 "), Int{72});
    QCOMPARE(value_of("M - N - 1"), Int{2}); // left to right
    QCOMPARE(value_of("M - (N - 1)"), Int{4});
    QCOMPARE(value_of("2 + 3 * 4 - 10 / 4 % 2"), Int{14});
    QCOMPARE(value_of("- - M + +x_1"), Int{13});
    QCOMPARE(value_of("min(M, N, x_1) + max(1, 2)"), Int{5});
    QCOMPARE(value_of("max(min(M, 4), 3) * 2"), Int{8});
    QCOMPARE(value_of("ceil(M / 4)"), Int{3});
    QCOMPARE(value_of("ceil(M * 2 / 5)"), Int{4});
    QCOMPARE(value_of("ceil((M + 3) / (N - 3))"), Int{4});
    QCOMPARE(value_of("lowest"), std::numeric_limits<Int>::min());
    QCOMPARE(value_of("lowest % 3"), Int{1}); // 2^63 = 2 mod 3
    QCOMPARE(value_of("lowest % -1"), Int{0});
  }

  void divisionFloors() {
    for (Int a = -20; a <= 20; ++a) {
      for (Int b = -6; b <= 6; ++b) {
        if (b == 0) continue;
        const std::string quotient = "(" + std::to_string(a) + ") / (" + std::to_string(b) + ")";
        const Int floor = static_cast<Int>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
        QCOMPARE(value_of(quotient), floor);
        QCOMPARE(value_of("ceil(" + quotient + ")"),
                 static_cast<Int>(std::ceil(static_cast<double>(a) / static_cast<double>(b))));
        QCOMPARE(value_of("(" + std::to_string(a) + ") % (" + std::to_string(b) + ")"), a - b * floor);
      }
    }
  }

  void errors() {
    QCOMPARE(errors_of(""), std::string("syntax@1"));
    QCOMPARE(errors_of("X + M / Y"), std::string("unknown@1 unknown@9")); // all of them
    QCOMPARE(errors_of("M / Z"), std::string("division@3"));
    QCOMPARE(errors_of("M % (N - 7)"), std::string("division@3"));
    QCOMPARE(errors_of("lowest / -1"), std::string("overflow@8"));
    QCOMPARE(errors_of("-lowest"), std::string("overflow@1"));
    QCOMPARE(errors_of("lowest - 1"), std::string("overflow@8"));
    QCOMPARE(errors_of("4611686018427387904 * 2"), std::string("overflow@21"));
    QCOMPARE(errors_of("9223372036854775808"), std::string("overflow@1"));
    QCOMPARE(errors_of("M N"), std::string("syntax@3"));
    QCOMPARE(errors_of("M +"), std::string("syntax@4"));
    QCOMPARE(errors_of("(M"), std::string("syntax@1"));
    QCOMPARE(errors_of("M)"), std::string("syntax@2"));
    QCOMPARE(errors_of("()"), std::string("syntax@2"));
    QCOMPARE(errors_of("M, N"), std::string("syntax@2"));
    QCOMPARE(errors_of("(M, N)"), std::string("syntax@3"));
    QCOMPARE(errors_of("ceil(M)"), std::string("syntax@1"));
    QCOMPARE(errors_of("ceil(M / 2, 3)"), std::string("syntax@11"));
    QCOMPARE(errors_of("min(M)"), std::string("syntax@1"));
    QCOMPARE(errors_of("floor(M)"), std::string("syntax@1"));
    QCOMPARE(errors_of("2x"), std::string("syntax@1"));
    QCOMPARE(errors_of("M ^ 2"), std::string("syntax@3"));
    QCOMPARE(errors_of(std::string("M\0", 2)), std::string("syntax@2"));
  }

  void depthAndLength() {
    std::string deep = std::string(100000, '(') + "M" + std::string(100000, ')'), sum = "1", minus(100000, '-');
    for (int i = 0; i < 200000; ++i) sum += "+1";
    QCOMPARE(value_of(deep), Int{10});
    QCOMPARE(value_of(sum), Int{200001});
    QCOMPARE(value_of(minus + "M"), Int{10});
    QCOMPARE(errors_of(std::string(100000, '(')).substr(0, 6), std::string("syntax"));
  }
};

QTEST_GUILESS_MAIN(TestDimExpr)
#include "test_dim_expr.moc"
