#include "core/exec/selftest/random_program.hpp"

#include "core/exec/selftest/random_forms.hpp"

#include <array>
#include <bit>
#include <random>
#include <span>
#include <string_view>
#include <utility>

namespace aicf::selftest {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 1) {}
  void program(RandomProgram& p);

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  static unsigned count(char c) { return c == 'r' ? 8 : c == 'f' ? 6 : c == 'x' || c == 'y' || c == 'b' ? 2 : 4; }
  static bool is_class(char c) { return std::string_view("rsfldhbxyq").find(c) != std::string_view::npos; }
  std::string reg(char c) { return std::string("%") + c + std::to_string(below(count(c))); }
  /// The form with registers and constants for its letters; those in one pair of braces differ.
  std::string filled(std::string_view text) {
    std::string out, braces;
    bool inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char before = i == 0 ? '.' : text[i - 1], after = i + 1 < text.size() ? text[i + 1] : ',';
      const auto stands_in = [](std::string_view set, char c) { return set.find(c) != std::string_view::npos; };
      if (text[i] == '{' || text[i] == '}') {
        inside = text[i] == '{';
        braces.clear();
      }
      if (is_class(text[i]) && stands_in(" !{|", before) && stands_in(",;|}", after)) {
        std::string r = reg(text[i]);
        while (inside && stands_in_text(braces, r)) r = reg(text[i]);
        braces += r + " ";
        out += r;
      } else if (text[i] == '#') {
        out += std::to_string(below(32));
      } else {
        out += text[i];
      }
    }
    return out + ";\n" + settled(out);
  }
  /// Of a NaN whose bits PTX leaves open, and ptxas makes one thing or another, the one canonical NaN. neg.f32: "NaN
  /// inputs yield an unspecified NaN" (canonical as a sum, with its sign turned as a select of -x). An f64's sign,
  /// which an f16 made of it keeps, is where no instruction of f64 says what NaN an invalid operation gives.
  static std::string settled(const std::string& instruction) {
    const std::string r = instruction.substr(instruction.find(' ') + 1, 3);
    if (instruction.starts_with("neg.f32 "))
      return "setp.nan.f32 %p, " + r + ", " + r + ";\n@%p mov.f32 " + r + ", 0f7FFFFFFF;\n";
    if (instruction.starts_with("cvt.rn.f16.f64 "))
      return "setp.nan.f16 %p, " + r + ", " + r + ";\n@%p mov.b16 " + r + ", 0x7fff;\n";
    return {};
  }
  static bool stands_in_text(const std::string& all, const std::string& one) {
    return all.find(one + " ") != std::string::npos;
  }
  std::string one_of(std::span<const Form> forms) { return filled(forms[below(forms.size())]); }
  void simple() {
    const auto which = below(11);
    if (which == 0) {
      text_ += one_of(test_forms());
      return;
    }
    if (which == 1) {
      const char c = "rfldsh"[below(6)];
      text_ += std::string("selp.") +
               (c == 'r' || c == 'f'   ? "b32 "
                : c == 'l' || c == 'd' ? "b64 "
                                       : "b16 ") +
               reg(c) + ", " + reg(c) + ", " + reg(c) + ", " + reg('q') + ";\n";
      return;
    }
    if (which == 2) {
      text_ += one_of(sequence_forms());
      return;
    }
    if (below(6) == 0) text_ += (below(2) == 0 ? "@" : "@!") + reg('q') + " ";
    text_ += one_of(which < 6 ? integer_forms() : real_forms());
  }
  void some(std::uint64_t most) {
    for (std::uint64_t n = 1 + below(most); n > 0; --n) simple();
  }
  std::string label() { return "L" + std::to_string(labels_++); }
  /// Lanes part, and may part again within either way.
  void branch(unsigned depth = 0) {
    const std::string other = label(), end = label();
    text_ += one_of(test_forms());
    text_ += (below(2) == 0 ? "@" : "@!") + reg('q') + " bra " + other + ";\n";
    const auto way = [&] {
      some(3);
      if (depth < 2 && below(3) == 0) branch(depth + 1);
      some(2);
    };
    way();
    text_ += "bra " + end + ";\n" + other + ":\n";
    way();
    text_ += end + ":\n";
  }
  /// Up to four ways by a table.
  void ways() {
    const std::string list = label(), end = label();
    const std::array<std::string, 4> to{label(), label(), label(), label()};
    text_ += list + ": .branchtargets " + to[0] + ", " + to[1] + ", " + to[2] + ", " + to[3] + ";\nand.b32 %n, " +
             reg('r') + ", 3;\nbrx.idx %n, " + list + ";\n";
    for (const std::string& one : to) {
      text_ += one + ":\n";
      some(2);
      if (below(3) != 0) text_ += "bra " + end + ";\n"; // else into the next one
    }
    text_ += end + ":\n";
  }
  /// A loop whose count differs between lanes, some of which leave it in the middle. Its counter is nobody else's.
  void loop() {
    const std::string top = label(), out = label();
    text_ += "and.b32 %count, " + reg('r') + ", 3;\n" + top + ":\n";
    some(4);
    if (below(2) == 0) {
      text_ += one_of(test_forms()) + "@" + reg('q') + " bra " + out + ";\n";
      some(2);
    }
    text_ += "sub.s32 %count, %count, 1;\nsetp.ge.s32 %p, %count, 0;\n@%p bra " + top + ";\n" + out + ":\n";
  }
  void collective() {
    text_ += "bar.warp.sync -1;\n";
    static constexpr std::array<Form, 18> forms{"shfl.sync.bfly.b32 r, r, #, 31, -1",
                                                "shfl.sync.idx.b32 r, r, r, 0x0c1f, -1",
                                                "shfl.sync.up.b32 r|q, r, #, 0, -1",
                                                "shfl.sync.down.b32 r|q, r, #, 0x181f, -1",
                                                "shfl.sync.bfly.b32 f, f, #, 0x101f, -1",
                                                "vote.sync.ballot.b32 r, q, -1",
                                                "vote.sync.any.pred q, q, -1",
                                                "vote.sync.all.pred q, q, -1",
                                                "vote.sync.uni.pred q, !q, -1",
                                                "match.any.sync.b32 r, r, -1",
                                                "match.any.sync.b64 r, l, -1",
                                                "match.all.sync.b32 r|q, r, -1",
                                                "redux.sync.add.s32 r, r, -1",
                                                "redux.sync.min.u32 r, r, -1",
                                                "redux.sync.max.s32 r, r, -1",
                                                "redux.sync.xor.b32 r, r, -1",
                                                "redux.sync.and.b32 r, r, -1",
                                                "and.b32 %n, r, 1;\nmatch.any.sync.b32 r, %n, -1"};
    text_ += one_of(forms);
  }
  /// The lanes of one way are the members: of a mask that votes give.
  void members() {
    static constexpr std::array<Form, 6> forms{"redux.sync.add.u32 r, r, %m",   "redux.sync.or.b32 r, r, %m",
                                               "vote.sync.ballot.b32 r, q, %m", "match.any.sync.b32 r, r, %m",
                                               "match.all.sync.b64 r|q, l, %m", "vote.sync.all.pred q, q, %m"};
    const std::string other = label(), end = label(), q = reg('q');
    text_ += "bar.warp.sync -1;\nmov.pred %p, " + q +
             ";\nvote.sync.ballot.b32 %m, %p, -1;\n@!%p not.b32 %m, %m;\n@%p bra " + other + ";\n";
    text_ += one_of(forms);
    some(2);
    text_ += "bra " + end + ";\n" + other + ":\n";
    some(2);
    text_ += one_of(forms) + end + ":\n";
  }
  /// What the threads left in their slots is met at the barrier.
  void fill() { text_ += "bar.sync 0;\nst.shared.u32 [%own], " + reg('r') + ";\nbar.sync 0;\n"; }
  /// Every thread writes its slot; then each reads another's, or a warp a matrix of them.
  void exchange() {
    switch (below(6)) {
    case 0: // matrices of halves, one register from each eight rows
      fill();
      text_ +=
          filled("and.b32 %n, %t, 15;\nshl.b32 %n, %n, 4;\nadd.u32 %n, %n, %base;\nldmatrix.sync.aligned.m8n8.x4." +
                 std::string(below(2) == 0 ? "" : "trans.") + "shared.b16 {r, r, r, r}, [%n]");
      return;
    case 1:
      text_ += filled("bar.sync 0;\nand.b32 %n, %t, 7;\nshl.b32 %n, %n, 4;\nshl.b32 %m, %t, 2;\nand.b32 %m, %m, "
                      "128;\nadd.u32 %n, %n, %m;\n"
                      "add.u32 %n, %n, %base;\nstmatrix.sync.aligned.m8n8.x1." +
                      std::string(below(2) == 0 ? "" : "trans.") +
                      "shared.b16 [%n], {r};\nbar.sync 0;\nld.shared.u32 r, [%own]");
      return;
    case 2: // a copy from the input
      text_ += filled("bar.sync 0;\ncp.async.ca.shared.global [%own], [%in+" + std::to_string(4 * below(8)) +
                      "], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\nxor.b32 %n, %own, 4;\n"
                      "ld.shared.u32 r, [%n]");
      return;
    case 3:
      fill();
      text_ +=
          filled("and.b32 %n, r, 12;\nshl.b32 %n, %n, 2;\nadd.u32 %n, %n, %base;\nld.shared.v4.u32 {r, r, r, r}, [%n]");
      return;
    case 4: text_ += filled("bar.warp.sync -1;\nmovmatrix.sync.aligned.m8n8.trans.b16 r, r"); return;
    default:
      fill();
      text_ += "xor.b32 %n, %t, " + std::to_string(below(64)) +
               ";\nshl.b32 %n, %n, 2;\nadd.u32 %n, %n, %base;\nld.shared.u32 " + reg('r') + ", [%n];\n";
    }
  }
  /// The block's threads count, or agree.
  void meeting() {
    static constexpr std::array<Form, 4> forms{"bar.red.popc.u32 r, 0, q", "bar.red.and.pred q, 0, q",
                                               "bar.red.or.pred q, 0, !q", "barrier.sync 1;\nbar.warp.sync -1"};
    text_ += one_of(forms);
  }
  /// A thread's own array, at places that differ between lanes.
  void privately() {
    text_ += filled("and.b32 %n, r, 7;\nmul.wide.u32 %la, %n, 4;\nadd.s64 %la, %la, %mine;\nst.local.u32 [%la], r;\n"
                    "and.b32 %n, r, 31;\ncvt.u64.u32 %la, %n;\nadd.s64 %la, %la, %mine;\nld.local.s8 r, [%la]");
    if (below(2) == 0) text_ += filled("ld.local.v2.u64 {l, l}, [mine+16]");
  }
  /// The input again, in other widths.
  void reads() {
    static constexpr std::array<Form, 8> forms{
        "ld.global.u8 r, [%in+3]",          "ld.global.s8 r, [%in+17]",
        "ld.global.s16 r, [%in+22]",        "ld.global.nc.v4.u32 {r, r, r, r}, [%in+16]",
        "ld.global.v2.b16 {s, s}, [%in+4]", "ld.global.v2.f32 {f, f}, [%in+32]",
        "ld.global.u32 l, [%in+8]",         "ld.volatile.global.s32 l, [%in+12]"};
    text_ += one_of(forms);
  }
  /// A word of the thread's own, where every order is one; or sums and extremes of integers, which have none.
  void atomics() {
    static constexpr std::array<Form, 12> own{
        "st.global.u32 [%out+184], r;\natom.global.add.u32 r, [%out+184], r",
        "st.global.u64 [%out+184], l;\natom.global.max.s64 l, [%out+184], l",
        "st.global.u64 [%out+184], l;\natom.global.exch.b64 l, [%out+184], l",
        "st.global.u32 [%out+184], 7;\natom.global.cas.b32 r, [%out+184], 7, r",
        "st.global.u32 [%out+184], r;\natom.global.inc.u32 r, [%out+184], r",
        "st.global.u32 [%out+184], r;\natom.global.dec.u32 r, [%out+184], r",
        "st.global.f32 [%out+184], f;\natom.global.add.f32 f, [%out+184], f",
        "st.global.f64 [%out+184], d;\natom.global.add.f64 d, [%out+184], d;\nst.global.u64 [%out+184], l",
        "st.global.b32 [%out+184], x;\natom.global.add.noftz.f16x2 x, [%out+184], x",
        "st.global.b32 [%out+184], y;\natom.global.add.noftz.bf16x2 y, [%out+184], y",
        "bar.sync 0;\nst.shared.f32 [%own], f;\natom.shared.add.f32 f, [%own], f",
        "bar.sync 0;\nst.shared.u32 [%own], r;\natom.shared.exch.b32 r, [%own], r;\nred.shared.and.b32 [%own], "
        "r;\nld.shared.u32 r, [%own]"};
    if (below(2) == 0) {
      text_ += one_of(own);
      return;
    }
    static constexpr std::array kinds{"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"};
    text_ += "bar.sync 0;\nst.shared.u32 [%own], " + std::to_string(below(1u << 31)) + ";\nbar.sync 0;\nand.b32 %n, " +
             reg('r') + ", 7;\nshl.b32 %n, %n, 2;\nadd.u32 %n, %n, %base;\nred.shared." + kinds[below(kinds.size())] +
             " [%n], " + reg('r') + ";\nbar.sync 0;\nld.shared.u32 " + reg('r') + ", [%base+" +
             std::to_string(4 * below(8)) + "];\n";
  }
  void product() {
    text_ += "bar.warp.sync -1;\n";
    static constexpr std::array<Form, 13> forms{
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f, f, f, f}, {%x0, %x1, x, x}, {x, x}, {%f0, %f1, %f2, "
        "%f3}",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f, f, f, f}, {x, x}, {x}, {%f0, %f1, %f2, %f3}",
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {f, f, f, f}, {y, y}, {y}, {%f2, %f3, %f4, %f5}",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {f, f, f, f}, {%y1, %y0, %y0, %y1}, {y, y}, {%f0, %f1, "
        "%f2, %f3}",
        "mov.b32 %n, f;\nmma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {f, f, f, f}, {%n, r}, {%n}, {%f0, %f1, "
        "%f2, %f3}",
        "mov.b32 %n, f;\nmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {f, f, f, f}, {%n, %n, %n, %n}, {%n, %n}, "
        "{%f0, %f1, %f2, %f3}",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {r, r, r, r}, {%r4, %r5, %r6, %r7}, {%r1, %r2}, {%r0, %r1, "
        "%r2, %r3}",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 {r, r, r, r}, {%r4, %r5}, {%r1}, {%r0, %r1, %r2, "
        "%r3}",
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r, r}, {r}, {%r1}, {%r0, %r3}",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%x0, %x1}, {x, x}, {x}, {%x0, %x1}",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%x0, %x1}, {%x0, %x1, %x1, %x0}, {x, x}, {%x0, %x1}",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d, d}, {d}, {d}, {%d0, %d1}",
        // In place: where ptxas 13.0 widens 8-bit floats it writes D before it has read all of C.
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f0, %f1, %f2, %f3}, {%r4, %r5, %r6, %r7}, {%r1, %r2}, "
        "{%f0, %f1, %f2, %f3}"};
    text_ += one_of(forms);
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

void Writer::program(RandomProgram& p) {
  text_ = ".version 8.6\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[256];\n"
          ".func (.param .b32 r) mix(.param .b32 a, .param .b64 b)\n{\n.reg .b32 %x<4>;\n.reg .b64 %y<2>;\n"
          "ld.param.b32 %x0, [a];\nld.param.b64 %y0, [b];\ncvt.u32.u64 %x1, %y0;\nmad.lo.s32 %x2, %x0, 77, %x1;\n"
          "shf.l.wrap.b32 %x2, %x2, %x0, 9;\nst.param.b32 [r], %x2;\nret;\n}\n"
          ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %at, %l<4>;\n.reg .f64 %d<4>;\n"
          ".reg .b32 %t, %n, %m, %count, %base, %own, %r<8>, %x<2>, %y<2>;\n.reg .f32 %f<6>;\n.reg .b16 %h<4>, %b<2>, "
          "%s<4>;\n.reg .pred "
          "%p, %q<4>;\n.reg .b64 %mine, %la;\n.local .align 16 .b8 mine[32];\n"
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
  for (unsigned i = 0; i < 2; ++i)
    text_ += "mov.b32 {%s" + std::to_string(2 * i) + ", %s" + std::to_string(2 * i + 1) + "}, %r" +
             std::to_string(3 * i + 1) + ";\n";
  text_ +=
      "mov.u64 %mine, mine;\nst.local.v4.u32 [mine], {%r0, %r2, %r4, %r6};\nst.local.v2.u64 [mine+16], {%l1, %l2};\n"
      "mov.u64 %la, 0;\nst.global.u64 [%out+168], %la;\nst.global.u64 [%out+184], %la;\n";
  text_ += "neg.f64 %d2, %d0;\nadd.rn.f64 %d3, %d0, %d1;\nsetp.lt.u32 %q0, %r0, %r1;\nsetp.lt.s32 %q1, %r2, "
           "%r3;\nsetp.lt.f32 %q2, %f0, "
           "%f1;\nsetp.eq.u32 %q3, %t, 7;\n";
  p.head = std::exchange(text_, {});
  for (std::uint64_t n = 25 + below(30); n > 0; --n) {
    switch (below(20)) {
    case 0: branch(); break;
    case 1: loop(); break;
    case 2: collective(); break;
    case 3: exchange(); break;
    case 4: atomics(); break;
    case 5: product(); break;
    case 6: call(); break;
    case 7: ways(); break;
    case 8: members(); break;
    case 9: meeting(); break;
    case 10: privately(); break;
    case 11: reads(); break;
    default: simple();
    }
    p.statements.push_back(std::exchange(text_, {}));
  }
  const auto store = [&](const char* type, const std::string& r) {
    text_ +=
        std::string("st.global.") + type + " [%out+" + std::to_string(stored_register(r).offset) + "], " + r + ";\n";
  };
  const auto all = [&](const char* type, const char* name, unsigned count) {
    for (unsigned i = 0; i < count; ++i) store(type, name + std::to_string(i));
  };
  all("u32", "%r", 8);
  all("f32", "%f", 6);
  all("u64", "%l", 4);
  for (unsigned i = 0; i < 4; ++i) { // which NaN of f64 is the operands' business
    const std::string r = "%d" + std::to_string(i);
    text_ += "testp.notanumber.f64 %p, " + r + ";\n@%p mov.f64 " + r + ", 0d7FF8000000000000;\n";
    store("f64", r);
  }
  all("b16", "%h", 4);
  all("b16", "%b", 2);
  all("b32", "%x", 2);
  all("b32", "%y", 2);
  for (unsigned i = 0; i < 4; ++i) {
    const std::string q = "%q" + std::to_string(i);
    text_ +=
        "selp.u32 %n, 1, 0, " + q + ";\nst.global.u32 [%out+" + std::to_string(stored_register(q).offset) + "], %n;\n";
  }
  all("b16", "%s", 4);
  p.tail = text_ + "ret;\n}\n";
}

} // namespace

RandomProgram random_program(std::uint64_t seed) {
  RandomProgram p;
  Writer(seed).program(p);
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

std::string RandomProgram::first(std::size_t count) const {
  std::string text = head;
  for (std::size_t i = 0; i < count && i < statements.size(); ++i) text += statements[i];
  return text + tail;
}

StoredRegister stored_register(const std::string& name) {
  struct Bank {
    char name;
    unsigned first, bytes, count;
  };
  static constexpr std::array<Bank, 10> banks{{{'r', 0, 4, 8},
                                               {'f', 32, 4, 6},
                                               {'l', 56, 8, 4},
                                               {'d', 88, 8, 4},
                                               {'h', 120, 2, 4},
                                               {'b', 128, 2, 2},
                                               {'x', 136, 4, 2},
                                               {'y', 144, 4, 2},
                                               {'q', 152, 4, 4},
                                               {'s', 176, 2, 4}}};
  if (name.size() != 3 || name[0] != '%') return {};
  for (const Bank& b : banks)
    if (b.name == name[1] && name[2] >= '0' && name[2] < static_cast<char>('0' + b.count))
      return {b.first + b.bytes * static_cast<unsigned>(name[2] - '0'), b.bytes};
  return {};
}

} // namespace aicf::selftest
