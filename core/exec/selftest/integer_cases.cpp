// Integers and bits. Every expected value is written down from the description in the PTX manual.
#include "core/exec/selftest/case_words.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace aicf::selftest {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

W multiply_high(W a, W b) { return static_cast<W>(static_cast<Wide>(a) * b >> 64); }
W multiply_high_signed(W a, W b) { return static_cast<W>(static_cast<SignedWide>(l(a)) * l(b) >> 64); }
int ones(W x) {
  int n = 0;
  for (; x != 0; x >>= 1) n += static_cast<int>(x & 1);
  return n;
}
int leading(W x, int bits) {
  int n = 0;
  while (n < bits && (x >> (bits - 1 - n) & 1) == 0) ++n;
  return n;
}
W reversed(W x, int bits) {
  W r = 0;
  for (int i = 0; i < bits; ++i) r |= (x >> i & 1) << (bits - 1 - i);
  return r;
}
/// bfe, bit by bit as the manual's pseudocode has it.
W extract(W a, W b, W c, int width, bool sign) {
  const int pos = static_cast<int>(b & 0xff), len = static_cast<int>(c & 0xff), msb = width - 1;
  const W sbit = !sign || len == 0 ? 0 : a >> std::min(pos + len - 1, msb) & 1;
  W r = 0;
  for (int i = 0; i <= msb; ++i) r |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sbit) << i;
  return r;
}
W insert(W a, W b, int pos, int len, int width) {
  W r = b;
  for (int i = 0; i < len && pos + i < width; ++i) {
    r &= ~(W{1} << (pos + i));
    r |= (a >> i & 1) << (pos + i);
  }
  return r;
}
W permuted(W a, W b, std::array<int, 4> pick, std::array<bool, 4> sign = {}) {
  const W both = (a & 0xffffffff) | b << 32;
  W r = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const W byte = both >> (8 * pick[i]) & 0xff;
    r |= (sign[i] ? (byte >> 7 != 0 ? 0xff : 0) : byte) << (8 * i);
  }
  return r;
}
W permuted(W a, W b, W c) {
  std::array<int, 4> pick{};
  std::array<bool, 4> sign{};
  for (std::size_t i = 0; i < 4; ++i) {
    pick[i] = static_cast<int>(c >> (4 * i) & 7);
    sign[i] = (c >> (4 * i) & 8) != 0;
  }
  return permuted(a, b, pick, sign);
}
W looked_up(W a, W b, W c, unsigned table) {
  W r = 0;
  for (int i = 0; i < 32; ++i) {
    const unsigned row = static_cast<unsigned>((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1));
    r |= W{table >> row & 1} << i;
  }
  return r;
}
template <class A, class B> W dot4(W a, W b, W c) {
  std::int64_t sum = s(c);
  for (int i = 0; i < 4; ++i) sum += std::int64_t{static_cast<A>(a >> (8 * i))} * static_cast<B>(b >> (8 * i));
  return R(sum);
}
template <class A, class B> W dot2(W a, W b, W c, int half) {
  std::int64_t sum = s(c);
  for (int i = 0; i < 2; ++i)
    sum += std::int64_t{static_cast<A>(a >> (16 * i))} * static_cast<B>(b >> (16 * half + 8 * i));
  return R(sum);
}
using I8 = std::int8_t;
using U8 = std::uint8_t;
/// f of the signed halves, in their places.
template <class F> W halves(W a, W b, F f) {
  const auto at = [&](int n) {
    const int value = f(static_cast<std::int16_t>(a >> n), static_cast<std::int16_t>(b >> n));
    return W{static_cast<std::uint16_t>(value)} << n;
  };
  return at(0) | at(16);
}
W distance(W a, W b, int bits) {
  const auto part = [&](W x) { return static_cast<std::int64_t>(x % (W{1} << bits)); };
  return static_cast<W>(std::abs(part(a) - part(b)));
}
using I16 = std::int16_t;
using U16 = std::uint16_t;
W nth_set(W mask, W base, int n) {
  const int from = static_cast<int>(base);
  if (n == 0) return (mask >> from & 1) != 0 ? base : 0xffffffff;
  std::vector<int> found;
  for (int i = from; i >= 0 && i<32; i += n> 0 ? 1 : -1)
    if ((mask >> i & 1) != 0) found.push_back(i);
  const auto index = static_cast<std::size_t>(n > 0 ? n : -n) - 1;
  return index < found.size() ? static_cast<W>(found[index]) : 0xffffffff;
}
int top_bit(W x, int bits) {
  for (int i = bits - 1; i >= 0; --i)
    if ((x >> i & 1) != 0) return i;
  return -1;
}
W clamp32(std::int64_t v) { return R(std::clamp<std::int64_t>(v, INT32_MIN, INT32_MAX)); }

const InstructionCase table[] = {
    CASE("add.s32 %r0, %r1, %r2;", integers, R(std::int64_t{u(a)} + u(b))),
    CASE("add.u64 %l0, %l1, %l2;", words, a + b),
    CASE("add.s16 %h0, %h1, %h2;", integers, H(sh(a) + sh(b))),
    CASE("add.sat.s32 %r0, %r1, %r2;", integers, clamp32(std::int64_t{s(a)} + s(b))),
    CASE("sub.sat.s32 %r0, %r1, %r2;", integers, clamp32(std::int64_t{s(a)} - s(b))),
    CASE("sub.u32 %r0, %r1, %r2;", integers, R(std::int64_t{u(a)} - u(b))),
    CASE("sub.s64 %l0, %l1, %l2;", words, a - b),
    CASE("mul.lo.u16 %h0, %h1, %h2;", integers, H(std::int64_t{h(a)} * h(b))),
    CASE("mul.lo.s32 %r0, %r1, %r2;", integers, R(static_cast<std::int64_t>(W{u(a)} * u(b)))),
    CASE("mul.lo.u64 %l0, %l1, %l2;", words, a* b),
    CASE("mul.hi.u16 %h0, %h1, %h2;", integers, H(std::int64_t{h(a)} * h(b) >> 16)),
    CASE("mul.hi.s16 %h0, %h1, %h2;", integers, H(std::int64_t{sh(a)} * sh(b) >> 16)),
    CASE("mul.hi.u32 %r0, %r1, %r2;", integers, W{u(a)} * u(b) >> 32),
    CASE("mul.hi.s32 %r0, %r1, %r2;", integers, R(std::int64_t{s(a)} * s(b) >> 32)),
    CASE("mul.hi.u64 %l0, %l1, %l2;", words, multiply_high(a, b)),
    CASE("mul.hi.s64 %l0, %l1, %l2;", words, multiply_high_signed(a, b)),
    CASE("mul.wide.u16 %r0, %h1, %h2;", integers, R(std::int64_t{h(a)} * h(b))),
    CASE("mul.wide.s16 %r0, %h1, %h2;", integers, R(std::int64_t{sh(a)} * sh(b))),
    CASE("mul.wide.u32 %l0, %r1, %r2;", integers, W{u(a)} * u(b)),
    CASE("mul.wide.s32 %l0, %r1, %r2;", integers, static_cast<W>(std::int64_t{s(a)} * s(b))),
    CASE("mad.lo.s32 %r0, %r1, %r2, %r3;", integers, R(static_cast<std::int64_t>(W{u(a)} * u(b) + u(c)))),
    CASE("mad.lo.u64 %l0, %l1, %l2, %l3;", words, a* b + c),
    CASE("mad.hi.u32 %r0, %r1, %r2, %r3;", integers, R(static_cast<std::int64_t>((W{u(a)} * u(b) >> 32) + u(c)))),
    CASE("mad.hi.s32 %r0, %r1, %r2, %r3;", integers, R((std::int64_t{s(a)} * s(b) >> 32) + s(c))),
    CASE("mad.hi.s64 %l0, %l1, %l2, %l3;", words, multiply_high_signed(a, b) + c),
    CASE("mad.wide.u32 %l0, %r1, %r2, %l3;", words, W{u(a)} * u(b) + c),
    CASE("mad.wide.s16 %r0, %h1, %h2, %r3;", integers, R(std::int64_t{sh(a)} * sh(b) + s(c))),
    CASE("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", integers, clamp32((std::int64_t{s(a)} * s(b) >> 32) + s(c))),
    CASE("mul24.lo.u32 %r0, %r1, %r2;", integers, R(static_cast<std::int64_t>((a & 0xffffff) * (b & 0xffffff)))),
    CASE("mul24.lo.s32 %r0, %r1, %r2;", integers, R(std::int64_t{s(a << 8) >> 8} * (s(b << 8) >> 8))),
    CASE("mul24.hi.u32 %r0, %r1, %r2;", integers, (a & 0xffffff) * (b & 0xffffff) >> 16 & 0xffffffff),
    CASE("mad24.lo.s32 %r0, %r1, %r2, %r3;", integers, R(std::int64_t{s(a << 8) >> 8} * (s(b << 8) >> 8) + s(c))),
    CASE("or.b32 %r2, %r2, 1;\ndiv.s32 %r0, %r1, %r2;", integers, R(std::int64_t{s(a)} / s(b | 1))),
    CASE("or.b32 %r2, %r2, 1;\nrem.s32 %r0, %r1, %r2;", integers, R(std::int64_t{s(a)} % s(b | 1))),
    CASE("or.b32 %r2, %r2, 1;\ndiv.u32 %r0, %r1, %r2;", integers, u(a) / u(b | 1)),
    CASE("or.b32 %r2, %r2, 1;\nrem.u32 %r0, %r1, %r2;", integers, u(a) % u(b | 1)),
    CASE("or.b64 %l2, %l2, 1;\ndiv.u64 %l0, %l1, %l2;", words, a / (b | 1)),
    CASE("or.b64 %l2, %l2, 1;\nrem.s64 %l0, %l1, %l2;", words,
         static_cast<W>(static_cast<SignedWide>(l(a)) % l(b | 1))),
    CASE("or.b16 %h2, %h2, 1;\ndiv.s16 %h0, %h1, %h2;", integers, H(int{sh(a)} / sh(b | 1))),
    CASE("abs.s32 %r0, %r1;", integers, R(std::abs(std::int64_t{s(a)}))),
    CASE("abs.s64 %l0, %l1;", words, l(a) < 0 ? 0 - a : a),
    CASE("neg.s32 %r0, %r1;", integers, R(-std::int64_t{s(a)})),
    CASE("neg.s16 %h0, %h1;", integers, H(-sh(a))),
    CASE("min.s32 %r0, %r1, %r2;", integers, R(std::min(s(a), s(b)))),
    CASE("max.u32 %r0, %r1, %r2;", integers, std::max(u(a), u(b))),
    CASE("min.u64 %l0, %l1, %l2;", words, std::min(a, b)),
    CASE("max.s64 %l0, %l1, %l2;", words, static_cast<W>(std::max(l(a), l(b)))),
    CASE("min.s16 %h0, %h1, %h2;", integers, H(std::min(sh(a), sh(b)))),
    CASE("max.u16 %h0, %h1, %h2;", integers, std::max(h(a), h(b))),
    CASE("sad.u32 %r0, %r1, %r2, %r3;", integers, R(std::int64_t{u(c)} + (u(a) < u(b) ? u(b) - u(a) : u(a) - u(b)))),
    CASE("sad.s32 %r0, %r1, %r2, %r3;", integers, R(s(c) + std::abs(std::int64_t{s(a)} - s(b)))),
    CASE("sad.u64 %l0, %l1, %l2, %l3;", words, c + (a < b ? b - a : a - b)),
    CASE("add.u16x2 %r0, %r1, %r2;", integers, halves(a, b, [](int x, int y) { return x + y; })),
    CASE("add.s16x2 %r0, %r1, %r2;", integers, halves(a, b, [](int x, int y) { return x + y; })),
    CASE("min.u16x2 %r0, %r1, %r2;", integers,
         halves(a, b, [](int x, int y) { return std::min(x & 0xffff, y & 0xffff); })),
    CASE("max.u16x2 %r0, %r1, %r2;", integers,
         halves(a, b, [](int x, int y) { return std::max(x & 0xffff, y & 0xffff); })),
    CASE("min.s16x2 %r0, %r1, %r2;", integers, halves(a, b, [](int x, int y) { return std::min(x, y); })),
    CASE("max.s16x2 %r0, %r1, %r2;", integers, halves(a, b, [](int x, int y) { return std::max(x, y); })),
    CASE("min.s16x2.relu %r0, %r1, %r2;", integers,
         halves(a, b, [](int x, int y) { return std::max(std::min(x, y), 0); })),
    CASE("max.s16x2.relu %r0, %r1, %r2;", integers,
         halves(a, b,
                [](int x, int y) {
                  return std::max({x, y, 0});
                })),
    CASE("min.s32.relu %r0, %r1, %r2;", integers, R(std::max(std::min(s(a), s(b)), 0))),
    CASE("max.s32.relu %r0, %r1, %r2;", integers, R(std::max({s(a), s(b), 0}))),
    CASE("vabsdiff2.u32.u32.u32 %r0, %r1, %r2, %r3;", integers,
         distance(a, b, 16) + distance(a >> 16, b >> 16, 16) * 65536),
    CASE("vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;", integers,
         distance(a, b, 8) + distance(a >> 8, b >> 8, 8) * 256 + distance(a >> 16, b >> 16, 8) * 65536 +
             distance(a >> 24, b >> 24, 8) * 16777216),
    CASE("vabsdiff2.u32.u32.u32.add %r0, %r1, %r2, %r3;", integers,
         R(static_cast<std::int64_t>(distance(a, b, 16) + distance(a >> 16, b >> 16, 16) + u(c)))),
    CASE("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", integers,
         R(static_cast<std::int64_t>(distance(a, b, 8) + distance(a >> 8, b >> 8, 8) + distance(a >> 16, b >> 16, 8) +
                                     distance(a >> 24, b >> 24, 8) + u(c)))),
    CASE("and.b32 %r0, %r1, %r2;", integers, a& b),
    CASE("or.b64 %l0, %l1, %l2;", words, a | b),
    CASE("xor.b32 %r0, %r1, %r2;", integers, a ^ b),
    CASE("xor.b16 %h0, %h1, %h2;", integers, H(static_cast<std::int64_t>(a ^ b))),
    CASE("not.b64 %l0, %l1;", words, ~a),
    CASE("not.b16 %h0, %h1;", integers, H(static_cast<std::int64_t>(~a))),
    CASE("cnot.b32 %r0, %r1;", integers, u(a) == 0 ? 1 : 0),
    CASE("shl.b32 %r0, %r1, %r2;", shifts, b > 31 ? 0 : R(static_cast<std::int64_t>(W{u(a)} << b))),
    CASE("shl.b64 %l0, %l1, %r2;", shifts, b > 63 ? 0 : a << b),
    CASE("shr.u32 %r0, %r1, %r2;", shifts, b > 31 ? 0 : u(a) >> b),
    CASE("shr.s32 %r0, %r1, %r2;", shifts, R(std::int64_t{s(a)} >> std::min<W>(b, 31))),
    CASE("shr.u64 %l0, %l1, %r2;", shifts, b > 63 ? 0 : a >> b),
    CASE("shr.s64 %l0, %l1, %r2;", shifts, static_cast<W>(l(a) >> std::min<W>(b, 63))),
    CASE("shr.s16 %h0, %h1, %r2;", shifts, H(sh(a) >> std::min<W>(b, 15))),
    CASE("shl.b16 %h0, %h1, %r2;", shifts, b > 15 ? 0 : H(static_cast<std::int64_t>(W{h(a)} << b))),
    CASE("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", integers, ((b << 32 | u(a)) << (c & 31)) >> 32 & 0xffffffff),
    CASE("shf.r.wrap.b32 %r0, %r1, %r2, %r3;", integers, (b << 32 | u(a)) >> (c & 31) & 0xffffffff),
    CASE("and.b32 %r3, %r3, 63;\nshf.l.clamp.b32 %r0, %r1, %r2, %r3;", integers,
         (c & 63) >= 32 ? u(a) : ((b << 32 | u(a)) << (c & 63)) >> 32 & 0xffffffff),
    CASE("and.b32 %r3, %r3, 63;\nshf.r.clamp.b32 %r0, %r1, %r2, %r3;", integers,
         (c & 63) >= 32 ? u(b) : (b << 32 | u(a)) >> (c & 63) & 0xffffffff),
    CASE("popc.b32 %r0, %r1;", integers, static_cast<W>(ones(u(a)))),
    CASE("popc.b64 %r0, %l1;", words, static_cast<W>(ones(a))),
    CASE("clz.b32 %r0, %r1;", integers, static_cast<W>(leading(u(a), 32))),
    CASE("clz.b64 %r0, %l1;", words, static_cast<W>(leading(a, 64))),
    CASE("brev.b32 %r0, %r1;", integers, reversed(u(a), 32)),
    CASE("brev.b64 %l0, %l1;", words, reversed(a, 64)),
    CASE("bfind.u32 %r0, %r1;", integers, R(top_bit(u(a), 32))),
    CASE("bfind.s32 %r0, %r1;", integers, R(top_bit(s(a) < 0 ? u(~a) : u(a), 32))),
    CASE("bfind.u64 %r0, %l1;", words, R(top_bit(a, 64))),
    CASE("bfind.s64 %r0, %l1;", words, R(top_bit(l(a) < 0 ? ~a : a, 64))),
    CASE("bfind.shiftamt.u32 %r0, %r1;", integers, u(a) == 0 ? 0xffffffff : R(31 - top_bit(u(a), 32))),
    CASE("bfe.u32 %r0, %r1, %r2, %r3;", shifts, extract(u(a), b, c, 32, false)),
    CASE("bfe.s32 %r0, %r1, %r2, %r3;", shifts, extract(u(a), b, c, 32, true)),
    CASE("bfe.u64 %l0, %l1, %r2, %r3;", shifts, extract(a, b, c, 64, false)),
    CASE("bfe.s64 %l0, %l1, %r2, %r3;", shifts, extract(a, b, c, 64, true)),
    CASE("bfi.b32 %r0, %r1, %r2, 5, 9;", integers, insert(u(a), u(b), 5, 9, 32)),
    CASE("bfi.b32 %r0, %r1, %r2, 28, 20;", integers, insert(u(a), u(b), 28, 20, 32)),
    CASE("bfi.b64 %l0, %l1, %l2, 40, 17;", words, insert(a, b, 40, 17, 64)),
    CASE("prmt.b32 %r0, %r1, %r2, %r3;", integers, permuted(a, b, c)),
    CASE("prmt.b32.f4e %r0, %r1, %r2, 3;", integers, permuted(a, b, {3, 4, 5, 6})),
    CASE("prmt.b32.b4e %r0, %r1, %r2, 1;", integers, permuted(a, b, {1, 0, 7, 6})),
    CASE("prmt.b32.rc8 %r0, %r1, %r2, 2;", integers, permuted(a, b, {2, 2, 2, 2})),
    CASE("prmt.b32.ecl %r0, %r1, %r2, 2;", integers, permuted(a, b, {2, 2, 2, 3})),
    CASE("prmt.b32.ecr %r0, %r1, %r2, 2;", integers, permuted(a, b, {0, 1, 2, 2})),
    CASE("prmt.b32.rc16 %r0, %r1, %r2, 1;", integers, permuted(a, b, {2, 3, 2, 3})),
    CASE("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", integers, looked_up(a, b, c, 0x96)),
    CASE("lop3.b32 %r0, %r1, %r2, %r3, 0xca;", integers, looked_up(a, b, c, 0xca)),
    CASE("setp.lt.u32 %q1, %r1, %r2;\nlop3.or.b32 %r4|%q2, %r1, %r2, %r3, 0x80, %q1;\nselp.u32 %r0, 1, 0, %q2;",
         integers, (looked_up(a, b, c, 0x80) != 0 || u(a) < u(b)) ? 1 : 0),
    CASE("dp4a.s32.s32 %r0, %r1, %r2, %r3;", integers, dot4<I8, I8>(a, b, c)),
    CASE("dp4a.u32.s32 %r0, %r1, %r2, %r3;", integers, dot4<U8, I8>(a, b, c)),
    CASE("dp4a.s32.u32 %r0, %r1, %r2, %r3;", integers, dot4<I8, U8>(a, b, c)),
    CASE("dp4a.u32.u32 %r0, %r1, %r2, %r3;", integers, dot4<U8, U8>(a, b, c)),
    CASE("dp2a.lo.s32.s32 %r0, %r1, %r2, %r3;", integers, dot2<I16, I8>(a, b, c, 0)),
    CASE("dp2a.hi.s32.u32 %r0, %r1, %r2, %r3;", integers, dot2<I16, U8>(a, b, c, 1)),
    CASE("dp2a.lo.u32.u32 %r0, %r1, %r2, %r3;", integers, dot2<U16, U8>(a, b, c, 0)),
    CASE("dp2a.hi.u32.s32 %r0, %r1, %r2, %r3;", integers, dot2<U16, I8>(a, b, c, 1)),
    CASE("and.b32 %r2, %r2, 31;\nfns.b32 %r0, %r1, %r2, 3;", integers, nth_set(u(a), b & 31, 3)),
    CASE("and.b32 %r2, %r2, 31;\nfns.b32 %r0, %r1, %r2, -2;", integers, nth_set(u(a), b & 31, -2)),
    CASE("and.b32 %r2, %r2, 31;\nfns.b32 %r0, %r1, %r2, 0;", integers, nth_set(u(a), b & 31, 0)),
    CASE("add.cc.u32 %r4, %r1, %r2;\naddc.u32 %r0, %r3, 7;", integers,
         R(static_cast<std::int64_t>(u(c) + 7 + ((W{u(a)} + u(b)) >> 32)))),
    CASE("sub.cc.u32 %r4, %r1, %r2;\nsubc.u32 %r0, %r3, 7;", integers,
         R(std::int64_t{u(c)} - 7 - (u(a) < u(b) ? 1 : 0))),
    // One flag: a subtraction sets it where nothing is borrowed.
    CASE("sub.cc.u32 %r4, %r1, %r2;\naddc.u32 %r0, %r3, 7;", integers,
         R(std::int64_t{u(c)} + 7 + (u(a) < u(b) ? 0 : 1))),
    CASE("add.cc.u32 %r4, %r1, %r2;\nsubc.u32 %r0, %r3, 7;", integers,
         R(std::int64_t{u(c)} - 8 + static_cast<std::int64_t>((W{u(a)} + u(b)) >> 32))),
    CASE("sub.cc.u32 %r4, %r1, %r2;\nsubc.cc.u32 %r5, %r3, %r1;\naddc.u32 %r0, 0, 0;", integers,
         std::int64_t{u(c)} - u(a) - (u(a) < u(b) ? 1 : 0) < 0 ? 0 : 1),
    CASE("mad.lo.cc.u32 %r4, %r1, %r2, %r3;\nmadc.hi.u32 %r0, %r1, %r2, 0;", integers, (W{u(a)} * u(b) + u(c)) >> 32),
    CASE("add.cc.u64 %l4, %l1, %l2;\naddc.u64 %l0, %l3, 0;", words, c + (a + b < a ? 1 : 0)),
    CASE("bmsk.clamp.b32 %r0, %r1, %r2;", shifts,
         [&] {
           W m = 0;
           for (W i = 0; i < 32; ++i) m |= i >= u(a) && i < W{u(a)} + b ? W{1} << i : 0;
           return m;
         }()),
    CASE("szext.clamp.s32 %r0, %r1, %r2;", shifts,
         b == 0   ? 0
         : b > 31 ? u(a)
                  : R(s(W{u(a)} << (32 - b)) >> (32 - b))),
    CASE("szext.clamp.u32 %r0, %r1, %r2;", shifts, b > 31 ? u(a) : u(a) & ((W{1} << b) - 1)),
    CASE("setp.lt.s32 %q1, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;", integers, s(a) < s(b) ? 1 : 0),
    CASE("setp.hs.u32 %q1, %r1, %r2;\nselp.u32 %r0, 1, 0, %q1;", integers, u(a) >= u(b) ? 1 : 0),
    CASE("setp.ne.s64 %q1|%q2, %l1, %l2;\nselp.u64 %l0, %l1, %l3, %q2;", words, a == b ? a : c),
    CASE("setp.gt.s16 %q1, %h1, %h2;\nselp.u32 %r0, 1, 0, %q1;", integers, sh(a) > sh(b) ? 1 : 0),
    CASE("setp.eq.u32 %q1, %r1, 0;\nsetp.le.xor.u32 %q2, %r2, %r3, %q1;\nselp.u32 %r0, 1, 0, %q2;", integers,
         (u(b) <= u(c)) != (u(a) == 0) ? 1 : 0),
    CASE("set.ge.u32.s32 %r0, %r1, %r2;", integers, s(a) >= s(b) ? 0xffffffff : 0),
    CASE("set.lt.f32.u32 %r0, %r1, %r2;", integers, u(a) < u(b) ? 0x3f800000 : 0),
    CASE("slct.u32.s32 %r0, %r1, %r2, %r3;", integers, s(c) >= 0 ? u(a) : u(b)),
    CASE("slct.u64.s32 %l0, %l1, %l2, %r3;", words, s(c) >= 0 ? a : b),
    CASE("mov.b64 %l0, {%r1, %r2};", integers, u(a) | b << 32),
    CASE("mov.b64 {%r4, %r5}, %l1;\nxor.b32 %r0, %r4, %r5;", words, u(a) ^ u(a >> 32)),
    CASE("mov.b32 %r0, {%h1, %h2};", integers, h(a) | W{h(b)} << 16),
    CASE("mov.b32 {%h4, %h5}, %r1;\nsub.u16 %h0, %h4, %h5;", integers, H(static_cast<std::int64_t>(h(a)) - h(a >> 16))),
};

} // namespace

std::span<const InstructionCase> integer_cases() { return table; }

} // namespace aicf::selftest
