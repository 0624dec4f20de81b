#include "core/kernel/cascade_algebra.hpp"

#include "core/plan/cascade_facts.hpp"
#include "core/plan/choice.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace aicf::ir {

const Reduction& CascadeAlgebra::reduction(std::size_t position) const {
  return p.reductions[f.cascade->reductions[position]];
}

Monoid CascadeAlgebra::monoid(std::size_t position) const {
  ReducerId reducer = f.arena.reduction(reduction(position).node).reducer;
  Kind kind = f.arena[f.cascade->elements[position]].kind;
  if (reducer < first_user_reducer) {
    auto builtin = static_cast<Builtin>(reducer);
    if (compensated_ && builtin == Builtin::sum && kind == Kind::real) return compensated_sum(real_);
    return monoid_of(builtin, carrier(builtin, kind, real_));
  }
  const Definition& d = *f.canonical->source;
  const UserReducer& user = d.reducers.at(reducer - first_user_reducer);
  if (d.arena[user.identity].op != Op::number) throw std::logic_error("an identity that is no number");
  Monoid m;
  m.types = {kind == Kind::real ? real_ : Type::i64};
  m.identity = {d.arena.value(user.identity)};
  m.lift = [](Builder&, NodeId e, NodeId) { return std::vector{e}; };
  m.merge = [real = real_, &d, combine = user.combine](Builder& builder, const auto& l, const auto& r) {
    Emitter emit(builder, d.arena, real);
    return std::vector{emit.value(combine, {}, [&](const Leaf& leaf) {
      if (d.arena[leaf.id].op != Op::symbol) throw std::logic_error("a reducer that reads more than its operands");
      return d.arena[leaf.id].payload == 0 ? l[0] : r[0];
    })};
  };
  return m;
}

std::string CascadeAlgebra::slot_name(std::size_t slot) const { return f.cascade->summary->slots[slot].name; }

Monoid CascadeAlgebra::slot_monoid(std::size_t slot) const {
  const Slot& s = f.cascade->summary->slots[slot];
  auto reducer = static_cast<Builtin>(s.reducer);
  return monoid_of(reducer, carrier(reducer, f.arena[s.body].kind, real_));
}

double CascadeAlgebra::slot_identity(std::size_t slot) const {
  return slot_monoid(slot).arg ? no_index : f.arena.value(f.cascade->summary->slots[slot].identity);
}

std::vector<std::vector<std::size_t>> CascadeAlgebra::slot_groups() const {
  const auto& slots = f.cascade->summary->slots;
  std::vector<std::vector<std::size_t>> groups;
  std::set<std::uint32_t> open;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    bool reads = groups.empty();
    for (ExprId id : reachable(f.arena, std::span(&slots[i].body, 1)))
      reads = reads || (f.arena[id].op == Op::symbol && open.contains(f.arena[id].payload));
    if (reads) groups.emplace_back(), open.clear();
    groups.back().push_back(i);
    open.insert(slot_symbol(i));
  }
  return groups;
}

std::vector<NodeId> CascadeAlgebra::merged(const std::vector<NodeId>& left, const std::vector<NodeId>& right) {
  const auto& slots = f.cascade->summary->slots;
  Symbols symbols;
  for (std::size_t i = 0; i < slots.size(); ++i) symbols[left_symbol(i)] = left[i], symbols[right_symbol(i)] = right[i];
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    NodeId value = b.convert(row_value_(slots[i].merge, symbols), slot_type(i));
    symbols[slot_symbol(i)] = value;
    out.push_back(value);
  }
  return out;
}

NodeId CascadeAlgebra::takes_part(std::size_t reduction, NodeId position,
                                  const std::function<NodeId(ExprId)>& at_position) {
  NodeId part = b.constant(Type::pred, 1);
  if (reduction < f.cascade->predicates.size())
    part = b.convert(at_position(f.cascade->predicates[reduction]), Type::pred);
  return f.hi == no_expr ? part : b.apply(Op::and_, {part, in_range(position)});
}

NodeId CascadeAlgebra::in_range(NodeId position) {
  if (f.hi == no_expr) return b.constant(Type::pred, 1);
  NodeId from = b.apply(Op::le, {row_value_(f.lo, {}), position});
  return b.apply(Op::and_, {from, b.apply(Op::lt, {position, row_value_(f.hi, {})})});
}

Type real_type(const Definition& definition, const Plan& plan, const Problem& problem) {
  return word(plan, "accumulate") == "f64" || computes_wide(definition, problem) ? Type::f64 : Type::f32;
}

std::set<std::string> fixed_dims(const RowForm& form, const Plan& plan) {
  std::set<std::string> names;
  if (word(plan, "row_length") != "static" || form.extent == no_expr) return names;
  for (ExprId id : reachable(form.arena, std::span(&form.extent, 1)))
    if (form.arena[id].op == Op::dim) names.insert(form.canonical->source->dims[form.arena[id].payload]);
  return names;
}

void trap_if_empty(Builder& b, NodeId index) {
  Node trap;
  trap.code = Code::trap;
  trap.args = {b.apply(Op::le, {b.constant(Type::i64, no_index), b.convert(index, Type::i64)})};
  trap.comment = "the index of the best of nothing is an error";
  b.statement(std::move(trap));
}

} // namespace aicf::ir
