// The sums of tensor cores. Source of the model: M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, "Numerical behavior of
// NVIDIA tensor cores" (2021), and F. A. Khattak, M. Mikaitis, "Accurate models of NVIDIA tensor cores" (2025), for
// compute capability 9.0: the products of one instruction and C are aligned to the largest exponent, truncated to a
// number of fractional bits, and summed exactly; an f32 result is truncated, an f16 one rounded to nearest even. Not
// there, and measured on an H200 (tests/bench/tensor_sums.py): no bit below 2^-158 is kept, and no result is -0.
#pragma once
#include "core/exec/emulator/lane_math.hpp"
#include "core/exec/emulator/ptx_ast.hpp"

#include <span>

namespace aicf::emulator {

/// An element of A or B: value = significand * 2^exponent, with the exponent that alignment sees beside it.
struct TensorValue {
  s32 significand = 0; ///< with its sign
  s16 exponent = 0;    ///< of the significand's last bit
  s16 scale = 0;       ///< floor of log2 of a normal value; the least one for subnormals
  bool nan = false, infinite = false;
};

[[nodiscard]] TensorValue tensor_value(ptx::Type type, u32 bits);
/// a . b + c, as bits of `to` (f32 or f16); `c` too. `fraction`: bits kept behind the point after alignment.
[[nodiscard]] u32 tensor_sum(std::span<const TensorValue> a, std::span<const TensorValue> b, ptx::Type to, u32 c,
                             int fraction);

} // namespace aicf::emulator
