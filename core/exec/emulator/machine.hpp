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
#include "core/exec/emulator/event_counts.hpp"
#include "core/exec/emulator/global_races.hpp"
#include "core/exec/emulator/heap.hpp"
#include "core/exec/emulator/lane_math.hpp"
#include "core/exec/emulator/memory.hpp"
#include "core/exec/emulator/program.hpp"
#include "core/exec/emulator/shadow.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <span>

namespace aicf::emulator {

constexpr u32 all_lanes = 0xffffffffu;
constexpr u32 never = 0xffffffffu; ///< a program counter past every operation
[[nodiscard]] inline bool has_lane(u32 mask, u32 lane) { return ((mask >> lane) & 1) != 0; }

/// A dense matrix of bits of elements, in row order.
struct Matrix {
  u32 rows, columns;
  std::vector<u64> values;
  Matrix(u32 r, u32 c) : rows(r), columns(c), values(std::size_t{r} * c) {}
  u64& at(u32 r, u32 c) { return values[std::size_t{r} * columns + c]; }
  [[nodiscard]] u64 at(u32 r, u32 c) const { return values[std::size_t{r} * columns + c]; }
};
void convert_accumulator(const Wide& op, Matrix& c);
void multiply(const Wide& op, const Matrix& a, const Matrix& b, Matrix& d); ///< d += a b

struct LaunchState {
  const Program* program = nullptr;
  const Memory* memory = nullptr;
  std::array<u32, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  u32 threads = 0, warps = 0, shared_bytes = 0, dynamic_shared = 0;
  u32 system_shared = 0; ///< offset of what the system keeps of a block's shared memory
  u32 registers = 0;     ///< of a thread at launch; 0: not known
  std::vector<u8> parameters;
  const u8* constants = nullptr; ///< constant area, 64-byte aligned
  bool checks = true, counters = false, explicit_cluster = false;
  bool trace = false;                                   ///< keep global accesses by block: there is more than one
  u64 step_limit = 0, order_scale = 1, order_shift = 0; ///< unit i runs as (i * scale + shift) mod units
  u64 units = 0;                                        ///< clusters of the grid
  std::stop_token stop;
  std::atomic<u64> next_unit{0}, steps{0};
  std::atomic<bool> abort{false}, cancelled{false};
  std::mutex fault_mutex;
  std::vector<Fault> faults;
  std::string printed;
  Heap heap;
  std::atomic<u64> stack_bytes{0}; ///< of all threads
  u64 stack_limit = 0;
  GlobalOrder order;
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
  enum class State : u8 { ready, at_barrier, at_cluster_barrier, at_registers, done } state = State::ready;
  Block* block = nullptr;
  GlobalTrace* trace = nullptr; ///< of its block; null: not kept
  u8* frame = nullptr;
  u32 index = 0, agent = 0; ///< in its block; among the agents of the cluster (clocks.hpp)
  u32 live = 0;             ///< lanes that have not exited
  std::array<Group, lanes> groups{};
  u32 group_count = 1, current = 0, limit = never; ///< limit: where the current group meets or passes another
  u32 turns = 0;                                   ///< choices of a group since it was last rotated
  u32 barrier = 0;
  u32 barrier_pc = 0;
  std::vector<Group> parts;         ///< its lanes at the barrier, by instruction
  u32 registers = 0, requested = 0; ///< of a thread (setmaxnreg); 0: not known
  bool polls = false;               ///< its last turn ended at an mbarrier that was not ready
  bool cluster_arrived = false;     ///< at barrier.cluster, and has not waited since
  u64 cluster_phase = 0;            ///< the phase it arrived in
  bool peers_started = false;       ///< it has waited for a phase: every block of the cluster runs, whatever the order
  std::array<u32, lanes> depth{};
  std::vector<std::array<u32, lanes>> returns; ///< return counters by depth
  std::vector<std::vector<std::byte>> stacks;  ///< by lane: frames of recursive functions (calls.cpp)
  std::vector<std::vector<u32>> kept;          ///< by lane: registers of callers
  std::array<u64, lanes> stack_bytes{};        ///< the most that each lane has taken
  std::deque<std::vector<AsyncCopy>> async;    ///< committed groups, oldest first; the last is open
  u32 async_copies = 0;                        ///< in all of them
  /// Bulk copies and wgmma: the queue's clock at the last operation of each committed group, and of the open one.
  std::deque<u32> bulk, tensor;
  u32 bulk_open = 0, tensor_open = 0;

  /// Merges groups, drops empty ones and picks the next; false: none can run.
  bool reschedule();
  void retire(u32 mask); ///< lanes of the current group exit
};

/// The instructions that four warps must all execute, in one order: wgmma.mma_async and setmaxnreg.
struct Warpgroup {
  std::vector<u32> steps; ///< counters of those that some have still to execute
  u64 before = 0;         ///< steps that all have executed
  std::array<u64, 4> executed{};
};

struct Barrier {
  std::vector<u32> arrived, waiting;
  Clocks::Joined joined;
  u32 threads = 0; ///< expected; 0: all that live
  bool all = true, any = false;
  u32 population = 0;
};

/// The last access to the shared memory of a block by an agent that may outlive it: a warp of another block of its
/// cluster, or a queue.
struct PeerAccess {
  u32 clock = 0, pc = 0, lane = 0;
  const Warp* by = nullptr;
};

/// What a queue of asynchronous work waits at.
enum class Queue : u8 { mbarrier, bulk_groups, wgmma_groups };
/// Of a block. What needs more shares them, and races between those that share one are missed.
constexpr u32 max_queues = 32;
constexpr u32 max_groups = 1u << 16;            ///< of a warp; wait_group cannot tell more apart
constexpr u32 max_async_copies = 1u << 16;      ///< cp.async of a warp that nothing has waited for
constexpr u64 max_stack_bytes = u64{512} << 10; ///< of a thread, as the private memory of a device's
constexpr u64 stack_bytes_of_a_call = 16;       ///< its return counter, at most
constexpr u64 stack_bytes_to_keep = 4096;       ///< of a lane, between two blocks
constexpr u64 max_copied = u64{16} << 20;       ///< bytes of bulk copies that have not been delivered

/// What the eight bytes of an mbarrier do not hold.
struct Mbarrier {
  Clocks::Joined joined, released; ///< of the phase that runs, and of the last one
};

/// A bulk copy that has started: delivered when the warps of the cluster had their turn.
struct BulkCopy {
  std::vector<std::byte> data;
  struct Piece {
    std::byte* to = nullptr;
    std::size_t from = 0, bytes = 0;
  };
  std::vector<Piece> pieces;
  Block* block = nullptr;                  ///< whose shared memory is written; null: global memory
  std::vector<std::pair<u32, u32>> shared; ///< offset and bytes there
  u64 barrier = 0;                         ///< offset of its mbarrier in that block
  bool signals = false;
  u32 bytes = 0, clock = 0;
  ptx::Type reduction_type = ptx::Type::none; ///< none: a copy
  AtomicKind reduction = AtomicKind::add;
  std::pair<u32, u32> source{}; ///< offset and bytes in the shared memory of the block that starts it
  bool through_proxy = true;    ///< not st.async and red.async
  Clocks::Joined before;        ///< of st.async and red.async: what was done when they were started
};

struct Block {
  std::array<u32, 3> id{};
  u64 linear = 0;
  u32 rank = 0; ///< in its cluster
  std::vector<std::byte> shared, local;
  Shadow shadow;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  std::vector<Warpgroup> warpgroups;
  u32 free_registers = 0; ///< that setmaxnreg.dec gave back, in those of a warp's thread
  Clocks::Joined fenced;
  std::vector<Block>* cluster = nullptr;
  bool exited = false;
  bool fenced_globally = false;                ///< a fence beyond the cluster was executed
  u32 epoch = 0;                               ///< strong global accesses that order (GlobalOrder)
  std::vector<PeerAccess> peers;               ///< by agent; empty where no other may access it
  std::map<u32, Mbarrier> mbarriers;           ///< by offset
  std::map<std::pair<Queue, u32>, u32> queues; ///< numbers, by kind and the mbarrier's offset or the warp
};

/// One thread of the emulator with what it needs to run blocks.
class Worker {
 public:
  explicit Worker(LaunchState& l) : launch(l), program(*l.program) {}
  void run(); ///< until no block is left
  LaunchState& launch;
  const Program& program;
  Counters counters;
  std::vector<GlobalTrace> traces; ///< one a block of the cluster
  u64 slice = 0;                   ///< operations the current warp may still run before another gets its turn

  void fault(const Warp& warp, u32 pc, u32 lane, std::string kind, std::string message, u64 address = 0);
  /// Global bytes are used: by `lane`, or `each` of them by it and those after it.
  void touched(Warp& w, u32 pc, GlobalUse use, u64 begin, u64 bytes, u32 lane, u32 each = 0) {
    if (w.trace != nullptr) w.trace->touch(pc, use, begin, begin + bytes);
    if (launch.memory->tracks()) needs_value(w, pc, use, begin, bytes, lane, each);
  }
  void needs_value(Warp& w, u32 pc, GlobalUse use, u64 begin, u64 bytes, u32 lane, u32 each);
  [[nodiscard]] bool stopped() const { return launch.abort.load(std::memory_order_relaxed); }

  // Operations beyond a lane's own work. `exec`: active lanes. Those that return bool say whether the group goes on.
  void load(Warp& w, const Op& op, u32 pc, u32 exec);
  void store(Warp& w, const Op& op, u32 pc, u32 exec);
  void atomic(Warp& w, const Op& op, u32 pc, u32 exec);
  void copy_async(Warp& w, const Op& op, u32 pc, u32 exec);
  void async_commit(Warp& w);
  /// Commits a group with the clock of its last operation.
  static void commit(std::deque<u32>& groups, u32 clock) {
    groups.push_back(clock);
    if (groups.size() <= max_groups) return; // the oldest are waited for together
    groups[1] = std::max(groups[0], groups[1]);
    groups.pop_front();
  }
  void async_wait(Warp& w, const Op& op, u32 pc);
  void async_deliver(Warp& w, std::size_t groups); ///< the oldest groups
  void param_copy(Warp& w, const Op& op, u32 exec);
  void stack_room(Warp& w, const Op& op, u32 pc, u32 exec);
  void enter(Warp& w, const Op& op, u32 pc, u32 exec);
  [[nodiscard]] u32 leave(Warp& w, u32 lane);
  void clear_stacks(Warp& w);
  bool private_access(Warp& w, const Op& op, u32 pc, u32 exec, const Access& a);
  /// A place of thread-private memory, or of the lane's stack, which lies after it.
  [[nodiscard]] std::byte* private_place(Warp& w, u32 lane, u64 offset) const {
    if (offset < program.local_bytes)
      return w.block->local.data() + std::size_t{w.index * lanes + lane} * program.local_bytes + offset;
    return w.stacks[lane].data() + (offset - program.local_bytes);
  }
  /// Bytes that a thread may address; its stack as deep as it has been.
  [[nodiscard]] u64 private_bytes(const Warp& w, u32 lane) const {
    return program.local_bytes + (w.stacks.empty() ? 0 : w.stacks[lane].size());
  }
  bool gather(Warp& w, u32 pc, u32 mask, u32 exec, u32 members); ///< all members are here
  bool warp_collective(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec);
  bool barrier(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec);
  bool cluster_barrier(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec);
  void fence(Warp& w, bool cluster);                    ///< of block scope, or wider
  void scalar(Warp& w, const Op& op, u32 pc, u32 exec); ///< convert, directed, carry, map_shared, clock, faults
  bool wide(Warp& w, const Op& op, u32 pc, u32 mask, u32 exec);
  /// One request of global memory for [begin, begin + bytes).
  void count_range(u32 pc, bool is_store, u64 begin, u64 bytes, bool bulk = false) {
    MemoryEvents& m = counters.memory[pc];
    ++m.requests;
    const u64 sectors = ((begin + bytes - 1) >> 5) - (begin >> 5) + 1;
    m.sectors += sectors;
    if (bulk) ++m.bulk_requests, m.bulk_sectors += sectors;
    m.lines += ((begin + bytes - 1) >> 7) - (begin >> 7) + 1;
    (is_store ? m.written : m.read)[static_cast<std::size_t>(MemorySpace::global)] += bytes;
  }
  /// One request of these sectors, which are sorted in place.
  void count_sectors(u32 pc, std::span<u64> sectors, bool bulk = false);
  /// One request of an atomic on these words (addresses over 4), which are sorted in place.
  void count_atomics(u32 pc, std::span<u64> words);
  void count_bytes(u32 pc, bool is_store, MemorySpace space, u64 bytes) {
    MemoryEvents& m = counters.memory[pc];
    (is_store ? m.written : m.read)[static_cast<std::size_t>(space)] += bytes;
  }
  void shared_fault(Warp& w, u32 pc, u32 lane, const Shadow::Outcome& o, const char* what, u32 bytes, u64 offset);
  void stuck(Warp& w); ///< no group of the warp can run
  bool meet_in_parts(Warp& w);

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
    bool system = false; ///< in the part of shared memory that the kernel's launch does not name
    [[nodiscard]] bool checked() const { return block->shadow.enabled() && !system; }
  };
  bool resolve(Warp& w, u32 pc, u32 lane, ptx::Space space, u64 address, u32 bytes, const char* what, bool writes,
               Place& place);
  bool resolve_shared(Warp& w, u32 pc, u32 lane, ptx::Space space, u64 address, u32 bytes, const char* kind,
                      Place& place);
  [[nodiscard]] std::string queue_name(u32 agent) const;
  [[nodiscard]] std::string thread_name(const Warp& w, u32 agent, u32 lane) const;
  void prepare(Block& b, u32 rank, u64 unit);
  void run_cluster();
  bool run_round(); ///< every ready warp once; false: none was
  void end_slice(Warp& w, u64 used);
  void check_barriers(Block& b);
  void check_cluster_barrier();
  void arrive(Warp& w, const Op& op, u32 pc, u32 number, u32 threads);
  void complete(Block& b, Barrier& barrier);
  void block_exited(Block& b);
  void deadlock();
  void count_shared(u32 pc, const u64* offset, u32 exec, u32 bytes, bool reads = false); ///< wavefronts
  [[nodiscard]] std::unique_lock<std::mutex> order_lock(const Access& a);
  void global_use(Warp& w, u32 pc, u32 lane, const Access& a, bool is_store, u64 address, u32 bytes);
  /// Resolves an access, and checks it against the shadow; null: a fault was given.
  std::byte* touch(Warp& w, u32 pc, u32 lane, ptx::Space space, u64 address, u32 bytes, const char* what, bool writes);
  /// The agent that does what is waited for in this way.
  u32 queue_of(Block& b, Queue kind, u32 id);
  void queue_uses(Block& b, u32 queue, const Warp& by, u32 pc, u32 lane) const {
    if (launch.checks) b.peers[queue] = {clocks_.of(queue, queue), pc, lane, &by};
  }

  // tensor.cpp
  void matrix_multiply(Warp& w, const Wide& op, u32 pc);
  void multiply_sparse(Warp& w, const Wide& op, u32 pc, s32 metadata, const Matrix& a, const Matrix& b, Matrix& d);
  void wmma_multiply(Warp& w, const Wide& op);
  void wmma_memory(Warp& w, const Wide& op, u32 pc);
  void count_fragment(Warp& w, const Wide& op, u32 pc);
  void matrix_memory(Warp& w, const Wide& op, u32 pc);
  void matrix_move(Warp& w, const Wide& op);
  // wgmma.cpp
  void warpgroup_multiply(Warp& w, const Wide& op, u32 pc);
  void warpgroup_wait(Warp& w, const Wide& op);
  // warpgroup.cpp
  void warpgroup_step(Warp& w, u32 pc);
  void check_warpgroups(Block& b); ///< when its warps have ended
  void set_registers(Warp& w, const Wide& op, u32 pc);
  void grant_registers(Block& b);
  // mbarrier.cpp
  void mbarrier(Warp& w, const Wide& op, u32 pc, u32 exec);
  std::byte* barrier_at(Warp& w, u32 pc, u32 lane, ptx::Space space, u64 address, Block*& block, u32& offset);
  void barrier_step(Block& b, u32 offset, u64 bits);
  void barrier_transfer(Block& b, const BulkCopy& copy);
  // bulk.cpp
  void bulk(Warp& w, const Wide& op, u32 pc, u32 exec);
  void bulk_lane(Warp& w, const Wide& op, u32 pc, u32 lane);
  void bulk_to_global(Warp& w, const Wide& op, u32 pc, u32 lane, BulkCopy copy);
  void tensor_copy(Warp& w, const Wide& op, u32 pc, u32 lane); // tensor_copy.cpp
  void store_async(Warp& w, const Wide& op, u32 pc, u32 exec);
  void start_group(Warp& w, BulkCopy copy, u32 queue);
  void to_shared(Warp& w, u32 pc, u32 lane, u64 to, u64 barrier, u32 mask, BulkCopy copy);
  /// A piece of the own shared memory that an instruction names.
  bool own_shared(Warp& w, u32 pc, u32 lane, u64 address, u32 bytes, const char* what, u32& offset);
  void queue_reads(Warp& w, u32 pc, u32 lane, u32 queue, u32 offset, u32 bytes, const char* what);
  bool queue_writes(Warp& w, u32 pc, u32 lane, Block& b, u32 queue, u64 offset, u32 bytes, const char* what,
                    Shadow::Write kind);
  std::byte* bulk_global(Warp& w, u32 pc, u32 lane, u64 address, u64 bytes, bool writes, bool reduces = false);
  bool bulk_aligned(Warp& w, u32 pc, u32 lane, u64 a, u64 b, u64 bytes, u32 alignment);
  void start(BulkCopy copy, u32 queue);
  void deliver_copies();
  // system.cpp
  void print(Warp& w, const Wide& op, u32 pc, u32 exec);
  void assertion(Warp& w, const Wide& op, u32 pc, u32 exec);
  void heap(Warp& w, const Wide& op, u32 pc, u32 exec);
  [[nodiscard]] std::string text_at(u64 address) const;

  u64 clock_ = 0;
  Clocks clocks_;
  Clocks::Joined cluster_fenced_, cluster_joined_, cluster_released_;
  u64 cluster_phase_ = 0;
  u64 progress_ = 0; ///< steps that may end a wait at an mbarrier
  u32 idle_rounds_ = 0;
  std::vector<BulkCopy> copies_;
  u64 copied_ = 0; ///< bytes of them
  std::vector<Block> blocks_;
  std::vector<u8> frames_;
  u8* frame_base_ = nullptr;
};

/// One atomic operation on memory; returns the old value. `shared`: in shared memory.
u64 update(std::byte* host, const Access& a, u64 b, u64 c, bool shared);
/// Likewise on 16 bytes, lower half first: b is put there, or c where b is found.
std::array<u64, 2> exchange_halves(std::byte* host, bool compares, std::array<u64, 2> b, std::array<u64, 2> c);

/// Runs the current warp until it waits or ends. One per instruction set; `run_warp` is chosen for this processor.
using RunWarp = void (*)(Worker&, Warp&);
void run_warp_baseline(Worker& worker, Warp& warp);
void run_warp_avx2(Worker& worker, Warp& warp);
[[nodiscard]] RunWarp run_warp();
/// Lane operations alone, in order and `rounds` times, for one warp of all lanes (bare_loop.inl).
using RunBare = void (*)(std::span<const Op> ops, u8* frame, const u8* constants, u64 rounds);
void run_bare_baseline(std::span<const Op> ops, u8* frame, const u8* constants, u64 rounds);
void run_bare_avx2(std::span<const Op> ops, u8* frame, const u8* constants, u64 rounds);
[[nodiscard]] RunBare run_bare();
[[nodiscard]] const char* vector_extension(); ///< that both use on this processor

} // namespace aicf::emulator
