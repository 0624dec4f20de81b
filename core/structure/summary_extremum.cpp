// Reductions other than sums that read a dependency: max and min through +, through a factor and through exp; prod with
// a count; any and all of a comparison; argmax and argmin.
#include "core/expr/canonical.hpp"
#include "core/structure/inverse_map.hpp"
#include "core/structure/summary_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace aicf {
namespace {

bool is_true(const Arena& arena, ExprId predicate) { return arena.is_number(predicate, 1); }

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
      const Atom& a = algebra.atom(key.factors[0].atom);
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

namespace {

/// F(d)*g(x) + h(d) where all terms with x and d share one F: through a factor of known sign; an unknown one takes the
/// least g as well as the greatest.
std::vector<Alternative> factored(const Algebra& algebra, const Form& f) {
  Alternative a;
  std::optional<Monomial> factor;
  for (const auto& [key, c] : f) {
    const unsigned part = algebra.part(key);
    if ((part & part_x) == 0) {
      a.offset.emplace(key, c);
      continue;
    }
    if (!key.exponent.empty()) return {};
    TermKey x, rest;
    for (const Power& p : key.factors) {
      if (algebra.atom(p.atom).part == part_mixed) return {};
      (algebra.atom(p.atom).part == part_x ? x : rest).factors.push_back(p);
    }
    if (factor && *factor != rest.factors) return {};
    factor = rest.factors;
    a.x.emplace(std::move(x), c);
  }
  if (!factor) return {};
  a.factor.emplace(TermKey{*factor, {}}, 1);
  if (algebra.nonnegative(a.factor)) return {a};
  Alternative least = a;
  least.opposite = true;
  return {a, least};
}

std::vector<Alternative> alternatives(Algebra& algebra, const Form& f, bool maximum) {
  std::vector<Alternative> out;
  for (const Form& g : branches(algebra, f, maximum)) {
    Alternative a;
    a.factor = Algebra::number(1);
    if (separate(algebra, g, a.x, a.d)) {
      out.push_back(std::move(a));
      continue;
    }
    a = Alternative{};
    const auto& [key, c] = *g.begin();
    bool exponential = g.size() == 1 && !key.exponent.empty();
    if (exponential) { // exp is increasing: the exponent decides
      TermKey x = part_of(algebra, key, part_x), rest;
      for (const Power& p : key.factors) {
        if (algebra.atom(p.atom).part == part_mixed) return {};
        if (algebra.atom(p.atom).part != part_x) rest.factors.push_back(p);
      }
      a.factor.emplace(TermKey{rest.factors, {}}, abs(c));
      a.sign = c > 0 ? 1 : -1;
      Form exponent;
      for (const auto& [m, k] : key.exponent) exponent.emplace(TermKey{m, {}}, k);
      a.exponential = true;
      if (!x.factors.empty() || !algebra.nonnegative(a.factor) || !separate(algebra, exponent, a.x, a.d)) return {};
      out.push_back(std::move(a));
      continue;
    }
    std::vector<Alternative> two = factored(algebra, g);
    if (two.empty()) return {};
    out.insert(out.end(), two.begin(), two.end());
  }
  return out;
}

/// The outermost function of `node` where it is monotone in one operand and the element is in no other.
struct Peeled {
  Monotone how;
  ExprId inner = no_expr;
  bool rising = true, strict = true;
};

std::optional<Peeled> peel(const Model& model, ExprId node) {
  Arena& arena = model.arena();
  const Node n = arena[node];
  Peeled p;
  p.how = {n.op, n.payload, no_expr};
  if (n.count > 0) p.inner = arena.operand(node, 0);
  auto nonnegative = [&] { return nonnegative_node(arena, p.inner); };
  switch (n.op) {
  case Op::exp:
  case Op::exp2:
  case Op::expm1:
  case Op::tanh:
  case Op::sigmoid:
  case Op::erf:
  case Op::atan: return p;
  case Op::log:
  case Op::log2:
  case Op::log1p:
  case Op::sqrt: return nonnegative() ? std::optional(p) : std::nullopt;
  case Op::rsqrt: p.rising = false; return nonnegative() ? std::optional(p) : std::nullopt;
  case Op::neg: p.rising = false; return p;
  case Op::sign:
  case Op::floor:
  case Op::ceil:
  case Op::round:
  case Op::round_to: p.strict = false; return p;
  case Op::pow: {
    p.how.other = arena.operand(node, 1);
    if (arena[p.how.other].op != Op::number) return std::nullopt;
    const double e = arena.value(p.how.other);
    if (!(e > 0)) return std::nullopt;
    if (std::fmod(e, 2) == 0) { // even: of the magnitude
      std::array magnitude{p.inner};
      p.inner = make_canonical(arena, Op::abs, Kind::real, magnitude);
    } else if (std::fmod(e, 2) != 1 && !nonnegative()) {
      return std::nullopt;
    }
    return p;
  }
  case Op::add:
  case Op::mul: {
    std::vector<ExprId> others;
    p.inner = no_expr;
    for (ExprId o : arena.operands(node))
      if (!model.along(o))
        others.push_back(o);
      else if (p.inner == no_expr)
        p.inner = o;
      else
        return std::nullopt;
    if (p.inner == no_expr || others.empty()) return std::nullopt;
    p.how.other = others.size() == 1 ? others[0] : make_canonical(arena, n.op, n.kind, others);
    if (n.op == Op::add) return p;
    const bool literal = arena[p.how.other].op == Op::number;
    p.rising = !literal || arena.value(p.how.other) > 0;
    p.strict = literal && arena.value(p.how.other) != 0;
    return literal || nonnegative_node(arena, p.how.other) ? std::optional(p) : std::nullopt;
  }
  default: return std::nullopt;
  }
}

} // namespace

ExtremumForm extremum_form(const Model& model, Algebra& algebra, ExprId element, const Form& f, bool maximum) {
  ExtremumForm out;
  out.of = alternatives(algebra, f, maximum);
  for (ExprId node = element; out.of.empty();) {
    std::optional<Peeled> p = peel(model, node);
    if (!p || !model.along(node)) return {};
    out.outer.insert(out.outer.begin(), p->how);
    out.rising = out.rising == p->rising;
    out.strict = out.strict && p->strict;
    node = p->inner;
    out.of = alternatives(algebra, algebra.of(node), maximum == out.rising);
  }
  return out;
}

ExprId SummaryBuilder::outside(const ExtremumForm& how, ExprId value) {
  for (const Monotone& m : how.outer) {
    std::vector<ExprId> args{value};
    if (m.op == Op::pow)
      args.push_back(m.other);
    else if (m.other != no_expr)
      args.push_back(express(replace_dependencies(algebra_.of(m.other), false), Side::self));
    value = arena_.make(m.op, Kind::real, m.payload, args);
  }
  return value;
}

/// Whether no element took part.
ExprId SummaryBuilder::empty_chunk(std::size_t index) {
  const Item& item = model_.items[index];
  std::vector<ExprId> extent = extent_dims(model_, item);
  if (extent.empty() || !is_true(arena_, item.mask))
    return build_.call(Op::eq, {symbol(count(item.mask), Side::self), build_.num(0)});
  ExprId empty = no_expr;
  for (ExprId dim : extent) {
    ExprId none = build_.call(Op::eq, {dim, arena_.integer(0)});
    empty = empty == no_expr ? none : build_.call(Op::or_, {empty, none});
  }
  return empty;
}

void SummaryBuilder::add_extremum(std::size_t index, const Form& f, Derivation& out) {
  const Item& item = model_.items[index];
  const ExtremumForm how = extremum_form(model_, algebra_, item.element, f, item.is(Builtin::max));
  if (how.of.empty()) {
    out.why = "no form as a max of g(x) + h(d) was derived";
    return;
  }
  const bool maximum = item.is(Builtin::max) == how.rising;
  bool bare = how.outer.empty();
  ExprId value = no_expr;
  std::optional<Form> form;
  for (const Alternative& a : how.of) {
    Builtin reducer = (maximum == (a.sign > 0)) != a.opposite ? Builtin::max : Builtin::min;
    std::size_t slot = simple(reducer, item.mask, a.x, algebra_.express(a.x), item.name);
    Form v = Algebra::add(slot_form(slot), replace_dependencies(a.d, false));
    if (a.exponential) v = algebra_.exp(v);
    v = Algebra::scale(algebra_.multiply(v, replace_dependencies(a.factor, false)), a.sign);
    Algebra::add_to(v, replace_dependencies(a.offset, false));
    out.steps.push_back({a.exponential ? "monotone" : "max-plus", maximum ? "max of g(x) + h(d)" : "min of g(x) + h(d)",
                         slots_[slot].name + " is the extremum of g; h enters afterwards"});
    bare = bare && !a.exponential && a.factor == Algebra::number(1);
    ExprId e = express(v, Side::self);
    form = value == no_expr ? std::optional(v) : std::nullopt;
    value = value == no_expr ? e : build_.call(maximum ? Op::max : Op::min, {value, e});
  }
  if (!how.outer.empty())
    out.steps.push_back({"monotone", "an extremum of a monotone function",
                         "the function of the " + std::string(maximum ? "greatest" : "least") + " argument"});
  value = outside(how, value);
  if (!bare) { // of nothing it is the reducer's identity, which a factor or a function does not keep
    value = build_.where(empty_chunk(index), identity_of(item.reducer), value);
    form.reset();
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
  if (const std::optional<Logs> logs = split_of_logs(algebra_, f)) return add_product_of_powers(index, *logs, out);
  if (f.size() != 1) {
    out.why = by_inverse(index, f, product_of(arena_), out);
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
    out.why = by_inverse(index, f, product_of(arena_), out);
    return;
  }
  std::vector<ExprId> factors;
  if (!(x == TermKey{}))
    factors.push_back(symbol(simple(Builtin::prod, item.mask, fx, algebra_.express(fx), item.name), Side::self));
  std::size_t n = count(item.mask);
  out.steps.push_back({"product-count", "prod of g(x)*h(d)", "(prod of g(x)) * h(d)^n"});
  ExprId h = express(replace_dependencies(rest, false), Side::self);
  factors.push_back(build_.call(Op::pow, {h, symbol(n, Side::self)}));
  ExprId value = build_.mul(std::move(factors));
  final_[index] = algebra_.of(value);
  final_expr_[index] = value;
  out.possible = true;
}

/// prod of g(x)*h(d)*exp(E(x; d)) is prod of g * h^n * exp of the sum of E, which is kept as any sum is.
void SummaryBuilder::add_product_of_powers(std::size_t index, const Logs& logs, Derivation& out) {
  out.steps.push_back({"product-of-powers", "prod of exp(E(x; d))", "exp of the sum of E(x; d)"});
  if (logs.of_exponent.d_parts.size() < logs.of_exponent.x_parts.size())
    add_by_dependency(index, logs.of_exponent, out);
  else
    add_sum(index, logs.of_exponent, out);
  Form form = algebra_.exp(final_.at(index));
  ExprId value = build_.call(Op::exp, {zero_if_empty(index, express(final_.at(index), Side::self))});
  if (!(logs.outside == Algebra::number(1))) {
    Derivation outside;
    add_product(index, logs.outside, outside);
    form = algebra_.multiply(form, final_.at(index));
    value = build_.mul({value, final_expr_.at(index)});
  }
  final_[index] = form;
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
  const bool depends = !item.dependencies.empty();
  const ExtremumForm how = depends ? extremum_form(model_, algebra_, item.element, f, maximum) : ExtremumForm{};
  if (depends && (how.of.size() != 1 || !how.strict)) {
    out.why = "not a strictly monotone function of one value of the element";
    return;
  }
  Form g = depends ? how.of[0].x : f;
  if (depends && how.rising != (how.of[0].sign > 0)) g = Algebra::negate(g); // the greatest where f is, ties included
  ExprId element = depends ? algebra_.express(g) : item.element;
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
  std::size_t slot = place({item.name, item.reducer, body, identity_of(item.reducer), merge, no_expr}, plain,
                           {item.reducer, item.mask, algebra_.expand(g)});
  final_[index] = slot_form(slot);
  final_expr_[index] = symbol(slot, Side::self);
  out.possible = true;
}

} // namespace aicf
