// Where elements of a buffer lie: strides and a swizzle in memory, lanes and registers for a fragment.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace aicf::ir {

/// XORs `bits` bits of an element offset, taken `shift` above `base`, into the bits from `base`: rows of a tile in
/// shared memory then start in different banks. bits = 0: none.
struct Swizzle {
  std::uint32_t bits = 0, base = 0, shift = 0;
};

struct Layout {
  std::vector<std::int64_t> shape, strides; ///< in elements; strides empty: packed, last index fastest
  Swizzle swizzle;
};

[[nodiscard]] std::int64_t stride_of(const Layout& layout, std::size_t axis);
[[nodiscard]] std::int64_t extent_of(const Layout& layout); ///< elements from the first to behind the last
[[nodiscard]] std::int64_t offset_of(const Layout& layout, const std::vector<std::int64_t>& index);
[[nodiscard]] std::int64_t swizzled(const Swizzle& swizzle, std::int64_t offset);

/// (row, column) that each bit of the lane number and of the register number adds: a linear layout. The whole map is
/// (lane, register) -> sum over set bits. lanes = 2^lane_bits.size(): 32 for a warp, 128 for a warpgroup.
struct Fragment {
  using Place = std::array<std::int32_t, 2>;
  std::vector<Place> lane_bits, register_bits;
  std::int32_t rows = 0, columns = 0;
};

[[nodiscard]] Fragment::Place place_of(const Fragment& fragment, std::uint32_t lane, std::uint32_t reg);
/// Every element of the rows × columns tile lies in exactly one (lane, register).
[[nodiscard]] bool is_bijective(const Fragment& fragment);

/// Operands and accumulator of mma.sync m16n8k16 with 16-bit operands (PTX ISA, "Matrix fragments for mma.m16n8k16").
[[nodiscard]] Fragment mma_m16n8k16_a();
[[nodiscard]] Fragment mma_m16n8k16_b();
[[nodiscard]] Fragment mma_m16n8k16_c();

} // namespace aicf::ir
