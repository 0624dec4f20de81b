#include "core/expr/normal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <unordered_set>

namespace aicf {
namespace {

int three_way(auto a, auto b) { return a < b ? -1 : b < a ? 1 : 0; }

/// NaN last, -0 before 0.
int compare_numbers(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return three_way(std::isnan(a), std::isnan(b));
  if (a != b) return a < b ? -1 : 1;
  return three_way(!std::signbit(a), !std::signbit(b));
}

bool is_number(const Arena& arena, ExprId id) { return arena[id].op == Op::number; }
bool is_integral(double v) { return std::isfinite(v) && v == std::floor(v); }

/// The integer n when `id` is b^n with a literal integer n.
std::optional<double> integer_exponent(const Arena& arena, ExprId id) {
  if (arena[id].op != Op::pow) return std::nullopt;
  ExprId e = arena.operand(id, 1);
  if (!is_number(arena, e) || !is_integral(arena.value(e))) return std::nullopt;
  return arena.value(e);
}

/// a + b where that is a double (error term of Knuth's two-sum) or where infinities decide it.
std::optional<double> exact_sum(double a, double b) {
  double s = a + b;
  if (!std::isfinite(a) || !std::isfinite(b)) return s;
  double bb = s - a, error = (a - (s - bb)) + (b - bb);
  if (!std::isfinite(s) || error != 0) return std::nullopt;
  return s;
}

std::optional<double> exact_product(double a, double b) {
  double p = a * b;
  if (!std::isfinite(a) || !std::isfinite(b)) return p;
  if (!std::isfinite(p) || std::fma(a, b, -p) != 0 || (p == 0) != (a == 0 || b == 0)) return std::nullopt;
  if (p != 0 && std::fabs(p) < 0x1p-960) return std::nullopt; // the error term itself could underflow
  return p;
}

std::optional<double> exact_reciprocal(double v) {
  int exponent = 0;
  if (v == 0 || std::isinf(v) || std::isnan(v)) return 1 / v;
  if (std::fabs(std::frexp(v, &exponent)) != 0.5 || std::abs(exponent) > 1000) return std::nullopt;
  return 1 / v;
}

std::optional<double> exact_power(double base, double exponent) {
  if (exponent == 0 || base == 1) return 1; // as the C library: pow(NaN, 0) and pow(1, NaN) are 1
  if (std::isnan(base) || std::isnan(exponent)) return std::nullopt;
  if (exponent < 0) {
    auto positive = exact_power(base, -exponent);
    return positive ? exact_reciprocal(*positive) : std::nullopt;
  }
  if (exponent == 0.5) {
    if (base < 0) return std::nullopt;
    double s = std::sqrt(base);
    if (std::isinf(s) || std::fma(s, s, -base) == 0) return s;
    return std::nullopt;
  }
  if (!is_integral(exponent) || exponent > 1100) return std::nullopt;
  double p = 1;
  for (int i = 0; i < static_cast<int>(exponent); ++i) {
    auto next = exact_product(p, base);
    if (!next) return std::nullopt;
    p = *next;
  }
  return p;
}

/// Replaces the numbers of `values` by as few as exact folding allows, in an order that the multiset alone decides.
void fold(std::vector<double>& values, std::optional<double> (*combine)(double, double)) {
  std::sort(values.begin(), values.end(), [](double a, double b) { return compare_numbers(a, b) < 0; });
  std::vector<double> kept;
  for (double v : values) {
    auto folded = kept.empty() ? std::nullopt : combine(kept.back(), v);
    if (folded)
      kept.back() = *folded;
    else
      kept.push_back(v);
  }
  values = std::move(kept);
}

/// NaN wins, as in the reference.
std::optional<double> least(double a, double b) { return std::isnan(a) || a < b ? a : b; }
std::optional<double> greatest(double a, double b) { return std::isnan(a) || a > b ? a : b; }

void sort_operands(const Arena& arena, std::vector<ExprId>& ids) {
  std::sort(ids.begin(), ids.end(), [&](ExprId a, ExprId b) { return structural_compare(arena, a, b) < 0; });
}

/// Operands of nested `op` nodes; canonical ones are flat, so one level is enough.
std::vector<ExprId> flatten(const Arena& arena, Op op, const std::vector<ExprId>& ids) {
  std::vector<ExprId> flat;
  for (ExprId id : ids) {
    if (arena[id].op != op) {
      flat.push_back(id);
      continue;
    }
    auto operands = arena.operands(id);
    flat.insert(flat.end(), operands.begin(), operands.end());
  }
  return flat;
}

struct Term {
  ExprId rest = no_expr;
  double coefficient = 1;
  ExprId whole = no_expr; ///< the term as it came, while nothing was collected into it
};

Term split_term(Arena& arena, ExprId id) {
  if (arena[id].op != Op::mul || !is_number(arena, arena.operand(id, 0))) return {id, 1, id};
  double c = arena.value(arena.operand(id, 0));
  if (arena[id].count == 2) return {arena.operand(id, 1), c, id};
  auto operands = arena.operands(id);
  std::vector<ExprId> rest(operands.begin() + 1, operands.end());
  return {arena.make(Op::mul, arena[id].kind, 0, rest), c, id};
}

int sign_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

/// Terms with one rest, sorted by coefficient, collected where the sum is exact and special values keep their meaning.
void collect(Arena& arena, Kind kind, std::span<Term> group, std::vector<ExprId>& out) {
  auto emit = [&](const Term& t) {
    if (t.whole != no_expr) return out.push_back(t.whole);
    Kind number_kind = arena[t.rest].kind == Kind::integer && is_integral(t.coefficient) ? Kind::integer : Kind::real;
    if (kind == Kind::integer && t.coefficient == 0) return;
    std::vector<ExprId> factors{arena.number(t.coefficient, number_kind), t.rest};
    out.push_back(make_product(arena, number_kind == Kind::integer ? Kind::integer : kind, factors));
  };
  std::sort(group.begin(), group.end(),
            [](const Term& a, const Term& b) { return compare_numbers(a.coefficient, b.coefficient) < 0; });
  // An integer reduction may be -inf (the maximum of nothing), so it keeps the rules of the reals.
  bool cancels = kind == Kind::integer && arena[group[0].rest].op != Op::reduce;
  Term run = group[0];
  for (const Term& next : group.subspan(1)) {
    bool same = cancels || sign_of(run.coefficient) == sign_of(next.coefficient);
    bool finite = std::isfinite(run.coefficient) && std::isfinite(next.coefficient);
    auto sum = same && finite ? exact_sum(run.coefficient, next.coefficient) : std::nullopt;
    if (sum) {
      run = {run.rest, *sum, no_expr};
    } else {
      emit(run);
      run = next;
    }
  }
  emit(run);
}

} // namespace

int structural_compare(const Arena& arena, ExprId a, ExprId b) {
  while (a != b) { // equal operands are one node, so the first pair that differs decides: one path, no branching
    const Node &x = arena[a], &y = arena[b];
    if (x.op != y.op) return three_way(x.op, y.op);
    if (x.op == Op::number) {
      if (int c = compare_numbers(arena.value(a), arena.value(b)); c != 0) return c;
      return three_way(x.kind, y.kind);
    }
    if (x.op == Op::reduce) {
      const Reduce &r = arena.reduction(a), &s = arena.reduction(b);
      if (r.reducer != s.reducer) return three_way(r.reducer, s.reducer);
      if (r.vars != s.vars) return std::ranges::lexicographical_compare(r.vars, s.vars) ? -1 : 1;
    } else if (x.payload != y.payload) {
      return three_way(x.payload, y.payload);
    }
    if (x.count != y.count) return three_way(x.count, y.count);
    std::uint32_t i = 0;
    while (i < x.count && arena.operand(a, i) == arena.operand(b, i)) ++i;
    if (i == x.count) return three_way(x.kind, y.kind);
    a = arena.operand(a, i);
    b = arena.operand(b, i);
  }
  return 0;
}

ExprId make_sum(Arena& arena, Kind kind, const std::vector<ExprId>& terms) {
  std::vector<double> constants;
  std::vector<Term> split;
  for (ExprId id : flatten(arena, Op::add, terms)) {
    if (is_number(arena, id))
      constants.push_back(arena.value(id));
    else
      split.push_back(split_term(arena, id));
  }
  std::sort(split.begin(), split.end(), [](const Term& a, const Term& b) { return a.rest < b.rest; });
  std::vector<ExprId> out;
  for (std::size_t i = 0, end = 0; i < split.size(); i = end) {
    while (end < split.size() && split[end].rest == split[i].rest) ++end;
    collect(arena, kind, std::span(split).subspan(i, end - i), out);
  }
  fold(constants, exact_sum);
  for (double c : constants)
    if (c != 0 || out.empty()) out.push_back(arena.number(c, kind));
  if (out.empty()) return arena.number(0, kind);
  sort_operands(arena, out);
  return out.size() == 1 ? out[0] : arena.make(Op::add, kind, 0, out);
}

ExprId make_product(Arena& arena, Kind kind, const std::vector<ExprId>& factors) {
  struct Factor {
    ExprId base;
    double exponent;
    ExprId whole;
  };
  std::vector<double> constants;
  std::vector<Factor> split;
  for (ExprId id : flatten(arena, Op::mul, factors)) {
    if (is_number(arena, id)) {
      constants.push_back(arena.value(id));
      continue;
    }
    auto n = integer_exponent(arena, id);
    split.push_back(n ? Factor{arena.operand(id, 0), *n, id} : Factor{id, 1, id});
  }
  std::sort(split.begin(), split.end(), [](const Factor& a, const Factor& b) {
    return a.base != b.base ? a.base < b.base : a.exponent < b.exponent;
  });
  std::vector<ExprId> out;
  for (std::size_t i = 0; i < split.size();) {
    Factor run = split[i++];
    while (i < split.size() && split[i].base == run.base && (split[i].exponent > 0) == (run.exponent > 0))
      run = {run.base, run.exponent + split[i++].exponent, no_expr};
    Kind of_power = run.exponent > 0 ? arena[run.base].kind : Kind::real;
    out.push_back(run.whole != no_expr ? run.whole : make_power(arena, of_power, run.base, arena.number(run.exponent)));
  }
  fold(constants, exact_product);
  for (ExprId& id : out) { // c * d^-1 where the quotient of the literals is exact
    if (constants.empty() || integer_exponent(arena, id) != -1 || !is_number(arena, arena.operand(id, 0))) continue;
    double d = arena.value(arena.operand(id, 0)), q = constants[0] / d;
    if (!std::isfinite(q) || q == 0 || exact_product(q, d) != constants[0]) continue;
    constants[0] = q;
    id = no_expr;
  }
  std::erase(out, no_expr);
  bool zero = std::any_of(constants.begin(), constants.end(), [](double c) { return c == 0; });
  if (zero && kind == Kind::integer) return arena.number(0, kind);
  for (double c : constants)
    if (c != 1) out.push_back(arena.number(c, kind));
  if (out.empty()) return arena.number(1, kind);
  sort_operands(arena, out);
  return out.size() == 1 ? out[0] : arena.make(Op::mul, kind, 0, out);
}

ExprId make_power(Arena& arena, Kind kind, ExprId base, ExprId exponent) {
  if (is_number(arena, base)) base = arena.number(arena.value(base));
  if (is_number(arena, base) && arena.value(base) == 1) return arena.number(1, kind);
  if (!is_number(arena, exponent)) return arena.make(Op::pow, kind, {base, exponent});
  double e = arena.value(exponent);
  exponent = arena.number(e);
  if (e == 1) return base;
  if (e == 0) return arena.number(1, kind);
  if (is_number(arena, base))
    if (auto folded = exact_power(arena.value(base), e)) return arena.number(*folded, kind);
  if (is_integral(e)) {
    if (arena[base].op == Op::pow && is_number(arena, arena.operand(base, 1))) {
      // (x^a)^n = x^(a n) fails only where a root of a negative x comes back as a number: a broken, a n whole.
      double a = arena.value(arena.operand(base, 1));
      auto product = exact_product(a, e);
      if (product && std::isfinite(*product) && (is_integral(a) || !is_integral(*product)))
        return make_power(arena, kind, arena.operand(base, 0), arena.number(*product));
    }
    if (arena[base].op == Op::mul) {
      std::vector<ExprId> factors(arena.operands(base).begin(), arena.operands(base).end());
      for (ExprId& f : factors) f = make_power(arena, e > 0 ? arena[f].kind : Kind::real, f, exponent);
      return make_product(arena, kind, factors);
    }
  }
  return arena.make(Op::pow, kind, {base, exponent});
}

ExprId make_chain(Arena& arena, Op op, Kind kind, const std::vector<ExprId>& operands) {
  std::vector<ExprId> flat;
  std::vector<double> literals;
  auto add = [&](ExprId id) {
    if ((op == Op::min || op == Op::max) && is_number(arena, id))
      literals.push_back(arena.value(id));
    else
      flat.push_back(id);
  };
  for (ExprId id : operands) {
    for (; arena[id].op == op; id = arena.operand(id, 0)) add(arena.operand(id, 1));
    add(id);
  }
  fold(literals, op == Op::min ? least : greatest);
  for (double v : literals) flat.push_back(arena.number(v, kind));
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  sort_operands(arena, flat);
  ExprId chain = flat[0];
  for (std::size_t i = 1; i < flat.size(); ++i) chain = arena.make(op, kind, {chain, flat[i]});
  return chain;
}

std::vector<ExprId> nodes_below(const Arena& arena, std::span<const ExprId> roots) {
  std::unordered_set<ExprId> seen(roots.begin(), roots.end());
  std::vector<ExprId> stack(seen.begin(), seen.end()), found;
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    found.push_back(id);
    for (ExprId operand : arena.operands(id))
      if (seen.insert(operand).second) stack.push_back(operand);
  }
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace aicf
