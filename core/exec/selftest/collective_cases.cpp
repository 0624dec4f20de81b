// What the lanes of a warp do together, and accesses of 128 bits: every shape and type of mma. Nothing is expected
// here, as results are of all lanes; tests/emulator work them out, and a device and the emulator must agree on them.
#include "core/exec/selftest/instruction_cases.hpp"

#include <deque>

namespace aicf::selftest {
namespace {

struct Product {
  const char* text; ///< after "mma." up to the operands
  unsigned a, b, c; ///< registers
  Operands operands;
  bool sparse = false;
  const char* metadata = "0xe4d98c4e"; ///< indices that PTX defines, in any rotation
};

using enum Operands;
constexpr const char* of_tf32 = "0xe44e4ee4";
const Product products[] = {
    {"sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, pairs_of_halves},
    {"sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, pairs_of_halves},
    {"sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, pairs_of_halves},
    {"sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, pairs_of_halves},
    {"sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, pairs_of_bfloats},
    {"sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, pairs_of_bfloats},
    {"sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, singles},
    {"sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, singles},
    {"sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, integers},
    {"sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2, 4, integers},
    {"sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 2, 4, integers},
    {"sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, integers},
    {"sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", 2, 1, 4, integers},
    {"sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, 2, 4, integers},
    {"sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 4, 2, 4, integers},
    {"sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 1, 1, 2, integers},
    {"sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", 2, 1, 4, integers},
    {"sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32", 4, 2, 4, integers},
    {"sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1, 1, 2, integers},
    {"sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 4, integers},
    {"sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, integers},
    {"sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2, 2, 4, pairs_of_halves, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, pairs_of_halves, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", 4, 4, 2, pairs_of_halves, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2, 2, 4, pairs_of_bfloats, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, pairs_of_bfloats, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 2, 2, 4, singles, true, of_tf32},
    {"sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, singles, true, of_tf32},
    {"sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 2, 2, 4, integers, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u8.s8.s32", 4, 4, 4, integers, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32", 4, 4, 4, integers, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 2, 2, 4, integers, true},
    {"sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.u4.s4.s32", 4, 4, 4, integers, true},
};

constexpr const char* slots =
    ".shared .align 16 .b8 slots[1024];\n.reg .b128 %x<4>;\n.reg .b32 %slot;\n.reg .b64 %w<4>;\n";
#define SLOT "mov.u32 %slot, %tid.x;\nshl.b32 %slot, %slot, 4;\nmov.u32 %r4, slots;\nadd.u32 %slot, %slot, %r4;\n"
#define FOLDED "mad.lo.u32 %r0, %r4, 31, %r5;\nmad.lo.u32 %r0, %r0, 31, %r6;\nmad.lo.u32 %r0, %r0, 31, %r7;"
const InstructionCase wide[] = {
    {SLOT "mov.b128 %x1, {%l1, %l2};\nst.shared.b128 [%slot], %x1;\nld.shared.v2.u64 {%w0, %w1}, [%slot];\n"
          "mad.lo.u64 %l0, %w0, 3, %w1;",
     words, nullptr, 0, 0, slots},
    {SLOT "st.shared.v2.u64 [%slot], {%l1, %l2};\nmov.b128 %x1, {%l2, %l3};\natom.shared.exch.b128 %x2, [%slot], %x1;\n"
          "mov.b128 {%w0, %w1}, %x2;\nld.shared.v2.u64 {%w2, %w3}, [%slot];\nmad.lo.u64 %l0, %w0, 3, %w1;\n"
          "mad.lo.u64 %l0, %l0, 5, %w2;\nmad.lo.u64 %l0, %l0, 7, %w3;",
     words, nullptr, 0, 0, slots},
    {SLOT "st.shared.v2.u64 [%slot], {%l1, %l2};\nmov.b128 %x1, {%l1, %l2};\nmov.b128 %x2, {%l3, %l1};\n"
          "atom.shared.cas.b128 %x3, [%slot], %x1, %x2;\natom.shared.cas.b128 %x3, [%slot], %x1, %x1;\n"
          "mov.b128 {%w0, %w1}, %x3;\nld.shared.v2.u64 {%w2, %w3}, [%slot];\nmad.lo.u64 %l0, %w0, 3, %w1;\n"
          "mad.lo.u64 %l0, %l0, 5, %w2;\nmad.lo.u64 %l0, %l0, 7, %w3;",
     words, nullptr, 0, 0, slots},
    {"mov.b32 %r0, 0x80000000;\nmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r4, %r5, %r6, %r7}, {%r1, %r2, "
     "%r3, "
     "%r1}, {%r2, %r3}, {%r0, %r0, %r0, %r0};\n" FOLDED,
     least_singles},
    {"mov.b32 %r0, 0;\nmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r4, %r5, %r6, %r7}, {%r1, %r2, %r3, %r1}, "
     "{%r2, %r3}, {%r0, %r0, %r0, %r0};\n" FOLDED,
     least_bfloats},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%l4, %l5}, {%l1}, {%l2}, {%l3, %l1};\n"
     "mov.b64 %l0, %l4;\ntestp.notanumber.f64 %q1, %l0;\n@%q1 mov.b64 %l0, 0;",
     doubles},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%l4, %l5, %l6, %l7}, {%l1, %l2, %l3, %l2}, {%l2, %l3}, {%l3, "
     "%l1, %l2, %l1};\nmov.b64 %l0, %l6;\ntestp.notanumber.f64 %q1, %l0;\n@%q1 mov.b64 %l0, 0;",
     doubles},
};

std::string list(const char* registers, unsigned count, unsigned first) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i == 0 ? "%" : ", %") + std::string(registers) + std::to_string((first + i) % 3 + 1);
  return text + "}";
}

/// A, B and C from the three operands; D folded into one word.
std::string text_of(const Product& p) {
  std::string d = "{", fold = "mov.b32 %r0, 0;\n";
  for (unsigned i = 0; i < p.c; ++i) {
    d += (i == 0 ? "%r" : ", %r") + std::to_string(4 + i);
    fold += "mad.lo.u32 %r0, %r0, 31, %r" + std::to_string(4 + i) + ";\n";
  }
  std::string text;
  if (p.sparse)
    text = "mov.u32 %r4, %tid.x;\nshl.b32 %r4, %r4, 2;\nmov.b32 %m, " + std::string(p.metadata) +
           ";\nshf.l.wrap.b32 %m, %m, %m, %r4;\n";
  text += "mma." + std::string(p.text) + " " + d + "}, " + list("r", p.a, 0) + ", " + list("r", p.b, 1) + ", " +
          list("r", p.c, 2) + (p.sparse ? ", %m, 0" : "") + ";\n" + fold;
  return text;
}

} // namespace

std::span<const InstructionCase> collective_cases() {
  static const std::vector<InstructionCase> all = [] {
    static std::deque<std::string> texts;
    std::vector<InstructionCase> cases(std::begin(wide), std::end(wide));
    for (const Product& p : products) {
      texts.push_back(text_of(p));
      cases.push_back({texts.back().c_str(), p.operands});
    }
    return cases;
  }();
  return all;
}

} // namespace aicf::selftest
