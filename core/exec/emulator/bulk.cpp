// cp.async.bulk, st.async and red.async: copies of the asynchronous proxy. A copy's data are read when it starts and
// delivered when the warps of the cluster have had their turn, so that nobody sees them without waiting.
#include "core/exec/emulator/machine.hpp"

#include <algorithm>
#include <cstring>

namespace aicf::emulator {
namespace {

using ptx::Type;

} // namespace

u32 Worker::queue_of(Block& b, Queue kind, u32 id) {
  const auto [it, fresh] = b.queues.try_emplace({kind, id}, static_cast<u32>(b.queues.size()));
  return clocks_.agent(b.rank, launch.warps + it->second % clocks_.queues());
}

bool Worker::own_shared(Warp& w, u32 pc, u32 lane, u64 address, u32 bytes, const char* what, u32& offset) {
  offset = static_cast<u32>(address & 0xffffff);
  if (u64{offset} + bytes <= launch.shared_bytes) return true;
  fault(w, pc, lane, "out-of-bounds",
        std::string(what) + " of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
            " (the block has " + std::to_string(launch.shared_bytes) + " bytes of shared memory)",
        address);
  return false;
}

/// Announces that `queue` reads the block's own shared memory.
void Worker::queue_reads(Warp& w, u32 pc, u32 lane, u32 queue, u32 offset, u32 bytes, const char* what) {
  Block& b = *w.block;
  queue_uses(b, queue, w, pc, lane);
  if (!b.shadow.enabled() || bytes == 0) return;
  const auto o = b.shadow.queue_read(w.agent, queue, offset, bytes);
  if (o.problem != Shadow::Problem::none) shared_fault(w, pc, lane, o, what, bytes, offset);
}

/// Announces that `queue` writes the shared memory of `b`; false: a fault was given.
bool Worker::queue_writes(Warp& w, u32 pc, u32 lane, Block& b, u32 queue, u64 offset, u32 bytes, const char* what,
                          Shadow::Write kind) {
  if (offset + bytes > launch.shared_bytes) {
    fault(w, pc, lane, "out-of-bounds",
          std::string(what) + " of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
              " (the block has " + std::to_string(launch.shared_bytes) + " bytes of shared memory)",
          offset);
    return false;
  }
  queue_uses(b, queue, w, pc, lane);
  if (b.shadow.enabled() && bytes != 0) {
    const auto o = b.shadow.queue_write(w.agent, lane, queue, static_cast<u32>(offset), bytes, kind);
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
  if (host != nullptr) // each reduction is an atomic of its own, relaxed
    touched(w, pc,
            reduces  ? GlobalUse::strong_write
            : writes ? GlobalUse::write
                     : GlobalUse::read,
            address, bytes, lane);
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

/// Hands the copy to its queue.
void Worker::start(BulkCopy copy, u32 queue) {
  copy.clock = clocks_.own(queue);
  clocks_.advance(queue);
  copied_ += copy.data.size();
  copies_.push_back(std::move(copy));
  if (copied_ > max_copied) deliver_copies();
}

/// The same for a copy of the warp's open bulk group.
void Worker::start_group(Warp& w, BulkCopy copy, u32 queue) {
  w.bulk_open = clocks_.own(queue);
  start(std::move(copy), queue);
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
    if (c.signals) barrier_transfer(*c.block, c);
  }
  if (!copies_.empty()) ++progress_;
  copies_.clear();
  copied_ = 0;
}

void Worker::bulk(Warp& w, const Wide& op, u32 pc, u32 exec) {
  if (op.kind == WideKind::bulk_commit) {
    commit(w.bulk, std::exchange(w.bulk_open, 0));
    return;
  }
  if (op.kind == WideKind::bulk_wait) {
    deliver_copies();
    while (w.bulk.size() > op.n) {
      clocks_.see(w.agent, queue_of(*w.block, Queue::bulk_groups, w.index), w.bulk.front());
      w.bulk.pop_front();
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
  copy.bytes = bytes;
  if (!bulk_aligned(w, pc, lane, at(0), at(1), bytes, 16) || bytes == 0) return;
  copy.reduction = op.reduction;
  copy.reduction_type = op.d; // none, unless it reduces
  if (op.kind == WideKind::bulk_store) {
    bulk_to_global(w, op, pc, lane, std::move(copy));
    return;
  }
  // To shared memory, with an mbarrier in the same block.
  if (op.kind == WideKind::bulk_load) {
    const std::byte* from = bulk_global(w, pc, lane, at(1), bytes, false);
    if (from == nullptr) return;
    copy.data.assign(from, from + bytes);
    if (launch.counters) count_range(pc, false, at(1), bytes, true);
  } else {
    u32 offset = 0;
    if (!own_shared(w, pc, lane, at(1), bytes, "bulk copy", offset)) return;
    const std::byte* from = w.block->shared.data() + offset;
    copy.data.assign(from, from + bytes);
    copy.source = {offset, bytes};
    if (launch.counters) count_bytes(pc, false, MemorySpace::shared, bytes);
  }
  copy.pieces.push_back({nullptr, 0, bytes});
  const u32 mask = op.in.size() > 4 ? value32(w, op.in[4], lane) & 0xffff : 0;
  to_shared(w, pc, lane, at(0), at(3), mask, std::move(copy));
}

void Worker::bulk_to_global(Warp& w, const Wide& op, u32 pc, u32 lane, BulkCopy copy) {
  const u64 address = value64(w, op.in[0], lane);
  u32 offset = 0;
  std::byte* to = bulk_global(w, pc, lane, address, copy.bytes, true, copy.reduction_type != Type::none);
  if (to == nullptr || !own_shared(w, pc, lane, value64(w, op.in[1], lane), copy.bytes, "bulk store", offset)) return;
  const u32 queue = queue_of(*w.block, Queue::bulk_groups, w.index);
  queue_reads(w, pc, lane, queue, offset, copy.bytes, "bulk store");
  const std::byte* from = w.block->shared.data() + offset;
  copy.data.assign(from, from + copy.bytes);
  copy.pieces.push_back({to, 0, copy.bytes});
  if (launch.counters) {
    count_range(pc, true, address, copy.bytes, true);
    count_bytes(pc, false, MemorySpace::shared, copy.bytes);
  }
  start_group(w, std::move(copy), queue);
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
  const bool reduces = copy.reduction_type != Type::none;
  const char* what = copy.through_proxy ? (reduces ? "bulk reduction" : "bulk copy")
                     : reduces          ? "red.async"
                                        : "st.async";
  const Shadow::Write kind = !reduces             ? Shadow::Write::store
                             : copy.through_proxy ? Shadow::Write::proxy_reduction
                                                  : Shadow::Write::reduction;
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
    if (b->shadow.enabled()) { // ordered after the init
      const auto o = b->shadow.read(w.agent, lane, static_cast<u32>(barrier_offset), 8, true);
      if (o.problem != Shadow::Problem::none) shared_fault(w, pc, lane, o, "mbarrier operation", 8, barrier_offset);
    }
    const u32 queue = queue_of(*b, Queue::mbarrier, static_cast<u32>(barrier_offset));
    if (copy.source.second != 0) queue_reads(w, pc, lane, queue, copy.source.first, copy.source.second, "bulk copy");
    BulkCopy one = copy;
    one.block = b;
    one.signals = true;
    one.barrier = barrier_offset;
    std::size_t from = 0;
    for (auto& p : one.pieces) {
      const u64 place = offset + from;
      from += p.bytes;
      if (!queue_writes(w, pc, lane, *b, queue, place, static_cast<u32>(p.bytes), what, kind)) return;
      p.to = b->shared.data() + place;
      one.shared.emplace_back(static_cast<u32>(place), static_cast<u32>(p.bytes));
      if (launch.counters) count_bytes(pc, true, MemorySpace::shared, p.bytes);
    }
    start(std::move(one), queue);
  }
}

/// st.async and red.async: in: address, mbarrier, values.
void Worker::store_async(Warp& w, const Wide& op, u32 pc, u32 exec) {
  const u32 size = ptx::bits_of(op.d) / 8, count = static_cast<u32>(op.in.size()) - 2;
  Clocks::Joined before;
  if (w.block->shadow.enabled()) clocks_.release(w.agent, before);
  for (u32 lane = 0; lane < lanes && !stopped(); ++lane) {
    if (!has_lane(exec, lane)) continue;
    BulkCopy copy;
    copy.through_proxy = false;
    copy.before = before;
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
