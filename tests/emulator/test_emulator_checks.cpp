// Planted faults of every kind and their clean twins; limits, cancelling and bad input.
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <algorithm>
#include <thread>

using namespace aicf;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

class TestEmulatorChecks : public QObject {
  Q_OBJECT
 private slots:
  void faults_data();
  void faults();
  void messages();
  void cuda_lines();
  void buffers_are_apart();
  void step_limit();
  void cancelled();
  void syntax_errors();
  void refused_calls();
  void garbage();
};

void TestEmulatorChecks::faults_data() {
  QTest::addColumn<std::string>("body");
  QTest::addColumn<QString>("kind"); // empty: clean
  QTest::addColumn<int>("threads");
  const auto row = [](const char* name, const char* kind, int threads, const std::string& body) {
    QTest::newRow(name) << body << QString(kind) << threads;
  };
  // p0: 64 words. s: 512 bytes of shared memory; %r20 = s + 4 * tid, %l20 = p0 + 4 * tid.
  row("load past the end", "out-of-bounds", 32, "ld.global.u32 %r1, [%l20+132];");
  row("load of the last word", "", 32, "ld.global.u32 %r1, [%l20+128];");
  row("store before the start", "out-of-bounds", 32, "st.global.u32 [%l20+-4], %t;");
  row("null pointer", "out-of-bounds", 32, "mov.u64 %l1, 0;\nld.global.u32 %r1, [%l1];");
  row("vector load over the end", "out-of-bounds", 16,
      "mul.wide.u32 %l1, %t, 16;\nadd.s64 %l1, %l1, %p0;\n"
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%l1+16];");
  row("vector load to the end", "", 16,
      "mul.wide.u32 %l1, %t, 16;\nadd.s64 %l1, %l1, %p0;\n"
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%l1];");
  row("guarded load past the end", "", 32, "setp.lt.u32 %q1, %t, 31;\n@%q1 ld.global.u32 %r1, [%l20+132];");
  row("atomic past the end", "out-of-bounds", 32, "red.global.add.u32 [%l20+132], 1;");
  row("shared load past the end", "out-of-bounds", 32, "ld.shared.u32 %r1, [s+512];");
  row("generic load past shared", "out-of-bounds", 32,
      "mov.u64 %l1, s;\ncvta.shared.u64 %l1, %l1;\nst.u32 [%l1+512], %t;");
  row("private store past the end", "out-of-bounds", 32, "st.local.u32 [priv+32], %t;");
  row("private store at the end", "", 32, "st.local.u32 [priv+28], %t;");
  row("constant store", "read-only", 32, "mov.u64 %l1, table;\nst.global.u32 [%l1], %t;");
  row("constant load", "", 32, "ld.const.u32 %r1, [table+4];");

  row("misaligned load", "misaligned", 32, "ld.global.u32 %r1, [%l20+2];");
  row("misaligned vector", "misaligned", 16, "ld.global.v2.u32 {%r1, %r2}, [%l20];");
  row("misaligned shared store", "misaligned", 32, "st.shared.u64 [%r20], %l1;");
  row("16-bit load at 2", "", 32, "ld.global.u16 %r1, [%l20+2];");

  row("uninitialised shared", "uninitialised-shared", 32, "ld.shared.u32 %r1, [%r20];");
  row("initialised shared", "", 32, "st.shared.u32 [%r20], %t;\nld.shared.u32 %r1, [%r20];");
  row("half initialised", "uninitialised-shared", 32,
      "cvt.u16.u32 %h1, %t;\nst.shared.u16 [%r20], %h1;\nld.shared.u32 %r1, [%r20];");
  row("atomic on nothing", "uninitialised-shared", 32, "atom.shared.add.u32 %r1, [%r20], 1;");

  const std::string reverse = "sub.u32 %r1, 63, %t;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\n";
  row("write then read of another warp", "shared-race", 64,
      "st.shared.u32 [%r20], %t;\n" + reverse + "ld.shared.u32 %r3, [%r2];");
  row("write, barrier, read", "", 64,
      "st.shared.u32 [%r20], %t;\n" + reverse + "bar.sync 0;\nld.shared.u32 %r3, [%r2];");
  row("second write without a barrier", "shared-race", 64,
      "st.shared.u32 [%r20], %t;\n" + reverse + "bar.sync 0;\nld.shared.u32 %r3, [%r2];\nst.shared.u32 [%r20], %r3;");
  row("second write after a barrier", "", 64,
      "st.shared.u32 [%r20], %t;\n" + reverse +
          "bar.sync 0;\nld.shared.u32 %r3, [%r2];\nbar.sync 0;\nst.shared.u32 [%r20], %r3;");
  row("all warps write one word", "shared-race", 64, "st.shared.u32 [s], %t;");
  row("lanes write different values", "shared-race", 32, "st.shared.u32 [s], %t;");
  row("lanes write the same value", "", 32, "st.shared.u32 [s], 5;");
  row("lanes exchange without syncwarp", "shared-race", 32,
      "st.shared.u32 [%r20], %t;\nxor.b32 %r1, %t, 1;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r2, s;\nadd.u32 %r2, %r2, "
      "%r1;\n"
      "ld.shared.u32 %r3, [%r2];");
  row("lanes exchange with syncwarp", "", 32,
      "st.shared.u32 [%r20], %t;\nxor.b32 %r1, %t, 1;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r2, s;\nadd.u32 %r2, %r2, "
      "%r1;\n"
      "bar.warp.sync -1;\nld.shared.u32 %r3, [%r2];");
  row("adjacent halves of two warps", "", 64,
      "shl.b32 %r1, %t, 1;\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, 2;\ncvt.u16.u32 %h1, %t;\n"
      "st.shared.u16 [%r1], %h1;");
  row("atomics of all warps", "", 64,
      "setp.eq.u32 %q1, %t, 0;\n@%q1 st.shared.u32 [s], 0;\nbar.sync 0;\natom.shared.add.u32 %r1, [s], 1;");
  row("atomics and a plain read", "shared-race", 64,
      "setp.eq.u32 %q1, %t, 0;\n@%q1 st.shared.u32 [s], 0;\nbar.sync 0;\natom.shared.add.u32 %r1, [s], "
      "1;\nld.shared.u32 %r2, [s];");
  row("cp.async not waited for", "shared-race", 16,
      "mov.u32 %r1, s;\nmad.lo.u32 %r2, %t, 16, %r1;\nmul.wide.u32 %l1, %t, 16;\nadd.s64 %l1, %l1, %p0;\n"
      "cp.async.cg.shared.global [%r2], [%l1], 16;\ncp.async.commit_group;\nld.shared.u32 %r3, "
      "[%r2];\ncp.async.wait_all;");
  row("cp.async waited for", "", 16,
      "mov.u32 %r1, s;\nmad.lo.u32 %r2, %t, 16, %r1;\nmul.wide.u32 %l1, %t, 16;\nadd.s64 %l1, %l1, %p0;\n"
      "cp.async.cg.shared.global [%r2], [%l1], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.u32 %r3, "
      "[%r2];");

  row("barrier in a divergent branch", "barrier-divergence", 32,
      "setp.lt.u32 %q1, %t, 16;\n@%q1 bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 1;\nB:");
  row("guarded barrier", "barrier-divergence", 32, "setp.lt.u32 %q1, %t, 16;\n@%q1 bar.sync 0;");
  row("barrier after the join", "", 32,
      "setp.lt.u32 %q1, %t, 16;\n@%q1 bra A;\nmov.u32 %r1, 1;\nbra B;\nA:\nmov.u32 %r1, 2;\nB:\nbar.sync 0;");
  row("barrier after an early exit", "", 32, "setp.lt.u32 %q1, %t, 16;\n@%q1 exit;\nbar.sync 0;");
  row("warps at different barriers", "deadlock", 64, "shr.u32 %r1, %t, 5;\nadd.u32 %r1, %r1, 1;\nbar.sync %r1;");
  row("barrier for more threads than there are", "deadlock", 64, "bar.sync 0, 96;");
  row("barrier for odd threads", "barrier-operand", 64, "bar.sync 0, 40;");
  row("shuffle that names absent lanes", "deadlock", 32,
      "setp.lt.u32 %q1, %t, 16;\n@%q1 bra A;\nshfl.sync.bfly.b32 %r1, %t, 1, 0x1f, -1;\nbra B;\nA:\n"
      "shfl.sync.bfly.b32 %r1, %t, 2, 0x1f, -1;\nB:");
  row("lane outside its member mask", "member-mask", 32, "shfl.sync.bfly.b32 %r1, %t, 1, 0x1f, 0xffff;");
  row("shuffle from an exited lane", "inactive-lane", 32,
      "setp.gt.u32 %q1, %t, 15;\n@%q1 exit;\nshfl.sync.bfly.b32 %r1, %t, 16, 0x1f, -1;");
  row("trap", "trap", 32, "trap;");
  row("unknown instruction", "unsupported", 32, "vadd4.u32.u32.u32 %r1, %t, %t, %t;");
  row("unknown instruction not reached", "", 32, "bra A;\nvadd4.u32.u32.u32 %r1, %t, %t, %t;\nA:");
}

void TestEmulatorChecks::faults() {
  QFETCH(std::string, body);
  QFETCH(QString, kind);
  QFETCH(int, threads);
  Kernel k{test::entry(
      1,
      "mov.u32 %r21, s;\nmad.lo.u32 %r20, %t, 4, %r21;\nmul.wide.u32 %l20, %t, 4;\nadd.s64 %l20, %l20, %p0;\n" + body,
      ".const .align 4 .b32 table[2] = {7, 9};", ".shared .align 16 .b8 s[512];\n.local .align 8 .b8 priv[32];")};
  k.block = static_cast<unsigned>(threads);
  k.with(std::vector<std::uint32_t>(64));
  const auto result = k.run();
  QVERIFY2(result, test::problems(result).c_str());
  if (kind.isEmpty()) {
    QVERIFY2(result->faults.empty(), test::problems(result).c_str());
    QVERIFY(result->status == RunResult::Status::ok);
    return;
  }
  QVERIFY(result->status == RunResult::Status::faulted);
  QVERIFY(!result->faults.empty());
  const auto it = std::find_if(result->faults.begin(), result->faults.end(),
                               [&](const Fault& f) { return f.kind == kind.toStdString(); });
  QVERIFY2(it != result->faults.end(), test::problems(result).c_str());
  QVERIFY(it->ptx_line > 0);
  QVERIFY(result->faults.size() <= 20);
}

void TestEmulatorChecks::messages() {
  Kernel k{test::entry(1, "mul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\nld.global.f32 %r1, [%l1];")};
  k.block = 64;
  k.grid = 3;
  k.with(std::vector<float>(40));
  const auto result = k.run();
  QVERIFY(result);
  const Fault& f = result->faults.at(0);
  QCOMPARE(QString::fromStdString(f.message), QString("global load of 4 bytes at 'b0' + 160 (it has 160 bytes)"));
  QCOMPARE(f.thread[0], 40u);
  QCOMPARE(f.block[0], 0u);
  QCOMPARE(QString::fromStdString(f.kernel), QString("k"));
  Kernel u{test::entry(1, "vadd4.u32.u32.u32 %r1, %t, %t, %t;")};
  u.with(std::vector<float>(1));
  const auto unsupported = u.run();
  QVERIFY(unsupported);
  QVERIFY(unsupported->faults.at(0).message.find("vadd4.u32") != std::string::npos);
}

void TestEmulatorChecks::cuda_lines() {
  // softmax_bf16.cu stores the row in its last loop: `out[i] = w;` is line 56.
  Kernel k{test::sample("softmax_bf16.ptx")};
  k.entry = "softmax";
  k.block = 128;
  k.with(std::vector<std::uint16_t>(1024)).with(std::vector<std::uint16_t>(512));
  k.dims = {1, 1024};
  const auto result = k.run();
  QVERIFY(result);
  QVERIFY(!result->faults.empty());
  QCOMPARE(result->faults[0].cuda_line, 56);
  QVERIFY(result->faults[0].message.find("'b1'") != std::string::npos);
}

void TestEmulatorChecks::buffers_are_apart() {
  // However far an index runs, it never lands in another buffer.
  for (const std::int64_t step : {64, 4096, 8192, 65536, 1 << 20}) {
    Kernel k{
        test::entry(2, "mov.u64 %l1, " + std::to_string(step) + ";\nadd.s64 %l1, %l1, %p0;\nst.global.u32 [%l1], 1;")};
    k.block = 1;
    k.with(std::vector<std::uint32_t>(16)).with(std::vector<std::uint32_t>(16));
    const auto result = k.run();
    QVERIFY(result);
    // 8192 is the distance of two small buffers: an address there is the other buffer, as on a device.
    if (step != 8192) QCOMPARE(QString::fromStdString(result->faults.at(0).kind), QString("out-of-bounds"));
  }
}

void TestEmulatorChecks::step_limit() {
  Kernel k{test::entry(1, "A:\nbra A;")};
  k.with(std::vector<std::uint32_t>(1));
  k.options.step_limit = 100'000;
  const auto result = k.run();
  QVERIFY(result);
  QCOMPARE(QString::fromStdString(result->faults.at(0).kind), QString("step-limit"));
}

void TestEmulatorChecks::cancelled() {
  Kernel k{test::entry(1, "A:\nbra A;")};
  k.with(std::vector<std::uint32_t>(1));
  std::stop_source stop;
  std::jthread canceller([&] { stop.request_stop(); });
  const auto result = k.run(stop.get_token());
  QVERIFY(result);
  QVERIFY(result->status == RunResult::Status::cancelled);
}

void TestEmulatorChecks::syntax_errors() {
  const std::pair<std::string, int> cases[] = {
      {"add.u32 %r1, %r2 %r3;", 16},
      {"add.u32 %r1, %r2, %unknown9$;", 16},
      {"bra NOWHERE;", 16},
      {"\nld.global.u32 %r1, [%l1;", 17},
      {"A:\nA:\n", 17},
      {"mov.u32 %r1, 0x;", 16},
      {"add.u32 %r1, %l2, %r3;", 16},
      {"add.u32 %r1, %r2;", 16},
  };
  for (const auto& [body, line] : cases) {
    Kernel k{test::entry(1, body)};
    k.with(std::vector<std::uint32_t>(1));
    const auto result = k.run();
    if (result) { // an unknown special register is a fault of the instruction
      QVERIFY2(!result->faults.empty(), body.c_str());
      continue;
    }
    QVERIFY2(!result.diagnostics.empty(), body.c_str());
    QVERIFY2(result.diagnostics[0].at.line == line,
             (body + ": line " + std::to_string(result.diagnostics[0].at.line) + ": " + result.diagnostics[0].message)
                 .c_str());
  }
}

void TestEmulatorChecks::refused_calls() {
  const auto diagnostic = [](Kernel k) {
    const auto r = k.run();
    return r ? std::string() : r.diagnostics.at(0).message;
  };
  Kernel good{test::entry(1, "")};
  good.with(std::vector<std::uint32_t>(1));
  QCOMPARE(diagnostic(good), std::string());
  Kernel k = good;
  k.entry = "other";
  QVERIFY(diagnostic(k).find("'other'") != std::string::npos);
  k = good;
  k.block = 2000;
  QVERIFY(diagnostic(k).find("block") != std::string::npos);
  k = good;
  k.shared = 300'000;
  QVERIFY(diagnostic(k).find("shared") != std::string::npos);
  k = good;
  k.dims = {5};
  QVERIFY(diagnostic(k).find("parameter") != std::string::npos);
  k = good;
  k.buffers.clear();
  QVERIFY(diagnostic(k).find("parameters") != std::string::npos);
  k = good;
  k.cluster = 3;
  QVERIFY(diagnostic(k).find("cluster") != std::string::npos);
  k = good;
  k.ptx = test::entry(1, "st.local.u32 [big], %t;", {}, ".local .align 8 .b8 big[60000000];");
  k.block = 1024;
  QVERIFY(diagnostic(k).find("MiB") != std::string::npos);
  k = good;
  k.grid = 0;
  QCOMPARE(diagnostic(k), std::string());
}

void TestEmulatorChecks::garbage() {
  // Damaged texts: an answer each time, never a crash or a hang.
  const std::string whole = test::sample("control.ptx");
  std::uint64_t random = 88172645463325252ull;
  const auto next = [&] {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random;
  };
  constexpr const char* entries[] = {"collatz", "calls", "choose", "histogram"};
  for (int round = 0; round < 400; ++round) {
    std::string text = whole;
    for (std::uint64_t n = 1 + next() % 4; n > 0; --n) {
      const std::size_t at = next() % text.size();
      switch (next() % 4) {
      case 0: text.erase(at, next() % 40); break;
      case 1: text[at] = static_cast<char>(next()); break;
      case 2: text.insert(at, text.substr(next() % text.size(), next() % 60)); break;
      default: text[at] = "0123456789;,{}[]%@!"[next() % 19]; break;
      }
    }
    Kernel k{std::move(text)};
    k.entry = entries[next() % 4];
    k.options.step_limit = 20'000;
    k.with(std::vector<std::uint32_t>(64, 3)).with(std::vector<std::uint32_t>(64, 3));
    (void)k.run();
  }
  Kernel empty{""};
  QVERIFY(!empty.run());
  Kernel nested{std::string(100'000, '{')};
  QVERIFY(!nested.run());
  Kernel open{test::entry(1, std::string(100'000, '{'))};
  QVERIFY(!open.run());
}

QTEST_GUILESS_MAIN(TestEmulatorChecks)
#include "test_emulator_checks.moc"
