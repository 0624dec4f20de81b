// cp.async.bulk and cp.async.bulk.tensor: copies of the asynchronous proxy. A copy's data are read when it starts and
// delivered when the warps of the cluster have had their turn, so that nobody sees them without waiting.
#include "core/exec/emulator/machine.hpp"
#include "core/exec/emulator/tensor_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace aicf::emulator {
namespace {

using ptx::Space;
using ptx::Type;

bool has_lane(u32 mask, u32 lane) { return ((mask >> lane) & 1) != 0; }

/// Where byte `at` of a box lies in shared memory under a swizzle: bits 4 … get bits 7 … added without carry.
u64 swizzled(u64 at, u32 swizzle) { return swizzle == 0 ? at : at ^ (((at >> 7) & (swizzle / 16 - 1)) << 4); }

} // namespace

/// Reads [offset, offset + bytes) of the block's own shared memory for the proxy; false: a fault was given.
bool Worker::proxy_reads(Warp& w, u32 pc, u32 lane, u64 address, u32 bytes, const char* what, u32& offset) {
  offset = static_cast<u32>(address & 0xffffff);
  if (u64{offset} + bytes > launch.shared_bytes) {
    fault(w, pc, lane, "out-of-bounds",
          std::string(what) + " of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
              " (the block has " + std::to_string(launch.shared_bytes) + " bytes of shared memory)",
          address);
    return false;
  }
  Block& b = *w.block;
  b.proxy_by = &w;
  b.proxy_pc = pc;
  if (b.shadow.enabled() && bytes != 0) {
    const auto o = b.shadow.proxy_read(w.agent, proxy_of(b), offset, bytes);
    if (o.problem != Shadow::Problem::none) shared_fault(w, pc, lane, o, what, bytes, offset);
  }
  return true;
}

/// Announces a write of shared memory by the proxy of block `b`.
bool Worker::proxy_writes(Warp& w, u32 pc, u32 lane, Block& b, u64 offset, u32 bytes, const char* what) {
  if (offset + bytes > launch.shared_bytes) {
    fault(w, pc, lane, "out-of-bounds",
          std::string(what) + " of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
              " (the block has " + std::to_string(launch.shared_bytes) + " bytes of shared memory)",
          offset);
    return false;
  }
  b.proxy_by = &w;
  b.proxy_pc = pc;
  if (b.shadow.enabled() && bytes != 0) {
    const auto o = b.shadow.proxy_write(w.agent, lane, proxy_of(b), static_cast<u32>(offset), bytes);
    if (o.problem != Shadow::Problem::none) shared_fault(w, pc, lane, o, what, bytes, offset);
  }
  return true;
}

/// `reduces`: what is written there is combined with what is there.
std::byte* Worker::bulk_global(Warp& w, u32 pc, u32 lane, u64 address, u64 bytes, bool writes, bool reduces) {
  std::byte* host = launch.memory->find(address, bytes);
  if (host == nullptr) {
    fault(w, pc, lane, "out-of-bounds",
          std::string(writes ? "bulk store" : "bulk load") + " of " + std::to_string(bytes) + " bytes at " +
              launch.memory->describe(address),
          address);
  } else if (writes && launch.memory->read_only(address)) {
    fault(w, pc, lane, "read-only", "bulk store to " + launch.memory->describe(address), address);
    host = nullptr;
  }
  if (host != nullptr && reduces && launch.memory->tracks())
    needs_value(w, pc, GlobalUse::strong_read, address, bytes, lane, 0);
  if (host != nullptr) touched(w, pc, writes ? GlobalUse::write : GlobalUse::read, address, bytes, lane);
  return host;
}

bool Worker::bulk_aligned(Warp& w, u32 pc, u32 lane, u64 a, u64 b, u64 bytes, u32 alignment) {
  if (((a | b) & (alignment - 1)) == 0 && bytes % 16 == 0) return true;
  fault(w, pc, lane, "misaligned",
        "a bulk copy of " + std::to_string(bytes) +
            " bytes: addresses and size must be multiples of 16 (tensors in "
            "shared memory: 128)",
        a);
  return false;
}

/// Queues the copy and says who is told of its end: the mbarrier, or the bulk group of the warp.
void Worker::start(Warp& w, BulkCopy copy, u32 proxy) {
  copy.clock = clocks_.own(proxy);
  if (!copy.signals) w.bulk_open = std::max(w.bulk_open, clocks_.own(proxy_of(*w.block)));
  clocks_.advance(proxy);
  copies_.push_back(std::move(copy));
}

void Worker::deliver_copies() {
  for (BulkCopy& c : copies_) {
    for (const auto& p : c.pieces) {
      if (c.reduction_type == Type::none) {
        std::memcpy(p.to, c.data.data() + p.from, p.bytes);
        continue;
      }
      Access a;
      a.type = c.reduction_type;
      a.kind = c.reduction;
      a.bytes = static_cast<u8>(ptx::bits_of(a.type) / 8);
      a.sign = ptx::is_signed(a.type);
      for (std::size_t at = 0; at + a.bytes <= p.bytes; at += a.bytes) {
        u64 v = 0;
        std::memcpy(&v, c.data.data() + p.from + at, a.bytes);
        update(p.to + at, a, v, v, c.block != nullptr);
      }
    }
    if (c.block == nullptr) continue;
    if (c.block->shadow.enabled())
      for (const auto& [offset, bytes] : c.shared) c.block->shadow.delivered(offset, bytes);
    if (c.signals) barrier_transfer(*c.block, static_cast<u32>(c.barrier), c.bytes, c.clock);
  }
  if (!copies_.empty()) ++progress_;
  copies_.clear();
}

void Worker::bulk(Warp& w, const Wide& op, u32 pc, u32 exec) {
  if (op.kind == WideKind::bulk_commit) {
    w.bulk.push_back(std::exchange(w.bulk_open, 0));
    return;
  }
  if (op.kind == WideKind::bulk_wait) {
    deliver_copies();
    while (w.bulk.size() > op.n) {
      clocks_.see(w.agent, proxy_of(*w.block), w.bulk.front());
      w.bulk.erase(w.bulk.begin());
    }
    return;
  }
  for (u32 lane = 0; lane < lanes && !stopped(); ++lane)
    if (has_lane(exec, lane)) bulk_lane(w, op, pc, lane);
}

void Worker::bulk_lane(Warp& w, const Wide& op, u32 pc, u32 lane) {
  const auto at = [&](std::size_t n) { return value64(w, op.in[n], lane); };
  const bool tensor = op.kind >= WideKind::tensor_load;
  if (tensor) {
    tensor_copy(w, op, pc, lane);
    return;
  }
  const u32 bytes = value32(w, op.in[2], lane);
  BulkCopy copy;
  copy.by = &w;
  copy.pc = pc;
  copy.lane = lane;
  copy.bytes = bytes;
  if (!bulk_aligned(w, pc, lane, at(0), at(1), bytes, 16) || bytes == 0) return;
  copy.data.resize(bytes);
  if (op.kind == WideKind::bulk_store || op.kind == WideKind::bulk_reduce) {
    u32 offset = 0;
    std::byte* to = bulk_global(w, pc, lane, at(0), bytes, true, op.kind == WideKind::bulk_reduce);
    if (to == nullptr || !proxy_reads(w, pc, lane, at(1), bytes, "bulk store", offset)) return;
    std::memcpy(copy.data.data(), w.block->shared.data() + offset, bytes);
    copy.pieces.push_back({to, 0, bytes});
    if (op.kind == WideKind::bulk_reduce) {
      copy.reduction = op.reduction;
      copy.reduction_type = op.d;
    }
    if (launch.counters) {
      count_range(pc, true, at(0), bytes);
      count_bytes(pc, false, MemorySpace::shared, bytes);
    }
    start(w, std::move(copy), proxy_of(*w.block));
    return;
  }
  // To shared memory, with an mbarrier in the same block.
  if (op.kind == WideKind::bulk_load) {
    const std::byte* from = bulk_global(w, pc, lane, at(1), bytes, false);
    if (from == nullptr) return;
    std::memcpy(copy.data.data(), from, bytes);
    if (launch.counters) count_range(pc, false, at(1), bytes);
  } else {
    u32 offset = 0;
    if (!proxy_reads(w, pc, lane, at(1), bytes, "bulk copy", offset)) return;
    std::memcpy(copy.data.data(), w.block->shared.data() + offset, bytes);
    if (launch.counters) count_bytes(pc, false, MemorySpace::shared, bytes);
  }
  copy.pieces.push_back({nullptr, 0, bytes});
  const u32 mask = op.in.size() > 4 ? value32(w, op.in[4], lane) & 0xffff : 0;
  to_shared(w, pc, lane, at(0), at(3), mask, std::move(copy));
}

/// Sends pieces, whose places are relative to the shared address `to`, to the block that it names or to those of
/// `mask`.
void Worker::to_shared(Warp& w, u32 pc, u32 lane, u64 to, u64 barrier, u32 mask, BulkCopy copy) {
  const auto block_of = [&](u64 address) -> Block* {
    const u64 rank = (address >> shared_rank_shift) & 0xff;
    if (rank == 0) return w.block;
    return rank <= w.block->cluster->size() ? &(*w.block->cluster)[rank - 1] : nullptr;
  };
  const u64 offset = to & 0xffffff, barrier_offset = barrier & 0xffffff;
  std::vector<Block*> targets;
  if (mask == 0) {
    targets.push_back(block_of(to));
    if (targets.front() != block_of(barrier)) {
      fault(w, pc, lane, "mbarrier", "a bulk copy to one block with the mbarrier of another", barrier);
      return;
    }
  }
  for (u32 rank = 0; rank < 16; ++rank)
    if (((mask >> rank) & 1) != 0)
      targets.push_back(rank < w.block->cluster->size() ? &(*w.block->cluster)[rank] : nullptr);
  for (Block* b : targets) {
    if (b == nullptr) {
      fault(w, pc, lane, "cluster-rank", "a bulk copy to a block that the cluster does not have", to);
      return;
    }
    if (b->exited) {
      fault(w, pc, lane, "cluster-exit",
            "a bulk copy to block " + std::to_string(b->rank) + " of the cluster, which has exited", to);
      return;
    }
    if (!b->mbarriers.contains(static_cast<u32>(barrier_offset))) {
      fault(w, pc, lane, "mbarrier",
            "no mbarrier.init has made an mbarrier at offset " + std::to_string(barrier_offset), barrier);
      return;
    }
    BulkCopy one = copy;
    one.block = b;
    one.signals = true;
    one.barrier = barrier_offset;
    std::size_t from = 0;
    for (auto& p : one.pieces) {
      const u64 place = offset + from;
      from += p.bytes;
      if (!proxy_writes(w, pc, lane, *b, place, static_cast<u32>(p.bytes), "bulk copy")) return;
      p.to = b->shared.data() + place;
      one.shared.emplace_back(static_cast<u32>(place), static_cast<u32>(p.bytes));
      if (launch.counters) count_bytes(pc, true, MemorySpace::shared, p.bytes);
    }
    start(w, std::move(one), proxy_of(*b));
  }
}

/// What the elements of a reduction are, by the map.
static Type type_of(TensorMap::Element e) {
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

namespace {

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
  copy.by = &w;
  copy.pc = pc;
  copy.lane = lane;
  copy.bytes = static_cast<u32>(bytes);
  if ((op.flags & wide_red) != 0) {
    copy.reduction = op.reduction;
    copy.reduction_type = type_of(map->element);
  }
  u32 offset = static_cast<u32>(shared & 0xffffff);
  if (load) {
    copy.data.assign(bytes, std::byte{0});
  } else if (!proxy_reads(w, pc, lane, shared, static_cast<u32>(bytes), "bulk tensor store", offset)) {
    return;
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
    if (touched != 0) count_sectors(pc, sectors);
  }
  if (load) {
    copy.pieces.push_back({nullptr, 0, bytes});
    to_shared(w, pc, lane, shared, value64(w, op.in[2], lane), value32(w, op.in[3], lane) & 0xffff, std::move(copy));
    return;
  }
  start(w, std::move(copy), proxy_of(*w.block));
}

/// st.async and red.async: in: address, mbarrier, values.
void Worker::store_async(Warp& w, const Wide& op, u32 pc, u32 exec) {
  const u32 size = ptx::bits_of(op.d) / 8, count = static_cast<u32>(op.in.size()) - 2;
  for (u32 lane = 0; lane < lanes && !stopped(); ++lane) {
    if (!has_lane(exec, lane)) continue;
    BulkCopy copy;
    copy.by = &w;
    copy.pc = pc;
    copy.lane = lane;
    copy.bytes = size * count;
    for (u32 k = 0; k < count; ++k) {
      const u64 v = size == 8 ? value64(w, op.in[2 + k], lane) : value32(w, op.in[2 + k], lane);
      copy.data.resize(copy.data.size() + size);
      std::memcpy(copy.data.data() + copy.data.size() - size, &v, size);
    }
    if ((op.flags & wide_red) != 0) {
      copy.reduction = op.reduction;
      copy.reduction_type = op.d;
    }
    copy.pieces.push_back({nullptr, 0, copy.data.size()});
    to_shared(w, pc, lane, value64(w, op.in[0], lane), value64(w, op.in[1], lane), 0, std::move(copy));
  }
}

} // namespace aicf::emulator
