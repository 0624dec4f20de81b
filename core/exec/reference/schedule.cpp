#include "core/exec/reference/schedule.hpp"

#include "core/expr/normal.hpp"

#include <algorithm>
#include <array>

namespace aicf::reference {
namespace {

struct Shift {
  std::size_t axis = 0; ///< of the reader
  std::int64_t by = 0;
};

/// A read of `from` by `to`: each axis of `from` that is an axis of the reader plus a constant.
struct Edge {
  std::size_t from = 0, to = 0;
  std::vector<std::optional<Shift>> axes;
};

constexpr std::size_t unknown = static_cast<std::size_t>(-1);

class Scheduler {
 public:
  Scheduler(const Definition& d, AffineForms& affine, const std::vector<const Statement*>& group) : group_(group) {
    std::unordered_map<TensorId, std::size_t> member;
    for (std::size_t i = 0; i < group.size(); ++i) member[group[i]->target] = i;
    for (std::size_t to = 0; to < group.size(); ++to) {
      const Statement& s = *group[to];
      for (ExprId id : nodes_below(d.arena, std::array{s.body})) {
        const Node& n = d.arena[id];
        if (!is_load(n.op)) continue;
        auto found = member.find(n.payload);
        if (found == member.end()) continue;
        Edge edge{found->second, to, {}};
        for (std::size_t k = 0; k < group[edge.from]->vars.size(); ++k) {
          const Affine* form = affine.of(d.arena.operand(id, k));
          edge.axes.emplace_back();
          if (form == nullptr || form->terms.size() != 1 || form->terms[0].second != 1) continue;
          auto at = std::find(s.vars.begin(), s.vars.end(), form->terms[0].first);
          if (at != s.vars.end())
            edge.axes.back() = Shift{static_cast<std::size_t>(at - s.vars.begin()), form->constant};
        }
        edges_.push_back(std::move(edge));
      }
    }
  }

  std::optional<std::vector<Step>> run() {
    std::vector<std::size_t> all(group_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    std::vector<const Edge*> edges;
    for (const Edge& e : edges_) edges.push_back(&e);
    return order(all, edges);
  }

 private:
  /// Strongly connected components, operands first (Tarjan, with a stack of its own).
  std::vector<std::vector<std::size_t>> components(const std::vector<std::size_t>& members,
                                                   const std::vector<const Edge*>& edges) {
    std::unordered_map<std::size_t, std::vector<std::size_t>> reads;
    for (const Edge* e : edges) reads[e->to].push_back(e->from);
    std::unordered_map<std::size_t, std::size_t> number, low;
    std::unordered_map<std::size_t, bool> on_stack;
    std::vector<std::size_t> stack;
    std::vector<std::vector<std::size_t>> out;
    for (std::size_t root : members) {
      if (number.contains(root)) continue;
      std::vector<std::pair<std::size_t, std::size_t>> calls{{root, 0}};
      while (!calls.empty()) {
        auto [v, next] = calls.back();
        if (next == 0 && !number.contains(v)) {
          std::size_t order = number.size();
          number[v] = low[v] = order;
          stack.push_back(v);
          on_stack[v] = true;
        }
        const auto& below = reads[v];
        if (next < below.size()) {
          ++calls.back().second;
          std::size_t w = below[next];
          if (!number.contains(w))
            calls.emplace_back(w, 0);
          else if (on_stack[w])
            low[v] = std::min(low[v], number[w]);
          continue;
        }
        calls.pop_back();
        if (!calls.empty()) low[calls.back().first] = std::min(low[calls.back().first], low[v]);
        if (low[v] != number[v]) continue;
        std::vector<std::size_t>& component = out.emplace_back();
        do {
          component.push_back(stack.back());
          on_stack[stack.back()] = false;
          stack.pop_back();
        } while (component.back() != v);
      }
    }
    return out;
  }

  /// Axes of the members of a cycle that all its reads shift in one direction or leave as they are, not all the latter.
  bool find_axes(const std::vector<std::size_t>& members, const std::vector<const Edge*>& edges,
                 std::vector<std::size_t>& axis, bool& backward) {
    for (std::size_t first = 0; first < group_[members[0]]->vars.size(); ++first) {
      std::fill(axis.begin(), axis.end(), unknown);
      axis[members[0]] = first;
      bool moved = true, fits = true;
      while (moved && fits) { // along each read, either way
        moved = false;
        for (const Edge* e : edges) {
          if (axis[e->from] == unknown && axis[e->to] != unknown) {
            for (std::size_t k = 0; k < e->axes.size(); ++k)
              if (e->axes[k] && e->axes[k]->axis == axis[e->to]) axis[e->from] = k;
            fits = fits && axis[e->from] != unknown;
            moved = fits;
          } else if (axis[e->to] == unknown && axis[e->from] != unknown) {
            const auto& shift = e->axes[axis[e->from]];
            fits = fits && shift.has_value();
            if (shift) axis[e->to] = shift->axis;
            moved = fits;
          }
        }
      }
      bool negative = false, positive = false;
      for (const Edge* e : edges) {
        if (!fits) break;
        const auto& shift = e->axes[axis[e->from]];
        fits = shift && shift->axis == axis[e->to];
        if (!fits) break;
        negative = negative || shift->by < 0;
        positive = positive || shift->by > 0;
      }
      if (!fits || negative == positive) continue;
      backward = positive;
      return true;
    }
    return false;
  }

  // Nests at most as deep as the rank of a tensor.
  std::optional<std::vector<Step>> order(const std::vector<std::size_t>& members,
                                         const std::vector<const Edge*>& edges) {
    std::vector<Step> steps;
    for (const auto& component : components(members, edges)) {
      std::vector<const Edge*> inside;
      auto in = [&](std::size_t v) { return std::find(component.begin(), component.end(), v) != component.end(); };
      for (const Edge* e : edges)
        if (in(e->from) && in(e->to)) inside.push_back(e);
      Step step;
      if (inside.empty()) {
        step.statement = group_[component[0]];
        steps.push_back(std::move(step));
        continue;
      }
      std::vector<std::size_t> axis(group_.size(), unknown);
      if (!find_axes(component, inside, axis, step.backward)) return std::nullopt;
      for (std::size_t m : component) step.axes.emplace_back(group_[m], axis[m]);
      std::erase_if(inside, [&](const Edge* e) { return e->axes[axis[e->from]]->by != 0; });
      auto nested = order(component, inside);
      if (!nested) return std::nullopt;
      step.inside = std::move(*nested);
      steps.push_back(std::move(step));
    }
    return steps;
  }

  const std::vector<const Statement*>& group_;
  std::vector<Edge> edges_;
};

} // namespace

std::optional<std::vector<Step>> schedule(const Definition& definition, AffineForms& affine,
                                          const std::vector<const Statement*>& group) {
  return Scheduler(definition, affine, group).run();
}

} // namespace aicf::reference
