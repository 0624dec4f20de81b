// Parts of warps: votes, matches and elections whose lanes name different members, barriers that are not .aligned and
// that lanes reach by different ways, warps that are not full; and warpgroups: setmaxnreg and who must execute it.
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <algorithm>
#include <bit>
#include <functional>

using namespace aicf;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

namespace {

using Words = std::vector<std::uint32_t>;

/// Each thread stores %r0.
const std::string out = "\nmov.u32 %r30, %ctaid.x;\nmov.u32 %r31, %ntid.x;\nmad.lo.u32 %r30, %r30, %r31, %t;\n"
                        "mul.wide.u32 %l30, %r30, 4;\nadd.s64 %l30, %l30, %p0;\nst.global.u32 [%l30], %r0;\n";

Kernel kernel(const std::string& body, unsigned block, unsigned cluster = 1) {
  Kernel k{test::entry(1, body + out)};
  k.block = block;
  k.grid = k.cluster = cluster;
  k.with(Words(std::size_t{block} * cluster));
  return k;
}

bool has(const RunResult& result, const std::string& kind) {
  return std::any_of(result.faults.begin(), result.faults.end(), [&](const Fault& f) { return f.kind == kind; });
}

/// The members of a lane in tiles of so many lanes.
std::uint32_t tile(std::uint32_t lane, std::uint32_t size) {
  return size == 32 ? 0xffffffffU : ((1U << size) - 1) << (lane / size * size);
}
std::string tile_mask(std::uint32_t size) {
  return size == 32 ? "mov.u32 %r9, -1;\n"
                    : "and.b32 %r8, %t, " + std::to_string(32 - size) + ";\nmov.u32 %r9, " +
                          std::to_string((1U << size) - 1) + ";\nshl.b32 %r9, %r9, %r8;\n";
}
/// Some word of a lane, the same in the text and here.
const std::string value_text = "mul.lo.u32 %r1, %t, 0x9e3779b1;\nshr.u32 %r1, %r1, 29;\n";
std::uint32_t value(std::uint32_t lane) { return lane * 0x9e3779b1U >> 29; }

} // namespace

class TestPtxParts : public QObject {
  Q_OBJECT
 private slots:
  void tiles_data() {
    QTest::addColumn<int>("size");
    QTest::addColumn<QString>("text");
    for (const int size : {1, 4, 16, 32})
      for (const char* text : {"vote.sync.all.pred %q2, %q1, %r9;", "vote.sync.any.pred %q2, %q1, %r9;",
                               "vote.sync.uni.pred %q2, %q1, %r9;", "vote.sync.all.pred %q2, !%q1, %r9;",
                               "vote.sync.ballot.b32 %r0, %q1, %r9;", "match.any.sync.b32 %r0, %r1, %r9;",
                               "match.all.sync.b32 %r0|%q2, %r1, %r9;", "redux.sync.add.u32 %r0, %r1, %r9;",
                               "redux.sync.max.s32 %r0, %r1, %r9;", "redux.sync.xor.b32 %r0, %r1, %r9;",
                               "elect.sync %r0|%q2, %r9;", "elect.sync _|%q2, %r9;"})
        QTest::newRow((std::to_string(size) + " " + text).c_str()) << size << QString(text);
  }
  /// Tiles of a warp act apart in one instruction. PTX ISA: each is about the threads of the executing thread's
  /// membermask. A lane keeps d + 1000 p.
  void tiles() {
    QFETCH(int, size);
    QFETCH(QString, text);
    Kernel k = kernel("mov.u32 %r0, 0;\nsetp.ne.u32 %q2, %r0, 0;\n" + value_text +
                          tile_mask(static_cast<std::uint32_t>(size)) + "setp.gt.u32 %q1, %r1, 1;\n" +
                          text.toStdString() + "\nselp.u32 %r2, 1000, 0, %q2;\nadd.u32 %r0, %r0, %r2;",
                      32);
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint32_t>(0);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t members = tile(lane, static_cast<std::uint32_t>(size));
      std::uint32_t yes = 0, equal = 0, sum = 0, most = 0, odd = 0;
      for (std::uint32_t i = 0; i < 32; ++i) {
        if ((members >> i & 1) == 0) continue;
        yes |= value(i) > 1 ? 1U << i : 0;
        equal |= value(i) == value(lane) ? 1U << i : 0;
        sum += value(i);
        most = std::max(most, value(i));
        odd ^= value(i);
      }
      const auto least = static_cast<std::uint32_t>(std::countr_zero(members));
      std::uint32_t d = 0;
      bool p = false;
      if (text.contains("all.pred %q2, !"))
        p = yes == 0;
      else if (text.contains(".all.pred"))
        p = yes == members;
      else if (text.contains(".any.pred"))
        p = yes != 0;
      else if (text.contains(".uni."))
        p = yes == 0 || yes == members;
      else if (text.contains("ballot"))
        d = yes;
      else if (text.contains("match.any"))
        d = equal;
      else if (text.contains("match.all")) {
        p = equal == members;
        d = p ? members : 0;
      } else if (text.contains(".add"))
        d = sum;
      else if (text.contains(".max"))
        d = most;
      else if (text.contains(".xor"))
        d = odd;
      else {
        p = least == lane;
        d = text.contains("_|") ? 0 : least;
      }
      QCOMPARE(got[lane], d + (p ? 1000 : 0));
    }
  }

  /// elect.sync of odd masks, in a branch that the members alone take.
  void elections_data() {
    QTest::addColumn<std::uint32_t>("members");
    for (const std::uint32_t m : {1U, 0x80000000U, 0xaaaaaaaaU, 0x00f00000U, 0x80000001U, 0xfffffffeU, 0x12345678U})
      QTest::newRow(QByteArray::number(m, 16).constData()) << m;
  }
  void elections() {
    QFETCH(std::uint32_t, members);
    const std::string m = std::to_string(members);
    Kernel k =
        kernel("mov.u32 %r0, 7000;\nmov.u32 %r1, " + m + ";\nshr.u32 %r2, %r1, %t;\nand.b32 %r2, %r2, 1;\n" +
                   "setp.eq.u32 %q1, %r2, 0;\n@%q1 bra D;\nelect.sync %r0|%q2, %r1;\n@%q2 add.u32 %r0, %r0, 1000;\nD:",
               32);
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint32_t>(0);
    const auto least = static_cast<std::uint32_t>(std::countr_zero(members));
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      QCOMPARE(got[lane], (members >> lane & 1) == 0 ? 7000 : least + (lane == least ? 1000 : 0));
  }

  void barriers_data() {
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("kind"); // empty: clean, and each thread has 64 - t
    QTest::addColumn<int>("block");
    const auto row = [](const char* name, const char* kind, const std::string& body, int block = 64) {
      QTest::newRow(name) << body << std::string(kind) << block;
    };
    const std::string half = "and.b32 %r4, %t, 31;\nsetp.lt.u32 %q1, %r4, 16;\n";
    const std::string ways = half + "@%q1 bra A;\nbarrier.sync 0;\nbra B;\nA:\nbarrier.sync 0;\nB:\n";
    row("lanes on two ways", "", ways);
    row("lanes on two ways to an aligned barrier", "barrier-divergence",
        half + "@%q1 bra A;\nbarrier.sync.aligned 0;\nbra B;\nA:\nbarrier.sync.aligned 0;\nB:\n");
    row("lanes on two ways to bar", "barrier-divergence",
        half + "@%q1 bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:\n");
    row("lanes on three ways", "",
        "rem.u32 %r4, %t, 3;\nsetp.eq.u32 %q1, %r4, 0;\nsetp.eq.u32 %q2, %r4, 1;\n@%q1 bra A;\n@%q2 bra B;\n"
        "barrier.cta.sync 0, 64;\nbra C;\nA:\nbarrier.sync 0, 64;\nbra C;\nB:\nbarrier.sync 0, 64;\nC:\n"
        "mov.u32 %r5, 0;\n");
    row("under a guard and its negation", "", half + "@%q1 barrier.sync 0;\n@!%q1 barrier.sync 0;\n");
    row("lanes at different barriers", "barrier-divergence",
        half + "@%q1 bra A;\nbarrier.sync 1;\nbra B;\nA:\nbarrier.sync 2;\nB:\n");
    row("one lane of a warp goes on", "barrier-divergence",
        half + "setp.eq.u32 %q2, %r4, 3;\n@%q2 bra B;\nbarrier.sync 0;\nB:\nmov.u32 %r5, 1;\nbar.warp.sync -1;\n");
    row("lanes exit instead", "", "barrier.sync 0;\n");
    row("arrive on two ways, sync in the other warp", "",
        "setp.lt.u32 %q2, %t, 32;\n@%q2 bra S;\n" + half +
            "@%q1 bra A;\nbarrier.arrive 3, 64;\nbra B;\nA:\nbarrier.arrive 3, 64;\nB:\nbra E;\nS:\nbarrier.sync 3, "
            "64;\n"
            "E:\nbarrier.sync 0;\n");
    row("twice in a loop", "",
        "mov.u32 %r6, 0;\nL:\n" + half +
            "@%q1 bra A;\nbarrier.sync 0;\nbra B;\nA:\nbarrier.sync 0;\nB:\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %q2, "
            "%r6, 20;\n"
            "@%q2 bra L;\n");
    row("arrive without a number of threads", "refused", "barrier.arrive 0;\n");
    row("a warp of eight lanes", "", "bar.sync 0;\nbar.sync 1, 64;\n", 40);
    row("a warp of one lane", "", "barrier.sync 0;\n", 33);
    row("a warp of eight lanes, for 32 threads", "deadlock",
        "setp.lt.u32 %q1, %t, 32;\n@%q1 bra E;\nbar.sync 1, 64;\nE:\n", 40);
  }
  /// Each thread writes its word, all meet, and each reads another's.
  void barriers() {
    QFETCH(std::string, body);
    QFETCH(std::string, kind);
    QFETCH(int, block);
    const std::string last = std::to_string(block - 1);
    Kernel k = kernel("mov.u32 %r1, s;\nshl.b32 %r2, %t, 2;\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r3, %t, 1;\n"
                      "st.shared.u32 [%r2], %r3;\n" +
                          body + "sub.u32 %r2, " + last +
                          ", %t;\nshl.b32 %r2, %r2, 2;\nadd.u32 %r2, %r2, %r1;\nld.shared.u32 %r0, [%r2];",
                      static_cast<unsigned>(block));
    k.ptx.insert(k.ptx.find(".visible"), ".shared .align 4 .b8 s[256];\n");
    const auto result = k.run();
    if (kind == "refused") {
      QVERIFY(!result && result.diagnostics.front().at.line > 0);
      return;
    }
    QVERIFY2(result, test::problems(result).c_str());
    if (!kind.empty()) {
      QVERIFY2(has(*result, kind), test::problems(result).c_str());
      return;
    }
    QVERIFY2(result->faults.empty(), test::problems(result).c_str());
    const auto got = k.values<std::uint32_t>(0);
    for (int t = 0; t < block; ++t) QCOMPARE(got[static_cast<std::size_t>(t)], static_cast<std::uint32_t>(block - t));
  }

  void reductions_data() {
    QTest::addColumn<QString>("operation");
    QTest::addColumn<int>("block");
    QTest::addColumn<int>("limit"); // the predicate: t < limit
    for (const char* op : {"popc.u32 %r0, 0, %q1", "and.pred %q2, 0, %q1", "or.pred %q2, 0, %q1",
                           "popc.u32 %r0, 2, 96, !%q1", "and.pred %q2, 0, !%q1", "or.pred %q2, 0, !%q1"})
      for (const int block : {96, 70})
        for (const int limit : {0, 1, 40, 69, 96})
          QTest::newRow((std::string(op) + " " + std::to_string(block) + " " + std::to_string(limit)).c_str())
              << QString(op) << block << limit;
  }
  /// barrier.red over all threads of the block, the lanes of each warp on two ways to it; then bar.red together.
  void reductions() {
    QFETCH(QString, operation);
    QFETCH(int, block);
    QFETCH(int, limit);
    const std::string op = operation.toStdString();
    for (const bool parts : {true, false}) {
      const std::string body = parts ? "and.b32 %r4, %t, 1;\nsetp.eq.u32 %q3, %r4, 1;\n@%q3 bra A;\nbarrier.red." + op +
                                           ";\nbra B;\nA:\nbarrier.red." + op + ";\nB:\n"
                                     : "bar.red." + op + ";\n";
      Kernel k = kernel("mov.u32 %r0, 0;\nsetp.ne.u32 %q2, %r0, 0;\nsetp.lt.u32 %q1, %t, " + std::to_string(limit) +
                            ";\n" + body + "@%q2 mov.u32 %r0, 1;",
                        static_cast<unsigned>(block));
      QCOMPARE(k.problem(), std::string());
      const bool negated = operation.contains('!');
      int yes = 0;
      for (int t = 0; t < block; ++t) yes += (t < limit) != negated ? 1 : 0;
      const int expected = operation.contains("popc") ? yes : operation.contains("and") ? yes == block : yes > 0;
      QCOMPARE(k.values<std::uint32_t>(0),
               Words(static_cast<std::size_t>(block), static_cast<std::uint32_t>(expected)));
    }
  }

  void clusters_data() {
    QTest::addColumn<std::string>("arrive");
    QTest::addColumn<std::string>("wait");
    QTest::addColumn<std::string>("kind");
    const auto row = [](const char* name, const char* kind, const std::string& arrive, const std::string& wait) {
      QTest::newRow(name) << arrive << wait << std::string(kind);
    };
    const auto two = [](const std::string& label, const std::string& one, const std::string& other) {
      return "@%q1 bra " + label + ";\n" + one + "\nbra " + label + "E;\n" + label + ":\n" + other + "\n" + label +
             "E:\n";
    };
    const std::string arrive = "barrier.cluster.arrive;", wait = "barrier.cluster.wait;";
    row("together", "", arrive, wait);
    row("aligned", "", "barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;");
    row("arrive on two ways", "", two("A", arrive, arrive), wait);
    row("both on two ways", "", two("A", arrive, arrive), two("B", wait, wait));
    row("a way each", "", two("A", arrive + wait, arrive + wait), "");
    row("under a guard and its negation", "", "@%q1 " + arrive + "\n@!%q1 " + arrive, wait);
    row("aligned on two ways", "barrier-divergence",
        two("A", "barrier.cluster.arrive.aligned;", "barrier.cluster.arrive.aligned;"), wait);
    row("half of a warp never arrives", "barrier-divergence", "@%q1 bra E;\n" + arrive + "\nE:\nbar.warp.sync -1;\n",
        wait);
    row("aligned under a guard", "barrier-divergence", "@%q1 barrier.cluster.arrive.aligned;", wait);
  }
  /// Each thread takes the word of its place in the other block.
  void clusters() {
    QFETCH(std::string, arrive);
    QFETCH(std::string, wait);
    QFETCH(std::string, kind);
    Kernel k = kernel("mov.u32 %r1, s;\nshl.b32 %r2, %t, 2;\nadd.u32 %r2, %r2, %r1;\nmov.u32 %r3, %cluster_ctarank;\n"
                      "mad.lo.u32 %r4, %r3, 100, %t;\nst.shared.u32 [%r2], %r4;\nxor.b32 %r5, %r3, 1;\n"
                      "mapa.shared::cluster.u32 %r6, %r2, %r5;\nand.b32 %r7, %t, 3;\nsetp.eq.u32 %q1, %r7, 2;\n" +
                          arrive + "\n" + wait + "\nld.shared::cluster.u32 %r0, [%r6];\n" +
                          "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
                      64, 2);
    k.ptx.insert(k.ptx.find(".visible"), ".shared .align 4 .b8 s[256];\n");
    const auto result = k.run();
    QVERIFY2(result, test::problems(result).c_str());
    if (!kind.empty()) {
      QVERIFY2(has(*result, kind), test::problems(result).c_str());
      return;
    }
    QVERIFY2(result->faults.empty(), test::problems(result).c_str());
    const auto got = k.values<std::uint32_t>(0);
    for (std::uint32_t i = 0; i < 128; ++i) QCOMPARE(got[i], (1 - i / 64) * 100 + i % 64);
  }

  /// Calls under divergence, three deep: f(n) = n odd ? g(n) + 1 : h(n), and so on; each lane its own way.
  void nestedCalls() {
    const std::string module =
        ".func (.param .b32 r) h(.param .b32 n) {\n.reg .b32 %a<4>;\n.reg .pred %p;\nld.param.u32 %a0, [n];\n"
        "mul.lo.u32 %a1, %a0, 3;\nst.param.u32 [r], %a1;\nret;\n}\n"
        ".func (.param .b32 r) g(.param .b32 n) {\n.reg .b32 %a<4>;\n.reg .pred %p;\nld.param.u32 %a0, [n];\n"
        "and.b32 %a1, %a0, 4;\nsetp.eq.u32 %p, %a1, 0;\n@%p bra Z;\n{\n.param .b32 x;\n.param .b32 y;\n"
        "add.u32 %a2, %a0, 10;\nst.param.u32 [x], %a2;\ncall.uni (y), h, (x);\nld.param.u32 %a3, [y];\n}\n"
        "st.param.u32 [r], %a3;\nret;\nZ:\nst.param.u32 [r], 5;\nret;\n}\n"
        ".func (.param .b32 r) f(.param .b32 n) {\n.reg .b32 %a<5>;\n.reg .pred %p;\nld.param.u32 %a0, [n];\n"
        "and.b32 %a1, %a0, 1;\nsetp.eq.u32 %p, %a1, 0;\n@%p bra Z;\n{\n.param .b32 x;\n.param .b32 y;\n"
        "st.param.u32 [x], %a0;\ncall (y), g, (x);\nld.param.u32 %a2, [y];\n}\nadd.u32 %a2, %a2, 1;\n"
        "st.param.u32 [r], %a2;\nret;\nZ:\n{\n.param .b32 x;\n.param .b32 y;\nst.param.u32 [x], %a0;\n"
        "call (y), h, (x);\nld.param.u32 %a3, [y];\n}\nst.param.u32 [r], %a3;\nret;\n}\n";
    Kernel k =
        kernel("mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nL:\n{\n.param .b32 x;\n.param .b32 y;\nst.param.u32 [x], %t;\n"
               "call (y), f, (x);\nld.param.u32 %r2, [y];\n}\nadd.u32 %r0, %r0, %r2;\nadd.u32 %r1, %r1, 1;\n"
               "setp.le.u32 %q1, %r1, %t;\n@%q1 bra L;\nvote.sync.ballot.b32 %r3, %q1, -1;\nadd.u32 %r0, %r0, %r3;",
               32);
    k.ptx.insert(k.ptx.find(".visible"), module);
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint32_t>(0);
    for (std::uint32_t t = 0; t < 32; ++t) { // t + 1 times
      const std::uint32_t f = t % 2 == 0 ? 3 * t : ((t & 4) != 0 ? 3 * (t + 10) : 5) + 1;
      QCOMPARE(got[t], f * (t + 1));
    }
  }

  void registers_data() {
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("kind"); // empty: clean; "refused": an error of the text
    QTest::addColumn<int>("block");
    QTest::addColumn<int>("launched");
    const auto row = [](const char* name, const char* kind, const std::string& body, int launched = 168,
                        int block = 384) { QTest::newRow(name) << body << std::string(kind) << block << launched; };
    const auto set = [](const char* what, int n) {
      return "setmaxnreg." + std::string(what) + ".sync.aligned.u32 " + std::to_string(n) + ";\n";
    };
    // The first warpgroup produces, two consume.
    const auto split = [&](const std::string& first, const std::string& others) {
      return "setp.lt.u32 %q1, %t, 128;\n@%q1 bra P;\n" + others + "bra E;\nP:\n" + first + "E:\n";
    };
    row("producer and consumers", "", split(set("dec", 24), set("inc", 240)));
    row("consumers first", "", split("nanosleep.u32 100;\n" + set("dec", 24), set("inc", 240)));
    row("more than the block has", "deadlock", split(set("dec", 40), set("inc", 240)) + "bar.sync 0;\n");
    row("nobody gives any", "deadlock", split("", set("inc", 240)) + "bar.sync 0;\n");
    row("a warpgroup that ends gives its own", "", split("exit;\n", set("inc", 240)));
    row("back and forth", "", split(set("dec", 24) + "bar.sync 1, 128;\n" + set("inc", 168), "") + "bar.sync 0;\n", 168,
        128);
    row("not known how many there are", "", split("", set("inc", 240)), 0);
    row("dec to more", "register-count", set("dec", 176));
    row("inc to fewer", "register-count", set("inc", 160));
    row("one warp of four", "warpgroup-divergence",
        "setp.gt.u32 %q1, %t, 31;\n@%q1 bra E;\n" + set("dec", 24) + "E:\n");
    row("two places", "warpgroup-divergence",
        "and.b32 %r1, %t, 64;\nsetp.eq.u32 %q1, %r1, 0;\n@%q1 bra P;\n" + set("dec", 24) + "bra E;\nP:\n" +
            set("dec", 24) + "E:\n");
    row("no whole warpgroup", "warpgroup-divergence", set("dec", 24), 168, 96);
    row("lanes of one warp", "inactive-lane", "and.b32 %r1, %t, 1;\nsetp.eq.u32 %q1, %r1, 0;\n@%q1 " + set("dec", 24));
    row("too few", "refused", set("dec", 16));
    row("too many", "refused", set("inc", 264));
    row("no multiple of eight", "refused", set("inc", 100));
    row("no constant", "refused", "setmaxnreg.inc.sync.aligned.u32 %r1;\n");
    row("negative", "refused", "setmaxnreg.dec.sync.aligned.u32 -24;\n");
    row("neither", "refused", "setmaxnreg.sync.aligned.u32 24;\n");
    row("not aligned", "refused", "setmaxnreg.dec.sync.u32 24;\n");
  }
  void registers() {
    QFETCH(std::string, body);
    QFETCH(std::string, kind);
    QFETCH(int, block);
    QFETCH(int, launched);
    Kernel k = kernel(body + "mov.u32 %r0, 1;", static_cast<unsigned>(block));
    if (launched != 0) k.ptx.replace(k.ptx.find(")\n{"), 1, ")\n.maxnreg " + std::to_string(launched) + "\n");
    k.options.counters = true;
    const auto result = k.run();
    if (kind == "refused") {
      QVERIFY(!result && !result.diagnostics.empty());
      const auto lines = QString::fromStdString(k.ptx).split('\n');
      QVERIFY2(lines[result.diagnostics.front().at.line - 1].startsWith("setmaxnreg"), test::problems(result).c_str());
      return;
    }
    QVERIFY2(result, test::problems(result).c_str());
    if (!kind.empty()) {
      QVERIFY2(has(*result, kind), test::problems(result).c_str());
      return;
    }
    QVERIFY2(result->faults.empty(), test::problems(result).c_str());
    QCOMPARE(test::metric(*result, "tensor_instructions"), 0.0);
  }

  /// wgmma is the whole warpgroup's too.
  void partOfAWarpgroup() {
    const std::string product =
        "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, "
        "%r3, %r4}, {%r5, %r6, %r7, %r8}, %l1, 1, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\n"
        "wgmma.wait_group.sync.aligned 0;\n";
    for (const bool all : {true, false}) {
      Kernel k =
          kernel("mov.u64 %l1, 0;\nmov.u32 %r9, s;\nmad.lo.u32 %r9, %t, 16, %r9;\nst.shared.v4.u32 [%r9], {%t, %t, %t, "
                 "%t};\nfence.proxy.async;\nbar.sync 0;\nsetp.lt.u32 %q1, %t, 32;\n" +
                     std::string(all ? "" : "@%q1 bra E;\n") + product + "E:\nmov.u32 %r0, 1;",
                 128);
      k.ptx.insert(k.ptx.find(".visible"), ".shared .align 128 .b8 s[2048];\n");
      const auto result = k.run();
      QVERIFY2(result, test::problems(result).c_str());
      if (all)
        QVERIFY2(result->faults.empty(), test::problems(result).c_str());
      else
        QVERIFY2(has(*result, "warpgroup-divergence"), test::problems(result).c_str());
    }
  }

  /// griddepcontrol and its place among the counters; the second of two calls sees what the first has stored.
  void dependents() {
    Kernel k = kernel("griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\nmul.wide.u32 %l1, %t, 4;\n"
                      "add.s64 %l1, %l1, %p0;\nld.global.u32 %r0, [%l1];\nadd.u32 %r0, %r0, %t;",
                      32);
    k.options.counters = true;
    for (std::uint32_t n = 1; n <= 2; ++n) {
      const auto result = k.run();
      QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
      QCOMPARE(test::metric(*result, "warp_instructions.control"), 3.0); // and the return
      for (std::uint32_t t = 0; t < 32; ++t) QCOMPARE(k.values<std::uint32_t>(0)[t], n * t);
    }
    Kernel other = kernel("griddepcontrol.hold;\n", 32);
    QVERIFY(other.problem().find("griddepcontrol") != std::string::npos);
  }

  void shapes() {
    const auto problem = [](const std::string& directive, unsigned block) {
      Kernel k = kernel("mov.u32 %r0, 1;", block);
      k.ptx.replace(k.ptx.find(")\n{"), 1, ")\n" + directive + "\n");
      return k.problem();
    };
    QCOMPARE(problem(".reqntid 64", 64), std::string());
    QVERIFY(problem(".reqntid 64", 32).find(".reqntid") != std::string::npos);
    QVERIFY(problem(".reqntid 32, 2, 1", 64).find(".reqntid") != std::string::npos);
    QCOMPARE(problem(".maxntid 64", 32), std::string());
    QVERIFY(problem(".maxntid 64, 1, 1", 96).find(".maxntid") != std::string::npos);
  }
};

QTEST_MAIN(TestPtxParts)
#include "test_ptx_parts.moc"
