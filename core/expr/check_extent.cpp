#include "core/expr/check_extent.hpp"

#include <algorithm>

namespace aicf {
namespace {

// Beyond these an expression is an atom: its neighbours are still compared, and hostile input costs little.
constexpr std::size_t most_terms = 16, most_atoms = 6;

using Term = Polynomial::Term;

bool add_term(Polynomial& p, const Term& term) {
  auto at = std::lower_bound(p.terms.begin(), p.terms.end(), term,
                             [](const Term& a, const Term& b) { return a.atoms < b.atoms; });
  if (at != p.terms.end() && at->atoms == term.atoms) {
    if (__builtin_add_overflow(at->factor, term.factor, &at->factor)) return false;
    if (at->factor == 0) p.terms.erase(at);
    return true;
  }
  p.terms.insert(at, term);
  return p.terms.size() <= most_terms;
}

/// into += by * p.
bool add(Polynomial& into, const Polynomial& p, std::int64_t by) {
  for (Term term : p.terms)
    if (__builtin_mul_overflow(term.factor, by, &term.factor) || !add_term(into, term)) return false;
  return true;
}

std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (const Term& x : a.terms) {
    for (const Term& y : b.terms) {
      Term term;
      std::merge(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(), std::back_inserter(term.atoms));
      if (term.atoms.size() > most_atoms || __builtin_mul_overflow(x.factor, y.factor, &term.factor) ||
          !add_term(product, term))
        return std::nullopt;
    }
  }
  return product;
}

bool is_sum_or_product(Op op) { return op == Op::add || op == Op::sub || op == Op::mul || op == Op::neg; }

constexpr double exact_integers = 9007199254740992.0; // 2^53

} // namespace

bool Extents::ready(ExprId id) const {
  return !is_sum_or_product((*arena_)[id].op) || (*arena_)[id].kind != Kind::integer || known_.contains(id);
}

const Polynomial& Extents::of(ExprId root) {
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    ExprId id = stack.back();
    if (known_.contains(id)) {
      stack.pop_back();
      continue;
    }
    std::size_t before = stack.size();
    if (!ready(id))
      for (ExprId operand : arena_->operands(id))
        if (!ready(operand)) stack.push_back(operand);
    if (stack.size() > before) continue;
    stack.pop_back();
    Polynomial p = expand(id);
    known_.emplace(id, std::move(p));
  }
  return known_.at(root);
}

Polynomial Extents::expand(ExprId id) {
  const Node& node = (*arena_)[id];
  Polynomial atom{{{{id}, 1}}};
  if (node.kind != Kind::integer) return atom;
  if (node.op == Op::number) {
    double value = arena_->value(id);
    if (!(value > -exact_integers && value < exact_integers)) return atom;
    if (value == 0) return {};
    return {{{{}, static_cast<std::int64_t>(value)}}};
  }
  if (!is_sum_or_product(node.op)) return atom;
  auto operand = [&](std::size_t i) {
    ExprId o = arena_->operand(id, i);
    auto found = known_.find(o);
    return found != known_.end() ? found->second : expand(o); // not ready here: a leaf, expanded at once
  };
  Polynomial result = operand(0);
  if (node.op == Op::neg) {
    Polynomial negated;
    return add(negated, result, -1) ? negated : atom;
  }
  for (std::size_t i = 1; i < node.count; ++i) {
    if (node.op == Op::mul) {
      auto product = multiply(result, operand(i));
      if (!product) return atom;
      result = std::move(*product);
    } else if (!add(result, operand(i), node.op == Op::add ? 1 : -1)) {
      return atom;
    }
  }
  return result;
}

bool Extents::equal(ExprId a, ExprId b) {
  if (a == b) return true;
  Polynomial difference = of(a);
  return add(difference, of(b), -1) && difference.terms.empty();
}

bool Extents::only_dims(const Polynomial::Term& term) const {
  return std::all_of(term.atoms.begin(), term.atoms.end(), [&](ExprId a) { return (*arena_)[a].op == Op::dim; });
}

/// p >= 0 whenever every dim is at least `least_dim` (0 or 1): p grows with each dim, so its least value is there.
bool Extents::nonnegative(const Polynomial& p, int least_dim) const {
  std::int64_t least = 0;
  for (const Term& term : p.terms) {
    if (!only_dims(term) || (!term.atoms.empty() && term.factor < 0)) return false;
    if (term.atoms.empty() || least_dim == 1) least += term.factor;
  }
  return least >= 0;
}

/// The largest (smallest) value over the ranges of the variables, inner variables first; nothing where the factor of a
/// variable has no certain sign. `reached`: only if no range is empty once all dims are at least 1.
std::optional<Polynomial> Extents::extreme(Polynomial p, bool upper, bool reached) {
  for (int steps = 0; steps < 64; ++steps) {
    std::optional<VarId> inner;
    ExprId atom = no_expr;
    for (const Term& term : p.terms) {
      for (ExprId a : term.atoms) {
        const Node& node = (*arena_)[a];
        if (node.op != Op::index || !ranges_.contains(node.payload) || (inner && *inner >= node.payload)) continue;
        inner = node.payload;
        atom = a;
      }
    }
    if (!inner) return p;
    Polynomial factor, rest;
    for (const Term& term : p.terms) {
      auto at = std::find(term.atoms.begin(), term.atoms.end(), atom);
      Term left = term;
      if (at == term.atoms.end()) {
        add_term(rest, left);
        continue;
      }
      left.atoms.erase(left.atoms.begin() + (at - term.atoms.begin()));
      if (std::find(left.atoms.begin(), left.atoms.end(), atom) != left.atoms.end()) return std::nullopt;
      add_term(factor, left);
    }
    bool positive = nonnegative(factor, 0);
    Polynomial negated;
    if (!positive && (!add(negated, factor, -1) || !nonnegative(negated, 0))) return std::nullopt;
    auto [lo, hi] = ranges_.at(*inner);
    if (reached) {
      Polynomial last = of(hi);
      if (!add_term(last, {{}, -1}) || !add(last, of(lo), -1)) return std::nullopt;
      auto least = extreme(std::move(last), false, false);
      if (!least || !nonnegative(*least, 1)) return std::nullopt;
    }
    Polynomial value = of(positive == upper ? hi : lo);
    if (positive == upper && !add_term(value, {{}, -1})) return std::nullopt;
    auto product = multiply(factor, value);
    if (!product || !add(rest, *product, 1)) return std::nullopt;
    p = std::move(rest);
  }
  return std::nullopt;
}

bool Extents::at_most(ExprId a, ExprId b) {
  Polynomial difference = of(b);
  if (!add(difference, of(a), -1)) return false;
  auto least = extreme(std::move(difference), false, false);
  return least && nonnegative(*least, 0);
}

bool Extents::at_least_zero(ExprId a) {
  auto least = extreme(of(a), false, false);
  return least && nonnegative(*least, 0);
}

bool Extents::outside(ExprId index, ExprId lo, ExprId hi, bool everywhere) {
  // below: lo - 1 - index >= 0; above: index - hi >= 0.
  Polynomial below = of(lo), above = of(index);
  if (!add_term(below, {{}, -1}) || !add(below, of(index), -1) || !add(above, of(hi), -1)) return false;
  for (Polynomial* p : {&below, &above}) {
    auto value = extreme(*p, !everywhere, everywhere);
    if (value && nonnegative(*value, everywhere ? 0 : 1)) return true;
  }
  return false;
}

std::optional<Extents::Shift> Extents::shift(ExprId index) {
  const Polynomial& p = of(index);
  Shift shift;
  bool found = false;
  for (const Term& term : p.terms) {
    if (term.atoms.empty()) {
      shift.by = term.factor;
    } else if (!found && term.atoms.size() == 1 && term.factor == 1 && (*arena_)[term.atoms[0]].op == Op::index) {
      shift.var = (*arena_)[term.atoms[0]].payload;
      found = true;
    } else {
      return std::nullopt;
    }
  }
  if (!found) return std::nullopt;
  return shift;
}

std::optional<std::int64_t> Extents::constant_difference(ExprId a, ExprId b) {
  Polynomial difference = of(a);
  if (!add(difference, of(b), -1) || difference.terms.size() > 1) return std::nullopt;
  if (difference.terms.empty()) return 0;
  if (!difference.terms[0].atoms.empty()) return std::nullopt;
  return difference.terms[0].factor;
}

bool Extents::linear_in(ExprId e, std::uint32_t dim) {
  for (const Term& term : of(e).terms) {
    std::ptrdiff_t power = 0;
    for (ExprId atom : term.atoms) {
      const Node& node = (*arena_)[atom];
      if (node.op != Op::dim && node.op != Op::scalar) return false;
      if (node.op == Op::dim && node.payload == dim) ++power;
    }
    if (power > 1) return false;
  }
  return true;
}

bool Extents::mentions_variables(ExprId e) {
  for (const Term& term : of(e).terms)
    for (ExprId atom : term.atoms)
      if ((*arena_)[atom].op != Op::dim && (*arena_)[atom].op != Op::scalar) return true;
  return false;
}

} // namespace aicf
