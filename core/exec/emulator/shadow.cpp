#include "core/exec/emulator/shadow.hpp"

#include <algorithm>
#include <bit>

namespace aicf::emulator {

void Shadow::reset(std::uint32_t bytes, std::uint32_t granule, Clocks& clocks) {
  shift_ = static_cast<std::uint32_t>(std::countr_zero(granule));
  clocks_ = &clocks;
  warps_ = clocks.agents();
  cells_.assign((bytes + granule - 1) >> shift_, Cell{});
  readers_.clear();
  free_readers_.clear();
}

Shadow::Outcome Shadow::check_write(const Cell& c, const std::uint32_t* clock, std::uint32_t warp, std::uint32_t lane,
                                    bool atomic) {
  if (c.write_clock == 0 || (atomic && c.atomic)) return {};
  const bool ordered = c.write_warp == warp ? c.write_clock != clock[warp] || c.write_lane == lane
                                            : clock[c.write_warp] >= c.write_clock;
  if (ordered) return {};
  return {Problem::race_with_write, c.write_warp, c.write_lane};
}

Shadow::Outcome Shadow::check_readers(const Cell& c, const std::uint32_t* clock, std::uint32_t warp,
                                      std::uint32_t lane) const {
  if (c.read_warp == many) {
    const std::uint32_t* clocks = readers_.data() + c.read_clock;
    for (std::uint32_t w = 0; w < warps_; ++w) {
      const bool ordered = w == warp ? clocks[w] != clock[warp] : clock[w] >= clocks[w];
      if (!ordered) return {Problem::race_with_read, static_cast<std::uint16_t>(w), several};
    }
    return {};
  }
  if (c.read_clock == 0) return {};
  const bool ordered =
      c.read_warp == warp ? c.read_clock != clock[warp] || c.read_lane == lane : clock[c.read_warp] >= c.read_clock;
  if (ordered) return {};
  return {Problem::race_with_read, c.read_warp, c.read_lane};
}

void Shadow::forget_readers(Cell& c) {
  if (c.read_warp == many) free_readers_.push_back(c.read_clock);
  c.read_clock = 0;
  c.read_warp = 0;
}

/// `now`: the reader's own interval.
void Shadow::add_reader(Cell& c, const std::uint32_t* clock, std::uint32_t warp, std::uint32_t lane,
                        std::uint32_t now) {
  if (c.read_warp == many) {
    // Readers that are all ordered before this one need not be remembered.
    std::uint32_t* clocks = readers_.data() + c.read_clock;
    bool ordered = true;
    for (std::uint32_t w = 0; w < warps_; ++w)
      ordered = ordered && (w == warp ? clocks[w] != now : clock[w] >= clocks[w]);
    if (!ordered) {
      clocks[warp] = now;
      return;
    }
    forget_readers(c);
  }
  if (c.read_clock == 0 || (c.read_warp == warp && c.read_clock != now) ||
      (c.read_warp != warp && clock[c.read_warp] >= c.read_clock)) {
    c.read_clock = now;
    c.read_warp = static_cast<std::uint16_t>(warp);
    c.read_lane = static_cast<std::uint8_t>(lane);
  } else if (c.read_warp == warp) {
    if (c.read_lane != lane) c.read_lane = several;
  } else {
    std::uint32_t at = static_cast<std::uint32_t>(readers_.size());
    if (free_readers_.empty()) {
      readers_.resize(readers_.size() + warps_, 0);
    } else {
      at = free_readers_.back();
      free_readers_.pop_back();
      std::fill_n(readers_.begin() + at, warps_, 0);
    }
    readers_[at + c.read_warp] = c.read_clock;
    readers_[at + warp] = now;
    c.read_clock = at;
    c.read_warp = many;
  }
}

Shadow::Outcome Shadow::read(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes,
                             bool atomic) {
  Outcome outcome;
  const std::uint32_t* clock = clocks_->row(warp);
  const std::uint32_t end = (offset + bytes - 1) >> shift_;
  for (std::uint32_t g = offset >> shift_; g <= end; ++g) {
    Cell& c = cells_[g];
    if (outcome.problem == Problem::none) {
      if (c.pending)
        outcome = {Problem::pending_copy, c.write_warp, c.write_lane};
      else if (!c.written)
        outcome = {Problem::uninitialised, 0, 0};
      else
        outcome = check_write(c, clock, warp, lane, atomic);
    }
    if (!atomic) add_reader(c, clock, warp, lane, clock[warp]);
  }
  return outcome;
}

Shadow::Outcome Shadow::write(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes,
                              bool atomic, bool modifies) {
  Outcome outcome;
  const std::uint32_t* clock = clocks_->row(warp);
  const std::uint32_t end = (offset + bytes - 1) >> shift_;
  for (std::uint32_t g = offset >> shift_; g <= end; ++g) {
    Cell& c = cells_[g];
    if (outcome.problem == Problem::none) {
      if (c.pending && !(c.write_warp == warp && c.write_lane == lane))
        outcome = {Problem::pending_copy, c.write_warp, c.write_lane};
      else if (modifies && !c.written)
        outcome = {Problem::uninitialised, 0, 0};
      else
        outcome = check_write(c, clock, warp, lane, atomic);
      if (outcome.problem == Problem::none) outcome = check_readers(c, clock, warp, lane);
    }
    c.written = true;
    c.pending = false;
    c.atomic = atomic;
    c.write_clock = clock[warp];
    c.write_warp = static_cast<std::uint16_t>(warp);
    c.write_lane = static_cast<std::uint8_t>(lane);
    forget_readers(c);
  }
  return outcome;
}

Shadow::Outcome Shadow::copy_started(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset,
                                     std::uint32_t bytes) {
  const Outcome outcome = write(warp, lane, offset, bytes, false);
  for (std::uint32_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) cells_[g].pending = true;
  return outcome;
}

Shadow::Outcome Shadow::proxy_read(std::uint32_t by, std::uint32_t proxy, std::uint32_t offset, std::uint32_t bytes) {
  Outcome outcome;
  const std::uint32_t *clock = clocks_->row(by), now = clocks_->of(proxy, proxy);
  for (std::uint32_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) {
    Cell& c = cells_[g];
    if (outcome.problem == Problem::none) {
      const bool by_proxy = c.write_warp == proxy;
      if (c.pending)
        outcome = {Problem::pending_copy, c.write_warp, c.write_lane};
      else if (!c.written)
        outcome = {Problem::uninitialised, 0, 0};
      else if (clock[c.write_warp] < c.write_clock)
        outcome = {Problem::race_with_write, c.write_warp, c.write_lane};
      else if (!by_proxy && !clocks_->proxy_sees(by, c.write_warp, c.write_clock))
        outcome = {Problem::unfenced, c.write_warp, c.write_lane};
    }
    add_reader(c, clock, proxy, 0, now);
  }
  return outcome;
}

Shadow::Outcome Shadow::proxy_write(std::uint32_t by, std::uint32_t lane, std::uint32_t proxy, std::uint32_t offset,
                                    std::uint32_t bytes) {
  const Outcome outcome = write(by, lane, offset, bytes, false);
  for (std::uint32_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) {
    cells_[g].pending = true;
    cells_[g].write_warp = static_cast<std::uint16_t>(proxy);
    cells_[g].write_clock = clocks_->of(proxy, proxy);
  }
  return outcome;
}

void Shadow::delivered(std::uint32_t offset, std::uint32_t bytes) {
  for (std::uint32_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) cells_[g].pending = false;
}

} // namespace aicf::emulator
