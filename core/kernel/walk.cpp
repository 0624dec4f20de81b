#include "core/kernel/walk.hpp"

namespace aicf::ir {
namespace {

NodeId target(const Replacement& with, NodeId id) {
  for (auto found = with.find(id); found != with.end(); found = with.find(id)) id = found->second;
  return id;
}

void rewrite_region(Builder& b, NodeId owner, std::size_t region, const std::function<bool(Builder&, NodeId)>& visit) {
  std::vector<NodeId> old = std::move(region_of(b.k, owner, region).body);
  region_of(b.k, owner, region).body.clear();
  b.inside(owner, region, [&] {
    for (NodeId id : old) {
      for (std::size_t r = 0; r < b.k.nodes[id].regions.size(); ++r) rewrite_region(b, id, r, visit);
      if (visit(b, id)) region_of(b.k, owner, region).body.push_back(id);
    }
  });
}

void depths(const Kernel& k, const Region& region, int depth, std::vector<int>& out) {
  for (NodeId id : region.params) out[id] = depth;
  for (NodeId id : region.body) {
    out[id] = depth;
    for (const Region& inner : k.nodes[id].regions) depths(k, inner, depth + (iterates(k.nodes[id]) ? 1 : 0), out);
  }
}

} // namespace

void for_each_node(const Kernel& kernel, const std::function<void(NodeId)>& visit) {
  for_each_node(kernel, kernel.body, visit);
}

void for_each_node(const Kernel& kernel, const Region& region, const std::function<void(NodeId)>& visit) {
  for (NodeId id : region.body) {
    visit(id);
    for (const Region& inner : kernel.nodes[id].regions) for_each_node(kernel, inner, visit);
  }
}

void replace_uses(Kernel& kernel, const Replacement& with) {
  if (with.empty()) return;
  for_each_node(kernel, [&](NodeId id) {
    Node& n = kernel.nodes[id];
    for (NodeId& a : n.args) a = target(with, a);
    for (Region& r : n.regions)
      for (NodeId& a : r.results) a = target(with, a);
  });
}

void rewrite(Kernel& kernel, const std::function<bool(Builder&, NodeId)>& visit) {
  Builder b(kernel);
  rewrite_region(b, none, 0, visit);
}

std::vector<NodeId> inline_region(Builder& builder, const Region& region, const std::vector<NodeId>& args) {
  Region copy = region; // the node that owns it moves as nodes are made
  std::unordered_map<NodeId, NodeId> map;
  for (std::size_t i = 0; i < copy.params.size(); ++i) map[copy.params[i]] = args.at(i);
  auto mapped = [&](NodeId id) {
    auto found = map.find(id);
    return found == map.end() ? id : found->second;
  };
  for (NodeId id : copy.body) {
    Node n = builder.k.nodes[id];
    for (NodeId& a : n.args) a = mapped(a);
    map[id] = builder.statement(std::move(n));
  }
  std::vector<NodeId> results;
  for (NodeId r : copy.results) results.push_back(mapped(r));
  return results;
}

std::vector<int> loop_depths(const Kernel& kernel) {
  std::vector<int> out(kernel.nodes.size(), 0);
  depths(kernel, kernel.body, 0, out);
  return out;
}

} // namespace aicf::ir
