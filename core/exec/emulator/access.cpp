// Memory operations lane by lane: every address is resolved (resolve.cpp), checked, and counted (count.cpp).
#include "core/exec/emulator/machine.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace aicf::emulator {
namespace {

using ptx::Space;

u64 read_bytes(const std::byte* p, u32 bytes) {
  u64 v = 0;
  std::memcpy(&v, p, bytes);
  return v;
}

/// Where a place lies that resolve() found.
MemorySpace space_of(Space s, bool of_function) {
  switch (s) {
  case Space::shared:
  case Space::shared_cluster: return MemorySpace::shared;
  case Space::local: return of_function ? MemorySpace::parameter : MemorySpace::local;
  case Space::constant: return MemorySpace::constant;
  case Space::param: return MemorySpace::parameter;
  default: return MemorySpace::global;
  }
}

} // namespace

/// A strong access and its entry in the order of the launch happen at once.
std::unique_lock<std::mutex> Worker::order_lock(const Access& a) {
  const bool orders = launch.trace && program.orders_blocks && (a.strong || a.is_atomic) && a.space != Space::shared &&
                      a.space != Space::local;
  return orders ? std::unique_lock(launch.order.mutex) : std::unique_lock<std::mutex>();
}

/// A buffer that a kernel only writes holds nothing before that.
void Worker::needs_value(Warp& w, u32 pc, GlobalUse use, u64 begin, u64 bytes, u32 lane, u32 each) {
  if (use == GlobalUse::write || use == GlobalUse::strong_write) {
    launch.memory->mark_written(begin, bytes);
    return;
  }
  const u64 n = launch.memory->unwritten(begin, bytes);
  if (n == bytes) return;
  fault(w, pc, each == 0 ? lane : lane + static_cast<u32>(n / each), "uninitialised-global",
        "global load at " + launch.memory->describe(begin + n) + ": nothing has been written there", begin + n);
}

void Worker::global_use(Warp& w, u32 pc, u32 lane, const Access& a, bool is_store, u64 address, u32 bytes) {
  const bool strong = a.strong || a.is_atomic;
  if (a.is_atomic && a.kind != AtomicKind::exch && launch.memory->tracks())
    needs_value(w, pc, GlobalUse::strong_read, address, bytes, lane, 0);
  if (launch.trace && strong && program.orders_blocks) {
    Block& b = *w.block;
    launch.order.strong_access(address, static_cast<u32>(b.linear), (is_store && b.fenced_globally) || a.releases,
                               b.epoch);
    traces[b.rank].epoch = b.epoch;
  }
  touched(w, pc,
          is_store ? (strong ? GlobalUse::strong_write : GlobalUse::write)
                   : (strong ? GlobalUse::strong_read : GlobalUse::read),
          address, bytes, lane);
}

std::byte* Worker::touch(Warp& w, u32 pc, u32 lane, Space space, u64 address, u32 bytes, const char* what,
                         bool writes) {
  Place place;
  if (!resolve(w, pc, lane, space, address, bytes, what, writes, place)) return nullptr;
  if (place.space == Space::shared && place.checked()) {
    Shadow& shadow = place.block->shadow;
    const auto offset = static_cast<u32>(place.offset);
    const auto o =
        writes ? shadow.write(w.agent, lane, offset, bytes, false) : shadow.read(w.agent, lane, offset, bytes);
    if (o.problem != Shadow::Problem::none) shared_fault(w, pc, lane, o, what, bytes, offset);
  } else if (place.space == Space::global) {
    touched(w, pc, writes ? GlobalUse::write : GlobalUse::read, place.offset, bytes, lane);
  }
  return place.host;
}

/// A load or store of one word of private memory, which nobody else can see; false: there is a fault, or more to do.
bool Worker::private_access(Warp& w, const Op& op, u32 pc, u32 exec, const Access& a) {
  if (a.space != Space::local || a.count != 1 || a.registers[0] == none || a.bytes < 4 || a.acquires || a.releases)
    return false;
  const u64* address = reinterpret_cast<const u64*>(operand(w, op.a));
  std::array<std::byte*, lanes> place{};
  for (u32 lane = 0; lane < lanes; ++lane) {
    if (!has_lane(exec, lane)) continue;
    const u64 at = address[lane] + static_cast<u64>(op.imm), end = at + a.bytes;
    if ((at & (a.bytes - 1u)) != 0 || end < at || end > private_bytes(w, lane)) return false;
    place[lane] = private_place(w, lane, at);
  }
  const bool word = a.bytes == 4, wide = a.wide[0];
  if (word && wide && a.sign && !a.is_store) return false;
  for (u32 lane = 0; lane < lanes; ++lane) {
    if (!has_lane(exec, lane)) continue;
    u64 v = 0;
    if (a.is_store) {
      v = wide ? value64(w, a.registers[0], lane) : value32(w, a.registers[0], lane);
      std::memcpy(place[lane], &v, word ? 4 : 8);
      continue;
    }
    std::memcpy(&v, place[lane], word ? 4 : 8);
    if (wide)
      set64(w, a.registers[0], lane, v);
    else
      set32(w, a.registers[0], lane, static_cast<u32>(v));
  }
  if (!launch.counters) return true;
  const MemorySpace space = space_of(Space::local, a.of_function);
  count_bytes(pc, a.is_store, space, u64{popcount(exec)} * a.bytes);
  return true;
}

void Worker::load(Warp& w, const Op& op, u32 pc, u32 exec) {
  const Access& a = program.accesses[op.aux];
  if (private_access(w, op, pc, exec, a)) return;
  const auto lock = order_lock(a);
  const u32 bytes = u32{a.bytes} * a.count;
  std::array<u64, lanes> sectors{}, offsets{};
  std::array<u32, memory_spaces> used{};
  u32 global = 0, shared = 0;
  bool reported = false;
  for (u32 i = 0; i < lanes; ++i) {
    if (!has_lane(exec, i)) continue;
    Place place;
    const u64 address = value64(w, op.a, i) + static_cast<u64>(op.imm);
    const bool good = resolve(w, pc, i, a.space, address, bytes, "load", false, place);
    if (!good && stopped()) return;
    used[static_cast<std::size_t>(space_of(place.space, a.of_function))] += good ? 1 : 0;
    if (good && place.space == Space::shared) {
      offsets[i] = place.offset;
      shared |= 1u << i;
      if (place.checked()) {
        const auto o = place.block->shadow.read(w.agent, i, static_cast<u32>(place.offset), bytes, a.strong);
        if (o.problem != Shadow::Problem::none && !std::exchange(reported, true))
          shared_fault(w, pc, i, o, "load", bytes, place.offset);
      }
    } else if (good && (place.space == Space::global || place.space == Space::constant)) {
      if (place.space == Space::global) sectors[global++] = place.offset >> 5;
      global_use(w, pc, i, a, false, place.offset, bytes);
    }
    for (u32 k = 0; k < a.count; ++k) {
      if (a.registers[k] == none) continue;
      u64 v = good ? read_bytes(place.host + std::size_t{k} * a.bytes, a.bytes) : 0;
      if (a.sign) {
        const u32 shift = 64 - 8 * a.bytes;
        v = static_cast<u64>(static_cast<s64>(v << shift) >> shift);
      }
      if (a.wide[k])
        set64(w, a.registers[k], i, v);
      else
        set32(w, a.registers[k], i, static_cast<u32>(a.half_width ? v & 0xffff : v));
    }
  }
  if (a.acquires) fence(w, a.cluster_scope);
  if (!launch.counters) return;
  for (std::size_t s = 0; s < memory_spaces; ++s) counters.memory[pc].read[s] += u64{used[s]} * bytes;
  if (global != 0) count_sectors(pc, {sectors.data(), global});
  if (shared != 0) count_shared(pc, offsets.data(), shared, bytes, true);
}

void Worker::store(Warp& w, const Op& op, u32 pc, u32 exec) {
  const Access& a = program.accesses[op.aux];
  if (private_access(w, op, pc, exec, a)) return;
  const auto lock = order_lock(a);
  const u32 bytes = u32{a.bytes} * a.count;
  std::array<u64, lanes> sectors{}, offsets{};
  std::array<u32, memory_spaces> used{};
  u32 global = 0, shared = 0;
  bool reported = false;
  if (a.releases) fence(w, a.cluster_scope);
  for (u32 i = 0; i < lanes; ++i) {
    if (!has_lane(exec, i)) continue;
    Place place;
    const u64 address = value64(w, op.a, i) + static_cast<u64>(op.imm);
    if (!resolve(w, pc, i, a.space, address, bytes, "store", true, place)) {
      if (stopped()) return;
      continue;
    }
    ++used[static_cast<std::size_t>(space_of(place.space, a.of_function))];
    std::array<std::byte, 64> data;
    for (u32 k = 0; k < a.count; ++k) {
      const u64 v = a.wide[k] ? value64(w, a.registers[k], i) : value32(w, a.registers[k], i);
      std::memcpy(data.data() + std::size_t{k} * a.bytes, &v, a.bytes);
    }
    if (place.space == Space::shared) {
      offsets[i] = place.offset;
      shared |= 1u << i;
      if (place.checked()) {
        auto o = place.block->shadow.write(w.agent, i, static_cast<u32>(place.offset), bytes, a.strong);
        // Lanes of this very instruction may write the same value to one place.
        const bool same_instruction = o.problem == Shadow::Problem::race_with_write && o.agent == w.agent &&
                                      o.lane < i && has_lane(shared, o.lane) &&
                                      offsets[o.lane] < place.offset + bytes && place.offset < offsets[o.lane] + bytes;
        if (same_instruction && std::memcmp(place.host, data.data(), bytes) == 0) o.problem = Shadow::Problem::none;
        if (o.problem != Shadow::Problem::none && !std::exchange(reported, true))
          shared_fault(w, pc, i, o, "store", bytes, place.offset);
      }
    } else if (place.space == Space::global) {
      sectors[global++] = place.offset >> 5;
      global_use(w, pc, i, a, true, place.offset, bytes);
    }
    std::memcpy(place.host, data.data(), bytes);
  }
  if (!launch.counters) return;
  for (std::size_t s = 0; s < memory_spaces; ++s) counters.memory[pc].written[s] += u64{used[s]} * bytes;
  if (global != 0) count_sectors(pc, {sectors.data(), global});
  if (shared != 0) count_shared(pc, offsets.data(), shared, bytes);
}

void Worker::atomic(Warp& w, const Op& op, u32 pc, u32 exec) {
  const Access& a = program.accesses[op.aux];
  const auto lock = order_lock(a);
  std::array<u64, lanes> words{};
  u32 global = 0, shared = 0;
  bool reported = false;
  if (a.releases) fence(w, a.cluster_scope);
  for (u32 i = 0; i < lanes; ++i) {
    if (!has_lane(exec, i)) continue;
    Place place;
    const u64 address = value64(w, op.a, i) + static_cast<u64>(op.imm);
    if (!resolve(w, pc, i, a.space, address, a.bytes, "atomic", true, place)) {
      if (stopped()) return;
      continue;
    }
    if (a.align != 0 && (address & (a.align - 1u)) != 0) {
      fault(w, pc, i, "misaligned", "a vector atomic of " + std::to_string(a.align) + " bytes", address);
      continue;
    }
    shared += place.space == Space::shared ? 1 : 0;
    if (place.space == Space::shared && place.checked()) {
      const auto o = place.block->shadow.write(w.agent, i, static_cast<u32>(place.offset), a.bytes, true,
                                               a.kind != AtomicKind::exch);
      if (o.problem != Shadow::Problem::none && !std::exchange(reported, true))
        shared_fault(w, pc, i, o, "atomic", a.bytes, place.offset);
    }
    if (place.space == Space::global) {
      words[global++] = place.offset >> 2;
      global_use(w, pc, i, a, true, place.offset, a.bytes);
    }
    const u64 b = a.bytes == 8 ? value64(w, op.b, i) : value32(w, op.b, i);
    const u64 c = a.bytes == 8 ? value64(w, op.c, i) : value32(w, op.c, i);
    if (reinterpret_cast<std::uintptr_t>(place.host) % a.bytes != 0) {
      fault(w, pc, i, "misaligned", "an atomic on a buffer that the caller did not align to its elements", address);
      return;
    }
    if (a.bytes == 16) {
      const std::array<u64, 2> old =
          exchange_halves(place.host, a.kind == AtomicKind::cas, {value64(w, op.b, i), value64(w, a.registers[1], i)},
                          {value64(w, op.c, i), value64(w, a.registers[2], i)});
      set64(w, op.d, i, old[0]);
      set64(w, a.registers[0], i, old[1]);
      continue;
    }
    const u64 old = update(place.host, a, b, c, place.space == Space::shared);
    if (a.bytes == 8)
      set64(w, op.d, i, old);
    else
      set32(w, op.d, i, static_cast<u32>(old));
  }
  if (a.acquires) fence(w, a.cluster_scope);
  if (!launch.counters) return;
  if (shared != 0) count_bytes(pc, true, MemorySpace::shared, u64{shared} * a.bytes);
  if (global != 0) count_bytes(pc, true, MemorySpace::global, u64{global} * a.bytes);
  if (!op.counted) return; // a further element of a vector
  ++counters.atomics;
  if (global != 0) count_atomics(pc, {words.data(), global});
}

void Worker::copy_async(Warp& w, const Op& op, u32 pc, u32 exec) {
  const auto bytes = static_cast<u32>(op.imm);
  if (w.async.empty()) w.async.emplace_back();
  std::array<u64, lanes> sectors{};
  u32 global = 0, filled = 0;
  u64 fetched = 0;
  bool reported = false;
  for (u32 i = 0; i < lanes; ++i) {
    if (!has_lane(exec, i)) continue;
    const u32 read = value32(w, op.c, i);
    Place to, from;
    if (read > bytes) {
      fault(w, pc, i, "async-size",
            "cp.async reads " + std::to_string(read) + " of " + std::to_string(bytes) + " bytes");
      continue;
    }
    if (!resolve(w, pc, i, Space::shared, value64(w, op.a, i), bytes, "cp.async store", true, to)) continue;
    AsyncCopy copy{i, static_cast<u32>(to.offset), bytes, {}};
    if (read != 0) {
      const u64 address = value64(w, op.b, i);
      if ((address & (bytes - 1)) != 0) {
        fault(w, pc, i, "misaligned", "cp.async from " + launch.memory->describe(address), address);
        continue;
      }
      const std::byte* host = launch.memory->find(address, read);
      if (host == nullptr) {
        fault(w, pc, i, "out-of-bounds",
              "cp.async of " + std::to_string(read) + " bytes from " + launch.memory->describe(address), address);
        continue;
      }
      std::memcpy(copy.data.data(), host, read);
      sectors[global++] = address >> 5;
      fetched += read;
      touched(w, pc, GlobalUse::read, address, read, i);
    }
    if (w.block->shadow.enabled()) {
      const auto o = w.block->shadow.copy_started(w.agent, i, copy.target, bytes);
      if (o.problem != Shadow::Problem::none && !std::exchange(reported, true))
        shared_fault(w, pc, i, o, "cp.async store", bytes, copy.target);
    }
    w.async.back().push_back(copy);
    ++filled;
    if (++w.async_copies > max_async_copies) {
      fault(w, pc, i, "async-pending",
            "more than " + std::to_string(max_async_copies) +
                " cp.async of the warp are pending: nothing waits for them");
      launch.abort = true;
      return;
    }
  }
  if (!launch.counters) return;
  count_bytes(pc, false, MemorySpace::global, fetched);
  count_bytes(pc, true, MemorySpace::shared, u64{filled} * bytes);
  if (global != 0) count_sectors(pc, {sectors.data(), global});
}

void Worker::async_commit(Warp& w) {
  if (w.async.empty()) w.async.emplace_back();
  w.async.emplace_back();
  if (w.async.size() <= max_groups) return; // the oldest are waited for together
  auto oldest = std::move(w.async.front());
  w.async.pop_front();
  w.async.front().insert(w.async.front().begin(), oldest.begin(), oldest.end());
}

/// Completes all but the newest op.imm committed groups; the lanes of a warp commit and wait together.
void Worker::async_wait(Warp& w, const Op& op, u32) {
  if (w.async.empty()) return;
  const std::size_t committed = w.async.size() - 1;
  const auto keep = static_cast<std::size_t>(std::max<s64>(op.imm, 0));
  std::size_t done = committed > keep ? committed - keep : 0;
  if (op.flag != 0) done = w.async.size();
  async_deliver(w, done);
}

void Worker::async_deliver(Warp& w, std::size_t groups) {
  for (std::size_t g = 0; g < groups; ++g) {
    w.async_copies -= static_cast<u32>(w.async[g].size());
    for (const AsyncCopy& c : w.async[g]) {
      std::memcpy(w.block->shared.data() + c.target, c.data.data(), c.bytes);
      if (w.block->shadow.enabled()) (void)w.block->shadow.write(w.agent, c.lane, c.target, c.bytes, false);
    }
  }
  w.async.erase(w.async.begin(), w.async.begin() + static_cast<std::ptrdiff_t>(groups));
  if (w.async.empty()) w.async.emplace_back();
}

} // namespace aicf::emulator
