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
    for (ExprId id : order_) { // operands by place, so that a run looks nothing up
      first_.push_back(operands_.size());
      if (!std::binary_search(leaves_.begin(), leaves_.end(), id))
        for (ExprId o : arena.operands(id)) operands_.push_back(at_.at(o));
    }
    first_.push_back(operands_.size());
    for (ExprId id : order_)
      if (!std::binary_search(leaves_.begin(), leaves_.end(), id)) computed_.push_back(at_.at(id));
  }

  [[nodiscard]] const std::vector<ExprId>& leaves() const { return leaves_; }
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] bool contains(ExprId node) const { return at_.contains(node); }
  [[nodiscard]] std::size_t place(ExprId node) const { return at_.at(node); }

  /// `values` by place, with those of the leaves set; the rest is computed.
  template <class Math> void run(Math& math, std::vector<typename Math::Value>& values) const {
    run(math, values, computed_);
  }
  /// Only the places that are given, operands before what reads them.
  template <class Math>
  void run(Math& math, std::vector<typename Math::Value>& values, const std::vector<std::size_t>& places) const {
    std::vector<typename Math::Value> args;
    for (std::size_t i : places) {
      const Node& n = (*arena_)[order_[i]];
      args.clear();
      for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) args.push_back(values[operands_[k]]);
      values[i] = math.apply(n.op, n.payload, args);
    }
  }
  /// The places that the value of `root` needs computed.
  [[nodiscard]] std::vector<std::size_t> needed(ExprId root) const {
    std::vector<char> wanted(order_.size(), 0);
    wanted[at_.at(root)] = 1;
    std::vector<std::size_t> places;
    for (std::size_t i = at_.at(root) + 1; i-- > 0;) { // operands have smaller ids, hence smaller places
      if (wanted[i] == 0) continue;
      for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) wanted[operands_[k]] = 1;
      if (!std::binary_search(leaves_.begin(), leaves_.end(), order_[i])) places.push_back(i);
    }
    std::reverse(places.begin(), places.end());
    return places;
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
           is_load(op) || op == Op::reduce;
  }

 private:
  const Arena* arena_;
  std::vector<ExprId> roots_, order_, leaves_;
  std::unordered_map<ExprId, std::size_t> at_;
  std::vector<std::size_t> operands_, first_; ///< places of the operands, those of place i from first_[i] on
  std::vector<std::size_t> computed_;         ///< places that are no leaves
};

} // namespace aicf
