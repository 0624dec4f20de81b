// From exponential polynomials back to expressions, and replacement of atoms.
#include "core/structure/algebra.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace aicf {

ExprId Build::add(std::vector<ExprId> terms) {
  std::erase_if(terms, [&](ExprId t) { return arena_->is_number(t, 0); });
  if (terms.empty()) return num(0);
  return terms.size() == 1 ? terms[0] : arena_->make(Op::add, Kind::real, 0, terms);
}

ExprId Build::mul(std::vector<ExprId> factors) {
  for (ExprId f : factors)
    if (arena_->is_number(f, 0)) return f;
  std::erase_if(factors, [&](ExprId f) { return arena_->is_number(f, 1); });
  if (factors.empty()) return num(1);
  if (factors.size() == 2 && arena_->is_number(factors[0], -1)) return call(Op::neg, {factors[1]});
  return factors.size() == 1 ? factors[0] : arena_->make(Op::mul, Kind::real, 0, factors);
}

ExprId Build::sub(ExprId a, ExprId b) {
  if (arena_->is_number(b, 0)) return a;
  if (arena_->is_number(a, 0)) return call(Op::neg, {b});
  return arena_->make(Op::sub, Kind::real, {a, b});
}

ExprId Build::div(ExprId a, ExprId b) {
  return arena_->is_number(b, 1) ? a : arena_->make(Op::div, Kind::real, {a, b});
}

ExprId Build::pow(ExprId a, int n) {
  if (n == 0) return num(1);
  return n == 1 ? a : arena_->make(Op::pow, Kind::real, {a, num(n)});
}

ExprId Build::call(Op op, std::initializer_list<ExprId> args) {
  bool truth = op == Op::lt || op == Op::le || op == Op::eq || op == Op::ne || op == Op::and_ || op == Op::or_ ||
               op == Op::not_ || op == Op::isnan;
  return arena_->make(op, truth ? Kind::boolean : Kind::real, args);
}

ExprId Build::where(ExprId condition, ExprId a, ExprId b) {
  const Node& n = (*arena_)[condition];
  if (n.op == Op::number) return arena_->value(condition) != 0 ? a : b;
  return a == b ? a : arena_->make(Op::select, Kind::real, {condition, a, b});
}

std::vector<AtomId> Algebra::below(const Form& form) const {
  std::set<AtomId> found;
  std::vector<const Form*> stack{&form};
  while (!stack.empty()) {
    const Form* f = stack.back();
    stack.pop_back();
    auto visit = [&](const Monomial& m) {
      for (const Power& p : m)
        if (found.insert(p.atom).second)
          for (const Form& a : atoms_[p.atom].args) stack.push_back(&a);
    };
    for (const auto& [key, c] : *f) {
      visit(key.factors);
      for (const auto& [m, k] : key.exponent) visit(m);
    }
  }
  return {found.begin(), found.end()}; // an atom is interned after the atoms of its arguments
}

Form Algebra::replace(const Form& form, const std::map<AtomId, Form>& with) {
  std::map<AtomId, Form> made;
  auto rebuild = [&](const Form& f) {
    Form sum;
    for (const auto& [key, c] : f) {
      Form term = number(c);
      for (const Power& p : key.factors) term = multiply(term, raise(made.at(p.atom), p.num, p.den));
      if (!key.exponent.empty()) {
        Form exponent;
        for (const auto& [m, k] : key.exponent) {
          Form t = number(k);
          for (const Power& p : m) t = multiply(t, raise(made.at(p.atom), p.num, p.den));
          add_to(exponent, t);
        }
        term = multiply(term, exp(exponent));
      }
      add_to(sum, term);
    }
    return sum;
  };
  for (AtomId id : below(form)) {
    if (auto it = with.find(id); it != with.end()) {
      made[id] = it->second;
      continue;
    }
    const Atom a = atoms_[id];
    std::vector<Form> args;
    for (const Form& f : a.args) args.push_back(rebuild(f));
    if (args == a.args)
      made[id] = power_of(id);
    else if (a.type == Atom::Type::sum)
      made[id] = std::move(args[0]);
    else if (a.type == Atom::Type::tie)
      made[id] = opaque(Op::eq, 0, std::move(args));
    else
      made[id] = call(a.op, a.payload, std::move(args));
  }
  return rebuild(form);
}

namespace {

struct Fraction {
  std::vector<ExprId> up, down, conditions;
};

} // namespace

ExprId Algebra::express_sum(const Form& form, const std::map<AtomId, ExprId>& of_atom) {
  Build b(*arena_);
  auto number_node = [&](const mpq_class& q) { return arena_->number(q.get_d()); };
  auto place = [&](const Power& p, Fraction& f) {
    ExprId base = of_atom.at(p.atom);
    if ((*arena_)[base].kind == Kind::boolean && p.den == 1 && p.num > 0) {
      f.conditions.push_back(base);
      return;
    }
    auto& side = p.num > 0 ? f.up : f.down;
    int n = std::abs(p.num);
    if (p.den == 1)
      side.push_back(b.pow(base, n));
    else if (p.den == 2 && n == 1)
      side.push_back(b.call(Op::sqrt, {base}));
    else
      side.push_back(b.call(Op::pow, {base, number_node(mpq_class(n, p.den))}));
  };
  auto close = [&](Fraction& f, const mpq_class& c) { // |c| times the fraction
    mpz_class n = abs(c.get_num());
    if (mpz_class(c.get_den()) != 1 && mpq_class(c.get_d()) != c && n == 1)
      f.down.insert(f.down.begin(), number_node(c.get_den()));
    else if (abs(c) != 1)
      f.up.insert(f.up.begin(), number_node(abs(c)));
    ExprId value = b.div(b.mul(std::move(f.up)), b.mul(std::move(f.down)));
    if (f.conditions.empty()) return value;
    ExprId all = f.conditions[0];
    for (std::size_t i = 1; i < f.conditions.size(); ++i) all = b.call(Op::and_, {all, f.conditions[i]});
    return b.where(all, value, b.num(0));
  };
  std::vector<ExprId> plus, minus;
  auto sum = [&] {
    ExprId total = b.add(plus);
    for (ExprId m : minus) total = b.sub(total, m);
    plus.clear(), minus.clear();
    return total;
  };
  // exponents first: `sum` works on the same lists
  std::vector<ExprId> exponentials;
  for (const auto& [key, c] : form) {
    for (const auto& [m, k] : key.exponent) {
      Fraction f;
      for (const Power& p : m) place(p, f);
      (k > 0 ? plus : minus).push_back(close(f, k));
    }
    exponentials.push_back(key.exponent.empty() ? no_expr : b.call(Op::exp, {sum()}));
  }
  std::size_t i = 0;
  for (const auto& [key, c] : form) {
    Fraction f;
    for (const Power& p : key.factors) place(p, f);
    if (exponentials[i] != no_expr) f.up.push_back(exponentials[i]);
    ++i;
    (c > 0 ? plus : minus).push_back(close(f, c));
  }
  return sum();
}

ExprId Algebra::express(const Form& form, const std::map<AtomId, ExprId>& with) {
  std::map<AtomId, ExprId> made;
  for (AtomId id : below(form)) {
    if (auto it = with.find(id); it != with.end()) {
      made[id] = it->second;
      continue;
    }
    const Atom a = atoms_[id];
    if (a.type == Atom::Type::leaf) {
      made[id] = a.node;
      continue;
    }
    std::vector<ExprId> args;
    for (const Form& f : a.args) args.push_back(express_sum(f, made));
    if (a.type == Atom::Type::sum) {
      made[id] = args[0];
      continue;
    }
    Build b(*arena_);
    if (a.type == Atom::Type::tie) {
      made[id] = b.call(Op::eq, {args[0], args[1]});
      continue;
    }
    Kind kind = a.boolean ? Kind::boolean : Kind::real;
    if (a.boolean) // truth values among the arguments of and, or, not
      for (std::size_t i = 0; i < args.size(); ++i)
        if ((a.op == Op::and_ || a.op == Op::or_ || a.op == Op::not_) && (*arena_)[args[i]].op == Op::select)
          args[i] = arena_->operand(args[i], 0);
    if (a.op == Op::select && (*arena_)[args[0]].op == Op::select) args[0] = arena_->operand(args[0], 0);
    made[id] = arena_->make(a.op, kind, a.payload, args);
  }
  return express_sum(form, made);
}

} // namespace aicf
