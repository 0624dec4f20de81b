// Tensor maps: what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col take, as 128 bytes that only this emulator reads
// (the hardware's own encoding is not published). Thread-safe.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace aicf::emulator {

/// Arguments as the driver's functions have them; sizes in elements, strides in bytes, dimension 0 contiguous.
struct TensorMap {
  /// CUtensorMapDataType.
  enum class Element : std::uint8_t {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f64,
    bf16,
    f32_ftz,
    tf32,
    tf32_ftz
  } element = Element::f32;
  std::uint32_t rank = 1;    ///< 1 … 5; of im2col 3 … 5: channels, width [, height [, depth]], images
  std::uint64_t address = 0; ///< generic, a multiple of 16
  std::array<std::uint64_t, 5> size{};
  std::array<std::uint64_t, 5> stride{};      ///< [0] is the size of an element; the others are multiples of 16
  std::array<std::uint32_t, 5> box{}, step{}; ///< box: 1 … 256; step (of elements): 1 … 8
  std::uint32_t swizzle = 0;                  ///< bytes of a swizzled row: 0, 32, 64 or 128
  bool fill_nan = false;                      ///< out of bounds: NaN of a floating-point type, else zero
  bool im2col = false;
  /// Of im2col, in place of `box`. Corners of dimensions 1, 2, 3, counted from 0 and from the last element.
  std::uint32_t channels = 0, pixels = 0;       ///< 1 … 256, 1 … 1024
  std::array<std::int32_t, 3> lower{}, upper{}; ///< 16, 8 or 5 bits with sign for ranks 3, 4, 5
};

[[nodiscard]] std::uint32_t bytes_of(TensorMap::Element element);

constexpr std::size_t tensor_map_bytes = 128;

/// Nothing when the arguments break a rule of cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col.
[[nodiscard]] std::optional<std::array<std::byte, tensor_map_bytes>> encode(const TensorMap& map);
/// Nothing when the bytes are no map of encode().
[[nodiscard]] std::optional<TensorMap> decode_tensor_map(const std::byte* bytes);

} // namespace aicf::emulator
