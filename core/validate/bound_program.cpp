#include "core/validate/bound_program.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace aicf {
namespace {

/// Nodes under `roots` in order, a reduction being a leaf.
std::vector<ExprId> outside_reductions(const Arena& arena, std::span<const ExprId> roots) {
  std::set<ExprId> seen;
  std::vector<ExprId> stack(roots.begin(), roots.end());
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second || arena[id].op == Op::reduce) continue;
    for (ExprId operand : arena.operands(id)) stack.push_back(operand);
  }
  return {seen.begin(), seen.end()};
}

/// Of few binary digits it is what was written, in every type; of more it may be a decimal fraction, rounded.
Bounded constant(const ErrorModel& model, const Node& node, double value) {
  const bool few = static_cast<double>(static_cast<float>(value)) == value && model.precision > 24;
  return node.kind != Kind::real || few ? Bounded{value, 0} : rounded(model, value, 0, true);
}

} // namespace

BoundProgram::BoundProgram(const Arena& arena, std::span<const ExprId> roots, VarId inner)
    : arena_(&arena), nodes_(outside_reductions(arena, roots)), operands_(nodes_.size()), values_(nodes_.size()),
      results_(roots.size()) {
  std::map<ExprId, std::size_t> slot;
  std::vector<char> varies(nodes_.size(), 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    ExprId id = nodes_[i];
    slot[id] = i;
    if (arena[id].op == Op::index) varies[i] = static_cast<char>(arena[id].payload == inner);
    if (arena[id].op == Op::reduce) {
      std::vector<VarId> free = free_vars(arena, id);
      varies[i] = static_cast<char>(std::find(free.begin(), free.end(), inner) != free.end());
    } else {
      for (ExprId operand : arena.operands(id)) {
        operands_[i].push_back(slot.at(operand));
        varies[i] = static_cast<char>(varies[i] | varies[slot.at(operand)]);
      }
    }
    (varies[i] != 0 ? inner_ : outer_).push_back(i);
  }
  for (ExprId root : roots) roots_.push_back(slot.at(root));
}

void BoundProgram::begin(BoundEnvironment& environment) { evaluate(environment, outer_); }

std::span<const Bounded> BoundProgram::run(BoundEnvironment& environment) {
  evaluate(environment, inner_);
  for (std::size_t i = 0; i < roots_.size(); ++i) results_[i] = values_[roots_[i]];
  return results_;
}

Bounded BoundProgram::access(BoundEnvironment& environment, std::size_t slot) const {
  const Node& node = (*arena_)[nodes_[slot]];
  const std::vector<std::size_t>& operands = operands_[slot];
  bool padded = node.op == Op::padded_load;
  std::vector<std::int64_t> indices;
  bool inside = true, certain = true;
  for (std::size_t k = 0; k + (padded ? 1 : 0) < operands.size(); ++k) {
    const Bounded& index = values_[operands[k]];
    auto at = static_cast<std::int64_t>(std::isfinite(index.value) ? std::clamp(index.value, -0x1p62, 0x1p62) : -1);
    certain = certain && index.error == 0;
    inside = inside && at >= 0 && at < environment.extent(node.payload, k);
    indices.push_back(at);
  }
  if (!certain) return {NAN, INFINITY};
  if (inside) return environment.load(node.payload, indices);
  // outside: only a branch that is not taken may read there
  return padded ? values_[operands.back()] : Bounded{NAN, INFINITY};
}

void BoundProgram::evaluate(BoundEnvironment& environment, const std::vector<std::size_t>& slots) {
  std::vector<Bounded> operands;
  for (std::size_t slot : slots) {
    ExprId id = nodes_[slot];
    const Node& node = (*arena_)[id];
    Bounded value;
    switch (node.op) {
    case Op::number: value = constant(*environment.model, node, arena_->value(id)); break;
    case Op::index: value = {static_cast<double>(environment.vars.at(node.payload)), 0}; break;
    case Op::scalar: value = environment.scalar(node.payload); break;
    case Op::dim: value = environment.dim(node.payload); break;
    case Op::symbol: value = environment.symbol(node.payload); break;
    case Op::reduce: value = environment.reduction(id); break;
    case Op::load:
    case Op::padded_load: value = access(environment, slot); break;
    default: {
      operands.clear();
      bool exact = true, lost_nan = false;
      for (std::size_t s : operands_[slot]) {
        operands.push_back(values_[s]);
        exact = exact && values_[s].error == 0;
        lost_nan = lost_nan || values_[s].lost_nan;
      }
      static const ErrorModel integers = ErrorModel::of(DType::f64); // integer arithmetic does not round below 2^53
      bool integral = node.kind == Kind::integer && exact;
      value = apply(integral ? integers : *environment.model, node.op, node.payload, operands);
      value.lost_nan = lost_nan;
    }
    }
    values_[slot] = value;
  }
}

} // namespace aicf
