// Expressions of a definition as kernel IR values. Loops over the DAG; nothing recurses over depth.
#pragma once
#include "core/kernel/builder.hpp"

#include <functional>
#include <span>
#include <unordered_map>

namespace aicf::ir {

/// A leaf to resolve: an index, scalar, dim, symbol, load, padded load or a reduction. `operands` are its values.
/// `conditional`: it is reached only through a branch of a select, so its access may be one that is not taken.
struct Leaf {
  ExprId id = no_expr;
  const std::vector<NodeId>& operands;
  bool conditional = false;
};

class Emitter {
 public:
  using Resolve = std::function<NodeId(const Leaf&)>;
  Emitter(Builder& builder, const Arena& arena, Type real) : b(builder), a(arena), real_(real) {}

  /// Values of the roots at the insertion point. `known` replaces whole nodes; nothing below them is looked at.
  std::vector<NodeId> values(std::span<const ExprId> roots, const std::unordered_map<ExprId, NodeId>& known,
                             const Resolve& resolve);
  NodeId value(ExprId root, const std::unordered_map<ExprId, NodeId>& known, const Resolve& resolve) {
    return values(std::span(&root, 1), known, resolve)[0];
  }
  /// The type that values of the node have: reals as the computation does them, integers in 64 bits when they come
  /// from data.
  [[nodiscard]] Type type_for(Kind kind) const;

 private:
  Builder& b;
  const Arena& a;
  Type real_;
  struct Signed {
    NodeId magnitude = none;
    bool negative = false;
  };
  std::unordered_map<ExprId, NodeId> done_;
  std::unordered_map<ExprId, Signed> products_;

  std::vector<ExprId> order(std::span<const ExprId> roots, const std::unordered_map<ExprId, NodeId>& known) const;
  std::vector<char> unconditional(std::span<const ExprId> roots, const std::vector<ExprId>& nodes) const;
  NodeId operation(ExprId id);
  NodeId arg(ExprId id, std::size_t i, Kind kind);
  NodeId as(NodeId value, Kind kind);
  NodeId number(ExprId id);
  NodeId sum(ExprId id);
  NodeId product(ExprId id);
  NodeId power(NodeId base, double exponent, Kind kind);
  NodeId fold(ExprId id, Op op, Kind kind);
};

} // namespace aicf::ir
