#include "core/expr/check_finish.hpp"

#include <algorithm>

namespace aicf::check {

namespace {

/// The reachable nodes in the order in which a reader of the text meets them, operands before users: so equal texts
/// have equal arenas, whatever the checker made on its way.
class Walk {
 public:
  explicit Walk(const Arena& arena) : arena_(&arena), seen_(arena.size(), false) {}

  std::vector<ExprId> order;

  void visit(ExprId root) {
    std::vector<std::pair<ExprId, std::uint32_t>> stack; // node, operands entered
    if (!seen_[root]) stack.emplace_back(root, 0);
    seen_[root] = true;
    while (!stack.empty()) {
      ExprId id = stack.back().first;
      if (stack.back().second == (*arena_)[id].count) {
        order.push_back(id);
        stack.pop_back();
        continue;
      }
      ExprId operand = arena_->operand(id, stack.back().second++);
      if (!seen_[operand]) stack.emplace_back(operand, 0);
      seen_[operand] = true;
    }
  }

  void visit(const std::vector<ExprId>& roots) {
    for (ExprId root : roots) visit(root);
  }

 private:
  const Arena* arena_;
  std::vector<bool> seen_;
};

class Compactor {
 public:
  explicit Compactor(const Definition& from) : from_(&from), walk_(from.arena), vars_(from.vars.size(), 0) {}

  Definition run() {
    to_.name = from_->name;
    to_.file = from_->file;
    to_.dims = from_->dims;
    to_.scalars = from_->scalars;
    to_.inputs = from_->inputs;
    keep_tensors();
    walk();
    keep_reducers();
    ids_.assign(from_->arena.size(), no_expr);
    for (ExprId id : walk_.order) ids_[id] = node(id);
    for (TensorDecl& decl : to_.tensors) map(decl.shape);
    for (UserReducer& reducer : to_.reducers) {
      reducer.combine = ids_[reducer.combine];
      reducer.identity = ids_[reducer.identity];
    }
    for (Statement& statement : to_.statements) {
      for (VarId& var : statement.vars) var = vars_[var];
      map(statement.lo);
      map(statement.hi);
      statement.body = ids_[statement.body];
      for (Initial& initial : statement.initial) {
        map(initial.indices);
        initial.value = ids_[initial.value];
      }
    }
    return std::move(to_);
  }

 private:
  void map(std::vector<ExprId>& list) {
    for (ExprId& id : list) id = ids_[id];
  }

  void keep_tensors() {
    tensors_.assign(from_->tensors.size(), 0);
    for (TensorId t = 0; t < from_->inputs; ++t) tensors_[t] = keep_tensor(t);
    std::uint32_t group = 0;
    for (const Statement& statement : from_->statements) {
      tensors_[statement.target] = keep_tensor(statement.target);
      to_.statements.push_back(statement);
      to_.statements.back().target = tensors_[statement.target];
      if (&statement != from_->statements.data() && (&statement)[-1].group != statement.group) ++group;
      to_.statements.back().group = group;
    }
    for (TensorId output : from_->outputs) to_.outputs.push_back(tensors_[output]);
  }

  TensorId keep_tensor(TensorId t) {
    to_.tensors.push_back(from_->tensors[t]);
    return static_cast<TensorId>(to_.tensors.size() - 1);
  }

  /// Variables are numbered statement by statement, in the order of the text: outer ones have smaller ids.
  void walk() {
    for (const TensorDecl& decl : to_.tensors) walk_.visit(decl.shape);
    for (const Statement& statement : to_.statements) {
      std::size_t before = walk_.order.size();
      walk_.visit(statement.lo);
      walk_.visit(statement.hi);
      walk_.visit(statement.body);
      for (const Initial& initial : statement.initial) {
        walk_.visit(initial.indices);
        walk_.visit(initial.value);
      }
      std::vector<VarId> bound = statement.vars;
      for (std::size_t i = before; i < walk_.order.size(); ++i) {
        if (from_->arena[walk_.order[i]].op != Op::reduce) continue;
        const Reduce& what = from_->arena.reduction(walk_.order[i]);
        bound.insert(bound.end(), what.vars.begin(), what.vars.end());
      }
      std::sort(bound.begin(), bound.end());
      for (VarId var : bound) {
        vars_[var] = static_cast<VarId>(to_.vars.size());
        to_.vars.push_back(from_->vars[var]);
      }
    }
    for (const UserReducer& reducer : from_->reducers) {
      walk_.visit(reducer.combine);
      walk_.visit(reducer.identity);
    }
  }

  void keep_reducers() {
    std::vector<ReducerId> order;
    for (ExprId id : walk_.order) {
      if (from_->arena[id].op != Op::reduce) continue;
      ReducerId reducer = from_->arena.reduction(id).reducer;
      if (reducer >= first_user_reducer) order.push_back(reducer - first_user_reducer);
    }
    auto before = [&](ReducerId a, ReducerId b) {
      const Span &x = from_->reducers[a].at, &y = from_->reducers[b].at;
      return std::pair(x.line, x.column) < std::pair(y.line, y.column);
    };
    std::sort(order.begin(), order.end(), before);
    order.erase(std::unique(order.begin(), order.end()), order.end());
    reducers_.assign(from_->reducers.size(), 0);
    for (ReducerId reducer : order) {
      reducers_[reducer] = static_cast<ReducerId>(first_user_reducer + to_.reducers.size());
      to_.reducers.push_back(from_->reducers[reducer]);
    }
  }

  ExprId node(ExprId id) {
    const Node& n = from_->arena[id];
    if (n.op == Op::number) return to_.arena.number(from_->arena.value(id), n.kind);
    std::vector<ExprId> operands;
    for (ExprId operand : from_->arena.operands(id)) operands.push_back(ids_[operand]);
    std::uint32_t payload = n.payload;
    if (n.op == Op::reduce) {
      Reduce what = from_->arena.reduction(id);
      for (VarId& var : what.vars) var = vars_[var];
      if (what.reducer >= first_user_reducer) what.reducer = reducers_[what.reducer - first_user_reducer];
      return to_.arena.reduce(what, operands);
    }
    if (is_load(n.op)) payload = tensors_[payload];
    if (n.op == Op::index) payload = vars_[payload];
    return to_.arena.make(n.op, n.kind, payload, operands);
  }

  const Definition* from_;
  Definition to_;
  Walk walk_;
  std::vector<VarId> vars_;
  std::vector<ExprId> ids_;
  std::vector<TensorId> tensors_;
  std::vector<ReducerId> reducers_;
};

} // namespace

Definition compact(const Definition& definition) { return Compactor(definition).run(); }

} // namespace aicf::check
