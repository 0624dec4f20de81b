#include "core/structure/properties/probe.hpp"

#include <algorithm>

namespace aicf {
namespace {

/// Which elements are read depends on sizes alone, never on values: no index, range or predicate of a reduction is
/// computed from a tensor.
PropertyVerdict decide(const Subject& subject) {
  const Canonical& c = subject.canonical();
  std::vector<ExprId> roots;
  for (const auto* list : {&c.values, &c.outputs})
    for (const CanonicalValue& v : *list) roots.push_back(v.body);
  std::vector<char> reads(c.arena.size(), 0); // a value of a tensor is in it
  bool found = false;
  for (ExprId id : reachable(c.arena, roots)) {
    const Node& n = c.arena[id];
    auto operands = c.arena.operands(id);
    bool inside = std::any_of(operands.begin(), operands.end(), [&](ExprId o) { return reads[o] != 0; });
    const bool access = is_load(n.op);
    const std::size_t indices = operands.size() - (n.op == Op::padded_load ? 1 : 0);
    if (access)
      found = found || std::any_of(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(indices),
                                   [&](ExprId o) { return reads[o] != 0; });
    if (n.op == Op::reduce)
      found = found || std::any_of(operands.begin(), operands.end() - 2, [&](ExprId o) { return reads[o] != 0; });
    reads[id] = access || inside ? 1 : 0;
  }
  if (!found) return holds("dependence of every index and range", "indices and ranges are functions of sizes");
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  // other numbers in an index input reach other elements
  for (std::size_t input = 0; input < instance->inputs().size(); ++input) {
    if (instance->inputs()[input].real) continue;
    Instance::Load load = [&](std::size_t i, std::size_t e) {
      ExprId x = instance->element(i, e);
      if (i != input) return x;
      return instance->arena().number(1 - instance->arena().value(x), instance->arena()[x].kind);
    };
    auto changed = instance->written_out(load);
    if (!changed) continue;
    std::vector<ExprId> before = flat(instance->results()), after = flat(*changed);
    for (std::size_t p = 0; p < before.size(); ++p) {
      if (instance->reads(before[p]) == instance->reads(after[p])) continue;
      Random random(mix(subject.seed(), 700));
      std::vector<double> x = sample(*instance, 0, random, 0);
      double l = Values(*instance, {before[p]}).run(x)[0], r = Values(*instance, {after[p]}).run(x)[0];
      return fails("an input that moves what is read", "indices come from " + instance->inputs()[input].name,
                   example(*instance, x, load, p, l, r));
    }
  }
  return fails("dependence of every index and range", "an index is computed from the values of a tensor");
}

const RegisterProperty register_oblivious{{"data_oblivious", 1, decide}};

} // namespace
} // namespace aicf
