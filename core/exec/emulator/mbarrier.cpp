// mbarrier objects. Their eight bytes in shared memory hold, from bit 0: arrivals that are pending (20 bits), arrivals
// expected in a phase (20), the transaction count (22, with its sign), a mark (1), the parity of the phase (1). The
// hardware's own layout is opaque; a program may only keep the state that arrive returns.
#include "core/exec/emulator/machine.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace aicf::emulator {
namespace {

constexpr u64 count_mask = (1u << 20) - 1, mark = u64{1} << 62;
constexpr s64 max_transactions = (1 << 20) - 1;

struct State {
  u32 pending = 0, expected = 0, parity = 0;
  s64 transactions = 0;
  bool valid = false;
  explicit State(u64 bits)
      : pending(static_cast<u32>(bits & count_mask)), expected(static_cast<u32>((bits >> 20) & count_mask)),
        parity(static_cast<u32>(bits >> 63)), transactions(static_cast<s64>(bits << 2) >> 42),
        valid((bits & mark) != 0) {}
  [[nodiscard]] u64 bits() const {
    return pending | u64{expected} << 20 | (static_cast<u64>(transactions) & 0x3fffff) << 40 | mark | u64{parity} << 63;
  }
};

u64 bits_at(const std::byte* p) {
  u64 v = 0;
  std::memcpy(&v, p, sizeof v);
  return v;
}

} // namespace

/// The phase ends when nothing is pending.
void Worker::barrier_step(Block& b, u32 offset, u64 bits) {
  State s(bits);
  if (s.pending == 0 && s.transactions == 0) {
    s.parity ^= 1;
    s.pending = s.expected;
    Mbarrier& m = b.mbarriers[offset];
    m.released = std::exchange(m.joined, {});
  }
  const u64 now = s.bits();
  std::memcpy(b.shared.data() + offset, &now, sizeof now);
}

/// complete_tx by a copy that has come. It releases the copy, and, of st.async and red.async, what their thread had
/// done before it started them: they are as if a thread of its own did them, made by that one.
void Worker::barrier_transfer(Block& b, const BulkCopy& copy) {
  const auto offset = static_cast<u32>(copy.barrier);
  State s(bits_at(b.shared.data() + offset));
  if (!s.valid) return;
  s.transactions = std::max<s64>(s.transactions - copy.bytes, -max_transactions - 1);
  Clocks::Joined& joined = b.mbarriers[offset].joined;
  clocks_.note(joined, queue_of(b, Queue::mbarrier, offset), copy.clock);
  Clocks::join(joined, copy.before);
  barrier_step(b, offset, s.bits());
}

/// The mbarrier that a lane names; null: a fault was given.
std::byte* Worker::barrier_at(Warp& w, u32 pc, u32 lane, ptx::Space space, u64 address, Block*& block, u32& offset) {
  Place place;
  if (!resolve(w, pc, lane, space, address, 8, "mbarrier", true, place)) return nullptr;
  if (place.space != ptx::Space::shared) {
    fault(w, pc, lane, "mbarrier", "an mbarrier outside shared memory", address);
    return nullptr;
  }
  block = place.block;
  offset = static_cast<u32>(place.offset);
  return place.host;
}

void Worker::mbarrier(Warp& w, const Wide& op, u32 pc, u32 exec) {
  u32 passed = 0;
  for (u32 lane = 0; lane < lanes; ++lane) {
    if (!has_lane(exec, lane)) continue;
    if (op.kind == WideKind::barrier_pending) {
      set32(w, op.out[0], lane, State(value64(w, op.in[0], lane)).pending);
      continue;
    }
    Block* block = nullptr;
    u32 offset = 0;
    std::byte* host = barrier_at(w, pc, lane, op.space, value64(w, op.in[0], lane), block, offset);
    if (host == nullptr) {
      if (stopped()) return;
      continue;
    }
    const auto wrong = [&](const std::string& message) {
      fault(w, pc, lane, "mbarrier", message + " (the mbarrier is at offset " + std::to_string(offset) + ")", offset);
    };
    State s(bits_at(host));
    if (op.kind == WideKind::barrier_init) {
      const u32 count = value32(w, op.in[1], lane);
      if (count == 0 || count > count_mask) {
        wrong("mbarrier.init with a count of " + std::to_string(count) + ": it must be 1 to 1048575");
        continue;
      }
      if (block->shadow.enabled()) {
        const auto o = block->shadow.write(w.agent, lane, offset, 8, false);
        if (o.problem != Shadow::Problem::none) shared_fault(w, pc, lane, o, "mbarrier.init", 8, offset);
      }
      s = State(0);
      s.pending = s.expected = count;
      const u64 now = s.bits();
      std::memcpy(host, &now, sizeof now);
      block->mbarriers[offset] = {};
      continue;
    }
    const bool known = block->mbarriers.contains(offset);
    if (!known || !s.valid) {
      wrong("no mbarrier.init has made an mbarrier here");
      continue;
    }
    if (block->shadow.enabled()) { // ordered after the init, and one of many strong accesses
      const auto o = block->shadow.read(w.agent, lane, offset, 8, true);
      if (o.problem != Shadow::Problem::none) shared_fault(w, pc, lane, o, "mbarrier operation", 8, offset);
    }
    Mbarrier& m = block->mbarriers[offset];
    const auto expect = [&](u32 bytes) {
      s.transactions += bytes;
      if (s.transactions <= max_transactions) return;
      wrong("a transaction count of " + std::to_string(s.transactions) + ": 1048575 at most");
      s.transactions = max_transactions;
    };
    switch (op.kind) {
    case WideKind::barrier_invalidate:
      block->mbarriers.erase(offset);
      std::memset(host, 0, 8);
      break;
    case WideKind::barrier_expect:
      expect(value32(w, op.in[1], lane));
      barrier_step(*block, offset, s.bits());
      break;
    case WideKind::barrier_complete:
      s.transactions -= value32(w, op.in[1], lane);
      if (s.transactions < -max_transactions) {
        wrong("a transaction count of " + std::to_string(s.transactions) + ": -1048575 at least");
        break;
      }
      barrier_step(*block, offset, s.bits());
      break;
    case WideKind::barrier_copies: // cp.async: the copies of this warp are done when they arrive
      async_deliver(w, w.async.size());
      [[fallthrough]];
    case WideKind::barrier_arrive: {
      const u64 before = s.bits();
      const u32 count = op.kind == WideKind::barrier_copies ? 1 : value32(w, op.in[1], lane);
      if (op.kind == WideKind::barrier_copies && (op.flags & wide_no_increment) == 0) ++s.pending;
      if ((op.flags & wide_expects) != 0) expect(value32(w, op.in[2], lane));
      if (count == 0 || count > s.pending) {
        wrong("an arrival of " + std::to_string(count) + ", but " + std::to_string(s.pending) + " are pending");
        break;
      }
      if ((op.flags & wide_no_order) == 0) clocks_.release(w.agent, m.joined);
      s.pending -= count;
      if ((op.flags & wide_drop) != 0) s.expected -= std::min(count, s.expected);
      if (!op.out.empty()) set64(w, op.out[0], lane, before);
      barrier_step(*block, offset, s.bits());
      break;
    }
    default: { // test_wait, try_wait
      const u32 parity =
          (op.flags & wide_parity) != 0 ? value32(w, op.in[1], lane) & 1 : State(value64(w, op.in[1], lane)).parity;
      if (s.parity == parity) break;
      passed |= 1u << lane;
      if ((op.flags & wide_no_order) == 0) clocks_.acquire(w.agent, m.released);
    }
    }
  }
  if (op.kind != WideKind::barrier_test) {
    ++progress_;
    return;
  }
  u32* d = reg<u32>(w, op.out[0]);
  *d = (*d & ~exec) | (passed & exec);
  if (passed == exec) {
    ++progress_;
    return;
  }
  slice = 0; // another warp's turn: it may be the one that is waited for
  w.polls = true;
  w.barrier_pc = pc;
}

} // namespace aicf::emulator
