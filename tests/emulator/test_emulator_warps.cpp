// What lanes and warps do together: shuffles, votes, matches, reductions, barriers, divergence, atomics, cp.async,
// clusters. Expected values follow from the PTX manual's definitions.
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <bit>
#include <numeric>

using namespace aicf;
using aicf::test::Kernel;

namespace {

/// Runs `body`, which leaves a word of each thread in %r0, on `threads` threads.
std::vector<std::uint32_t> run_lanes(const std::string& body, unsigned threads, const std::string& declarations,
                                     unsigned cluster, std::string& problem) {
  Kernel k{test::entry(1,
                       body + "\n mov.u32 %r30, %ctaid.x;\n mov.u32 %r31, %ntid.x;\n mad.lo.u32 %r30, %r30, %r31, %t;\n"
                              " mul.wide.u32 %l30, %r30, 4;\n add.s64 %l30, %l30, %p0;\n st.global.u32 [%l30], %r0;",
                       {}, declarations)};
  k.block = threads;
  k.grid = k.cluster = cluster;
  k.with(std::vector<std::uint32_t>(std::size_t{threads} * cluster));
  problem = k.problem();
  return k.values<std::uint32_t>(0);
}

std::vector<std::uint32_t> run_lanes(const std::string& body, unsigned threads, std::string& problem) {
  return run_lanes(body, threads, {}, 1, problem);
}

#define RUN(variable, ...)                                                                                             \
  std::string problem_of_##variable;                                                                                   \
  const auto variable = run_lanes(__VA_ARGS__, problem_of_##variable);                                                 \
  QCOMPARE(problem_of_##variable, std::string())

} // namespace

class TestEmulatorWarps : public QObject {
  Q_OBJECT
 private slots:
  void shuffles();
  void votes();
  void matches_and_reductions();
  void divergence();
  void spin_within_a_warp();
  void barriers();
  void named_barriers();
  void barrier_reductions();
  void atomics();
  void subnormal_sums();
  void wide_words();
  void shared_counters();
  void async_copies();
  void clusters();
  void special_registers();
  void generic_addresses();
};

void TestEmulatorWarps::shuffles() {
  std::string p;
  const auto value = [](std::uint32_t lane) { return lane * 10 + 1; };
  const std::string setup = "mad.lo.u32 %r1, %t, 10, 1;\n";
  auto v = run_lanes(setup + "shfl.sync.bfly.b32 %r0, %r1, 5, 0x1f, 0xffffffff;", 32, p);
  QCOMPARE(p, std::string());
  for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(v[i], value(i ^ 5));
  v = run_lanes(setup + "shfl.sync.up.b32 %r0|%q1, %r1, 3, 0, -1;\n@!%q1 mov.u32 %r0, 777;", 32, p);
  QCOMPARE(p, std::string());
  for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(v[i], i < 3 ? 777 : value(i - 3));
  v = run_lanes(setup + "shfl.sync.down.b32 %r0|%q1, %r1, 2, 0x1c03, -1;\n@!%q1 add.u32 %r0, %r0, 5000;", 32,
                p); // width 4
  for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(v[i], i % 4 < 2 ? value(i + 2) : value(i) + 5000);
  v = run_lanes(setup + "shfl.sync.idx.b32 %r0, %r1, 9, 0x181f, -1;", 32, p); // width 8: 9 mod 8 within the segment
  for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(v[i], value((i & 24) + 1));
  v = run_lanes(setup + "mov.u32 %r0, 0;\nsetp.lt.u32 %q1, %t, 16;\n@!%q1 bra D;\n"
                        "shfl.sync.bfly.b32 %r0, %r1, 1, 0x1f, 0xffff;\nD:\n",
                32, p);
  QCOMPARE(p, std::string());
  for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(v[i], i < 16 ? value(i ^ 1) : 0);
}

void TestEmulatorWarps::votes() {
  RUN(ballot, "and.b32 %r1, %t, 1;\nsetp.eq.u32 %q1, %r1, 1;\nvote.sync.ballot.b32 %r0, %q1, -1;", 32);
  QCOMPARE(ballot[7], 0xaaaaaaaau);
  RUN(any,
      "setp.eq.u32 %q1, %t, 5;\nvote.sync.any.pred %q2, %q1, -1;\nvote.sync.all.pred %q3, %q1, -1;\n"
      "vote.sync.uni.pred %q4, %q3, -1;\nselp.u32 %r1, 1, 0, %q2;\nselp.u32 %r2, 2, 0, %q3;\nselp.u32 %r3, 4, 0, %q4;\n"
      "or.b32 %r0, %r1, %r2;\nor.b32 %r0, %r0, %r3;",
      32);
  QCOMPARE(any[0], 5u);
  RUN(active, "mov.u32 %r0, 0;\nsetp.ge.u32 %q1, %t, 8;\n@%q1 bra D;\nactivemask.b32 %r0;\nD:\n", 32);
  QCOMPARE(active[3], 0xffu);
  QCOMPARE(active[9], 0u);
  RUN(leader, "mov.u32 %r0, 0;\nelect.sync %r1|%q1, -1;\nselp.u32 %r0, 100, 3, %q1;\nadd.u32 %r0, %r0, %r1;", 32);
  QCOMPARE(leader[0], 100u);
  QCOMPARE(leader[1], 3u);
}

void TestEmulatorWarps::matches_and_reductions() {
  RUN(any, "rem.u32 %r1, %t, 3;\nmatch.any.sync.b32 %r0, %r1, -1;", 32);
  std::uint32_t third = 0;
  for (std::uint32_t i = 0; i < 32; i += 3) third |= 1u << i;
  QCOMPARE(any[0], third);
  QCOMPARE(any[4], third << 1);
  RUN(all, "mov.u32 %r1, 9;\nmatch.all.sync.b32 %r0|%q1, %r1, -1;\n@!%q1 mov.u32 %r0, 5;", 32);
  QCOMPARE(all[3], 0xffffffffu);
  RUN(sum, "redux.sync.add.s32 %r0, %t, -1;", 32);
  QCOMPARE(sum[0], 496u);
  RUN(least, "sub.s32 %r1, 10, %t;\nredux.sync.min.s32 %r0, %r1, -1;", 32);
  QCOMPARE(least[8], static_cast<std::uint32_t>(-21));
  RUN(bits, "mov.u32 %r1, 1;\nshl.b32 %r1, %r1, %t;\nredux.sync.xor.b32 %r0, %r1, -1;", 32);
  QCOMPARE(bits[8], 0xffffffffu);
}

void TestEmulatorWarps::divergence() {
  // Nested branches that meet again: after the join all lanes must take part in one ballot.
  RUN(v, R"(
    mov.u32 %r0, 0;
    setp.lt.u32 %q1, %t, 20;
    @%q1 bra LOW;
    add.u32 %r0, %r0, 100;
    bra JOIN;
  LOW:
    and.b32 %r1, %t, 1;
    setp.eq.u32 %q2, %r1, 0;
    @%q2 bra EVEN;
    add.u32 %r0, %r0, 1;
    bra INNER;
  EVEN:
    add.u32 %r0, %r0, 2;
  INNER:
    add.u32 %r0, %r0, 10;
  JOIN:
    activemask.b32 %r2;
    popc.b32 %r2, %r2;
    mad.lo.u32 %r0, %r2, 1000, %r0;)",
      32);
  for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(v[i], 32000 + (i >= 20 ? 100u : i % 2 != 0 ? 11u : 12u));
  // A block that the text places after the join.
  RUN(late, R"(
    mov.u32 %r0, 1;
    setp.ge.u32 %q1, %t, 8;
    @%q1 bra RARE;
  BACK:
    activemask.b32 %r1;
    popc.b32 %r1, %r1;
    add.u32 %r0, %r0, %r1;
    bra END;
  RARE:
    mov.u32 %r0, 500;
    bra BACK;
  END:)",
      32);
  for (std::uint32_t i = 0; i < 32; ++i) QCOMPARE(late[i], 32 + (i >= 8 ? 500u : 1u));
  // Lanes leave a loop after different numbers of turns, others exit altogether.
  RUN(loop, R"(
    mov.u32 %r0, 0;
  TOP:
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %q1, %r0, %t;
    @%q1 bra TOP;
    setp.eq.u32 %q2, %t, 31;
    @%q2 exit;
    shfl.sync.idx.b32 %r0, %r0, 30, 0x1f, 0xffffffff;)",
      32);
  QCOMPARE(loop[0], 30u);
  QCOMPARE(loop[31], 0u);
}

void TestEmulatorWarps::spin_within_a_warp() {
  // A lock that the lanes of a warp take in turn: legal with independent thread scheduling.
  RUN(v, R"(
    setp.eq.u32 %q1, %t, 0;
    @%q1 st.shared.u32 [lock], 0;
    @%q1 st.shared.u32 [lock+4], 0;
    bar.sync 0;
  SPIN:
    atom.shared.cas.b32 %r1, [lock], 0, 1;
    setp.ne.u32 %q2, %r1, 0;
    @%q2 bra SPIN;
    membar.cta;
    ld.shared.u32 %r2, [lock+4];
    add.u32 %r2, %r2, 1;
    st.shared.u32 [lock+4], %r2;
    membar.cta;
    atom.shared.exch.b32 %r1, [lock], 0;
    bar.sync 0;
    ld.shared.u32 %r0, [lock+4];)",
      64, ".shared .align 4 .b8 lock[8];", 1);
  for (const auto x : v) QCOMPARE(x, 64u);
}

void TestEmulatorWarps::barriers() {
  // Reverses 96 words through shared memory.
  RUN(v, R"(
    mov.u32 %r1, s;
    mad.lo.u32 %r2, %t, 4, %r1;
    mul.lo.u32 %r4, %t, 3;
    st.shared.u32 [%r2], %r4;
    barrier.sync 0;
    sub.u32 %r3, 95, %t;
    mad.lo.u32 %r2, %r3, 4, %r1;
    ld.shared.u32 %r0, [%r2];)",
      96, ".shared .align 4 .b8 s[384];", 1);
  for (std::uint32_t i = 0; i < 96; ++i) QCOMPARE(v[i], (95 - i) * 3);
}

void TestEmulatorWarps::named_barriers() {
  // Warp 0 produces for warp 1 (bar.arrive and bar.sync on barrier 1); warp 2 goes its own way.
  RUN(v, R"(
    mov.u32 %r0, 7;
    shr.u32 %r1, %t, 5;
    and.b32 %r2, %t, 31;
    mov.u32 %r4, s;
    mad.lo.u32 %r3, %r2, 4, %r4;
    setp.eq.u32 %q1, %r1, 1;
    @%q1 bra CONSUME;
    setp.eq.u32 %q2, %r1, 2;
    @%q2 bra END;
    st.shared.u32 [%r3], %t;
    bar.arrive 1, 64;
    bra END;
  CONSUME:
    bar.sync 1, 64;
    ld.shared.u32 %r0, [%r3];
  END:)",
      96, ".shared .align 4 .b8 s[128];", 1);
  QCOMPARE(v[0], 7u);
  QCOMPARE(v[40], 8u);
  QCOMPARE(v[80], 7u);
}

void TestEmulatorWarps::barrier_reductions() {
  RUN(v, R"(
    setp.lt.u32 %q1, %t, 40;
    bar.red.popc.u32 %r0, 0, %q1;
    bar.red.and.pred %q2, 0, %q1;
    bar.red.or.pred %q3, 0, !%q1;
    selp.u32 %r1, 1000, 0, %q2;
    selp.u32 %r2, 2000, 0, %q3;
    add.u32 %r0, %r0, %r1;
    add.u32 %r0, %r0, %r2;)",
      64);
  QCOMPARE(v[5], 2040u);
  QCOMPARE(v[60], 2040u);
}

void TestEmulatorWarps::atomics() {
  struct Case {
    const char* text;
    std::uint64_t start;
    std::uint64_t expected;
  };
  // 64 threads each apply one operation with their index (or 1.0) to the word at [%p0].
  const std::vector<Case> cases{
      {"atom.global.add.u32 %r1, [%p0], %t;", 5, 5 + 2016},
      {"red.global.add.u64 [%p0], %l1;", 1ull << 40, (1ull << 40) + 2016},
      {"red.global.max.s32 [%p0], %t;", 0xffffffff, 63},
      {"red.global.min.u32 [%p0], %t;", 50, 0},
      {"red.global.and.b32 [%p0], %r2;", 0xffffffff, 0},
      {"red.global.or.b64 [%p0], %l2;", 0, ~0ull},
      {"red.global.xor.b32 [%p0], %t;", 9, 9},
      {"atom.global.inc.u32 %r1, [%p0], 9;", 0, 4},
      {"atom.global.dec.u32 %r1, [%p0], 9;", 0, 6},
      {"red.global.add.f32 [%p0], 0f3F800000;", 0x40000000, 0x42840000},
      {"red.global.add.f64 [%p0], 0d3FF0000000000000;", 0, 0x4050000000000000},
      {"red.global.add.noftz.f16x2 [%p0], %r3;", 0, 0x54003c00 & 0xffff0000},
      {"red.global.add.noftz.bf16x2 [%p0], %r4;", 0, 0x42800000},
      {"atom.global.cas.b32 %r1, [%p0], 3, 8;", 3, 8},
      {"atom.global.exch.b64 %l3, [%p0], 77;", 3, 77},
      {"atom.relaxed.gpu.global.add.s32 %r1, [%p0], -1;", 100, 36},
      {"atom.acq_rel.sys.add.u32 %r1, [%p0], 1;", 0, 64},
  };
  for (const Case& c : cases) {
    Kernel k{
        test::entry(1, std::string("cvt.u64.u32 %l1, %t;\nand.b32 %r5, %t, 31;\nmov.u32 %r2, 1;\n"
                                   "shl.b32 %r2, %r2, %r5;\nnot.b32 %r2, %r2;\nmov.u64 %l2, 1;\nshl.b64 %l2, %l2, %t;\n"
                                   "mov.u32 %r3, 0x3c000000;\nmov.u32 %r4, 0x3f800000;\n") +
                           c.text)};
    k.block = 64;
    k.with(std::vector<std::uint64_t>{c.start});
    QCOMPARE(k.problem(), std::string());
    QVERIFY2(k.values<std::uint64_t>(0)[0] == c.expected,
             qPrintable(QString("%1: %2").arg(c.text).arg(k.values<std::uint64_t>(0)[0], 0, 16)));
  }
}

/// PTX ISA, atom: a sum of f32 flushes subnormals in global memory and keeps them in shared memory.
void TestEmulatorWarps::subnormal_sums() {
  Kernel k{test::entry(2,
                       "red.global.add.f32 [%p0], 0f00000003;\nst.shared.u32 [s], 4;\nred.shared.add.f32 [s], "
                       "0f00000003;\nld.shared.u32 %r1, [s];\nst.global.u32 [%p1], %r1;",
                       {}, ".shared .align 16 .b8 s[16];")};
  k.block = 1;
  k.with(std::vector<std::uint32_t>{4}).with(std::vector<std::uint32_t>{0});
  QCOMPARE(k.problem(), std::string());
  QCOMPARE(k.values<std::uint32_t>(0)[0], 0U);
  QCOMPARE(k.values<std::uint32_t>(1)[0], 7U);
}

/// 128 bits at once: moves, loads and stores, exchange and compare-and-swap, in generic, global and shared memory.
void TestEmulatorWarps::wide_words() {
  Kernel k{
      test::entry(2,
                  "mul.wide.u32 %l20, %t, 16;\nadd.s64 %l1, %p0, %l20;\nadd.s64 %l2, %p1, %l20;\ncvt.u64.u32 %l3, %t;\n"
                  "ld.global.b128 %x1, [%l1];\nmov.b128 {%l4, %l5}, %x1;\nmov.b128 %x2, {%l5, %l3};\n"
                  "setp.lt.u32 %q1, %t, 16;\n"
                  "atom.global.exch.b128 %x3, [%l1], %x2;\n"                       // gives what was there
                  "@%q1 atom.cas.b128 %x3, [%l1], %x2, %x1;\n"                     // finds it: puts the first back
                  "@!%q1 atom.relaxed.gpu.global.cas.b128 %x4, [%l1], %x1, %x1;\n" // does not
                  "@!%q1 mov.b128 %x3, %x4;\nst.global.b128 [%l2], %x3;",
                  {}, ".reg .b128 %x<8>;")};
  k.block = 32;
  std::vector<std::uint64_t> words(64);
  for (std::size_t i = 0; i < 64; ++i) words[i] = 1000 + i;
  k.with(words).with(std::vector<std::uint64_t>(64));
  QCOMPARE(k.problem(), std::string());
  const auto memory = k.values<std::uint64_t>(0), got = k.values<std::uint64_t>(1);
  for (std::uint64_t t = 0; t < 32; ++t) {
    const std::uint64_t low = 1000 + 2 * t, high = low + 1;
    QCOMPARE(memory[2 * t], t < 16 ? low : high);
    QCOMPARE(memory[2 * t + 1], t < 16 ? high : t);
    QCOMPARE(got[2 * t], high); // what the exchange left there
    QCOMPARE(got[2 * t + 1], t);
  }
}

void TestEmulatorWarps::shared_counters() {
  const auto wavefronts = [](const std::string& address, const std::string& access, double& conflicts) {
    Kernel k{test::entry(1, "mov.u32 %r1, s;\n" + address + "add.u32 %r2, %r2, %r1;\n" + access, {},
                         ".shared .align 16 .b8 s[8192];")};
    k.options.counters = true;
    k.with(std::vector<std::uint32_t>(1));
    const auto r = k.run();
    if (!r || !r->faults.empty()) return -1.0;
    conflicts = test::metric(*r, "shared_bank_conflicts");
    return test::metric(*r, "shared_store_wavefronts");
  };
  double conflicts = 0;
  QCOMPARE(wavefronts("shl.b32 %r2, %t, 2;\n", "st.shared.u32 [%r2], %t;", conflicts), 1.0);
  QCOMPARE(conflicts, 0.0);
  QCOMPARE(wavefronts("shl.b32 %r2, %t, 3;\n", "st.shared.u32 [%r2], %t;", conflicts), 2.0);
  QCOMPARE(conflicts, 1.0);
  QCOMPARE(wavefronts("shl.b32 %r2, %t, 7;\n", "st.shared.u32 [%r2], %t;", conflicts), 32.0);
  QCOMPARE(conflicts, 31.0);
  QCOMPARE(wavefronts("mul.lo.u32 %r2, %t, 132;\n", "st.shared.u32 [%r2], %t;", conflicts), 1.0);
  QCOMPARE(wavefronts("shl.b32 %r2, %t, 4;\n", "st.shared.v4.u32 [%r2], {%t, %t, %t, %t};", conflicts), 4.0);
  QCOMPARE(conflicts, 0.0);
  QCOMPARE(wavefronts("shl.b32 %r2, %t, 3;\n", "st.shared.v2.u32 [%r2], {%t, %t};", conflicts), 2.0);
  QCOMPARE(wavefronts("shl.b32 %r2, %t, 1;\n", "cvt.u16.u32 %h1, %t;\nst.shared.u16 [%r2], %h1;", conflicts), 1.0);
}

void TestEmulatorWarps::async_copies() {
  Kernel k{test::entry(2, R"(
    mul.wide.u32 %l1, %t, 16;
    add.s64 %l2, %p0, %l1;
    mov.u32 %r1, s;
    mad.lo.u32 %r2, %t, 16, %r1;
    cp.async.cg.shared.global [%r2], [%l2], 16;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r2+1024], [%l2], 8, 4;
    cp.async.commit_group;
    cp.async.wait_group 1;
    bar.sync 0;
    xor.b32 %r3, %t, 33;
    mad.lo.u32 %r4, %r3, 16, %r1;
    ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4];
    cp.async.wait_all;
    bar.sync 0;
    ld.shared.v2.u32 {%r9, %r10}, [%r4+1024];
    add.u32 %r5, %r5, %r8;
    shl.b32 %r9, %r9, 8;
    add.u32 %r5, %r5, %r9;
    add.u32 %r5, %r5, %r10;
    mul.wide.u32 %l1, %t, 4;
    add.s64 %l2, %p1, %l1;
    st.global.u32 [%l2], %r5;)",
                       {}, ".shared .align 16 .b8 s[2048];")};
  std::vector<std::uint32_t> x(256);
  std::iota(x.begin(), x.end(), 1);
  k.block = 64;
  k.with(x).with(std::vector<std::uint32_t>(64));
  QCOMPARE(k.problem(), std::string());
  const auto out = k.values<std::uint32_t>(1);
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t j = i ^ 33;
    QCOMPARE(out[i], x[4 * j] + x[4 * j + 3] + (x[4 * j] << 8));
  }
}

void TestEmulatorWarps::clusters() {
  // Each block writes its rank; after the cluster barrier every block reads its neighbour's.
  RUN(v, R"(
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, s;
    mad.lo.u32 %r3, %r1, 100, 5;
    setp.eq.u32 %q1, %t, 0;
    @%q1 st.shared.u32 [%r2], %r3;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    xor.b32 %r4, %r1, 1;
    mapa.shared::cluster.u32 %r5, %r2, %r4;
    ld.shared::cluster.u32 %r0, [%r5];
    barrier.cluster.arrive;
    barrier.cluster.wait;)",
      32, ".shared .align 4 .b8 s[4];", 2);
  QCOMPARE(v[0], 105u);
  QCOMPARE(v[32], 5u);
}

void TestEmulatorWarps::special_registers() {
  RUN(v, "mov.u32 %r1, %laneid;\nmov.u32 %r2, %warpid;\nmad.lo.u32 %r0, %r2, 100, %r1;", 70);
  QCOMPARE(v[69], 205u);
  RUN(mask, "mov.u32 %r0, %lanemask_lt;", 32);
  QCOMPARE(mask[31], 0x7fffffffu);
  QCOMPARE(mask[0], 0u);
}

void TestEmulatorWarps::generic_addresses() {
  RUN(v, R"(
    mov.u64 %l1, s;
    cvta.shared.u64 %l2, %l1;
    mul.wide.u32 %l3, %t, 4;
    add.s64 %l4, %l2, %l3;
    st.u32 [%l4], %t;
    isspacep.shared %q1, %l4;
    isspacep.global %q2, %p0;
    isspacep.shared %q3, %p0;
    cvta.to.shared.u64 %l5, %l4;
    ld.shared.u32 %r1, [%l5];
    selp.u32 %r2, 1000, 0, %q1;
    selp.u32 %r3, 2000, 0, %q2;
    selp.u32 %r4, 4000, 0, %q3;
    add.u32 %r0, %r1, %r2;
    add.u32 %r0, %r0, %r3;
    add.u32 %r0, %r0, %r4;)",
      32, ".shared .align 4 .b8 s[128];", 1);
  QCOMPARE(v[7], 3007u);
}

QTEST_GUILESS_MAIN(TestEmulatorWarps)
#include "test_emulator_warps.moc"
