// The state of a launch while it runs: blocks, warps and their lane groups. One worker thread runs one cluster of
// blocks at a time, its warps in turn; a warp runs until it waits, ends, or its slice is used up.
//
// Divergence. A warp's lanes form groups with one program counter each. The group with the least counter runs; groups
// that meet at a counter merge. As operations lie in reverse post-order, callees first, lanes that leave early wait for
// the others at the join. A group that must wait for lanes elsewhere (shfl.sync, bar) blocks, and runs again when it
// merges or when lanes exit; a group that keeps the others waiting is set aside after a while, so that spinning within
// a warp ends.
#pragma once
#include "core/exec/backend.hpp"
#include "core/exec/emulator/lane_math.hpp"
#include "core/exec/emulator/memory.hpp"
#include "core/exec/emulator/program.hpp"
#include "core/exec/emulator/shadow.hpp"

#include <atomic>
#include <map>
#include <mutex>

namespace aicf::emulator {

constexpr u32 all_lanes = 0xffffffffu;
constexpr u32 never = 0xffffffffu; ///< a program counter past every operation

/// Counts of one worker; instructions as differences along the program, summed at the end.
struct Counters {
  std::vector<s64> warps, lanes; ///< one an operation and one more
  std::vector<s64> lanes_off;    ///< lanes that a guard switched off
  u64 global_load_sectors = 0, global_store_sectors = 0, global_load_requests = 0, global_store_requests = 0;
  u64 global_load_bytes = 0, global_store_bytes = 0, shared_load_wavefronts = 0, shared_store_wavefronts = 0;
  u64 shared_bank_conflicts = 0, barriers = 0, atomics = 0, divergent_branches = 0;
  void add(const Counters& other);
};

struct LaunchState {
  const Program* program = nullptr;
  const Memory* memory = nullptr;
  std::array<u32, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  u32 threads = 0, warps = 0, shared_bytes = 0, dynamic_shared = 0;
  std::vector<u8> parameters;
  const u8* constants = nullptr; ///< constant area, 64-byte aligned
  bool checks = true, counters = false;
  u64 step_limit = 0, order_scale = 1, order_shift = 0; ///< unit i runs as (i * scale + shift) mod units
  u64 units = 0;                                        ///< clusters of the grid
  std::stop_token stop;
  std::atomic<u64> next_unit{0}, steps{0};
  std::atomic<bool> abort{false}, cancelled{false};
  std::mutex fault_mutex;
  std::vector<Fault> faults;
  std::vector<u64> fault_order;                           ///< linear thread of each fault
  std::map<std::pair<std::string, u32>, u32> fault_count; ///< by kind and operation
  u64 fault_total = 0;
};

struct Group {
  u32 pc = 0, mask = 0;
  bool waiting = false;
};

struct AsyncCopy {
  u32 lane, target, bytes;
  std::array<std::byte, 16> data;
};

struct Block;

struct Warp {
  enum class State : u8 { ready, at_barrier, at_cluster_barrier, done } state = State::ready;
  Block* block = nullptr;
  u8* frame = nullptr;
  u32 index = 0, live = 0; ///< lanes that have not exited
  std::array<Group, lanes> groups{};
  u32 group_count = 1, current = 0, limit = never; ///< limit: where the current group meets or passes another
  u32 turns = 0;                                   ///< choices of a group since it was last rotated
  u32 barrier = 0;
  u32 barrier_pc = 0;
  bool cluster_arrived = false;
  std::array<u8, lanes> depth{};
  std::vector<std::array<u32, lanes>> returns; ///< return counters by depth
  std::vector<std::vector<AsyncCopy>> async;   ///< committed groups, oldest first; the last is open

  /// Merges groups, drops empty ones and picks the next; false: none can run.
  bool reschedule();
  void retire(u32 mask); ///< lanes of the current group exit
};

struct Barrier {
  std::vector<u32> arrived, waiting;
  u32 threads = 0; ///< expected; 0: all that live
  bool all = true, any = false;
  u32 population = 0;
};

struct Block {
  std::array<u32, 3> id{};
  u64 linear = 0;
  u32 rank = 0; ///< in its cluster
  std::vector<std::byte> shared, local;
  Shadow shadow;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  std::vector<Block>* cluster = nullptr;
};

/// One thread of the emulator with what it needs to run blocks.
class Worker {
 public:
  explicit Worker(LaunchState& l) : launch(l), program(*l.program) {}
  void run(); ///< until no block is left
  LaunchState& launch;
  const Program& program;
  Counters counters;
  u64 slice = 0; ///< operations the current warp may still run before another gets its turn

  void fault(const Warp& warp, u32 pc, u32 lane, std::string kind, std::string message, u64 address = 0);
  [[nodiscard]] bool stopped() const { return launch.abort.load(std::memory_order_relaxed); }

  // Operations beyond a lane's own work. `exec`: active lanes. Those that return bool say whether the group goes on.
  void load(Warp& w, const Op& op, u32 pc, u32 exec);
  void store(Warp& w, const Op& op, u32 pc, u32 exec);
  void atomic(Warp& w, const Op& op, u32 pc, u32 exec);
  void copy_async(Warp& w, const Op& op, u32 pc, u32 exec);
  void async_commit(Warp& w);
  void async_wait(Warp& w, const Op& op, u32 pc);
  void param_copy(Warp& w, const Op& op, u32 exec);
  bool gather(Warp& w, u32 pc, u32 mask, u32 exec, u32 members); ///< all members are here
  bool warp_collective(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec);
  bool barrier(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec);
  bool cluster_barrier(Warp& w, const Op& op, u32 pc, u32 mask);
  void scalar(Warp& w, const Op& op, u32 pc, u32 exec); ///< convert, directed, carry, map_shared, clock, faults
  void count_global(bool is_store, u64 sectors, u64 bytes);
  void shared_fault(Warp& w, u32 pc, u32 lane, const Shadow::Outcome& o, const char* what, u32 bytes, u64 offset);
  void stuck(Warp& w); ///< no group of the warp can run

  template <class T> T* reg(Warp& w, s32 operand) const { return reinterpret_cast<T*>(w.frame + operand); }
  [[nodiscard]] const u8* operand(const Warp& w, s32 o) const {
    return (o & 1) != 0 ? launch.constants + (o & ~1) : w.frame + o;
  }
  [[nodiscard]] u32 value32(const Warp& w, s32 o, u32 lane) const;
  [[nodiscard]] u64 value64(const Warp& w, s32 o, u32 lane) const;
  [[nodiscard]] u32 predicate(const Warp& w, s32 o) const { return value32(w, o, 0); }
  void set32(Warp& w, s32 o, u32 lane, u32 v) const;
  void set64(Warp& w, s32 o, u32 lane, u64 v) const;

 private:
  struct Place {
    std::byte* host = nullptr;
    Block* block = nullptr; ///< of shared memory
    u64 offset = 0;
    ptx::Space space = ptx::Space::global;
  };
  bool resolve(Warp& w, u32 pc, u32 lane, ptx::Space space, u64 address, u32 bytes, const char* what, bool writes,
               Place& place);
  void prepare(Block& b, u32 rank, u64 unit);
  void run_cluster();
  bool run_round(); ///< every ready warp once; false: none was
  void end_slice(Warp& w, u64 used);
  void check_barriers(Block& b);
  void complete(Block& b, Barrier& barrier);
  void deadlock();
  void count_shared(bool is_store, const u64* offset, u32 exec, u32 bytes);

  u64 clock_ = 0;
  std::vector<Block> blocks_;
  std::vector<u8> frames_;
  u8* frame_base_ = nullptr;
};

/// Runs the current warp until it waits or ends. One per instruction set; `run_warp` is chosen for this processor.
using RunWarp = void (*)(Worker&, Warp&);
void run_warp_baseline(Worker& worker, Warp& warp);
void run_warp_avx2(Worker& worker, Warp& warp);
[[nodiscard]] RunWarp run_warp();

} // namespace aicf::emulator
