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

/// The emulator, wrong where the compiler is asked for one of these levels, or for none: 4 then.
class WrongAtLevels : public Backend {
 public:
  explicit WrongAtLevels(std::string levels) : wrong_(std::move(levels)) {}
  [[nodiscard]] std::string id() const override { return "wrong at levels"; }
  Result<RunResult> run(std::span<const Call> calls, std::span<Buffer> buffers, const RunOptions& options,
                        std::stop_token stop) override {
    auto result = make_emulator(1)->run(calls, buffers, options, std::move(stop));
    const auto& given = calls.front().module.options;
    const char level = given.empty() ? '4' : given.back().back();
    if (level == sticks_at) return Unavailable{"level", "none"};
    if (wrong_.find(level) == std::string::npos) return result;
    buffers.back().bytes[8] ^= std::byte{given.empty() || steady ? std::uint8_t{1} : std::uint8_t{2}};
    return result;
  }
  char sticks_at = 0;
  bool steady = true; ///< what is wrong is the same each time

 private:
  std::string wrong_;
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
  /// What PTX leaves open of a NaN is no program's result: the next instruction makes it the one of its type.
  void openNaNsAreSettled() {
    int settled = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const auto lines = QString::fromStdString(selftest::random_program(seed).ptx()).split('\n');
      for (qsizetype i = 0; i + 2 < lines.size(); ++i) {
        static const QRegularExpression open("(neg\\.f32|cvt\\.rn\\.f16\\.f64) (%[fh][0-9]),");
        const auto found = open.match(lines[i]);
        if (!found.hasMatch()) continue;
        const QString type = found.captured(1).startsWith("neg") ? "f32" : "f16", r = found.captured(2);
        QCOMPARE(lines[i + 1], "setp.nan." + type + " %p, " + r + ", " + r + ";");
        QVERIFY(lines[i + 2].startsWith("@%p mov.") && lines[i + 2].contains(" " + r + ", 0"));
        ++settled;
      }
    }
    QVERIFY(settled > 20);
  }
  void kernelsRunClean() {
    QVERIFY(selftest::source_kernels().size() >= 25);
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    const auto one = make_emulator(1), two = make_emulator(2);
    const auto c = selftest::compare_kernels(*two, *one, "sm_90");
    QVERIFY2(c.passed(), text(c).c_str());
  }
  /// What seeds 24 and 296 of an earlier generator came down to: ptxas 13.0 moves what reads a predicate past a branch
  /// one of whose ways writes it. Here lane t doubles where t is even, whatever a later way makes of the predicate.
  void guardsAreReadWhereTheyStand() {
    test::Kernel k{
        test::entry(1,
                    "mul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\nld.global.f32 %f1, [%l1];\nand.b32 %r1, %t, 1;\n"
                    "setp.ne.u32 %q1, %r1, 0;\n@!%q1 add.rn.f32 %f1, %f1, %f1;\nselp.b32 %r3, 7, 9, %q1;\n"
                    "LIST: .branchtargets A, B, C, C;\nand.b32 %r2, %t, 3;\nbrx.idx %r2, LIST;\n"
                    "A:\nsetp.ge.u32 %q1, %t, 0;\nbra C;\nB:\nsetp.ne.u32 %q1, %t, %t;\nC:\n"
                    "vote.sync.ballot.b32 %r4, %q1, -1;\ncvt.rn.f32.u32 %f2, %r3;\nadd.rn.f32 %f1, %f1, %f2;\n"
                    "st.global.f32 [%l1], %f1;\nst.global.u32 [%l1+128], %r4;\n",
                    {}, ".reg .f32 %f<4>;")};
    std::vector<float> in(64);
    for (std::size_t t = 0; t < 32; ++t) in[t] = static_cast<float>(t);
    k.with(in);
    QCOMPARE(k.problem(), std::string());
    std::uint32_t ballot = 0;
    for (unsigned t = 0; t < 32; ++t) ballot |= t % 4 == 0 || t % 4 == 3 ? 1U << t : 0;
    const auto out = k.values<float>(0);
    for (unsigned t = 0; t < 32; ++t) {
      QCOMPARE(out[t], t % 2 == 0 ? 2.0F * static_cast<float>(t) + 9 : static_cast<float>(t) + 7);
      QCOMPARE(k.values<std::uint32_t>(0)[32 + t], ballot);
    }
  }
  /// Seed 636: of a loop that ptxas 13.0 unrolls by four, two of four mad.hi are left.
  void aLoopAddsEachOfItsHighHalves() {
    test::Kernel k{test::entry(1, "mul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\nmov.u32 %r1, %t;\n"
                                  "mov.u32 %r2, 5;\nL:\nmad.hi.s32 %r2, 0xc38f5693, 0x51e8de40, %r2;\n"
                                  "sub.s32 %r1, %r1, 1;\nsetp.ge.s32 %q1, %r1, 0;\n@%q1 bra L;\n"
                                  "st.global.u32 [%l1], %r2;\n")};
    k.with(std::vector<std::uint32_t>(32));
    QCOMPARE(k.problem(), std::string());
    const auto high = static_cast<std::int32_t>(std::int64_t{-0x3c70a96d} * 0x51e8de40 >> 32);
    for (unsigned t = 0; t < 32; ++t)
      QCOMPARE(k.values<std::uint32_t>(0)[t], 5 + (t + 1) * static_cast<std::uint32_t>(high));
  }
  /// Seed 1465: ptxas 13.0 has the vote behind the branch, where those that are left agree.
  void aVoteIsTakenWhereItStands() {
    test::Kernel k{test::entry(1,
                               "mul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\nsetp.lt.u32 %q1, %t, 7;\n"
                               "vote.sync.all.pred %q2, %q1, -1;\nvote.sync.any.pred %q3, %q1, -1;\nmov.u32 %r1, 1;\n"
                               "@!%q1 bra E;\nselp.u32 %r1, 8, 2, %q2;\nE:\n@!%q3 add.u32 %r1, %r1, 100;\n"
                               "st.global.u32 [%l1], %r1;\n")};
    k.with(std::vector<std::uint32_t>(32));
    QCOMPARE(k.problem(), std::string());
    for (unsigned t = 0; t < 32; ++t) QCOMPARE(k.values<std::uint32_t>(0)[t], t < 7 ? 2U : 1U);
  }
  /// Seed 1529: ptxas 13.0 makes one conversion of the two, which reads the f16's bits as a bf16's, and rounds.
  void conversionsFollowOneAnother() {
    test::Kernel k{test::entry(1,
                               "mul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\nld.global.b16 %h1, [%l1];\n"
                               "cvt.rn.bf16.f16 %h2, %h1;\ncvt.rzi.s32.bf16 %r1, %h2;\nst.global.u32 [%l1], %r1;\n")};
    std::vector<std::uint32_t> in(32, 0x5af0); // 222
    in[1] = 0xc17f;                            // -2.748: -2.75 as a bf16
    in[2] = 0x63ff;                            // 1023.5: 1024
    in[3] = 0x3bff;                            // 0.9995: 1
    in[4] = 0x3bf0;                            // 0.992, as it is
    k.with(in);
    QCOMPARE(k.problem(), std::string());
    const auto out = k.values<std::int32_t>(0);
    QCOMPARE(std::vector<std::int32_t>(out.begin(), out.begin() + 6),
             (std::vector<std::int32_t>{222, -2, 1024, 1, 0, 222}));
  }
  /// A compiler that gives the emulator's words at some level, and others at the highest, disagrees with itself.
  void theLevelsOfACompilerJudgeIt_data() {
    QTest::addColumn<QString>("wrong");
    QTest::addColumn<QString>("said");
    QTest::newRow("the highest") << "4"
                                 << "level 4 differs, levels 0, 1, 2, 3 agree: ";
    QTest::newRow("all but one") << "0234"
                                 << "levels 0, 2, 3, 4 differ, level 1 agrees: ";
  }
  void theLevelsOfACompilerJudgeIt() {
    QFETCH(QString, wrong);
    QFETCH(QString, said);
    WrongAtLevels other(wrong.toStdString());
    const auto right = make_emulator(1);
    std::vector<std::string> told;
    const auto tell = [&](const char* kind) { return [&told, kind](const auto&) { told.emplace_back(kind); }; };
    const auto c =
        selftest::compare_programs(other, *right, 1, 7, {tell("begins"), tell("differs"), tell("compilers")});
    QVERIFY2(c.passed(), text(c).c_str());
    QCOMPARE(c.compilers, 1);
    const std::string& example = c.compilers_examples.front();
    QVERIFY2(
        example.starts_with("compiler disagrees with itself: seed 7, " + said.toStdString() + "thread 0, offset 8: 0x"),
        example.c_str());
    QCOMPARE(told, (std::vector<std::string>{"begins", "differs", "differs", "compilers"}));
  }
  void aDifferenceAtEveryLevelIsTheEmulators() {
    const auto right = make_emulator(1);
    WrongAtLevels always("01234"), unsteady("4"), stuck("0124");
    unsteady.steady = false; // other words at the second time: no compiler's doing
    stuck.sticks_at = '3';
    for (WrongAtLevels* other : {&always, &unsteady, &stuck}) {
      const auto c = selftest::compare_programs(*other, *right, 1, 7);
      QCOMPARE(c.different, 1);
      QCOMPARE(c.compilers, 0);
    }
    QVERIFY(selftest::compare_programs(stuck, *right, 1, 7)
                .examples.front()
                .ends_with("(levels 0, 1, 2, 4 differ, level 3 does not run)"));
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
