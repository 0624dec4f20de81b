#include "core/kernel/simplify.hpp"

#include "core/kernel/walk.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace aicf::ir {
namespace {

using Key =
    std::tuple<Code, Type, Op, Accuracy, bool, DType, std::uint32_t, BufferId, std::uint64_t, std::vector<NodeId>>;

/// Input tensors never change while the kernel runs: equal loads give equal values.
bool repeatable(const Kernel& k, const Node& n) {
  if (n.code == Code::load) {
    const Buffer& b = k.buffers[n.buffer];
    return b.space == Space::global && b.role == Arg::Role::input;
  }
  return is_pure(n);
}

class Common {
 public:
  explicit Common(Kernel& kernel) : k(kernel) {}

  void run(Region& region) {
    scopes_.emplace_back();
    std::erase_if(region.body, [&](NodeId id) {
      Node& n = k.nodes[id];
      for (NodeId& a : n.args) a = target(a);
      for (Region& inner : n.regions) run(inner);
      if (!repeatable(k, n)) return false;
      Key key{n.code,     n.type,        n.op,
              n.accuracy, n.nonnegative, n.dtype,
              n.index,    n.buffer,      std::bit_cast<std::uint64_t>(n.number),
              n.args};
      for (const auto& scope : scopes_)
        if (auto found = scope.find(key); found != scope.end()) {
          if (k.nodes[found->second].name.empty()) k.nodes[found->second].name = n.name;
          same_[id] = found->second;
          return true;
        }
      scopes_.back().emplace(std::move(key), id);
      return false;
    });
    for (NodeId& r : region.results) r = target(r);
    scopes_.pop_back();
  }

 private:
  Kernel& k;
  std::vector<std::map<Key, NodeId>> scopes_;
  Replacement same_;

  NodeId target(NodeId id) const {
    auto found = same_.find(id);
    return found == same_.end() ? id : found->second;
  }
};

class Dead {
 public:
  explicit Dead(Kernel& kernel) : k(kernel), uses_(kernel.nodes.size(), 0), reads_(kernel.buffers.size(), 0) {}

  /// Drops what is dead now; true when something was.
  bool run() {
    for_each_node(k, [&](NodeId id) { count(id); });
    return sweep(k.body);
  }

 private:
  Kernel& k;
  std::vector<int> uses_, reads_;

  static bool reads(const Node& n) { return n.code == Code::load || n.code == Code::extreme || n.code == Code::view; }

  void count(NodeId id) {
    const Node& n = k.nodes[id];
    for (NodeId a : n.args) ++uses_[a];
    for (const Region& r : n.regions)
      for (NodeId a : r.results) ++uses_[a];
    if (reads(n)) ++reads_[n.buffer];
    for (BufferId source : {n.source, n.source2})
      if (source != none) ++reads_[source];
    if (n.code == Code::mma) ++reads_[n.buffer];
  }

  bool only_written(BufferId id) const { return k.buffers[id].space == Space::reg && reads_[id] == 0; }

  bool dead(NodeId id) const {
    const Node& n = k.nodes[id];
    switch (n.code) {
    case Code::alloc:
    case Code::store:
    case Code::renew:
    case Code::copy: return only_written(n.buffer);
    case Code::branch:
    case Code::loop: {
      if (std::all_of(n.regions.begin(), n.regions.end(), [](const Region& r) { return r.body.empty(); })) return true;
      const Node& lo = k.nodes[n.args[0]];
      return n.code == Code::loop && lo.code == Code::constant && !n.halving && iterates(n) &&
             k.nodes[n.args[1]].code == Code::constant && k.nodes[n.args[1]].number <= lo.number;
    }
    default: return !is_statement(n.code) && uses_[id] == 0;
    }
  }

  void forget(NodeId id) {
    const Node& n = k.nodes[id];
    for (NodeId a : n.args) --uses_[a];
    if (reads(n)) --reads_[n.buffer];
    if (n.source != none) --reads_[n.source];
  }

  /// From the last node to the first, so that a chain of dead values goes in one sweep.
  bool sweep(Region& region) {
    bool changed = false;
    std::vector<NodeId> kept;
    for (std::size_t i = region.body.size(); i-- > 0;) {
      NodeId id = region.body[i];
      for (Region& inner : k.nodes[id].regions) changed = sweep(inner) || changed;
      bool idle_note = k.nodes[id].code == Code::note && kept.empty();
      if (!idle_note && !dead(id)) {
        kept.push_back(id);
        continue;
      }
      forget(id);
      changed = true;
    }
    region.body.assign(kept.rbegin(), kept.rend());
    return changed;
  }
};

} // namespace

void simplify(Kernel& kernel) {
  Common(kernel).run(kernel.body);
  while (Dead(kernel).run()) {
  }
}

} // namespace aicf::ir
