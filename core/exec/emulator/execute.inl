// The inner loop: decode once, then for every operation a switch and a loop over 32 lanes that vectorises. Included by
// one source per instruction set inside a namespace of its own; RUN_WARP names the function.

// Each operation's value is computed inside its loop over lanes, or the loop would not vectorise.
#define INLINED __attribute__((always_inline))

namespace {

alignas(64) constexpr u32 lane_bit[lanes] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/// How a lane type lies in its register: 64-bit types in u64, all others in u32.
template <class T> using Bits = std::conditional_t<sizeof(T) == 8, u64, u32>;
template <class T> inline T get(Bits<T> x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(x);
  else
    return static_cast<T>(x);
}
template <class D, class V> inline Bits<D> put(V v) {
  if constexpr (std::is_floating_point_v<D>)
    return std::bit_cast<Bits<D>>(static_cast<D>(v));
  else if constexpr (sizeof(D) == 2)
    return static_cast<u16>(v);
  else
    return static_cast<Bits<D>>(static_cast<D>(v));
}

/// Writes value(i) to the active lanes. Sources may be the destination itself, never overlap it otherwise.
template <class D, class F> inline void each_lane(u8* destination, u32 exec, F&& value) {
  auto* d = reinterpret_cast<Bits<D>*>(destination);
  if (exec == all_lanes) [[likely]] {
#pragma GCC ivdep
    for (u32 i = 0; i < lanes; ++i) d[i] = put<D>(value(i));
  } else {
#pragma GCC ivdep
    for (u32 i = 0; i < lanes; ++i) {
      const Bits<D> r = put<D>(value(i));
      d[i] = (exec & lane_bit[i]) != 0 ? r : d[i];
    }
  }
}

template <class F> inline void each_test(u8* destination, u32 exec, F&& value) {
  u32 bits = 0;
  for (u32 i = 0; i < lanes; ++i) bits |= value(i) ? lane_bit[i] : 0;
  auto* d = reinterpret_cast<u32*>(destination);
  *d = (*d & ~exec) | (bits & exec);
}

/// The same operand of all lanes, one after another in memory: base + i * stride.
inline bool contiguous(const u64* a, u64 stride) {
  u64 difference = 0;
  for (u32 i = 0; i < lanes; ++i) difference |= a[i] ^ (a[0] + i * stride);
  return difference == 0;
}

template <class M, class D> inline void scatter_load(D* d, const std::byte* p, u32 stride) {
  for (u32 i = 0; i < lanes; ++i) {
    M v;
    std::memcpy(&v, p + i * stride, sizeof v);
    d[i] = static_cast<D>(v);
  }
}

/// A load of all lanes from consecutive places of one allocation; false: not of this kind.
inline bool fast_load(Worker& k, Warp& w, const Op& op, u32 pc, const Access& access) {
  if ((access.space != ptx::Space::global && access.space != ptx::Space::constant) || access.strong) return false;
  const auto* a = reinterpret_cast<const u64*>(k.operand(w, op.a));
  const u32 stride = u32{access.bytes} * access.count;
  if (!contiguous(a, stride)) return false;
  const u64 base = a[0] + static_cast<u64>(op.imm);
  if ((base & (stride - 1)) != 0) return false;
  const std::byte* p = k.launch.memory->find(base, u64{stride} * lanes);
  if (p == nullptr) return false;
  for (u32 n = 0; n < access.count; ++n, p += access.bytes) {
    if (access.registers[n] == none) continue;
    u8* d = w.frame + access.registers[n];
    auto* narrow = reinterpret_cast<u32*>(d);
    auto* wide = reinterpret_cast<u64*>(d);
    if (access.bytes == 4 && !access.wide[n])
      scatter_load<u32>(narrow, p, stride);
    else if (access.bytes == 8)
      scatter_load<u64>(wide, p, stride);
    else if (access.bytes == 2 && !access.wide[n] && !(access.sign && !access.half_width))
      scatter_load<u16>(narrow, p, stride);
    else
      return false;
  }
  k.touched(w, pc, GlobalUse::read, base, u64{stride} * lanes, 0, stride);
  if (!k.launch.counters) return true;
  if (access.space == ptx::Space::global) [[likely]]
    k.count_range(pc, false, base, u64{stride} * lanes);
  else
    k.count_bytes(pc, false, MemorySpace::constant, u64{stride} * lanes);
  return true;
}

inline bool fast_store(Worker& k, Warp& w, const Op& op, u32 pc, const Access& access) {
  if (access.space != ptx::Space::global || access.strong) return false;
  const auto* a = reinterpret_cast<const u64*>(k.operand(w, op.a));
  const u32 stride = u32{access.bytes} * access.count;
  if (!contiguous(a, stride)) return false;
  const u64 base = a[0] + static_cast<u64>(op.imm);
  if ((base & (stride - 1)) != 0 || k.launch.memory->read_only(base)) return false;
  std::byte* p = k.launch.memory->find(base, u64{stride} * lanes);
  if (p == nullptr) return false;
  for (u32 n = 0; n < access.count; ++n, p += access.bytes) {
    const u8* s = k.operand(w, access.registers[n]);
    const auto copy = [&]<class M>(M) {
      for (u32 i = 0; i < lanes; ++i) {
        const M v =
            static_cast<M>(access.wide[n] ? reinterpret_cast<const u64*>(s)[i] : reinterpret_cast<const u32*>(s)[i]);
        std::memcpy(p + std::size_t{i} * stride, &v, sizeof v);
      }
    };
    switch (access.bytes) {
    case 1: copy(u8{}); break;
    case 2: copy(u16{}); break;
    case 4: copy(u32{}); break;
    default: copy(u64{}); break;
    }
  }
  k.touched(w, pc, GlobalUse::write, base, u64{stride} * lanes, 0, stride);
  if (k.launch.counters) k.count_range(pc, true, base, u64{stride} * lanes);
  return true;
}

} // namespace

void RUN_WARP(Worker& k, Warp& w) {
  const Op* const ops = k.program.ops.data();
  const u8* const bases[2] = {w.frame, k.launch.constants};
  u32 pc = w.groups[w.current].pc, mask = w.groups[w.current].mask, start = pc;
  const bool counting = k.launch.counters;

  // Operations [start, end) were run by the lanes of `mask`.
  const auto close = [&](u32 end) {
    const u64 n = end - start;
    k.slice -= n < k.slice ? n : k.slice;
    if (counting) {
      const s64 active = std::popcount(mask);
      ++k.counters.warps[start];
      --k.counters.warps[end];
      k.counters.lanes[start] += active;
      k.counters.lanes[end] -= active;
    }
  };
  const auto save = [&] {
    w.groups[w.current].pc = pc;
    w.groups[w.current].mask = mask;
  };
  // Another group may have to run; false: none can.
  const auto choose = [&] {
    if (!w.reschedule()) return false;
    pc = start = w.groups[w.current].pc;
    mask = w.groups[w.current].mask;
    return true;
  };

  while (true) {
    if (pc >= w.limit) [[unlikely]] {
      close(pc);
      save();
      if (!choose()) {
        k.stuck(w);
        return;
      }
    }
    const Op& op = ops[pc];
    u32 exec = mask;
    if (op.guard != none) {
      const u32 p = *reinterpret_cast<const u32*>(bases[op.guard & 1] + (op.guard & ~1));
      exec &= op.guard_negated ? ~p : p;
      if (op.code != Code::branch) {
        if (counting && exec != mask) k.counters.lanes_off[pc] += std::popcount(mask) - std::popcount(exec);
        if (exec == 0) {
          ++pc;
          continue;
        }
      }
    }
    const auto src = [&](s32 o) { return bases[o & 1] + (o & ~1); };
    [[maybe_unused]] const s64 imm = op.imm;
    switch (op.code) {
#define EACH_LANE(D, ...) each_lane<D>(w.frame + op.d, exec, __VA_ARGS__)
#define EACH_TEST(...) each_test(w.frame + op.d, exec, __VA_ARGS__)
#include "core/exec/emulator/lane_cases.inl"
#undef EACH_LANE
#undef EACH_TEST
    case Code::select32: {
      const auto *a = reinterpret_cast<const u32*>(src(op.a)), *b = reinterpret_cast<const u32*>(src(op.b));
      const u32 p = *reinterpret_cast<const u32*>(src(op.c));
      each_lane<u32>(w.frame + op.d, exec, [&](u32 i) INLINED { return (p & lane_bit[i]) != 0 ? a[i] : b[i]; });
      break;
    }
    case Code::select64: {
      const auto *a = reinterpret_cast<const u64*>(src(op.a)), *b = reinterpret_cast<const u64*>(src(op.b));
      const u32 p = *reinterpret_cast<const u32*>(src(op.c));
      each_lane<u64>(w.frame + op.d, exec, [&](u32 i) INLINED { return (p & lane_bit[i]) != 0 ? a[i] : b[i]; });
      break;
    }
    case Code::pred_mov:
    case Code::pred_and:
    case Code::pred_or:
    case Code::pred_xor: {
      u32 a = *reinterpret_cast<const u32*>(src(op.a));
      if ((op.flag & 2) != 0) a = ~a;
      if (op.code != Code::pred_mov) {
        u32 b = *reinterpret_cast<const u32*>(src(op.b));
        if ((op.flag & 1) != 0) b = ~b;
        a = op.code == Code::pred_and ? a & b : op.code == Code::pred_or ? a | b : a ^ b;
      }
      auto* d = reinterpret_cast<u32*>(w.frame + op.d);
      *d = (*d & ~exec) | (a & exec);
      break;
    }
    case Code::load: {
      const Access& access = k.program.accesses[op.aux];
      if (exec != all_lanes || !fast_load(k, w, op, pc, access)) k.load(w, op, pc, exec);
      break;
    }
    case Code::store: {
      const Access& access = k.program.accesses[op.aux];
      if (exec != all_lanes || !fast_store(k, w, op, pc, access)) k.store(w, op, pc, exec);
      break;
    }
    case Code::atomic: k.atomic(w, op, pc, exec); break;
    case Code::copy_async: k.copy_async(w, op, pc, exec); break;
    case Code::async_commit: k.async_commit(w); break;
    case Code::async_wait: k.async_wait(w, op, pc); break;
    case Code::param_copy: k.param_copy(w, op, exec); break;
    case Code::stack_room:
      k.stack_room(w, op, pc, exec);
      if (k.stopped()) [[unlikely]] {
        close(pc);
        save();
        return;
      }
      break;
    case Code::nothing: break;

    case Code::branch: {
      close(pc + 1);
      const u32 stay = mask & ~exec;
      if (stay == 0) {
        pc = op.aux;
      } else {
        ++pc;
        if (exec != 0) {
          k.counters.divergent_branches += counting ? 1 : 0;
          w.groups[w.group_count++] = {op.aux, exec, false};
          mask = stay;
        }
      }
      start = pc;
      if (w.group_count > 1) {
        save();
        if (!choose()) {
          k.stuck(w);
          return;
        }
      }
      if (k.slice == 0 || k.stopped()) {
        save();
        return;
      }
      continue;
    }
    case Code::branch_table:
    case Code::call:
    case Code::ret: {
      close(pc + 1);
      // One group for every target.
      const u32 stay = mask & ~exec;
      std::array<u32, lanes> targets{};
      bool bad = false;
      if (op.code == Code::call) k.enter(w, op, pc, exec);
      for (u32 i = 0; i < lanes; ++i) {
        if ((exec & lane_bit[i]) == 0) continue;
        if (op.code == Code::branch_table) {
          const auto& table = k.program.tables[op.aux];
          const u32 index = reinterpret_cast<const u32*>(src(op.a))[i];
          if (index >= table.size()) {
            if (!bad)
              k.fault(w, pc, i, "branch-index",
                      "brx.idx with index " + std::to_string(index) + ", but the list has " +
                          std::to_string(table.size()) + " targets");
            bad = true;
            continue;
          }
          targets[i] = table[index];
        } else if (op.code == Code::call) {
          targets[i] = op.aux;
        } else {
          targets[i] = k.leave(w, i);
        }
      }
      if (bad) {
        k.launch.abort = true;
        save();
        return;
      }
      w.groups[w.current] = {pc + 1, stay, false};
      u32 made = 0;
      for (u32 left = exec; left != 0; ++made) {
        const u32 target = targets[static_cast<u32>(std::countr_zero(left))];
        u32 same = 0;
        for (u32 i = 0; i < lanes; ++i)
          if ((left & lane_bit[i]) != 0 && targets[i] == target) same |= lane_bit[i];
        left &= ~same;
        if (made == 0 && stay == 0)
          w.groups[w.current] = {target, same, false};
        else
          w.groups[w.group_count++] = {target, same, false};
      }
      if (counting && (made > 1 || stay != 0)) ++k.counters.divergent_branches;
      if (!choose()) {
        k.stuck(w);
        return;
      }
      if (k.slice == 0 || k.stopped()) return;
      continue;
    }
    case Code::exit: {
      close(pc + 1);
      ++pc;
      save();
      w.retire(exec);
      if (w.state == Warp::State::done) return;
      if (!choose()) {
        k.stuck(w);
        return;
      }
      continue;
    }
    case Code::pred_to_mask:
    case Code::vote_all:
    case Code::vote_any:
    case Code::vote_uni:
    case Code::warp_sync:
    case Code::shuffle:
    case Code::match_any:
    case Code::match_all:
    case Code::reduce:
    case Code::elect:
    case Code::wide:
      if (op.code == Code::wide ? !k.wide(w, op, pc, mask, exec) : !k.warp_collective(w, op, pc, mask, exec)) {
        close(pc); // waits here: not run yet
        w.groups[w.current] = {pc, mask, true};
        if (!choose()) {
          k.stuck(w);
          return;
        }
        continue;
      }
      if (op.code == Code::wide && (k.stopped() || w.state != Warp::State::ready)) [[unlikely]] {
        close(pc + 1);
        ++pc;
        save();
        return;
      }
      break;
    case Code::barrier:
    case Code::cluster_barrier: {
      const bool here =
          op.code == Code::barrier ? k.barrier(w, op, pc, mask, exec) : k.cluster_barrier(w, op, pc, mask, exec);
      if (!here) {
        close(pc);
        w.groups[w.current] = {pc, mask, true};
        if (op.size != 0 && exec != mask) { // not .aligned: those that its guard leaves out go on
          w.groups[w.current].mask = exec;
          w.groups[w.group_count++] = {pc + 1, mask & ~exec, false};
        }
        if (!choose()) {
          k.stuck(w);
          return;
        }
        continue;
      }
      close(pc + 1);
      ++pc;
      start = pc;
      save();
      if (w.state != Warp::State::ready || k.stopped()) return;
      continue;
    }
    default:
      k.scalar(w, op, pc, exec);
      if (k.stopped()) [[unlikely]] { // trap and what is not supported end the launch
        close(pc + 1);
        ++pc;
        save();
        return;
      }
      break;
    }
    ++pc;
  }
}
#undef INLINED
