#include "core/kernel/monoid.hpp"

#include <limits>
#include <stdexcept>

namespace aicf::ir {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

double least(Type type) { return is_real(type) ? -inf : -0x1p63; }
double greatest(Type type) { return is_real(type) ? inf : 0x1p62; } // 2^63 - 1 is no double; dims stay below 2^62

/// (value, index): b replaces a when it is better, or equal and earlier. NaN is better than every number.
std::vector<NodeId> better(Builder& b, bool largest, const std::vector<NodeId>& left,
                           const std::vector<NodeId>& right) {
  NodeId wins = largest ? b.apply(Op::lt, {left[0], right[0]}) : b.apply(Op::lt, {right[0], left[0]});
  NodeId ties = b.apply(Op::eq, {left[0], right[0]});
  if (is_real(b.type(left[0]))) {
    NodeId l = b.apply(Op::isnan, {left[0]}), r = b.apply(Op::isnan, {right[0]});
    wins = b.apply(Op::or_, {wins, b.apply(Op::and_, {r, b.apply(Op::not_, {l})})});
    ties = b.apply(Op::or_, {ties, b.apply(Op::and_, {l, r})});
  }
  NodeId take = b.apply(Op::or_, {wins, b.apply(Op::and_, {ties, b.apply(Op::lt, {right[1], left[1]})})});
  return {b.apply(Op::select, {take, right[0], left[0]}), b.apply(Op::select, {take, right[1], left[1]})};
}

} // namespace

Type carrier(Builtin reducer, Kind element, Type real) {
  if (reducer == Builtin::any || reducer == Builtin::all) return Type::pred;
  return element == Kind::real ? real : Type::i64;
}

NodeId combine(Builder& b, Builtin reducer, NodeId left, NodeId right) {
  switch (reducer) {
  case Builtin::sum: return b.apply(Op::add, {left, right});
  case Builtin::prod: return b.apply(Op::mul, {left, right});
  case Builtin::max: return b.apply(Op::max, {left, right});
  case Builtin::min: return b.apply(Op::min, {left, right});
  case Builtin::any: return b.apply(Op::or_, {left, right});
  case Builtin::all: return b.apply(Op::and_, {left, right});
  default: throw std::logic_error("a reducer of more than one component");
  }
}

Monoid compensated_sum(Type real) {
  Monoid m;
  m.symmetric = true;
  m.types = {real, real};
  m.identity = {0, 0};
  m.suffixes = {"", "_lost"};
  m.lift = [real](Builder& b, NodeId e, NodeId) { return std::vector{e, b.constant(real, 0)}; };
  m.merge = [](Builder& b, const auto& l, const auto& r) {
    auto minus = [&b](NodeId x, NodeId y) { return b.apply(Op::sub, {x, y}); };
    NodeId sum = b.apply(Op::add, {l[0], r[0]});
    NodeId right = minus(sum, l[0]), left = minus(sum, right);
    NodeId lost = b.apply(Op::add, {minus(l[0], left), minus(r[0], right)});
    return std::vector{sum, b.apply(Op::add, {b.apply(Op::add, {l[1], r[1]}), lost})};
  };
  m.result = [](Builder& b, const auto& tuple) { // what an infinite sum has lost is no number
    NodeId whole = b.apply(Op::add, {tuple[0], tuple[1]});
    return b.apply(Op::select, {b.apply(Op::isnan, {tuple[1]}), tuple[0], whole});
  };
  return m;
}

Monoid monoid_of(Builtin reducer, Type element) {
  Monoid m;
  m.symmetric = true;
  if (reducer == Builtin::argmax || reducer == Builtin::argmin) {
    bool largest = reducer == Builtin::argmax;
    m.types = {element, Type::i64};
    m.identity = {largest ? least(element) : greatest(element), no_index};
    m.arg = true;
    m.suffixes = {"", "_at"};
    m.lift = [](Builder& b, NodeId e, NodeId index) { return std::vector{e, b.convert(index, Type::i64)}; };
    m.merge = [largest](Builder& b, const auto& l, const auto& r) { return better(b, largest, l, r); };
    return m;
  }
  m.types = {element};
  switch (reducer) {
  case Builtin::prod:
  case Builtin::all: m.identity = {1}; break;
  case Builtin::max: m.identity = {least(element)}; break;
  case Builtin::min: m.identity = {greatest(element)}; break;
  default: m.identity = {0};
  }
  m.lift = [](Builder&, NodeId e, NodeId) { return std::vector{e}; };
  m.merge = [reducer](Builder& b, const auto& l, const auto& r) {
    return std::vector{combine(b, reducer, l[0], r[0])};
  };
  return m;
}

} // namespace aicf::ir
