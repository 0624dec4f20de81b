// What `aicf selftest device` compares runs here without a device: the emulator with one worker beside one that takes
// the blocks in another order, and beside results worked out by other means where there are some.
#include "core/exec/nvrtc.hpp"
#include "core/exec/selftest/compare.hpp"
#include "core/exec/selftest/kernels.hpp"
#include "core/exec/selftest/random_program.hpp"
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

using namespace aicf;

namespace {

/// The emulator with the last bit of the last buffer's first word turned over.
class Wrong : public Backend {
 public:
  [[nodiscard]] std::string id() const override { return "wrong"; }
  Result<RunResult> run(std::span<const Call> calls, std::span<Buffer> buffers, const RunOptions& options,
                        std::stop_token stop) override {
    auto result = make_emulator(1)->run(calls, buffers, options, std::move(stop));
    buffers.back().bytes[0] ^= std::byte{1};
    return result;
  }
};

std::string text(const selftest::Comparison& c) {
  std::string all = std::to_string(c.different) + " of " + std::to_string(c.compared) + " differ\n";
  for (const auto& e : c.examples) all += e + "\n";
  return all;
}

} // namespace

class TestPtxPrograms : public QObject {
  Q_OBJECT
 private slots:
  void programsRunClean() {
    const auto one = make_emulator(1), two = make_emulator(2);
    const auto c = selftest::compare_programs(*two, *one, 300);
    QVERIFY2(c.passed(), text(c).c_str());
    QCOMPARE(c.compared, 300);
  }
  void sameSeedSameProgram() {
    QCOMPARE(selftest::random_program(5).ptx(), selftest::random_program(5).ptx());
    QVERIFY(selftest::random_program(5).ptx() != selftest::random_program(6).ptx());
  }
  void kernelsRunClean() {
    QVERIFY(selftest::source_kernels().size() >= 25);
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    const auto one = make_emulator(1), two = make_emulator(2);
    const auto c = selftest::compare_kernels(*two, *one, "sm_90");
    QVERIFY2(c.passed(), text(c).c_str());
  }
  void aDifferenceIsSeen() {
    Wrong wrong;
    const auto right = make_emulator(1);
    QCOMPARE(selftest::compare_programs(wrong, *right, 3).different, 3);
    const auto c = selftest::compare_instructions(wrong, *right);
    QVERIFY(c.different > c.compared * 9 / 10); // approximate ones may differ in the last bit
    QVERIFY(!c.passed());
  }
};

QTEST_MAIN(TestPtxPrograms)
#include "test_ptx_programs.moc"
