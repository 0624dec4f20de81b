// Shadow of a block's shared memory: initialisation and races, exact to the granule (the smallest access of the kernel
// that may touch shared memory, at most 4 bytes).
//
// The rule. Every agent of the cluster carries a vector clock (clocks.hpp); a barrier joins the clocks of those that
// arrive and advances them. Two accesses to a granule race when at least one writes, not both are atomic, and neither
// is ordered before the other:
//  - of two warps: the later warp's clock has not seen the interval of the earlier access;
//  - of two lanes of one warp in different instructions: no bar.warp.sync, shfl, vote, match, redux or barrier in
//    between (a member mask is taken to order the whole warp: races hidden by a partial mask are not found);
//  - of two lanes in one instruction: they write different values.
// Bulk copies are accesses by their queue (clocks.hpp), ordered by what the warp that starts them knows, and known to
// those that wait for their completion. A reduction among them (red.async, cp.reduce.async.bulk) is one more atomic.
#pragma once
#include "core/exec/emulator/clocks.hpp"

namespace aicf::emulator {

class Shadow {
 public:
  enum class Problem : std::uint8_t {
    none,
    uninitialised,
    race_with_write,
    race_with_read,
    pending_copy,
    unfenced ///< written by a thread and not yet made visible to the asynchronous proxy
  };
  struct Outcome {
    Problem problem = Problem::none;
    std::uint16_t agent = 0;
    std::uint8_t lane = 0; ///< of the other access; `several`: more than one
  };
  static constexpr std::uint8_t several = 0xff;

  void reset(std::uint32_t bytes, std::uint32_t granule, Clocks& clocks);
  void disable() { cells_.clear(); }
  [[nodiscard]] bool enabled() const { return !cells_.empty(); }
  Outcome read(std::uint32_t agent, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes, bool atomic = false);
  /// `modifies`: an atomic that needs the old value.
  Outcome write(std::uint32_t agent, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes, bool atomic,
                bool modifies = false);
  /// Marks the destination of a cp.async that has not been waited for.
  Outcome copy_started(std::uint32_t agent, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes);
  /// An asynchronous read or write by `queue` that the warp `by` starts; a write is pending until it is `delivered`.
  Outcome queue_read(std::uint32_t by, std::uint32_t queue, std::uint32_t offset, std::uint32_t bytes);
  enum class Write : std::uint8_t { store, reduction, proxy_reduction }; ///< the last: through the asynchronous proxy
  Outcome queue_write(std::uint32_t by, std::uint32_t lane, std::uint32_t queue, std::uint32_t offset,
                      std::uint32_t bytes, Write kind);
  void delivered(std::uint32_t offset, std::uint32_t bytes);

 private:
  /// The last write or read, or all of them that are not ordered among themselves (reads, or atomics).
  struct Last {
    std::uint32_t clock = 0; ///< 0: never
    std::uint16_t agent = 0; ///< `many`: clock indexes lists_
    std::uint8_t lane = 0;
    bool written : 1 = false, atomic : 1 = false, pending : 1 = false; ///< of the write
  };
  struct Cell {
    Last write, read;
  };
  static constexpr std::uint16_t many = 0xffff;
  struct Entry {
    std::uint32_t clock;
    std::uint16_t agent;
    std::uint8_t lane;
  };
  static bool is_ordered(const Entry& e, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane) {
    return e.agent == agent ? e.clock != clock[agent] || e.lane == lane : clock[e.agent] >= e.clock;
  }
  // `clock`: the row of the agent that accesses.
  Outcome unordered(const Last& l, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane,
                    Problem problem) const;
  Outcome check_write(const Cell& c, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane,
                      bool atomic) const {
    if (atomic && c.write.atomic) return {};
    return unordered(c.write, clock, agent, lane, Problem::race_with_write);
  }
  Outcome check_pending(const Cell& c, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane) const;
  Outcome check_visible(const Cell& c, const std::uint32_t* clock, std::uint32_t by) const;
  void forget(Last& l);
  void add(Last& l, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane, std::uint32_t now);
  void set_write(Cell& c, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane, std::uint32_t now,
                 bool atomic);

  std::vector<Cell> cells_;
  std::vector<std::vector<Entry>> lists_;
  std::vector<std::uint32_t> free_lists_;
  Clocks* clocks_ = nullptr;
  std::uint32_t shift_ = 2;
};

} // namespace aicf::emulator
