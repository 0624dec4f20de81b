// Vector clocks of the agents of a cluster: what each knows to have happened before. An agent is a warp, or a queue of
// asynchronous work whose parts are known to be done in their order: what signals one mbarrier, the bulk groups of a
// warp, its wgmma groups. A block's agents are its warps, then its queues.
//
// A second half of each clock, kept only where a kernel uses the asynchronous proxy, says up to where fence.proxy.async
// has made writes of each agent visible to that proxy; it travels with the same barriers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace aicf::emulator {

class Clocks {
 public:
  /// A clock that was given away at an arrival, joined over all that arrived.
  using Joined = std::vector<std::uint32_t>;

  /// Of each of `blocks`; without queues nothing is kept for the asynchronous proxy.
  void reset(std::uint32_t blocks, std::uint32_t warps, std::uint32_t queues) {
    warps_ = warps;
    per_block_ = warps + queues;
    agents_ = blocks * per_block_;
    row_ = queues != 0 ? 2 * agents_ : agents_;
    values_.assign(std::size_t{agents_} * row_, 0);
    for (std::uint32_t a = 0; a < agents_; ++a) own(a) = 1;
  }
  [[nodiscard]] std::uint32_t agent(std::uint32_t rank, std::uint32_t index) const { return rank * per_block_ + index; }
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t agent) const { return agent / per_block_; }
  [[nodiscard]] std::uint32_t index_of(std::uint32_t agent) const { return agent % per_block_; }
  [[nodiscard]] bool is_queue(std::uint32_t agent) const { return index_of(agent) >= warps_; }
  [[nodiscard]] std::uint32_t queues() const { return per_block_ - warps_; }
  [[nodiscard]] std::uint32_t agents() const { return agents_; }
  [[nodiscard]] std::uint32_t of(std::uint32_t agent, std::uint32_t other) const {
    return values_[std::size_t{agent} * row_ + other];
  }
  /// What `agent` knows of each agent.
  [[nodiscard]] const std::uint32_t* row(std::uint32_t agent) const {
    return values_.data() + std::size_t{agent} * row_;
  }
  std::uint32_t& own(std::uint32_t agent) { return values_[std::size_t{agent} * row_ + agent]; }
  void advance(std::uint32_t agent) { ++own(agent); }
  /// What `agent` did until now is known to whoever acquires `into`.
  void release(std::uint32_t agent, Joined& into) {
    const auto* row = values_.data() + std::size_t{agent} * row_;
    if (into.empty()) into.assign(row_, 0);
    for (std::uint32_t k = 0; k < row_; ++k) into[k] = std::max(into[k], row[k]);
    advance(agent);
  }
  void acquire(std::uint32_t agent, const Joined& from) {
    auto* row = values_.data() + std::size_t{agent} * row_;
    for (std::size_t k = 0; k < from.size(); ++k) row[k] = std::max(row[k], from[k]);
  }
  static void join(Joined& into, const Joined& from) {
    if (into.empty()) into.assign(from.size(), 0);
    for (std::size_t k = 0; k < from.size(); ++k) into[k] = std::max(into[k], from[k]);
  }
  /// `agent` has waited for what `other` did up to its own `clock`.
  void see(std::uint32_t agent, std::uint32_t other, std::uint32_t clock) {
    auto& v = values_[std::size_t{agent} * row_ + other];
    v = std::max(v, clock);
  }
  /// The same for whoever acquires `into`.
  void note(Joined& into, std::uint32_t other, std::uint32_t clock) const {
    if (into.empty()) into.assign(row_, 0);
    into[other] = std::max(into[other], clock);
  }
  /// A fence joins and advances through one clock, so that data passed with fences and flags is ordered.
  void fence(std::uint32_t agent, Joined& through) {
    if (!through.empty()) acquire(agent, through);
    release(agent, through);
  }
  /// fence.proxy.async: what `agent` knows is now visible to the asynchronous proxy too.
  void fence_proxy(std::uint32_t agent) {
    if (row_ == agents_) return;
    auto* row = values_.data() + std::size_t{agent} * row_;
    for (std::uint32_t k = 0; k < agents_; ++k) row[agents_ + k] = std::max(row[agents_ + k], row[k]);
  }
  [[nodiscard]] bool proxy_sees(std::uint32_t agent, std::uint32_t other, std::uint32_t clock) const {
    return row_ == agents_ || values_[std::size_t{agent} * row_ + agents_ + other] >= clock;
  }

 private:
  std::vector<std::uint32_t> values_;
  std::uint32_t agents_ = 0, row_ = 0, warps_ = 0, per_block_ = 1;
};

} // namespace aicf::emulator
