// cvt: integers as chains of extensions, frequent float conversions as lane operations, the rest through converted().
#include "core/exec/emulator/lower.hpp"

#include <array>

namespace aicf::emulator {
namespace {

using ptx::Type;

bool is_small_float(Type t) { return t == Type::f16 || t == Type::bf16; }

struct Direct {
  Type to, from;
  Rounding rounding;
  Code code;
};
/// Conversions that are one lane operation when neither .ftz, .sat nor .relu is given. rni stands for rn on integers.
constexpr std::array direct{
    Direct{Type::f64, Type::f32, Rounding::none, Code::f32_to_f64},
    Direct{Type::f32, Type::f64, Rounding::rn, Code::f64_to_f32},
    Direct{Type::f32, Type::f16, Rounding::none, Code::f16_to_f32},
    Direct{Type::f32, Type::bf16, Rounding::none, Code::bf16_to_f32},
    Direct{Type::f16, Type::f32, Rounding::rn, Code::f32_to_f16},
    Direct{Type::bf16, Type::f32, Rounding::rn, Code::f32_to_bf16},
    Direct{Type::f32, Type::s32, Rounding::rn, Code::s32_to_f32},
    Direct{Type::f32, Type::u32, Rounding::rn, Code::u32_to_f32},
    Direct{Type::f32, Type::s64, Rounding::rn, Code::s64_to_f32},
    Direct{Type::f64, Type::s32, Rounding::rn, Code::s32_to_f64},
    Direct{Type::f64, Type::u32, Rounding::rn, Code::u32_to_f64},
    Direct{Type::f64, Type::s64, Rounding::rn, Code::s64_to_f64},
    Direct{Type::s32, Type::f32, Rounding::rzi, Code::f32_to_s32_rz},
    Direct{Type::s32, Type::f64, Rounding::rzi, Code::f64_to_s32_rz},
    Direct{Type::f32, Type::f32, Rounding::rni, Code::f32_round_even},
    Direct{Type::f64, Type::f64, Rounding::rni, Code::f64_round_even},
    Direct{Type::f32, Type::f32, Rounding::rzi, Code::f32_trunc},
    Direct{Type::f32, Type::f32, Rounding::rmi, Code::f32_floor},
    Direct{Type::f32, Type::f32, Rounding::rpi, Code::f32_ceil},
    Direct{Type::f32, Type::f32, Rounding::none, Code::mov_b32},
};

} // namespace

/// `a` (a register of any width) holds a `from`; `d` gets it as a `to`, extended to the register's width.
void Lowering::convert_integers(Type to, Type from, std::int32_t d, Width dw, unsigned register_bits, std::int32_t a,
                                Width aw) {
  const unsigned to_bits = ptx::bits_of(to), from_bits = ptx::bits_of(from);
  // The value as a chain of steps; the last one writes d.
  std::vector<Code> steps;
  const auto extend = [&](Type t) {
    const unsigned bits = ptx::bits_of(t);
    if (bits == 8) steps.push_back(ptx::is_signed(t) ? Code::sext8 : Code::zext8);
    if (bits == 16) steps.push_back(ptx::is_signed(t) ? Code::sext16 : Code::zext16);
  };
  bool wide = aw == Width::w64;
  if (wide && (from_bits < 64 || to_bits < 64)) {
    steps.push_back(Code::low32);
    wide = false;
  }
  if (!wide) {
    if (from_bits < 32) extend(from);
    if (to_bits < from_bits && to_bits < 32) extend(to);
    if (to_bits == from_bits && to_bits < 32 && ptx::is_signed(to) != ptx::is_signed(from)) extend(to);
    if (dw == Width::w64) {
      const bool sign = to_bits <= from_bits ? ptx::is_signed(to) : ptx::is_signed(from);
      steps.push_back(sign ? Code::sext32 : Code::zext32);
    } else if (register_bits == 16 &&
               (steps.empty() || (steps.back() != Code::zext16 && steps.back() != Code::zext8))) {
      steps.push_back(Code::zext16);
    } else if (steps.empty()) {
      steps.push_back(Code::mov_b32);
    }
  } else {
    steps.push_back(Code::mov_b64);
  }
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const LaneInfo* info = lane_info(steps[k]);
    const std::int32_t into = k + 1 == steps.size() ? d : fresh(info->d);
    emit(steps[k], into, a);
    a = into;
  }
}

/// One conversion by converted() into a fresh register of 32 bits.
std::int32_t Lowering::converted_part(const Conversion& c, std::int32_t a) {
  const std::int32_t t = fresh(Width::w32);
  const auto index = static_cast<std::uint32_t>(program_.conversions.size());
  program_.conversions.push_back(c);
  emit(Code::convert, t, a).aux = index;
  return t;
}

/// d = low | high << bits, both shorter than that.
void Lowering::join_pair(std::int32_t d, std::int32_t low, std::int32_t high, unsigned bits) {
  const std::int32_t up = fresh(Width::w32);
  emit(Code::shl_b32, up, high, constant32(bits));
  emit(Code::or_b32, d, low, up);
}

/// cvt.pack.sat.type.s32 d, a, b and cvt.pack.sat.type.s32.b32 d, a, b, c: a above b, c's low part above both.
bool Lowering::packed_conversion() {
  const auto t = types();
  if (t.size() < 2 || t[1] != Type::s32 || !has("sat")) unsupported();
  const unsigned bits = ptx::bits_of(t[0]);
  if ((bits != 16 && bits != 8) || ptx::is_float(t[0]) || (t.size() == 3) != (bits == 8)) unsupported();
  Conversion c;
  c.to = t[0];
  c.from = Type::s32;
  c.saturate = true;
  const std::int32_t d = define(at(0), Width::w32);
  const std::int32_t high = converted_part(c, use(at(1), Type::s32)), low = converted_part(c, use(at(2), Type::s32));
  if (bits == 16) {
    emit(Code::pack16, d, low, high);
    return true;
  }
  const std::int32_t pair = fresh(Width::w32);
  emit(Code::pack8, pair, low, high);
  emit(Code::pack16, d, pair, use(at(3), Type::b32));
  return true;
}

bool Lowering::conversion() {
  if (opcode() != "cvt") return false;
  if (has("pack")) return packed_conversion();
  Conversion c;
  std::vector<Type> types;
  for (std::size_t n = 1; n < now_->parts.size(); ++n) {
    const auto p = now_->parts[n];
    if (const Type t = ptx::type_from(p); t != Type::none)
      types.push_back(t);
    else if (p == "ftz")
      c.flush = true;
    else if (p == "sat")
      c.saturate = true;
    else if (p == "relu")
      c.relu = true;
    else if (p == "satfinite")
      c.finite = true;
    else if (const auto r = rounding_from(p); r != Rounding::none)
      c.rounding = r;
    else
      unsupported(); // fp6, fp4, .rs …
  }
  if (types.size() != 2) unsupported();
  c.to = types[0];
  c.from = types[1];
  const bool to_real = ptx::is_float(c.to), from_real = ptx::is_float(c.from);
  if (c.to == Type::e4m3x2 || c.to == Type::e5m2x2) {
    if (!c.finite || c.rounding != Rounding::rn) unsupported();
    c.to = c.to == Type::e4m3x2 ? Type::e4m3 : Type::e5m2;
    const std::int32_t d = define(at(0), Width::w32);
    std::int32_t high = none, low = none;
    if (c.from == Type::f32) {
      high = use(at(1), Type::f32);
      low = use(at(2), Type::f32);
    } else if (c.from == Type::f16x2) {
      c.from = Type::f16;
      const std::int32_t a = use(at(1), Type::b32);
      high = fresh(Width::w32);
      low = fresh(Width::w32);
      emit(Code::high16, high, a);
      emit(Code::zext16, low, a);
    } else {
      unsupported();
    }
    high = converted_part(c, high);
    low = converted_part(c, low);
    join_pair(d, low, high, 8);
    return true;
  }
  if (c.from == Type::e4m3x2 || c.from == Type::e5m2x2) {
    if (c.to != Type::f16x2 || c.rounding != Rounding::rn) unsupported();
    c.from = c.from == Type::e4m3x2 ? Type::e4m3 : Type::e5m2;
    c.to = Type::f16;
    const std::int32_t d = define(at(0), Width::w32), a = use(at(1), Type::b16);
    const std::int32_t high = fresh(Width::w32), low = fresh(Width::w32);
    emit(Code::shr_u32, high, a, constant32(8));
    emit(Code::zext8, low, a);
    const std::int32_t x = converted_part(c, low), y = converted_part(c, high);
    emit(Code::pack16, d, x, y);
    return true;
  }
  if (c.to == Type::tf32) {
    if (c.from != Type::f32 || c.rounding == Rounding::none) unsupported();
    const std::int32_t d = define(at(0), Width::w32);
    emit(Code::mov_b32, d, converted_part(c, use(at(1), Type::f32)));
    return true;
  }
  if (c.finite) unsupported();
  if (c.to == Type::f16x2 || c.to == Type::bf16x2) {
    if (c.from != Type::f32 || c.saturate) unsupported();
    const bool bf = c.to == Type::bf16x2;
    const std::int32_t d = define(at(0), Width::w32), a = use(at(1), Type::f32), b = use(at(2), Type::f32);
    if (c.rounding == Rounding::rn) {
      emit(bf ? Code::f32_to_bf16x2 : Code::f32_to_f16x2, d, a, b);
      if (c.relu) emit(bf ? Code::relu_bf16x2 : Code::relu_f16x2, d, d);
      return true;
    }
    c.to = bf ? Type::bf16 : Type::f16;
    const auto index = static_cast<std::uint32_t>(program_.conversions.size());
    program_.conversions.push_back(c);
    const std::int32_t hi = fresh(Width::w32), lo = fresh(Width::w32);
    emit(Code::convert, hi, a).aux = index;
    emit(Code::convert, lo, b).aux = index;
    emit(Code::pack16, d, lo, hi);
    return true;
  }
  if (c.from == Type::f16x2 || c.from == Type::bf16x2) unsupported();
  // A register may be wider than the type that is converted.
  const Operand& source = at(1);
  Width aw = width_of(c.from);
  if (source.kind == Operand::Kind::reg) aw = width_of(register_type(source));
  if (aw == Width::pred) refuse("a predicate cannot be converted");
  std::int32_t a = use(source, aw, c.from);
  const Operand& destination = at(0);
  const Type dt = destination.kind == Operand::Kind::reg ? register_type(destination) : c.to;
  const Width dw = width_of(dt);
  const std::int32_t d = define(destination, dw);
  c.extends = ptx::is_signed(c.to) && ptx::bits_of(dt) >= 32;
  if (!to_real && !from_real && !c.saturate) {
    convert_integers(c.to, c.from, d, dw, ptx::bits_of(dt), a, aw);
    return true;
  }
  if (aw == Width::w64 && ptx::bits_of(c.from) < 64) {
    const std::int32_t t = fresh(Width::w32);
    emit(Code::low32, t, a);
    a = t;
  }
  if (dw != width_of(c.to)) { // convert into a register of the right size, then extend
    const std::int32_t t = fresh(width_of(c.to));
    const auto index = static_cast<std::uint32_t>(program_.conversions.size());
    program_.conversions.push_back(c);
    emit(Code::convert, t, a).aux = index;
    if (dw == Width::w64)
      emit(ptx::is_signed(c.to) ? Code::sext32 : Code::zext32, d, t);
    else
      emit(Code::low32, d, t);
    return true;
  }
  if (!to_real && from_real && c.rounding == Rounding::rni && c.to == Type::s32 && !c.flush &&
      !is_small_float(c.from)) {
    const bool wide = c.from == Type::f64; // .sat changes nothing: conversions to integers clamp
    const std::int32_t t = fresh(width_of(c.from));
    emit(wide ? Code::f64_round_even : Code::f32_round_even, t, a);
    emit(wide ? Code::f64_to_s32_rz : Code::f32_to_s32_rz, d, t);
    return true;
  }
  const bool clamps_anyway = !to_real && from_real;
  const bool post_sat = c.saturate && c.to == Type::f32;
  if ((!c.saturate || clamps_anyway || post_sat) && !c.relu && !c.flush) {
    for (const Direct& one : direct) {
      if (one.to != c.to || one.from != c.from || one.rounding != c.rounding) continue;
      emit(one.code, d, a);
      if (post_sat) emit(Code::saturate_f32, d, d);
      return true;
    }
  }
  const auto index = static_cast<std::uint32_t>(program_.conversions.size());
  program_.conversions.push_back(c);
  emit(Code::convert, d, a).aux = index;
  return true;
}

} // namespace aicf::emulator
