// printf, assert, malloc, calls by address, counters by line, and races between blocks.
#include "core/exec/nvrtc.hpp"
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <algorithm>

using namespace aicf;
using aicf::test::compiled;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

class TestPtxSystem : public QObject {
  Q_OBJECT
 private slots:
  void prints() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(extern "C" __global__ void k(int* x) {
  if (threadIdx.x == 1)
    printf("%d %5u|%-4d|%x %lld %c%% %s %.3f %g\n", -3, 7u, 5, 255, 1ll << 40, 'q', "text", 1.5, 0.25f);
  x[threadIdx.x] = printf("");
})")};
    k.with(std::vector<int>(32));
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    QCOMPARE(result->printed, std::string("-3     7|5   |ff 1099511627776 q% text 1.500 0.25\n"));
  }

  void asserts() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(#include <assert.h>
extern "C" __global__ void k(int* x) {
  assert(x[threadIdx.x] >= 0 && "no negatives");
})")};
    if (k.ptx.empty()) // without the header: what the macro expands to
      k.ptx =
          compiled(R"(extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
extern "C" __global__ void k(int* x) {
  if (!(x[threadIdx.x] >= 0)) __assertfail("x[threadIdx.x] >= 0", "k.cu", 3, "k", 1);
})");
    QVERIFY(!k.ptx.empty());
    std::vector<int> values(32, 1);
    k.with(values);
    QCOMPARE(k.problem(), std::string());
    k.buffers.clear();
    values[5] = -1;
    k.with(values);
    const auto result = k.run();
    QVERIFY(result && result->faults.size() == 1);
    QCOMPARE(result->faults[0].kind, std::string("assert"));
    QCOMPARE(result->faults[0].thread[0], 5u);
    QVERIFY2(result->faults[0].message.find("x[threadIdx.x] >= 0") != std::string::npos,
             result->faults[0].message.c_str());
  }

  void heap_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("kind");
    QTest::newRow("use") << "int* p = (int*)malloc(16); p[3] = 5; *x = p[3]; free(p);"
                         << "";
    QTest::newRow("use after free")
        << "int* p = (int*)malloc(16); *(volatile int*)p = 5; free(p); *x = *(volatile int*)p;"
        << "use-after-free";
    QTest::newRow("store after free") << "int* volatile p = (int*)malloc(16); free(p); *p = 1; *x = 1;"
                                      << "use-after-free";
    QTest::newRow("past the end") << "int* volatile p = (int*)malloc(16); p[4] = 1; *x = 2; free(p);"
                                  << "out-of-bounds";
    QTest::newRow("freed twice") << "int* volatile p = (int*)malloc(16); free(p); free(p);"
                                 << "use-after-free";
    QTest::newRow("free of nothing") << "free((void*)0);"
                                     << "";
    QTest::newRow("free inside") << "char* volatile p = (char*)malloc(16); free(p + 4);"
                                 << "use-after-free";
    QTest::newRow("too much") << "int* volatile p = (int*)malloc(1ull << 40); *x = p == nullptr ? 1 : 0;"
                              << "";
  }
  void heap() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    QFETCH(QString, body);
    QFETCH(QString, kind);
    Kernel k{compiled("extern \"C\" __global__ void k(int* x) { " + body.toStdString() + " }")};
    QVERIFY(!k.ptx.empty());
    k.block = 1;
    k.with(std::vector<int>(1));
    const auto result = k.run();
    QVERIFY2(result, test::problems(result).c_str());
    if (kind.isEmpty())
      QVERIFY2(result->faults.empty(), test::problems(result).c_str());
    else
      QVERIFY2(!result->faults.empty() && result->faults.front().kind == kind.toStdString(),
               test::problems(result).c_str());
  }

  void callsByAddress() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(typedef int (*F)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int sub(int a, int b) { return a - b; }
__device__ __noinline__ int mul(int a, int b) { return a * b; }
__device__ F table[3] = {add, sub, mul};
__device__ __noinline__ int through(F f, int a, int b) { return f(a, b) + 1; }
extern "C" __global__ void k(int* x) {
  int t = threadIdx.x;
  x[t] = through(table[t % 3], t, 7) + table[(t + 1) % 3](t, 3);
})")};
    QVERIFY(!k.ptx.empty());
    k.with(std::vector<int>(32));
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<int>(0);
    const auto apply = [](int which, int a, int b) { return which == 0 ? a + b : which == 1 ? a - b : a * b; };
    for (int t = 0; t < 32; ++t)
      QCOMPARE(got[static_cast<std::size_t>(t)], apply(t % 3, t, 7) + 1 + apply((t + 1) % 3, t, 3));
  }

  void lines() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled("extern \"C\" __global__ void k(int* x) {\n"
                      "  __shared__ int s[64];\n"
                      "  s[threadIdx.x * 2] = threadIdx.x;\n" // two lanes a bank
                      "  __syncthreads();\n"
                      "  x[threadIdx.x * 8] = s[threadIdx.x];\n" // a sector each
                      "}\n")};
    QVERIFY(!k.ptx.empty());
    k.options.counters = true;
    k.options.checks = false; // half of s is read without having been written
    k.with(std::vector<int>(256));
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    std::uint64_t stores = 0, conflicts = 0, sectors = 0, warps = 0, threads = 0;
    for (const auto& l : result->lines) {
      QCOMPARE(l.kernel, std::string("k"));
      QVERIFY(l.ptx_line > 0);
      warps += l.warp_instructions;
      threads += l.thread_instructions;
      if (l.cuda_line == 3) stores += l.shared_wavefronts, conflicts += l.bank_conflicts;
      if (l.cuda_line == 5) sectors += l.global_sectors;
    }
    QCOMPARE(stores, std::uint64_t{2});
    QCOMPARE(conflicts, std::uint64_t{1});
    QCOMPARE(sectors, std::uint64_t{32});
    QCOMPARE(static_cast<double>(warps), test::metric(*result, "warp_instructions"));
    QCOMPARE(static_cast<double>(threads), test::metric(*result, "thread_instructions"));
  }

  void blocks_data() {
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("kind");
    const auto row = [](const char* name, const char* kind, const std::string& body) {
      QTest::newRow(name) << body << std::string(kind);
    };
    // %r24: number of the thread in the grid; %l20 = p0 + 4 * that; p1: flags.
    row("own words", "", "st.global.u32 [%l20], %t;\nld.global.u32 %r1, [%l20];\n");
    row("all write one word", "global-race", "st.global.u32 [%p0], %r24;\n");
    row("one writes, others read", "global-race",
        "setp.eq.u32 %q1, %r24, 0;\n@%q1 st.global.u32 [%p0], 5;\n@!%q1 ld.global.u32 %r1, [%p0];\n");
    row("all read one word", "", "ld.global.u32 %r1, [%p0];\nst.global.u32 [%l20+4], %r1;\n");
    row("neighbour's word", "global-race", "st.global.u32 [%l20], %t;\nld.global.u32 %r1, [%l20+256];\n");
    row("atomics", "", "red.global.add.u32 [%p0], 1;\n");
    row("atomics and a plain read", "global-race", "red.global.add.u32 [%p0], 1;\nld.global.u32 %r1, [%p0];\n");
    row("atomics and a volatile read", "", "red.global.add.u32 [%p0], 1;\nld.volatile.global.u32 %r1, [%p0];\n");
    row("halves of a word", "", "mul.wide.u32 %l1, %r24, 2;\nadd.s64 %l1, %l1, %p0;\nst.global.u16 [%l1], %h0;\n");
    // The last block that arrives at a counter adds up what the others wrote.
    const std::string last =
        "st.global.u32 [%l20], %t;\nFENCE\nbar.sync 0;\nsetp.eq.u32 %q1, %t, 0;\nmov.u32 %r2, 0;\n"
        "@%q1 atom.global.add.u32 %r2, [%p1], 1;\n@%q1 st.shared.u32 [s], %r2;\nbar.sync 0;\n"
        "ld.shared.u32 %r2, [s];\nsetp.ne.u32 %q2, %r2, 3;\n@%q2 exit;\nFENCE\n"
        "shl.b32 %r3, %t, 2;\ncvt.u64.u32 %l1, %r3;\nadd.s64 %l1, %l1, %p0;\nld.global.u32 %r4, [%l1];\n"
        "ld.global.u32 %r5, [%l1+256];\nadd.u32 %r4, %r4, %r5;\nst.global.u32 [%l1+1024], %r4;\n";
    const auto with = [](std::string text, const std::string& fence) {
      for (std::size_t at = text.find("FENCE"); at != std::string::npos; at = text.find("FENCE"))
        text.replace(at, 5, fence);
      return text;
    };
    row("last block", "", with(last, "membar.gl;"));
    row("last block without a fence", "global-race", with(last, ""));
    row("last block with a fence of the block", "global-race", with(last, "fence.acq_rel.cta;"));
    // Block 0 passes a word to block 1 with a flag.
    const std::string flag =
        "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %q1, %t, 0;\n@%q1 exit;\nsetp.eq.u32 %q2, %r1, 0;\n"
        "setp.eq.u32 %q3, %r1, 1;\n@%q2 st.global.u32 [%p0], 7;\nSTORE\n@!%q3 exit;\nL:\nLOAD\n"
        "setp.eq.u32 %q4, %r2, 0;\n@%q4 bra L;\nld.global.u32 %r3, [%p0];\nst.global.u32 [%p0+64], %r3;\n";
    const auto pass = [&](std::string store, std::string load) {
      std::string text = flag;
      text.replace(text.find("STORE"), 5, store);
      text.replace(text.find("LOAD"), 4, load);
      return text;
    };
    row("release and acquire", "",
        pass("@%q2 st.release.gpu.global.u32 [%p1], 1;", "ld.acquire.gpu.global.u32 %r2, [%p1];"));
    row("relaxed and volatile", "global-race",
        pass("@%q2 st.relaxed.gpu.global.u32 [%p1], 1;", "ld.volatile.global.u32 %r2, [%p1];"));
    row("fence and volatile", "",
        pass("@%q2 fence.acq_rel.gpu;\n@%q2 st.volatile.global.u32 [%p1], 1;", "ld.volatile.global.u32 %r2, [%p1];"));
  }
  void blocks() {
    QFETCH(std::string, body);
    QFETCH(std::string, kind);
    for (const unsigned threads : {1u, 2u}) {
      Kernel k{test::entry(2,
                           "mov.u32 %r24, %ctaid.x;\nmad.lo.u32 %r24, %r24, 64, %t;\nmul.wide.u32 %l20, %r24, 4;\n"
                           "add.s64 %l20, %l20, %p0;\n" +
                               body,
                           ".shared .b32 s;")};
      k.with(std::vector<std::uint32_t>(1024)).with(std::vector<std::uint32_t>(4));
      k.grid = 4;
      k.block = 64;
      k.threads = threads;
      const auto result = k.run();
      QVERIFY2(result, test::problems(result).c_str());
      if (kind.empty())
        QVERIFY2(result->faults.empty(), test::problems(result).c_str());
      else
        QVERIFY2(!result->faults.empty() && result->faults.front().kind == kind, test::problems(result).c_str());
    }
  }

  /// What only tells the hardware something changes nothing: policies, prefetches, sleeps.
  void hints() {
    Kernel k{
        test::entry(1,
                    "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
                    "nanosleep.u32 20;\npmevent 1;\nmul.lo.u32 %r2, %t, 16;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\n"
                    "mul.wide.u32 %l1, %t, 16;\nadd.s64 %l1, %l1, %p0;\n"
                    "createpolicy.fractional.L2::evict_first.b64 %l2, 1.0;\nprefetch.global.L2 [%l1];\n"
                    "applypriority.global.L2::evict_normal [%p0], 128;\n"
                    "ld.global.L1::no_allocate.L2::cache_hint.u32 %r1, [%l1], %l2;\n"
                    "st.global.L2::cache_hint.u32 [%l1+4], %r1, %l2;\n"
                    "red.global.add.L2::cache_hint.u32 [%l1+8], %r1, %l2;\n"
                    "cp.async.cg.shared.global.L2::cache_hint [%r2], [%l1], 16, %l2;\n"
                    "cp.async.cg.shared.global.L2::cache_hint [%r2+512], [%l1], 16, 4, %l2;\ncp.async.wait_all;\n"
                    "ld.shared.u32 %r4, [%r2+8];\nld.shared.u32 %r5, [%r2+512];\nld.shared.u32 %r6, [%r2+520];\n"
                    "add.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r6;\nst.global.u32 [%l1+12], %r4;\n",
                    ".shared .align 16 .b8 s[1024];")};
    std::vector<std::uint32_t> in(128, 3);
    for (std::uint32_t t = 0; t < 32; ++t) in[4 * t] = 10 + t;
    k.with(in);
    QCOMPARE(k.problem(), std::string());
    const auto out = k.values<std::uint32_t>(0);
    for (std::uint32_t t = 0; t < 32; ++t) {
      QCOMPARE(out[4 * t + 1], 10 + t);
      QCOMPARE(out[4 * t + 2], 13 + t);
      QCOMPARE(out[4 * t + 3], 13 + t + 10 + t); // the second copy reads a word and fills the rest with zeros
    }
  }

  /// The part of a block's shared memory that the system keeps: groups of several warps meet there.
  void systemShared() {
    Kernel k{test::entry(1, R"(mov.u32 %r1, %reserved_smem_offset_1;
mov.u32 %r2, %total_smem_size;
mov.u32 %r3, %aggr_smem_size;
mov.u32 %r4, %reserved_smem_offset_end;
mov.u32 %r5, %reserved_smem_offset_begin;
mov.u32 %r6, %reserved_smem_offset_cap;
sub.u32 %r3, %r3, %r2;
sub.u32 %r4, %r4, %r5;
ld.shared.u32 %r7, [%r1];
bar.sync 0;
atom.shared.add.u32 %r8, [%r1], 3;
bar.sync 0;
ld.shared.u32 %r8, [%r1];
mov.u32 %r9, %envreg1;
mov.u32 %r10, %nsmid;
mov.u32 %r11, %globaltimer_lo;
mov.u32 %r12, %clock_hi;
st.global.v4.u32 [%p0], {%r3, %r4, %r6, %r7};
st.global.v4.u32 [%p0+16], {%r8, %r9, %r10, %r12};)",
                         {}, ".shared .align 4 .b8 mine[20];\n")};
    k.block = 64;
    k.with(std::vector<std::uint32_t>(8));
    QCOMPARE(k.problem(), std::string());
    const std::vector<std::uint32_t> expected{1024, 1024, 1024, 0, 3 * 64, 0, 1, 0};
    QCOMPARE(k.values<std::uint32_t>(0), expected);
    Kernel past{test::entry(1, "mov.u32 %r1, %reserved_smem_offset_end;\nld.shared.u32 %r2, [%r1];\n")};
    past.with(std::vector<std::uint32_t>(8));
    QVERIFY2(past.problem().find("out-of-bounds") != std::string::npos, past.problem().c_str());
  }

  /// Cooperative groups: tiles of several warps, of parts of one, and of the lanes that happen to be there.
  void cooperativeGroups() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int* x, int* y) {
  auto block = cg::this_thread_block();
  int t = block.thread_rank(), n = block.size();
  auto wide = cg::tiled_partition<64>(block);
  y[t] = cg::reduce(wide, x[t], cg::plus<int>());
  auto all = cg::tiled_partition<128>(block);
  y[n + t] = cg::reduce(all, x[t], cg::greater<int>());
  auto eight = cg::tiled_partition<8>(block);
  y[2 * n + t] = cg::inclusive_scan(eight, x[t]);
  auto warp = cg::tiled_partition<32>(block);
  auto same = cg::labeled_partition(warp, x[t] & 3);
  y[3 * n + t] = cg::reduce(same, x[t], cg::plus<int>());
  if (x[t] % 3 == 1) {
    auto some = cg::coalesced_threads();
    y[4 * n + t] = cg::exclusive_scan(some, 1, cg::plus<int>()) * 100 + some.size();
  }
})")};
    if (k.ptx.empty()) QSKIP("the headers of cooperative groups are not on this machine");
    const int n = 128;
    std::vector<int> x(n);
    for (int t = 0; t < n; ++t) x[static_cast<std::size_t>(t)] = (t * 37 + 11) % 101 - 20;
    k.block = n;
    k.with(x).with(std::vector<int>(5 * n));
    QCOMPARE(k.problem(), std::string());
    const auto y = k.values<int>(1);
    const auto sum = [&](int from, int to, auto&& of) {
      int s = 0;
      for (int i = from; i < to; ++i) s += of(i);
      return s;
    };
    const auto at = [&](int i) { return x[static_cast<std::size_t>(i)]; };
    for (int t = 0; t < n; ++t) {
      const auto got = [&](int row) { return y[static_cast<std::size_t>(row * n + t)]; };
      const int warp = t / 32 * 32;
      QCOMPARE(got(0), sum(t / 64 * 64, t / 64 * 64 + 64, at));
      QCOMPARE(got(1), *std::max_element(x.begin(), x.end()));
      QCOMPARE(got(2), sum(t / 8 * 8, t + 1, at));
      QCOMPARE(got(3), sum(warp, warp + 32, [&](int i) { return (at(i) & 3) == (at(t) & 3) ? at(i) : 0; }));
      const auto takes = [&](int i) { return at(i) % 3 == 1 ? 1 : 0; };
      QCOMPARE(got(4), takes(t) == 0 ? 0 : sum(warp, t, takes) * 100 + sum(warp, warp + 32, takes));
    }
  }

  /// A pipeline of two stages, and a barrier whose phases order what lies between them.
  void pipelines() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
extern "C" __global__ void k(const int* x, int* y) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ cuda::barrier<cuda::thread_scope_block> meet;
  __shared__ alignas(16) int stage[2][64];
  auto block = cooperative_groups::this_thread_block();
  int t = block.thread_rank();
  if (t == 0) init(&meet, 64);
  auto pipe = cuda::make_pipeline(block, &state);
  for (int next = 0, now = 0; now < 6; ++now) {
    for (; next < 6 && next < now + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[next & 1], x + 64 * next, cuda::aligned_size_t<16>(256), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    y[64 * now + t] = 3 * stage[now & 1][63 - t];
    pipe.consumer_release();
  }
  block.sync();
  stage[0][t] = t;
  meet.arrive_and_wait();
  y[384 + t] = stage[0][t ^ 33];
})")};
    if (k.ptx.empty()) QSKIP("the headers of libcu++ are not on this machine");
    std::vector<int> x(384);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * i % 1009);
    k.block = 64;
    k.with(x).with(std::vector<int>(448));
    QCOMPARE(k.problem(), std::string());
    const auto y = k.values<int>(1);
    for (std::size_t i = 0; i < 384; ++i) QCOMPARE(y[i], 3 * x[i / 64 * 64 + 63 - i % 64]);
    for (int t = 0; t < 64; ++t) QCOMPARE(y[static_cast<std::size_t>(384 + t)], t ^ 33);
  }

  /// Products, quotients and remainders of 128 bits, which NVRTC spells out with the carry flag.
  void wideIntegers() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    __extension__ using S = __int128;
    __extension__ using U = unsigned __int128;
    const std::string ptx =
        compiled(R"(extern "C" __global__ void k(const __int128* a, const __int128* b, __int128* x) {
  int t = threadIdx.x;
  unsigned __int128 u = a[t], v = b[t];
  x[t] = u / v;
  x[128 + t] = u % v;
  x[256 + t] = a[t] / b[t];
  x[384 + t] = a[t] % b[t];
  x[512 + t] = u * v - (a[t] >> 5) + (u << 9);
})",
                 {"--device-int128"});
    QVERIFY(!ptx.empty());
    std::vector<S> a(128), b(128), x(640);
    std::uint64_t seed = 1;
    const auto word = [&] { return seed = seed * 6364136223846793005u + 1442695040888963407u; };
    const auto number = [&] { // of any length, some negative
      const U bits = static_cast<U>(word()) << 64 | word();
      const auto value = static_cast<S>(bits >> (word() >> 57));
      return word() >> 62 == 0 ? -value : value;
    };
    for (std::size_t t = 0; t < 128; ++t) {
      a[t] = number();
      b[t] = number();
      if (b[t] == 0) b[t] = 3;
    }
    Kernel k{ptx};
    k.block = 128;
    k.with(a).with(b).with(x);
    QCOMPARE(k.problem(), std::string());
    const auto got = k.values<S>(2);
    for (std::size_t t = 0; t < 128; ++t) {
      const auto u = static_cast<U>(a[t]), v = static_cast<U>(b[t]);
      QVERIFY(static_cast<U>(got[t]) == u / v);
      QVERIFY(static_cast<U>(got[128 + t]) == u % v);
      QVERIFY(got[256 + t] == a[t] / b[t]);
      QVERIFY(got[384 + t] == a[t] % b[t]);
      QVERIFY(static_cast<U>(got[512 + t]) == u * v - static_cast<U>(a[t] >> 5) + (u << 9));
    }
  }

  void vectorAtomics() {
    Kernel k{test::entry(1,
                         "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40000000;\n"
                         "red.global.add.v2.f32 [%p0], {%f1, %f2};\n"
                         "atom.global.add.noftz.v4.f16x2 {%r1, %r2, %r3, %r4}, [%p0+16], {%r5, %r6, %r5, %r6};\n"
                         "cvt.f64.f32 %d1, %f2;\nred.global.add.f64 [%p0+32], %d1;\n"
                         "atom.global.inc.u32 %r7, [%p0+40], 9;\natom.global.dec.u32 %r8, [%p0+44], 5;\n"
                         "atom.global.max.s64 %l1, [%p0+48], 17;\nred.global.min.s32 [%p0+56], -4;\n",
                         {}, ".reg .f32 %f<4>;\n.reg .f64 %d<4>;\n")};
    k.ptx.insert(k.ptx.find("mov.f32 %f1"), "mov.b32 %r5, 0x3c003c00;\nmov.b32 %r6, 0x40004000;\n");
    k.with(std::vector<std::uint32_t>(16));
    QCOMPARE(k.problem(), std::string());
    const auto f = k.values<float>(0);
    QCOMPARE(f[0], 32.0F);
    QCOMPARE(f[1], 64.0F);
    const auto w = k.values<std::uint32_t>(0);
    QCOMPARE(w[4], 0x50005000u); // 32 in f16
    QCOMPARE(w[5], 0x54005400u); // 64
    QCOMPARE(k.values<double>(0)[4], 64.0);
    QCOMPARE(w[10], 2u); // 32 increments modulo 10
    QCOMPARE(w[11], 4u); // 0 wraps to 5, then down: 32 steps of a cycle of 6
    QCOMPARE(k.values<std::int64_t>(0)[6], std::int64_t{17});
    QCOMPARE(static_cast<int>(w[14]), -4);
  }
};

QTEST_MAIN(TestPtxSystem)
#include "test_ptx_system.moc"
