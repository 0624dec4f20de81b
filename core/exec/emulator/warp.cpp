// Lane groups, and what lanes and warps do together: votes, shuffles, barriers.
#include "core/exec/emulator/machine.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

namespace aicf::emulator {
namespace {

constexpr u32 turns_before_rotation = 4096;
constexpr u32 turns_of_rotation = 64;

} // namespace

bool Warp::reschedule() {
  if (group_count == 1) [[likely]] {
    limit = never;
    current = 0;
    return groups[0].mask != 0 && !groups[0].waiting;
  }
  const u32 running = groups[current].pc;
  u32 n = 0;
  for (u32 i = 0; i < group_count; ++i) {
    const Group g = groups[i];
    if (g.mask == 0) continue;
    u32 same = 0;
    while (same < n && groups[same].pc != g.pc) ++same;
    if (same < n) {
      groups[same].mask |= g.mask;
      groups[same].waiting = false;
    } else {
      groups[n++] = g;
    }
  }
  group_count = n;
  // The least counter runs. After many turns another group gets some, so that it can end what the first waits for.
  ++turns;
  const bool rotate = turns > turns_before_rotation;
  u32 best = n;
  for (u32 i = 0; i < n; ++i) {
    if (groups[i].waiting) continue;
    const bool better = best == n || (rotate ? groups[i].pc > groups[best].pc : groups[i].pc < groups[best].pc);
    if (better) best = i;
  }
  if (rotate && best != n && n > 2) { // more than two: the next above the one that ran, around
    u32 next = n;
    for (u32 i = 0; i < n; ++i)
      if (!groups[i].waiting && groups[i].pc > running && (next == n || groups[i].pc < groups[next].pc)) next = i;
    if (next != n) best = next;
  }
  if (turns > turns_before_rotation + turns_of_rotation) turns = 0;
  if (best == n) return false;
  current = best;
  limit = never;
  for (u32 i = 0; i < n; ++i)
    if (i != best && groups[i].pc > groups[best].pc) limit = std::min(limit, groups[i].pc);
  return true;
}

void Warp::retire(u32 mask) {
  live &= ~mask;
  groups[current].mask &= ~mask;
  for (u32 i = 0; i < group_count; ++i) groups[i].waiting = false; // what it waited for may have exited
  if (live == 0) state = State::done;
  if (groups[current].mask == 0 && group_count > 1) {
    groups[current] = groups[--group_count];
    current = 0;
  }
}

bool Worker::gather(Warp& w, u32 pc, u32 mask, u32 exec, u32 members) {
  const u32 outside = exec & ~members;
  if (outside != 0 && launch.checks) {
    const u32 lane = static_cast<u32>(std::countr_zero(outside));
    fault(w, pc, lane, "member-mask",
          "executed by lane " + std::to_string(lane) + ", which its member mask does not name");
  }
  return (members & w.live & ~mask) == 0;
}

bool Worker::warp_collective(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec) {
  const auto members_of = [&](s32 o) {
    u32 all = 0;
    for (u32 i = 0; i < lanes; ++i)
      if (has_lane(exec, i)) all |= value32(w, o, i);
    return all;
  };
  const s32 members_operand = op.code == Code::warp_sync || op.code == Code::elect ? op.a
                              : op.code == Code::shuffle                           ? op.e
                                                                                   : op.b;
  const bool sync = members_operand != none;
  const u32 members = sync ? members_of(members_operand) : exec;
  if (sync && !gather(w, pc, mask, exec, members)) return false;
  const auto set_predicate = [&](s32 o, u32 bits) {
    u32* d = reg<u32>(w, o);
    *d = (*d & ~exec) | (bits & exec);
  };
  switch (op.code) {
  case Code::pred_to_mask:
  case Code::vote_all:
  case Code::vote_any:
  case Code::vote_uni: {
    const u32 p = (op.flag != 0 ? ~predicate(w, op.a) : predicate(w, op.a)) & exec;
    u32 holds = 0; // lanes of one instruction may name different members: parts of the warp that vote apart
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u32 voters = sync ? value32(w, op.b, i) & exec : exec, votes = p & voters;
      if (op.code == Code::pred_to_mask) set32(w, op.d, i, votes);
      const bool all = votes == voters, any = votes != 0;
      const bool r = op.code == Code::vote_all ? all : op.code == Code::vote_any ? any : all || !any;
      holds |= r ? 1u << i : 0;
    }
    if (op.code != Code::pred_to_mask) set_predicate(op.d, holds);
    break;
  }
  case Code::shuffle: {
    std::array<u32, lanes> value{};
    u32 in_range = 0;
    bool reported = false;
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      // PTX ISA, shfl.sync: c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
      const u32 b = value32(w, op.b, i) & 31, c = value32(w, op.c, i);
      const u32 clamp = c & 31, segment = (c >> 8) & 31;
      const u32 max_lane = (i & segment) | (clamp & ~segment & 31), min_lane = i & segment;
      s32 j = 0;
      bool p = false;
      switch (static_cast<ShuffleMode>(op.flag)) {
      case ShuffleMode::up:
        j = static_cast<s32>(i) - static_cast<s32>(b);
        p = j >= static_cast<s32>(max_lane);
        break;
      case ShuffleMode::down:
        j = static_cast<s32>(i + b);
        p = j <= static_cast<s32>(max_lane);
        break;
      case ShuffleMode::bfly:
        j = static_cast<s32>(i ^ b);
        p = j <= static_cast<s32>(max_lane);
        break;
      case ShuffleMode::idx:
        j = static_cast<s32>(min_lane | (b & ~segment & 31));
        p = j <= static_cast<s32>(max_lane);
        break;
      }
      if (!p) j = static_cast<s32>(i);
      const auto from = static_cast<u32>(j);
      if (!has_lane(exec, from) && launch.checks && !reported) {
        reported = true;
        fault(w, pc, i, "inactive-lane",
              "shfl reads lane " + std::to_string(from) + ", which does not take part: the value is undefined");
      }
      value[i] = value32(w, op.a, from);
      in_range |= p ? 1u << i : 0;
    }
    for (u32 i = 0; i < lanes; ++i)
      if (has_lane(exec, i)) set32(w, op.d, i, value[i]);
    if (op.f != none) set_predicate(op.f, in_range);
    break;
  }
  case Code::match_any:
  case Code::match_all: {
    const auto value = [&](u32 i) { return op.flag != 0 ? value64(w, op.a, i) : value32(w, op.a, i); };
    std::array<u32, lanes> result{};
    u32 agree = 0;
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u32 mine = value32(w, op.b, i) & exec;
      u32 equal = 0;
      for (u32 j = 0; j < lanes; ++j)
        if (has_lane(mine, j) && value(i) == value(j)) equal |= 1u << j;
      const bool all = equal == mine;
      result[i] = op.code == Code::match_any ? equal : all ? mine : 0;
      agree |= all ? 1u << i : 0;
    }
    for (u32 i = 0; i < lanes; ++i)
      if (has_lane(exec, i)) set32(w, op.d, i, result[i]);
    if (op.f != none) set_predicate(op.f, agree);
    break;
  }
  case Code::reduce: {
    std::array<u32, lanes> result{};
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u32 mine = value32(w, op.b, i) & exec;
      bool first = true;
      u32 r = 0;
      for (u32 j = 0; j < lanes; ++j) {
        if (!has_lane(mine, j)) continue;
        const u32 v = value32(w, op.a, j);
        const auto sr = static_cast<s32>(r), sv = static_cast<s32>(v);
        if (first) {
          r = v;
          first = false;
          continue;
        }
        switch (static_cast<ReduceKind>(op.flag)) {
        case ReduceKind::add: r += v; break;
        case ReduceKind::min_u: r = std::min(r, v); break;
        case ReduceKind::max_u: r = std::max(r, v); break;
        case ReduceKind::min_s: r = static_cast<u32>(std::min(sr, sv)); break;
        case ReduceKind::max_s: r = static_cast<u32>(std::max(sr, sv)); break;
        case ReduceKind::bit_and: r &= v; break;
        case ReduceKind::bit_or: r |= v; break;
        case ReduceKind::bit_xor: r ^= v; break;
        }
      }
      result[i] = r;
    }
    for (u32 i = 0; i < lanes; ++i)
      if (has_lane(exec, i)) set32(w, op.d, i, result[i]);
    break;
  }
  case Code::elect: { // the least lane of its own members
    u32 elected = 0;
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const auto one = static_cast<u32>(std::countr_zero(value32(w, op.a, i) & exec));
      if (one == i) elected |= 1u << i;
      set32(w, op.d, i, one);
    }
    set_predicate(op.f, elected);
    break;
  }
  default: break; // warp_sync: only the meeting
  }
  if (sync && w.block->shadow.enabled()) clocks_.advance(w.agent);
  return true;
}

/// Barriers count warps: the lanes of a warp that have not exited arrive together, at one instruction unless it is not
/// .aligned (meet_in_parts).
bool Worker::barrier(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec) {
  if ((w.live & ~exec) != 0) {
    if (exec == mask || (w.live & ~mask) != 0 || op.size != 0) return false;
    fault(w, pc, static_cast<u32>(std::countr_zero(w.live & ~exec)), "barrier-divergence",
          "a barrier under a guard that does not hold for all lanes of the warp");
    launch.abort = true;
    return true;
  }
  const auto leader = static_cast<u32>(std::countr_zero(exec));
  w.parts.assign(1, {pc, exec, false});
  arrive(w, op, pc, value32(w, op.a, leader), op.b == none ? 0 : value32(w, op.b, leader));
  return true;
}

/// The warp, whose lanes w.parts names, arrives at a barrier for `threads` threads; 0: all that live.
void Worker::arrive(Warp& w, const Op& op, u32 pc, u32 number, u32 threads) {
  const auto leader = static_cast<u32>(std::countr_zero(w.live));
  if (number >= w.block->barriers.size() || (op.b != none && (threads == 0 || threads % lanes != 0))) {
    fault(w, pc, leader, "barrier-operand",
          "barrier " + std::to_string(number) + " for " + std::to_string(threads) +
              " threads: the number must be below 16 and the threads a positive multiple of 32");
    launch.abort = true;
    return;
  }
  Barrier& b = w.block->barriers[number];
  if (!b.arrived.empty() && b.threads != threads && launch.checks)
    fault(w, pc, leader, "barrier-operand",
          "barrier " + std::to_string(number) + " is used with " + std::to_string(threads) + " and with " +
              std::to_string(b.threads) + " threads at once");
  b.threads = threads;
  b.arrived.push_back(w.index);
  if (w.block->shadow.enabled()) clocks_.release(w.agent, b.joined);
  const auto kind = static_cast<BarrierKind>(op.flag);
  if (launch.counters && kind != BarrierKind::arrive) ++counters.barriers;
  if (kind == BarrierKind::red_and || kind == BarrierKind::red_or || kind == BarrierKind::red_popc)
    for (const Group& g : w.parts) {
      const Op& of = program.ops[g.pc];
      const u32 p = (of.imm != 0 ? ~predicate(w, of.c) : predicate(w, of.c)) & g.mask;
      b.all = b.all && p == g.mask;
      b.any = b.any || p != 0;
      b.population += popcount(p);
    }
  if (kind != BarrierKind::arrive) {
    w.barrier = number;
    w.barrier_pc = pc;
    w.state = Warp::State::at_barrier;
    b.waiting.push_back(w.index);
  }
  check_barriers(*w.block);
}

/// Where every group of the warp waits at a barrier of one kind that is not .aligned, and at the same one, the warp has
/// arrived; false: this is not so.
bool Worker::meet_in_parts(Warp& w) {
  const auto of = [&](u32 i) -> const Op& { return program.ops[w.groups[i].pc]; };
  const auto lane = [&](u32 i) { return static_cast<u32>(std::countr_zero(w.groups[i].mask)); };
  const Op& first = of(0);
  const bool block = first.code == Code::barrier;
  const auto operands = [&](u32 i) {
    const Op& op = of(i);
    return std::pair{block ? value32(w, op.a, lane(i)) : 0, block && op.b != none ? value32(w, op.b, lane(i)) : 0};
  };
  for (u32 i = 0; i < w.group_count; ++i) {
    if (w.groups[i].mask == 0 || of(i).size == 0) return false;
    if ((of(i).code != Code::barrier && of(i).code != Code::cluster_barrier) || of(i).code != first.code ||
        of(i).flag != first.flag || operands(i) != operands(0))
      return false;
  }
  const u32 pc = w.groups[0].pc;
  const auto [number, threads] = operands(0);
  w.parts.assign(w.groups.begin(), w.groups.begin() + w.group_count);
  for (u32 i = 0; i < w.group_count; ++i) {
    Group& g = w.groups[i];
    if (launch.counters) {
      ++counters.warps[g.pc];
      --counters.warps[g.pc + 1];
      counters.lanes[g.pc] += popcount(g.mask);
      counters.lanes[g.pc + 1] -= popcount(g.mask);
    }
    ++g.pc;
    g.waiting = false;
  }
  (void)w.reschedule();
  if (block)
    arrive(w, first, pc, number, threads);
  else
    (void)cluster_barrier(w, first, pc, w.live, w.live);
  return true;
}

void Worker::check_barriers(Block& block) {
  u32 alive = 0;
  for (const Warp& w : block.warps) alive += w.state != Warp::State::done ? 1 : 0;
  for (Barrier& b : block.barriers) {
    if (b.arrived.empty()) continue;
    u32 here = 0;
    for (const u32 w : b.arrived) here += block.warps[w].state != Warp::State::done ? 1 : 0;
    const bool full = b.threads == 0 ? here >= alive : b.arrived.size() * lanes >= b.threads;
    if (full) complete(block, b);
  }
}

void Worker::complete(Block& block, Barrier& b) {
  for (const u32 index : b.waiting) {
    Warp& w = block.warps[index];
    clocks_.acquire(w.agent, b.joined);
    w.state = Warp::State::ready;
    for (const Group& g : w.parts) {
      const Op& op = program.ops[g.pc];
      switch (static_cast<BarrierKind>(op.flag)) {
      case BarrierKind::red_and:
      case BarrierKind::red_or: {
        const bool r = static_cast<BarrierKind>(op.flag) == BarrierKind::red_and ? b.all : b.any;
        u32* d = reg<u32>(w, op.d);
        *d = (*d & ~g.mask) | (r ? g.mask : 0);
        break;
      }
      case BarrierKind::red_popc:
        for (u32 i = 0; i < lanes; ++i)
          if (has_lane(g.mask, i)) set32(w, op.d, i, b.population);
        break;
      default: break;
      }
    }
  }
  b = Barrier{};
}

bool Worker::cluster_barrier(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec) {
  if ((w.live & ~exec) != 0) {
    if (exec == mask || (w.live & ~mask) != 0 || op.size != 0) return false;
    fault(w, pc, static_cast<u32>(std::countr_zero(w.live & ~exec)), "barrier-divergence",
          "a barrier under a guard that does not hold for all lanes of the warp");
    launch.abort = true;
    return true;
  }
  const auto lane = static_cast<u32>(std::countr_zero(mask));
  if ((op.flag & 1) != 0) { // arrive
    if (w.cluster_arrived) {
      fault(w, pc, lane, "barrier-operand", "barrier.cluster.arrive twice without barrier.cluster.wait between them");
      launch.abort = true;
      return true;
    }
    w.cluster_arrived = true;
    w.cluster_phase = cluster_phase_;
    w.barrier_pc = pc;
    if ((op.flag & 4) == 0)
      clocks_.release(w.agent, cluster_joined_);
    else
      clocks_.advance(w.agent);
    check_cluster_barrier();
    return true;
  }
  if (!w.cluster_arrived) {
    fault(w, pc, lane, "barrier-divergence", "barrier.cluster.wait without barrier.cluster.arrive");
    launch.abort = true;
    return true;
  }
  if (launch.counters) ++counters.barriers;
  if (w.cluster_phase < cluster_phase_) {
    clocks_.acquire(w.agent, cluster_released_);
    w.cluster_arrived = false;
    w.peers_started = true;
    return true;
  }
  w.barrier_pc = pc;
  w.state = Warp::State::at_cluster_barrier;
  return true;
}

/// barrier.cluster: the phase ends when all warps of the cluster that live have arrived in it.
void Worker::check_cluster_barrier() {
  bool any = false;
  for (const Block& b : blocks_)
    for (const Warp& w : b.warps) {
      if (w.state == Warp::State::done) continue;
      if (!w.cluster_arrived || w.cluster_phase != cluster_phase_) return;
      any = true;
    }
  if (!any) return;
  ++cluster_phase_;
  cluster_released_ = std::exchange(cluster_joined_, {});
  for (Block& b : blocks_)
    for (Warp& w : b.warps) {
      if (w.state != Warp::State::at_cluster_barrier) continue;
      w.state = Warp::State::ready;
      w.cluster_arrived = false;
      w.peers_started = true;
      clocks_.acquire(w.agent, cluster_released_);
    }
}

void Worker::fence(Warp& w, bool cluster) {
  clocks_.fence(w.agent, w.block->fenced);
  if (!cluster) return;
  clocks_.fence(w.agent, cluster_fenced_);
  w.block->fenced_globally = true;
}

void Worker::stuck(Warp& w) {
  if (meet_in_parts(w)) return;
  std::string where;
  bool barrier = false;
  u32 lane = 0, pc = 0;
  for (u32 i = 0; i < w.group_count; ++i) {
    const Group& g = w.groups[i];
    if (g.mask == 0) continue;
    char text[96];
    const int line = program.lines[g.pc].ptx;
    std::snprintf(text, sizeof text, "%slanes 0x%08x at PTX line %d", where.empty() ? "" : ", ", g.mask, line);
    where += text;
    const Code code = program.ops[g.pc].code;
    barrier = barrier || code == Code::barrier || code == Code::cluster_barrier;
    pc = g.pc;
    lane = static_cast<u32>(std::countr_zero(g.mask));
  }
  fault(w, pc, lane, barrier ? "barrier-divergence" : "deadlock",
        (barrier ? "the lanes of the warp do not reach the same barrier: " : "lanes wait for each other: ") + where);
  launch.abort = true;
}

} // namespace aicf::emulator
