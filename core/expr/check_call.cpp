#include "core/expr/check_call.hpp"

#include <algorithm>
#include <bit>

namespace aicf::check {

using lang::Item;
using lang::Step;

namespace {

// Calls of calls can double at every level; beyond these the text is refused.
constexpr std::size_t most_statements = 100000, most_nodes = 20000000, longest_extent = 10000;
constexpr std::uint32_t none = 0xffffffff;

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

/// Nodes of the tree that an extent unfolds to, at most `longest_extent` + 1.
std::size_t unfolded(const Arena& arena, ExprId root) {
  std::vector<ExprId> stack{root};
  std::size_t count = 0;
  while (!stack.empty() && count <= longest_extent) {
    ExprId id = stack.back();
    stack.pop_back();
    ++count;
    for (ExprId operand : arena.operands(id)) stack.push_back(operand);
  }
  return count;
}

/// Copies expressions of one arena to another.
class Copier {
 public:
  Copier(const Arena& from, Arena& to) : from_(&from), to_(&to), ids_(from.size(), no_expr) {}

  std::vector<TensorId> tensors;
  std::vector<VarId> vars;
  std::vector<ExprId> dims, scalars;
  std::vector<ReducerId> reducers; ///< of user reducers, by position

  void run(std::span<const ExprId> roots) {
    std::vector<ExprId> operands;
    for (ExprId id : reachable(*from_, roots)) {
      if (ids_[id] != no_expr) continue;
      operands.clear();
      for (ExprId operand : from_->operands(id)) operands.push_back(ids_[operand]);
      ids_[id] = node(id, operands);
    }
  }

  ExprId operator()(ExprId id) const { return ids_[id]; }
  std::vector<ExprId> operator()(const std::vector<ExprId>& list) const {
    std::vector<ExprId> copied;
    copied.reserve(list.size());
    for (ExprId id : list) copied.push_back(ids_[id]);
    return copied;
  }

 private:
  ExprId node(ExprId id, std::span<const ExprId> operands) {
    const Node& n = (*from_)[id];
    switch (n.op) {
    case Op::number: return to_->number(from_->value(id), n.kind);
    case Op::dim: return dims[n.payload];
    case Op::scalar: return scalars[n.payload];
    case Op::index: return to_->make(Op::index, n.kind, {}, vars[n.payload]);
    case Op::load:
    case Op::padded_load: return to_->make(n.op, n.kind, tensors[n.payload], operands);
    case Op::reduce: {
      Reduce what = from_->reduction(id);
      for (VarId& var : what.vars) var = vars[var];
      if (what.reducer >= first_user_reducer) what.reducer = reducers[what.reducer - first_user_reducer];
      return to_->reduce(what, operands);
    }
    default: return to_->make(n.op, n.kind, n.payload, operands);
    }
  }

  const Arena* from_;
  Arena* to_;
  std::vector<ExprId> ids_;
};

} // namespace

void Inliner::inline_calls(Work& work, const std::vector<bool>& in_group) {
  expression(work, work.node->body, in_group);
  for (const lang::InitialNode& initial : work.node->initial) {
    for (const lang::Expression& index : initial.indices) expression(work, index, in_group);
    expression(work, initial.value, in_group);
  }
}

void Inliner::expression(Work& work, const lang::Expression& e, const std::vector<bool>& in_group) {
  const auto& items = s_->scope->file->items;
  std::vector<Call> open;
  arguments_.clear();
  for (std::uint32_t i = e.begin; i < e.end; ++i) {
    const Item& it = items[i];
    if (it.step == Step::call_begin) {
      auto callee = s_->scope->ops.find(it.name);
      open.push_back({callee == s_->scope->ops.end() ? none : callee->second, it.at, arguments_.size(), {}});
    } else if (it.step == Step::tensor_arg) {
      arguments_.push_back({tensor(it, in_group), it.at});
    } else if (it.step == Step::scalar_arg) {
      open.back().scalars.push_back(&it);
    } else if (it.step == Step::call_end) {
      Call call = std::move(open.back());
      open.pop_back();
      TensorId result = finish(work, call, it);
      arguments_.resize(call.first_argument);
      if (open.empty()) {
        s_->calls[i] = result;
      } else {
        arguments_.push_back({result, it.at});
      }
    }
  }
}

TensorId Inliner::tensor(const Item& item, const std::vector<bool>& in_group) {
  auto found = s_->names.find(item.name);
  if (found == s_->names.end()) {
    s_->error("lang.unknown-name", item.at, "no tensor " + quoted(s_->text(item.name)), s_->nearest(item.name, true));
    return no_tensor;
  }
  if (found->second.kind != Symbol::Kind::tensor) {
    s_->error("lang.not-a-tensor", item.at,
              quoted(s_->text(item.name)) + " is " + std::string(name_of(found->second.kind)) + ", not a tensor");
    return no_tensor;
  }
  TensorId tensor = found->second.id;
  s_->tensors[tensor].used = true;
  if (auto work = s_->work_of.find(tensor); work != s_->work_of.end() && in_group[work->second]) {
    s_->error("lang.cycle", item.at,
              "a call needs all of " + quoted(s_->text(item.name)) + ", which is defined with its result");
    return no_tensor;
  }
  return s_->tensors[tensor].poison ? no_tensor : tensor;
}

TensorId Inliner::finish(Work& work, const Call& call, const Item& end) {
  if (call.callee == none || !s_->scope->checked[call.callee]) return no_tensor; // its own errors are reported
  const auto& definition = s_->scope->checked[call.callee];
  const Definition& callee = *definition;
  std::span<const Argument> arguments = std::span(arguments_).subspan(call.first_argument);
  std::size_t wanted = callee.inputs;
  if (arguments.size() != wanted) {
    s_->error("lang.arity", end.at,
              quoted(callee.name) + " takes " + std::to_string(wanted) + (wanted == 1 ? " tensor" : " tensors") +
                  ", not " + std::to_string(arguments.size()));
    return no_tensor;
  }
  std::size_t picked = 0;
  if (end.data != lang::no_name) {
    auto named = [&](TensorId t) { return callee.tensors[t].name == s_->scope->file->names[end.data]; };
    picked = static_cast<std::size_t>(std::find_if(callee.outputs.begin(), callee.outputs.end(), named) -
                                      callee.outputs.begin());
    if (picked == callee.outputs.size()) {
      lang::Nearest nearest(s_->scope->file->names[end.data]);
      for (TensorId t : callee.outputs) nearest.offer(callee.tensors[t].name);
      s_->error("lang.unknown-name", end.at, quoted(callee.name) + " has no result " + quoted(s_->text(end.data)),
                nearest.hint());
      return no_tensor;
    }
  } else if (callee.outputs.size() > 1) {
    s_->error("lang.result", end.at, quoted(callee.name) + " has " + std::to_string(callee.outputs.size()) + " results",
              "pick one: " + callee.name + "(…)." + callee.tensors[callee.outputs[0]].name);
    return no_tensor;
  }
  std::vector<ExprId> scalars(callee.scalars.size(), no_expr), dims(callee.dims.size(), no_expr);
  bool right = bind_scalars(callee, call, scalars);
  for (const Argument& argument : arguments) right = right && argument.tensor != no_tensor;
  if (!right || !bind_dims(callee, call, arguments, dims, scalars)) return no_tensor;
  std::vector<std::uint32_t> key{call.callee};
  for (const Argument& argument : arguments) key.push_back(argument.tensor);
  key.insert(key.end(), scalars.begin(), scalars.end());
  auto known = made_.find(key);
  if (known == made_.end()) {
    s_->scope->statements += callee.statements.size();
    if (s_->scope->statements > most_statements || s_->d.arena.size() > most_nodes) {
      s_->error("lang.too-large", call.at,
                "the calls unfold to more than " + std::to_string(most_statements) + " statements");
      return no_tensor;
    }
    std::string prefix = s_->text(work.node->name) + "_" + callee.name;
    known = made_.emplace(key, copy(callee, prefix, arguments, dims, scalars, call.at)).first;
  }
  return known->second[picked];
}

bool Inliner::bind_scalars(const Definition& callee, const Call& call, std::vector<ExprId>& scalars) {
  bool right = true;
  std::vector<bool> given(callee.scalars.size(), false);
  Arena& arena = s_->d.arena;
  for (const Item* item : call.scalars) {
    std::string_view name = s_->scope->file->names[item->name];
    auto found = std::find_if(callee.scalars.begin(), callee.scalars.end(),
                              [&](const ScalarDecl& decl) { return decl.name == name; });
    auto position = static_cast<std::size_t>(found - callee.scalars.begin());
    if (found == callee.scalars.end() || given[position]) {
      lang::Nearest nearest(name);
      for (const ScalarDecl& decl : callee.scalars) nearest.offer(decl.name);
      bool twice = found != callee.scalars.end();
      s_->error(twice ? "lang.double" : "lang.unknown-name", item->at,
                twice ? "the scalar " + quoted(name) + " is given twice"
                      : quoted(callee.name) + " has no scalar " + quoted(name),
                nearest.hint());
      right = false;
      continue;
    }
    given[position] = true;
    Kind wanted = kind_of(found->type);
    ExprId value = no_expr;
    if ((item->flags & lang::by_name) != 0) {
      auto symbol = s_->names.find(item->data);
      if (symbol != s_->names.end() && symbol->second.kind == Symbol::Kind::scalar) {
        s_->scalar_used[symbol->second.id] = true;
        value = arena.make(Op::scalar, kind_of(s_->d.scalars[symbol->second.id].type), {}, symbol->second.id);
      } else if (symbol != s_->names.end() && symbol->second.kind == Symbol::Kind::dim) {
        value = arena.make(Op::dim, Kind::integer, {}, symbol->second.id);
      } else {
        s_->error("lang.unknown-name", item->at, "no scalar " + quoted(s_->text(item->data)),
                  s_->nearest(item->data, false));
        right = false;
        continue;
      }
    } else {
      double number = s_->scope->file->numbers[item->data];
      bool integral = (item->flags & lang::integral) != 0;
      bool flag = wanted == Kind::boolean && integral && (number == 0 || number == 1);
      value = flag ? arena.boolean(number != 0)
                   : arena.number(number, integral && wanted == Kind::integer ? Kind::integer : Kind::real);
    }
    Kind made = arena[value].kind;
    if (made != wanted && !(wanted == Kind::real && made == Kind::integer)) {
      s_->error("lang.kind", item->at,
                "the scalar " + quoted(name) + " of " + quoted(callee.name) + " is " + std::string(name_of(wanted)) +
                    ", this is " + std::string(name_of(made)));
      right = false;
    }
    scalars[position] = value;
  }
  for (std::size_t i = 0; i < scalars.size(); ++i)
    if (scalars[i] == no_expr) scalars[i] = arena.number(callee.scalars[i].value, kind_of(callee.scalars[i].type));
  return right;
}

bool Inliner::bind_dims(const Definition& callee, const Call& call, std::span<const Argument> arguments,
                        std::vector<ExprId>& dims, const std::vector<ExprId>& scalars) {
  bool right = true;
  Arena& arena = s_->d.arena;
  ExprId zero = arena.integer(0);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const TensorDecl &wanted = callee.tensors[a], &given = s_->d.tensors[arguments[a].tensor];
    const TensorState& state = s_->tensors[arguments[a].tensor];
    std::string parameter = quoted(wanted.name) + " of " + quoted(callee.name);
    if (wanted.shape.size() != given.shape.size()) {
      s_->error("lang.rank", arguments[a].at,
                parameter + " has rank " + std::to_string(wanted.shape.size()) + ", " + quoted(given.name) + " has " +
                    std::to_string(given.shape.size()));
      right = false;
      continue;
    }
    if (wanted.kind != given.kind) {
      s_->error("lang.kind", arguments[a].at,
                parameter + " holds " + std::string(name_of(wanted.kind)) + ", " + quoted(given.name) + " " +
                    std::string(name_of(given.kind)));
      right = false;
    }
    for (std::size_t axis = 0; axis < wanted.shape.size(); ++axis) {
      if (!s_->extents.equal(state.lo[axis], zero)) {
        s_->error("lang.range", arguments[a].at,
                  "axis " + std::to_string(axis) + " of " + quoted(given.name) + " ranges over " +
                      s_->show_range(state.lo[axis], state.hi[axis]) + "; an argument's range starts at 0");
        right = false;
        continue;
      }
      const Node& node = callee.arena[wanted.shape[axis]];
      if (node.op == Op::dim && dims[node.payload] == no_expr) dims[node.payload] = state.hi[axis];
    }
  }
  if (!right) return false;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] != no_expr) continue;
    s_->error("lang.dimension", call.at,
              quoted(callee.name) + " cannot be called: no input has its dimension " + quoted(callee.dims[k]) +
                  " as a whole extent");
    return false;
  }
  Copier copier(callee.arena, arena);
  copier.dims = dims;
  copier.scalars = scalars;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    copier.run(callee.tensors[a].shape);
    for (std::size_t axis = 0; axis < callee.tensors[a].shape.size(); ++axis) {
      ExprId wanted = copier(callee.tensors[a].shape[axis]);
      ExprId given = s_->tensors[arguments[a].tensor].hi[axis];
      if (s_->extents.equal(wanted, given)) continue;
      s_->error("lang.range", arguments[a].at,
                "axis " + std::to_string(axis) + " of " + quoted(callee.tensors[a].name) + " of " +
                    quoted(callee.name) + " has the extent " + s_->show(wanted) + " here, " +
                    quoted(s_->d.tensors[arguments[a].tensor].name) + " has " + s_->show(given));
      right = false;
    }
  }
  for (ExprId dim : dims) {
    if (!right || unfolded(arena, dim) <= longest_extent) continue;
    s_->error("lang.too-large", call.at, "the extents of the arguments unfold to more than 10,000 terms");
    right = false;
  }
  return right;
}

/// wish, wish_2, wish_3, …: the first that is free. The next search goes on where the last one ended.
std::string Inliner::fresh_tensor(const std::string& wish) {
  std::string name = wish;
  unsigned& n = suffixes_.try_emplace(wish, 1).first->second;
  while (s_->taken.contains(name) || lang::is_reserved(name)) name = wish + "_" + std::to_string(++n);
  s_->taken.insert(name);
  return name;
}

/// An index may have the name of another statement's index, but not of anything that is seen everywhere.
std::string Inliner::fresh_var(const std::string& wish) const {
  std::string name = wish;
  for (unsigned n = 2; s_->taken.contains(name); ++n) name = wish + "_" + std::to_string(n);
  return name;
}

std::vector<TensorId> Inliner::copy(const Definition& callee, const std::string& prefix,
                                    std::span<const Argument> arguments, const std::vector<ExprId>& dims,
                                    const std::vector<ExprId>& scalars, lang::Place at) {
  Copier copier(callee.arena, s_->d.arena);
  copier.dims = dims;
  copier.scalars = scalars;
  for (const Argument& argument : arguments) copier.tensors.push_back(argument.tensor);
  for (std::size_t t = callee.inputs; t < callee.tensors.size(); ++t) {
    const TensorDecl& decl = callee.tensors[t];
    copier.tensors.push_back(
        s_->add_tensor(fresh_tensor(prefix + "_" + decl.name), at, {}, decl.kind, decl.shape.size()));
    s_->tensors.back().used = true;
  }
  std::unordered_map<std::string, std::string> renamed;
  for (const std::string& var : callee.vars) {
    auto [name, fresh] = renamed.try_emplace(var);
    if (fresh) name->second = fresh_var(var);
    copier.vars.push_back(s_->add_var(name->second));
  }
  for (const UserReducer& reducer : callee.reducers) {
    auto found = std::find_if(s_->scope->reducers.begin(), s_->scope->reducers.end(),
                              [&](const auto& entry) { return s_->text(entry.first) == reducer.name; });
    copier.reducers.push_back(*builder_->reducer(found->first));
  }
  std::vector<ExprId> roots;
  for (const Statement& statement : callee.statements) {
    roots.push_back(statement.body);
    roots.insert(roots.end(), statement.lo.begin(), statement.lo.end());
    roots.insert(roots.end(), statement.hi.begin(), statement.hi.end());
    for (const Initial& initial : statement.initial) {
      roots.insert(roots.end(), initial.indices.begin(), initial.indices.end());
      roots.push_back(initial.value);
    }
  }
  for (const TensorDecl& decl : callee.tensors) roots.insert(roots.end(), decl.shape.begin(), decl.shape.end());
  copier.run(roots);
  std::uint32_t groups = 0;
  for (const Statement& statement : callee.statements) {
    Statement made = statement;
    made.target = copier.tensors[statement.target];
    for (VarId& var : made.vars) var = copier.vars[var];
    made.lo = copier(statement.lo);
    made.hi = copier(statement.hi);
    made.body = copier(statement.body);
    for (Initial& initial : made.initial) {
      initial.indices = copier(initial.indices);
      initial.value = copier(initial.value);
    }
    made.group = s_->groups + statement.group;
    groups = std::max(groups, statement.group + 1);
    made.at = s_->scope->source->span(at);
    s_->tensors[made.target].lo = made.lo;
    s_->tensors[made.target].hi = made.hi;
    s_->d.tensors[made.target].shape = copier(callee.tensors[statement.target].shape);
    s_->d.statements.push_back(std::move(made));
  }
  s_->groups += groups;
  std::vector<TensorId> results;
  for (TensorId output : callee.outputs) results.push_back(copier.tensors[output]);
  return results;
}

} // namespace aicf::check
