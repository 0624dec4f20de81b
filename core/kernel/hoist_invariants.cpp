#include "core/kernel/hoist_invariants.hpp"

#include "core/kernel/walk.hpp"

#include <algorithm>
#include <iterator>

namespace aicf::ir {
namespace {

class Hoisting {
 public:
  explicit Hoisting(Kernel& kernel) : k(kernel), depth_(loop_depths(kernel)) {}

  void run(NodeId owner, std::size_t region) {
    std::vector<NodeId> old = std::move(region_of(k, owner, region).body), kept;
    for (NodeId id : old) {
      if (movable(k.nodes[id])) {
        int needed = 0;
        for (NodeId a : k.nodes[id].args) needed = std::max(needed, depth_[a]);
        if (needed < static_cast<int>(before_.size())) {
          depth_[id] = needed;
          before_[static_cast<std::size_t>(needed)].push_back(id);
          continue;
        }
      }
      bool loop = iterates(k.nodes[id]);
      if (loop) before_.emplace_back();
      for (std::size_t r = 0; r < k.nodes[id].regions.size(); ++r) run(id, r);
      if (loop) {
        auto at = kept.end(); // in front of the loop's own notes
        while (at != kept.begin() && k.nodes[*std::prev(at)].code == Code::note) --at;
        kept.insert(at, before_.back().begin(), before_.back().end());
        before_.pop_back();
      }
      kept.push_back(id);
    }
    region_of(k, owner, region).body = std::move(kept);
  }

 private:
  Kernel& k;
  std::vector<int> depth_;
  std::vector<std::vector<NodeId>> before_; ///< for each enclosing loop, what goes in front of it

  bool movable(const Node& n) const {
    if (n.code != Code::load) return is_pure(n);
    const Buffer& b = k.buffers[n.buffer];
    return b.space == Space::global && b.role == Arg::Role::input && n.args.size() > index_count(b);
  }
};

} // namespace

void hoist_invariants(Kernel& kernel) { Hoisting(kernel).run(none, 0); }

} // namespace aicf::ir
