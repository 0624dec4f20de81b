#include "core/exec/emulator/scalar_math.hpp"

#include <cfenv>
#include <cmath>

namespace aicf::emulator {
namespace {

int fenv_mode(Rounding mode) {
  return mode == Rounding::rz   ? FE_TOWARDZERO
         : mode == Rounding::rm ? FE_DOWNWARD
         : mode == Rounding::rp ? FE_UPWARD
                                : FE_TONEAREST;
}

/// The operands pass through volatiles, so that nothing moves across the changes of mode.
template <class T> T directed(DirectedKind kind, Rounding mode, T x, T y, T z) {
  const int before = std::fegetround();
  std::fesetround(fenv_mode(mode));
  volatile T a = x, b = y, c = z;
  volatile T r = 0;
  switch (kind) {
  case DirectedKind::add: r = a + b; break;
  case DirectedKind::sub: r = a - b; break;
  case DirectedKind::mul: r = a * b; break;
  case DirectedKind::fma: r = std::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)); break;
  case DirectedKind::div: r = a / b; break;
  case DirectedKind::sqrt: r = std::sqrt(static_cast<T>(a)); break;
  }
  std::fesetround(before);
  return r;
}

struct Format {
  int digits;   ///< significand bits, the hidden one included
  int exponent; ///< of the least subnormal: value = n * 2^exponent
  u64 max_finite, canonical_nan, infinity;
};

Format format_of(ptx::Type t) {
  switch (t) {
  case ptx::Type::f16: return {11, -24, 0x7bff, 0x7fff, 0x7c00};
  case ptx::Type::bf16: return {8, -133, 0x7f7f, 0x7fff, 0x7f80};
  case ptx::Type::f32: return {24, -149, 0x7f7fffff, 0x7fffffff, 0x7f800000};
  case ptx::Type::e4m3: return {4, -9, 0x7e, 0x7f, 0x7f}; // no infinity: what rounds past the largest is NaN
  case ptx::Type::e5m2: return {3, -16, 0x7b, 0x7f, 0x7c};
  case ptx::Type::tf32: return {11, -136, 0x3fbff, 0x3ffff, 0x3fc00};
  default: return {53, -1074, 0x7fefffffffffffff, 0x7fffffffffffffff, 0x7ff0000000000000};
  }
}

/// Whether a magnitude with the discarded part (`half` its top bit, `rest` any below) goes up.
bool rounds_up(Rounding mode, bool negative, bool odd, bool half, bool rest) {
  switch (mode) {
  case Rounding::rz:
  case Rounding::rzi: return false;
  case Rounding::rm:
  case Rounding::rmi: return negative && (half || rest);
  case Rounding::rp:
  case Rounding::rpi: return !negative && (half || rest);
  case Rounding::rna: return half;
  default: return half && (rest || odd);
  }
}

/// magnitude * 2^scale in format f.
u64 encode(const Format& f, Rounding mode, bool negative, u64 magnitude, int scale, unsigned width) {
  const u64 sign = negative ? u64{1} << (width - 1) : 0;
  if (magnitude == 0) return sign;
  const int top = 63 - std::countl_zero(magnitude);
  int quantum = top + scale - (f.digits - 1); // exponent of the last digit kept
  if (quantum < f.exponent) quantum = f.exponent;
  const int shift = quantum - scale;
  u64 kept = 0;
  if (shift <= 0) {
    kept = magnitude << -shift;
  } else {
    const bool half = shift <= 64 && ((magnitude >> (shift - 1)) & 1) != 0;
    const bool rest = shift > 64 || (shift > 1 && (magnitude & ((u64{1} << (shift - 1)) - 1)) != 0);
    kept = shift >= 64 ? 0 : magnitude >> shift;
    kept += rounds_up(mode, negative, (kept & 1) != 0, half, rest) ? 1 : 0;
  }
  // A carry into the next binade is right as it stands: the fields are adjacent.
  const u64 biased = static_cast<u64>(quantum - f.exponent);
  const u64 hidden = u64{1} << (f.digits - 1);
  u64 bits = kept < hidden ? kept : (biased << (f.digits - 1)) + kept;
  if (bits >= f.infinity) {
    const bool up = mode == Rounding::rn || mode == Rounding::none || mode == Rounding::rna ||
                    (mode == Rounding::rp && !negative) || (mode == Rounding::rm && negative);
    bits = up ? f.infinity : f.max_finite;
  }
  return sign | bits;
}

struct Decoded {
  bool negative = false, nan = false, infinite = false;
  u64 magnitude = 0;
  int scale = 0;
};

/// tf32 is kept in the upper 19 bits of its register.
unsigned width_of(ptx::Type t) { return t == ptx::Type::tf32 ? 19 : ptx::bits_of(t); }

Decoded decode_real(ptx::Type t, u64 bits) {
  const Format f = format_of(t);
  const unsigned width = width_of(t);
  Decoded d;
  d.negative = ((bits >> (width - 1)) & 1) != 0;
  const u64 m = bits & ((u64{1} << (width - 1)) - 1);
  d.nan = t == ptx::Type::e4m3 ? m == f.canonical_nan : m > f.infinity;
  d.infinite = t != ptx::Type::e4m3 && m == f.infinity;
  const u64 field = m >> (f.digits - 1), fraction = m & ((u64{1} << (f.digits - 1)) - 1);
  d.magnitude = field == 0 ? fraction : fraction | (u64{1} << (f.digits - 1));
  d.scale = f.exponent + (field == 0 ? 0 : static_cast<int>(field) - 1);
  return d;
}

/// The integer nearest to d in the given direction; `huge` when it does not fit 64 bits.
u64 to_integer(const Decoded& d, Rounding mode, bool& huge) {
  huge = false;
  if (d.magnitude == 0) return 0;
  if (d.scale >= 0) {
    huge = 64 - std::countl_zero(d.magnitude) + d.scale > 64;
    return huge ? 0 : d.magnitude << d.scale;
  }
  const int shift = -d.scale;
  const bool half = shift <= 64 && ((d.magnitude >> (shift - 1)) & 1) != 0;
  const bool rest = shift > 64 || (shift > 1 && (d.magnitude & ((u64{1} << (shift - 1)) - 1)) != 0);
  const u64 kept = shift >= 64 ? 0 : d.magnitude >> shift;
  return kept + (rounds_up(mode, d.negative, (kept & 1) != 0, half, rest) ? 1 : 0);
}

u64 clamp_integer(ptx::Type to, bool negative, u64 magnitude, bool huge) {
  const unsigned width = ptx::bits_of(to);
  if (ptx::is_signed(to)) {
    const u64 limit = u64{1} << (width - 1);
    if (negative) return huge || magnitude > limit ? 0 - limit : 0 - magnitude;
    return huge || magnitude > limit - 1 ? limit - 1 : magnitude;
  }
  const u64 limit = width == 64 ? ~u64{0} : (u64{1} << width) - 1;
  return negative ? 0 : huge || magnitude > limit ? limit : magnitude;
}

u64 narrowed(ptx::Type to, u64 v) {
  const unsigned width = ptx::bits_of(to);
  if (width >= 64) return v;
  const u64 cut = v & ((u64{1} << width) - 1);
  return ptx::is_signed(to) && ((cut >> (width - 1)) & 1) != 0 ? cut | ~((u64{1} << width) - 1) : cut;
}

u64 finish_real(const Conversion& c, u64 bits) {
  const Format f = format_of(c.to);
  const unsigned width = width_of(c.to);
  const u64 sign = u64{1} << (width - 1);
  if (c.finite && (bits & ~sign) >= f.infinity) bits = (bits & sign) | f.max_finite;
  if (c.flush && c.to == ptx::Type::f32 && (bits & 0x7f800000u) == 0) bits &= sign;
  if (c.relu && (bits & sign) != 0) return 0;
  if (c.saturate) {
    const u64 one = c.to == ptx::Type::f16    ? 0x3c00
                    : c.to == ptx::Type::bf16 ? 0x3f80
                    : c.to == ptx::Type::f32  ? 0x3f800000
                                              : 0x3ff0000000000000;
    if ((bits & ~sign) > f.infinity || (bits & sign) != 0) return 0;
    return bits > one ? one : bits;
  }
  return bits;
}

} // namespace

u32 directed_f32(DirectedKind kind, Rounding mode, bool flushed, u32 a, u32 b, u32 c) {
  f32 x = as_f32(a), y = as_f32(b), z = as_f32(c);
  if (flushed) {
    x = flush(x);
    y = flush(y);
    z = flush(z);
  }
  const f32 r = canonical(directed<f32>(kind, mode, x, y, z));
  return as_u32(flushed ? flush(r) : r);
}

u64 directed_f64(DirectedKind kind, Rounding mode, u64 a, u64 b, u64 c) {
  return as_u64(directed<f64>(kind, mode, as_f64(a), as_f64(b), as_f64(c)));
}

u64 converted(const Conversion& c, u64 bits) {
  const bool to_real = ptx::is_float(c.to), from_real = ptx::is_float(c.from);
  if (!from_real) {
    const u64 v = narrowed(c.from, bits);
    const bool negative = ptx::is_signed(c.from) && static_cast<s64>(v) < 0;
    const u64 magnitude = negative ? 0 - v : v;
    if (to_real) return finish_real(c, encode(format_of(c.to), c.rounding, negative, magnitude, 0, ptx::bits_of(c.to)));
    return c.saturate ? clamp_integer(c.to, negative, magnitude, false) : narrowed(c.to, v);
  }
  if (c.flush && c.from == ptx::Type::f32 && (bits & 0x7f800000u) == 0) bits &= 0x80000000u;
  const Decoded d = decode_real(c.from, bits);
  if (!to_real) {
    // PTX ISA, cvt: 0; where either type has 64 bits the highest bit of the result alone, as the hardware has it.
    if (d.nan) {
      const u64 highest = u64{1} << (ptx::bits_of(c.to) - 1);
      return ptx::bits_of(c.from) < 64 && ptx::bits_of(c.to) < 64 ? 0 : ptx::is_signed(c.to) ? 0 - highest : highest;
    }
    bool huge = false;
    const u64 m = to_integer(d, c.rounding, huge);
    return clamp_integer(c.to, d.negative, m, huge || d.infinite);
  }
  const Format f = format_of(c.to);
  const unsigned width = width_of(c.to);
  const u64 sign = d.negative ? u64{1} << (width - 1) : 0;
  const unsigned left = c.to == ptx::Type::tf32 ? 13 : 0;
  if (d.nan) {
    if (c.saturate) return 0;
    if (c.from != ptx::Type::f64 || (c.to != ptx::Type::f32 && c.to != ptx::Type::f16)) return f.canonical_nan << left;
    // The hardware keeps the sign and the upper digits of a NaN of 64 bits.
    const u64 quiet = u64{1} << (f.digits - 2);
    return sign | f.infinity | quiet | ((bits & 0x7ffffffffffffu) >> (53 - static_cast<unsigned>(f.digits)));
  }
  if (d.infinite) return finish_real(c, sign | f.infinity) << left;
  if (c.rounding >= Rounding::rni && c.rounding <= Rounding::rpi) { // to an integral value of the same type
    if (d.scale >= 0) return finish_real(c, encode(f, Rounding::rn, d.negative, d.magnitude, d.scale, width));
    bool huge = false;
    return finish_real(c, encode(f, Rounding::rn, d.negative, to_integer(d, c.rounding, huge), 0, width));
  }
  return finish_real(c, encode(f, c.rounding, d.negative, d.magnitude, d.scale, width)) << left;
}

} // namespace aicf::emulator
