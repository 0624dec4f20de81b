// Clusters: special registers, mapped addresses, distributed shared memory, the cluster's barrier, and its faults.
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <numeric>

using namespace aicf;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

namespace {

const std::string shared = ".shared .align 16 .b8 s[512];\n";
/// %r20 = s + 4 * tid, %r21 = rank, %r22 = the next rank, %r23 = the same place in the next block.
const std::string places = "mov.u32 %r1, s;\nshl.b32 %r2, %t, 2;\nadd.u32 %r20, %r1, %r2;\n"
                           "mov.u32 %r21, %cluster_ctarank;\nmov.u32 %r3, %cluster_nctarank;\nadd.u32 %r22, %r21, 1;\n"
                           "rem.u32 %r22, %r22, %r3;\nmapa.shared::cluster.u32 %r23, %r20, %r22;\n";
const std::string meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
/// %l20 = p0 + 4 * (tid + ntid * ctaid)
const std::string out = "mov.u32 %r24, %ctaid.x;\nmov.u32 %r25, %ntid.x;\nmad.lo.u32 %r24, %r24, %r25, %t;\n"
                        "mul.wide.u32 %l20, %r24, 4;\nadd.s64 %l20, %l20, %p0;\n";

} // namespace

class TestPtxCluster : public QObject {
  Q_OBJECT
 private slots:
  void ranks() {
    // A grid of 4 x 6 blocks in clusters of 2 x 3.
    Kernel k{
        test::entry(1, "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmad.lo.u32 %r3, %r2, 4, %r1;\n"
                       "mul.wide.u32 %l1, %r3, 32;\nadd.s64 %l1, %l1, %p0;\n"
                       "mov.u32 %r4, %cluster_ctaid.x;\nst.global.u32 [%l1], %r4;\n"
                       "mov.u32 %r4, %cluster_ctaid.y;\nst.global.u32 [%l1+4], %r4;\n"
                       "mov.u32 %r4, %cluster_ctarank;\nst.global.u32 [%l1+8], %r4;\n"
                       "mov.u32 %r4, %cluster_nctarank;\nst.global.u32 [%l1+12], %r4;\n"
                       "mov.u32 %r4, %clusterid.x;\nst.global.u32 [%l1+16], %r4;\n"
                       "mov.u32 %r4, %clusterid.y;\nst.global.u32 [%l1+20], %r4;\n"
                       "mov.u32 %r4, %nclusterid.x;\nmov.u32 %r5, %nclusterid.y;\nshl.b32 %r5, %r5, 16;\n"
                       "or.b32 %r4, %r4, %r5;\nst.global.u32 [%l1+24], %r4;\n"
                       "mov.pred %q1, %is_explicit_cluster;\nselp.u32 %r4, 1, 0, %q1;\nst.global.u32 [%l1+28], %r4;")};
    k.ptx.replace(k.ptx.find(")\n{"), 1, ")\n.explicitcluster\n.reqnctapercluster 2, 3, 1\n");
    k.with(std::vector<std::uint32_t>(192));
    k.grid = 4;
    k.grid_y = 6;
    k.block = 1;
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint32_t>(0);
    for (std::uint32_t y = 0; y < 6; ++y)
      for (std::uint32_t x = 0; x < 4; ++x) {
        const auto* row = got.data() + std::size_t{y * 4 + x} * 8;
        const std::uint32_t expected[8] = {x % 2, y % 3, y % 3 * 2 + x % 2, 6, x / 2, y / 3, 2 | 2 << 16, 1};
        for (int n = 0; n < 8; ++n) QCOMPARE(row[n], expected[n]);
      }
  }

  void maximumRank() {
    Kernel k{test::entry(0, "")};
    k.ptx.replace(k.ptx.find(")\n{"), 1, ")\n.maxclusterrank 4\n");
    k.grid = k.cluster = 4;
    QCOMPARE(k.problem(), std::string());
    k.grid = k.cluster = 8;
    QVERIFY(k.problem().find("maxclusterrank") != std::string::npos);
  }

  void exchange_data() {
    QTest::addColumn<std::string>("access");
    const auto row = [](const char* name, const std::string& access) { QTest::newRow(name) << access; };
    row("load", "st.shared.u32 [%r20], %r24;\n" + meet + "ld.shared::cluster.u32 %r5, [%r23];\n");
    row("store", "mapa.shared::cluster.u32 %r6, %r20, %r26;\n" + meet + "st.shared::cluster.u32 [%r6], %r24;\n" + meet +
                     "ld.shared.u32 %r5, [%r20];\n");
    row("generic", "cvt.u64.u32 %l1, %r20;\ncvta.shared.u64 %l1, %l1;\nmapa.u64 %l2, %l1, %r22;\n"
                   "st.u32 [%l1], %r24;\n" +
                       meet + "ld.u32 %r5, [%l2];\n");
    row("cvta of a mapped address", "cvt.u64.u32 %l2, %r23;\ncvta.shared::cluster.u64 %l2, %l2;\n"
                                    "st.shared.u32 [%r20], %r24;\n" +
                                        meet + "ld.u32 %r5, [%l2];\n");
    row("fence and relaxed arrival", "st.shared.u32 [%r20], %r24;\nfence.acq_rel.cluster;\n"
                                     "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n"
                                     "ld.shared::cluster.u32 %r5, [%r23];\n");
    row("add", "mov.u32 %r7, 0;\nst.shared.u32 [%r20], %r7;\n" + meet +
                   "mapa.shared::cluster.u32 %r6, %r20, %r26;\nred.shared::cluster.add.u32 [%r6], %r24;\n" + meet +
                   "ld.shared.u32 %r5, [%r20];\n");
  }
  /// Each thread ends with the number of its place in the next block of the cluster.
  void exchange() {
    QFETCH(std::string, access);
    // %r26: the rank before.
    Kernel k{test::entry(1, shared + out + places +
                                "add.u32 %r26, %r21, %r3;\nsub.u32 %r26, %r26, 1;\n"
                                "rem.u32 %r26, %r26, %r3;\n" +
                                access + "st.global.u32 [%l20], %r5;\n" + meet)};
    k.with(std::vector<std::uint32_t>(512));
    k.grid = 8;
    k.cluster = 4;
    k.block = 64;
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<std::uint32_t>(0);
    for (std::uint32_t i = 0; i < got.size(); ++i) {
      const std::uint32_t block = i / 64, next = block / 4 * 4 + (block + 1) % 4;
      QCOMPARE(got[i], next * 64 + i % 64);
    }
  }

  void queries() {
    // getctarank of the next block's place, isspacep of both kinds.
    Kernel k{test::entry(1, shared + out + places +
                                "getctarank.shared::cluster.u32 %r5, %r23;\ncvt.u64.u32 %l1, %r20;\n"
                                "cvta.shared.u64 %l1, %l1;\nmapa.u64 %l2, %l1, %r22;\ngetctarank.u64 %r6, %l2;\n"
                                "isspacep.shared::cta %q1, %l2;\nisspacep.shared::cluster %q2, %l2;\n"
                                "isspacep.shared %q3, %l1;\nisspacep.global %q4, %l2;\n"
                                "selp.u32 %r7, 16, 0, %q1;\nselp.u32 %r8, 32, 0, %q2;\nselp.u32 %r9, 64, 0, %q3;\n"
                                "selp.u32 %r10, 128, 0, %q4;\nshl.b32 %r6, %r6, 8;\nor.b32 %r5, %r5, %r6;\n"
                                "or.b32 %r5, %r5, %r7;\nor.b32 %r5, %r5, %r8;\nor.b32 %r5, %r5, %r9;\n"
                                "or.b32 %r5, %r5, %r10;\nst.global.u32 [%l20], %r5;")};
    k.with(std::vector<std::uint32_t>(2));
    k.grid = k.cluster = 2;
    k.block = 1;
    QCOMPARE(k.problem(), std::string());
    QCOMPARE(k.values<std::uint32_t>(0), (std::vector<std::uint32_t>{1 | 1 << 8 | 32 | 64, 32 | 64}));
  }

  /// The phases of the barrier: arrivals of the next phase while some have not yet waited for the last one.
  void phases() {
    Kernel k{test::entry(1, shared + out + places +
                                "mov.u32 %r5, 0;\nLOOP:\nst.shared.u32 [%r20], %r5;\n"
                                "barrier.cluster.arrive;\nbar.sync 0;\nbarrier.cluster.wait;\n"
                                "ld.shared::cluster.u32 %r6, [%r23];\n"
                                "setp.ne.u32 %q1, %r6, %r5;\n@%q1 trap;\n"
                                "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n"
                                "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %q1, %r5, 20;\n@%q1 bra LOOP;\n"
                                "st.global.u32 [%l20], %r5;")};
    k.with(std::vector<std::uint32_t>(768));
    k.grid = k.cluster = 8;
    k.block = 96;
    QCOMPARE(k.problem(), std::string());
    QCOMPARE(k.values<std::uint32_t>(0), std::vector<std::uint32_t>(768, 20));
  }

  void faults_data() {
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("kind"); // empty: clean
    const auto row = [](const char* name, const char* kind, const std::string& body) {
      QTest::newRow(name) << body << std::string(kind);
    };
    const std::string write = "st.shared.u32 [%r20], %t;\n", peek = "ld.shared::cluster.u32 %r5, [%r23];\n";
    row("peer read before any barrier", "cluster-start", write + peek + meet);
    row("peer read after a barrier", "", write + meet + peek + meet);
    row("peer exits first", "cluster-exit", write + meet + peek);
    row("peer exits first, seen when it has", "cluster-exit",
        write + meet +
            "setp.eq.u32 %q1, %r21, 0;\n@!%q1 exit;\nmov.u32 %r6, 30000;\nL:\nsub.u32 %r6, %r6, 1;\n"
            "setp.ne.u32 %q2, %r6, 0;\n@%q2 bra L;\n" +
            peek);
    row("write of a peer without a barrier", "shared-race", write + meet + "st.shared.u32 [%r20], 7;\n" + peek + meet);
    row("write of a peer with a barrier", "", write + meet + meet + peek + meet);
    row("a relaxed first meeting shows that the peer runs", "",
        "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\nst.shared::cluster.u32 [%r23], %t;\n" + meet +
            "ld.shared.u32 %r5, [%r20];\n");
    row("relaxed arrival orders nothing", "shared-race",
        meet + write + "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n" + peek + meet);
    row("relaxed arrival after a fence", "",
        meet + write +
            "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n"
            "fence.acq_rel.cluster;\n" +
            peek + meet);
    row("write after the arrival", "shared-race",
        write + "barrier.cluster.arrive;\nst.shared.u32 [%r20], 9;\nbarrier.cluster.wait;\n" + peek + meet);
    row("nothing written there", "uninitialised-shared", meet + peek + meet);
    row("past the end of a peer", "out-of-bounds", write + meet + "ld.shared::cluster.u32 %r5, [%r23+512];\n" + meet);
    row("a peer through .shared", "cluster-space", write + meet + "ld.shared.u32 %r5, [%r23];\n" + meet);
    row("rank past the cluster", "cluster-rank", "mapa.shared::cluster.u32 %r5, %r20, 2;\n");
    row("misaligned", "misaligned", write + meet + "ld.shared::cluster.u32 %r5, [%r23+2];\n" + meet);
    row("wait without arrive", "barrier-divergence", "barrier.cluster.wait;\n");
    row("arrive twice", "barrier-operand", "barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    row("one block never arrives", "deadlock",
        "setp.eq.u32 %q1, %r21, 0;\n@%q1 bra A;\n" + meet + "bra B;\nA:\nbar.sync 1, 64;\nB:\n");
    row("atomics of both", "",
        "st.shared.u32 [%r20], 0;\n" + meet +
            "atom.shared::cluster.add.u32 %r5, [%r23], 1;\n"
            "atom.shared.add.u32 %r5, [%r20], 1;\n" +
            meet);
    row("atomic and a plain write", "shared-race",
        "st.shared.u32 [%r20], 0;\n" + meet +
            "atom.shared::cluster.add.u32 %r5, [%r23], 1;\n"
            "st.shared.u32 [%r20], 1;\n" +
            meet);
    row("release and acquire", "",
        "st.shared.u32 [s+256], 0;\n" + meet + write +
            "setp.ne.u32 %q1, %t, 0;\nbar.sync 0;\n@%q1 bra W;\n"
            "mapa.shared::cluster.u32 %r6, %r1, %r22;\nst.release.cluster.shared::cluster.u32 [%r6+256], 1;\n"
            "L:\nld.acquire.cluster.shared::cta.u32 %r7, [s+256];\nsetp.eq.u32 %q2, %r7, 0;\n@%q2 bra L;\nW:\nbar.sync "
            "0;\n" +
            peek + meet);
  }
  void faults() {
    QFETCH(std::string, body);
    QFETCH(std::string, kind);
    Kernel k{test::entry(0, shared + places + body)};
    k.grid = k.cluster = 2;
    k.block = 32;
    const auto result = k.run();
    QVERIFY2(result, test::problems(result).c_str());
    if (kind.empty())
      QVERIFY2(result->faults.empty(), test::problems(result).c_str());
    else
      QVERIFY2(!result->faults.empty() && result->faults.front().kind == kind, test::problems(result).c_str());
  }
};

QTEST_MAIN(TestPtxCluster)
#include "test_ptx_cluster.moc"
