#include "core/structure/properties/ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace aicf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

/// The leaves of a chain of maxima (or minima).
bool chain_holds(const Arena& arena, ExprId chain, Op op, ExprId wanted) {
  std::vector<ExprId> open{chain};
  while (!open.empty()) {
    ExprId id = open.back();
    open.pop_back();
    if (id == wanted) return true;
    if (arena[id].op == op)
      for (ExprId o : arena.operands(id)) open.push_back(o);
  }
  return false;
}

/// c and u of a node that is c*u with a number c, or 1 and the node.
std::pair<double, ExprId> scaled(const Arena& arena, ExprId id) {
  if (arena[id].op == Op::neg) return {-1, arena.operand(id, 0)};
  if (arena[id].op == Op::mul && arena[id].count == 2)
    for (std::size_t k = 0; k < 2; ++k)
      if (arena[arena.operand(id, k)].op == Op::number)
        return {arena.value(arena.operand(id, k)), arena.operand(id, 1 - k)};
  return {1, id};
}

Range monotone(const Range& a, double (*f)(double), double lo_limit, double hi_limit) {
  double lo = f(a.lo), hi = f(a.hi);
  return {std::isnan(lo) ? lo_limit : std::max(lo, lo_limit), std::isnan(hi) ? hi_limit : std::min(hi, hi_limit),
          a.rises, a.falls};
}

} // namespace

Ranges::Ranges(const Arena& arena, double limit, std::function<bool(std::uint32_t)> moves)
    : arena_(arena), limit_(limit), moves_(std::move(moves)) {}

Range Ranges::of(ExprId root) {
  fill(root, known_);
  return known_.at(root);
}

void Ranges::fill(ExprId root, Known& known) const {
  std::array roots{root};
  for (ExprId id : reachable(arena_, roots))
    if (!known.contains(id)) known.emplace(id, step(id, known));
}

Range Ranges::sum(ExprId id, const Known& known) const {
  Range r;
  std::vector<ExprId> rest(arena_.operands(id).begin(), arena_.operands(id).end());
  for (std::size_t k = 0; k < rest.size(); ++k) { // t - max(t, …) is at most 0, t - min(t, …) at least 0
    const auto multiple = scaled(arena_, rest[k]);
    const double c = multiple.first;
    const ExprId chain = multiple.second;
    Op op = arena_[chain].op;
    if (c != -1 || (op != Op::max && op != Op::min)) continue;
    auto t = std::find_if(rest.begin(), rest.end(), [&](ExprId o) { return chain_holds(arena_, chain, op, o); });
    if (t == rest.end()) continue;
    const Range a = known.at(*t), b = known.at(chain);
    (op == Op::max ? r.lo : r.hi) += op == Op::max ? a.lo - b.hi : a.hi - b.lo;
    r.rises = r.falls = a.rises || a.falls || b.rises || b.falls;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    rest.erase(std::find(rest.begin(), rest.end(), *t));
    break;
  }
  for (ExprId o : rest) {
    const Range& a = known.at(o);
    r.lo += a.lo, r.hi += a.hi;
    r.rises = r.rises || a.rises, r.falls = r.falls || a.falls;
  }
  if (std::isnan(r.lo)) r.lo = -infinity;
  if (std::isnan(r.hi)) r.hi = infinity;
  return r;
}

/// B with |product| <= B, where a factor u is one of the nonnegative terms that its divisor sums: u*S^-1 with S = c*u +
/// …, and u*S^(-1/2) with S = c*u^2 + ….
std::optional<double> Ranges::quotient_bound(ExprId id, const Known& known) const {
  auto factors = arena_.operands(id);
  double bound = 1;
  std::vector<char> used(factors.size(), 0);
  bool any = false;
  for (std::size_t q = 0; q < factors.size(); ++q) {
    const ExprId f = factors[q];
    if (arena_[f].op != Op::pow || arena_[arena_.operand(f, 1)].op != Op::number) continue;
    const double e = arena_.value(arena_.operand(f, 1));
    if (e != -1 && e != -0.5) continue;
    const auto terms = nonnegative_terms(arena_.operand(f, 0), known);
    for (std::size_t u = 0; u < factors.size() && used[q] == 0; ++u) {
      if (u == q || used[u] != 0) continue;
      for (auto [c, v] : terms) {
        const bool power = arena_[v].op == Op::pow && arena_[arena_.operand(v, 1)].op == Op::number;
        const bool square = power && arena_.is_number(arena_.operand(v, 1), 2) && arena_.operand(v, 0) == factors[u];
        if (!(e == -1 ? v == factors[u] : square)) continue;
        used[u] = used[q] = 1;
        bound *= std::pow(c, e);
        any = true;
        break;
      }
    }
  }
  if (!any) return std::nullopt;
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (used[k] == 0)
      bound = times(bound, std::max(std::fabs(known.at(factors[k]).lo), std::fabs(known.at(factors[k]).hi)));
  return bound;
}

/// A sum written out as positive multiples of nonnegative terms; empty where it is not one.
std::vector<std::pair<double, ExprId>> Ranges::nonnegative_terms(ExprId sum, const Known& known) const {
  std::vector<std::pair<double, ExprId>> out, open{{1, sum}};
  while (!open.empty() && out.size() < 256) {
    auto [outer, node] = open.back();
    open.pop_back();
    auto [c, inner] = scaled(arena_, node);
    c *= outer;
    if (c <= 0 || known.at(inner).lo < 0) return {};
    if (arena_[inner].op == Op::add)
      for (ExprId o : arena_.operands(inner)) open.emplace_back(c, o);
    else
      out.emplace_back(c, inner);
  }
  return open.empty() ? out : std::vector<std::pair<double, ExprId>>{};
}

Range Ranges::product(ExprId id, const Known& known) const {
  auto factors = arena_.operands(id);
  Range r{1, 1, false, false};
  for (ExprId o : factors) {
    const Range& a = known.at(o);
    const std::array all{times(r.lo, a.lo), times(r.lo, a.hi), times(r.hi, a.lo), times(r.hi, a.hi)};
    r.lo = *std::min_element(all.begin(), all.end());
    r.hi = *std::max_element(all.begin(), all.end());
  }
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const Range& a = known.at(factors[k]);
    if (!a.rises && !a.falls) continue;
    int sign = 1; // of the other factors
    for (std::size_t o = 0; o < factors.size() && sign != 0; ++o) {
      if (o == k) continue;
      const Range& b = known.at(factors[o]);
      sign = b.lo >= 0 ? sign : b.hi <= 0 ? -sign : 0;
    }
    r.rises = r.rises || sign == 0 || (sign > 0 ? a.rises : a.falls);
    r.falls = r.falls || sign == 0 || (sign > 0 ? a.falls : a.rises);
  }
  if (auto bound = quotient_bound(id, known)) r.lo = std::max(r.lo, -*bound), r.hi = std::min(r.hi, *bound);
  return r;
}

Range Ranges::power(ExprId id, const Known& known) const {
  const Range a = known.at(arena_.operand(id, 0)), exponent = known.at(arena_.operand(id, 1));
  if (exponent.lo != exponent.hi) {
    bool moves = a.rises || a.falls || exponent.rises || exponent.falls;
    return {a.lo >= 0 ? 0 : -infinity, infinity, moves, moves};
  }
  const double e = exponent.lo;
  const bool even = std::fmod(e, 2) == 0, odd = std::fmod(std::fabs(e), 2) == 1;
  auto f = [&](double v) { return std::pow(v, e); };
  Range r = a;
  if (!odd && !even) r.lo = std::max(0.0, r.lo); // defined on nonnegative numbers
  if (e > 0 && (odd || r.lo >= 0)) return {f(r.lo), f(r.hi), a.rises, a.falls};
  if (e < 0 && (r.lo >= 0 || (r.hi <= 0 && odd))) {
    double lo = f(r.hi), hi = r.lo == 0 ? infinity : f(r.lo);
    if (r.hi == 0 && odd) lo = -infinity;
    return {lo, hi, a.falls, a.rises};
  }
  bool moves = a.rises || a.falls;
  if (even && r.hi <= 0)
    return {e > 0 ? f(r.hi) : 0, e > 0 ? f(r.lo) : infinity, e > 0 ? a.falls : a.rises, e > 0 ? a.rises : a.falls};
  if (even && e > 0) return {0, std::max(f(r.lo), f(r.hi)), moves, moves};
  if (even) return {0, infinity, moves, moves};
  return {-infinity, infinity, moves, moves};
}

Range Ranges::under(ExprId branch, ExprId condition, bool yes, const Known& known) const {
  const Node& n = arena_[condition];
  if (n.op != Op::lt && n.op != Op::le) return known.at(branch);
  const ExprId a = arena_.operand(condition, 0), b = arena_.operand(condition, 1);
  const bool number_first = arena_[a].op == Op::number;
  if (!number_first && arena_[b].op != Op::number) return known.at(branch);
  const double v = arena_.value(number_first ? a : b);
  const ExprId node = number_first ? b : a;
  Range cut = known.at(node);
  if (number_first == yes)
    cut.lo = std::max(cut.lo, v); // v < node, or not node < v
  else
    cut.hi = std::min(cut.hi, v);
  Known with{{node, cut}};
  std::array roots{branch};
  for (ExprId id : reachable(arena_, roots))
    if (!with.contains(id)) with.emplace(id, step(id, with));
  return with.at(branch);
}

Range Ranges::choice(ExprId id, const Known& known) const {
  const ExprId condition = arena_.operand(id, 0);
  const Range c = known.at(condition);
  // the cut costs a walk of the branches: small ones only
  std::array branches{arena_.operand(id, 1), arena_.operand(id, 2)};
  Range a = under(branches[0], condition, true, known), b = under(branches[1], condition, false, known);
  Range r{std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.rises || b.rises, a.falls || b.falls};
  const bool up = a.lo >= b.hi, down = a.hi <= b.lo; // what a switch to the first branch does
  if (c.rises) r.rises = r.rises || !down, r.falls = r.falls || !up;
  if (c.falls) r.rises = r.rises || !up, r.falls = r.falls || !down;
  return r;
}

Range Ranges::step(ExprId id, const Known& known) const {
  const Node& n = arena_[id];
  auto at = [&](std::size_t k) -> const Range& { return known.at(arena_.operand(id, k)); };
  switch (n.op) {
  case Op::number: return {arena_.value(id), arena_.value(id), false, false};
  case Op::symbol: return {-limit_, limit_, moves_(n.payload), false};
  case Op::neg: return {-at(0).hi, -at(0).lo, at(0).falls, at(0).rises};
  case Op::add: return sum(id, known);
  case Op::sub:
    return {at(0).lo - at(1).hi, at(0).hi - at(1).lo, at(0).rises || at(1).falls, at(0).falls || at(1).rises};
  case Op::mul: return product(id, known);
  case Op::pow: return power(id, known);
  case Op::exp:
    return monotone(
        at(0), [](double v) { return std::exp(v); }, 0, infinity);
  case Op::exp2:
    return monotone(
        at(0), [](double v) { return std::exp2(v); }, 0, infinity);
  case Op::expm1:
    return monotone(
        at(0), [](double v) { return std::expm1(v); }, -1, infinity);
  case Op::log:
    return monotone(
        at(0), [](double v) { return std::log(v); }, -infinity, infinity);
  case Op::log2:
    return monotone(
        at(0), [](double v) { return std::log2(v); }, -infinity, infinity);
  case Op::log1p:
    return monotone(
        at(0), [](double v) { return std::log1p(v); }, -infinity, infinity);
  case Op::sqrt:
    return monotone(
        at(0), [](double v) { return std::sqrt(v); }, 0, infinity);
  case Op::tanh:
    return monotone(
        at(0), [](double v) { return std::tanh(v); }, -1, 1);
  case Op::erf:
    return monotone(
        at(0), [](double v) { return std::erf(v); }, -1, 1);
  case Op::atan:
    return monotone(
        at(0), [](double v) { return std::atan(v); }, -std::numbers::pi / 2, std::numbers::pi / 2);
  case Op::sigmoid:
    return monotone(
        at(0), [](double v) { return 1 / (1 + std::exp(-v)); }, 0, 1);
  case Op::sign:
    return monotone(
        at(0), [](double v) { return v > 0   ? 1.0
                                     : v < 0 ? -1.0
                                             : 0.0; }, -1, 1);
  case Op::floor:
    return monotone(
        at(0), [](double v) { return std::floor(v); }, -infinity, infinity);
  case Op::ceil:
    return monotone(
        at(0), [](double v) { return std::ceil(v); }, -infinity, infinity);
  case Op::round:
    return monotone(
        at(0), [](double v) { return std::nearbyint(v); }, -infinity, infinity);
  case Op::abs: {
    const Range& a = at(0);
    if (a.lo >= 0) return a;
    if (a.hi <= 0) return {-a.hi, -a.lo, a.falls, a.rises};
    return {0, std::max(-a.lo, a.hi), a.rises || a.falls, a.rises || a.falls};
  }
  case Op::min:
    return {std::min(at(0).lo, at(1).lo), std::min(at(0).hi, at(1).hi), at(0).rises || at(1).rises,
            at(0).falls || at(1).falls};
  case Op::max:
    return {std::max(at(0).lo, at(1).lo), std::max(at(0).hi, at(1).hi), at(0).rises || at(1).rises,
            at(0).falls || at(1).falls};
  case Op::lt:
  case Op::le: return {0, 1, at(1).rises || at(0).falls, at(0).rises || at(1).falls};
  case Op::and_:
  case Op::or_: return {0, 1, at(0).rises || at(1).rises, at(0).falls || at(1).falls};
  case Op::not_: return {0, 1, at(0).falls, at(0).rises};
  case Op::select: return choice(id, known);
  default: break;
  }
  bool moves = false;
  for (ExprId o : arena_.operands(id)) moves = moves || known.at(o).rises || known.at(o).falls;
  const bool wave = n.op == Op::sin || n.op == Op::cos;
  const bool truth = n.kind == Kind::boolean;
  if (n.op == Op::round_to) {
    const auto type = static_cast<DType>(n.payload);
    if (type == DType::i8) return {-128, 127, at(0).rises, at(0).falls};
    return at(0);
  }
  return {wave ? -1 : truth ? 0 : -infinity, wave || truth ? 1 : infinity, moves, moves};
}

} // namespace aicf
