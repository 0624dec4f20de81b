// The emulator against the tables of core/exec/selftest, whose expected values are worked out there independently.
#include "core/exec/selftest/instruction_cases.hpp"
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

using namespace aicf;
using aicf::test::Kernel;

class TestPtxInstructions : public QObject {
  Q_OBJECT
 private slots:
  void enough() { QVERIFY(selftest::instruction_cases().size() >= 150); }
  void gives_data() {
    QTest::addColumn<int>("index");
    const auto cases = selftest::instruction_cases();
    for (std::size_t i = 0; i < cases.size(); ++i) QTest::newRow(cases[i].text) << static_cast<int>(i);
  }
  void gives() {
    QFETCH(int, index);
    const auto all = selftest::instruction_cases();
    const auto one = std::span(all).subspan(static_cast<std::size_t>(index), 1);
    const auto operands = selftest::instruction_operands(one);
    Kernel k{selftest::instruction_program(one)};
    k.block = selftest::instruction_threads;
    k.with(operands).with(std::vector<std::uint64_t>(selftest::instruction_threads));
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint64_t>(1);
    std::string wrong;
    for (std::size_t t = 0; t < got.size(); ++t) {
      const auto a = operands[3 * t], b = operands[3 * t + 1], c = operands[3 * t + 2];
      const auto difference = selftest::compare(one[0], got[t], one[0].expected(a, b, c));
      if (difference.empty()) continue;
      char text[128];
      std::snprintf(text, sizeof text, " (%llx, %llx, %llx)", static_cast<unsigned long long>(a),
                    static_cast<unsigned long long>(b), static_cast<unsigned long long>(c));
      wrong += difference + text + "\n";
    }
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
};

QTEST_MAIN(TestPtxInstructions)
#include "test_ptx_instructions.moc"
