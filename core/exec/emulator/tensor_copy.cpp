// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: boxes of a tensor, as its map says (tensor_map.hpp).
#include "core/exec/emulator/machine.hpp"
#include "core/exec/emulator/tensor_map.hpp"

#include <cstring>

namespace aicf::emulator {
namespace {

using ptx::Space;
using ptx::Type;

/// Where byte `at` of a box lies in shared memory under a swizzle: bits 4 … get bits 7 … added without carry.
u64 swizzled(u64 at, u32 swizzle) { return swizzle == 0 ? at : at ^ (((at >> 7) & (swizzle / 16 - 1)) << 4); }

/// What the elements of a reduction are, by the map.
Type type_of(TensorMap::Element e) {
  using Element = TensorMap::Element;
  switch (e) {
  case Element::u8: return Type::u8;
  case Element::u16: return Type::u16;
  case Element::u32: return Type::u32;
  case Element::s32: return Type::s32;
  case Element::u64: return Type::u64;
  case Element::s64: return Type::s64;
  case Element::f16: return Type::f16;
  case Element::bf16: return Type::bf16;
  case Element::f64: return Type::f64;
  default: return Type::f32;
  }
}

/// The coordinates that a tensor instruction touches, in the order in which they lie in shared memory.
class TensorWalk {
 public:
  TensorWalk(const TensorMap& map, const std::array<s64, 5>& origin, const std::array<u32, 3>& offset)
      : map_(map), origin_(origin), at_(origin), offset_(offset) {
    if (map.im2col) {
      elements_ = u64{map.channels} * map.pixels;
      return;
    }
    for (u32 d = 0; d < map.rank; ++d) elements_ *= count(d);
  }
  [[nodiscard]] u64 elements() const { return elements_; }
  /// The address of the current element; false: it lies outside the tensor.
  bool address(u64& address) const {
    address = map_.address;
    bool inside = true;
    for (u32 d = 0; d < map_.rank; ++d) {
      const s64 c = at_[d] + (map_.im2col && d >= 1 && d + 1 < map_.rank ? s64{offset_[d - 1]} : 0);
      inside = inside && c >= 0 && static_cast<u64>(c) < map_.size[d];
      address += static_cast<u64>(c) * (d == 0 ? bytes_of(map_.element) : map_.stride[d]);
    }
    return inside;
  }
  void next() {
    if (!map_.im2col) {
      for (u32 d = 0; d < map_.rank; ++d) {
        at_[d] += map_.step[d];
        if (++index_[d] < count(d)) return;
        index_[d] = 0;
        at_[d] = origin_[d];
      }
      return;
    }
    ++at_[0];
    if (++index_[0] < map_.channels) return;
    index_[0] = 0;
    at_[0] = origin_[0];
    // The next pixel of the bounding box, then of the next image's.
    for (u32 d = 1; d + 1 < map_.rank; ++d) {
      at_[d] += map_.step[d];
      if (at_[d] <= static_cast<s64>(map_.size[d]) - 1 + map_.upper[d - 1]) return;
      at_[d] = map_.lower[d - 1];
    }
    ++at_[map_.rank - 1];
  }

 private:
  [[nodiscard]] u32 count(u32 d) const { return (map_.box[d] + map_.step[d] - 1) / map_.step[d]; }
  const TensorMap& map_;
  std::array<s64, 5> origin_, at_;
  std::array<u32, 3> offset_;
  std::array<u32, 5> index_{};
  u64 elements_ = 1;
};

} // namespace

/// in: load: shared, map, barrier, mask, coordinates, offsets of im2col; store: map, shared, coordinates.
void Worker::tensor_copy(Warp& w, const Wide& op, u32 pc, u32 lane) {
  const bool load = op.kind == WideKind::tensor_load;
  const u64 map_address = value64(w, op.in[load ? 1 : 0], lane), shared = value64(w, op.in[load ? 0 : 1], lane);
  Place place, rest; // aligned to 64 bytes, and 128 of them
  if (!resolve(w, pc, lane, Space::generic, map_address, 64, "tensor map", false, place) ||
      !resolve(w, pc, lane, Space::generic, map_address + 64, 64, "tensor map", false, rest))
    return;
  const auto map = decode_tensor_map(place.host);
  if (!map || map->rank != op.k || map->im2col != ((op.flags & wide_im2col) != 0)) {
    fault(w, pc, lane, "tensor-map",
          !map                ? "these 128 bytes are no tensor map"
          : map->rank != op.k ? "a tensor map of " + std::to_string(map->rank) +
                                    " dimensions where the instruction has " + std::to_string(op.k)
                              : std::string("a tensor map of ") + (map->im2col ? "im2col" : "tiles") +
                                    " where the instruction has the other mode",
          map_address);
    return;
  }
  if (!bulk_aligned(w, pc, lane, shared, 0, 0, 128)) return;
  std::array<s64, 5> origin{};
  std::array<u32, 3> offset_of{};
  const std::size_t first = load ? 4 : 2;
  for (u32 d = 0; d < map->rank; ++d) origin[d] = static_cast<s32>(value32(w, op.in[first + d], lane));
  for (std::size_t d = 0; first + map->rank + d < op.in.size(); ++d)
    offset_of[d] = value32(w, op.in[first + map->rank + d], lane) & 0xffff;
  TensorWalk walk(*map, origin, offset_of);
  const u32 e = bytes_of(map->element);
  const u64 bytes = walk.elements() * e;
  BulkCopy copy;
  copy.bytes = static_cast<u32>(bytes);
  if ((op.flags & wide_red) != 0) {
    copy.reduction = op.reduction;
    copy.reduction_type = type_of(map->element);
  }
  u32 offset = static_cast<u32>(shared & 0xffffff);
  const u32 queue = queue_of(*w.block, Queue::bulk_groups, w.index); // of a store
  if (load) {
    copy.data.assign(bytes, std::byte{0});
  } else {
    if (!own_shared(w, pc, lane, shared, static_cast<u32>(bytes), "bulk tensor store", offset)) return;
    queue_reads(w, pc, lane, queue, offset, static_cast<u32>(bytes), "bulk tensor store");
  }
  std::vector<u64> sectors;
  u64 touched = 0;
  for (u64 n = 0; n * e < bytes; ++n, walk.next()) {
    u64 address = 0;
    const bool inside = walk.address(address);
    // The swizzle acts on the address in shared memory.
    const u64 linear = n * e, at = swizzled(offset + linear, map->swizzle) - offset;
    if (inside) {
      std::byte* host = bulk_global(w, pc, lane, address, e, !load, (op.flags & wide_red) != 0);
      if (host == nullptr) return;
      touched += e;
      if (launch.counters && (sectors.empty() || sectors.back() != address >> 5)) sectors.push_back(address >> 5);
      if (load)
        std::memcpy(copy.data.data() + at, host, e);
      else
        copy.pieces.push_back({host, copy.data.size(), e});
      if (!load) {
        const std::byte* from = w.block->shared.data() + offset + at;
        copy.data.insert(copy.data.end(), from, from + e);
      }
    } else if (load && map->fill_nan) {
      std::memset(copy.data.data() + at, 0xff, e);
    }
  }
  if (launch.counters) {
    count_bytes(pc, !load, MemorySpace::global, touched);
    if (!load) count_bytes(pc, false, MemorySpace::shared, bytes);
    if (touched != 0) count_sectors(pc, sectors, true);
  }
  if (load) {
    copy.pieces.push_back({nullptr, 0, bytes});
    to_shared(w, pc, lane, shared, value64(w, op.in[2], lane), value32(w, op.in[3], lane) & 0xffff, std::move(copy));
    return;
  }
  start_group(w, std::move(copy), queue);
}

} // namespace aicf::emulator
