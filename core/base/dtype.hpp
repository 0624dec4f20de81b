// Element types, their sizes and roundings. Conversions follow IEEE 754 round-half-to-even; bf16 is the upper half of
// an f32; NaN stays NaN (quiet, sign kept).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aicf {

enum class DType : std::uint8_t { f32, f16, bf16, f64, i8, i32, i64, boolean };

[[nodiscard]] std::string_view name_of(DType type); ///< "f32" … "bool"
[[nodiscard]] std::optional<DType> dtype_from(std::string_view name);
[[nodiscard]] std::size_t size_of(DType type); ///< bytes of an element; bool is one byte
[[nodiscard]] bool is_float(DType type);
/// u = 2^-p, the largest relative error of one rounding to `type` (normal range); 0 for integers.
[[nodiscard]] double unit_roundoff(DType type);
/// Smallest positive subnormal: the absolute error floor of one rounding is half of it.
[[nodiscard]] double smallest_subnormal(DType type);

[[nodiscard]] std::uint16_t f32_to_bf16(float value);
[[nodiscard]] float bf16_to_f32(std::uint16_t bits);
[[nodiscard]] std::uint16_t f64_to_f16(double value);
[[nodiscard]] float f16_to_f32(std::uint16_t bits);
/// One rounding of `value` to `type` (straight from f64: no double rounding); i8 and i32 saturate, NaN becomes 0 there.
[[nodiscard]] double round_to(DType type, double value);

/// Element `i` of a packed array, exact as f64 (i64 beyond 2^53 rounds).
[[nodiscard]] double load_element(DType type, const std::byte* data, std::size_t i);
/// Stores round_to(type, value).
void store_element(DType type, std::byte* data, std::size_t i, double value);

} // namespace aicf
