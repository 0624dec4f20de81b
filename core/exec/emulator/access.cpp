// Memory operations lane by lane: every address is resolved, checked and counted.
#include "core/exec/emulator/machine.hpp"
#include "core/exec/emulator/scalar_math.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace aicf::emulator {
namespace {

using ptx::Space;
using ptx::Type;

bool has_lane(u32 mask, u32 lane) { return ((mask >> lane) & 1) != 0; }

const char* name_of(Space s) {
  switch (s) {
  case Space::global: return "global";
  case Space::shared: return "shared";
  case Space::local: return "local";
  case Space::param: return "param";
  case Space::constant: return "const";
  case Space::shared_cluster: return "shared::cluster";
  default: return "generic";
  }
}

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

/// The value that an atomic leaves, given the one it finds. PTX ISA, atom: sums of f32 in global memory flush
/// subnormals, those in shared memory keep them.
u64 combined(const Access& a, u64 old, u64 b, u64 c, bool shared) {
  const Type t = a.type;
  const bool real = ptx::is_float(t);
  const bool wide = a.bytes == 8;
  const auto half = [&](auto&& fn) {
    const bool bf = t == Type::bf16 || t == Type::bf16x2;
    const auto one = [&](u16 x, u16 y) {
      return bf ? to_b16(fn(from_b16(x), from_b16(y))) : to_h16(fn(from_h16(x), from_h16(y)));
    };
    const auto x = static_cast<u32>(old), y = static_cast<u32>(b);
    return static_cast<u64>(t == Type::f16 || t == Type::bf16 ? one(low(x), low(y))
                                                              : pack(one(low(x), low(y)), one(high(x), high(y))));
  };
  const auto less = [&](u64 x, u64 y) {
    if (!a.sign) return x < y;
    return wide ? static_cast<s64>(x) < static_cast<s64>(y) : static_cast<s32>(x) < static_cast<s32>(y);
  };
  switch (a.kind) {
  case AtomicKind::add:
    if (t == Type::f32) {
      const f32 x = as_f32(static_cast<u32>(old)), y = as_f32(static_cast<u32>(b));
      return as_u32(shared ? plus(x, y) : flush(plus(flush(x), flush(y))));
    }
    if (t == Type::f64) return as_u64(as_f64(old) + as_f64(b));
    if (real) return half([](f64 x, f64 y) { return x + y; });
    return old + b;
  case AtomicKind::bit_and: return old & b;
  case AtomicKind::bit_or: return old | b;
  case AtomicKind::bit_xor: return old ^ b;
  case AtomicKind::exch: return b;
  case AtomicKind::cas: return old == b ? c : old;
  case AtomicKind::min:
    if (real) return half([](f64 x, f64 y) { return min_number(x, y); });
    return less(b, old) ? b : old;
  case AtomicKind::max:
    if (real) return half([](f64 x, f64 y) { return max_number(x, y); });
    return less(old, b) ? b : old;
  case AtomicKind::inc: return old >= b ? 0 : old + 1;
  case AtomicKind::dec: return old == 0 || old > b ? b : old - 1;
  }
  return old;
}

template <class T> u64 atomic_update(std::byte* host, const Access& a, u64 b, u64 c, bool shared) {
  auto* p = reinterpret_cast<T*>(host);
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (true) {
    const T next = static_cast<T>(combined(a, old, b, c, shared));
    if (__atomic_compare_exchange_n(p, &old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}

} // namespace

#if defined(__x86_64__)
__attribute__((target("cx16")))
#endif
std::array<u64, 2>
exchange_halves(std::byte* host, bool compares, std::array<u64, 2> b, std::array<u64, 2> c) {
  auto* p = reinterpret_cast<u128*>(host);
  const u128 wanted = std::bit_cast<u128>(b), next = compares ? std::bit_cast<u128>(c) : wanted;
  std::array<u64, 2> seen{};
  std::memcpy(seen.data(), host, sizeof seen);
  u128 old = std::bit_cast<u128>(seen);
  while (true) {
    const u128 found = __sync_val_compare_and_swap(p, old, compares && old != wanted ? old : next);
    if (found == old) return std::bit_cast<std::array<u64, 2>>(old);
    old = found;
  }
}

u64 update(std::byte* host, const Access& a, u64 b, u64 c, bool shared) {
  return a.bytes == 8   ? atomic_update<u64>(host, a, b, c, shared)
         : a.bytes == 4 ? atomic_update<u32>(host, a, b, c, shared)
                        : atomic_update<u16>(host, a, b, c, shared);
}

bool Worker::resolve(Warp& w, u32 pc, u32 lane, Space space, u64 address, u32 bytes, const char* what, bool writes,
                     Place& place) {
  if (space == Space::generic) {
    const u64 top = address & ~(window_bytes - 1);
    space = top == shared_window      ? Space::shared_cluster
            : top == local_window     ? Space::local
            : top == parameter_window ? Space::param
                                      : Space::global;
    if (space != Space::global) address &= window_bytes - 1;
  }
  place = {nullptr, w.block, address, space};
  const auto describe = [&] {
    return std::string(name_of(space)) + " " + what + " of " + std::to_string(bytes) + " bytes at ";
  };
  if ((address & (bytes - 1)) != 0) {
    const std::string at = space == Space::global || space == Space::constant ? launch.memory->describe(address)
                                                                              : "offset " + std::to_string(address);
    fault(w, pc, lane, "misaligned", describe() + at + ": the address must be a multiple of " + std::to_string(bytes),
          address);
    return false;
  }
  switch (space) {
  case Space::shared:
    if (address < launch.shared_bytes &&
        address + bytes <= launch.shared_bytes) { // of the block itself: the rank is absent
      place.host = w.block->shared.data() + address;
      return true;
    }
    [[fallthrough]];
  case Space::shared_cluster: return resolve_shared(w, pc, lane, space, address, bytes, what, place);
  case Space::local: {
    if (address + bytes > program.local_bytes || address + bytes < address) {
      fault(w, pc, lane, "out-of-bounds",
            describe() + "offset " + std::to_string(static_cast<s64>(address)) + " (the thread has " +
                std::to_string(program.local_bytes) + " bytes of private memory)",
            address);
      return false;
    }
    place.host = w.block->local.data() + std::size_t{w.index * lanes + lane} * program.local_bytes + address;
    return true;
  }
  case Space::param:
    if (writes || address + bytes > launch.parameters.size() || address + bytes < address) {
      fault(w, pc, lane, "out-of-bounds", describe() + "offset " + std::to_string(address) + " of the parameters",
            address);
      return false;
    }
    place.host = reinterpret_cast<std::byte*>(const_cast<u8*>(launch.parameters.data())) + address;
    return true;
  default:
    place.host = launch.memory->find(address, bytes);
    if (place.host == nullptr && address >= heap_base && address < global_base) {
      const Heap::Found found = launch.heap.find(address, bytes);
      place.host = found.host;
      if (found.state == Heap::State::freed) {
        fault(w, pc, lane, "use-after-free", describe() + "memory that was freed", address);
        return false;
      }
      if (found.state == Heap::State::live && found.host == nullptr) {
        fault(w, pc, lane, "out-of-bounds",
              describe() + "offset " + std::to_string(found.offset) + " of memory that malloc gave (it has " +
                  std::to_string(found.bytes) + " bytes)",
              address);
        return false;
      }
    }
    if (place.host == nullptr) {
      fault(w, pc, lane, "out-of-bounds", describe() + launch.memory->describe(address), address);
      return false;
    }
    if (writes && launch.memory->read_only(address)) {
      fault(w, pc, lane, "read-only", describe() + launch.memory->describe(address) + ": it is constant", address);
      return false;
    }
    return true;
  }
}

bool Worker::resolve_shared(Warp& w, u32 pc, u32 lane, Space space, u64 address, u32 bytes, const char* kind,
                            Place& place) {
  const u64 offset = address & ((u64{1} << shared_rank_shift) - 1), rank = address >> shared_rank_shift;
  place.space = Space::shared;
  place.offset = offset;
  const auto what = [&] {
    return std::string(name_of(space)) + " " + kind + " of " + std::to_string(bytes) + " bytes at ";
  };
  if (rank > w.block->cluster->size()) {
    fault(w, pc, lane, "out-of-bounds", what() + "offset " + std::to_string(address) + " of shared memory", address);
    return false;
  }
  if (rank != 0) place.block = &(*w.block->cluster)[rank - 1];
  if (offset + bytes > launch.shared_bytes) {
    fault(w, pc, lane, "out-of-bounds",
          what() + "offset " + std::to_string(offset) + " (the block has " + std::to_string(launch.shared_bytes) +
              " bytes of shared memory)",
          address);
    return false;
  }
  place.host = place.block->shared.data() + offset;
  if (place.block == w.block) return true;
  const std::string peer = "block " + std::to_string(rank - 1) + " of the cluster";
  if (space == Space::shared) {
    fault(w, pc, lane, "cluster-space",
          what() + "offset " + std::to_string(offset) + " of " + peer + ": that needs .shared::cluster", address);
    return false;
  }
  if (place.block->exited) {
    fault(w, pc, lane, "cluster-exit",
          what() + "offset " + std::to_string(offset) + " of " + peer + ", which has exited", address);
    return false;
  }
  if (!launch.checks) return true;
  const bool started =
      w.peers_started || std::any_of(place.block->warps.begin(), place.block->warps.end(),
                                     [&](const Warp& other) { return clocks_.of(w.agent, other.agent) != 0; });
  if (!started) {
    fault(w, pc, lane, "cluster-start",
          what() + "offset " + std::to_string(offset) + " of " + peer +
              ": no barrier.cluster says that this block has started",
          address);
    return false;
  }
  place.block->peers[w.agent] = {clocks_.own(w.agent), pc, lane};
  return true;
}

/// "thread 5", and its block where that is another one.
std::string Worker::thread_name(const Warp& w, u32 agent, u32 lane) const {
  const u32 per_block = launch.warps + 1, rank = agent / per_block, warp = agent % per_block;
  std::string text = warp == launch.warps      ? "a bulk copy"
                     : lane == Shadow::several ? "several threads of warp " + std::to_string(warp)
                                               : "thread " + std::to_string(warp * lanes + lane);
  if (rank != w.block->rank) text += " of block " + std::to_string(rank) + " of the cluster";
  return text;
}

void Worker::shared_fault(Warp& w, u32 pc, u32 lane, const Shadow::Outcome& o, const char* what, u32 bytes,
                          u64 offset) {
  const std::string other = thread_name(w, o.agent, o.lane);
  const std::string head =
      "shared " + std::string(what) + " of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset);
  switch (o.problem) {
  case Shadow::Problem::uninitialised:
    fault(w, pc, lane, "uninitialised-shared", head + ": nothing has been written there", offset);
    break;
  case Shadow::Problem::pending_copy:
    fault(w, pc, lane, "shared-race",
          head + ": " + (o.agent % (launch.warps + 1) == launch.warps ? "" : "a cp.async of ") + other +
              " to it has not been waited for",
          offset);
    break;
  case Shadow::Problem::unfenced:
    fault(w, pc, lane, "proxy-fence", head + ": no fence.proxy.async makes the write by " + other + " visible to it",
          offset);
    break;
  default:
    fault(w, pc, lane, "shared-race",
          head + " races with a " + (o.problem == Shadow::Problem::race_with_write ? "write" : "read") + " by " +
              other +
              (o.agent == w.agent ? ": no warp synchronisation lies between them" : ": no barrier lies between them"),
          offset);
  }
}

/// Wavefronts: 32 banks of 4 bytes; accesses of 8 and 16 bytes go in 2 and 4 phases. In a phase each bank serves one
/// word; further words of a bank cost a wavefront each.
void Worker::count_shared(u32 pc, const u64* offset, u32 exec, u32 bytes) {
  const u32 per_phase = bytes <= 4 ? 32 : 128 / bytes;
  const u32 words = std::max(1u, bytes / 4);
  u64 total = 0, phases = 0;
  for (u32 first = 0; first < lanes; first += per_phase) {
    std::array<u64, std::size_t{lanes} * 2> seen{};
    u32 n = 0;
    for (u32 i = first; i < first + per_phase; ++i)
      if (has_lane(exec, i))
        for (u32 k = 0; k < words; ++k) seen[n++] = offset[i] / 4 + k;
    if (n == 0) continue;
    std::sort(seen.begin(), seen.begin() + n);
    const auto* end = std::unique(seen.begin(), seen.begin() + n);
    std::array<u8, 32> load{};
    u8 most = 0;
    for (const auto* p = seen.begin(); p != end; ++p) most = std::max(most, ++load[*p % 32]);
    total += most;
    ++phases;
  }
  counters.memory[pc].wavefronts += total;
  counters.memory[pc].conflicts += total - phases;
}

void Worker::count_sectors(u32 pc, std::span<u64> sectors) {
  if (!std::is_sorted(sectors.begin(), sectors.end())) std::sort(sectors.begin(), sectors.end());
  u64 distinct = 0, lines = 0, last = ~u64{0}, line = ~u64{0};
  for (const u64 s : sectors) {
    distinct += s != last ? 1 : 0;
    lines += s >> 2 != line ? 1 : 0;
    last = s;
    line = s >> 2;
  }
  MemoryEvents& m = counters.memory[pc];
  ++m.requests;
  m.sectors += distinct;
  m.lines += lines;
}

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
  if (place.space == Space::shared && place.block->shadow.enabled()) {
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

void Worker::load(Warp& w, const Op& op, u32 pc, u32 exec) {
  const Access& a = program.accesses[op.aux];
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
      if (place.block->shadow.enabled()) {
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
  if (shared != 0) count_shared(pc, offsets.data(), shared, bytes);
}

void Worker::store(Warp& w, const Op& op, u32 pc, u32 exec) {
  const Access& a = program.accesses[op.aux];
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
      if (place.block->shadow.enabled()) {
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
  std::array<u64, lanes> sectors{};
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
    if (place.space == Space::shared && place.block->shadow.enabled()) {
      const auto o = place.block->shadow.write(w.agent, i, static_cast<u32>(place.offset), a.bytes, true,
                                               a.kind != AtomicKind::exch);
      if (o.problem != Shadow::Problem::none && !std::exchange(reported, true))
        shared_fault(w, pc, i, o, "atomic", a.bytes, place.offset);
    }
    if (place.space == Space::global) {
      sectors[global++] = place.offset >> 5;
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
  if (global != 0) count_sectors(pc, {sectors.data(), global});
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
  }
  if (!launch.counters) return;
  count_bytes(pc, false, MemorySpace::global, fetched);
  count_bytes(pc, true, MemorySpace::shared, u64{filled} * bytes);
  if (global != 0) count_sectors(pc, {sectors.data(), global});
}

void Worker::async_commit(Warp& w) {
  if (w.async.empty()) w.async.emplace_back();
  w.async.emplace_back();
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
  for (std::size_t g = 0; g < groups; ++g)
    for (const AsyncCopy& c : w.async[g]) {
      std::memcpy(w.block->shared.data() + c.target, c.data.data(), c.bytes);
      if (w.block->shadow.enabled()) (void)w.block->shadow.write(w.agent, c.lane, c.target, c.bytes, false);
    }
  w.async.erase(w.async.begin(), w.async.begin() + static_cast<std::ptrdiff_t>(groups));
  if (w.async.empty()) w.async.emplace_back();
}

void Worker::param_copy(Warp& w, const Op& op, u32 exec) {
  for (u32 i = 0; i < lanes; ++i) {
    if (!has_lane(exec, i)) continue;
    std::byte* base = w.block->local.data() + std::size_t{w.index * lanes + i} * program.local_bytes;
    std::memmove(base + op.imm, base + op.aux, op.size);
  }
}

void Worker::scalar(Warp& w, const Op& op, u32 pc, u32 exec) {
  const auto leader = static_cast<u32>(std::countr_zero(exec));
  switch (op.code) {
  case Code::convert: {
    const Conversion& c = program.conversions[op.aux];
    const bool from_wide = ptx::bits_of(c.from) == 64, to_wide = ptx::bits_of(c.to) == 64;
    const bool narrow = ptx::bits_of(c.to) <= 16;
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u64 r = converted(c, from_wide ? value64(w, op.a, i) : value32(w, op.a, i));
      if (to_wide)
        set64(w, op.d, i, r);
      else
        set32(w, op.d, i, static_cast<u32>(narrow && !c.extends ? r & 0xffff : r));
    }
    return;
  }
  case Code::directed: {
    const auto mode = static_cast<Rounding>(op.imm >> 8);
    const auto kind = static_cast<DirectedKind>(op.imm & 0xff);
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      if ((op.flag & 1) != 0)
        set64(w, op.d, i, directed_f64(kind, mode, value64(w, op.a, i), value64(w, op.b, i), value64(w, op.c, i)));
      else
        set32(w, op.d, i,
              directed_f32(kind, mode, (op.flag & 2) != 0, value32(w, op.a, i), value32(w, op.b, i),
                           value32(w, op.c, i)));
    }
    return;
  }
  case Code::carry32:
  case Code::carry64: {
    const bool wide = op.code == Code::carry64;
    const u32 bits = wide ? 64 : 32;
    u32* flags = reg<u32>(w, static_cast<s32>(op.imm));
    const auto kind = static_cast<CarryKind>(op.flag & 7);
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const auto value = [&](s32 o) { return wide ? value64(w, o, i) : u64{value32(w, o, i)}; };
      const u128 in = (op.flag & carry_in) != 0 ? (*flags >> i) & 1 : 0;
      u64 a = value(op.a), b = value(op.b);
      u128 r = 0;
      if (kind == CarryKind::sub) {
        r = static_cast<u128>(a) - b - in; // the borrow shows as all ones above
      } else {
        if (kind != CarryKind::add) {
          const bool sign = (op.flag & carry_signed) != 0;
          const auto extend = [&](u64 v) {
            return static_cast<s128>(wide ? static_cast<s64>(v) : static_cast<s64>(static_cast<s32>(v)));
          };
          const u128 product = sign ? static_cast<u128>(extend(a) * extend(b)) : static_cast<u128>(a) * b;
          const u64 part = static_cast<u64>(kind == CarryKind::mad_hi ? product >> bits : product);
          a = wide ? part : static_cast<u32>(part);
          b = value(op.c);
        }
        r = static_cast<u128>(a) + b + in;
      }
      if (wide)
        set64(w, op.d, i, static_cast<u64>(r));
      else
        set32(w, op.d, i, static_cast<u32>(r));
      if ((op.flag & carry_out) != 0) *flags = (*flags & ~(1u << i)) | (((r >> bits) & 1) != 0 ? 1u << i : 0);
    }
    return;
  }
  case Code::active_mask:
    for (u32 i = 0; i < lanes; ++i)
      if (has_lane(exec, i)) set32(w, op.d, i, exec);
    return;
  case Code::fence:
    fence(w, (op.flag & 1) != 0);
    if ((op.flag & 2) != 0) clocks_.fence_proxy(w.agent);
    return;
  case Code::get_rank:
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u64 a = (op.flag & 1) != 0 ? value64(w, op.a, i) : value32(w, op.a, i);
      const u32 rank = static_cast<u32>(a) >> shared_rank_shift;
      set32(w, op.d, i, rank == 0 ? w.block->rank : rank - 1);
    }
    return;
  case Code::clock:
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u64 now = ++clock_;
      if (op.flag != 0)
        set64(w, op.d, i, now);
      else
        set32(w, op.d, i, static_cast<u32>(now));
    }
    return;
  case Code::map_shared:
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u64 rank = value32(w, op.b, i);
      if (rank >= w.block->cluster->size()) {
        fault(w, pc, i, "cluster-rank",
              "mapa to block " + std::to_string(rank) + " of a cluster of " + std::to_string(w.block->cluster->size()));
        continue;
      }
      const u64 a = (op.flag & 1) != 0 ? value64(w, op.a, i) : value32(w, op.a, i);
      const u64 mapped = (a & ~(u64{0xff} << shared_rank_shift)) | ((rank + 1) << shared_rank_shift);
      if ((op.flag & 1) != 0)
        set64(w, op.d, i, mapped);
      else
        set32(w, op.d, i, static_cast<u32>(mapped));
    }
    return;
  case Code::trap: fault(w, pc, leader, "trap", "the kernel executed trap"); break;
  default: fault(w, pc, leader, "unsupported", program.texts[op.aux]); break;
  }
  launch.abort = true; // the last two end the launch
}

} // namespace aicf::emulator
