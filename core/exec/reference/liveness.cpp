#include "core/exec/reference/liveness.hpp"

#include "core/expr/normal.hpp"

#include <algorithm>

namespace aicf::reference {
namespace {

std::vector<TensorId> reads(const Definition& d, const Statement& s) {
  std::vector<ExprId> roots = s.lo;
  roots.insert(roots.end(), s.hi.begin(), s.hi.end());
  roots.push_back(s.body);
  for (const Initial& i : s.initial) {
    roots.insert(roots.end(), i.indices.begin(), i.indices.end());
    roots.push_back(i.value);
  }
  std::vector<TensorId> out;
  for (ExprId id : nodes_below(d.arena, roots))
    if (is_load(d.arena[id].op)) out.push_back(d.arena[id].payload);
  return out;
}

} // namespace

Liveness liveness(const Definition& d) {
  Liveness out;
  out.needed.assign(d.tensors.size(), false);
  out.dies_after.resize(d.statements.size());
  std::vector<std::size_t> last(d.tensors.size(), 0);
  for (TensorId t : d.outputs) out.needed[t] = true;
  for (std::size_t end = d.statements.size(); end > 0;) { // by groups, last first: operands stand before their readers
    std::size_t begin = end - 1;
    while (begin > 0 && d.statements[begin - 1].group == d.statements[end - 1].group) --begin;
    bool any = false;
    for (std::size_t i = begin; i < end; ++i) any = any || out.needed[d.statements[i].target];
    for (std::size_t i = begin; i < end && any; ++i) {
      out.needed[d.statements[i].target] = true;
      last[d.statements[i].target] = std::max(last[d.statements[i].target], end - 1);
      for (TensorId t : reads(d, d.statements[i])) {
        out.needed[t] = true;
        last[t] = std::max(last[t], end - 1);
      }
    }
    end = begin;
  }
  for (TensorId t = static_cast<TensorId>(d.inputs); t < d.tensors.size(); ++t)
    if (out.needed[t] && std::find(d.outputs.begin(), d.outputs.end(), t) == d.outputs.end())
      out.dies_after[last[t]].push_back(t);
  return out;
}

} // namespace aicf::reference
