// Text that means harm: sizes that overflow, structures that nest or multiply, text that breaks off, launches that take
// and never give. Each is an error that names its line, or a fault; none crashes, hangs, or takes memory without end.
#include "tests/emulator/ptx_fixture.hpp"

#include <sys/resource.h>

#include <QtTest>

#include <algorithm>

using namespace aicf;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

namespace {

std::string repeated(const std::string& what, std::size_t n) {
  std::string text;
  text.reserve(what.size() * n);
  for (std::size_t i = 0; i < n; ++i) text += what;
  return text;
}

/// The part with a number in place of each '#'.
std::string numbered(const std::string& part, std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i)
    for (const char c : part) text += c == '#' ? std::to_string(i) : std::string(1, c);
  return text;
}

/// In MiB, of this process since it began.
long peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

} // namespace

class TestPtxHostile : public QObject {
  Q_OBJECT
 private slots:
  void texts_data() {
    QTest::addColumn<std::string>("ptx");
    QTest::addColumn<QString>("message"); // a part of it; empty: it runs
    QTest::addColumn<int>("line");        // 0: some line
    const auto row = [](const char* name, const char* message, const std::string& body, const std::string& module = {},
                        int line = 0) {
      QTest::newRow(name) << test::entry(0, body, module) << QString(message) << line;
    };
    const auto whole = [](const char* name, const char* message, const std::string& ptx, int line = 0) {
      QTest::newRow(name) << ptx << QString(message) << line;
    };
    const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n";

    row("shared of 4 GiB", "too large", "", ".shared .b8 s[4294967296];", 4);
    row("shared of 2^64 - 1", "too large", "", ".shared .b8 s[18446744073709551615];", 4);
    row("shared whose size overflows", "too large", "", ".shared .b64 s[65536][65536][65536][65536];", 4);
    row("shared that adds up", "64 MiB", "", numbered(".shared .b8 s#[1073741824];\n", 8), 4);
    row("shared of a block", "233472 at most", "", ".shared .b8 s[1048576];", -1);
    row("shared of a function", "64 MiB", numbered(".shared .b8 s#[60000000];\n", 3));
    row("private of 64 GiB", "64 MiB", numbered(".local .b8 s#[1073741824];\n", 64));
    row("private of a block", "the limit is", ".local .b8 s[67000000];\nst.local.u32 [s], 0;", {}, -1);
    row("global of 8 GiB", "1 GiB", "", numbered(".global .b8 g#[1073741824];\n", 8), 5);
    row("constants of 8 GiB", "1 GiB", "", numbered(".const .b8 g#[1073741824];\n", 8), 5);
    row("global of a function", "1 GiB", numbered(".global .b8 g#[1073741824];\n", 3));
    row("no bytes", "", ".shared .b8 s[0];\nmov.u32 %r1, s;");
    row("alignment of zero", "power of two", "", ".shared .align 0 .b8 s[4];", 4);
    row("alignment of three", "power of two", "", ".shared .align 3 .b8 s[4];", 4);
    row("alignment of 4 GiB", "power of two", "", ".shared .align 4294967296 .b8 s[4];", 4);
    row("more values than places", "more values", "", ".global .b32 g[2] = {1, 2, 3};", 4);
    row("braces that do not close", "expected a value", "", ".global .b32 g[2] = " + repeated("{", 100000));
    row("braces that close first", "", "", ".global .b32 g[2] = };");
    row("a cycle of initial values", "", "", ".global .b64 g = h;\n.global .b64 h = g;");
    row("a value of nobody", "neither", "", ".global .b64 g = nobody;", 4);

    whole("2^31 registers", "", head + ".entry k() {\n.reg .b32 %r<2147483648>;\nmov.u32 %r2147483647, 1;\nret;\n}");
    whole("2^64 registers", "", head + ".entry k() {\n.reg .b32 %r<18446744073709551615>;\nmov.u32 %r7, 1;\nret;\n}");
    whole("a register past them", "no register", head + ".entry k() {\n.reg .b32 %r<4>;\nmov.u32 %r4, 1;\nret;\n}", 0);
    {
      std::string body = ".entry k() {\n.reg .b64 %l<66000>;\n";
      body +=
          numbered("add.u64 %l#, %l#, 1;\n", 66000) + "L:\n" + numbered("add.u64 %l#, %l#, 1;\n", 66000) + "bra L;\n}";
      whole("66000 registers at once", "16 MiB a warp", head + body);
    }
    row("parameters of 4 GiB", "too large", "", ".func f(.param .b8 p[4294967296]) { ret; }", 4);
    whole("kernel parameters of a MiB", "32764 at most", head + ".entry k(\n.param .b8 p[1048576])\n{\nret;\n}", 5);
    whole("kernel parameters that add up", "64 MiB",
          head + ".entry k(\n" + numbered(".param .b8 p#[1073741824],\n", 8) + ".param .b32 q)\n{\nret;\n}");

    row("100000 blocks in blocks", "nested", repeated("{\n", 100000) + repeated("}\n", 100000), {}, 270);
    row("blocks that do not close", "nested", repeated("{", 1000000));
    row("200 blocks in blocks", "", repeated("{ .reg .b32 %x;\nmov.u32 %x, 1;\n", 200) + repeated("}\n", 200));
    row("more blocks closed than opened", "expected a directive", "}\n}\n}");
    row("a vector of 100000", "ld", "ld.global.v4.u32 {" + repeated("%r1, ", 100000) + "%r1}, [%l1];");
    row("a list of 100000 arguments", "do not fit", "call f, (" + repeated("%r1, ", 100000) + "%r1);",
        ".func f() { ret; }");
    row("an address of 100000", "",
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], "
        "[%l1, {" +
            repeated("%r1, ", 100000) + "%r1}], [%r2];");
    row("an instruction of 100000 parts", "", "add" + repeated(".u32", 100000) + " %r1, %r1, %r1;");
    row("a name of a MiB", "is not defined", "bra " + std::string(1 << 20, 'x') + ";");
    row("a number of 100000 digits", "", "mov.u32 %r1, " + std::string(100000, '9') + ";");
    row("a hexadecimal number without digits", "", "mov.u32 %r1, 0x;");
    row("a real of three digits", "", "mov.f32 %r1, 0f3F8;");
    row("a label twice", "defined twice", "A:\nadd.u32 %r1, %r1, 1;\nA:\nbra A;", {}, 16);
    row("a label inside and outside", "", "A:\n{\nA:\nadd.u32 %r1, %r1, 1;\n}\n");
    row("a branch to nowhere", "is not defined", "bra NOWHERE;", {}, 14);
    row("a list of nowhere", "is not defined", "L: .branchtargets NOWHERE;\nbrx.idx %r1, L;", {}, 15);
    row("lists of lists", "too long",
        "L: .branchtargets " + repeated("A, ", 3000) + "A;\nA:\n" + repeated("brx.idx %r1, L;\n", 3000));

    row("a function that calls itself", "is called at depth", "call f;", ".func f() {\ncall f;\nret;\n}", 5);
    row("functions that call each other", "is called at depth", "call f;",
        ".func g();\n.func f() {\ncall g;\nret;\n}\n.func g() {\ncall f;\nret;\n}");
    row(
        "calls 200 deep", "", "call f199;", ".func f0() { ret; }\n" + [] {
          std::string text;
          for (int i = 1; i < 200; ++i)
            text += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i - 1) + "; ret; }\n";
          return text;
        }());
    row(
        "calls 20000 deep", "", "call f19999;", ".func f0() { ret; }\n" + [] {
          std::string text;
          for (int i = 1; i < 20000; ++i)
            text += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i - 1) + "; ret; }\n";
          return text;
        }());
    row("functions that may all call each other by address", "too many functions", "call f0;",
        numbered(".func f#() { .reg .b64 %l; mov.u64 %l, f#; call %l, (); ret; }\n", 20000));
    row("functions that do call each other by address", "operations", "call f0;",
        numbered(".func f#() { .reg .b64 %l; mov.u64 %l, f#; call %l, (); ret; }\n", 1000));
    row("calls by address of everything", "operations",
        numbered("mov.u64 %l1, f#;\n", 2000) + repeated("call %l1, ();\n", 2000),
        numbered(".func f#() { ret; }\n", 2000));

    whole("nothing", "no entry", "", -1);
    whole("a zero byte", "", std::string("\0", 1));
    whole("zero bytes in the body", "", head + ".entry k() {\nadd.u32 " + std::string(20, '\0') + ";\n}", 5);
    whole("a comment that does not end", "not closed", head + ".entry k() { /* ret; }");
    whole("a text that does not end", "", head + ".entry k() { .pragma \"nounroll; ret; }");
    whole("a body that does not end", "not closed", head + ".entry k() {\nret;\n", 6);
    whole("a list that does not end", "", head + ".entry k(.param .b32 p,");
    whole("guards upon guards", "", head + ".entry k() {\n" + repeated("@", 100000) + "ret;\n}");
    whole("too much text", "33554432 at most", head + std::string(33554432, '\n'), 1);
  }
  void texts() {
    QFETCH(std::string, ptx);
    QFETCH(QString, message);
    QFETCH(int, line);
    Kernel k{ptx};
    k.block = 64;
    k.options.step_limit = 1'000'000;
    const auto result = k.run();
    QVERIFY2(peak() < 3072, qPrintable(QString::number(peak())));
    if (message.isEmpty()) { // runs, is refused or faults: it says so
      QVERIFY(result || !result.diagnostics.empty());
      if (!result) QVERIFY(result.diagnostics.front().at.line > 0);
      return;
    }
    QVERIFY(!result || !result->faults.empty());
    if (result) {
      QVERIFY2(result->faults.front().message.find(message.toStdString()) != std::string::npos,
               test::problems(result).c_str());
      return;
    }
    const Diagnostic& d = result.diagnostics.front();
    QVERIFY2(d.message.find(message.toStdString()) != std::string::npos, test::problems(result).substr(0, 500).c_str());
    if (line > 0) QCOMPARE(d.at.line, line);
    if (line == 0) QVERIFY2(d.at.line > 0, d.message.c_str());
  }

  /// A text that is cut off anywhere is refused, or what is left of it is whole.
  void cut() {
    const std::string text = test::sample("softmax_bf16.ptx");
    QVERIFY(text.size() > 2000);
    for (std::size_t at = 0; at < text.size(); at += 37) {
      Kernel k{text.substr(0, at)};
      const auto result = k.run();
      QVERIFY(result || !result.diagnostics.empty());
    }
  }

  void launches_data() {
    QTest::addColumn<std::string>("body");
    QTest::addColumn<QString>("kind"); // empty: any, or none
    const auto row = [](const char* name, const char* kind, const std::string& body) {
      QTest::newRow(name) << body << QString(kind);
    };
    const std::string again = "bra L;\n";
    row("a loop of 2^64", "step-limit",
        "mov.u64 %l1, 0;\nL:\nadd.u64 %l1, %l1, 1;\nsetp.ne.u64 %q1, %l1, 0;\n@%q1 bra L;");
    row("cp.async without a wait", "async-pending",
        "mov.u32 %r1, s;\nL:\ncp.async.ca.shared.global [%r1], [%p0], 16, 0;\n" + again);
    row("groups of cp.async without end", "step-limit", "L:\ncp.async.commit_group;\n" + again);
    row("bulk groups without end", "step-limit", "L:\ncp.async.bulk.commit_group;\n" + again);
    row("wgmma groups without end", "step-limit", "L:\nwgmma.commit_group.sync.aligned;\n" + again);
    row("bulk stores without end", "",
        "mov.u32 %r1, s;\nst.shared.v4.u32 [%r1], {%t, %t, %t, %t};\nfence.proxy.async;\nL:\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r1], 16;\n" +
            again);
    row("bulk loads without end", "",
        "mov.u32 %r1, s;\nmov.u32 %r2, bar;\nsetp.ne.u32 %q1, %t, 0;\n@%q1 bra E;\nmbarrier.init.shared.b64 [%r2], "
        "1;\nL:\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%p0], 1024, [%r2];\n" +
            again + "E:\n");
    row("transactions without end", "mbarrier",
        "mov.u32 %r2, bar;\nsetp.ne.u32 %q1, %t, 0;\n@%q1 bra E;\nmbarrier.init.shared.b64 [%r2], 1;\nL:\n"
        "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r2], 1000000;\n" +
            again + "E:\n");
    row("transactions that nobody expects", "mbarrier",
        "mov.u32 %r2, bar;\nsetp.ne.u32 %q1, %t, 0;\n@%q1 bra E;\nmbarrier.init.shared.b64 [%r2], 1;\nL:\n"
        "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r2], 1000000;\n" +
            again + "E:\n");
    row("malloc without end", "",
        "L:\n{\n.param .b64 a;\n.param .b64 r;\nst.param.b64 [a], 4096;\ncall.uni (r), malloc, (a);\n}\n" + again);
    row("malloc of everything", "out-of-bounds",
        "{\n.param .b64 a;\n.param .b64 r;\nst.param.b64 [a], -1;\ncall.uni (r), malloc, (a);\nld.param.b64 %l1, "
        "[r];\n}\n"
        "st.u32 [%l1], 1;");
    row("malloc and free without end", "",
        "L:\n{\n.param .b64 a;\n.param .b64 r;\nst.param.b64 [a], 4096;\ncall.uni (r), malloc, (a);\nld.param.b64 "
        "%l1, "
        "[r];\n}\n{\n.param .b64 a;\nst.param.b64 [a], %l1;\ncall.uni free, (a);\n}\n" +
            again);
    row("printf without end", "",
        "L:\n{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %p0;\n"
        "st.param.b64 [a], 0;\ncall.uni (r), vprintf, (f, a);\n}\n" +
            again);
    row("faults without end", "out-of-bounds", "L:\nld.global.u32 %r1, [%p0+1000000];\n" + again);
    row("atomics without end", "", "L:\natom.global.add.u32 %r1, [%p0], 1;\nfence.acq_rel.gpu;\n" + again);
  }
  /// Whatever a kernel does until the step limit, memory stays within bounds.
  void launches() {
    QFETCH(std::string, body);
    QFETCH(QString, kind);
    Kernel k{test::entry(1, body,
                         ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b64 bar;\n.extern .func (.param .b64 r) "
                         "malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n.extern .func (.param .b32 r) "
                         "vprintf(.param .b64 f, .param .b64 a);")};
    k.with(std::vector<std::uint32_t>(512, 0x41414141));
    k.grid = 2;
    k.block = 64;
    k.options.step_limit = 300'000;
    const auto result = k.run();
    QVERIFY2(result, test::problems(result).c_str());
    QVERIFY(!result->faults.empty());
    const auto found = std::any_of(result->faults.begin(), result->faults.end(),
                                   [&](const Fault& f) { return kind.isEmpty() || f.kind == kind.toStdString(); });
    QVERIFY2(found, test::problems(result).c_str());
    QVERIFY2(peak() < 3072, qPrintable(QString::number(peak())));
  }
};

QTEST_MAIN(TestPtxHostile)
#include "test_ptx_hostile.moc"
