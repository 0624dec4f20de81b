#include "core/kernel/select_functions.hpp"

#include "core/kernel/walk.hpp"

#include <numbers>

namespace aicf::ir {
namespace {

constexpr double log2_e = std::numbers::log2e, ln_2 = std::numbers::ln2;

class Selection {
 public:
  Selection(Kernel& kernel, const FunctionChoice& choice) : depth_(loop_depths(kernel)), choice_(choice) {}

  /// The value in place of `id`, or none.
  NodeId run(Builder& b, NodeId id) const {
    const Node n = b.k.nodes[id];
    if (n.code != Code::apply || n.type != Type::f32) return none; // the hardware approximates f32 alone
    if (choice_.fast_exp && n.op == Op::exp)
      return b.apply(Op::exp2, {b.apply(Op::mul, {n.args[0], b.constant(Type::f32, log2_e)})}, Accuracy::fast);
    if (choice_.fast_exp && n.op == Op::exp2 && n.accuracy == Accuracy::named)
      return b.apply(Op::exp2, n.args, Accuracy::fast);
    if (choice_.fast_log && n.op == Op::log)
      return b.apply(Op::mul, {b.apply(Op::log2, n.args, Accuracy::fast), b.constant(Type::f32, ln_2)});
    if (choice_.fast_log && n.op == Op::log2 && n.accuracy == Accuracy::named)
      return b.apply(Op::log2, n.args, Accuracy::fast);
    bool bounded = (choice_.fast_erf && n.op == Op::erf) || (choice_.fast_tanh && n.op == Op::tanh);
    if (bounded && n.accuracy == Accuracy::named) return b.apply(n.op, n.args, Accuracy::fast);
    if (n.op == Op::div && choice_.divide != Divide::ieee) return divided(b, id, n);
    return none;
  }

 private:
  std::vector<int> depth_;
  const FunctionChoice& choice_;

  NodeId divided(Builder& b, NodeId id, const Node& n) const {
    bool fast = choice_.divide == Divide::fast;
    bool invariant = n.args[1] < depth_.size() && depth_[n.args[1]] < depth_[id];
    bool reciprocal = b.known(n.args[0]) == 1;
    if (!fast && (!invariant || reciprocal)) return none;
    NodeId one = b.constant(Type::f32, 1);
    NodeId r = b.apply(Op::div, {one, n.args[1]}, fast ? Accuracy::fast : Accuracy::named);
    return reciprocal ? r : b.apply(Op::mul, {n.args[0], r});
  }
};

} // namespace

void select_functions(Kernel& kernel, const FunctionChoice& choice) {
  Selection selection(kernel, choice);
  Replacement with;
  rewrite(kernel, [&](Builder& b, NodeId id) {
    NodeId value = selection.run(b, id);
    if (value == none) return true;
    with[id] = value;
    return false;
  });
  replace_uses(kernel, with);
}

} // namespace aicf::ir
