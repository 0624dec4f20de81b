// Arithmetic too rare to vectorise: directed roundings and the conversions without an operation of their own.
#pragma once
#include "core/exec/emulator/lane_math.hpp"
#include "core/exec/emulator/program.hpp"

namespace aicf::emulator {

enum class DirectedKind : std::uint8_t { add, sub, mul, fma, div, sqrt };

/// One operation rounded once in `mode` (rz, rm, rp); operands and result are bits.
[[nodiscard]] u32 directed_f32(DirectedKind kind, Rounding mode, bool flushed, u32 a, u32 b, u32 c);
[[nodiscard]] u64 directed_f64(DirectedKind kind, Rounding mode, u64 a, u64 b, u64 c);
/// cvt: `bits` holds a value of conversion.from; the result holds conversion.to in its low bits, sign-extended when
/// signed.
[[nodiscard]] u64 converted(const Conversion& conversion, u64 bits);

} // namespace aicf::emulator
