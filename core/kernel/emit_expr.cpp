#include "core/kernel/emit_expr.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace aicf::ir {
namespace {

bool is_leaf(Op op) {
  switch (op) {
  case Op::index:
  case Op::scalar:
  case Op::dim:
  case Op::symbol:
  case Op::load:
  case Op::padded_load:
  case Op::reduce: return true;
  default: return false;
  }
}

constexpr double longest_power = 16; // beyond it the library's pow needs fewer operations

} // namespace

Type Emitter::type_for(Kind kind) const {
  return kind == Kind::real ? real_ : kind == Kind::integer ? Type::i64 : Type::pred;
}

std::vector<ExprId> Emitter::order(std::span<const ExprId> roots,
                                   const std::unordered_map<ExprId, NodeId>& known) const {
  std::unordered_map<ExprId, bool> seen;
  std::vector<ExprId> stack(roots.begin(), roots.end()), found;
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (!seen.emplace(id, true).second || known.contains(id)) continue;
    found.push_back(id);
    if (a[id].op == Op::reduce) continue;
    for (ExprId operand : a.operands(id)) stack.push_back(operand);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<char> Emitter::unconditional(std::span<const ExprId> roots, const std::vector<ExprId>& nodes) const {
  std::vector<char> sure(a.size(), 0);
  for (ExprId r : roots) sure[r] = 1;
  for (std::size_t k = nodes.size(); k-- > 0;) { // users before operands
    ExprId id = nodes[k];
    if (sure[id] == 0 || a[id].op == Op::reduce) continue;
    std::size_t count = a[id].op == Op::select ? 1 : a.operands(id).size();
    for (std::size_t i = 0; i < count; ++i) sure[a.operand(id, i)] = 1;
  }
  return sure;
}

std::vector<NodeId> Emitter::values(std::span<const ExprId> roots, const std::unordered_map<ExprId, NodeId>& known,
                                    const Resolve& resolve) {
  done_ = known;
  products_.clear();
  std::vector<ExprId> nodes = order(roots, known);
  std::vector<char> sure = unconditional(roots, nodes);
  std::vector<NodeId> operands;
  for (ExprId id : nodes) {
    if (is_leaf(a[id].op)) {
      operands.clear();
      if (a[id].op != Op::reduce)
        for (ExprId operand : a.operands(id)) operands.push_back(done_.at(operand));
      done_[id] = resolve({id, operands, sure[id] == 0});
    } else {
      done_[id] = operation(id);
    }
  }
  std::vector<NodeId> out;
  for (ExprId r : roots) out.push_back(done_.at(r));
  return out;
}

NodeId Emitter::as(NodeId value, Kind kind) {
  if (kind == Kind::real) return b.convert(value, real_);
  if (kind == Kind::boolean) return b.convert(value, Type::pred);
  return is_real(b.type(value)) ? b.convert(value, Type::i64) : value;
}

NodeId Emitter::arg(ExprId id, std::size_t i, Kind kind) { return as(done_.at(a.operand(id, i)), kind); }

NodeId Emitter::number(ExprId id) {
  double v = a.value(id);
  if (a[id].kind == Kind::real) return b.constant(real_, v);
  if (a[id].kind == Kind::boolean) return b.constant(Type::pred, v != 0 ? 1 : 0);
  return b.constant(std::abs(v) < 0x1p31 ? Type::i32 : Type::i64, v);
}

/// a + (-1)*b + … as a - b …: a term without a sign goes first.
NodeId Emitter::sum(ExprId id) {
  Kind kind = a[id].kind;
  auto terms = a.operands(id);
  auto parts = [&](ExprId term) {
    auto found = products_.find(term);
    return found == products_.end() ? Signed{done_.at(term), false} : found->second;
  };
  std::size_t first = 0;
  while (first < terms.size() && parts(terms[first]).negative) ++first;
  NodeId total = none;
  if (first == terms.size()) first = 0;
  total = as(done_.at(terms[first]), kind);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i == first) continue;
    Signed s = parts(terms[i]);
    total = b.apply(s.negative ? Op::sub : Op::add, {total, as(s.magnitude, kind)});
  }
  return total;
}

/// Factors with a negative exponent are divisors, taken one after the other: their product might overflow.
NodeId Emitter::product(ExprId id) {
  Kind kind = a[id].kind;
  double coefficient = 1;
  NodeId above = none;
  std::vector<NodeId> below;
  for (ExprId factor : a.operands(id)) {
    const aicf::Node& n = a[factor];
    if (n.op == Op::number) {
      coefficient *= a.value(factor);
      continue;
    }
    ExprId exponent = n.op == Op::pow ? a.operand(factor, 1) : no_expr;
    if (exponent != no_expr && kind == Kind::real && a[exponent].op == Op::number && a.value(exponent) < 0) {
      below.push_back(power(as(done_.at(a.operand(factor, 0)), kind), -a.value(exponent), kind));
      continue;
    }
    NodeId value = as(done_.at(factor), kind);
    if (above == none) {
      above = value;
    } else {
      if (kind == Kind::integer) above = b.convert(above, Type::i64);
      above = b.apply(Op::mul, {above, value});
    }
  }
  bool negative = coefficient < 0;
  double magnitude = std::abs(coefficient);
  Type type = kind == Kind::real ? real_ : Type::i32;
  if (above == none)
    above = b.constant(type, magnitude);
  else if (magnitude != 1)
    above = b.apply(Op::mul, {above, b.constant(type, magnitude)});
  for (NodeId d : below) above = b.apply(Op::div, {above, d});
  products_[id] = {above, negative};
  return negative ? b.apply(Op::neg, {above}) : above;
}

NodeId Emitter::power(NodeId base, double exponent, Kind kind) {
  if (exponent < 0) {
    NodeId below = power(base, -exponent, kind);
    return b.apply(Op::div, {b.constant(real_, 1), b.convert(below, real_)});
  }
  double whole = std::floor(exponent);
  if (exponent - whole == 0.5 && whole <= 1) { // x^(1/2), x^(3/2)
    NodeId root = b.apply(Op::sqrt, {b.convert(base, real_)});
    return whole == 0 ? root : b.apply(Op::mul, {base, root});
  }
  if (whole != exponent || whole > longest_power || whole == 0)
    return b.apply(Op::pow, {b.convert(base, real_), b.constant(real_, exponent)});
  NodeId result = none, square = kind == Kind::integer ? b.convert(base, Type::i64) : base;
  for (auto n = static_cast<unsigned>(whole); n != 0; n >>= 1U) {
    if ((n & 1U) != 0) result = result == none ? square : b.apply(Op::mul, {result, square});
    if (n > 1) square = b.apply(Op::mul, {square, square});
  }
  return result;
}

NodeId Emitter::fold(ExprId id, Op op, Kind kind) {
  NodeId value = arg(id, 0, kind);
  for (std::size_t i = 1; i < a.operands(id).size(); ++i) value = b.apply(op, {value, arg(id, i, kind)});
  return value;
}

NodeId Emitter::operation(ExprId id) {
  const auto n = a[id];
  auto real = [&](std::size_t i) { return arg(id, i, Kind::real); };
  switch (n.op) {
  case Op::number: return number(id);
  case Op::add: return sum(id);
  case Op::mul: return product(id);
  case Op::neg: return b.apply(Op::neg, {arg(id, 0, n.kind)});
  case Op::sub:
  case Op::floordiv:
  case Op::mod: return b.apply(n.op, {arg(id, 0, n.kind), arg(id, 1, n.kind)});
  case Op::div: return b.apply(Op::div, {real(0), real(1)});
  case Op::pow: {
    ExprId exponent = a.operand(id, 1);
    if (a[exponent].op == Op::number) return as(power(arg(id, 0, n.kind), a.value(exponent), n.kind), n.kind);
    return as(b.apply(Op::pow, {real(0), real(1)}), n.kind);
  }
  case Op::min:
  case Op::max: return fold(id, n.op, n.kind);
  case Op::and_:
  case Op::or_: return fold(id, n.op, Kind::boolean);
  case Op::not_: return b.apply(Op::not_, {arg(id, 0, Kind::boolean)});
  case Op::lt:
  case Op::le:
  case Op::eq:
  case Op::ne: return b.apply(n.op, {done_.at(a.operand(id, 0)), done_.at(a.operand(id, 1))});
  case Op::select: return b.apply(Op::select, {arg(id, 0, Kind::boolean), arg(id, 1, n.kind), arg(id, 2, n.kind)});
  case Op::round_to: return as(b.round(real(0), static_cast<DType>(n.payload)), n.kind);
  case Op::sigmoid: { // 1 / (1 + exp(-x)): so that a plan's choices for exp and division reach it
    NodeId e = b.apply(Op::exp, {b.apply(Op::neg, {real(0)})});
    NodeId one = b.constant(real_, 1);
    return b.apply(Op::div, {one, b.apply(Op::add, {one, e})});
  }
  case Op::rsqrt: return power(real(0), -0.5, Kind::real);
  case Op::isnan: return b.apply(Op::isnan, {real(0)});
  case Op::abs:
  case Op::sign: return b.apply(n.op, {arg(id, 0, n.kind)});
  case Op::floor:
  case Op::ceil:
  case Op::round:
    if (!is_real(b.type(done_.at(a.operand(id, 0))))) return done_.at(a.operand(id, 0)); // whole already
    return as(b.apply(n.op, {real(0)}), n.kind);
  default: return as(b.apply(n.op, {real(0)}), n.kind); // functions of one real
  }
}

} // namespace aicf::ir
