#include "core/exec/emulator/global_races.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace aicf::emulator {
namespace {

bool writes(GlobalUse u) { return u == GlobalUse::write || u == GlobalUse::strong_write; }
bool strong(GlobalUse u) { return u == GlobalUse::strong_read || u == GlobalUse::strong_write; }

constexpr std::size_t max_comparisons = 2'000'000; ///< of pairs: a launch with more is compared no further

} // namespace

void GlobalTrace::begin_block(std::uint32_t block, std::uint32_t group) {
  for (const auto pc : touched_) last_[pc] = none;
  touched_.clear();
  block_ = block;
  group_ = group;
  epoch = 0;
  first_ = ranges_.size();
  next_compaction_ = first_ + 4096;
}

void GlobalTrace::append(std::uint32_t pc, GlobalUse use, std::uint64_t begin, std::uint64_t end) {
  if (full_) return;
  if (ranges_.size() >= next_compaction_) {
    compact();
    next_compaction_ = std::max(first_ + 4096, ranges_.size() + (ranges_.size() - first_));
    if (ranges_.size() >= most) {
      full_ = true;
      return;
    }
  }
  if (last_[pc] == none) touched_.push_back(pc);
  last_[pc] = static_cast<std::uint32_t>(ranges_.size());
  ranges_.push_back({begin, end, block_, group_, epoch, pc, use});
}

void GlobalTrace::compact() {
  const auto from = ranges_.begin() + static_cast<std::ptrdiff_t>(first_);
  std::sort(from, ranges_.end(), [](const GlobalRange& a, const GlobalRange& b) {
    return std::tie(a.use, a.epoch, a.begin) < std::tie(b.use, b.epoch, b.begin);
  });
  std::size_t kept = first_;
  for (std::size_t i = first_; i < ranges_.size(); ++i) {
    if (kept > first_) {
      GlobalRange& r = ranges_[kept - 1];
      const GlobalRange& n = ranges_[i];
      if (r.use == n.use && r.epoch == n.epoch && n.begin <= r.end) {
        r.end = std::max(r.end, n.end);
        continue;
      }
    }
    ranges_[kept++] = ranges_[i];
  }
  ranges_.resize(kept);
  for (const auto pc : touched_) last_[pc] = none;
  touched_.clear();
}

void GlobalOrder::strong_access(std::uint64_t address, std::uint32_t block, bool releases, std::uint32_t& epoch) {
  const auto found = releases_.find(address);
  if (found == releases_.end() && !releases) return;
  if (full()) return;
  const std::uint32_t before = epoch++;
  ++entries_;
  auto& list = found == releases_.end() ? releases_[address] : found->second;
  if (!list.empty()) {
    auto& mine = acquired_[block];
    // A flag that is asked again and again gives what it gave before.
    const bool known = !mine.empty() && mine.back().address == address && mine.back().length == list.size();
    if (!known) mine.push_back({epoch, address, list.size()});
  }
  if (releases) list.push_back({block, before});
}

bool GlobalOrder::before(std::uint32_t a, std::uint32_t ea, std::uint32_t b, std::uint32_t eb) const {
  // Backwards from b: whatever it acquired until eb, and what those that released had acquired until then.
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open{{b, eb}};
  std::map<std::uint64_t, std::size_t> done; // of each address: the releases looked at
  while (!open.empty()) {
    const auto [block, epoch] = open.back();
    open.pop_back();
    const auto it = acquired_.find(block);
    if (it == acquired_.end()) continue;
    for (const Acquisition& q : it->second) {
      if (q.epoch > epoch) continue;
      const auto& list = releases_.at(q.address);
      for (std::size_t i = done[q.address]; i < q.length; ++i) {
        if (list[i].block == a && list[i].epoch >= ea) return true;
        if (seen.emplace(list[i].block, list[i].epoch).second) open.emplace_back(list[i].block, list[i].epoch);
      }
      done[q.address] = std::max(done[q.address], q.length);
    }
  }
  return false;
}

std::vector<GlobalRace> find_races(std::vector<GlobalRange> ranges, const GlobalOrder& order, std::size_t limit) {
  std::vector<GlobalRace> found;
  if (order.full()) return found;
  std::vector<GlobalRange> stores;
  std::copy_if(ranges.begin(), ranges.end(), std::back_inserter(stores), [](const auto& r) { return writes(r.use); });
  const auto by_begin = [](const GlobalRange& a, const GlobalRange& b) {
    return std::tie(a.begin, a.block, a.pc) < std::tie(b.begin, b.block, b.pc);
  };
  std::sort(stores.begin(), stores.end(), by_begin);
  std::sort(ranges.begin(), ranges.end(), by_begin);
  std::vector<std::uint64_t> reach(stores.size()); // the largest end so far
  for (std::size_t i = 0; i < stores.size(); ++i) reach[i] = std::max(i == 0 ? 0 : reach[i - 1], stores[i].end);
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported;
  std::size_t compared = 0;
  for (const GlobalRange& r : ranges) {
    // Stores from the first that may reach r to the last that begins inside it.
    auto i = static_cast<std::size_t>(std::upper_bound(reach.begin(), reach.end(), r.begin) - reach.begin());
    for (; i < stores.size() && stores[i].begin < r.end; ++i) {
      const GlobalRange& s = stores[i];
      if (s.end <= r.begin || s.group == r.group || (strong(s.use) && strong(r.use))) continue;
      if (writes(r.use) && s.block > r.block) continue; // the same pair the other way round
      if (++compared > max_comparisons) return found;
      if (order.before(s.block, s.epoch, r.block, r.epoch) || order.before(r.block, r.epoch, s.block, s.epoch))
        continue;
      if (!reported.emplace(s.pc, r.pc).second) continue;
      found.push_back({s, r});
      if (found.size() >= limit) return found;
    }
  }
  return found;
}

} // namespace aicf::emulator
