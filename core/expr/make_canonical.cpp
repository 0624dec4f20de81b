// make_canonical: one node in normal form from operands in normal form.
#include "core/expr/canonical.hpp"
#include "core/expr/normal.hpp"

#include <cmath>
#include <limits>
#include <optional>

namespace aicf {
namespace {

bool is_number(const Arena& arena, ExprId id) { return arena[id].op == Op::number; }

/// `2` and `2.0` are one node where the value is real.
ExprId with_kind(Arena& arena, ExprId id, Kind kind) {
  if (!is_number(arena, id) || arena[id].kind == kind || arena[id].kind == Kind::boolean) return id;
  if (kind == Kind::integer && arena.value(id) != std::floor(arena.value(id))) return id;
  return arena.number(arena.value(id), kind);
}

/// f(v) where that is a double.
std::optional<double> exact_value(Op op, double v) {
  switch (op) {
  case Op::abs: return std::fabs(v);
  case Op::sign: return std::isnan(v) ? v : v > 0 ? 1 : v < 0 ? -1 : 0;
  case Op::floor: return std::floor(v);
  case Op::ceil: return std::ceil(v);
  case Op::round: return std::nearbyint(v);
  case Op::isnan: return std::isnan(v) ? 1 : 0;
  case Op::exp:
    if (v == 0) return 1;
    if (std::isinf(v)) return v > 0 ? v : 0;
    return std::nullopt;
  case Op::exp2:
    if (v == std::floor(v) && std::fabs(v) < 1000) return std::exp2(v);
    return std::nullopt;
  case Op::log:
    if (v == 1) return 0;
    if (v == 0) return -std::numeric_limits<double>::infinity();
    return std::nullopt;
  case Op::log2: {
    int exponent = 0;
    if (v > 0 && std::isfinite(v) && std::frexp(v, &exponent) == 0.5) return exponent - 1;
    return std::nullopt;
  }
  case Op::cos: return v == 0 ? std::optional(1.0) : std::nullopt;
  case Op::sigmoid: return v == 0 ? std::optional(0.5) : std::nullopt;
  case Op::expm1:
  case Op::log1p:
  case Op::tanh:
  case Op::erf:
  case Op::atan:
  case Op::sin: return v == 0 ? std::optional(v) : std::nullopt;
  default: return std::nullopt;
  }
}

bool holds(Op op, double a, double b) {
  switch (op) {
  case Op::lt: return a < b;
  case Op::le: return a <= b;
  case Op::eq: return a == b;
  default: return a != b;
  }
}

ExprId make_comparison(Arena& arena, Op op, ExprId a, ExprId b) {
  Kind kind = Kind::integer;
  for (ExprId id : {a, b})
    if (!is_number(arena, id) && arena[id].kind != Kind::integer) kind = arena[id].kind;
  if (is_number(arena, a) && is_number(arena, b)) return arena.boolean(holds(op, arena.value(a), arena.value(b)));
  a = with_kind(arena, a, kind);
  b = with_kind(arena, b, kind);
  if ((op == Op::eq || op == Op::ne) && structural_compare(arena, b, a) < 0) std::swap(a, b);
  return arena.make(op, Kind::boolean, {a, b});
}

ExprId make_logic(Arena& arena, Op op, const std::vector<ExprId>& operands) {
  bool absorbing = op == Op::or_;
  std::vector<ExprId> kept;
  for (ExprId id : operands) {
    if (!is_number(arena, id))
      kept.push_back(id);
    else if ((arena.value(id) != 0) == absorbing)
      return arena.boolean(absorbing);
  }
  if (kept.empty()) return arena.boolean(!absorbing);
  return make_chain(arena, op, Kind::boolean, kept);
}

ExprId make_not(Arena& arena, ExprId a) { // not (a < b) is not b <= a: both are false at NaN
  if (is_number(arena, a)) return arena.boolean(arena.value(a) == 0);
  Op op = arena[a].op;
  if (op == Op::not_) return arena.operand(a, 0);
  if (op == Op::eq || op == Op::ne)
    return make_comparison(arena, op == Op::eq ? Op::ne : Op::eq, arena.operand(a, 0), arena.operand(a, 1));
  return arena.make(Op::not_, Kind::boolean, {a});
}

ExprId make_select(Arena& arena, Kind kind, ExprId condition, ExprId then, ExprId otherwise) {
  then = with_kind(arena, then, kind);
  otherwise = with_kind(arena, otherwise, kind);
  if (arena[condition].op == Op::not_) {
    condition = arena.operand(condition, 0);
    std::swap(then, otherwise);
  }
  if (is_number(arena, condition)) return arena.value(condition) != 0 ? then : otherwise;
  if (then == otherwise) return then;
  return arena.make(Op::select, kind, {condition, then, otherwise});
}

/// // and %: floor division of integers; only literal operands and the unit are folded.
ExprId make_floor_division(Arena& arena, Op op, Kind kind, ExprId a, ExprId b) {
  a = with_kind(arena, a, kind);
  b = with_kind(arena, b, kind);
  if (kind == Kind::integer && is_number(arena, b) && arena.value(b) != 0) {
    double d = arena.value(b);
    if (d == 1) return op == Op::floordiv ? a : arena.number(0, kind);
    if (is_number(arena, a)) {
      double n = arena.value(a), q = std::floor(n / d);
      if (std::fabs(n) < 0x1p52) return arena.number(op == Op::floordiv ? q : n - q * d, kind);
    }
  }
  return arena.make(op, kind, {a, b});
}

ExprId make_function(Arena& arena, Op op, Kind kind, ExprId a) {
  Kind of_operand = arena[a].kind;
  if (op == Op::floor || op == Op::ceil || op == Op::round) {
    if (of_operand == Kind::integer) return a;
  } else if (op == Op::isnan && of_operand == Kind::integer && arena[a].op != Op::number) {
    return arena.boolean(false);
  } else if (op != Op::abs && op != Op::sign && op != Op::isnan) {
    a = with_kind(arena, a, Kind::real);
  }
  if (is_number(arena, a))
    if (auto folded = exact_value(op, arena.value(a))) return arena.number(*folded, kind);
  return arena.make(op, kind, {a});
}

} // namespace

ExprId make_canonical(Arena& arena, Op op, Kind kind, std::span<const ExprId> args, std::uint32_t payload) {
  auto minus = [&](ExprId id) { return make_product(arena, arena[id].kind, {arena.number(-1, arena[id].kind), id}); };
  switch (op) {
  case Op::neg: return minus(args[0]);
  case Op::add: return make_sum(arena, kind, {args.begin(), args.end()});
  case Op::sub: return make_sum(arena, kind, {args[0], minus(args[1])});
  case Op::mul: return make_product(arena, kind, {args.begin(), args.end()});
  case Op::div: return make_product(arena, kind, {args[0], make_power(arena, Kind::real, args[1], arena.number(-1))});
  case Op::pow: return make_power(arena, kind, args[0], args[1]);
  case Op::sqrt: return make_power(arena, kind, args[0], arena.number(0.5));
  case Op::rsqrt: return make_power(arena, kind, args[0], arena.number(-0.5));
  case Op::floordiv:
  case Op::mod: return make_floor_division(arena, op, kind, args[0], args[1]);
  case Op::min:
  case Op::max: return make_chain(arena, op, kind, {with_kind(arena, args[0], kind), with_kind(arena, args[1], kind)});
  case Op::lt:
  case Op::le:
  case Op::eq:
  case Op::ne: return make_comparison(arena, op, args[0], args[1]);
  case Op::and_:
  case Op::or_: return make_logic(arena, op, {args.begin(), args.end()});
  case Op::not_: return make_not(arena, args[0]);
  case Op::select: return make_select(arena, kind, args[0], args[1], args[2]);
  case Op::round_to: {
    auto type = static_cast<DType>(payload);
    if (is_number(arena, args[0])) return arena.number(round_to(type, arena.value(args[0])), kind);
    if (arena[args[0]].op == Op::round_to && arena[args[0]].payload == payload) return args[0];
    return arena.make(op, kind, payload, args);
  }
  case Op::padded_load: {
    std::vector<ExprId> operands(args.begin(), args.end());
    operands.back() = with_kind(arena, operands.back(), kind);
    return arena.make(op, kind, payload, operands);
  }
  case Op::number:
  case Op::index:
  case Op::scalar:
  case Op::dim:
  case Op::symbol:
  case Op::load:
  case Op::reduce: return arena.make(op, kind, payload, args);
  default: return make_function(arena, op, kind, args[0]);
  }
}

} // namespace aicf
