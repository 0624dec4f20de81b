#include "core/exec/emulator/shadow.hpp"

#include <algorithm>
#include <bit>

namespace aicf::emulator {

void Shadow::reset(std::uint32_t bytes, std::uint32_t granule, Clocks& clocks) {
  shift_ = static_cast<std::uint32_t>(std::countr_zero(granule));
  clocks_ = &clocks;
  cells_.assign((bytes + granule - 1) >> shift_, Cell{});
  lists_.clear();
  free_lists_.clear();
}

/// The access of `l` that is not ordered before this one, as the problem that it makes.
Shadow::Outcome Shadow::unordered(const Last& l, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane,
                                  Problem problem) const {
  if (l.agent == many) {
    for (const Entry& e : lists_[l.clock])
      if (!is_ordered(e, clock, agent, lane)) return {problem, e.agent, e.lane};
    return {};
  }
  if (l.clock == 0) return {};
  if (is_ordered({l.clock, l.agent, l.lane}, clock, agent, lane)) return {};
  return {problem, l.agent, l.lane};
}

Shadow::Outcome Shadow::check_pending(const Cell& c, const std::uint32_t* clock, std::uint32_t agent,
                                      std::uint32_t lane) const {
  if (c.write.agent != many) return {Problem::pending_copy, c.write.agent, c.write.lane};
  return unordered(c.write, clock, agent, lane, Problem::pending_copy);
}

void Shadow::forget(Last& l) {
  if (l.agent == many) {
    lists_[l.clock].clear();
    free_lists_.push_back(l.clock);
  }
  l.clock = 0;
  l.agent = 0;
}

/// `now`: the agent's own interval.
void Shadow::add(Last& l, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane, std::uint32_t now) {
  const Entry mine{now, static_cast<std::uint16_t>(agent), static_cast<std::uint8_t>(lane)};
  if (l.agent == many) {
    // Whoever is ordered after this one is ordered after those that it is ordered after: they need not be remembered.
    auto& list = lists_[l.clock];
    for (Entry& e : list)
      if (e.agent == agent && e.clock == now) {
        if (e.lane != lane) e.lane = several;
        return;
      }
    std::erase_if(list, [&](const Entry& e) { return e.agent == agent || clock[e.agent] >= e.clock; });
    if (!list.empty()) {
      list.push_back(mine);
      return;
    }
    forget(l);
  }
  if (l.clock == 0 || (l.agent == agent ? l.clock != now : clock[l.agent] >= l.clock)) {
    l.clock = now;
    l.agent = mine.agent;
    l.lane = mine.lane;
  } else if (l.agent == agent) {
    if (l.lane != lane) l.lane = several;
  } else {
    if (free_lists_.empty()) {
      free_lists_.push_back(static_cast<std::uint32_t>(lists_.size()));
      lists_.emplace_back();
    }
    const std::uint32_t at = free_lists_.back();
    free_lists_.pop_back();
    lists_[at] = {{l.clock, l.agent, l.lane}, mine};
    l.clock = at;
    l.agent = many;
  }
}

Shadow::Outcome Shadow::read(std::uint32_t agent, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes,
                             bool atomic) {
  Outcome outcome;
  const std::uint32_t* clock = clocks_->row(agent);
  const std::uint32_t end = (offset + bytes - 1) >> shift_;
  for (std::uint32_t g = offset >> shift_; g <= end; ++g) {
    Cell& c = cells_[g];
    if (outcome.problem == Problem::none) {
      if (c.write.pending)
        outcome = check_pending(c, clock, agent, lane);
      else if (!c.write.written)
        outcome = {Problem::uninitialised, 0, 0};
      else
        outcome = check_write(c, clock, agent, lane, atomic);
    }
    if (!atomic) add(c.read, clock, agent, lane, clock[agent]);
  }
  return outcome;
}

/// Atomics that nothing orders are all remembered; they leave what is pending pending.
void Shadow::set_write(Cell& c, const std::uint32_t* clock, std::uint32_t agent, std::uint32_t lane, std::uint32_t now,
                       bool atomic) {
  if (atomic && c.write.atomic) {
    add(c.write, clock, agent, lane, now);
  } else {
    forget(c.write);
    c.write.clock = now;
    c.write.agent = static_cast<std::uint16_t>(agent);
    c.write.lane = static_cast<std::uint8_t>(lane);
    c.write.pending = false;
  }
  c.write.written = true;
  c.write.atomic = atomic;
  forget(c.read);
}

Shadow::Outcome Shadow::write(std::uint32_t agent, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes,
                              bool atomic, bool modifies) {
  Outcome outcome;
  const std::uint32_t* clock = clocks_->row(agent);
  const std::uint32_t end = (offset + bytes - 1) >> shift_;
  for (std::uint32_t g = offset >> shift_; g <= end; ++g) {
    Cell& c = cells_[g];
    if (outcome.problem == Problem::none) {
      if (c.write.pending && !(atomic && c.write.atomic))
        outcome = check_pending(c, clock, agent, lane);
      else if (modifies && !c.write.written)
        outcome = {Problem::uninitialised, 0, 0};
      else
        outcome = check_write(c, clock, agent, lane, atomic);
      if (outcome.problem == Problem::none) outcome = unordered(c.read, clock, agent, lane, Problem::race_with_read);
    }
    set_write(c, clock, agent, lane, clock[agent], atomic);
  }
  return outcome;
}

Shadow::Outcome Shadow::copy_started(std::uint32_t agent, std::uint32_t lane, std::uint32_t offset,
                                     std::uint32_t bytes) {
  const Outcome outcome = write(agent, lane, offset, bytes, false);
  for (std::uint32_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) cells_[g].write.pending = true;
  return outcome;
}

Shadow::Outcome Shadow::queue_read(std::uint32_t by, std::uint32_t queue, std::uint32_t offset, std::uint32_t bytes) {
  Outcome outcome;
  const std::uint32_t *clock = clocks_->row(by), now = clocks_->of(queue, queue);
  for (std::uint32_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) {
    Cell& c = cells_[g];
    if (outcome.problem == Problem::none) {
      if (c.write.pending)
        outcome = check_pending(c, clock, by, several);
      else if (!c.write.written)
        outcome = {Problem::uninitialised, 0, 0};
      else
        outcome = check_visible(c, clock, by);
    }
    add(c.read, clock, queue, 0, now);
  }
  return outcome;
}

/// For a use of the asynchronous proxy that `by` starts: what was written is ordered before, and visible to the proxy.
Shadow::Outcome Shadow::check_visible(const Cell& c, const std::uint32_t* clock, std::uint32_t by) const {
  const auto judge = [&](std::uint32_t agent, std::uint32_t at, std::uint8_t lane) -> Outcome {
    const auto who = static_cast<std::uint16_t>(agent);
    if (clock[agent] < at) return {Problem::race_with_write, who, lane};
    if (!clocks_->is_queue(agent) && !clocks_->proxy_sees(by, agent, at)) return {Problem::unfenced, who, lane};
    return {};
  };
  if (c.write.agent != many) return judge(c.write.agent, c.write.clock, c.write.lane);
  for (const Entry& e : lists_[c.write.clock]) {
    const Outcome o = judge(e.agent, e.clock, e.lane);
    if (o.problem != Problem::none) return o;
  }
  return {};
}

Shadow::Outcome Shadow::queue_write(std::uint32_t by, std::uint32_t lane, std::uint32_t queue, std::uint32_t offset,
                                    std::uint32_t bytes, Write kind) {
  Outcome outcome;
  const bool atomic = kind != Write::store;
  const std::uint32_t *clock = clocks_->row(by), now = clocks_->of(queue, queue);
  for (std::uint32_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) {
    Cell& c = cells_[g];
    if (outcome.problem == Problem::none) {
      if (atomic && c.write.atomic)
        outcome = {};
      else if (c.write.pending)
        outcome = check_pending(c, clock, by, lane);
      else if (atomic && !c.write.written)
        outcome = {Problem::uninitialised, 0, 0};
      else
        outcome = kind == Write::proxy_reduction ? check_visible(c, clock, by) : check_write(c, clock, by, lane, false);
      if (outcome.problem == Problem::none) outcome = unordered(c.read, clock, by, lane, Problem::race_with_read);
    }
    set_write(c, clock, queue, lane, now, atomic);
    c.write.pending = true;
  }
  return outcome;
}

void Shadow::delivered(std::uint32_t offset, std::uint32_t bytes) {
  for (std::uint32_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) cells_[g].write.pending = false;
}

} // namespace aicf::emulator
