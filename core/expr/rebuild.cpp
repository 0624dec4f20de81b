#include "core/expr/rebuild.hpp"

#include "core/expr/normal.hpp"
#include "core/expr/structure_key.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>

namespace aicf {
namespace {

bool commutative(ReducerId reducer) {
  switch (static_cast<Builtin>(reducer)) {
  case Builtin::sum:
  case Builtin::prod:
  case Builtin::max:
  case Builtin::min:
  case Builtin::any:
  case Builtin::all: return true;
  default: return false; // argmax and argmin name a position, user reducers are folds
  }
}

std::vector<VarId> free_of(FreeVars& free, std::span<const ExprId> roots) {
  std::vector<VarId> all;
  for (ExprId root : roots) {
    const std::vector<VarId>& vars = free.of(root);
    all.insert(all.end(), vars.begin(), vars.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Every order of the positions that keeps ascending keys: equal keys are permuted.
bool next_order(std::vector<std::size_t>& order, const std::vector<std::uint64_t>& keys) {
  do {
    if (!std::next_permutation(order.begin(), order.end())) return false;
  } while (
      !std::is_sorted(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; }));
  return true;
}

} // namespace

std::uint32_t Levels::of(ExprId id) {
  for (auto next = static_cast<ExprId>(known_.size()); next <= id; ++next) {
    std::uint32_t level = 0;
    for (ExprId operand : arena_->operands(next)) level = std::max(level, known_[operand]);
    if ((*arena_)[next].op == Op::reduce)
      for (VarId v : arena_->reduction(next).vars)
        if (v >= bound_base && v < temporary_base) level = std::max(level, v - bound_base + 1);
    known_.push_back(level);
  }
  return known_[id];
}

std::vector<ExprId> Rebuilder::below(ExprId root, const Map& with) const {
  std::unordered_set<ExprId> seen{root};
  std::vector<ExprId> stack{root}, found;
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    found.push_back(id);
    if (with.contains(id)) continue;
    for (ExprId operand : arena_->operands(id))
      if (seen.insert(operand).second) stack.push_back(operand);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool Rebuilder::may_capture(ExprId root, const Map& with) {
  std::uint32_t level = levels_.of(root);
  if (level == 0) return false;
  std::vector<ExprId> values;
  for (const auto& [from, to] : with) {
    if (levels_.of(to) > 0) return true; // brings reductions of its own: levels above it move
    values.push_back(to);
  }
  std::vector<VarId> vars = free_of(free_, values);
  return std::any_of(vars.begin(), vars.end(), [&](VarId v) { return v >= bound_base && v - bound_base < level; });
}

void Rebuilder::rename(std::vector<ExprId>& operands, const std::vector<VarId>& from, const std::vector<VarId>& to) {
  Map with;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != to[i])
      with[arena_->make(Op::index, Kind::integer, {}, from[i])] = arena_->make(Op::index, Kind::integer, {}, to[i]);
  if (with.empty()) return;
  std::unordered_map<ExprId, ExprId> made;
  for (ExprId& root : operands) {
    for (ExprId id : below(root, with)) {
      if (made.contains(id)) continue;
      ExprId& out = made[id];
      out = id;
      if (auto found = with.find(id); found != with.end()) {
        out = found->second;
        continue;
      }
      std::vector<ExprId> args(arena_->operands(id).begin(), arena_->operands(id).end());
      for (ExprId& arg : args) arg = made.at(arg);
      if (std::ranges::equal(args, arena_->operands(id))) continue;
      const Node node = (*arena_)[id];
      out = make_canonical(*arena_, node.op, node.kind, args, node.payload);
      if (node.op == Op::reduce && remade_) remade_(id, out);
    }
    root = made.at(root);
  }
}

std::vector<std::size_t> Rebuilder::content_order(const std::vector<VarId>& vars, const std::vector<ExprId>& operands,
                                                  VarId base) {
  std::vector<std::size_t> order(vars.size());
  std::iota(order.begin(), order.end(), 0);
  // A bound that reads another variable of the same reduction fixes their order.
  std::span<const ExprId> bounds(operands.data(), 2 * vars.size());
  for (VarId v : free_of(free_, bounds))
    if (std::find(vars.begin(), vars.end(), v) != vars.end()) return order;
  KeyLabels labels;
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < vars.size(); ++i) {
    for (VarId v : vars) labels.vars[v] = 2;
    labels.vars[vars[i]] = 1;
    std::array<ExprId, 4> roots{operands[2 * i], operands[2 * i + 1], operands[operands.size() - 2], operands.back()};
    keys.push_back(content_key(*arena_, roots, labels));
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<std::uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() || vars.size() > 4) return order;
  // Variables that look alike from outside: the order with the least body.
  std::vector<std::size_t> trial(vars.size()), best = order;
  std::iota(trial.begin(), trial.end(), 0);
  ExprId least = no_expr;
  auto sorted_by_key = [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; };
  if (!std::is_sorted(trial.begin(), trial.end(), sorted_by_key) && !next_order(trial, keys)) return order;
  do {
    std::vector<VarId> to(vars.size());
    for (std::size_t p = 0; p < trial.size(); ++p) to[trial[p]] = base + static_cast<VarId>(p);
    std::vector<ExprId> body{operands.back()};
    rename(body, vars, to);
    if (least == no_expr || structural_compare(*arena_, body[0], least) < 0) {
      least = body[0];
      best = trial;
    }
  } while (next_order(trial, keys));
  return best;
}

ExprId Rebuilder::close(Kind kind, const Reduce& what, std::vector<ExprId> operands, bool reorder,
                        std::vector<std::size_t>* order) {
  std::uint32_t level = 0;
  for (ExprId id : operands) level = std::max(level, levels_.of(id));
  auto fixed = static_cast<VarId>(what.vars.size());
  // A free bound variable belongs to an enclosing reduction and lies above; only a substituted one can be in the way.
  bool temporary = std::any_of(what.vars.begin(), what.vars.end(), [](VarId v) { return v >= temporary_base; });
  if (temporary)
    for (VarId v : free_of(free_, operands))
      if (v >= bound_base + level && v < bound_base + level + fixed) level = v - bound_base + 1;
  VarId base = bound_base + level;
  std::vector<std::size_t> positions(what.vars.size());
  std::iota(positions.begin(), positions.end(), 0);
  if (reorder && what.vars.size() > 1 && commutative(what.reducer))
    positions = content_order(what.vars, operands, base);
  std::vector<VarId> to(what.vars.size());
  for (std::size_t p = 0; p < positions.size(); ++p) to[positions[p]] = base + static_cast<VarId>(p);
  rename(operands, what.vars, to);
  Reduce closed{what.reducer, {}};
  std::vector<ExprId> arranged;
  for (std::size_t p = 0; p < positions.size(); ++p) {
    closed.vars.push_back(base + static_cast<VarId>(p));
    arranged.push_back(operands[2 * positions[p]]);
    arranged.push_back(operands[2 * positions[p] + 1]);
  }
  arranged.push_back(operands[operands.size() - 2]);
  arranged.push_back(operands.back());
  if (order != nullptr) *order = positions;
  ExprId made = arena_->reduce(closed, arranged);
  // An empty integer maximum is -inf and its kind was chosen by whoever checked it.
  if ((*arena_)[made].kind != kind) made = arena_->make(Op::reduce, kind, (*arena_)[made].payload, arranged);
  return made;
}

ExprId Rebuilder::replace(ExprId root, const Map& with) {
  Map map;
  for (const auto& [from, to] : with)
    if (from != to) map.emplace(from, to);
  if (map.empty()) return root;
  std::vector<ExprId> nodes = below(root, map);
  bool renaming = may_capture(root, map);
  if (renaming)
    for (ExprId id : nodes) {
      if ((*arena_)[id].op != Op::reduce || map.contains(id)) continue;
      for (VarId v : std::vector<VarId>(arena_->reduction(id).vars))
        map.try_emplace(arena_->make(Op::index, Kind::integer, {}, v),
                        arena_->make(Op::index, Kind::integer, {}, temporary_base + (v - bound_base)));
    }
  Map made;
  for (ExprId id : nodes) {
    ExprId& out = made[id];
    out = id;
    if (auto found = map.find(id); found != map.end()) {
      out = found->second;
      continue;
    }
    std::vector<ExprId> args(arena_->operands(id).begin(), arena_->operands(id).end());
    for (ExprId& arg : args) arg = made.at(arg);
    if (std::ranges::equal(args, arena_->operands(id))) continue;
    const Node node = (*arena_)[id];
    if (node.op != Op::reduce) {
      out = make_canonical(*arena_, node.op, node.kind, args, node.payload);
      continue;
    }
    Reduce what = arena_->reduction(id);
    if (renaming)
      for (VarId& v : what.vars) v = temporary_base + (v - bound_base);
    out = close(node.kind, what, std::move(args), true);
    if (remade_) remade_(id, out);
  }
  return made.at(root);
}

ExprId substitute(Arena& arena, ExprId root, const std::unordered_map<ExprId, ExprId>& with) {
  return Rebuilder(arena).replace(root, with);
}

std::vector<VarId> free_vars(const Arena& arena, ExprId root) { return FreeVars(arena).of(root); }

} // namespace aicf
