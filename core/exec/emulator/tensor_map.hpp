// Tensor maps: what cuTensorMapEncodeTiled takes, as 128 bytes that only this emulator reads (the hardware's own
// encoding is not published). Thread-safe.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace aicf::emulator {

/// Arguments as cuTensorMapEncodeTiled has them; sizes in elements, strides in bytes, dimension 0 contiguous.
struct TensorMap {
  std::uint32_t element_bytes = 4, rank = 1; ///< 1, 2, 4 or 8; 1 … 5
  std::uint64_t address = 0;                 ///< generic, a multiple of 16
  std::array<std::uint64_t, 5> size{};
  std::array<std::uint64_t, 5> stride{};      ///< [0] is element_bytes; the others are multiples of 16
  std::array<std::uint32_t, 5> box{}, step{}; ///< box: 1 … 256; step: 1 … 8
  std::uint32_t swizzle = 0;                  ///< bytes of a swizzled row: 0, 32, 64 or 128
  bool fill_nan = false;                      ///< out of bounds: NaN of a floating-point type, else zero
};

constexpr std::size_t tensor_map_bytes = 128;

/// Nothing when the arguments break a rule of cuTensorMapEncodeTiled.
[[nodiscard]] std::optional<std::array<std::byte, tensor_map_bytes>> encode(const TensorMap& map);
/// Nothing when the bytes are no map of encode().
[[nodiscard]] std::optional<TensorMap> decode_tensor_map(const std::byte* bytes);

} // namespace aicf::emulator
