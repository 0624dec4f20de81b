#include "core/exec/emulator/tensor_map.hpp"

#include <cstring>

namespace aicf::emulator {
namespace {

using Element = TensorMap::Element;

/// All that the interface allows fits 128 bytes. Of im2col, `box` holds channels and pixels.
struct Packed {
  std::uint64_t magic = 0x50414d524f534e45u, address = 0;
  std::array<std::uint64_t, 5> size{};
  std::array<std::uint64_t, 5> stride{};
  std::array<std::uint16_t, 5> box{};
  std::array<std::int16_t, 3> lower{}, upper{};
  std::array<std::uint8_t, 5> step{};
  std::uint8_t element = 0, rank = 0, swizzle = 0, fill_nan = 0, im2col = 0;
};
static_assert(sizeof(Packed) == tensor_map_bytes);

bool real(Element e) { return e >= Element::f16; }

bool sound_box(const TensorMap& m) {
  if (!m.im2col) {
    for (std::uint32_t d = 0; d < m.rank; ++d)
      if (m.box[d] < 1 || m.box[d] > 256) return false;
    return true;
  }
  if (m.rank < 3 || m.channels < 1 || m.channels > 256 || m.pixels < 1 || m.pixels > 1024) return false;
  const std::int32_t limit = m.rank == 3 ? 1 << 15 : m.rank == 4 ? 1 << 7 : 1 << 4;
  for (std::size_t d = 0; d < m.rank - 2; ++d)
    for (const std::int32_t corner : {m.lower[d], m.upper[d]})
      if (corner < -limit || corner >= limit) return false;
  return true;
}

bool sound(const TensorMap& m) {
  if (m.element > Element::tf32_ftz || m.rank < 1 || m.rank > 5 || m.address % 16 != 0) return false;
  if (m.swizzle != 0 && m.swizzle != 32 && m.swizzle != 64 && m.swizzle != 128) return false;
  if (!sound_box(m) || (m.fill_nan && !real(m.element))) return false;
  const std::uint64_t row = std::uint64_t{m.im2col ? m.channels : m.box[0]} * bytes_of(m.element);
  if (row % 16 != 0 || (m.swizzle != 0 && row > m.swizzle)) return false;
  for (std::uint32_t d = 0; d < m.rank; ++d) {
    if (m.size[d] == 0 || m.size[d] > (std::uint64_t{1} << 32)) return false;
    if (m.step[d] < 1 || m.step[d] > 8) return false;
    if (d > 0 && (m.stride[d] % 16 != 0 || m.stride[d] >= (std::uint64_t{1} << 40))) return false;
  }
  return true;
}

} // namespace

std::uint32_t bytes_of(Element e) {
  switch (e) {
  case Element::u8: return 1;
  case Element::u16:
  case Element::f16:
  case Element::bf16: return 2;
  case Element::u64:
  case Element::s64:
  case Element::f64: return 8;
  default: return 4;
  }
}

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
  if (m.im2col) {
    p.box = {static_cast<std::uint16_t>(m.channels), static_cast<std::uint16_t>(m.pixels)};
    for (std::size_t d = 0; d < 3; ++d) {
      p.lower[d] = static_cast<std::int16_t>(m.lower[d]);
      p.upper[d] = static_cast<std::int16_t>(m.upper[d]);
    }
  }
  p.element = static_cast<std::uint8_t>(m.element);
  p.rank = static_cast<std::uint8_t>(m.rank);
  p.swizzle = static_cast<std::uint8_t>(m.swizzle);
  p.fill_nan = m.fill_nan ? 1 : 0;
  p.im2col = m.im2col ? 1 : 0;
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
  m.im2col = p.im2col != 0;
  for (std::size_t d = 0; d < 5; ++d) {
    m.box[d] = m.im2col ? 0 : p.box[d];
    m.step[d] = p.step[d];
  }
  if (m.im2col) {
    m.channels = p.box[0];
    m.pixels = p.box[1];
    for (std::size_t d = 0; d < 3; ++d) {
      m.lower[d] = p.lower[d];
      m.upper[d] = p.upper[d];
    }
  }
  m.element = static_cast<Element>(p.element);
  m.rank = p.rank;
  m.swizzle = p.swizzle;
  m.fill_nan = p.fill_nan != 0;
  if (!sound(m)) return std::nullopt;
  return m;
}

} // namespace aicf::emulator
