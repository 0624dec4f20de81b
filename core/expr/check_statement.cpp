// The part of the builder that binds: reductions, whole statements, first values, user reducers.
#include "core/expr/check_build.hpp"

#include <algorithm>
#include <array>

namespace aicf::check {

using lang::Item;
using lang::Place;

namespace {

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

} // namespace

std::optional<ReducerId> Builder::reducer(lang::NameId name) {
  std::string_view word = s_->scope->file->names[name];
  for (ReducerId r = 0; r < first_user_reducer; ++r)
    if (aicf::name_of(static_cast<Builtin>(r)) == word) return r;
  auto found = s_->scope->reducers.find(name);
  if (found == s_->scope->reducers.end()) return std::nullopt;
  if (auto known = s_->reducers.find(name); known != s_->reducers.end()) return known->second;
  const lang::ReducerNode& node = s_->scope->file->reducers[found->second];
  if (node.broken || s_->scope->wrong_reducers.contains(name)) return std::nullopt;
  UserReducer made;
  made.name = s_->text(name);
  made.first = s_->text(node.first);
  made.second = s_->text(node.second);
  made.at = s_->scope->source->span(node.at);
  Builder inner(*s_);
  inner.indices_ = {{node.first, {Symbol::Kind::parameter, 0, node.at}},
                    {node.second, {Symbol::Kind::parameter, 1, node.at}}};
  made.combine = inner.expression(node.combine);
  inner.indices_.clear();
  made.identity = inner.expression(node.identity);
  bool right = numbers({{made.combine, node.combine.at}, {made.identity, node.identity.at}});
  if (!right) return std::nullopt;
  s_->d.reducers.push_back(std::move(made));
  auto id = static_cast<ReducerId>(first_user_reducer + s_->d.reducers.size() - 1);
  s_->reducers.emplace(name, id);
  return id;
}

void Builder::reduce_begin(const Item& it) {
  Reduction& reduction = reductions_.emplace_back();
  reduction.at = it.at;
  auto id = reducer(it.name);
  reduction.poison = !id;
  reduction.what.reducer = id.value_or(0);
}

/// e + 1 without a needless term: j - 1 gives j, j + 2 gives j + 3.
ExprId Builder::plus_one(ExprId e) {
  Arena& arena = s_->d.arena;
  const Node node = arena[e];
  auto next = [&](ExprId number) { return arena.integer(static_cast<std::int64_t>(arena.value(number)) + 1); };
  if (node.op == Op::number) return next(e);
  if (node.op == Op::sub && arena.is_number(arena.operand(e, 1), 1)) return arena.operand(e, 0);
  std::vector<ExprId> terms{e};
  if (node.op == Op::add) terms.assign(arena.operands(e).begin(), arena.operands(e).end());
  if (arena[terms.back()].op == Op::number) {
    terms.back() = next(terms.back());
    if (arena.is_number(terms.back(), 0)) terms.pop_back();
  } else {
    terms.push_back(arena.integer(1));
  }
  return terms.size() == 1 ? terms[0] : arena.make(Op::add, Kind::integer, 0, terms);
}

void Builder::binder(const Item& it) {
  Arena& arena = s_->d.arena;
  Extents& extents = s_->extents;
  Reduction& reduction = reductions_.back();
  const Binding binding = work_->bindings[next_binding_++];
  auto relation = static_cast<lang::Bound>(it.code);
  std::vector<Value> operands = pop(it.flags + (relation == lang::Bound::none ? 0U : 1U));
  bool right = true;
  for (const Value& v : operands) right = integer(v, "a bound") && right;
  ExprId lo = binding.lo, hi = binding.hi;
  if (it.flags > 0) {
    lo = it.flags == 2 ? operands[0].id : arena.integer(0);
    hi = operands[it.flags - 1U].id;
  }
  right = right && lo != no_expr && hi != no_expr;
  if (right && relation != lang::Bound::none) {
    ExprId limit = operands.back().id;
    if (relation == lang::Bound::less_equal || relation == lang::Bound::greater) limit = plus_one(limit);
    // The limit where it is surely inside the range, the range where it surely is not; else whichever is narrower.
    bool above = relation == lang::Bound::less || relation == lang::Bound::less_equal;
    ExprId& bound = above ? hi : lo;
    bool inside = above ? extents.at_most(limit, bound) : extents.at_most(bound, limit);
    bool idle = above ? extents.at_most(bound, limit) : extents.at_most(limit, bound);
    if (inside) {
      bound = limit;
    } else if (!idle) {
      bound = arena.make(above ? Op::min : Op::max, Kind::integer, {bound, limit});
    }
  }
  VarId var = s_->add_var(s_->text(it.name));
  reduction.what.vars.push_back(var);
  reduction.bounds.push_back(lo);
  reduction.bounds.push_back(hi);
  reduction.poison |= !right;
  if (right) {
    extents.bind(var, lo, hi);
    if (!reduction.guards && (extents.mentions_variables(lo) || extents.mentions_variables(hi))) {
      reduction.guards = true;
      ++guards_;
    }
  }
  Symbol symbol{Symbol::Kind::index, var, it.at};
  auto clash = s_->names.find(it.name);
  auto [bound, fresh] = indices_.try_emplace(it.name, symbol);
  if (clash != s_->names.end() || !fresh) {
    const Symbol& other = clash != s_->names.end() ? clash->second : bound->second;
    s_->error("lang.shadowing", it.at,
              "the index " + quoted(s_->text(it.name)) + " hides " + std::string(name_of(other.kind)) + " (" +
                  s_->where(other.at) + ")",
              "give the index another name");
  }
  if (fresh) reduction.names.push_back(it.name);
}

void Builder::reduce_end() {
  Reduction reduction = std::move(reductions_.back());
  reductions_.pop_back();
  if (reduction.guards) --guards_;
  for (lang::NameId name : reduction.names) indices_.erase(name);
  Value body = pop(1)[0];
  Place at = lang::join(reduction.at, body.at);
  auto builtin = static_cast<Builtin>(reduction.what.reducer);
  bool logical = builtin == Builtin::any || builtin == Builtin::all;
  bool right = logical ? condition(body) : numbers({body});
  if ((builtin == Builtin::argmax || builtin == Builtin::argmin) && reduction.what.vars.size() > 1) {
    s_->error("lang.arity", reduction.at,
              std::string(aicf::name_of(builtin)) + " gives one index and cannot run over " +
                  std::to_string(reduction.what.vars.size()));
    right = false;
  }
  if (!right || reduction.poison) return push(no_expr, at);
  std::vector<ExprId> operands = std::move(reduction.bounds);
  operands.push_back(reduction.predicate != no_expr ? reduction.predicate : s_->d.arena.boolean(true));
  operands.push_back(body.id);
  push(s_->d.arena.reduce(reduction.what, operands), at);
}

void Builder::check_indices() {
  std::sort(lazy_.begin(), lazy_.end());
  std::size_t next = 0;
  std::uint32_t lazy_end = 0;
  Extents& extents = s_->extents;
  for (const Check& c : checks_) {
    for (; next < lazy_.size() && lazy_[next].first <= c.item; ++next)
      lazy_end = std::max(lazy_end, lazy_[next].second);
    bool guarded = c.guarded || c.item < lazy_end;
    const TensorState& tensor = s_->tensors[c.tensor];
    ExprId lo = tensor.lo[c.axis], hi = tensor.hi[c.axis];
    if (lo == no_expr || hi == no_expr || !extents.outside(c.index, lo, hi, guarded)) continue;
    s_->error("lang.outside", c.at,
              "the index " + s_->show(c.index) + " leaves the range " + s_->show_range(lo, hi) + " of " +
                  quoted(s_->d.tensors[c.tensor].name),
              "pad(…, 0) guards an access");
  }
}

bool Builder::finish_kind(Work& work, ExprId body) {
  TensorDecl& decl = s_->d.tensors[work.target];
  Kind made = kind(body);
  if (!work.result) {
    decl.kind = made;
    return true;
  }
  Kind wanted = kind_of(decl.type);
  if (made == wanted || (wanted == Kind::real && made == Kind::integer)) return true;
  std::string type = decl.type.generic ? "float" : std::string(aicf::name_of(decl.type.fixed));
  s_->error("lang.kind", work.node->body.at,
            quoted(decl.name) + " is " + type + ", its value is " + std::string(name_of(made)),
            wanted == Kind::integer && made == Kind::real ? "round it: " + type + "(…)" : "");
  return false;
}

bool Builder::initial(Work& work) {
  Arena& arena = s_->d.arena;
  bool right = true;
  for (const lang::InitialNode& node : work.node->initial) {
    if (node.name != work.node->name) {
      s_->error("lang.recurrence", node.at,
                "first values of " + quoted(s_->text(work.node->name)) + " are expected, not of " +
                    quoted(s_->text(node.name)));
      right = false;
      continue;
    }
    const std::vector<VarId>& vars = work.built.vars;
    if (node.indices.size() != vars.size()) {
      s_->error("lang.rank", node.at,
                describe(work.target) + " and is given with " + std::to_string(node.indices.size()));
      right = false;
      continue;
    }
    Initial made;
    std::vector<std::size_t> fixed;
    bool known = true;
    for (std::size_t i = 0; i < vars.size(); ++i) {
      ExprId index = expression(node.indices[i]);
      known = known && integer({index, node.indices[i].at}, "an index");
      made.indices.push_back(index);
      if (index == no_expr || (arena[index].op == Op::index && arena[index].payload == vars[i])) continue;
      fixed.push_back(i);
    }
    if (known && fixed.size() != 1) {
      s_->error("lang.recurrence", node.at, "a first value fixes one index, the others are those of the statement",
                "write, say, from " + s_->text(node.name) + "[-1, d] = 0");
      known = false;
    }
    auto hidden = known ? indices_.extract(work.bindings[fixed[0]].name) : decltype(indices_)::node_type{};
    ExprId value = expression(node.value);
    if (!hidden.empty()) indices_.insert(std::move(hidden));
    made.value = value;
    if (known && value != no_expr) {
      work.built.initial.push_back(std::move(made));
    } else {
      right = false;
    }
  }
  return right;
}

bool Builder::statement(std::uint32_t position, const std::vector<bool>& in_group, std::vector<GroupRead>& reads) {
  Work& work = s_->works[position];
  work_ = &work;
  position_ = position;
  in_group_ = &in_group;
  reads_ = &reads;
  next_binding_ = static_cast<std::uint32_t>(work.node->binders.size());
  work.built = {};
  work.built.target = work.target;
  work.built.at = s_->scope->source->span(work.node->at);
  bool right = true;
  for (std::size_t i = 0; i < work.node->binders.size(); ++i) {
    const Binding& binding = work.bindings[i];
    VarId var = s_->add_var(s_->text(binding.name));
    work.built.vars.push_back(var);
    work.built.lo.push_back(binding.lo);
    work.built.hi.push_back(binding.hi);
    if (binding.lo != no_expr && binding.hi != no_expr) {
      s_->extents.bind(var, binding.lo, binding.hi);
    } else {
      right = false;
    }
    indices_.try_emplace(binding.name, Symbol{Symbol::Kind::index, var, binding.at});
  }
  ExprId body = expression(work.node->body);
  work.built.body = body;
  right = right && body != no_expr;
  right = initial(work) && right;
  check_indices();
  if (body != no_expr) right = finish_kind(work, body) && right;
  return right;
}

} // namespace aicf::check
