// Planted faults of every kind of check, each beside a twin that differs in the one thing that is wrong: the fault must
// be found and named, and nothing reported on the twin.
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <algorithm>
#include <set>
#include <sstream>

using namespace aicf;
using aicf::test::Kernel;

namespace {

struct Pair {
  const char *name, *kind;
  std::string faulty, clean;
  unsigned block = 64, grid = 1, cluster = 1;
  std::uint64_t steps = 0;
  int thread = -1;     ///< that the fault names, where one alone can be first
  bool result = false; ///< p0 is only written, so that it holds nothing before
};

/// The text with a source line before each of its lines: line n of the text as line 1000 + n of the source.
std::string with_lines(const std::string& body) {
  std::string text;
  int n = 1000;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) text += ".loc 1 " + std::to_string(n++) + " 1\n" + line + "\n";
  return text;
}

const std::string module = ".shared .align 128 .b8 s[2048];\n.shared .align 8 .b64 bar;\n"
                           ".const .align 4 .b32 table[2] = {1, 2};\n";
/// %r20 = s + 4 t, %r31 = s, %r30 = bar, %l20 = p0 + 4 t, %l21 = p0 + 16 t, %r21 = rank, %r22 the other block of two,
/// %r23 = %r20 there, %q7: thread 0.
const std::string head =
    "mov.u32 %r31, s;\nmov.u32 %r30, bar;\nshl.b32 %r1, %t, 2;\nadd.u32 %r20, %r31, %r1;\nmul.wide.u32 %l20, %t, 4;\n"
    "add.s64 %l20, %l20, %p0;\nmul.wide.u32 %l21, %t, 16;\nadd.s64 %l21, %l21, %p0;\nmov.u32 %r21, %cluster_ctarank;\n"
    "xor.b32 %r22, %r21, 1;\nsetp.eq.u32 %q7, %t, 0;\n";
const std::string next = "mapa.shared::cluster.u32 %r23, %r20, %r22;\n";
const std::string meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
const std::string write = "st.shared.u32 [%r20], %t;\n", read = "ld.shared.u32 %r5, [%r20];\n";
const std::string opposite =
    "xor.b32 %r2, %t, 32;\nshl.b32 %r2, %r2, 2;\nadd.u32 %r2, %r2, %r31;\nld.shared.u32 %r5, [%r2];\n";
const std::string init = "@%q7 mbarrier.init.shared.b64 [%r30], 1;\nbar.sync 0;\n";
const std::string wait = "W:\nmbarrier.try_wait.parity.shared.b64 %q1, [%r30], 0;\n@!%q1 bra W;\n";
std::string load(const std::string& expected, const std::string& bytes) {
  return "@%q7 mbarrier.arrive.expect_tx.shared.b64 _, [%r30], " + expected +
         ";\n@%q7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%p0], " + bytes +
         ", [%r30];\n";
}
std::string store(const std::string& fence, const std::string& end) {
  return write + fence +
         "bar.sync 0;\n@!%q7 exit;\ncp.async.bulk.global.shared::cta.bulk_group [%p0], [%r31], 256;\n"
         "cp.async.bulk.commit_group;\n" +
         end;
}

/// `of` threads reduce into the first word.
std::string red_async(const std::string& guard = "") {
  return guard + "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r31], 1, [%r30];\n";
}
const std::string zero = "@%q7 st.shared.u32 [%r31], 0;\n";
std::string expect(int bytes) {
  return "@%q7 mbarrier.arrive.expect_tx.shared.b64 _, [%r30], " + std::to_string(bytes) + ";\n";
}
std::string st_async(const std::string& to) {
  return "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [" + to + "], %t, [%r30];\n";
}
const std::string long_while = "mov.u32 %r9, 60000;\nL:\nsub.u32 %r9, %r9, 1;\nsetp.ne.u32 %q3, %r9, 0;\n@%q3 bra L;\n";

const std::vector<Pair>& pairs() {
  static const std::string mine = "mad.lo.u32 %r24, %r21, 64, %t;\n";
  static const std::string copy = "add.u32 %r2, %r1, %r1;\nadd.u32 %r2, %r2, %r2;\nadd.u32 %r2, %r2, %r31;\n"
                                  "cp.async.cg.shared.global [%r2], [%l21], 16;\ncp.async.commit_group;\n";
  static const std::string grid =
      "mov.u32 %r6, %ctaid.x;\nmad.lo.u32 %r7, %r6, 64, %t;\nmul.wide.u32 %l3, %r7, 4;\nadd.s64 %l3, %l3, %p0;\n";
  // Both blocks of a cluster send 256 bytes to the first of block 0.
  static const std::string zeroed = "st.shared.u32 [%r20], 0;\nst.shared.u32 [%r20+1024], %t;\n";
  const auto gather = [](const std::string& fence, const std::string& copy) {
    return zeroed + fence + init + expect(512) + meet +
           "mapa.shared::cluster.u32 %r8, %r31, 0;\nmapa.shared::cluster.u32 %r9, %r30, 0;\n@%q7 " + copy +
           " [%r8], [%r31+1024], 256, [%r9];\nsetp.ne.u32 %q2, %r21, 0;\n@%q2 bra E;\n" + wait + read + "E:\n" + meet;
  };
  const std::string summed = "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32";
  const std::string copied = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes";
  const auto to_global = [](const std::string& copy) {
    return write + "fence.proxy.async;\nbar.sync 0;\n@!%q7 exit;\n" + copy +
           " [%p0], [%r31], 256;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
  };
  // Two stages with an mbarrier each, both loaded.
  const auto stages = [](const std::string& waited) {
    return "add.u32 %r29, %r31, 1024;\n@%q7 mbarrier.init.shared.b64 [%r29], 1;\n" + init + load("256", "256") +
           "@%q7 mbarrier.arrive.expect_tx.shared.b64 _, [%r29], 256;\n@%q7 "
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31+512], [%p0+256], 256, [%r29];\n"
           "W:\nmbarrier.try_wait.parity.shared.b64 %q1, [" +
           waited + "], 0;\n@!%q1 bra W;\n" + read + "bar.sync 0;\nW2:\nmbarrier.try_wait.parity.shared.b64 %q1, " +
           "[%r29], 0;\n@!%q1 bra W2;\nW3:\nmbarrier.try_wait.parity.shared.b64 %q1, [%r30], 0;\n@!%q1 bra W3;\n";
  };
  // Each warp stores its half and waits for its group; then a warp writes.
  const auto halves = [](const std::string& end) {
    return write +
           "fence.proxy.async;\nbar.sync 0;\nand.b32 %r2, %t, 31;\nsetp.ne.u32 %q2, %r2, 0;\nmul.wide.u32 "
           "%l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\n@!%q2 cp.async.bulk.global.shared::cta.bulk_group [%l1], "
           "[%r20], 128;\ncp.async.bulk.commit_group;\n" +
           end;
  };
  static const std::string other_half = "xor.b32 %r3, %t, 32;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r3, %r3, %r31;\n"
                                        "st.shared.u32 [%r3], 7;\n";
  static const std::string three = zero + "bar.sync 0;\nshr.u32 %r2, %t, 5;\nsetp.eq.u32 %q2, %r2, 2;\n@%q2 bra C;\n"
                                          "red.shared.add.u32 [%r31], 1;\nsetp.eq.u32 %q3, %r2, 0;\n";
  static const std::vector<Pair> all{
      {"load past the end", "out-of-bounds", "ld.global.u32 %r2, [%l20+772];", "ld.global.u32 %r2, [%l20+768];", 64, 1,
       1, 0, 63},
      {"store before the start", "out-of-bounds", "st.global.u32 [%l20+-4], %t;", "st.global.u32 [%l20], %t;", 64, 1, 1,
       0, 0},
      {"null pointer", "out-of-bounds", "mov.u64 %l1, 0;\nld.global.u32 %r2, [%l1];",
       "mov.u64 %l1, %p0;\nld.global.u32 %r2, [%l1];"},
      {"vector over the end", "out-of-bounds", "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%l21+16];",
       "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%l21];"},
      {"atomic past the end", "out-of-bounds", "red.global.add.u32 [%l20+1024], 1;",
       "red.global.add.u32 [%l20+256], 1;"},
      {"shared past the end", "out-of-bounds", "st.shared.u32 [%r20+2048], %t;", "st.shared.u32 [%r20+1024], %t;"},
      {"private past the end", "out-of-bounds", "st.local.u32 [priv+32], %t;", "st.local.u32 [priv+28], %t;"},
      {"store to a constant", "read-only", "mov.u64 %l1, table;\nst.global.u32 [%l1], %t;",
       "mov.u64 %l1, table;\nld.global.u32 %r2, [%l1];"},
      {"misaligned word", "misaligned", "ld.global.u32 %r2, [%l20+2];", "ld.global.u32 %r2, [%l20+4];"},
      {"misaligned vector", "misaligned", "ld.global.v2.u32 {%r2, %r3}, [%l21+4];",
       "ld.global.v2.u32 {%r2, %r3}, [%l21+8];"},
      {"misaligned shared", "misaligned", "st.shared.u64 [%r20+4], %l1;",
       "shl.b32 %r2, %t, 3;\nadd.u32 %r2, %r2, %r31;\nst.shared.u64 [%r2], %l1;"},
      {"vector atomic at an odd place", "misaligned", "red.global.add.v2.f32 [%p0+4], {%f1, %f1};",
       "red.global.add.v2.f32 [%p0+8], {%f1, %f1};"},
      {"shared never written", "uninitialised-shared", read, write + read},
      {"half written", "uninitialised-shared", "st.shared.u16 [%r20], %h1;\n" + read,
       "st.shared.u16 [%r20], %h1;\nst.shared.u16 [%r20+2], %h1;\n" + read},
      {"atomic on nothing", "uninitialised-shared", "atom.shared.add.u32 %r2, [%r20], 1;",
       write + "atom.shared.add.u32 %r2, [%r20], 1;"},
      {"ldmatrix of nothing", "uninitialised-shared",
       "shl.b32 %r2, %t, 4;\nadd.u32 %r2, %r2, %r31;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, "
       "[%r2];",
       "shl.b32 %r2, %t, 4;\nadd.u32 %r2, %r2, %r31;\nst.shared.v4.u32 [%r2], {%t, %t, %t, %t};\nbar.sync "
       "0;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];"},
      {"read without a barrier", "shared-race", write + opposite, write + "bar.sync 0;\n" + opposite},
      {"second write without a barrier", "shared-race",
       write + "bar.sync 0;\n" + opposite + "st.shared.u32 [%r20], %r5;",
       write + "bar.sync 0;\n" + opposite + "bar.sync 0;\nst.shared.u32 [%r20], %r5;"},
      {"lanes without a warp barrier", "shared-race", write + "xor.b32 %r2, %r20, 4;\nld.shared.u32 %r5, [%r2];",
       write + "bar.warp.sync -1;\nxor.b32 %r2, %r20, 4;\nld.shared.u32 %r5, [%r2];"},
      {"different values to one word", "shared-race", "st.shared.u32 [s], %t;", "@%q7 st.shared.u32 [s], %t;"},
      {"plain read beside atomics", "shared-race",
       "@%q7 st.shared.u32 [s], 0;\nbar.sync 0;\nred.shared.add.u32 [s], 1;\nld.shared.u32 %r2, [s];",
       "@%q7 st.shared.u32 [s], 0;\nbar.sync 0;\nred.shared.add.u32 [s], 1;\nbar.sync 0;\nld.shared.u32 %r2, [s];"},
      {"arrive, then write", "shared-race",
       "setp.lt.u32 %q1, %t, 32;\n@%q1 bra A;\nbar.sync 1, 64;\nld.shared.u32 %r2, [s];\nbra B;\nA:\nbar.arrive 1, "
       "64;\n@%q7 st.shared.u32 [s], 1;\nB:",
       "setp.lt.u32 %q1, %t, 32;\n@%q1 bra A;\nbar.sync 1, 64;\nld.shared.u32 %r2, [s];\nbra B;\nA:\n@%q7 "
       "st.shared.u32 [s], 1;\nbar.warp.sync -1;\nbar.arrive 1, 64;\nB:"},
      {"cp.async not waited for", "shared-race", copy + "ld.shared.u32 %r5, [%r2];\ncp.async.wait_all;",
       copy + "cp.async.wait_group 0;\nld.shared.u32 %r5, [%r2];"},
      {"cp.async reads too much", "async-size", "mov.u32 %r4, 17;\ncp.async.cg.shared.global [%r31], [%p0], 16, %r4;",
       "mov.u32 %r4, 7;\n@%q7 cp.async.cg.shared.global [%r31], [%p0], 16, %r4;"},
      {"barrier in a divergent branch", "barrier-divergence",
       "setp.lt.u32 %q1, %t, 16;\n@%q1 bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 1;\nB:",
       "setp.lt.u32 %q1, %t, 32;\n@%q1 bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:"},
      {"guarded barrier", "barrier-divergence", "setp.lt.u32 %q1, %t, 16;\n@%q1 bar.sync 0;",
       "setp.lt.u32 %q1, %t, 1000;\n@%q1 bar.sync 0;"},
      {"barrier for odd threads", "barrier-operand", "bar.sync 0, 40;", "bar.sync 0, 64;"},
      {"barrier for threads that are not there", "deadlock", "bar.sync 0, 96;", "bar.sync 0, 64;", 64},
      {"warps at different barriers", "deadlock", "shr.u32 %r2, %t, 5;\nbar.sync %r2;",
       "shr.u32 %r2, %t, 6;\nbar.sync %r2;"},
      {"lanes that wait for each other", "deadlock",
       "setp.lt.u32 %q1, %t, 16;\n@%q1 bra A;\nshfl.sync.bfly.b32 %r2, %t, 1, 31, -1;\nbra B;\nA:\nshfl.sync.bfly.b32 "
       "%r2, %t, 2, 31, -1;\nB:",
       "setp.lt.u32 %q1, %t, 16;\n@%q1 bra A;\nshfl.sync.bfly.b32 %r2, %t, 1, 31, 0xffff0000;\nbra "
       "B;\nA:\nshfl.sync.bfly.b32 %r2, %t, 2, 31, 0xffff;\nB:",
       32},
      {"lane outside its mask", "member-mask", "shfl.sync.bfly.b32 %r2, %t, 1, 31, 0xffff;",
       "shfl.sync.bfly.b32 %r2, %t, 1, 31, -1;"},
      {"shuffle from a lane that has gone", "inactive-lane",
       "setp.gt.u32 %q1, %t, 15;\n@%q1 exit;\nshfl.sync.bfly.b32 %r2, %t, 16, 31, -1;",
       "setp.gt.u32 %q1, %t, 15;\n@%q1 exit;\nshfl.sync.bfly.b32 %r2, %t, 8, 31, -1;", 32},
      {"mma without all lanes", "inactive-lane",
       "setp.gt.u32 %q1, %t, 30;\n@%q1 exit;\nmov.u32 %r2, 0;\nmma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
       "{%r3, %r4, %r5, %r6}, {%r2, %r2}, {%r2}, {%r2, %r2, %r2, %r2};",
       "mov.u32 %r2, 0;\nmma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r3, %r4, %r5, %r6}, {%r2, %r2}, {%r2}, "
       "{%r2, %r2, %r2, %r2};",
       32},
      {"branch past its list", "branch-index", "L: .branchtargets A, B;\nand.b32 %r2, %t, 3;\nbrx.idx %r2, L;\nA:\nB:",
       "L: .branchtargets A, B;\nand.b32 %r2, %t, 1;\nbrx.idx %r2, L;\nA:\nB:"},
      {"trap", "trap", "setp.eq.u32 %q1, %t, 5;\n@%q1 trap;", "setp.eq.u32 %q1, %t, 500;\n@%q1 trap;", 64, 1, 1, 0, 5},
      {"result read before it is written", "uninitialised-global",
       "setp.eq.u32 %q1, %t, 9;\n@!%q1 st.global.u32 [%l20], %t;\nld.global.u32 %r2, [%l20];",
       "st.global.u32 [%l20], %t;\nld.global.u32 %r2, [%l20];", 64, 1, 1, 0, 9, true},
      {"result read by all", "uninitialised-global", "ld.global.v2.u32 {%r2, %r3}, [%l21];",
       "st.global.v4.u32 [%l21], {%t, %t, %t, %t};\nld.global.v2.u32 {%r2, %r3}, [%l21];", 64, 1, 1, 0, 0, true},
      {"sum into nothing", "uninitialised-global", "red.global.add.u32 [%l20], 1;",
       "st.global.u32 [%l20], 0;\nred.global.add.u32 [%l20], 1;", 64, 1, 1, 0, 0, true},
      {"copy of nothing", "uninitialised-global", init + load("256", "256") + wait,
       "st.global.u32 [%l20], %t;\nbar.sync 0;\n" + init + load("256", "256") + wait, 64, 1, 1, 0, 0, true},
      {"index of a sparse matrix twice", "sparse-metadata",
       "mov.u32 %r2, 0;\nmov.u32 %r3, 0x44444445;\nmma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16."
       "f32 {%r4, %r5, %r6, %r7}, {%r2, %r2}, {%r2, %r2}, {%r2, %r2, %r2, %r2}, %r3, 0;",
       "mov.u32 %r2, 0;\nmov.u32 %r3, 0x44444444;\nmma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16."
       "f32 {%r4, %r5, %r6, %r7}, {%r2, %r2}, {%r2, %r2}, {%r2, %r2, %r2, %r2}, %r3, 0;",
       32, 1, 1, 0, 0},
      {"several devices at once", "unsupported", "multimem.red.global.add.u32 [%p0], %t;",
       "red.global.add.u32 [%p0], %t;"},
      {"never ends", "step-limit", "L:\nbra L;",
       "mov.u32 %r2, 50;\nL:\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra L;", 64, 1, 1, 10000},
      {"not covered", "unsupported", "vadd4.u32.u32.u32 %r2, %t, %t, %t;", "add.u32 %r2, %t, %t;"},
      {"rank past the cluster", "cluster-rank", "mapa.shared::cluster.u32 %r2, %r20, 2;",
       "mapa.shared::cluster.u32 %r2, %r20, 1;", 64, 2, 2},
      {"peer through .shared", "cluster-space", next + write + meet + "ld.shared.u32 %r5, [%r23];\n" + meet,
       next + write + meet + "ld.shared::cluster.u32 %r5, [%r23];\n" + meet, 64, 2, 2},
      {"peer before it starts", "cluster-start", next + write + "ld.shared::cluster.u32 %r5, [%r23];\n" + meet,
       next + write + meet + "ld.shared::cluster.u32 %r5, [%r23];\n" + meet, 64, 2, 2},
      {"peer after it ends", "cluster-exit", next + write + meet + "ld.shared::cluster.u32 %r5, [%r23];\n",
       next + write + meet + "ld.shared::cluster.u32 %r5, [%r23];\n" + meet, 64, 2, 2},
      {"peer's write not waited for", "shared-race",
       next + write + meet + write + "ld.shared::cluster.u32 %r5, [%r23];\n" + meet,
       next + write + meet + write + meet + "ld.shared::cluster.u32 %r5, [%r23];\n" + meet, 64, 2, 2},
      {"cluster wait alone", "barrier-divergence", "barrier.cluster.wait;", meet, 64, 2, 2},
      {"bulk copy read too early", "shared-race", init + load("256", "256") + read + wait,
       init + load("256", "256") + wait + read},
      {"bulk copy of fewer bytes", "deadlock", init + load("512", "256") + wait, init + load("256", "256") + wait},
      {"sum of red.async read too early", "shared-race",
       zero + init + expect(256) + red_async() + "ld.shared.u32 %r5, [%r31];\n" + wait,
       zero + init + expect(256) + red_async() + wait + "ld.shared.u32 %r5, [%r31];\n"},
      {"sum of red.async read by a warp that does not wait", "shared-race",
       zero + init + expect(256) + red_async() + "setp.gt.u32 %q2, %t, 31;\n@%q2 bra A;\n" + wait + "bra B;\nA:\n" +
           long_while + "ld.shared.u32 %r5, [%r31];\nB:\n",
       zero + init + expect(256) + red_async() + "setp.gt.u32 %q2, %t, 31;\n@%q2 bra A;\n" + wait + "bra B;\nA:\n" +
           long_while + "B:\nbar.sync 0;\nld.shared.u32 %r5, [%r31];\n"},
      {"red.async beside a store", "shared-race",
       zero + init + expect(252) + red_async("@!%q7 ") + "@%q7 st.shared.u32 [%r31], 5;\n" + wait,
       zero + init + expect(252) + red_async("@!%q7 ") + wait + "bar.sync 0;\n@%q7 st.shared.u32 [%r31], 5;\n"},
      {"store beside red.async", "shared-race",
       zero + init + expect(252) + "@%q7 st.shared.u32 [%r31], 5;\n" + red_async("@!%q7 ") + wait,
       zero + init + expect(252) + "@%q7 red.shared.add.u32 [%r31], 5;\n" + red_async("@!%q7 ") + wait},
      {"red.async into nothing", "uninitialised-shared", init + expect(256) + red_async() + wait,
       zero + init + expect(256) + red_async() + wait},
      {"st.async to one word", "shared-race", init + expect(256) + st_async("%r31") + wait,
       init + expect(256) + st_async("%r20") + wait + opposite},
      {"st.async beside red.async", "shared-race",
       zero + init + expect(256) + "@%q7 " + st_async("%r31") + red_async("@!%q7 ") + wait,
       zero + init + expect(256) + "@%q7 " + st_async("%r31+256") + red_async("@!%q7 ") + wait},
      {"two blocks copy to one place", "shared-race", gather("fence.proxy.async;\n", copied),
       gather("fence.proxy.async;\n", summed), 64, 2, 2},
      {"bulk reduction without a proxy fence", "proxy-fence", gather("", summed),
       gather("fence.proxy.async;\n", summed), 64, 2, 2},
      {"two blocks store to one place", "global-race", to_global("cp.async.bulk.global.shared::cta.bulk_group"),
       to_global("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"), 64, 2},
      {"mbarrier of another stage", "shared-race", stages("%r29"), stages("%r30")},
      {"mbarrier not published", "shared-race",
       "@%q7 mbarrier.init.shared.b64 [%r30], 1;\nsetp.ne.u32 %q2, %t, 32;\nbar.warp.sync -1;\n@%q2 bra E;\n" +
           long_while +
           "mbarrier.arrive.expect_tx.shared.b64 _, [%r30], 256;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%p0], 256, [%r30];\n" +
           wait + "E:\n",
       "@%q7 mbarrier.init.shared.b64 [%r30], 1;\nsetp.ne.u32 %q2, %t, 32;\nbar.sync 0;\n@%q2 bra E;\n" + long_while +
           "mbarrier.arrive.expect_tx.shared.b64 _, [%r30], 256;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%p0], 256, [%r30];\n" +
           wait + "E:\n"},
      {"another warp's bulk group", "shared-race", halves("cp.async.bulk.wait_group.read 0;\n" + other_half),
       halves("cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" + other_half)},
      {"written over while it is copied", "shared-race", copy + "st.shared.u32 [%r2], 1;\ncp.async.wait_all;",
       copy + "cp.async.wait_all;\nst.shared.u32 [%r2], 1;\n"},
      {"one of two that added has met the reader", "shared-race",
       three + "@%q3 bra E;\nbar.arrive 1, 64;\nbra E;\nC:\nbar.sync 1, 64;\nld.shared.u32 %r5, [%r31];\nE:\n",
       three + "bar.arrive 1, 96;\nbra E;\nC:\nbar.sync 1, 96;\nld.shared.u32 %r5, [%r31];\nE:\n", 96},
      {"mbarrier never made", "mbarrier", "mbarrier.arrive.shared.b64 %l1, [%r30];",
       init + "@%q7 mbarrier.arrive.shared.b64 %l1, [%r30];"},
      {"one arrival too many", "mbarrier", init + "@%q7 mbarrier.arrive.shared.b64 %l1, [%r30], 2;",
       init + "@%q7 mbarrier.arrive.shared.b64 %l1, [%r30], 1;"},
      {"no proxy fence", "proxy-fence", store("", "cp.async.bulk.wait_group 0;"),
       store("fence.proxy.async;\n", "cp.async.bulk.wait_group 0;")},
      {"exit before the copy has read", "bulk-exit", store("fence.proxy.async;\n", ""),
       store("fence.proxy.async;\n", "cp.async.bulk.wait_group.read 0;")},
      {"blocks write one word", "global-race", "st.global.u32 [%p0], %t;", grid + "st.global.u32 [%l3], %t;", 1, 2},
      {"block reads another's word", "global-race",
       grid + "st.global.u32 [%l3], %t;\nxor.b32 %r7, %r7, 64;\nmul.wide.u32 %l3, %r7, 4;\nadd.s64 %l3, %l3, "
              "%p0;\nld.global.u32 %r2, [%l3];",
       grid + "st.global.u32 [%l3], %t;\nld.global.u32 %r2, [%l3];", 64, 2},
      {"counter read plainly", "global-race", "red.global.add.u32 [%p1], 1;\nld.global.u32 %r2, [%p1];",
       "red.global.add.u32 [%p1], 1;\nld.relaxed.gpu.global.u32 %r2, [%p1];", 32, 2},
      {"use after free", "use-after-free",
       "{\n.param .b64 a;\n.param .b64 r;\nst.param.b64 [a], 16;\ncall.uni (r), malloc, (a);\nld.param.b64 %l5, "
       "[r];\n}\nst.u32 [%l5], 1;\n"
       "{\n.param .b64 a;\nst.param.b64 [a], %l5;\ncall.uni free, (a);\n}\nld.u32 %r2, [%l5];",
       "{\n.param .b64 a;\n.param .b64 r;\nst.param.b64 [a], 16;\ncall.uni (r), malloc, (a);\nld.param.b64 %l5, "
       "[r];\n}\nst.u32 [%l5], 1;\n"
       "ld.u32 %r2, [%l5];\n{\n.param .b64 a;\nst.param.b64 [a], %l5;\ncall.uni free, (a);\n}",
       1},
  };
  return all;
}

} // namespace

class TestPtxFaults : public QObject {
  Q_OBJECT
 private slots:
  void enough() {
    std::set<std::string> kinds;
    for (const Pair& p : pairs()) kinds.insert(p.kind);
    QVERIFY(pairs().size() >= 40);
    QVERIFY(kinds.size() >= 20);
  }
  void found_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<bool>("faulty");
    for (std::size_t i = 0; i < pairs().size(); ++i)
      for (const bool faulty : {true, false})
        QTest::newRow((std::string(pairs()[i].name) + (faulty ? "" : ": clean")).c_str())
            << static_cast<int>(i) << faulty;
  }
  void found() {
    QFETCH(int, index);
    QFETCH(bool, faulty);
    const Pair& p = pairs()[static_cast<std::size_t>(index)];
    Kernel k{test::entry(
        2, with_lines(head + (faulty ? p.faulty : p.clean)),
        ".file 1 \"kernel.cu\"\n" + module +
            ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);",
        ".local .align 4 .b8 priv[32];\n.reg .f32 %f<4>;\nmov.f32 %f1, 0f3F800000;\nmov.u16 %h1, 7;\nmov.u64 %l1, 9;")};
    k.with(std::vector<std::uint32_t>(256)).with(std::vector<std::uint32_t>(4));
    k.block = p.block;
    k.grid = p.grid;
    k.cluster = p.cluster;
    k.options.step_limit = p.steps;
    if (p.result) k.roles = {Arg::Role::output};
    const auto result = k.run();
    QVERIFY2(result, test::problems(result).c_str());
    if (!faulty) {
      QVERIFY2(result->faults.empty(), test::problems(result).c_str());
      return;
    }
    const auto f = std::find_if(result->faults.begin(), result->faults.end(),
                                [&](const Fault& one) { return one.kind == p.kind; });
    QVERIFY2(f != result->faults.end(), test::problems(result).c_str());
    QCOMPARE(f->kernel, std::string("k"));
    QVERIFY(!f->message.empty());
    // Its statement in the PTX text, and the line of the source before that.
    const auto lines = QString::fromStdString(k.ptx).split('\n');
    QVERIFY(f->ptx_line > 1 && f->ptx_line <= lines.size());
    QCOMPARE(lines[f->ptx_line - 2], QString(".loc 1 %1 1").arg(f->cuda_line));
    if (p.thread >= 0) QCOMPARE(static_cast<int>(f->thread[0]), p.thread);
    QVERIFY(f->thread[0] < p.block);
  }
};

QTEST_MAIN(TestPtxFaults)
#include "test_ptx_faults.moc"
