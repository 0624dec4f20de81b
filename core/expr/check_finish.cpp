#include "core/expr/check_finish.hpp"

#include <algorithm>

namespace aicf::check {

namespace {

class Compactor {
 public:
  explicit Compactor(const Definition& from) : from_(&from) {}

  Definition run() {
    to_.name = from_->name;
    to_.file = from_->file;
    to_.dims = from_->dims;
    to_.scalars = from_->scalars;
    to_.inputs = from_->inputs;
    keep_tensors();
    std::vector<ExprId> roots = all_roots();
    kept_ = reachable(from_->arena, roots);
    keep_vars();
    keep_reducers();
    ids_.assign(from_->arena.size(), no_expr);
    for (ExprId id : kept_) ids_[id] = node(id);
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
    for (const Statement& statement : from_->statements) {
      tensors_[statement.target] = keep_tensor(statement.target);
      to_.statements.push_back(statement);
      to_.statements.back().target = tensors_[statement.target];
    }
    for (TensorId output : from_->outputs) to_.outputs.push_back(tensors_[output]);
  }

  TensorId keep_tensor(TensorId t) {
    to_.tensors.push_back(from_->tensors[t]);
    return static_cast<TensorId>(to_.tensors.size() - 1);
  }

  std::vector<ExprId> all_roots() {
    std::vector<ExprId> roots;
    auto add = [&](const std::vector<ExprId>& list) { roots.insert(roots.end(), list.begin(), list.end()); };
    for (const TensorDecl& decl : to_.tensors) add(decl.shape);
    for (const Statement& statement : to_.statements) {
      add(statement.lo);
      add(statement.hi);
      roots.push_back(statement.body);
      for (const Initial& initial : statement.initial) {
        add(initial.indices);
        roots.push_back(initial.value);
      }
    }
    for (const UserReducer& reducer : from_->reducers) {
      roots.push_back(reducer.combine);
      roots.push_back(reducer.identity);
    }
    return roots;
  }

  /// Variables keep their order, which is that of the text: outer ones have smaller ids.
  void keep_vars() {
    std::vector<bool> used(from_->vars.size(), false);
    for (const Statement& statement : to_.statements)
      for (VarId var : statement.vars) used[var] = true;
    for (ExprId id : kept_)
      if (from_->arena[id].op == Op::reduce)
        for (VarId var : from_->arena.reduction(id).vars) used[var] = true;
    vars_.assign(from_->vars.size(), 0);
    for (VarId var = 0; var < from_->vars.size(); ++var) {
      if (!used[var]) continue;
      vars_[var] = static_cast<VarId>(to_.vars.size());
      to_.vars.push_back(from_->vars[var]);
    }
  }

  void keep_reducers() {
    std::vector<ReducerId> order;
    for (ExprId id : kept_) {
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
    if (n.op == Op::load || n.op == Op::padded_load) payload = tensors_[payload];
    if (n.op == Op::index) payload = vars_[payload];
    return to_.arena.make(n.op, n.kind, payload, operands);
  }

  const Definition* from_;
  Definition to_;
  std::vector<ExprId> kept_, ids_;
  std::vector<TensorId> tensors_;
  std::vector<VarId> vars_;
  std::vector<ReducerId> reducers_;
};

} // namespace

Definition compact(const Definition& definition) { return Compactor(definition).run(); }

} // namespace aicf::check
