// red.async and cp.reduce.async.bulk: every operation and type that the PTX ISA gives them, many threads on one place,
// and the forms that it does not give.
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace aicf;
using aicf::test::Kernel;

namespace {

using u64 = std::uint64_t;

constexpr int threads = 96;

/// A reduction of 64-bit words that hold a value of `bits` bits; the order of its terms does not matter.
struct Reduction {
  std::string name; ///< operation and type
  unsigned bits;
  u64 start;
  std::function<u64(int)> term;
  std::function<u64(u64, u64)> combine;
};

u64 word(int i) { return 0x9e3779b97f4a7c15ull * static_cast<u64>(i + 1); }
std::int32_t low(u64 v) { return static_cast<std::int32_t>(v); }

std::vector<Reduction> reductions() {
  const auto sum = [](u64 a, u64 b) { return a + b; };
  const auto least_u = [](u64 a, u64 b) { return std::min(a & 0xffffffff, b & 0xffffffff); };
  const auto most_u = [](u64 a, u64 b) { return std::max(a & 0xffffffff, b & 0xffffffff); };
  const auto least_s = [](u64 a, u64 b) { return static_cast<u64>(std::min(low(a), low(b))); };
  const auto most_s = [](u64 a, u64 b) { return static_cast<u64>(std::max(low(a), low(b))); };
  // PTX ISA, atom: inc wraps to 0 past b, dec to b from 0 and from above b. All give the same b.
  const auto up = [](u64 a, u64 b) { return a >= b ? 0 : a + 1; };
  const auto down = [](u64 a, u64 b) { return a == 0 || a > b ? b : a - 1; };
  const auto bound = [](int) { return u64{40}; };
  return {{"add.u32", 32, 5, word, sum},
          {"add.s32", 32, 0xfffffff0, word, sum},
          {"add.u64", 64, u64{1} << 63, word, sum},
          {"min.u32", 32, 0xfffffff0, word, least_u},
          {"min.s32", 32, 100, word, least_s},
          {"max.u32", 32, 0, word, most_u},
          {"max.s32", 32, 0x80000000, word, most_s},
          {"inc.u32", 32, 3, bound, up},
          {"dec.u32", 32, 90, bound, down},
          {"and.b32", 32, 0xffffffff, [](int i) { return ~(u64{1} << (i % 29)); }, [](u64 a, u64 b) { return a & b; }},
          {"or.b32", 32, 0, [](int i) { return u64{1} << (i % 31); }, [](u64 a, u64 b) { return a | b; }},
          {"xor.b32", 32, 0x1234567, word, [](u64 a, u64 b) { return a ^ b; }}};
}

u64 masked(u64 v, unsigned bits) { return bits == 64 ? v : v & 0xffffffff; }

const std::string module = ".shared .align 128 .b8 s[2048];\n.shared .align 8 .b64 bar;\n";
const std::string places = "mov.u32 %r31, s;\nmov.u32 %r30, bar;\nsetp.eq.u32 %q7, %t, 0;\nmov.u32 %r21, "
                           "%cluster_ctarank;\nmul.wide.u32 %l20, %t, 8;\nadd.s64 %l20, %l20, %p0;\n"
                           "mapa.shared::cluster.u32 %r28, %r31, 0;\nmapa.shared::cluster.u32 %r29, %r30, 0;\n";
const std::string meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
const std::string wait = "W:\nmbarrier.try_wait.parity.shared.b64 %q1, [%r30], 0;\n@!%q1 bra W;\n";
std::string init(int transactions) {
  return "@%q7 mbarrier.init.shared.b64 [%r30], 1;\n@%q7 mbarrier.arrive.expect_tx.shared.b64 _, [%r30], " +
         std::to_string(transactions) + ";\n";
}

} // namespace

class TestPtxAsyncReductions : public QObject {
  Q_OBJECT
 private slots:
  void each_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < reductions().size(); ++i)
      QTest::newRow(reductions()[i].name.c_str()) << static_cast<int>(i);
  }
  /// Threads of both blocks of a cluster reduce into one word of block 0.
  void each() {
    QFETCH(int, index);
    const Reduction r = reductions()[static_cast<std::size_t>(index)];
    const std::string value = r.bits == 64 ? "%l1" : "%r1", type = r.bits == 64 ? "u64" : "u32";
    Kernel k{test::entry(2,
                         places + "ld.global.u64 %l1, [%p1];\ncvt.u32.u64 %r1, %l1;\n@%q7 st.shared." + type +
                             " [%r31], " + value + ";\n" + init(2 * threads * static_cast<int>(r.bits) / 8) + meet +
                             "mad.lo.u32 %r2, %r21, " + std::to_string(threads) +
                             ", %t;\nmul.wide.u32 %l2, %r2, 8;\nadd.s64 %l2, %l2, %p0;\nld.global.u64 %l1, [%l2];\n"
                             "cvt.u32.u64 %r1, %l1;\n"
                             "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." +
                             r.name + " [%r28], " + value + ", [%r29];\nsetp.ne.u32 %q2, %r21, 0;\n@%q2 bra END;\n" +
                             wait + "ld.shared." + type + " " + value + ", [%r31];\n@%q7 st.global." + type +
                             " [%p1+8], " + value + ";\nEND:\n" + meet,
                         module)};
    std::vector<u64> terms;
    u64 expected = masked(r.start, r.bits);
    for (int i = 0; i < 2 * threads; ++i) {
      terms.push_back(r.term(i));
      expected = masked(r.combine(expected, masked(terms.back(), r.bits)), r.bits);
    }
    k.with(terms).with(std::vector<u64>{r.start, 0});
    k.grid = k.cluster = 2;
    k.block = threads;
    QCOMPARE(k.problem(), std::string());
    QCOMPARE(k.values<u64>(1)[1], expected);
  }

  void bulk_data() { each_data(); }
  /// Both blocks add 256 bytes of their own shared memory to the same 256 of block 0.
  void bulk() {
    QFETCH(int, index);
    const Reduction r = reductions()[static_cast<std::size_t>(index)];
    const std::string value = r.bits == 64 ? "%l1" : "%r1", type = r.bits == 64 ? "u64" : "u32";
    const int count = 256 * 8 / static_cast<int>(r.bits), bytes = static_cast<int>(r.bits) / 8;
    Kernel k{test::entry(
        3,
        places + "mul.lo.u32 %r2, %t, " + std::to_string(bytes) + ";\nadd.u32 %r3, %r31, %r2;\nsetp.ge.u32 %q3, %t, " +
            std::to_string(count) + ";\n@%q3 bra READY;\nld.global.u64 %l1, [%p1];\ncvt.u32.u64 %r1, %l1;\nst.shared." +
            type + " [%r3], " + value + ";\nmad.lo.u32 %r4, %r21, " + std::to_string(count) +
            ", %t;\nmul.wide.u32 %l2, %r4, 8;\nadd.s64 %l2, %l2, %p0;\nld.global.u64 %l1, [%l2];\ncvt.u32.u64 %r1, "
            "%l1;\nst.shared." +
            type + " [%r3+1024], " + value + ";\nfence.proxy.async;\nREADY:\n" + init(512) + meet +
            "@%q7 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." + r.name +
            " [%r28], [%r31+1024], 256, [%r29];\nsetp.ne.u32 %q2, %r21, 0;\nor.pred %q2, %q2, %q3;\n@%q2 bra END;\n" +
            wait + "ld.shared." + type + " " + value + ", [%r3];\nmul.wide.u32 %l2, %t, 8;\nadd.s64 %l2, %l2, %p2;\n" +
            "st.global." + type + " [%l2], " + value + ";\nEND:\n" + meet,
        module)};
    std::vector<u64> terms, expected;
    for (int i = 0; i < 2 * count; ++i) terms.push_back(r.term(i));
    for (int i = 0; i < count; ++i) {
      const auto of = [&](int n) { return masked(terms[static_cast<std::size_t>(n)], r.bits); };
      const u64 first = masked(r.combine(masked(r.start, r.bits), of(i)), r.bits);
      expected.push_back(masked(r.combine(first, of(count + i)), r.bits));
    }
    k.with(terms).with(std::vector<u64>{r.start}).with(std::vector<u64>(static_cast<std::size_t>(count)));
    k.grid = k.cluster = 2;
    k.block = threads;
    QCOMPARE(k.problem(), std::string());
    QCOMPARE(k.values<u64>(2), expected);
  }

  void toGlobal_data() {
    QTest::addColumn<QString>("form");
    for (const char* form : {"add.f32", "add.f64", "add.s64", "min.s64", "max.u64", "and.b64", "or.b64", "xor.b64",
                             "add.noftz.f16", "max.f16", "min.bf16"})
      QTest::newRow(form) << QString(form);
  }
  /// What shared memory has not: four blocks reduce whole numbers into the same sixteen bytes of global memory.
  void toGlobal() {
    QFETCH(QString, form);
    const QString type = form.section('.', -1), op = form.section('.', 0, 0);
    const unsigned bits = type.mid(type.indexOf(QRegularExpression("[0-9]"))).toUInt(), each = 128 / bits;
    const auto encode = [&](int v) -> u64 {
      if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(v));
      if (type == "f64") return std::bit_cast<u64>(static_cast<double>(v));
      if (type == "bf16") return std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16;
      if (type != "f16") return static_cast<u64>(static_cast<std::int64_t>(v));
      if (v == 0) return 0;
      const int e = std::ilogb(std::abs(v)); // exact: below 2048
      return (v < 0 ? 0x8000u : 0u) | static_cast<u64>(e + 15) << 10 |
             static_cast<u64>((std::abs(v) - (1 << e)) << 10 >> e);
    };
    const auto combine = [&](int a, int b) {
      return op == "add"   ? a + b
             : op == "min" ? std::min(a, b)
             : op == "max" ? std::max(a, b)
             : op == "and" ? a & b
             : op == "or"  ? a | b
                           : a ^ b;
    };
    const bool sign = type != "u64" && type != "b64";
    const auto value = [&](unsigned block, unsigned i) {
      const int v = static_cast<int>((block * 37 + i * 11) % 50);
      return sign ? v - 25 : v;
    };
    std::vector<std::uint8_t> to(16), from(64), expected(16);
    for (unsigned i = 0; i < each; ++i) {
      int all = value(9, i);
      const auto put = [&](std::vector<std::uint8_t>& v, unsigned at, u64 x) {
        std::memcpy(v.data() + at, &x, bits / 8);
      };
      put(to, i * bits / 8, encode(all));
      for (unsigned block = 0; block < 4; ++block) {
        put(from, block * 16 + i * bits / 8, encode(value(block, i)));
        all = combine(all, value(block, i));
      }
      put(expected, i * bits / 8, encode(all));
    }
    Kernel k{test::entry(2,
                         "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %l1, %r1, 16;\nadd.s64 %l1, %l1, %p1;\n"
                         "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%l1];\nst.shared.v4.u32 [s], {%r2, %r3, %r4, %r5};\n"
                         "mov.u32 %r6, s;\nfence.proxy.async;\ncp.reduce.async.bulk.global.shared::cta.bulk_group." +
                             form.toStdString() +
                             " [%p0], [%r6], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
                         module)};
    k.with(to).with(from);
    k.grid = 4;
    k.block = 1;
    QCOMPARE(k.problem(), std::string());
    QCOMPARE(k.values<std::uint8_t>(0), expected);
  }

  void refused_data() {
    QTest::addColumn<QString>("text");
    const auto row = [](const QString& form, const char* rest) { QTest::newRow(qPrintable(form)) << form + rest; };
    for (const char* form : {"add.f32", "add.s64", "min.u64", "inc.s32", "dec.u64", "and.u32", "xor.b64", "exch.b32"})
      row(QString("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.") + form,
          " [%r31], %r1, [%r30];");
    for (const char* form : {"add.f32", "add.bf16", "max.u64", "inc.u64", "or.u32", "cas.b32"})
      row(QString("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.") + form,
          " [%r31], [%r31], 16, [%r30];");
    for (const char* form : {"min.f32", "inc.s32", "and.u32", "exch.b32"})
      row(QString("cp.reduce.async.bulk.global.shared::cta.bulk_group.") + form, " [%p0], [%r31], 16;");
  }
  void refused() {
    QFETCH(QString, text);
    Kernel k{test::entry(1, "mov.u32 %r31, s;\n" + text.toStdString(), module)};
    k.with(std::vector<u64>(16));
    const auto result = k.run();
    QVERIFY(!result && !result.diagnostics.empty());
    const auto lines = QString::fromStdString(k.ptx).split('\n');
    QCOMPARE(lines[result.diagnostics.front().at.line - 1], text);
  }
};

QTEST_MAIN(TestPtxAsyncReductions)
#include "test_ptx_async_reductions.moc"
