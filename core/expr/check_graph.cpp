#include "core/expr/check_graph.hpp"

#include <algorithm>

namespace aicf::check {

std::vector<std::vector<std::uint32_t>> strong_components(const std::vector<std::vector<std::uint32_t>>& edges) {
  // Tarjan's algorithm with an explicit stack of (node, next edge).
  constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint32_t> order(edges.size(), none), low(edges.size(), 0), pending;
  std::vector<bool> waiting(edges.size(), false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  std::vector<std::vector<std::uint32_t>> components;
  std::uint32_t count = 0;
  auto enter = [&](std::uint32_t node) {
    order[node] = low[node] = count++;
    pending.push_back(node);
    waiting[node] = true;
    stack.emplace_back(node, 0);
  };
  for (std::uint32_t root = 0; root < edges.size(); ++root) {
    if (order[root] != none) continue;
    enter(root);
    while (!stack.empty()) {
      std::uint32_t node = stack.back().first;
      if (stack.back().second < edges[node].size()) {
        std::uint32_t next = edges[node][stack.back().second++];
        if (order[next] == none) {
          enter(next);
        } else if (waiting[next]) {
          low[node] = std::min(low[node], order[next]);
        }
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) low[stack.back().first] = std::min(low[stack.back().first], low[node]);
      if (low[node] != order[node]) continue;
      std::vector<std::uint32_t>& component = components.emplace_back();
      std::uint32_t member = none;
      do {
        member = pending.back();
        pending.pop_back();
        waiting[member] = false;
        component.push_back(member);
      } while (member != node);
      std::sort(component.begin(), component.end());
    }
  }
  return components;
}

} // namespace aicf::check
