// Reductions other than sums that read a dependency: max and min through +, through a factor and through exp; prod with
// a count; any and all of a comparison; argmax and argmin.
#include "core/structure/summary_builder.hpp"

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

/// g(x) and h(d) of a form that is their sum.
bool separate(const Algebra& algebra, const Form& f, Form& x, Form& d) {
  for (const auto& [key, c] : f) {
    unsigned part = algebra.part(key);
    if (part == part_mixed) return false;
    (part == part_x ? x : d).emplace(key, c);
  }
  return true;
}

/// |u| and max(u, v) are a max of two where they enter with a positive factor; min(u, v) likewise for a min.
std::vector<Form> branches(Algebra& algebra, const Form& f, bool maximum) {
  std::vector<Form> done, open{f};
  while (!open.empty() && done.size() + open.size() <= 16) {
    Form g = std::move(open.back());
    open.pop_back();
    bool split = false;
    for (const auto& [key, c] : g) {
      if (key.factors.size() != 1 || !key.exponent.empty() || key.factors[0].num != 1 || key.factors[0].den != 1)
        continue;
      const Atom a = algebra.atom(key.factors[0].atom);
      if (a.type != Atom::Type::call || a.part != part_mixed) continue;
      bool rising = c > 0;
      std::vector<Form> choices;
      if (a.op == Op::abs && rising == maximum) choices = {a.args[0], Algebra::negate(a.args[0])};
      if ((a.op == Op::max && rising == maximum) || (a.op == Op::min && rising != maximum)) choices = a.args;
      if (choices.empty()) continue;
      Form rest = g;
      rest.erase(key);
      for (const Form& choice : choices) open.push_back(Algebra::add(rest, Algebra::scale(choice, c)));
      split = true;
      break;
    }
    if (!split) done.push_back(std::move(g));
  }
  if (!open.empty()) done.clear();
  return done;
}

} // namespace

std::vector<Alternative> alternatives(Algebra& algebra, const Form& f, bool maximum) {
  std::vector<Alternative> out;
  for (const Form& g : branches(algebra, f, maximum)) {
    Alternative a;
    a.factor = Algebra::number(1);
    if (separate(algebra, g, a.x, a.d)) {
      out.push_back(std::move(a));
      continue;
    }
    if (g.size() != 1) return {};
    const auto& [key, c] = *g.begin();
    TermKey x = part_of(algebra, key, part_x), rest;
    for (const Power& p : key.factors) {
      if (algebra.atom(p.atom).part == part_mixed) return {};
      if (algebra.atom(p.atom).part != part_x) rest.factors.push_back(p);
    }
    a = Alternative{};
    a.factor.emplace(TermKey{rest.factors, {}}, abs(c));
    if (!algebra.nonnegative(a.factor)) return {}; // of unknown sign
    a.sign = c > 0 ? 1 : -1;
    if (key.exponent.empty()) {
      a.x.emplace(TermKey{x.factors, {}}, 1);
    } else { // exp is increasing: the exponent decides
      if (!x.factors.empty()) return {};
      Form exponent;
      for (const auto& [m, k] : key.exponent) exponent.emplace(TermKey{m, {}}, k);
      a.exponential = true;
      if (!separate(algebra, exponent, a.x, a.d)) return {};
    }
    out.push_back(std::move(a));
  }
  return out;
}

void SummaryBuilder::add_extremum(std::size_t index, const Form& f, Derivation& out) {
  const Item& item = model_.items[index];
  const bool maximum = item.is(Builtin::max);
  std::vector<Alternative> all = alternatives(algebra_, f, maximum);
  if (all.empty()) {
    out.why = "no form as a max of g(x) + h(d) was derived";
    return;
  }
  ExprId value = no_expr;
  std::optional<Form> form;
  for (const Alternative& a : all) {
    Builtin reducer = maximum == (a.sign > 0) ? Builtin::max : Builtin::min;
    std::size_t slot = simple(reducer, item.mask, a.x, algebra_.express(a.x), item.name);
    Form v = Algebra::add(slot_form(slot), replace_dependencies(a.d, false));
    if (a.exponential) v = algebra_.exp(v);
    v = Algebra::scale(algebra_.multiply(v, replace_dependencies(a.factor, false)), a.sign);
    out.steps.push_back({a.exponential ? "monotone" : "max-plus", maximum ? "max of g(x) + h(d)" : "min of g(x) + h(d)",
                         slots_[slot].name + " is the extremum of g; h enters afterwards"});
    ExprId e = express(v, Side::self);
    form = value == no_expr ? std::optional(v) : std::nullopt;
    value = value == no_expr ? e : build_.call(maximum ? Op::max : Op::min, {value, e});
  }
  if (form)
    final_[index] = *form;
  else
    final_[index] = algebra_.of(value);
  final_expr_[index] = value;
  out.possible = true;
}

void SummaryBuilder::add_product(std::size_t index, const Form& f, Derivation& out) {
  const Item& item = model_.items[index];
  if (f.size() != 1 || algebra_.part(f.begin()->first) == 0) {
    out.why = "no product form was derived";
    return;
  }
  const auto& [key, c] = *f.begin();
  TermKey x = part_of(algebra_, key, part_x), d = part_of(algebra_, key, part_d), s = part_of(algebra_, key, 0);
  Form fx, rest, fs;
  fx.emplace(x, 1);
  rest.emplace(d, c);
  fs.emplace(s, 1);
  Form total;
  total.emplace(key, c);
  rest = algebra_.multiply(rest, fs);
  if (!(algebra_.multiply(fx, rest) == total)) {
    out.why = "an element and a dependency meet in one factor";
    return;
  }
  std::size_t slot = simple(Builtin::prod, item.mask, fx, algebra_.express(fx), item.name);
  std::size_t n = count(item.mask);
  out.steps.push_back({"product-count", "prod of g(x)*h(d)", "(prod of g(x)) * h(d)^n"});
  ExprId h = express(replace_dependencies(rest, false), Side::self);
  ExprId value = build_.mul({symbol(slot, Side::self), build_.call(Op::pow, {h, symbol(n, Side::self)})});
  final_[index] = algebra_.of(value);
  final_expr_[index] = value;
  out.possible = true;
}

void SummaryBuilder::add_truth(std::size_t index, const Form& f, Derivation& out) {
  const Item& item = model_.items[index];
  const bool any = item.is(Builtin::any);
  const bool alone = f.size() == 1 && f.begin()->second == 1 && f.begin()->first.exponent.empty() &&
                     f.begin()->first.factors.size() == 1;
  const Atom a = alone ? algebra_.atom(f.begin()->first.factors[0].atom) : Atom{};
  Form x, d;
  if (a.type != Atom::Type::call || (a.op != Op::lt && a.op != Op::le) ||
      !separate(algebra_, Algebra::add(a.args[0], Algebra::negate(a.args[1])), x, d)) {
    out.why = "not a comparison of g(x) with h(d)";
    return;
  }
  // g(x) < h(d) holds for one element exactly if it holds for the least g, for all exactly if for the greatest
  std::size_t slot = simple(any ? Builtin::min : Builtin::max, item.mask, x, algebra_.express(x), item.name);
  ExprId h = express(replace_dependencies(Algebra::negate(d), false), Side::self);
  out.steps.push_back({"monotone", std::string(any ? "any" : "all") + " of g(x) < h(d)",
                       std::string(any ? "min" : "max") + " of g(x) < h(d)"});
  final_expr_[index] = build_.call(a.op, {symbol(slot, Side::self), h});
  out.possible = true;
}

void SummaryBuilder::add_position(std::size_t index, const Form& f, Derivation& out) {
  const Item& item = model_.items[index];
  const bool maximum = item.is(Builtin::argmax);
  std::vector<Alternative> all = alternatives(algebra_, f, maximum);
  if (all.size() != 1 || (!item.dependencies.empty() && !all[0].x.empty() && all[0].exponential)) {
    out.why = "not an increasing function of one value of the element";
    return;
  }
  Form g = item.dependencies.empty() ? f : all[0].x;
  ExprId element = item.dependencies.empty() ? item.element : algebra_.express(g);
  bool up = maximum == (item.dependencies.empty() || all[0].sign > 0);
  if (up != maximum) {
    out.why = "a decreasing function of the element";
    return;
  }
  std::size_t value = simple(maximum ? Builtin::max : Builtin::min, item.mask, g, element, item.name + "_value");
  std::size_t self = slots_.size();
  ExprId va = symbol(value, Side::left), vb = symbol(value, Side::right), ia = symbol(self, Side::left),
         ib = symbol(self, Side::right);
  // the lowest index among equals; the first NaN wins
  ExprId na = build_.call(Op::isnan, {va}), nb = build_.call(Op::isnan, {vb});
  ExprId first = build_.call(Op::min, {ia, ib});
  ExprId better = maximum ? build_.call(Op::lt, {vb, va}) : build_.call(Op::lt, {va, vb});
  ExprId plain = build_.where(build_.call(Op::eq, {va, vb}), first, build_.where(better, ia, ib));
  ExprId merge =
      build_.where(build_.call(Op::and_, {na, nb}), first, build_.where(na, ia, build_.where(nb, ib, plain)));
  ExprId body = masked(item.mask, element, build_.num(maximum ? -HUGE_VAL : HUGE_VAL));
  std::size_t slot = place({item.name, item.reducer, body, identity_of(item.reducer), merge}, plain,
                           {item.reducer, item.mask, algebra_.expand(g)});
  final_[index] = slot_form(slot);
  final_expr_[index] = symbol(slot, Side::self);
  out.possible = true;
}

} // namespace aicf
