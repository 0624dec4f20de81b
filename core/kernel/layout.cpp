#include "core/kernel/layout.hpp"

#include <set>
#include <stdexcept>

namespace aicf::ir {

std::int64_t stride_of(const Layout& layout, std::size_t axis) {
  if (!layout.strides.empty()) return layout.strides.at(axis);
  std::int64_t stride = 1;
  for (std::size_t k = axis + 1; k < layout.shape.size(); ++k) stride *= layout.shape[k];
  return stride;
}

std::int64_t extent_of(const Layout& layout) {
  std::int64_t last = 0;
  for (std::size_t k = 0; k < layout.shape.size(); ++k) {
    if (layout.shape[k] == 0) return 0;
    last += (layout.shape[k] - 1) * stride_of(layout, k);
  }
  return last + 1;
}

std::int64_t swizzled(const Swizzle& s, std::int64_t offset) {
  std::int64_t mask = (std::int64_t{1} << s.bits) - 1;
  return offset ^ (((offset >> (s.base + s.shift)) & mask) << s.base);
}

std::int64_t offset_of(const Layout& layout, const std::vector<std::int64_t>& index) {
  if (index.size() != layout.shape.size()) throw std::logic_error("an index of another rank");
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < index.size(); ++k) offset += index[k] * stride_of(layout, k);
  return swizzled(layout.swizzle, offset);
}

Fragment::Place place_of(const Fragment& fragment, std::uint32_t lane, std::uint32_t reg) {
  Fragment::Place place{0, 0};
  auto add = [&](const std::vector<Fragment::Place>& bits, std::uint32_t number) {
    for (std::size_t k = 0; k < bits.size(); ++k)
      if ((number >> k & 1U) != 0) place[0] += bits[k][0], place[1] += bits[k][1];
  };
  add(fragment.lane_bits, lane);
  add(fragment.register_bits, reg);
  return place;
}

bool is_bijective(const Fragment& fragment) {
  std::size_t bits = fragment.lane_bits.size() + fragment.register_bits.size();
  if (bits > 20 || (std::int64_t{1} << bits) != std::int64_t{fragment.rows} * fragment.columns) return false;
  std::set<Fragment::Place> seen;
  for (std::uint32_t lane = 0; lane < 1U << fragment.lane_bits.size(); ++lane)
    for (std::uint32_t reg = 0; reg < 1U << fragment.register_bits.size(); ++reg) {
      Fragment::Place p = place_of(fragment, lane, reg);
      if (p[0] < 0 || p[0] >= fragment.rows || p[1] < 0 || p[1] >= fragment.columns) return false;
      if (!seen.insert(p).second) return false;
    }
  return true;
}

Fragment mma_m16n8k16_a() { return {{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {8, 0}, {0, 8}}, 16, 16}; }
Fragment mma_m16n8k16_b() { return {{{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}}, {{1, 0}, {8, 0}}, 16, 8}; }
Fragment mma_m16n8k16_c() { return {{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {8, 0}}, 16, 8}; }

} // namespace aicf::ir
