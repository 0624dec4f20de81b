#include "core/structure/properties/profile_facts.hpp"

#include <algorithm>

namespace aicf {
namespace {

/// An element of a result can be had again from its inputs and one stored number a row, in work that no size enters:
/// no reduction of unbounded range is its own, and no recurrence leads to it.
PropertyVerdict decide(const Subject& subject) {
  const Canonical& c = subject.canonical();
  for (const CanonicalValue& out : c.outputs) {
    std::vector<ExprId> open{out.body};
    std::vector<char> seen(c.arena.size(), 0);
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (seen[id] != 0) continue;
      seen[id] = 1;
      const Node& n = c.arena[id];
      std::string why;
      if (is_load(n.op) && n.payload >= c.source->inputs) why = "it follows from all steps of a recurrence before it";
      if (n.op == Op::reduce) {
        auto operands = c.arena.operands(id);
        const bool constant =
            std::all_of(operands.begin(), operands.end() - 2, [&](ExprId o) { return c.arena[o].op == Op::number; });
        const std::size_t rows = free_vars(c.arena, id).size();
        if (rows < out.lo.size()) // shared by a row of results: kept
          continue;
        if (!constant) why = "each element is a reduction of its own, whose length grows with the sizes";
      }
      if (!why.empty()) {
        Instance* instance = subject.instance();
        if (instance != nullptr) {
          const std::vector<bool> reads = instance->reads(flat(instance->results()).front());
          for (std::size_t s = reads.size(); s-- > 0;)
            if (reads[s])
              if (auto at = change(subject, 0, s)) return fails("reductions below each result", why, at);
        }
        return fails("reductions below each result", why);
      }
      for (ExprId o : c.arena.operands(id)) open.push_back(o);
    }
  }
  return holds("reductions below each result", "maps of inputs and of numbers kept for a row");
}

const RegisterProperty register_recomputable{{"recomputable", 1, decide}};

} // namespace
} // namespace aicf
