#include "core/expr/free_vars.hpp"

#include <algorithm>
#include <iterator>

namespace aicf {

const std::vector<VarId>& FreeVars::of(ExprId id) {
  for (auto next = static_cast<ExprId>(known_.size()); next <= id; ++next) {
    const Node& n = (*arena_)[next];
    std::uint32_t set = n.op == Op::index ? intern({n.payload}) : 0;
    for (ExprId operand : arena_->operands(next)) set = unite(set, known_[operand]);
    if (n.op == Op::reduce) set = without(set, arena_->reduction(next).vars);
    known_.push_back(set);
  }
  return sets_[known_[id]];
}

std::uint32_t FreeVars::intern(std::vector<VarId> set) {
  auto [it, fresh] = ids_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(it->first);
  return it->second;
}

std::uint32_t FreeVars::unite(std::uint32_t a, std::uint32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  std::uint64_t key = std::uint64_t{std::min(a, b)} << 32U | std::max(a, b);
  if (auto found = unions_.find(key); found != unions_.end()) return found->second;
  std::vector<VarId> all;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(all));
  return unions_[key] = intern(std::move(all));
}

std::uint32_t FreeVars::without(std::uint32_t a, const std::vector<VarId>& vars) {
  std::vector<VarId> rest;
  for (VarId v : sets_[a])
    if (std::find(vars.begin(), vars.end(), v) == vars.end()) rest.push_back(v);
  return rest.size() == sets_[a].size() ? a : intern(std::move(rest));
}

} // namespace aicf
