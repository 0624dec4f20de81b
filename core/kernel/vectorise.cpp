#include "core/kernel/vectorise.hpp"

#include "core/kernel/walk.hpp"

#include <algorithm>

namespace aicf::ir {
namespace {

constexpr std::uint32_t least_bytes = 4; // below a word a packed access saves nothing

/// Matches one loop and gives the copy's arguments at its first element.
class Match {
 public:
  Match(const Kernel& kernel, NodeId loop) : k(kernel), n(kernel.nodes[loop]), var_(n.regions[0].params[0]) {}

  [[nodiscard]] bool found() {
    for (NodeId id : n.regions[0].body) {
      const Node& inner = k.nodes[id];
      if (inner.code == Code::copy && copy == none && inner.width == 1)
        copy = id;
      else if (!is_pure(inner))
        return false;
    }
    if (copy == none) return false;
    const Node& c = k.nodes[copy];
    std::size_t there = index_count(k.buffers[c.buffer]);
    std::size_t bytes = std::max(size_of(k.buffers[c.buffer].dtype), size_of(k.buffers[c.source].dtype));
    if (k.nodes[n.args[1]].number * static_cast<double>(bytes) < least_bytes) return false;
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      bool last = i + 1 == there || i + 1 == c.args.size();
      if (!last && inside(c.args[i])) return false;
      if (last && !start(c.args[i])) return false;
    }
    return true;
  }

  NodeId copy = none;
  /// arg -> its value at element 0; none: the constant 0.
  std::vector<std::pair<NodeId, NodeId>> starts;

 private:
  const Kernel& k;
  const Node& n;
  NodeId var_;

  /// The loop's variable, in whatever width.
  [[nodiscard]] bool counts(NodeId id) const {
    return id == var_ || (k.nodes[id].code == Code::convert && k.nodes[id].args[0] == var_);
  }

  [[nodiscard]] bool inside(NodeId id) const {
    const auto& body = n.regions[0].body;
    return id == var_ || std::find(body.begin(), body.end(), id) != body.end();
  }

  bool start(NodeId index) {
    if (counts(index)) return starts.emplace_back(index, none), true;
    const Node& i = k.nodes[index];
    if (i.code != Code::apply || i.op != Op::add || !inside(index)) return false;
    for (std::size_t s = 0; s < 2; ++s)
      if (counts(i.args[s]) && !inside(i.args[1 - s])) return starts.emplace_back(index, i.args[1 - s]), true;
    return false;
  }
};

} // namespace

void vectorise(Kernel& kernel) {
  rewrite(kernel, [](Builder& b, NodeId id) {
    const Node& n = b.k.nodes[id];
    if (n.code != Code::loop || n.binding != Binding::vector) return true;
    auto width = static_cast<std::uint32_t>(b.k.nodes[n.args[1]].number);
    Match match(b.k, id);
    if (!match.found()) return true;
    Node copy = b.k.nodes[match.copy];
    copy.width = width;
    for (auto [index, start] : match.starts) {
      NodeId first = start == none ? b.integer(0) : start;
      std::replace(copy.args.begin(), copy.args.end(), index, first);
    }
    b.statement(std::move(copy));
    return false;
  });
}

} // namespace aicf::ir
