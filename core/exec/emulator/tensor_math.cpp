#include "core/exec/emulator/tensor_math.hpp"

#include <algorithm>

namespace aicf::emulator {
namespace {

using ptx::Type;

struct Layout {
  int exponent_bits, fraction_bits;
  bool infinities; ///< e4m3 has none, and one NaN
};

Layout layout_of(Type t) {
  switch (t) {
  case Type::f16: return {5, 10, true};
  case Type::bf16: return {8, 7, true};
  case Type::tf32: return {8, 10, true};
  case Type::e4m3: return {4, 3, false};
  case Type::e5m2: return {5, 2, true};
  default: return {8, 23, true};
  }
}

/// Nothing below this power of two is kept, however small all terms are.
constexpr int least_quantum = -158;

constexpr u32 nan_of(Type to) { return to == Type::f16 ? 0x7fffu : 0x7fffffffu; }

/// sum * 2^scale as an f32 truncated or an f16 rounded to nearest even.
u32 rounded(s128 sum, int scale, Type to) {
  const bool half = to == Type::f16;
  const u32 sign = half ? 0x8000u : 0x80000000u;
  if (sum == 0) return 0;
  const bool negative = sum < 0;
  u128 magnitude = negative ? static_cast<u128>(-sum) : static_cast<u128>(sum);
  int top = 0;
  for (u128 m = magnitude; m > 1; m >>= 1) ++top;
  const int digits = half ? 11 : 24, least = half ? -24 : -149, largest = half ? 15 : 127;
  const int quantum = std::max(top + scale - (digits - 1), least), shift = quantum - scale;
  u64 kept = 0;
  if (shift <= 0) {
    kept = static_cast<u64>(magnitude) << -shift;
  } else if (shift < 127) {
    kept = static_cast<u64>(magnitude >> shift);
    if (half) {
      const u128 rest = magnitude & ((u128{1} << shift) - 1), middle = u128{1} << (shift - 1);
      if (rest > middle || (rest == middle && (kept & 1) != 0)) ++kept;
    }
  }
  if (kept == 0) return 0; // no -0, however it came about
  const u64 hidden = u64{1} << (digits - 1);
  const u64 bits = kept < hidden ? kept : (static_cast<u64>(quantum - least) << (digits - 1)) + kept;
  const u64 infinity = static_cast<u64>(2 * largest + 1) << (digits - 1);
  return (negative ? sign : 0) | static_cast<u32>(std::min(bits, infinity));
}

} // namespace

TensorValue tensor_value(Type type, u32 bits) {
  const Layout l = layout_of(type);
  if (type == Type::tf32) bits >>= 13; // the low bits of the register are not read
  const u32 fraction_mask = (1u << l.fraction_bits) - 1, field_mask = (1u << l.exponent_bits) - 1;
  const u32 fraction = bits & fraction_mask, field = (bits >> l.fraction_bits) & field_mask;
  const bool negative = ((bits >> (l.fraction_bits + l.exponent_bits)) & 1) != 0;
  const int bias = (1 << (l.exponent_bits - 1)) - 1;
  TensorValue v;
  if (l.infinities && field == field_mask) {
    v.nan = fraction != 0;
    v.infinite = fraction == 0;
    v.significand = negative ? -1 : 1;
    return v;
  }
  v.nan = !l.infinities && field == field_mask && fraction == fraction_mask;
  const auto significand = static_cast<s32>(field == 0 ? fraction : fraction | (1u << l.fraction_bits));
  v.significand = negative ? -significand : significand;
  v.scale = static_cast<s16>(std::max<int>(static_cast<int>(field), 1) - bias);
  v.exponent = static_cast<s16>(v.scale - l.fraction_bits);
  return v;
}

u32 tensor_sum(std::span<const TensorValue> a, std::span<const TensorValue> b, Type to, u32 c, int fraction) {
  const TensorValue addend = tensor_value(to == Type::f16 ? Type::f16 : Type::f32, c);
  bool nan = addend.nan, up = addend.infinite && addend.significand > 0, down = addend.infinite && !up;
  int largest = addend.significand != 0 && !addend.infinite ? addend.scale : -32768;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const TensorValue &x = a[i], &y = b[i];
    nan = nan || x.nan || y.nan || (x.infinite && y.significand == 0) || (y.infinite && x.significand == 0);
    const bool negative = (x.significand < 0) != (y.significand < 0);
    if (x.infinite || y.infinite) (negative ? down : up) = true;
    if (x.significand != 0 && y.significand != 0) largest = std::max(largest, x.scale + y.scale);
  }
  if (nan || (up && down)) return nan_of(to);
  if (up || down)
    return (to == Type::f16 ? 0x7c00u : 0x7f800000u) | (down ? (to == Type::f16 ? 0x8000u : 0x80000000u) : 0);
  if (largest == -32768) return 0;
  const int quantum = std::max(largest - fraction, least_quantum); // exponent of the last bit that is kept
  s128 sum = 0;
  const auto add = [&](s64 significand, int exponent) {
    const int shift = exponent - quantum;
    if (shift >= 0)
      sum += static_cast<s128>(significand) << shift;
    else if (shift > -63)
      sum += significand < 0 ? -(-significand >> -shift) : significand >> -shift; // towards zero
  };
  for (std::size_t i = 0; i < a.size(); ++i)
    add(s64{a[i].significand} * b[i].significand, a[i].exponent + b[i].exponent);
  add(addend.significand, addend.exponent);
  return rounded(sum, quantum, to);
}

} // namespace aicf::emulator
