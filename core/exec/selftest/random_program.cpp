#include "core/exec/selftest/random_program.hpp"

#include <array>
#include <bit>
#include <random>
#include <span>
#include <string_view>

namespace aicf::selftest {
namespace {

/// An instruction over register classes: lower-case letters of the form stand for a register of the class, # for a
/// small constant. r: b32 integer, f: f32, l: b64 integer, d: f64, h: f16, b: bf16, x: f16x2, y: bf16x2.
using Form = const char*;
constexpr std::array integer_forms{"add.s32 r, r, r",
                                   "sub.s32 r, r, r",
                                   "mul.lo.s32 r, r, r",
                                   "mad.lo.s32 r, r, r, r",
                                   "mul.hi.s32 r, r, r",
                                   "mul.hi.u32 r, r, r",
                                   "mad.hi.u32 r, r, r, r",
                                   "add.sat.s32 r, r, r",
                                   "sub.sat.s32 r, r, r",
                                   "min.s32 r, r, r",
                                   "max.u32 r, r, r",
                                   "abs.s32 r, r",
                                   "neg.s32 r, r",
                                   "sad.u32 r, r, r, r",
                                   "and.b32 r, r, r",
                                   "or.b32 r, r, r",
                                   "xor.b32 r, r, r",
                                   "not.b32 r, r",
                                   "cnot.b32 r, r",
                                   "shl.b32 r, r, #",
                                   "shr.u32 r, r, #",
                                   "shr.s32 r, r, r",
                                   "shl.b32 r, r, r",
                                   "shf.l.wrap.b32 r, r, r, r",
                                   "shf.r.clamp.b32 r, r, r, #",
                                   "popc.b32 r, r",
                                   "clz.b32 r, r",
                                   "brev.b32 r, r",
                                   "bfind.s32 r, r",
                                   "bfe.u32 r, r, #, #",
                                   "bfe.s32 r, r, #, #",
                                   "bfi.b32 r, r, r, #, #",
                                   "prmt.b32 r, r, r, r",
                                   "lop3.b32 r, r, r, r, 0x6a",
                                   "lop3.b32 r, r, r, r, 0xd8",
                                   "dp4a.s32.u32 r, r, r, r",
                                   "dp2a.lo.u32.s32 r, r, r, r",
                                   "mul24.lo.s32 r, r, r",
                                   "mul.wide.s32 l, r, r",
                                   "mul.wide.u32 l, r, r",
                                   "mad.wide.s32 l, r, r, l",
                                   "add.s64 l, l, l",
                                   "sub.s64 l, l, l",
                                   "mul.lo.s64 l, l, l",
                                   "mul.hi.u64 l, l, l",
                                   "mul.hi.s64 l, l, l",
                                   "min.s64 l, l, l",
                                   "max.u64 l, l, l",
                                   "and.b64 l, l, l",
                                   "xor.b64 l, l, l",
                                   "not.b64 l, l",
                                   "shl.b64 l, l, #",
                                   "shr.s64 l, l, #",
                                   "shr.u64 l, l, r",
                                   "popc.b64 r, l",
                                   "clz.b64 r, l",
                                   "brev.b64 l, l",
                                   "bfe.u64 l, l, #, #",
                                   "cvt.u64.u32 l, r",
                                   "cvt.s64.s32 l, r",
                                   "cvt.u32.u64 r, l",
                                   "cvt.s32.s8 r, r",
                                   "cvt.u32.u16 r, r",
                                   "cvt.sat.s32.s64 r, l",
                                   "abs.s64 l, l",
                                   "neg.s64 l, l",
                                   "slct.s32.s32 r, r, r, r",
                                   "szext.wrap.s32 r, r, #"};
constexpr std::array real_forms{"add.rn.f32 f, f, f",
                                "sub.rn.f32 f, f, f",
                                "mul.rn.f32 f, f, f",
                                "fma.rn.f32 f, f, f, f",
                                "add.rz.f32 f, f, f",
                                "mul.rp.f32 f, f, f",
                                "fma.rm.f32 f, f, f, f",
                                "add.ftz.f32 f, f, f",
                                "mul.ftz.f32 f, f, f",
                                "fma.rn.ftz.f32 f, f, f, f",
                                "add.sat.f32 f, f, f",
                                "min.f32 f, f, f",
                                "max.f32 f, f, f",
                                "max.NaN.f32 f, f, f",
                                "abs.f32 f, f",
                                "div.rn.f32 f, f, f",
                                "sqrt.rn.f32 f, f",
                                "rcp.rn.f32 f, f",
                                "cvt.rn.f32.s32 f, r",
                                "cvt.rz.f32.u32 f, r",
                                "cvt.rzi.s32.f32 r, f",
                                "cvt.rni.u32.f32 r, f",
                                "cvt.rni.f32.f32 f, f",
                                "cvt.rmi.f32.f32 f, f",
                                "cvt.f64.f32 d, f",
                                "cvt.rn.f32.f64 f, d",
                                "add.rn.f64 d, d, d",
                                "sub.rn.f64 d, d, d",
                                "mul.rn.f64 d, d, d",
                                "fma.rn.f64 d, d, d, d",
                                "add.rz.f64 d, d, d",
                                "fma.rp.f64 d, d, d, d",
                                "div.rn.f64 d, d, d",
                                "sqrt.rn.f64 d, d",
                                "cvt.rn.f64.s64 d, l",
                                "cvt.rn.f64.s32 d, r",
                                "cvt.rzi.s32.f64 r, d",
                                "cvt.rn.f32.s64 f, l",
                                "add.rn.f16 h, h, h",
                                "sub.rn.f16 h, h, h",
                                "mul.rn.f16 h, h, h",
                                "fma.rn.f16 h, h, h, h",
                                "fma.rn.relu.f16 h, h, h, h",
                                "min.f16 h, h, h",
                                "max.NaN.f16 h, h, h",
                                "add.sat.f16 h, h, h",
                                "cvt.rn.f16.f32 h, f",
                                "cvt.f32.f16 f, h",
                                "cvt.rz.f16.f32 h, f",
                                "add.rn.f16x2 x, x, x",
                                "mul.rn.f16x2 x, x, x",
                                "fma.rn.f16x2 x, x, x, x",
                                "max.f16x2 x, x, x",
                                "cvt.rn.f16x2.f32 x, f, f",
                                "add.rn.bf16 b, b, b",
                                "mul.rn.bf16 b, b, b",
                                "fma.rn.bf16 b, b, b, b",
                                "max.bf16 b, b, b",
                                "cvt.rn.bf16.f32 b, f",
                                "cvt.f32.bf16 f, b",
                                "add.rn.bf16x2 y, y, y",
                                "fma.rn.bf16x2 y, y, y, y",
                                "min.bf16x2 y, y, y",
                                "cvt.rn.bf16x2.f32 y, f, f",
                                "cvt.rn.f16.s32 h, r",
                                "cvt.rni.s32.f16 r, h"};
constexpr std::array tests{"setp.lt.s32 q, r, r",        "setp.eq.u32 q, r, r",        "setp.gt.u64 q, l, l",
                           "setp.lt.f32 q, f, f",        "setp.geu.f32 q, f, f",       "setp.num.f32 q, f, f",
                           "setp.ne.f64 q, d, d",        "setp.le.f16 q, h, h",        "setp.gtu.bf16 q, b, b",
                           "setp.lo.and.u32 q, r, r, q", "setp.ne.xor.s32 q, r, r, !q"};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::string program();

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  static unsigned count(char c) {
    return c == 'r' ? 8 : c == 'f' ? 6 : c == 'q' ? 4 : c == 'l' || c == 'd' || c == 'h' ? 4 : 2;
  }
  static bool is_class(char c) { return std::string_view("rfldhbxyq").find(c) != std::string_view::npos; }
  std::string reg(char c) { return std::string("%") + c + std::to_string(below(count(c))); }
  /// The form with registers and constants for its letters.
  std::string filled(Form form) {
    const std::string_view text(form);
    const auto space = text.find(' ');
    std::string out(text.substr(0, space));
    for (std::size_t i = space; i < text.size(); ++i) {
      const char before = text[i - 1];
      if (is_class(text[i]) && (before == ' ' || before == '!'))
        out += reg(text[i]);
      else if (text[i] == '#')
        out += std::to_string(below(32));
      else
        out += text[i];
    }
    return out + ";\n";
  }
  void simple() {
    const auto which = below(10);
    if (which == 0) {
      text_ += filled(tests[below(tests.size())]);
      return;
    }
    if (which == 1) {
      const char c = "rfld"[below(4)];
      text_ += std::string("selp.") + (c == 'r' || c == 'f' ? "b32 " : "b64 ") + reg(c) + ", " + reg(c) + ", " +
               reg(c) + ", " + reg('q') + ";\n";
      return;
    }
    if (below(6) == 0) text_ += (below(2) == 0 ? "@" : "@!") + reg('q') + " ";
    text_ +=
        which < 6 ? filled(integer_forms[below(integer_forms.size())]) : filled(real_forms[below(real_forms.size())]);
  }
  void some(std::uint64_t most) {
    for (std::uint64_t n = 1 + below(most); n > 0; --n) simple();
  }
  std::string label() { return "L" + std::to_string(labels_++); }
  void branch() {
    const std::string other = label(), end = label();
    text_ += filled(tests[below(tests.size())]);
    text_ += (below(2) == 0 ? "@" : "@!") + reg('q') + " bra " + other + ";\n";
    some(4);
    text_ += "bra " + end + ";\n" + other + ":\n";
    some(4);
    text_ += end + ":\n";
  }
  /// A loop whose count differs between lanes.
  void loop() {
    const std::string top = label();
    text_ += "and.b32 %n, " + reg('r') + ", 3;\n" + top + ":\n";
    some(4);
    text_ += "sub.s32 %n, %n, 1;\nsetp.ge.s32 %p, %n, 0;\n@%p bra " + top + ";\n";
  }
  void collective() {
    text_ += "bar.warp.sync -1;\n";
    static constexpr std::array forms{"shfl.sync.bfly.b32 r, r, #, 31, -1", "shfl.sync.idx.b32 r, r, r, 0x0c1f, -1",
                                      "shfl.sync.up.b32 r|q, r, #, 0, -1",  "shfl.sync.down.b32 r|q, r, #, 0x181f, -1",
                                      "vote.sync.ballot.b32 r, q, -1",      "vote.sync.any.pred q, q, -1",
                                      "vote.sync.uni.pred q, !q, -1",       "match.any.sync.b32 r, r, -1",
                                      "match.all.sync.b32 r|q, r, -1",      "redux.sync.add.s32 r, r, -1",
                                      "redux.sync.min.u32 r, r, -1",        "redux.sync.xor.b32 r, r, -1"};
    const std::string_view form = forms[below(forms.size())];
    std::string out;
    for (std::size_t i = 0; i < form.size(); ++i) {
      const char before = i == 0 ? '.' : form[i - 1];
      if (is_class(form[i]) && (before == ' ' || before == '!' || before == '|'))
        out += reg(form[i]);
      else if (form[i] == '#')
        out += std::to_string(below(32));
      else
        out += form[i];
    }
    text_ += out + ";\n";
  }
  /// Every thread writes its slot; then each reads another's.
  void exchange() {
    const std::string mask = std::to_string(below(64));
    text_ += "bar.sync 0;\nst.shared.u32 [%own], " + reg('r') + ";\nbar.sync 0;\nxor.b32 %n, %t, " + mask +
             ";\nshl.b32 %n, %n, 2;\nadd.u32 %n, %n, %base;\nld.shared.u32 " + reg('r') + ", [%n];\n";
  }
  /// Sums and extremes of integers do not depend on their order.
  void atomics() {
    static constexpr std::array kinds{"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"};
    text_ += "bar.sync 0;\nst.shared.u32 [%own], " + std::to_string(below(1u << 31)) + ";\nbar.sync 0;\nand.b32 %n, " +
             reg('r') + ", 7;\nshl.b32 %n, %n, 2;\nadd.u32 %n, %n, %base;\nred.shared." + kinds[below(kinds.size())] +
             " [%n], " + reg('r') + ";\nbar.sync 0;\nld.shared.u32 " + reg('r') + ", [%base+" +
             std::to_string(4 * below(8)) + "];\n";
  }
  void product() {
    text_ += "bar.warp.sync -1;\n";
    const auto x = [&] { return reg('x'); };
    const auto y = [&] { return reg('y'); };
    switch (below(4)) {
    case 0:
      text_ += "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {" + x() + ", " + x() + ", " +
               x() + ", " + x() + "}, {" + x() + ", " + x() + "}, {%f0, %f1, %f2, %f3};\n";
      return;
    case 1:
      text_ += "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5}, {" + y() + ", " + y() +
               "}, {" + y() + "}, {%f0, %f1, %f2, %f3};\n";
      return;
    case 2:
      text_ += "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r1, "
               "%r2}, {%r0, %r1, "
               "%r2, %r3};\n";
      return;
    default:
      text_ += "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%x0, %x1}, {" + x() + ", " + x() + "}, {" + x() +
               "}, {%x0, %x1};\n";
    }
  }
  void call() {
    text_ += "{\n.param .b32 pa;\n.param .b64 pb;\n.param .b32 pr;\nst.param.b32 [pa], " + reg('r') +
             ";\nst.param.b64 [pb], " + reg('l') + ";\ncall.uni (pr), mix, (pa, pb);\nld.param.b32 " + reg('r') +
             ", [pr];\n}\n";
  }

  std::mt19937_64 random_;
  std::string text_;
  unsigned labels_ = 0;
};

std::string Writer::program() {
  text_ = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[256];\n"
          ".func (.param .b32 r) mix(.param .b32 a, .param .b64 b)\n{\n.reg .b32 %x<4>;\n.reg .b64 %y<2>;\n"
          "ld.param.b32 %x0, [a];\nld.param.b64 %y0, [b];\ncvt.u32.u64 %x1, %y0;\nmad.lo.s32 %x2, %x0, 77, %x1;\n"
          "shf.l.wrap.b32 %x2, %x2, %x0, 9;\nst.param.b32 [r], %x2;\nret;\n}\n"
          ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %at, %l<4>;\n.reg .f64 %d<4>;\n"
          ".reg .b32 %t, %n, %base, %own, %r<8>, %x<2>, %y<2>;\n.reg .f32 %f<6>;\n.reg .b16 %h<4>, %b<2>;\n.reg .pred "
          "%p, %q<4>;\n"
          "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %base, s;\n"
          "shl.b32 %own, %t, 2;\nadd.u32 %own, %own, %base;\nmov.u32 %r0, %ctaid.x;\nmad.lo.u32 %n, %r0, 64, %t;\n"
          "mul.wide.u32 %at, %n, " +
          std::to_string(8 * RandomProgram::words_in) + ";\nadd.s64 %in, %in, %at;\nmul.wide.u32 %at, %n, " +
          std::to_string(8 * RandomProgram::words_out) + ";\nadd.s64 %out, %out, %at;\n";
  const auto load = [&](const char* type, char c, unsigned n, unsigned at) {
    text_ += std::string("ld.global.") + type + " %" + c + std::to_string(n) + ", [%in+" + std::to_string(at) + "];\n";
  };
  for (unsigned i = 0; i < 8; ++i) load("u32", 'r', i, 4 * i);      // words 0-3
  for (unsigned i = 0; i < 6; ++i) load("f32", 'f', i, 32 + 4 * i); // 4-6
  for (unsigned i = 0; i < 2; ++i) load("f64", 'd', i, 56 + 8 * i); // 7-8
  for (unsigned i = 0; i < 4; ++i) load("b16", 'h', i, 72 + 2 * i); // 9
  for (unsigned i = 0; i < 2; ++i) load("b32", 'x', i, 72 + 4 * i);
  for (unsigned i = 0; i < 2; ++i) load("b16", 'b', i, 80 + 2 * i); // 10
  for (unsigned i = 0; i < 2; ++i) load("b32", 'y', i, 80 + 4 * i);
  for (unsigned i = 0; i < 4; ++i)
    text_ += "mov.b64 %l" + std::to_string(i) + ", {%r" + std::to_string(2 * i) + ", %r" + std::to_string(2 * i + 1) +
             "};\n";
  text_ += "neg.f64 %d2, %d0;\nadd.rn.f64 %d3, %d0, %d1;\nsetp.lt.u32 %q0, %r0, %r1;\nsetp.lt.s32 %q1, %r2, "
           "%r3;\nsetp.lt.f32 %q2, %f0, "
           "%f1;\nsetp.eq.u32 %q3, %t, 7;\n";
  for (std::uint64_t n = 25 + below(30); n > 0; --n) {
    switch (below(16)) {
    case 0: branch(); break;
    case 1: loop(); break;
    case 2: collective(); break;
    case 3: exchange(); break;
    case 4: atomics(); break;
    case 5: product(); break;
    case 6: call(); break;
    default: simple();
    }
  }
  const auto store = [&](const char* type, const std::string& r, unsigned at) {
    text_ += std::string("st.global.") + type + " [%out+" + std::to_string(at) + "], " + r + ";\n";
  };
  for (unsigned i = 0; i < 8; ++i) store("u32", "%r" + std::to_string(i), 4 * i);
  for (unsigned i = 0; i < 6; ++i) store("f32", "%f" + std::to_string(i), 32 + 4 * i);
  for (unsigned i = 0; i < 4; ++i) store("u64", "%l" + std::to_string(i), 56 + 8 * i);
  for (unsigned i = 0; i < 4; ++i) { // which NaN of f64 is the operands' business
    const std::string r = "%d" + std::to_string(i);
    text_ += "testp.notanumber.f64 %p, " + r + ";\n@%p mov.f64 " + r + ", 0d7FF8000000000000;\n";
    store("f64", r, 88 + 8 * i);
  }
  for (unsigned i = 0; i < 4; ++i) store("b16", "%h" + std::to_string(i), 120 + 2 * i);
  for (unsigned i = 0; i < 2; ++i) store("b16", "%b" + std::to_string(i), 128 + 2 * i);
  for (unsigned i = 0; i < 2; ++i) store("b32", "%x" + std::to_string(i), 136 + 4 * i);
  for (unsigned i = 0; i < 2; ++i) store("b32", "%y" + std::to_string(i), 144 + 4 * i);
  for (unsigned i = 0; i < 4; ++i) {
    text_ += "selp.u32 %n, 1, 0, %q" + std::to_string(i) + ";\n";
    store("u32", "%n", 152 + 4 * i);
  }
  return std::move(text_) + "ret;\n}\n";
}

} // namespace

RandomProgram random_program(std::uint64_t seed) {
  RandomProgram p;
  p.ptx = Writer(seed).program();
  std::mt19937_64 random(seed + 12345);
  const auto f32 = [&] {
    static constexpr std::array<std::uint32_t, 8> edges{0,          0x80000000, 0x3f800000, 0x7f800000,
                                                        0x00000001, 0x807fffff, 0x7f7fffff, 0xbf000000};
    const std::uint64_t r = random();
    return r % 6 == 0 ? edges[r >> 8 & 7] : static_cast<std::uint32_t>((r >> 32 & 0x807fffff) | (110 + r % 36) << 23);
  };
  const auto half = [&](unsigned fraction, std::uint64_t middle) { // no NaN: which one comes out is left open
    const std::uint64_t r = random(), exponents = fraction == 10 ? 12 : 24;
    const auto value = static_cast<std::uint16_t>((r >> 40 & 0x8000) | (middle + r % exponents) << fraction |
                                                  (r >> 16 & ((1u << fraction) - 1)));
    return r >> 58 == 0 ? std::uint16_t{0} : value;
  };
  for (unsigned thread = 0; thread < p.grid * p.block; ++thread) {
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t r = random();
      p.input.push_back(r % 5 == 0 ? r >> 32 & 0xff000000ffu : r);
    }
    for (int i = 0; i < 3; ++i) p.input.push_back(f32() | std::uint64_t{f32()} << 32);
    for (int i = 0; i < 2; ++i) p.input.push_back((random() & 0x800fffffffffffffu) | (1000 + random() % 48) << 52);
    for (const unsigned fraction : {10u, 7u}) {
      std::uint64_t word = 0;
      for (int i = 0; i < 4; ++i) word |= std::uint64_t{half(fraction, fraction == 10 ? 9 : 115)} << (16 * i);
      p.input.push_back(word);
    }
    p.input.push_back(0);
  }
  return p;
}

} // namespace aicf::selftest
