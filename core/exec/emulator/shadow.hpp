// Shadow of a block's shared memory: initialisation and races, exact to the granule (the smallest access of the kernel
// that may touch shared memory, at most 4 bytes).
//
// The rule. Every warp carries a vector clock; a barrier joins the clocks of those that arrive and then advances them,
// a fence joins and advances through one clock of the block, so that data passed with fences and flags is ordered.
// Two accesses to a granule race when at least one writes, not both are atomic, and neither is ordered before the
// other:
//  - of two warps: the later warp's clock has not seen the interval of the earlier access;
//  - of two lanes of one warp in different instructions: no bar.warp.sync, shfl, vote, match, redux or barrier in
//    between (a member mask is taken to order the whole warp: races hidden by a partial mask are not found);
//  - of two lanes in one instruction: they write different values.
#pragma once
#include <cstdint>
#include <vector>

namespace aicf::emulator {

class Shadow {
 public:
  enum class Problem : std::uint8_t { none, uninitialised, race_with_write, race_with_read, pending_copy };
  struct Outcome {
    Problem problem = Problem::none;
    std::uint16_t warp = 0;
    std::uint8_t lane = 0; ///< of the other access; `several`: more than one
  };
  static constexpr std::uint8_t several = 0xff;

  void reset(std::uint32_t bytes, std::uint32_t granule, std::uint32_t warps);
  [[nodiscard]] bool enabled() const { return !cells_.empty(); }
  Outcome read(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes);
  Outcome write(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes, bool atomic);
  /// Marks the destination of a cp.async that has not been waited for.
  Outcome copy_started(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes);

  void warp_synced(std::uint32_t warp) { ++clock(warp, warp); }
  void barrier(const std::vector<std::uint32_t>& arrived, const std::vector<std::uint32_t>& waiting);
  void fence(std::uint32_t warp);

 private:
  struct Cell {
    std::uint32_t write_clock = 0, read_clock = 0; ///< 0: never
    std::uint16_t write_warp = 0, read_warp = 0;   ///< read_warp `many`: read_clock indexes readers_
    std::uint8_t write_lane = 0, read_lane = 0;
    bool written = false, atomic : 4 = false, pending : 4 = false;
  };
  static constexpr std::uint16_t many = 0xffff;
  std::uint32_t& clock(std::uint32_t warp, std::uint32_t of) { return clocks_[warp * warps_ + of]; }
  Outcome check_write(const Cell& c, std::uint32_t warp, std::uint32_t lane, bool atomic);
  Outcome check_readers(const Cell& c, std::uint32_t warp, std::uint32_t lane);
  void forget_readers(Cell& c);
  void add_reader(Cell& c, std::uint32_t warp, std::uint32_t lane);

  std::vector<Cell> cells_;
  std::vector<std::uint32_t> clocks_, fence_clock_, readers_, free_readers_;
  std::uint32_t warps_ = 0, shift_ = 2;
};

} // namespace aicf::emulator
