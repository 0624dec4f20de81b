// One instruction at a time on the same bits in every lane. Expected values: the PTX manual's semantics worked out by
// hand, or IEEE arithmetic of the host where it is the same operation.
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <bit>
#include <cmath>

using namespace aicf;
using aicf::test::Kernel;

namespace {

std::uint64_t f(float v) { return std::bit_cast<std::uint32_t>(v); }
std::uint64_t d(double v) { return std::bit_cast<std::uint64_t>(v); }
constexpr std::uint64_t nan32 = 0x7fffffff, inf32 = 0x7f800000;

struct Case {
  const char* text; ///< writes %r0, %l0 or %h0 from %rN, %lN, %hN, N = 1 … 3
  std::uint64_t a, b, c, expected;
};

/// Runs all the cases as one kernel with one output word each; a case in braces so that labels and names are its own.
std::string run_cases(const std::vector<Case>& cases) {
  std::string body;
  std::vector<std::uint64_t> in;
  std::size_t n = 0;
  for (const Case& c : cases) {
    in.insert(in.end(), {c.a, c.b, c.c});
    const auto at = [&](unsigned k) { return "[%p0+" + std::to_string((3 * n + k) * 8) + "]"; };
    const std::string text = c.text;
    body += "{\n";
    for (unsigned k = 0; k < 3; ++k) {
      const auto s = std::to_string(k + 1);
      body += "ld.global.u64 %l" + s + ", " + at(k) + ";\ncvt.u32.u64 %r" + s + ", %l" + s + ";\ncvt.u16.u64 %h" + s +
              ", %l" + s + ";\n";
    }
    body += "mov.u64 %l0, 0;\nmov.u32 %r0, 0;\nmov.u16 %h0, 0;\n" + text + "\n";
    const bool r = text.find("%r0") != std::string::npos, h = text.find("%h0") != std::string::npos;
    if (r) body += "cvt.u64.u32 %l0, %r0;\n";
    if (h) body += "cvt.u64.u16 %l0, %h0;\n";
    body += "st.global.u64 [%p1+" + std::to_string(8 * n) + "], %l0;\n}\n";
    ++n;
  }
  Kernel k{test::entry(2, body)};
  k.with(in).with(std::vector<std::uint64_t>(cases.size()));
  k.block = 1;
  if (auto problem = k.problem(); !problem.empty()) return problem;
  const auto out = k.values<std::uint64_t>(1);
  std::string wrong;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (out[i] != cases[i].expected) {
      char line[256];
      std::snprintf(line, sizeof line, "%s: %llx instead of %llx (a %llx, b %llx, c %llx)\n", cases[i].text,
                    static_cast<unsigned long long>(out[i]), static_cast<unsigned long long>(cases[i].expected),
                    static_cast<unsigned long long>(cases[i].a), static_cast<unsigned long long>(cases[i].b),
                    static_cast<unsigned long long>(cases[i].c));
      wrong += line;
    }
  return wrong;
}

#define CHECK_CASES(...)                                                                                               \
  const std::string wrong = run_cases(std::vector<Case> __VA_ARGS__);                                                  \
  QVERIFY2(wrong.empty(), wrong.c_str())

} // namespace

class TestEmulatorInstructions : public QObject {
  Q_OBJECT
 private slots:
  void integers();
  void wide_and_carry();
  void bits();
  void comparisons();
  void conversions();
  void single();
  void directed();
  void doubles();
  void halves();
  void moves();
};

void TestEmulatorInstructions::integers() {
  CHECK_CASES({
      {"add.s32 %r0, %r1, %r2;", 7, 0xfffffffe, 0, 5},
      {"add.u64 %l0, %l1, %l2;", ~0ull, 2, 0, 1},
      {"add.s16 %h0, %h1, %h2;", 0xffff, 2, 0, 1},
      {"add.sat.s32 %r0, %r1, %r2;", 0x7fffffff, 1, 0, 0x7fffffff},
      {"sub.sat.s32 %r0, %r1, %r2;", 0x80000000, 1, 0, 0x80000000},
      {"sub.s32 %r0, %r1, %r2;", 3, 5, 0, 0xfffffffe},
      {"mul.lo.s32 %r0, %r1, %r2;", 0x10001, 0x10001, 0, 0x20001},
      {"mul.hi.u32 %r0, %r1, %r2;", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
      {"mul.hi.s32 %r0, %r1, %r2;", 0xffffffff, 2, 0, 0xffffffff},
      {"mul.hi.s64 %l0, %l1, %l2;", ~0ull, 5, 0, ~0ull},
      {"mul.hi.u64 %l0, %l1, %l2;", ~0ull, 5, 0, 4},
      {"mul.lo.u16 %h0, %h1, %h2;", 300, 300, 0, 90000 & 0xffff},
      {"mul.hi.s16 %h0, %h1, %h2;", 0xffff, 300, 0, 0xffff},
      {"mad.lo.s32 %r0, %r1, %r2, %r3;", 7, 0xffffffff, 10, 3},
      {"mad.hi.s32 %r0, %r1, %r2, %r3;", 0x40000000, 8, 1, 3},
      {"mul24.lo.s32 %r0, %r1, %r2;", 0x00ffffff, 3, 0, 0xfffffffd},
      {"mad24.lo.u32 %r0, %r1, %r2, %r3;", 0x01000002, 3, 1, 7},
      {"div.s32 %r0, %r1, %r2;", 0xfffffff9, 2, 0, 0xfffffffd},
      {"rem.s32 %r0, %r1, %r2;", 0xfffffff9, 2, 0, 0xffffffff},
      {"div.s32 %r0, %r1, %r2;", 0x80000000, 0xffffffff, 0, 0x80000000},
      {"div.u32 %r0, %r1, %r2;", 0xfffffff9, 2, 0, 0x7ffffffc},
      {"rem.u64 %l0, %l1, %l2;", 1000000000007ull, 10, 0, 7},
      {"div.s64 %l0, %l1, %l2;", static_cast<std::uint64_t>(-1000), 7, 0, static_cast<std::uint64_t>(-142)},
      {"div.s16 %h0, %h1, %h2;", 0xfff9, 2, 0, 0xfffd},
      {"min.s32 %r0, %r1, %r2;", 0xffffffff, 1, 0, 0xffffffff},
      {"min.u32 %r0, %r1, %r2;", 0xffffffff, 1, 0, 1},
      {"max.s64 %l0, %l1, %l2;", ~0ull, 1, 0, 1},
      {"max.s16 %h0, %h1, %h2;", 0xffff, 1, 0, 1},
      {"abs.s32 %r0, %r1;", 0xfffffff0, 0, 0, 16},
      {"abs.s32 %r0, %r1;", 0x80000000, 0, 0, 0x80000000},
      {"neg.s64 %l0, %l1;", 5, 0, 0, static_cast<std::uint64_t>(-5)},
      {"neg.s16 %h0, %h1;", 5, 0, 0, 0xfffb},
      {"sad.u32 %r0, %r1, %r2, %r3;", 3, 10, 1, 8},
      {"sad.s32 %r0, %r1, %r2, %r3;", 0xffffffff, 2, 1, 4},
      {"dp4a.s32.s32 %r0, %r1, %r2, %r3;", 0xff020304, 0x02010101, 10, 10 + 4 + 3 + 2 - 2},
      {"dp4a.u32.u32 %r0, %r1, %r2, %r3;", 0xff020304, 0x02010101, 10, 10 + 4 + 3 + 2 + 510},
      {"dp2a.lo.s32.s32 %r0, %r1, %r2, %r3;", 0xfffe0003, 0x0000ff02, 1, 1 + 6 + 2},
      {"dp2a.hi.u32.u32 %r0, %r1, %r2, %r3;", 0x00020003, 0x05040000, 1, 1 + 12 + 10},
  });
}

void TestEmulatorInstructions::wide_and_carry() {
  CHECK_CASES({
      {"mul.wide.s32 %l0, %r1, %r2;", 0xffffffff, 3, 0, static_cast<std::uint64_t>(-3)},
      {"mul.wide.u32 %l0, %r1, %r2;", 0xffffffff, 3, 0, 0x2fffffffdull},
      {"mul.wide.s16 %r0, %h1, %h2;", 0xffff, 3, 0, 0xfffffffd},
      {"mad.wide.s32 %l0, %r1, %r2, %l3;", 0xffffffff, 3, 10, 7},
      {"add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, %r3;", 0xffffffff, 1, 5, 11},
      {"add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, %r3;", 0xfffffffe, 1, 5, 10},
      {"sub.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r3, 1;", 0, 1, 5, 3},
      {"add.cc.u64 %l4, %l1, %l2; addc.u64 %l0, %l3, 0;", ~0ull, 1, 5, 6},
      {"mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0;", 0xffffffff, 2, 2, 2},
      {"mad.hi.cc.u32 %r4, %r1, %r2, %r3; addc.u32 %r0, 0, 0;", 0x80000000, 2, 0xffffffff, 1},
  });
}

void TestEmulatorInstructions::bits() {
  CHECK_CASES({
      {"and.b32 %r0, %r1, %r2;", 0xf0f0, 0xff00, 0, 0xf000},
      {"or.b64 %l0, %l1, %l2;", 1ull << 40, 1, 0, (1ull << 40) | 1},
      {"xor.b16 %h0, %h1, %h2;", 0xffff, 0x00ff, 0, 0xff00},
      {"not.b16 %h0, %h1;", 0x00ff, 0, 0, 0xff00},
      {"cnot.b32 %r0, %r1;", 0, 0, 0, 1},
      {"shl.b32 %r0, %r1, %r2;", 1, 31, 0, 0x80000000},
      {"shl.b32 %r0, %r1, %r2;", 1, 32, 0, 0},
      {"shr.u32 %r0, %r1, %r2;", 0x80000000, 40, 0, 0},
      {"shr.s32 %r0, %r1, %r2;", 0x80000000, 40, 0, 0xffffffff},
      {"shr.s64 %l0, %l1, %r2;", 1ull << 63, 62, 0, ~1ull},
      {"shl.b64 %l0, %l1, %r2;", 1, 64, 0, 0},
      {"shr.s16 %h0, %h1, %r2;", 0x8000, 3, 0, 0xf000},
      {"shr.b32 %r0, %r1, %r2;", 0x80000000, 4, 0, 0x08000000},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 0x80000000, 1, 33, 3},
      {"shf.r.wrap.b32 %r0, %r1, %r2, %r3;", 0x80000000, 1, 31, 3},
      {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", 0x12345678, 1, 40, 0x12345678},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 0x12345678, 7, 40, 7},
      {"popc.b32 %r0, %r1;", 0xf00f, 0, 0, 8},
      {"popc.b64 %r0, %l1;", ~0ull, 0, 0, 64},
      {"clz.b32 %r0, %r1;", 0, 0, 0, 32},
      {"clz.b64 %r0, %l1;", 1, 0, 0, 63},
      {"brev.b32 %r0, %r1;", 0x00000001, 0, 0, 0x80000000},
      {"brev.b64 %l0, %l1;", 6, 0, 0, 0x6000000000000000ull},
      {"bfind.u32 %r0, %r1;", 0x00010000, 0, 0, 16},
      {"bfind.s32 %r0, %r1;", 0xffff0000, 0, 0, 15},
      {"bfind.u32 %r0, %r1;", 0, 0, 0, 0xffffffff},
      {"bfind.shiftamt.u32 %r0, %r1;", 0x00010000, 0, 0, 15},
      {"bfe.u32 %r0, %r1, %r2, %r3;", 0x12345678, 8, 8, 0x56},
      {"bfe.s32 %r0, %r1, %r2, %r3;", 0x0000f000, 12, 4, 0xffffffff},
      {"bfe.s32 %r0, %r1, %r2, %r3;", 0x80000000, 28, 16, 0xfffffff8},
      {"bfe.u32 %r0, %r1, %r2, %r3;", 0x80000000, 28, 16, 8},
      {"bfe.u64 %l0, %l1, %r2, %r3;", 0x123456789abcdef0ull, 32, 16, 0x5678},
      {"bfe.s32 %r0, %r1, %r2, %r3;", 0x80000000, 40, 4, 0xffffffff},
      {"bfi.b32 %r0, %r1, %r2, 8, 8;", 0xab, 0x11111111, 0, 0x1111ab11},
      {"bfi.b64 %l0, %l1, %l2, %r3, 16;", 0xabcd, 0, 48, 0xabcd000000000000ull},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", 4, 8, 0, 0xff0},
      {"szext.wrap.s32 %r0, %r1, %r2;", 0x0000000c, 4, 0, 0xfffffffc},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 0xf0, 0xcc, 0xaa, 0xf0 ^ 0xcc ^ 0xaa},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0xe8;", 0xf0, 0xcc, 0xaa, 0xe8},
      {"prmt.b32 %r0, %r1, %r2, 0x5410;", 0x33221100, 0x77665544, 0, 0x55441100},
      {"prmt.b32 %r0, %r1, %r2, 0x000f;", 0, 0x80000000, 0, 0x000000ff},
      {"prmt.b32.f4e %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1, 0x44332211},
      {"prmt.b32.b4e %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 0, 0x55667700},
      {"prmt.b32.rc16 %r0, %r1, %r2, %r3;", 0x33221100, 0, 1, 0x33223322},
      {"prmt.b32.ecl %r0, %r1, %r2, %r3;", 0x33221100, 0, 2, 0x33222222},
      {"prmt.b32.ecr %r0, %r1, %r2, %r3;", 0x33221100, 0, 1, 0x11111100},
  });
}

void TestEmulatorInstructions::comparisons() {
  CHECK_CASES({
      {"setp.lt.s32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", 0xffffffff, 1, 0, 1},
      {"setp.lt.u32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", 0xffffffff, 1, 0, 0},
      {"setp.hs.u32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", 5, 5, 0, 1},
      {"setp.ge.s64 %q1, %l1, %l2; selp.b64 %l0, %l1, %l2, %q1;", 3, ~0ull, 0, 3},
      {"setp.ne.s16 %q1, %h1, %h2; selp.b16 %h0, 7, 9, %q1;", 3, 4, 0, 7},
      {"setp.le.u64 %q1, %l1, %l2; selp.u32 %r0, 1, 0, %q1;", 3, 3, 0, 1},
      {"setp.eq.b32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", 3, 3, 0, 1},
      {"setp.lt.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", f(1), nan32, 0, 0},
      {"setp.ltu.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", f(1), nan32, 0, 1},
      {"setp.ne.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", f(1), nan32, 0, 0},
      {"setp.neu.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", f(1), nan32, 0, 1},
      {"setp.equ.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", f(1), f(2), 0, 0},
      {"setp.gt.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", f(2), f(1), 0, 1},
      {"setp.geu.f64 %q1, %l1, %l2; selp.u32 %r0, 1, 0, %q1;", d(2), d(2), 0, 1},
      {"setp.num.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", f(1), nan32, 0, 0},
      {"setp.nan.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", f(1), nan32, 0, 1},
      {"setp.lt.ftz.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", 0, 1, 0, 0},
      {"setp.lt.f32 %q1, %r1, %r2; selp.u32 %r0, 1, 0, %q1;", 0, 1, 0, 1},
      {"setp.eq.s32 %q1|%q2, %r1, %r2; selp.u32 %r0, 1, 2, %q2;", 4, 5, 0, 1},
      {"setp.eq.s32 %q2, %r3, 1; setp.lt.and.s32 %q1, %r1, %r2, %q2; selp.u32 %r0, 1, 0, %q1;", 1, 2, 1, 1},
      {"setp.eq.s32 %q2, %r3, 1; setp.lt.or.s32 %q1, %r1, %r2, !%q2; selp.u32 %r0, 1, 0, %q1;", 3, 2, 0, 1},
      {"setp.eq.s32 %q2, %r3, 1; setp.lt.xor.s32 %q1, %r1, %r2, %q2; selp.u32 %r0, 1, 0, %q1;", 1, 2, 1, 0},
      {"set.lt.u32.s32 %r0, %r1, %r2;", 1, 2, 0, 0xffffffff},
      {"set.gt.f32.f32 %r0, %r1, %r2;", f(3), f(2), 0, f(1)},
      {"slct.b32.s32 %r0, %r1, %r2, %r3;", 10, 20, 0xffffffff, 20},
      {"slct.b32.f32 %r0, %r1, %r2, %r3;", 10, 20, f(-0.0f), 10},
      {"slct.b32.f32 %r0, %r1, %r2, %r3;", 10, 20, nan32, 20},
      {"testp.subnormal.f32 %q1, %r1; selp.u32 %r0, 1, 0, %q1;", 1, 0, 0, 1},
      {"testp.infinite.f64 %q1, %l1; selp.u32 %r0, 1, 0, %q1;", d(-INFINITY), 0, 0, 1},
      {"testp.normal.f32 %q1, %r1; selp.u32 %r0, 1, 0, %q1;", f(-2), 0, 0, 1},
      {"setp.lt.f16 %q1, %h1, %h2; selp.u32 %r0, 1, 0, %q1;", 0xbc00, 0x3c00, 0, 1},
      {"setp.gt.bf16 %q1, %h1, %h2; selp.u32 %r0, 1, 0, %q1;", 0x4000, 0x3f80, 0, 1},
      {"setp.lt.f16x2 %q1|%q2, %r1, %r2; selp.u32 %r0, 1, 0, %q2;", 0x3c004000, 0x40003c00, 0, 1},
      {"set.lt.f16x2.f16x2 %r0, %r1, %r2;", 0x3c004000, 0x40003c00, 0, 0x3c000000},
      {"setp.ne.s32 %q1, %r1, 0; not.pred %q2, %q1; and.pred %q3, %q2, %q1; selp.u32 %r0, 1, 2, %q3;", 1, 0, 0, 2},
  });
}

void TestEmulatorInstructions::conversions() {
  CHECK_CASES({
      {"cvt.s32.s8 %r0, %r1;", 0x80, 0, 0, 0xffffff80},
      {"cvt.u32.u8 %r0, %r1;", 0x1ff, 0, 0, 0xff},
      {"cvt.s64.s32 %l0, %r1;", 0x80000000, 0, 0, 0xffffffff80000000ull},
      {"cvt.u64.u32 %l0, %r1;", 0x80000000, 0, 0, 0x80000000},
      {"cvt.u16.u32 %h0, %r1;", 0x12345678, 0, 0, 0x5678},
      {"cvt.s8.s32 %r0, %r1;", 0x1f0, 0, 0, 0xfffffff0},
      {"cvt.sat.s8.s32 %r0, %r1;", 300, 0, 0, 127},
      {"cvt.sat.s8.s32 %r0, %r1;", static_cast<std::uint32_t>(-300), 0, 0, 0xffffff80},
      {"cvt.sat.u8.s32 %r0, %r1;", 0xfffffff0, 0, 0, 0},
      {"cvt.sat.u16.u32 %h0, %r1;", 0x12345, 0, 0, 0xffff},
      {"cvt.rn.f32.s32 %r0, %r1;", 0xffffffff, 0, 0, f(-1)},
      {"cvt.rn.f32.u32 %r0, %r1;", 0xffffffff, 0, 0, f(0x1p32f)},
      {"cvt.rz.f32.u32 %r0, %r1;", 0xffffffff, 0, 0, f(0x1.fffffep31f)},
      {"cvt.rp.f32.s64 %r0, %l1;", 16777217, 0, 0, f(16777218)},
      {"cvt.rn.f32.u64 %r0, %l1;", ~0ull, 0, 0, f(0x1p64f)},
      {"cvt.rn.f64.u64 %l0, %l1;", ~0ull, 0, 0, d(0x1p64)},
      {"cvt.rn.f16.s32 %h0, %r1;", 65536, 0, 0, 0x7c00},
      {"cvt.rn.bf16.u16 %h0, %h1;", 257, 0, 0, 0x4380},
      {"cvt.rzi.s32.f32 %r0, %r1;", f(-2.7f), 0, 0, 0xfffffffe},
      {"cvt.rni.s32.f32 %r0, %r1;", f(2.5f), 0, 0, 2},
      {"cvt.rmi.s32.f32 %r0, %r1;", f(-2.5f), 0, 0, 0xfffffffd},
      {"cvt.rpi.s32.f32 %r0, %r1;", f(2.1f), 0, 0, 3},
      {"cvt.rzi.s32.f32 %r0, %r1;", f(3e9f), 0, 0, 0x7fffffff},
      {"cvt.rzi.u32.f32 %r0, %r1;", f(-3), 0, 0, 0},
      {"cvt.rzi.u32.f32 %r0, %r1;", f(3e9f), 0, 0, 3000000000u},
      {"cvt.rzi.s32.f32 %r0, %r1;", nan32, 0, 0, 0},
      {"cvt.rzi.s64.f64 %l0, %l1;", d(-1e15), 0, 0, static_cast<std::uint64_t>(-1000000000000000)},
      {"cvt.rzi.u16.f32 %h0, %r1;", f(70000), 0, 0, 0xffff},
      {"cvt.f64.f32 %l0, %r1;", f(0.1f), 0, 0, d(static_cast<double>(0.1f))},
      {"cvt.rn.f32.f64 %r0, %l1;", d(0.1), 0, 0, f(0.1f)},
      {"cvt.rz.f32.f64 %r0, %l1;", d(0.3), 0, 0, f(std::nextafterf(0.3f, 0))},
      {"cvt.rp.f32.f64 %r0, %l1;", d(1e300), 0, 0, inf32},
      {"cvt.rm.f32.f64 %r0, %l1;", d(1e300), 0, 0, f(0x1.fffffep127f)},
      {"cvt.rni.f32.f32 %r0, %r1;", f(2.5f), 0, 0, f(2)},
      {"cvt.rmi.f32.f32 %r0, %r1;", f(-0.5f), 0, 0, f(-1)},
      {"cvt.rzi.f32.f32 %r0, %r1;", f(-0.5f), 0, 0, f(-0.0f)},
      {"cvt.rzi.f64.f64 %l0, %l1;", d(-7.9), 0, 0, d(-7)},
      {"cvt.sat.f32.f32 %r0, %r1;", f(7), 0, 0, f(1)},
      {"cvt.sat.f32.f32 %r0, %r1;", nan32, 0, 0, 0},
      {"cvt.ftz.f64.f32 %l0, %r1;", 1, 0, 0, 0},
      {"cvt.rn.f16.f32 %h0, %r1;", f(65519), 0, 0, 0x7bff},
      {"cvt.rn.f16.f32 %h0, %r1;", f(65520), 0, 0, 0x7c00},
      {"cvt.rn.f16.f32 %h0, %r1;", f(0x1p-24f), 0, 0, 1},
      {"cvt.rn.f16.f32 %h0, %r1;", f(0x1p-25f), 0, 0, 0},
      {"cvt.rn.f16.f32 %h0, %r1;", f(-0x1.8p-24f), 0, 0, 0x8002},
      {"cvt.rn.f16.f32 %h0, %r1;", f(1.0f / 3), 0, 0, 0x3555},
      {"cvt.rz.f16.f32 %h0, %r1;", f(65535), 0, 0, 0x7bff},
      {"cvt.f32.f16 %r0, %h1;", 0x0001, 0, 0, f(0x1p-24f)},
      {"cvt.f32.f16 %r0, %h1;", 0xfc00, 0, 0, f(-INFINITY)},
      {"cvt.f64.f16 %l0, %h1;", 0x3555, 0, 0, d(0x1.554p-2)},
      {"cvt.rn.bf16.f32 %h0, %r1;", 0x3f808000, 0, 0, 0x3f80},
      {"cvt.rn.bf16.f32 %h0, %r1;", 0x3f818000, 0, 0, 0x3f82},
      {"cvt.rz.bf16.f32 %h0, %r1;", 0x3f81ffff, 0, 0, 0x3f81},
      {"cvt.rn.bf16.f32 %h0, %r1;", 0x7fc01234, 0, 0, 0x7fff},
      {"cvt.f32.bf16 %r0, %h1;", 0x4049, 0, 0, 0x40490000},
      {"cvt.rn.bf16x2.f32 %r0, %r1, %r2;", f(1), f(-2), 0, 0x3f80c000},
      {"cvt.rn.relu.bf16x2.f32 %r0, %r1, %r2;", f(1), f(-2), 0, 0x3f800000},
      {"cvt.rn.f16x2.f32 %r0, %r1, %r2;", f(1), f(-2), 0, 0x3c00c000},
      {"cvt.rzi.s32.f16 %r0, %h1;", 0xc500, 0, 0, 0xfffffffb},
      {"cvt.rn.f16.f64 %h0, %l1;", d(0x1.002p0 + 0x1p-40), 0, 0, 0x3c01},
  });
}

void TestEmulatorInstructions::single() {
  const float third = 1.0f / 3;
  CHECK_CASES({
      {"add.f32 %r0, %r1, %r2;", f(0.1f), f(0.2f), 0, f(0.1f + 0.2f)},
      {"add.ftz.f32 %r0, %r1, %r2;", 1, 1, 0, 0},
      {"add.f32 %r0, %r1, %r2;", 1, 1, 0, 2},
      {"add.sat.f32 %r0, %r1, %r2;", f(0.7f), f(0.7f), 0, f(1)},
      {"add.f32 %r0, %r1, %r2;", inf32, f(-INFINITY), 0, nan32},
      {"sub.rn.f32 %r0, %r1, %r2;", f(1), f(third), 0, f(1 - third)},
      {"mul.f32 %r0, %r1, %r2;", f(third), f(third), 0, f(third * third)},
      {"mul.ftz.f32 %r0, %r1, %r2;", f(0x1p-100f), f(-0x1p-40f), 0, f(-0.0f)},
      {"fma.rn.f32 %r0, %r1, %r2, %r3;", f(third), f(3), f(-1), f(std::fmaf(third, 3, -1))},
      {"mad.rn.f32 %r0, %r1, %r2, %r3;", f(third), f(3), f(-1), f(std::fmaf(third, 3, -1))},
      {"fma.rn.sat.f32 %r0, %r1, %r2, %r3;", f(2), f(3), f(-1), f(1)},
      {"div.rn.f32 %r0, %r1, %r2;", f(1), f(3), 0, f(third)},
      {"div.approx.f32 %r0, %r1, %r2;", f(1), f(0x1p127f), 0, 0},
      {"div.full.f32 %r0, %r1, %r2;", f(6), f(2), 0, f(3)},
      {"rcp.rn.f32 %r0, %r1;", f(3), 0, 0, f(third)},
      {"rcp.approx.ftz.f32 %r0, %r1;", 1, 0, 0, inf32},
      {"rcp.approx.f32 %r0, %r1;", f(-0.0f), 0, 0, f(-INFINITY)},
      {"sqrt.rn.f32 %r0, %r1;", f(2), 0, 0, f(std::sqrt(2.0f))},
      {"sqrt.approx.f32 %r0, %r1;", f(-1), 0, 0, nan32},
      {"rsqrt.approx.f32 %r0, %r1;", f(4), 0, 0, f(0.5f)},
      {"ex2.approx.f32 %r0, %r1;", f(10), 0, 0, f(1024)},
      {"ex2.approx.ftz.f32 %r0, %r1;", f(-140), 0, 0, 0},
      {"ex2.approx.f32 %r0, %r1;", f(-140), 0, 0, f(0x1p-140f)},
      {"ex2.approx.f32 %r0, %r1;", f(-INFINITY), 0, 0, 0},
      {"ex2.approx.f32 %r0, %r1;", inf32, 0, 0, inf32},
      {"lg2.approx.f32 %r0, %r1;", f(1024), 0, 0, f(10)},
      {"lg2.approx.f32 %r0, %r1;", f(0), 0, 0, f(-INFINITY)},
      {"lg2.approx.f32 %r0, %r1;", f(-1), 0, 0, nan32},
      {"lg2.approx.f32 %r0, %r1;", 1, 0, 0, f(-149)},
      {"sin.approx.f32 %r0, %r1;", f(1), 0, 0, f(static_cast<float>(std::sin(1.0)))},
      {"cos.approx.f32 %r0, %r1;", f(1), 0, 0, f(static_cast<float>(std::cos(1.0)))},
      {"tanh.approx.f32 %r0, %r1;", f(0.5f), 0, 0, f(static_cast<float>(std::tanh(0.5)))},
      {"tanh.approx.f32 %r0, %r1;", f(-INFINITY), 0, 0, f(-1)},
      {"min.f32 %r0, %r1, %r2;", nan32, f(2), 0, f(2)},
      {"min.NaN.f32 %r0, %r1, %r2;", nan32, f(2), 0, nan32},
      {"max.f32 %r0, %r1, %r2;", f(-0.0f), f(0.0f), 0, f(0.0f)},
      {"min.f32 %r0, %r1, %r2;", f(0.0f), f(-0.0f), 0, f(-0.0f)},
      {"max.ftz.f32 %r0, %r1, %r2;", 1, f(-3), 0, 0},
      {"max.NaN.f32 %r0, %r1, %r2;", f(1), f(2), 0, f(2)},
      {"abs.f32 %r0, %r1;", f(-2), 0, 0, f(2)},
      {"neg.f32 %r0, %r1;", f(2), 0, 0, f(-2)},
      {"copysign.f32 %r0, %r1, %r2;", f(-1), f(3), 0, f(-3)},
  });
}

void TestEmulatorInstructions::directed() {
  const float third = 1.0f / 3; // rounded up
  CHECK_CASES({
      {"add.rz.f32 %r0, %r1, %r2;", f(1), f(-0x1p-40f), 0, f(std::nextafterf(1, 0))},
      {"add.rm.f32 %r0, %r1, %r2;", f(1), f(0x1p-40f), 0, f(1)},
      {"add.rp.f32 %r0, %r1, %r2;", f(1), f(0x1p-40f), 0, f(std::nextafterf(1, 2))},
      {"add.rp.f32 %r0, %r1, %r2;", f(-1), f(-0x1p-140f), 0, f(-1)},
      {"sub.rm.f32 %r0, %r1, %r2;", f(2), f(2), 0, f(-0.0f)},
      {"sub.rp.f32 %r0, %r1, %r2;", f(2), f(2), 0, 0},
      {"mul.rm.f32 %r0, %r1, %r2;", f(third), f(3), 0, f(1)},
      {"mul.rp.f32 %r0, %r1, %r2;", f(third), f(3), 0, f(std::nextafterf(1, 2))},
      {"mul.rp.f32 %r0, %r1, %r2;", f(0x1p-100f), f(0x1p-100f), 0, 1},
      {"mul.rz.f32 %r0, %r1, %r2;", f(-0x1p-100f), f(0x1p-100f), 0, f(-0.0f)},
      {"mul.rm.f32 %r0, %r1, %r2;", f(-0x1p100f), f(0x1p100f), 0, f(-INFINITY)},
      {"mul.rz.f32 %r0, %r1, %r2;", f(-0x1p100f), f(0x1p100f), 0, f(-0x1.fffffep127f)},
      {"fma.rm.f32 %r0, %r1, %r2, %r3;", f(third), f(3), f(-1), f(0x1p-25f)},
      {"fma.rz.f32 %r0, %r1, %r2, %r3;", f(third), f(third), f(0x1p60f), f(0x1p60f)},
      {"fma.rp.f32 %r0, %r1, %r2, %r3;", f(third), f(third), f(0x1p60f), f(std::nextafterf(0x1p60f, INFINITY))},
      {"div.rm.f32 %r0, %r1, %r2;", f(1), f(3), 0, f(std::nextafterf(third, 0))},
      {"rcp.rp.f32 %r0, %r1;", f(3), 0, 0, f(third)},
      {"sqrt.rm.f32 %r0, %r1;", f(2), 0, 0, f(0x1.6a09e6p0f)},
      {"sqrt.rp.f32 %r0, %r1;", f(2), 0, 0, f(0x1.6a09e8p0f)},
      {"add.rp.f64 %l0, %l1, %l2;", d(1), d(0x1p-100), 0, d(std::nextafter(1.0, 2.0))},
      {"mul.rz.f64 %l0, %l1, %l2;", d(0.1), d(0.1), 0, d(0.01)},
      {"fma.rm.f64 %l0, %l1, %l2, %l3;", d(1), d(1), d(-0x1p-100), d(std::nextafter(1.0, 0.0))},
  });
}

void TestEmulatorInstructions::doubles() {
  const double third = 1.0 / 3;
  CHECK_CASES({
      {"add.f64 %l0, %l1, %l2;", d(0.1), d(0.2), 0, d(0.1 + 0.2)},
      {"sub.rn.f64 %l0, %l1, %l2;", d(0.1), d(0.2), 0, d(0.1 - 0.2)},
      {"mul.f64 %l0, %l1, %l2;", d(third), d(third), 0, d(third * third)},
      {"fma.rn.f64 %l0, %l1, %l2, %l3;", d(third), d(3), d(-1), d(std::fma(third, 3, -1))},
      {"div.rn.f64 %l0, %l1, %l2;", d(1), d(3), 0, d(third)},
      {"rcp.rn.f64 %l0, %l1;", d(3), 0, 0, d(third)},
      {"rcp.approx.ftz.f64 %l0, %l1;", d(4), 0, 0, d(0.25)},
      {"sqrt.rn.f64 %l0, %l1;", d(2), 0, 0, d(std::sqrt(2.0))},
      {"rsqrt.approx.f64 %l0, %l1;", d(0.25), 0, 0, d(2)},
      {"min.f64 %l0, %l1, %l2;", d(NAN), d(2), 0, d(2)},
      {"max.f64 %l0, %l1, %l2;", d(-1), d(2), 0, d(2)},
      {"abs.f64 %l0, %l1;", d(-2), 0, 0, d(2)},
      {"neg.f64 %l0, %l1;", d(2), 0, 0, d(-2)},
      {"copysign.f64 %l0, %l1, %l2;", d(-1), d(3), 0, d(-3)},
      {"mov.f64 %l0, 0d3FF8000000000000;", 0, 0, 0, d(1.5)},
      {"mov.f32 %r0, 0f3FC00000;", 0, 0, 0, f(1.5f)},
      {"add.f64 %l0, %l1, 2.5;", d(1), 0, 0, d(3.5)},
  });
}

void TestEmulatorInstructions::halves() {
  CHECK_CASES({
      {"add.f16 %h0, %h1, %h2;", 0x3c00, 0x4000, 0, 0x4200},
      {"add.rn.f16 %h0, %h1, %h2;", 0x6800, 0x3c00, 0, 0x6800}, // 2048 + 1: tie to even
      {"sub.f16 %h0, %h1, %h2;", 0x3c00, 0x3c01, 0, 0x9400},    // -2^-10
      {"mul.f16 %h0, %h1, %h2;", 0x0400, 0x3800, 0, 0x0200},    // a subnormal
      {"mul.f16x2 %r0, %r1, %r2;", 0x40003c00, 0x42004400, 0, 0x46004400},
      {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0x3c01, 0x3c01, 0xbc02, 0x0010}, // (1+u)^2 - (1+2u) = u^2 = 2^-20
      {"fma.rn.sat.f16 %h0, %h1, %h2, %h3;", 0x4000, 0x4000, 0, 0x3c00},
      {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", 0xc000, 0x4000, 0, 0},
      {"fma.rn.f16x2 %r0, %r1, %r2, %r3;", 0x3c004000, 0x3c004000, 0x3c003c00, 0x40004500},
      {"add.bf16 %h0, %h1, %h2;", 0x3f80, 0x4000, 0, 0x4040},
      {"mul.bf16x2 %r0, %r1, %r2;", 0x3f804000, 0x40404040, 0, 0x404040c0},
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x3f81, 0x3f81, 0xbf82, 0x3880}, // (1+2^-7)^2 - (1+2^-6) = 2^-14
      {"fma.rn.bf16x2 %r0, %r1, %r2, %r3;", 0x3f803f80, 0x40004000, 0x3f80bf80, 0x40403f80},
      {"min.f16 %h0, %h1, %h2;", 0x7e00, 0x3c00, 0, 0x3c00},
      {"max.NaN.f16 %h0, %h1, %h2;", 0x7e00, 0x3c00, 0, 0x7fff},
      {"max.bf16x2 %r0, %r1, %r2;", 0x3f80c000, 0x40003f80, 0, 0x40003f80},
      {"neg.f16x2 %r0, %r1;", 0x3c00bc00, 0, 0, 0xbc003c00},
      {"abs.bf16 %h0, %h1;", 0xbf80, 0, 0, 0x3f80},
      {"neg.bf16x2 %r0, %r1;", 0x3f80bf80, 0, 0, 0xbf803f80},
      {"ex2.approx.f16 %h0, %h1;", 0x4200, 0, 0, 0x4800},
      {"ex2.approx.ftz.bf16 %h0, %h1;", 0x4040, 0, 0, 0x4100},
      {"ex2.approx.ftz.bf16x2 %r0, %r1;", 0xc3004040, 0, 0, 0x00004100}, // 2^-128 is flushed
      {"tanh.approx.f16 %h0, %h1;", 0x0000, 0, 0, 0x0000},
      {"tanh.approx.bf16x2 %r0, %r1;", 0x7f80ff80, 0, 0, 0x3f80bf80},
  });
}

void TestEmulatorInstructions::moves() {
  CHECK_CASES({
      {"mov.b32 {%h4, %h5}, %r1; mov.b32 %r0, {%h5, %h4};", 0x12345678, 0, 0, 0x56781234},
      {"mov.b64 {%r4, %r5}, %l1; mov.b64 %l0, {%r5, %r4};", 0x1122334455667788ull, 0, 0, 0x5566778811223344ull},
      {"mov.b64 %l0, {%h1, %h2, %h3, %h1};", 1, 2, 3, 0x0001000300020001ull},
      {"mov.b64 {%h4, %h5, %h6, %h0}, %l1;", 0x1122334455667788ull, 0, 0, 0x1122},
      {"mov.u32 %r0, %laneid;", 0, 0, 0, 0},
      {"mov.u32 %r0, %ntid.x;", 0, 0, 0, 1},
      {"mov.u32 %r0, %lanemask_le;", 0, 0, 0, 1},
      {"mov.u32 %r0, WARP_SZ;", 0, 0, 0, 32},
      {"@%q9 mov.u32 %r0, 5;", 0, 0, 0, 0},
      {"setp.eq.u32 %q1, %r1, 4; @%q1 mov.u32 %r0, 5; @!%q1 mov.u32 %r0, 6;", 4, 0, 0, 5},
      {"bra T; U: mov.u32 %r0, 2; bra V; T: mov.u32 %r0, 1; bra U; V:", 0, 0, 0, 2},
  });
}

QTEST_GUILESS_MAIN(TestEmulatorInstructions)
#include "test_emulator_instructions.moc"
