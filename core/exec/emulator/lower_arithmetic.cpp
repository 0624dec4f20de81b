// Arithmetic, logic, comparisons, selections, moves.
#include "core/exec/emulator/lower.hpp"
#include "core/exec/emulator/scalar_math.hpp"

#include <algorithm>
#include <array>

namespace aicf::emulator {
namespace {

using ptx::Type;

bool is_half(Type t) { return t >= Type::f16 && t <= Type::bf16x2; }

/// Operations whose result does not depend on the sign of an integer type.
constexpr std::array<std::string_view, 7> signless{"add", "sub", "mul.lo", "mad.lo", "sad", "mul24", "mad24"};

constexpr std::array<std::string_view, 49> arithmetic_opcodes{
    "add",  "sub",  "mul",      "mad",   "mul24", "mad24", "div",  "rem",       "min",      "max",
    "abs",  "neg",  "sad",      "and",   "or",    "xor",   "not",  "cnot",      "shl",      "shr",
    "shf",  "popc", "clz",      "brev",  "bfe",   "bfi",   "prmt", "dp4a",      "dp2a",     "fma",
    "rcp",  "sqrt", "ex2",      "lg2",   "sin",   "cos",   "tanh", "bmsk",      "lop3",     "addc",
    "subc", "madc", "copysign", "bfind", "szext", "rsqrt", "fns",  "vabsdiff2", "vabsdiff4"};

/// Integers in pairs and quadruples of a register, and integers cut off below zero: an operation's name is the whole
/// text.
bool is_packed(const ptx::Instruction& i) {
  const auto has = [&](std::string_view part) {
    return std::find(i.parts.begin(), i.parts.end(), part) != i.parts.end();
  };
  return has("u16x2") || has("s16x2") || i.parts[0].starts_with("vabsdiff") || (has("s32") && has("relu"));
}

} // namespace

bool Lowering::arithmetic() {
  const auto base = opcode();
  if (std::find(arithmetic_opcodes.begin(), arithmetic_opcodes.end(), base) == arithmetic_opcodes.end()) return false;
  if (is_packed(*now_)) return lane_instruction(std::string(now_->text), false, false, false, Type::b32);
  Type type = last_type();
  if (type == Type::pred) return logic();
  if (base == "addc" || base == "subc" || base == "madc" || has("cc")) return carry_arithmetic();
  if (base == "prmt" && type == Type::none) { // the mode follows the type
    emit_lane("prmt.b32." + std::string(now_->parts.back()), define(at(0), Width::w32), use(at(1), Type::b32),
              use(at(2), Type::b32), use(at(3), Type::b32));
    return true;
  }
  if (type == Type::none) unsupported();
  bool flushed = false, sat = false, relu = false, has_type = false;
  Rounding rounding = Rounding::none;
  std::string canonical(base == "mad" && ptx::is_float(type) ? "fma" : base);
  for (std::size_t n = 1; n + 1 < now_->parts.size(); ++n) {
    const auto p = now_->parts[n];
    if (const auto r = rounding_from(p); r != Rounding::none) {
      rounding = r;
    } else if (p == "ftz") {
      flushed = true;
    } else if (p == "sat" && ptx::is_float(type)) {
      sat = true;
    } else if (p == "relu") {
      relu = true;
    } else {
      has_type = has_type || ptx::type_from(p) != Type::none;
      canonical += '.';
      canonical += p;
    }
  }
  if (has_type && base != "dp4a" && base != "dp2a") unsupported(); // mixed precision and the like
  if (rounding == Rounding::rz || rounding == Rounding::rm || rounding == Rounding::rp)
    return directed_arithmetic(rounding, flushed, sat, type);
  if (base == "lop3") {
    // lop3.{or,and}.b32 d|p, a, b, c, table, q: p = (d != 0) op q
    if (at(4).kind != Operand::Kind::integer) refuse("the table is a constant");
    const Operand& to = at(0);
    const bool pair = to.kind == Operand::Kind::pair;
    const std::int32_t d = define(pair ? to.items[0] : to, Width::w32);
    emit(Code::lop3, d, use(at(1), type), use(at(2), type), use(at(3), type)).imm = at(4).value & 0xff;
    if (!pair) return true;
    bool negated = false;
    const std::int32_t q = use_predicate(at(5), negated), zero = fresh(Width::pred);
    emit(Code::eq_u32, zero, d, constant32(0));
    emit(has("and") ? Code::pred_and : Code::pred_or, define(to.items[1], Width::pred), zero, q).flag =
        static_cast<std::uint8_t>(2 | (negated ? 1 : 0));
    return true;
  }
  if (base == "bfi") {
    const std::int32_t d = define(at(0), width_of(type)), a = use(at(1), type), b = use(at(2), type);
    const std::int32_t field = fresh(Width::w32);
    emit(Code::pack8, field, use(at(3), Type::u32), use(at(4), Type::u32));
    emit_lane(type == Type::b64 ? "bfi.b64" : "bfi.b32", d, a, b, field);
    return true;
  }
  if (base == "mad24") { // mul24, then add
    const bool high = has("hi"), saturate = has("sat");
    if ((type != Type::u32 && type != Type::s32) || (!high && !has("lo")) || (saturate && (!high || type != Type::s32)))
      unsupported();
    const std::int32_t d = define(at(0), Width::w32), product = fresh(Width::w32);
    emit_lane(std::string("mul24.") + (high ? "hi." : "lo.") + std::string(ptx::name_of(type)), product,
              use(at(1), type), use(at(2), type));
    emit(saturate ? Code::add_sat_s32 : Code::add_u32, d, product, use(at(3), type));
    return true;
  }
  const bool half_flush = flushed && is_half(type);
  if (flushed && !half_flush) canonical += ".ftz";
  const bool drop_sign =
      std::find(signless.begin(), signless.end(), canonical) != signless.end() && base != "sad" && base != "mul24";
  if (drop_sign && ptx::is_signed(type)) type = static_cast<Type>(static_cast<int>(type) - 4); // sN to uN
  canonical += '.';
  if (base == "dp2a" || base == "dp4a" || base == "szext" || base == "bfind") {
    canonical += ptx::name_of(type);
  } else if ((base == "and" || base == "or" || base == "xor") && type == Type::b16) {
    canonical += "b32"; // the upper halves stay zero
  } else if (base == "shr" && !ptx::is_signed(type) && type != Type::none) {
    canonical += ptx::bits_of(type) == 16 ? "u16" : ptx::bits_of(type) == 32 ? "u32" : "u64";
  } else {
    canonical += ptx::name_of(type);
  }
  return lane_instruction(canonical, sat, relu, half_flush, type);
}

bool Lowering::lane_instruction(std::string canonical, bool sat, bool relu, bool flush_half, Type type) {
  const LaneInfo* info = lane_info(canonical);
  if (info == nullptr) unsupported();
  if (now_->operands.size() != info->sources + 1u) refuse("takes " + std::to_string(info->sources + 1u) + " operands");
  const std::int32_t d = define(at(0), info->d);
  std::array<std::int32_t, 3> s{none, none, none};
  const bool shift = opcode() == "shl" || opcode() == "shr";
  for (std::size_t k = 0; k < info->sources; ++k) {
    const bool count = (shift && k == 1) || (opcode() == "bfe" && k > 0);
    s[k] = use(at(k + 1), info->source[k], count ? Type::u32 : type);
    if (flush_half) s[k] = flushed_half(s[k], type);
  }
  emit(info->code, d, s[0], s[1], s[2]);
  const std::string suffix(ptx::name_of(type));
  const auto post = [&](std::string_view f32, std::string_view kind) {
    const Code code = kind == "sat" ? (type == Type::f32      ? Code::saturate_f32
                                       : type == Type::f16    ? Code::saturate_f16
                                       : type == Type::bf16   ? Code::saturate_bf16
                                       : type == Type::f16x2  ? Code::saturate_f16x2
                                       : type == Type::bf16x2 ? Code::saturate_bf16x2
                                                              : Code::nothing)
                                    : (type == Type::f16      ? Code::relu_f16
                                       : type == Type::bf16   ? Code::relu_bf16
                                       : type == Type::f16x2  ? Code::relu_f16x2
                                       : type == Type::bf16x2 ? Code::relu_bf16x2
                                                              : Code::nothing);
    if (code == Code::nothing) unsupported(std::string(f32));
    emit(code, d, d);
  };
  if (sat) post("saturation of this type", "sat");
  if (relu) post("relu of this type", "relu");
  if (flush_half) emit(flush_code(type), d, d);
  return true;
}

Code Lowering::flush_code(Type type) {
  return type == Type::f16     ? Code::flush_f16
         : type == Type::f16x2 ? Code::flush_f16x2
         : type == Type::bf16  ? Code::flush_bf16
                               : Code::flush_bf16x2;
}

/// .ftz of an f16 or bf16 operand.
std::int32_t Lowering::flushed_half(std::int32_t a, Type type) {
  const std::int32_t t = fresh(Width::w32);
  emit(flush_code(type), t, a);
  return t;
}

bool Lowering::directed_arithmetic(Rounding mode, bool flushed, bool sat, Type type) {
  if (type != Type::f32 && type != Type::f64) unsupported("this rounding of this type");
  const auto base = opcode();
  const bool three = base == "fma" || base == "mad", one = base == "rcp" || base == "sqrt";
  const DirectedKind kind = base == "add"    ? DirectedKind::add
                            : base == "sub"  ? DirectedKind::sub
                            : base == "mul"  ? DirectedKind::mul
                            : three          ? DirectedKind::fma
                            : base == "sqrt" ? DirectedKind::sqrt
                                             : DirectedKind::div;
  if (kind == DirectedKind::div && base != "div" && base != "rcp") unsupported();
  if (type == Type::f32 && kind <= DirectedKind::fma) { // these are lane operations
    const char* name = mode == Rounding::rz ? ".rz" : mode == Rounding::rm ? ".rm" : ".rp";
    return lane_instruction(std::string(three ? "fma" : base) + name + (flushed ? ".ftz.f32" : ".f32"), sat, false,
                            false, type);
  }
  const Width w = width_of(type);
  const std::int32_t d = define(at(0), w);
  std::int32_t a = use(at(1), type), b = a, c = a;
  if (base == "rcp") {
    b = a;
    a = w == Width::w64 ? constant64(as_u64(1.0)) : constant32(as_u32(1.0f));
  } else if (!one) {
    b = use(at(2), type);
  }
  if (three) c = use(at(3), type);
  Op& op = emit(Code::directed, d, a, b, c);
  op.flag = static_cast<std::uint8_t>((w == Width::w64 ? 1 : 0) | (flushed ? 2 : 0));
  op.imm = (static_cast<int>(mode) << 8) | static_cast<int>(kind);
  if (sat) emit(type == Type::f32 ? Code::saturate_f32 : Code::saturate_f64, d, d);
  return true;
}

bool Lowering::carry_arithmetic() {
  const auto base = opcode();
  const Type type = last_type();
  const unsigned bits = ptx::bits_of(type);
  if (bits != 32 && bits != 64) unsupported();
  if (carry_ == none) carry_ = fresh(Width::pred);
  const bool multiply = base == "mad" || base == "madc";
  if (multiply && !has("lo") && !has("hi")) unsupported();
  const CarryKind kind = multiply                          ? (has("hi") ? CarryKind::mad_hi : CarryKind::mad_lo)
                         : base == "add" || base == "addc" ? CarryKind::add
                                                           : CarryKind::sub;
  if (!multiply && base != "add" && base != "addc" && base != "sub" && base != "subc") unsupported();
  const std::int32_t d = define(at(0), width_of(type));
  const std::int32_t a = use(at(1), type), b = use(at(2), type), c = multiply ? use(at(3), type) : a;
  Op& op = emit(bits == 64 ? Code::carry64 : Code::carry32, d, a, b, c);
  op.flag = static_cast<std::uint8_t>(static_cast<int>(kind) | (base.back() == 'c' ? carry_in : 0) |
                                      (has("cc") ? carry_out : 0) | (ptx::is_signed(type) ? carry_signed : 0));
  op.imm = carry_;
  return true;
}

bool Lowering::logic() {
  const auto base = opcode();
  const std::int32_t d = define(at(0), Width::pred);
  bool na = false, nb = false;
  const std::int32_t a = use_predicate(at(1), na);
  if (base == "not") {
    emit(Code::pred_mov, d, a).flag = na ? 0 : 2;
    return true;
  }
  const Code code = base == "and"   ? Code::pred_and
                    : base == "or"  ? Code::pred_or
                    : base == "xor" ? Code::pred_xor
                                    : Code::nothing;
  if (code == Code::nothing) unsupported();
  const std::int32_t b = use_predicate(at(2), nb);
  emit(code, d, a, b).flag = static_cast<std::uint8_t>((nb ? 1 : 0) | (na ? 2 : 0));
  return true;
}

/// setp.cmp[.bool][.ftz].type p[|q], a, b[, [!]c]; set.cmp[.bool][.ftz].dtype.stype d, a, b[, [!]c]; testp.
bool Lowering::comparison() {
  const auto base = opcode();
  if (base == "selp" || base == "slct") return select();
  if (base == "testp") {
    emit_lane(std::string(now_->parts.at(1)) + '.' + std::string(ptx::name_of(last_type())), define(at(0), Width::pred),
              use(at(1), last_type()));
    return true;
  }
  if (base != "setp" && base != "set") return false;
  if (now_->parts.size() < 3) unsupported();
  auto cmp = now_->parts[1];
  const Type type = last_type();
  if (type == Type::none || type == Type::pred) unsupported();
  Code combine = Code::nothing;
  for (const auto p : now_->parts)
    combine = p == "and" ? Code::pred_and : p == "or" ? Code::pred_or : p == "xor" ? Code::pred_xor : combine;
  const bool pairs = type == Type::f16x2 || type == Type::bf16x2;
  const bool real = ptx::is_float(type);
  bool negate = false, swap = false;
  std::string_view test = cmp;
  if (real) {
    constexpr std::array<std::array<std::string_view, 2>, 7> opposite{
        {{"equ", "ne"}, {"neu", "eq"}, {"ltu", "ge"}, {"leu", "gt"}, {"gtu", "le"}, {"geu", "lt"}, {"num", "nan"}}};
    for (const auto& o : opposite)
      if (cmp == o[0]) {
        negate = true;
        test = o[1];
        break;
      }
    if (test == "gt" || test == "ge") {
      swap = true;
      test = test == "gt" ? "lt" : "le";
    }
  } else {
    if (test == "lo" || test == "ls" || test == "hi" || test == "hs")
      test = test == "lo" ? "lt" : test == "ls" ? "le" : test == "hi" ? "gt" : "ge";
    if (test == "ne" || test == "ge" || test == "le") {
      negate = true;
      test = test == "ne" ? "eq" : test == "ge" ? "lt" : "gt";
    }
    if (test == "gt") {
      swap = true;
      test = "lt";
    }
  }
  std::string canonical(test);
  canonical += has("ftz") && type == Type::f32 ? ".ftz." : ".";
  const bool flush_half = has("ftz") && is_half(type);
  if (has("ftz") && type != Type::f32 && !flush_half) unsupported();
  const unsigned bits = ptx::bits_of(type);
  if (pairs)
    canonical += type == Type::f16x2 ? "f16" : "bf16";
  else if (type >= Type::b8 && type <= Type::b64)
    canonical += bits == 16 ? "u16" : bits == 32 ? "u32" : "u64";
  else
    canonical += ptx::name_of(type);

  std::int32_t a = use(at(1), type), b = use(at(2), type);
  if (flush_half) {
    a = flushed_half(a, type);
    b = flushed_half(b, type);
  }
  if (swap) std::swap(a, b);
  bool nc = false;
  const std::int32_t c = combine != Code::nothing ? use_predicate(at(3), nc) : none;
  // One comparison into a fresh predicate, combined into `into`; `inverse`: the second destination of setp.
  const auto compare = [&](std::int32_t x, std::int32_t y) {
    const std::int32_t p = fresh(Width::pred);
    emit_lane(canonical, p, x, y);
    return p;
  };
  const auto finish = [&](std::int32_t p, bool inverse, std::int32_t into) {
    const bool flip = negate != inverse;
    if (combine == Code::nothing)
      emit(Code::pred_mov, into, p).flag = flip ? 2 : 0;
    else
      emit(combine, into, p, c).flag = static_cast<std::uint8_t>((nc ? 1 : 0) | (flip ? 2 : 0));
  };
  const Operand& d = at(0);
  const bool two = d.kind == Operand::Kind::pair;
  std::vector<std::int32_t> tests;
  if (pairs) {
    const std::int32_t ah = fresh(Width::w32), bh = fresh(Width::w32);
    const std::int32_t al = fresh(Width::w32), bl = fresh(Width::w32);
    emit(Code::zext16, al, a);
    emit(Code::zext16, bl, b);
    tests.push_back(compare(al, bl));
    emit(Code::high16, ah, a);
    emit(Code::high16, bh, b);
    tests.push_back(compare(ah, bh));
  }
  if (base == "setp") {
    if (pairs) { // p | q: the low and the high half
      finish(tests[0], false, define(two ? d.items[0] : d, Width::pred));
      if (two) finish(tests[1], false, define(d.items[1], Width::pred));
      return true;
    }
    if (!two && !negate && combine == Code::nothing) {
      emit_lane(canonical, define(d, Width::pred), a, b);
      return true;
    }
    const std::int32_t p = compare(a, b);
    finish(p, false, define(two ? d.items[0] : d, Width::pred));
    if (two) finish(p, true, define(d.items[1], Width::pred));
    return true;
  }
  const Type to = ptx::type_from(now_->parts[now_->parts.size() - 2]);
  const auto as_value = [&](std::int32_t test_result, std::uint32_t one, std::int32_t into) {
    const std::int32_t p = fresh(Width::pred);
    finish(test_result, false, p);
    emit(Code::select32, into, constant32(one), constant32(0), p);
  };
  const std::uint32_t one = to == Type::f32                          ? 0x3f800000u
                            : to == Type::f16 || to == Type::f16x2   ? 0x3c00u
                            : to == Type::bf16 || to == Type::bf16x2 ? 0x3f80u
                            : ptx::bits_of(to) == 16                 ? 0xffffu
                                                                     : 0xffffffffu;
  const std::int32_t out = define(d, Width::w32);
  if (!pairs) {
    as_value(compare(a, b), one, out);
    return true;
  }
  const std::uint32_t half_one = ptx::is_float(to) ? one : 0xffffu;
  const std::int32_t lo = fresh(Width::w32), hi = fresh(Width::w32);
  as_value(tests[0], half_one, lo);
  as_value(tests[1], half_one, hi);
  emit(Code::pack16, out, lo, hi);
  return true;
}

bool Lowering::select() {
  const Type type = opcode() == "selp" ? last_type() : ptx::type_from(now_->parts[now_->parts.size() - 2]);
  if (type == Type::none || ptx::bits_of(type) > 64) unsupported();
  const Width w = width_of(type);
  const std::int32_t d = define(at(0), w);
  std::int32_t a = use(at(1), w, type), b = use(at(2), w, type);
  if (opcode() == "selp") {
    bool negated = false;
    const std::int32_t p = use_predicate(at(3), negated);
    if (negated) std::swap(a, b);
    emit(w == Width::w64 ? Code::select64 : Code::select32, d, a, b, p);
    return true;
  }
  // slct: c >= 0 selects a; NaN selects b.
  const std::int32_t p = fresh(Width::pred), c = use(at(3), last_type());
  if (last_type() == Type::f32)
    emit(has("ftz") ? Code::le_ftz_f32 : Code::le_f32, p, constant32(0), c);
  else if (last_type() == Type::s32) {
    emit(Code::lt_s32, p, c, constant32(0));
    std::swap(a, b);
  } else {
    unsupported();
  }
  emit(w == Width::w64 ? Code::select64 : Code::select32, d, a, b, p);
  return true;
}

/// mov, with packing and unpacking; cvta and isspacep are in lower_memory.cpp.
bool Lowering::move() {
  if (opcode() != "mov") return false;
  const Type type = last_type();
  if (type == Type::none) unsupported();
  if (type == Type::pred) {
    bool negated = false;
    const std::int32_t d = define(at(0), Width::pred), a = use_predicate(at(1), negated);
    emit(Code::pred_mov, d, a).flag = negated ? 2 : 0;
    return true;
  }
  const unsigned bits = ptx::bits_of(type);
  const Operand &to = at(0), &from = at(1);
  using Kind = Operand::Kind;
  if (from.kind == Kind::function) {
    const auto found = function_named_.find(from.name);
    if (found == function_named_.end() || !module_.functions[found->second].defined || bits != 64)
      unsupported("the address of '" + std::string(from.name) + "', which is not defined in this text");
    emit(Code::mov_b64, define(to, Width::w64), constant64(code_address(found->second)));
    return true;
  }
  if (from.kind == Kind::special && (from.name.starts_with("%clock") || from.name.starts_with("%globaltimer"))) {
    const bool wide = bits == 64;
    emit(Code::clock, define(to, wide ? Width::w64 : Width::w32)).flag =
        static_cast<std::uint8_t>(wide                         ? 1
                                  : from.name.ends_with("_hi") ? 2
                                                               : 0);
    return true;
  }
  if (bits > 64) {
    move_wide();
    return true;
  }
  if (to.kind == Kind::vector) { // unpack: the first item is the lowest
    const auto count = static_cast<unsigned>(to.items.size());
    if (count != 2 && count != 4) refuse("unpacks into 2 or 4 registers");
    const unsigned each = bits / count;
    std::int32_t source = use(from, type);
    for (unsigned k = 0; k < count; ++k) {
      if (to.items[k].kind == Kind::sink && k + 1 < count) continue;
      const std::int32_t d = define(to.items[k], Width::w32);
      std::int32_t part = source;
      if (bits == 64) {
        const std::int32_t word = each == 32 ? d : fresh(Width::w32);
        emit(k * each < 32 ? Code::low32 : Code::high32, word, source);
        if (each == 32) continue;
        part = word;
      }
      const unsigned from_bit = k * each % 32;
      if (each == 16)
        emit(from_bit == 0 ? Code::zext16 : Code::high16, d, part);
      else if (each == 8) {
        const std::int32_t shifted = fresh(Width::w32);
        emit(Code::shr_u32, shifted, part, constant32(from_bit));
        emit(Code::zext8, d, shifted);
      } else
        unsupported();
    }
    return true;
  }
  if (from.kind == Kind::vector) { // pack
    const auto count = static_cast<unsigned>(from.items.size());
    const unsigned each = count == 0 ? 0 : bits / count;
    const Type part = each == 32 ? Type::b32 : each == 16 ? Type::b16 : Type::b8;
    std::vector<std::int32_t> parts;
    for (const Operand& o : from.items) parts.push_back(use(o, part));
    const std::int32_t d = define(to, width_of(type));
    const auto pair16 = [&](std::size_t k) {
      const std::int32_t t = bits == 32 ? d : fresh(Width::w32);
      emit(Code::pack16, t, parts[k], parts[k + 1]);
      return t;
    };
    if (each == 32 && count == 2) {
      emit(Code::pack32, d, parts[0], parts[1]);
    } else if (each == 16 && count == 2) {
      pair16(0);
    } else if (each == 16 && count == 4) {
      const std::int32_t lo = pair16(0), hi = pair16(2);
      emit(Code::pack32, d, lo, hi);
    } else if (each == 8 && (count == 4 || count == 2)) {
      std::vector<std::int32_t> pairs;
      for (std::size_t k = 0; k < count; k += 2) {
        const std::int32_t up = fresh(Width::w32), t = fresh(Width::w32);
        emit(Code::shl_b32, up, parts[k + 1], constant32(8));
        emit(Code::or_b32, count == 2 ? d : t, parts[k], up);
        pairs.push_back(t);
      }
      if (count == 4) emit(Code::pack16, d, pairs[0], pairs[1]);
    } else {
      unsupported();
    }
    return true;
  }
  const std::int32_t d = define(to, width_of(type)), a = use(from, width_of(type), type);
  emit(bits == 64 ? Code::mov_b64 : Code::mov_b32, d, a);
  return true;
}

/// mov.b128 between registers of 128 bits, and from and to {low, high}.
void Lowering::move_wide() {
  const Operand &to = at(0), &from = at(1);
  const auto part = [&](const Operand& o, std::size_t k, bool defines) {
    if (o.kind != Operand::Kind::vector) {
      const std::int32_t high = upper_half(o);
      return k == 1 ? high : use(o, Width::w64, Type::b64);
    }
    if (o.items.size() != 2) refuse("has two halves of 64 bits");
    return defines ? define(o.items[k], Width::w64) : use(o.items[k], Width::w64, Type::b64);
  };
  // What is read may be what is written, the other way round.
  const std::array<std::int32_t, 2> kept{fresh(Width::w64), fresh(Width::w64)};
  for (std::size_t k = 0; k < 2; ++k) emit(Code::mov_b64, kept[k], part(from, k, false));
  for (std::size_t k = 0; k < 2; ++k) emit(Code::mov_b64, part(to, k, true), kept[k]);
}

} // namespace aicf::emulator
