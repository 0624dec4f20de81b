#include "core/exec/emulator/tensor_map.hpp"

#include <cstring>

namespace aicf::emulator {
namespace {

/// Sizes and strides in 36 and 40 bits, as wide as the interface allows, so that all fits 128 bytes.
struct Packed {
  std::uint64_t magic = 0x50414d524f534e45u, address = 0;
  std::array<std::uint64_t, 5> size{};
  std::array<std::uint64_t, 5> stride{};
  std::array<std::uint16_t, 5> box{};
  std::array<std::uint8_t, 5> step{};
  std::uint8_t element_bytes = 0, rank = 0, swizzle = 0, fill_nan = 0;
};
static_assert(sizeof(Packed) <= tensor_map_bytes);

bool sound(const TensorMap& m) {
  const auto e = m.element_bytes;
  if ((e != 1 && e != 2 && e != 4 && e != 8) || m.rank < 1 || m.rank > 5 || m.address % 16 != 0) return false;
  if (m.swizzle != 0 && m.swizzle != 32 && m.swizzle != 64 && m.swizzle != 128) return false;
  const std::uint64_t row = std::uint64_t{m.box[0]} * e;
  if (row % 16 != 0 || (m.swizzle != 0 && row > m.swizzle)) return false;
  for (std::uint32_t d = 0; d < m.rank; ++d) {
    if (m.size[d] == 0 || m.size[d] > (std::uint64_t{1} << 32) || m.box[d] < 1 || m.box[d] > 256) return false;
    if (m.step[d] < 1 || m.step[d] > 8) return false;
    if (d > 0 && (m.stride[d] % 16 != 0 || m.stride[d] >= (std::uint64_t{1} << 40))) return false;
  }
  return true;
}

} // namespace

std::optional<std::array<std::byte, tensor_map_bytes>> encode(const TensorMap& m) {
  if (!sound(m)) return std::nullopt;
  Packed p;
  p.address = m.address;
  p.size = m.size;
  p.stride = m.stride;
  for (std::size_t d = 0; d < 5; ++d) {
    p.box[d] = static_cast<std::uint16_t>(m.box[d]);
    p.step[d] = static_cast<std::uint8_t>(m.step[d]);
  }
  p.element_bytes = static_cast<std::uint8_t>(m.element_bytes);
  p.rank = static_cast<std::uint8_t>(m.rank);
  p.swizzle = static_cast<std::uint8_t>(m.swizzle);
  p.fill_nan = m.fill_nan ? 1 : 0;
  std::array<std::byte, tensor_map_bytes> bytes{};
  std::memcpy(bytes.data(), &p, sizeof p);
  return bytes;
}

std::optional<TensorMap> decode_tensor_map(const std::byte* bytes) {
  Packed p;
  const auto magic = p.magic;
  std::memcpy(&p, bytes, sizeof p);
  if (p.magic != magic) return std::nullopt;
  TensorMap m;
  m.address = p.address;
  m.size = p.size;
  m.stride = p.stride;
  for (std::size_t d = 0; d < 5; ++d) {
    m.box[d] = p.box[d];
    m.step[d] = p.step[d];
  }
  m.element_bytes = p.element_bytes;
  m.rank = p.rank;
  m.swizzle = p.swizzle;
  m.fill_nan = p.fill_nan != 0;
  if (!sound(m)) return std::nullopt;
  return m;
}

} // namespace aicf::emulator
