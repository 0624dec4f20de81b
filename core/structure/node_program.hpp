// Expressions evaluated in any arithmetic that has `Value`, `number` and `apply`: operands first, once each.
#pragma once
#include "core/expr/expr.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace aicf {

class NodeProgram {
 public:
  /// A leaf is what `is_leaf` names, besides loads, indices, scalars, dims, symbols and reductions.
  NodeProgram(const Arena& arena, std::vector<ExprId> roots, const std::function<bool(ExprId)>& is_leaf = {})
      : arena_(&arena), roots_(std::move(roots)) {
    std::vector<ExprId> stack = roots_;
    while (!stack.empty()) {
      ExprId id = stack.back();
      stack.pop_back();
      if (at_.contains(id)) continue;
      at_[id] = 0;
      order_.push_back(id);
      if (leaf_op(arena[id].op) || (is_leaf && is_leaf(id))) {
        leaves_.push_back(id);
        continue;
      }
      for (ExprId o : arena.operands(id)) stack.push_back(o);
    }
    std::sort(order_.begin(), order_.end());
    std::sort(leaves_.begin(), leaves_.end());
    for (std::size_t i = 0; i < order_.size(); ++i) at_[order_[i]] = i;
  }

  [[nodiscard]] const std::vector<ExprId>& leaves() const { return leaves_; }
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] bool contains(ExprId node) const { return at_.contains(node); }
  [[nodiscard]] std::size_t place(ExprId node) const { return at_.at(node); }

  /// `values` by place, with those of the leaves set; the rest is computed.
  template <class Math> void run(Math& math, std::vector<typename Math::Value>& values) const {
    std::vector<typename Math::Value> args;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      ExprId id = order_[i];
      const Node& n = (*arena_)[id];
      if (std::binary_search(leaves_.begin(), leaves_.end(), id)) continue;
      args.clear();
      for (ExprId o : arena_->operands(id)) args.push_back(values[at_.at(o)]);
      values[i] = math.apply(n.op, n.payload, args);
    }
  }
  /// Literals, once: the exact value of each number, with `special` for infinities and NaN.
  template <class Math>
  void literals(Math& math, std::vector<typename Math::Value>& values,
                const std::function<typename Math::Value(double)>& special) const {
    values.resize(order_.size(), math.number(0));
    for (ExprId id : leaves_)
      if ((*arena_)[id].op == Op::number) {
        double v = arena_->value(id);
        values[at_.at(id)] = std::isfinite(v) ? math.number(mpq_class(v)) : special(v);
      }
  }

  static bool leaf_op(Op op) {
    return op == Op::number || op == Op::index || op == Op::scalar || op == Op::dim || op == Op::symbol ||
           op == Op::load || op == Op::padded_load || op == Op::reduce;
  }

 private:
  const Arena* arena_;
  std::vector<ExprId> roots_, order_, leaves_;
  std::unordered_map<ExprId, std::size_t> at_;
};

} // namespace aicf
