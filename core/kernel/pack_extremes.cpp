#include "core/kernel/pack_extremes.hpp"

#include "core/kernel/walk.hpp"

#include <algorithm>
#include <optional>

namespace aicf::ir {
namespace {

constexpr double least_elements = 4; // below two words there is nothing to do at a time

/// variable = op(variable, element of the group): nodes of the body of a loop over the elements of packed groups.
struct Step {
  NodeId store = none, combined = none, variable = none, element = none;
};

class Match {
 public:
  Match(const Kernel& kernel, NodeId loop) : k(kernel), n(kernel.nodes[loop]) {}

  [[nodiscard]] std::vector<Step> steps() const {
    std::vector<Step> found;
    for (NodeId id : n.regions[0].body)
      if (auto step = step_of(id)) found.push_back(*step);
    return found;
  }

 private:
  const Kernel& k;
  const Node& n;

  [[nodiscard]] std::optional<Step> step_of(NodeId id) const {
    const Node& store = k.nodes[id];
    if (store.code != Code::store || store.args.size() != 1 || k.buffers[store.buffer].space != Space::reg) return {};
    const Node& value = k.nodes[store.args[0]];
    if (value.code != Code::apply || (value.op != Op::max && value.op != Op::min) || value.type != Type::f32) return {};
    Step s{id, store.args[0], none, none};
    for (NodeId a : value.args) {
      const Node& operand = k.nodes[a];
      if (operand.code == Code::load && operand.buffer == store.buffer)
        s.variable = a;
      else if (of_group(operand))
        s.element = a;
    }
    if (s.variable == none || s.element == none || touched(store.buffer) != 2) return {};
    if (uses(s.combined) != 1 || uses(s.variable) != 1) return {};
    return s;
  }

  /// An element of a packed group in registers, at the loop's place in it.
  [[nodiscard]] bool of_group(const Node& load) const {
    if (load.code != Code::load) return false;
    const Buffer& b = k.buffers[load.buffer];
    if (!is_packed_halves(b) || load.args.size() != b.layout.shape.size()) return false;
    return load.args.back() == n.regions[0].params[0] &&
           static_cast<double>(b.layout.shape.back()) == k.nodes[n.args[1]].number && written(load.buffer) == 0;
  }

  /// Nodes of the loop of a kind.
  template <class Is> [[nodiscard]] int count(const Is& is) const {
    int found = 0;
    for_each_node(k, n.regions[0], [&](NodeId id) { found += is(k.nodes[id]) ? 1 : 0; });
    return found;
  }
  [[nodiscard]] int uses(NodeId value) const {
    return count([&](const Node& inner) {
      auto uses = [&](const std::vector<NodeId>& of) { return std::find(of.begin(), of.end(), value) != of.end(); };
      return uses(inner.args) ||
             std::any_of(inner.regions.begin(), inner.regions.end(), [&](const Region& r) { return uses(r.results); });
    });
  }
  static bool names(const Node& node, BufferId buffer) {
    return node.buffer == buffer || node.source == buffer || node.source2 == buffer;
  }
  [[nodiscard]] int touched(BufferId buffer) const {
    return count([&](const Node& inner) { return names(inner, buffer); });
  }
  [[nodiscard]] int written(BufferId buffer) const {
    return count([&](const Node& inner) { return is_statement(inner.code) && names(inner, buffer); });
  }
};

/// Before the loop, what the step does to the whole group.
void at_once(Builder& b, const Step& step) {
  BufferId variable = b.k.nodes[step.store].buffer, group = b.k.nodes[step.element].buffer;
  Op op = b.k.nodes[step.combined].op;
  std::vector<NodeId> first = b.k.nodes[step.element].args;
  first.back() = b.integer(0);
  NodeId before = b.load(variable);
  b.store(variable, {}, b.apply(op, {before, b.extreme(op, group, std::move(first))}));
}

} // namespace

void pack_extremes(Kernel& kernel) {
  rewrite(kernel, [](Builder& b, NodeId id) {
    const Node& n = b.k.nodes[id];
    if (n.code != Code::loop || n.binding != Binding::vector) return true;
    const Node &lo = b.k.nodes[n.args[0]], &hi = b.k.nodes[n.args[1]];
    if (lo.number != 0 || hi.number < least_elements) return true;
    std::vector<Step> steps = Match(b.k, id).steps();
    for (const Step& step : steps) at_once(b, step);
    std::vector<NodeId>& body = b.k.nodes[id].regions[0].body;
    std::erase_if(body, [&](NodeId inner) {
      return std::any_of(steps.begin(), steps.end(),
                         [&](const Step& s) { return inner == s.store || inner == s.combined || inner == s.variable; });
    });
    return std::any_of(body.begin(), body.end(), [&](NodeId inner) { return is_statement(b.k.nodes[inner].code); });
  });
}

} // namespace aicf::ir
