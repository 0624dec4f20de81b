// Blocks over workers, warps in turn, faults and limits.
#include "core/exec/emulator/machine.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

namespace aicf::emulator {
namespace {

constexpr u64 slice_operations = 20'000; ///< under a millisecond or two: the stop token is polled between slices
constexpr u64 max_faults = 20, max_faults_of_a_kind = 3, max_faults_seen = 10'000;
constexpr u32 max_idle_rounds = 1000;

} // namespace

void MemoryEvents::add(const MemoryEvents& o) {
  requests += o.requests;
  sectors += o.sectors;
  bulk_requests += o.bulk_requests, bulk_sectors += o.bulk_sectors;
  lines += o.lines;
  wavefronts += o.wavefronts;
  conflicts += o.conflicts;
  for (std::size_t s = 0; s < memory_spaces; ++s) {
    read[s] += o.read[s];
    written[s] += o.written[s];
  }
}

void Counters::add(const Counters& o) {
  if (warps.empty()) {
    warps.assign(o.warps.size(), 0);
    lanes.assign(o.lanes.size(), 0);
    lanes_off.assign(o.lanes_off.size(), 0);
  }
  for (std::size_t i = 0; i < o.warps.size(); ++i) {
    warps[i] += o.warps[i];
    lanes[i] += o.lanes[i];
    lanes_off[i] += o.lanes_off[i];
  }
  if (memory.empty()) memory.resize(o.memory.size());
  for (std::size_t i = 0; i < o.memory.size(); ++i) memory[i].add(o.memory[i]);
  tensor_operations += o.tensor_operations;
  barriers += o.barriers;
  atomics += o.atomics;
  divergent_branches += o.divergent_branches;
}

u32 Worker::value32(const Warp& w, s32 o, u32 lane) const { return reinterpret_cast<const u32*>(operand(w, o))[lane]; }
u64 Worker::value64(const Warp& w, s32 o, u32 lane) const { return reinterpret_cast<const u64*>(operand(w, o))[lane]; }
void Worker::set32(Warp& w, s32 o, u32 lane, u32 v) const { reg<u32>(w, o)[lane] = v; }
void Worker::set64(Warp& w, s32 o, u32 lane, u64 v) const { reg<u64>(w, o)[lane] = v; }

void Worker::fault(const Warp& warp, u32 pc, u32 lane, std::string kind, std::string message, u64 address) {
  const std::scoped_lock lock(launch.fault_mutex);
  if (++launch.fault_total >= max_faults_seen) launch.abort = true;
  if (launch.faults.size() >= max_faults || ++launch.fault_count[{kind, pc}] > max_faults_of_a_kind) return;
  Fault f;
  f.kind = std::move(kind);
  f.kernel = program.entry;
  f.message = std::move(message);
  f.block = {warp.block->id[0], warp.block->id[1], warp.block->id[2]};
  const u32 thread = warp.index * lanes + lane;
  f.thread = {thread % launch.block[0], thread / launch.block[0] % launch.block[1],
              thread / launch.block[0] / launch.block[1]};
  f.ptx_line = program.lines[pc].ptx;
  f.cuda_line = program.lines[pc].cuda;
  f.address = address;
  launch.faults.push_back(std::move(f));
  launch.fault_order.push_back(warp.block->linear * launch.threads + thread);
  if (launch.faults.size() >= max_faults) launch.abort = true;
}

void Worker::prepare(Block& b, u32 rank, u64 unit) {
  // The grid is an array of clusters, each an array of blocks.
  const auto& l = launch;
  const std::array<u64, 3> clusters{l.grid[0] / l.cluster[0], l.grid[1] / l.cluster[1], l.grid[2] / l.cluster[2]};
  const std::array<u64, 3> at{unit % clusters[0], unit / clusters[0] % clusters[1], unit / clusters[0] / clusters[1]};
  const std::array<u32, 3> in{rank % l.cluster[0], rank / l.cluster[0] % l.cluster[1],
                              rank / l.cluster[0] / l.cluster[1]};
  for (std::size_t d = 0; d < 3; ++d) b.id[d] = static_cast<u32>(at[d] * l.cluster[d] + in[d]);
  b.linear = b.id[0] + l.grid[0] * (b.id[1] + u64{l.grid[1]} * b.id[2]);
  b.rank = rank;
  b.cluster = &blocks_;
  b.shared.assign(l.shared_bytes, std::byte{0xff}); // NaN, in every type: what is not written must not look right
  if (program.system_shared) b.shared.resize(l.system_shared + system_shared_bytes, std::byte{0});
  b.local.assign(std::size_t{l.warps} * lanes * program.local_bytes, std::byte{0});
  if (l.checks && l.shared_bytes != 0)
    b.shadow.reset(l.shared_bytes, std::min<u32>(program.shared_granule, 4), clocks_);
  b.barriers = {};
  b.fenced.clear();
  b.exited = b.fenced_globally = false;
  b.epoch = 0;
  if (l.trace) traces[rank].begin_block(static_cast<u32>(b.linear), static_cast<u32>(unit));
  b.mbarriers.clear();
  b.warpgroups.assign(l.warps / 4, Warpgroup{});
  b.free_registers = 0;
  b.queues.clear();
  b.peers.assign(blocks_.size() > 1 || program.async_proxy ? clocks_.agents() : 0, PeerAccess{});
  b.warps.resize(l.warps);
  for (u32 i = 0; i < l.warps; ++i) {
    Warp& w = b.warps[i];
    u8* frame = frame_base_ + (std::size_t{rank} * l.warps + i) * program.frame_bytes;
    std::memset(frame, 0, program.frame_bytes);
    w.state = Warp::State::ready;
    w.block = &b;
    w.trace = l.trace ? &traces[rank] : nullptr;
    w.frame = frame;
    w.index = i;
    w.agent = clocks_.agent(rank, i);
    const u32 left = l.threads - i * lanes;
    w.live = left >= lanes ? all_lanes : (1u << left) - 1;
    w.groups[0] = {program.start, w.live, false};
    w.group_count = 1;
    w.current = 0;
    w.limit = never;
    w.turns = 0;
    w.cluster_arrived = w.peers_started = false;
    clear_stacks(w);
    if (program.stack_pointer != none) std::fill_n(reg<u64>(w, program.stack_pointer), lanes, program.local_bytes);
    w.async.clear();
    w.async_copies = 0;
    w.bulk.clear();
    w.tensor.clear();
    w.bulk_open = w.tensor_open = 0;
    w.parts.clear();
    w.registers = l.registers;
    for (const Preset& p : program.presets) {
      auto* d = reg<u32>(w, p.offset);
      for (u32 lane = 0; lane < lanes; ++lane) {
        const u32 thread = i * lanes + lane;
        u32 v = 0;
        switch (p.special) {
        case Special::tid_x: v = thread % l.block[0]; break;
        case Special::tid_y: v = thread / l.block[0] % l.block[1]; break;
        case Special::tid_z: v = thread / l.block[0] / l.block[1]; break;
        case Special::ctaid_x: v = b.id[0]; break;
        case Special::ctaid_y: v = b.id[1]; break;
        case Special::ctaid_z: v = b.id[2]; break;
        case Special::warpid: v = i; break;
        case Special::clusterid_x: v = static_cast<u32>(at[0]); break;
        case Special::clusterid_y: v = static_cast<u32>(at[1]); break;
        case Special::clusterid_z: v = static_cast<u32>(at[2]); break;
        case Special::cluster_ctaid_x: v = in[0]; break;
        case Special::cluster_ctaid_y: v = in[1]; break;
        case Special::cluster_ctaid_z: v = in[2]; break;
        case Special::cluster_ctarank: v = rank; break;
        default: break;
        }
        d[lane] = v;
      }
    }
  }
}

void Worker::end_slice(Warp& w, u64 used) {
  const u64 total = launch.steps.fetch_add(used, std::memory_order_relaxed) + used;
  if (total > launch.step_limit && !stopped()) {
    const Group& g = w.groups[w.current];
    const u32 lane = g.mask == 0 ? 0 : static_cast<u32>(std::countr_zero(g.mask));
    fault(w, std::min<u32>(g.pc, static_cast<u32>(program.ops.size()) - 1), lane, "step-limit",
          "the launch ran more than " + std::to_string(launch.step_limit) +
              " warp instructions: it may never end (this warp is here)");
    launch.abort = true;
  }
  if (launch.stop.stop_requested()) {
    launch.cancelled = true;
    launch.abort = true;
  }
}

bool Worker::run_round() {
  static const RunWarp run = run_warp();
  const u64 before = progress_;
  bool any = false, all_poll = true;
  for (Block& b : blocks_) {
    for (Warp& w : b.warps) {
      if (w.state != Warp::State::ready) continue;
      any = true;
      w.polls = false;
      slice = slice_operations;
      run(*this, w);
      end_slice(w, slice_operations - slice);
      if (stopped()) return true;
      all_poll = all_poll && w.polls && w.state == Warp::State::ready;
      if (w.state != Warp::State::done) continue;
      b.free_registers += w.registers;
      grant_registers(b);
      check_barriers(b);
      check_cluster_barrier();
      block_exited(b);
    }
  }
  if (!copies_.empty()) deliver_copies();
  // Every warp that can run asks an mbarrier again and again, and nothing that happens could answer it.
  idle_rounds_ = any && all_poll && progress_ == before ? idle_rounds_ + 1 : 0;
  if (idle_rounds_ > max_idle_rounds) return false;
  return any;
}

void Worker::deadlock() {
  std::string where;
  const Warp* first = nullptr;
  u32 listed = 0;
  for (const Block& b : blocks_)
    for (const Warp& w : b.warps) {
      if (w.state == Warp::State::done) continue;
      if (first == nullptr) first = &w;
      if (listed++ >= 8) continue;
      where += (where.empty() ? "" : ", ");
      where += "warp " + std::to_string(w.index) + " at PTX line " + std::to_string(program.lines[w.barrier_pc].ptx);
    }
  if (first == nullptr) return;
  if (listed > 8) where += ", and " + std::to_string(listed - 8) + " more";
  fault(*first, first->barrier_pc, static_cast<u32>(std::countr_zero(first->live)), "deadlock",
        "every warp of the block waits, and nothing that the others do ends it: " + where);
  launch.abort = true;
}

/// The last warp of `b` has ended: its shared memory is gone, so every access of a peer must be ordered before.
void Worker::block_exited(Block& b) {
  for (const Warp& w : b.warps)
    if (w.state != Warp::State::done) return;
  b.exited = true;
  if (!launch.checks) return;
  check_warpgroups(b);
  for (u32 agent = 0; agent < b.peers.size(); ++agent) {
    const PeerAccess& last = b.peers[agent];
    if (last.clock == 0) continue;
    const bool ordered = std::any_of(b.warps.begin(), b.warps.end(),
                                     [&](const Warp& w) { return clocks_.of(w.agent, agent) >= last.clock; });
    if (ordered) continue;
    if (clocks_.is_queue(agent))
      fault(*last.by, last.pc, last.lane, "bulk-exit",
            "the block exits and nobody waited for this asynchronous use of its shared memory");
    else
      fault(*last.by, last.pc, last.lane, "cluster-exit",
            "the shared memory of block " + std::to_string(b.rank) +
                " of the cluster is accessed, but nothing keeps that block from exiting before");
  }
}

void Worker::run_cluster() {
  while (!stopped()) {
    bool done = true;
    for (const Block& b : blocks_)
      for (const Warp& w : b.warps) done = done && w.state == Warp::State::done;
    if (done) return;
    if (!run_round()) {
      deadlock();
      return;
    }
  }
}

void Worker::run() {
  const u32 blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  blocks_.resize(blocks);
  if (launch.trace) {
    traces.resize(blocks);
    for (GlobalTrace& t : traces) t.reset(program.ops.size());
  }
  frames_.resize(std::size_t{blocks} * launch.warps * program.frame_bytes + 64);
  frame_base_ = frames_.data() + (64 - reinterpret_cast<std::uintptr_t>(frames_.data()) % 64) % 64;
  counters.warps.assign(program.ops.size() + 1, 0);
  counters.lanes.assign(program.ops.size() + 1, 0);
  counters.lanes_off.assign(program.ops.size() + 1, 0);
  counters.memory.resize(program.ops.size());
  while (!stopped()) {
    const u64 n = launch.next_unit.fetch_add(1, std::memory_order_relaxed);
    if (n >= launch.units) return;
    const u64 unit = static_cast<u64>((static_cast<u128>(n) * launch.order_scale + launch.order_shift) % launch.units);
    clocks_.reset(blocks, launch.warps, program.async_proxy ? max_queues : 0);
    cluster_fenced_.clear();
    cluster_joined_.clear();
    copies_.clear();
    copied_ = 0;
    idle_rounds_ = 0;
    for (u32 rank = 0; rank < blocks; ++rank) prepare(blocks_[rank], rank, unit);
    run_cluster();
    for (GlobalTrace& t : traces) t.end_block();
  }
}

} // namespace aicf::emulator
