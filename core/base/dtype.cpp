#include "core/base/dtype.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace aicf {
namespace {

struct Row {
  std::string_view name;
  std::size_t size;
  int precision, min_exponent; // significand bits; exponent of the smallest normal (floats only)
};
constexpr std::array<Row, 8> rows{{{"f32", 4, 24, -126},
                                   {"f16", 2, 11, -14},
                                   {"bf16", 2, 8, -126},
                                   {"f64", 8, 53, -1022},
                                   {"i8", 1, 0, 0},
                                   {"i32", 4, 0, 0},
                                   {"i64", 8, 0, 0},
                                   {"bool", 1, 0, 0}}};
const Row& row(DType type) { return rows[static_cast<std::size_t>(type)]; }

/// `value` rounded to `precision` significand bits above `min_exponent`, exact in f64; overflow by `max`.
double round_float(double value, int precision, int min_exponent, double max) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = std::ilogb(value);
  int ulp = std::max(exponent, min_exponent) - precision + 1;
  double scaled = std::nearbyint(std::ldexp(value, -ulp)); // half to even: the default rounding mode
  double rounded = std::ldexp(scaled, ulp);
  if (std::fabs(rounded) > max) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

double saturate(double value, double lo, double hi) {
  if (std::isnan(value)) return 0;
  return std::nearbyint(std::fmin(std::fmax(value, lo), hi));
}

constexpr double bf16_max = 0x1.fep127, f16_max = 65504;

template <class T> T read(const std::byte* data, std::size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}
template <class T> void write(std::byte* data, std::size_t i, T value) {
  std::memcpy(data + i * sizeof(T), &value, sizeof(T));
}

} // namespace

std::string_view name_of(DType type) { return row(type).name; }

std::optional<DType> dtype_from(std::string_view name) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

std::size_t size_of(DType type) { return row(type).size; }
bool is_float(DType type) { return row(type).precision > 0; }
double unit_roundoff(DType type) { return is_float(type) ? std::ldexp(1.0, -row(type).precision) : 0; }
double smallest_subnormal(DType type) {
  return is_float(type) ? std::ldexp(1.0, row(type).min_exponent - row(type).precision + 1) : 0;
}

std::uint16_t f32_to_bf16(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); }

std::uint16_t f64_to_f16(double value) {
  auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  if (std::isnan(value)) return sign | 0x7e00U;
  double magnitude = std::fabs(round_float(value, 11, -14, f16_max));
  if (std::isinf(magnitude)) return sign | 0x7c00U;
  if (magnitude == 0) return sign;
  int exponent = std::max(std::ilogb(magnitude), -14);
  auto significand = static_cast<unsigned>(std::ldexp(magnitude, 10 - exponent)); // 2^10 … 2^11-1, less if subnormal
  return static_cast<std::uint16_t>(sign + (static_cast<unsigned>(exponent + 14) << 10U) + significand);
}

float f16_to_f32(std::uint16_t bits) {
  unsigned exponent = (bits >> 10U) & 31U, significand = bits & 1023U;
  float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  if (exponent == 31)
    return std::copysign(
        significand != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity(), sign);
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(significand), -24);
  return sign * std::ldexp(static_cast<float>(significand + 1024), static_cast<int>(exponent) - 25);
}

double round_to(DType type, double value) {
  switch (type) {
  case DType::f32: return static_cast<double>(static_cast<float>(value));
  case DType::f16: return round_float(value, 11, -14, f16_max);
  case DType::bf16: return round_float(value, 8, -126, bf16_max);
  case DType::f64: return value;
  case DType::i8: return saturate(value, -128, 127);
  case DType::i32: return saturate(value, -2147483648.0, 2147483647.0);
  case DType::i64: return saturate(value, -0x1p63, 0x1.fffffffffffffp62);
  case DType::boolean: return value != 0 ? 1 : 0;
  }
  return value;
}

double load_element(DType type, const std::byte* data, std::size_t i) {
  switch (type) {
  case DType::f32: return read<float>(data, i);
  case DType::f16: return f16_to_f32(read<std::uint16_t>(data, i));
  case DType::bf16: return bf16_to_f32(read<std::uint16_t>(data, i));
  case DType::f64: return read<double>(data, i);
  case DType::i8: return read<std::int8_t>(data, i);
  case DType::i32: return read<std::int32_t>(data, i);
  case DType::i64: return static_cast<double>(read<std::int64_t>(data, i));
  case DType::boolean: return read<std::uint8_t>(data, i) != 0 ? 1 : 0;
  }
  return 0;
}

void store_element(DType type, std::byte* data, std::size_t i, double value) {
  double v = round_to(type, value);
  switch (type) {
  case DType::f32: return write(data, i, static_cast<float>(v));
  case DType::f16: return write(data, i, f64_to_f16(v));
  case DType::bf16: return write(data, i, f32_to_bf16(static_cast<float>(v)));
  case DType::f64: return write(data, i, v);
  case DType::i8: return write(data, i, static_cast<std::int8_t>(v));
  case DType::i32: return write(data, i, static_cast<std::int32_t>(v));
  case DType::i64: return write(data, i, static_cast<std::int64_t>(v));
  case DType::boolean: return write(data, i, static_cast<std::uint8_t>(v));
  }
}

} // namespace aicf
