// Functions that call themselves or each other, by name and by address; every expected value is the host's.
#include "core/exec/nvrtc.hpp"
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <algorithm>
#include <numeric>

using namespace aicf;
using aicf::test::compiled;
using aicf::test::Kernel;

namespace {

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
/// Discs move from a to c; the moves are hashed in order.
void hanoi(int n, int a, int b, int c, unsigned& hash) {
  if (n == 0) return;
  hanoi(n - 1, a, c, b, hash);
  hash = hash * 31 + static_cast<unsigned>(16 * n + 4 * a + c);
  hanoi(n - 1, b, a, c, hash);
}
/// Hofstadter's sequences: each calls the other.
int male(int n);
int female(int n) { return n == 0 ? 1 : n - male(female(n - 1)); }
int male(int n) { return n == 0 ? 0 : n - female(male(n - 1)); }

std::vector<int> shuffled(int count) {
  std::vector<int> v;
  for (int i = 0; i < count; ++i) v.push_back(static_cast<int>(static_cast<unsigned>(i) * 2654435761u >> 8) % 1000);
  return v;
}

} // namespace

class TestPtxCalls : public QObject {
  Q_OBJECT
 private slots:
  void sequences() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ int ack(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}
__device__ __noinline__ void hanoi(int n, int a, int b, int c, unsigned& hash) {
  if (n == 0) return;
  hanoi(n - 1, a, c, b, hash);
  hash = hash * 31 + (16 * n + 4 * a + c);
  hanoi(n - 1, b, a, c, hash);
}
__device__ int male(int n);
__device__ __noinline__ int female(int n) { return n == 0 ? 1 : n - male(female(n - 1)); }
__device__ __noinline__ int male(int n) { return n == 0 ? 0 : n - female(male(n - 1)); }
extern "C" __global__ void k(int* x) {
  int t = threadIdx.x;
  x[t] = fib(t % 13);
  x[t + 64] = t % 3 == 0 ? ack(2, t % 7) : ack(t % 3, t % 5);
  unsigned hash = 1;
  if (t % 5 != 2) hanoi(t % 7, 0, 1, 2, hash);
  x[t + 128] = hash;
  x[t + 192] = t % 2 ? male(t / 2) : female(t / 2);
})")};
    QVERIFY(!k.ptx.empty());
    k.block = 64;
    k.with(std::vector<int>(256));
    QCOMPARE(k.problem(), std::string());
    const auto x = k.values<int>(0);
    for (int t = 0; t < 64; ++t) {
      const auto at = static_cast<std::size_t>(t);
      QCOMPARE(x[at], fibonacci(t % 13));
      QCOMPARE(x[at + 64], t % 3 == 0 ? ackermann(2, t % 7) : ackermann(t % 3, t % 5));
      unsigned hash = 1;
      if (t % 5 != 2) hanoi(t % 7, 0, 1, 2, hash);
      QCOMPARE(static_cast<unsigned>(x[at + 128]), hash);
      QCOMPARE(x[at + 192], t % 2 != 0 ? male(t / 2) : female(t / 2));
    }
  }

  /// Arrays of the callers stay where they are while deeper calls write to theirs.
  void frames() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(
struct Big { double d; int a[5]; };
__device__ __noinline__ Big walk(int n, int* above, Big b) {
  int own[4];
  for (int i = 0; i < 4; ++i) own[(i + n) & 3] = 10 * n + i;
  b.a[n % 5] += n;
  b.d += above[n & 3];
  if (n > 0) b = walk(n - 1, own, b);
  for (int i = 0; i < 4; ++i) b.a[i] += own[(i + n) & 3] - (10 * n + i); // nothing was written over
  above[0] += n;
  return b;
}
__device__ __noinline__ void sort(int* v, int n) {
  if (n < 2) return;
  int p = v[n / 2], i = 0, j = n - 1;
  while (i <= j) {
    while (v[i] < p) ++i;
    while (v[j] > p) --j;
    if (i <= j) { int s = v[i]; v[i++] = v[j]; v[j--] = s; }
  }
  sort(v, j + 1);
  sort(v + i, n - i);
}
extern "C" __global__ void k(double* d, int* x, int* data) {
  int t = threadIdx.x, above[4] = {1, 2, 3, 4};
  Big b{0.5, {t, 0, 0, 0, 0}};
  b = walk(t % 11, above, b);
  d[t] = b.d + above[0];
  x[t] = b.a[0] + 100 * b.a[1] + 10000 * b.a[2];
  sort(data + 40 * t, 40 - t % 32);
})")};
    QVERIFY(!k.ptx.empty());
    const auto data = shuffled(40 * 32);
    k.with(std::vector<double>(32)).with(std::vector<int>(32)).with(data);
    QCOMPARE(k.problem(), std::string());
    for (int t = 0; t < 32; ++t) {
      const int n = t % 11;
      const auto at = static_cast<std::size_t>(t);
      // above[n & 3] of each call: own[(i + m) & 3] = 10 m + i, seen by the call with m - 1.
      double d = 0.5 + std::array<int, 4>{1, 2, 3, 4}[static_cast<std::size_t>(n & 3)] + 1 + n;
      std::array<int, 5> a{t, 0, 0, 0, 0};
      for (int m = n; m >= 0; --m) a[static_cast<std::size_t>(m % 5)] += m;
      for (int m = n; m > 0; --m) d += 10 * m + ((m - 1 - m) & 3);
      // above[0] += n comes after the check of a deeper call's caller, which sees it in own[0].
      for (int m = 1; m <= n; ++m) a[static_cast<std::size_t>((0 - m) & 3)] += m - 1;
      QCOMPARE(k.values<double>(0)[at], d);
      QCOMPARE(k.values<int>(1)[at], a[0] + 100 * a[1] + 10000 * a[2]);
      std::vector<int> sorted(data.begin() + 40 * t, data.begin() + 40 * (t + 1));
      std::sort(sorted.begin(), sorted.end() - t % 32);
      const auto got = k.values<int>(2);
      QVERIFY(std::equal(sorted.begin(), sorted.end(), got.begin() + 40 * t));
    }
  }

  /// By address: a function passes on what calls it, and lanes mean different functions at different depths.
  void byAddress() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(
typedef int (*F)(int, int);
extern __device__ F table[3];
__device__ __noinline__ int down(int n, int s) { return n <= 0 ? s : table[(n + s) % 3](n - 1, s + 1) + 1; }
__device__ __noinline__ int half(int n, int s) { return n <= 0 ? s : 2 * table[n % 3](n / 2, s + 2); }
__device__ __noinline__ int stop(int n, int s) { return n * 100 + s; }
__device__ F table[3] = {down, half, stop};
extern "C" __global__ void k(int* x) {
  int t = threadIdx.x;
  x[t] = table[t % 3](t, t / 3);
})")};
    QVERIFY(!k.ptx.empty());
    k.with(std::vector<int>(32));
    QCOMPARE(k.problem(), std::string());
    const auto apply = [](const auto& self, int which, int n, int s) -> int {
      if (which == 2) return n * 100 + s;
      if (n <= 0) return s;
      return which == 0 ? self(self, (n + s) % 3, n - 1, s + 1) + 1 : 2 * self(self, n % 3, n / 2, s + 2);
    };
    for (int t = 0; t < 32; ++t) QCOMPARE(k.values<int>(0)[static_cast<std::size_t>(t)], apply(apply, t % 3, t, t / 3));
  }

  /// Parameters in registers, a guarded call, and predicates and 64-bit registers that live across it.
  void registers() {
    Kernel k{test::entry(1, R"(cvt.u64.u32 %l1, %t;
mul.wide.u32 %l2, %t, 8;
add.u64 %l2, %p0, %l2;
call (%l3), sum, (%l1, %t);
st.global.u64 [%l2], %l3;)",
                         R"(.func (.reg .b64 %out) sum(.reg .b64 %n, .reg .b32 %tag)
{
  .reg .b64 %a, %b;
  .reg .pred %p, %odd;
  .reg .b32 %c;
  setp.ne.u64 %p, %n, 0;
  and.b32 %c, %tag, 1;
  setp.ne.u32 %odd, %c, 0;
  mov.u64 %out, 7;
  mov.u64 %b, 0;
  sub.u64 %a, %n, 1;
  add.u32 %c, %tag, 1;
  @%p call (%b), sum, (%a, %c);
  @%p add.u64 %out, %b, %n;
  @%odd add.u64 %out, %out, 1000;
  ret;
})")};
    k.with(std::vector<std::uint64_t>(32));
    QCOMPARE(k.problem(), std::string());
    for (std::uint64_t t = 0; t < 32; ++t) { // calls with n = t … 0 and tags t, t + 1 …
      std::uint64_t expected = 7 + t * (t + 1) / 2;
      for (std::uint64_t depth = 0; depth <= t; ++depth) expected += (t + depth) % 2 * 1000;
      QCOMPARE(k.values<std::uint64_t>(0)[t], expected);
    }
  }

  /// Lanes at one instruction and different depths take part in what the warp does together.
  void together() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(
__device__ __noinline__ int total(int n) {
  if (n == 0) return __reduce_add_sync(0xffffffffu, threadIdx.x);
  return total(n - 1) + 1;
}
extern "C" __global__ void k(int* x) { x[threadIdx.x] = total(threadIdx.x % 9); })")};
    QVERIFY(!k.ptx.empty());
    k.with(std::vector<int>(32));
    QCOMPARE(k.problem(), std::string());
    for (int t = 0; t < 32; ++t) QCOMPARE(k.values<int>(0)[static_cast<std::size_t>(t)], 496 + t % 9);
  }

  void overflow_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("line");
    QTest::newRow("of itself") << R"(namespace Deep {
__device__ __noinline__ int endless(int n, volatile int* p) {
  int own[8];
  own[n & 7] = *p;
  int deeper = endless(n + 1, p);
  return deeper + own[*p & 7];
}
}
extern "C" __global__ void k(int* x) {
  if (threadIdx.x == 5) x[0] = Deep::endless(0, x);
})"
                               << "'Deep::endless'" << 5;
    QTest::newRow("of two, without variables") << R"(__device__ __noinline__ int pong(volatile int* p);
__device__ __noinline__ int ping(volatile int* p) { return 1 + *p + pong(p); }
__device__ __noinline__ int pong(volatile int* p) {
  return 2 * ping(p);
}
extern "C" __global__ void k(int* x) { x[threadIdx.x] = ping(x); })"
                                               << "ng' is" << 0;
  }

  void overflow() {
    QFETCH(QString, source);
    QFETCH(QString, name);
    QFETCH(int, line);
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(source.toStdString())};
    QVERIFY(!k.ptx.empty());
    k.with(std::vector<int>(32));
    const auto result = k.run();
    QVERIFY(result && !result->faults.empty());
    const Fault& f = result->faults.front();
    QCOMPARE(f.kind, std::string("stack-overflow"));
    QVERIFY2(f.message.find(name.toStdString()) != std::string::npos, f.message.c_str());
    QVERIFY2(f.message.find("512 KiB") != std::string::npos, f.message.c_str());
    QVERIFY(f.ptx_line > 0);
    if (line != 0) {
      QCOMPARE(f.cuda_line, line);
      QCOMPARE(f.thread[0], 5u);
    }
  }

  /// The blocks of a launch begin with empty stacks, one after another.
  void blocks() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    Kernel k{compiled(R"(
__device__ __noinline__ int deep(int n, int* p) {
  int own[16];
  own[*p & 15] = n;
  return n == 0 ? 0 : deep(n - 1, p) + own[*p & 15];
}
extern "C" __global__ void k(int* zero, int* x) { x[blockIdx.x * 32 + threadIdx.x] = deep(1000 + threadIdx.x, zero); })")};
    QVERIFY(!k.ptx.empty());
    k.grid = 40;
    k.with(std::vector<int>(1)).with(std::vector<int>(40 * 32));
    QCOMPARE(k.problem(), std::string());
    for (int i = 0; i < 40 * 32; ++i) {
      const int n = 1000 + i % 32;
      QCOMPARE(k.values<int>(1)[static_cast<std::size_t>(i)], n * (n + 1) / 2);
    }
  }
};

QTEST_MAIN(TestPtxCalls)
#include "test_ptx_calls.moc"
