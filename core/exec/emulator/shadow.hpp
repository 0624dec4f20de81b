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
// Bulk copies are accesses of the block's asynchronous proxy, ordered by what the warp that starts them knows, and
// known to those that wait for their completion.
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
  /// An asynchronous read or write by `proxy` that the warp `by` starts; a write is pending until it is `delivered`.
  Outcome proxy_read(std::uint32_t by, std::uint32_t proxy, std::uint32_t offset, std::uint32_t bytes);
  Outcome proxy_write(std::uint32_t by, std::uint32_t lane, std::uint32_t proxy, std::uint32_t offset,
                      std::uint32_t bytes);
  void delivered(std::uint32_t offset, std::uint32_t bytes);

 private:
  struct Cell {
    std::uint32_t write_clock = 0, read_clock = 0; ///< 0: never
    std::uint16_t write_warp = 0, read_warp = 0;   ///< read_warp `many`: read_clock indexes readers_
    std::uint8_t write_lane = 0, read_lane = 0;
    bool written = false, atomic : 4 = false, pending : 4 = false;
  };
  static constexpr std::uint16_t many = 0xffff;
  // `clock`: the row of the agent that accesses.
  static Outcome check_write(const Cell& c, const std::uint32_t* clock, std::uint32_t warp, std::uint32_t lane,
                             bool atomic);
  Outcome check_readers(const Cell& c, const std::uint32_t* clock, std::uint32_t warp, std::uint32_t lane) const;
  void forget_readers(Cell& c);
  void add_reader(Cell& c, const std::uint32_t* clock, std::uint32_t warp, std::uint32_t lane, std::uint32_t now);

  std::vector<Cell> cells_;
  std::vector<std::uint32_t> readers_, free_readers_;
  Clocks* clocks_ = nullptr;
  std::uint32_t warps_ = 0, shift_ = 2;
};

} // namespace aicf::emulator
