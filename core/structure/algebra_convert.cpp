// From nodes to exponential polynomials.
#include "core/structure/algebra.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace aicf {
namespace {

bool finite_number(const Arena& arena, ExprId id) {
  return arena[id].op == Op::number && std::isfinite(arena.value(id));
}

} // namespace

bool nonnegative_node(const Arena& arena, ExprId root) {
  const Node& node = arena[root];
  if (node.op == Op::number) return arena.value(root) >= 0;
  if (node.op != Op::reduce && node.count == 0) return node.op == Op::dim || node.kind == Kind::boolean;
  std::array<ExprId, 1> roots{root};
  std::vector<ExprId> order = reachable(arena, roots);
  std::map<ExprId, char> known;
  for (ExprId id : order) {
    auto at = [&](std::size_t i) { return known[arena.operand(id, i)] != 0; };
    auto all = [&] {
      for (ExprId o : arena.operands(id))
        if (known[o] == 0) return false;
      return true;
    };
    bool yes = arena[id].kind == Kind::boolean;
    switch (arena[id].op) {
    case Op::number: yes = arena.value(id) >= 0; break;
    case Op::dim:
    case Op::exp:
    case Op::exp2:
    case Op::abs:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::sigmoid: yes = true; break;
    case Op::add:
    case Op::mul:
    case Op::div:
    case Op::min: yes = all(); break;
    case Op::max: yes = at(0) || at(1); break;
    case Op::select: yes = at(1) && at(2); break;
    case Op::pow: {
      ExprId e = arena.operand(id, 1);
      bool even = finite_number(arena, e) && std::fmod(arena.value(e), 2) == 0;
      yes = even || at(0);
      break;
    }
    case Op::tanh:
    case Op::erf:
    case Op::atan:
    case Op::expm1:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::sign:
    case Op::round_to: yes = at(0); break;
    case Op::log1p: yes = at(0); break;
    case Op::reduce: {
      auto r = static_cast<Builtin>(arena.reduction(id).reducer);
      bool of_body = known[arena.body(id)] != 0;
      // a min of nothing is +inf, a max of nothing -inf; a max over a nonnegative body is taken as nonempty, as its
      // sign is only used where an element exists
      yes = (of_body && (r == Builtin::sum || r == Builtin::prod || r == Builtin::max || r == Builtin::min)) ||
            r == Builtin::argmax || r == Builtin::argmin;
      break;
    }
    default: break;
    }
    known[id] = yes ? 1 : 0;
  }
  return known[root] != 0;
}

Algebra::Algebra(Arena& arena, std::function<std::optional<unsigned>(ExprId)> part_of)
    : arena_(&arena), part_of_(std::move(part_of)) {}

const Form& Algebra::of(ExprId root) {
  if (auto it = memo_.find(root); it != memo_.end()) return it->second;
  std::vector<ExprId> stack{root}, order;
  std::map<ExprId, bool> seen;
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (!seen.try_emplace(id, true).second || memo_.contains(id)) continue;
    order.push_back(id);
    if (part_of_(id)) continue;
    for (ExprId o : arena_->operands(id)) stack.push_back(o);
  }
  std::sort(order.begin(), order.end());
  for (ExprId id : order) memo_.emplace(id, convert(id));
  return memo_.at(root);
}

/// In a sum that mixes elements and dependencies, what belongs to the elements alone stays one variable.
Form Algebra::gather_elements(Form sum) {
  if (part(sum) != part_mixed) return sum;
  Form mine, rest;
  for (auto& [key, c] : sum) (part(key) == part_x ? mine : rest).emplace(key, c);
  if (mine.size() == 1) {
    const auto& key = mine.begin()->first;
    if (key.exponent.empty() && key.factors.size() < 2) return sum;
  }
  if (mine.empty()) return sum;
  return add(rest, kept_whole(mine));
}

Form Algebra::convert(ExprId id) {
  Arena& arena = *arena_;
  const Node n = arena[id];
  if (part_of_(id)) return power_of(leaf(id));
  if (n.op == Op::number) {
    if (std::isfinite(arena.value(id))) return number(mpq_class(arena.value(id)));
    return power_of(leaf(id));
  }
  auto operand = [&](std::size_t i) -> const Form& { return memo_.at(arena.operand(id, i)); };
  switch (n.op) {
  case Op::add: {
    Form sum;
    for (ExprId o : arena.operands(id))
      for (const auto& [key, c] : memo_.at(o)) add_to(sum, key, c);
    return gather_elements(std::move(sum));
  }
  case Op::mul: {
    unsigned parts = 0;
    for (ExprId o : arena.operands(id)) parts |= part(memo_.at(o));
    Form product = number(1);
    for (ExprId o : arena.operands(id)) {
      const Form& f = memo_.at(o);
      bool whole = f.size() > 1 && (parts & part_d) != 0 && part(f) == part_x;
      product = multiply(product, whole ? kept_whole(f) : f);
    }
    return product;
  }
  case Op::neg: return negate(operand(0));
  case Op::sub: return gather_elements(add(operand(0), negate(operand(1))));
  case Op::div: return multiply(operand(0), raise(operand(1), -1));
  default: break;
  }
  std::vector<Form> args;
  for (ExprId o : arena.operands(id)) args.push_back(memo_.at(o));
  if (n.op == Op::sqrt || n.op == Op::rsqrt || n.op == Op::pow) { // (u^2)^(1/2) = |u|, before u^2 is multiplied out
    const ExprId base = arena.operand(id, 0);
    const auto exponent = n.op == Op::pow ? constant(args[1]) : mpq_class(n.op == Op::sqrt ? 1 : -1, 2);
    if (arena[base].op == Op::pow && !part_of_(base) && exponent && exponent->get_den() != 1)
      if (const auto even = constant(memo_.at(arena.operand(base, 1))); even && even->get_den() == 1) {
        const mpq_class total = *even * *exponent;
        if (mpz_even_p(even->get_num_mpz_t()) != 0 && abs(total.get_num()) <= 64 && total.get_den() <= 64)
          return raise(call(Op::abs, 0, {memo_.at(arena.operand(base, 0))}), static_cast<int>(total.get_num().get_si()),
                       static_cast<int>(total.get_den().get_si()));
      }
  }
  return convert_call(n.op, n.payload, n.kind, std::move(args));
}

Form Algebra::call(Op op, std::uint32_t payload, std::vector<Form> args) {
  return convert_call(op, payload, Kind::real, std::move(args));
}

Form Algebra::trigonometric(Op op, const Form& a) {
  Form own, other;
  for (const auto& [key, c] : a) (part(key) == part_x ? own : other).emplace(key, c);
  if (!own.empty() && !other.empty() && part(a) == part_mixed) {
    Form s1 = trigonometric(Op::sin, own), c1 = trigonometric(Op::cos, own), s2 = trigonometric(Op::sin, other),
         c2 = trigonometric(Op::cos, other);
    return op == Op::sin ? add(multiply(s1, c2), multiply(c1, s2)) : add(multiply(c1, c2), negate(multiply(s1, s2)));
  }
  if (a.empty()) return number(op == Op::cos ? 1 : 0);
  bool flip = a.begin()->second < 0;
  Form f = opaque(op, 0, {flip ? negate(a) : a});
  return flip && op == Op::sin ? negate(f) : f;
}

Form Algebra::comparison(Op op, const Form& a, const Form& b) {
  Form e = add(b, negate(a)); // a < b is e > 0
  Form one = number(1), none;
  if (auto c = constant(e)) {
    bool holds = op == Op::lt ? *c > 0 : op == Op::le ? *c >= 0 : op == Op::eq ? *c == 0 : *c != 0;
    return holds ? one : none;
  }
  Sign s = sign(e);
  if (s.weak != 0 && (s.strict || s.tie != nullptr)) {
    Form at_tie; // 1 where e = 0
    if (s.tie != nullptr && !s.strict) {
      Atom t;
      t.type = Atom::Type::tie;
      t.part = part_mixed;
      t.boolean = t.nonnegative = true;
      t.args = {s.tie->body, power_of(s.tie->d)};
      at_tie = power_of(intern(std::move(t)));
    }
    switch (op) {
    case Op::lt: return s.weak > 0 ? add(one, negate(at_tie)) : none;
    case Op::le: return s.weak > 0 ? one : at_tie;
    case Op::eq: return at_tie;
    default: return add(one, negate(at_tie));
    }
  }
  if (op == Op::eq || op == Op::ne) {
    Form same = opaque(Op::eq, 0, b < a ? std::vector{b, a} : std::vector{a, b});
    return op == Op::eq ? same : add(one, negate(same));
  }
  return opaque(op, 0, {a, b}); // not a - b < 0: infinities compare, their difference does not
}

Form Algebra::convert_call(Op op, std::uint32_t payload, Kind kind, std::vector<Form> args) {
  unsigned parts = 0;
  for (const Form& f : args) parts |= part(f);
  const bool mixed = parts == part_mixed;
  auto one = number(1);
  auto ln2 = [&] { return log(number(2)); };
  switch (op) {
  case Op::exp: return exp(args[0]);
  case Op::exp2: return exp(multiply(args[0], ln2()));
  case Op::expm1: return add(exp(args[0]), number(-1));
  case Op::log: return log(args[0]);
  case Op::log2: return multiply(log(args[0]), raise(ln2(), -1));
  case Op::log1p: return log(add(args[0], one));
  case Op::sqrt: return raise(args[0], 1, 2);
  case Op::rsqrt: return raise(args[0], -1, 2);
  case Op::neg: return negate(args[0]);
  case Op::add: return gather_elements(add(args[0], args[1]));
  case Op::sub: return gather_elements(add(args[0], negate(args[1])));
  case Op::mul: return multiply(args[0], args[1]);
  case Op::div: return multiply(args[0], raise(args[1], -1));
  case Op::pow: {
    auto e = constant(args[1]);
    if (e && e->get_num().fits_sint_p() && abs(e->get_num()) <= 64 && e->get_den() <= 64)
      return raise(args[0], static_cast<int>(e->get_num().get_si()), static_cast<int>(e->get_den().get_si()));
    if (auto b = constant(args[0]); b && *b > 0) return exp(multiply(args[1], log(args[0])));
    if (args[0].size() != 1) return opaque(Op::pow, 0, std::move(args));
    // (c x^a e^P)^s = c^s x^(a s) e^(P s)
    auto [key, c] = *args[0].begin();
    if (c < 0) return opaque(Op::pow, 0, std::move(args));
    Form r = one;
    if (c != 1) r = exp(multiply(args[1], log(number(c))));
    for (const Power& p : key.factors)
      r = multiply(r, opaque(Op::pow, 0, {power_of(p.atom), scale(args[1], mpq_class(p.num, p.den))}));
    Form exponent;
    for (const auto& [m, k] : key.exponent) add_to(exponent, TermKey{m, {}}, k);
    return multiply(r, exp(multiply(exponent, args[1])));
  }
  case Op::tanh: {
    if (!mixed) break;
    const bool flip = args[0].begin()->second < 0;
    Form e = exp(scale(args[0], flip ? -2 : 2));
    Form t = multiply(add(e, number(-1)), raise(add(e, one), -1));
    return flip ? negate(t) : t;
  }
  case Op::sigmoid: {
    if (!mixed) break;
    const bool flip = args[0].begin()->second < 0; // sigmoid(-u) = 1 - sigmoid(u)
    Form s = raise(add(one, exp(flip ? args[0] : negate(args[0]))), -1);
    return flip ? add(one, negate(s)) : s;
  }
  case Op::sin:
  case Op::cos: return trigonometric(op, args[0]);
  case Op::abs:
  case Op::sign: {
    Form a = args[0];
    if (a.empty()) return a;
    if (a.size() == 1) {
      const auto [key, c] = *a.begin();
      Form r = number(op == Op::abs ? abs(c) : mpq_class(c > 0 ? 1 : -1));
      for (const Power& p : key.factors) {
        if (atoms_[p.atom].nonnegative || (p.den == 1 && p.num % 2 == 0)) {
          if (op == Op::abs)
            r = multiply(r, power_of(p.atom, p.num, p.den));
          else
            r = multiply(r, opaque(op, 0, {power_of(p.atom)}));
        } else {
          r = multiply(r, raise(opaque(op, 0, {power_of(p.atom)}), p.num, p.den));
        }
      }
      if (op == Op::abs) {
        Form e;
        e.emplace(TermKey{{}, key.exponent}, 1);
        r = multiply(r, e);
      }
      return r;
    }
    Sign s = sign(a);
    if (s.weak != 0 && op == Op::abs) return s.weak > 0 ? a : negate(a);
    if (s.weak != 0 && s.strict) return number(s.weak);
    if (s.weak != 0 && s.tie != nullptr) return add(comparison(Op::lt, {}, a), negate(comparison(Op::lt, a, {})));
    bool flip = a.begin()->second < 0;
    Form f = opaque(op, 0, {flip ? negate(a) : a});
    return flip && op == Op::sign ? negate(f) : f;
  }
  case Op::min:
  case Op::max: {
    Form difference = add(args[0], negate(args[1]));
    Sign s = sign(difference);
    if (s.weak != 0) return (s.weak > 0) == (op == Op::max) ? args[0] : args[1];
    if (args[1] < args[0]) std::swap(args[0], args[1]);
    break;
  }
  case Op::lt:
  case Op::le:
  case Op::eq:
  case Op::ne:
    if (kind == Kind::boolean || mixed) return comparison(op, args[0], args[1]);
    break;
  case Op::not_: return add(one, negate(args[0]));
  case Op::and_:
    if (mixed) return multiply(args[0], args[1]);
    break;
  case Op::or_:
    if (mixed) return add(add(args[0], args[1]), negate(multiply(args[0], args[1])));
    break;
  case Op::select: {
    if (auto c = constant(args[0])) return args[*c != 0 ? 1 : 2];
    bool finite = true;
    for (std::size_t i = 1; i < 3; ++i)
      for (const auto& [key, c] : args[i])
        for (const Power& p : key.factors)
          if (const Atom& a = atoms_[p.atom]; a.type == Atom::Type::leaf && (*arena_)[a.node].op == Op::number)
            finite = finite && std::isfinite(arena_->value(a.node));
    if (!mixed || !finite) break;
    return add(multiply(args[0], args[1]), multiply(add(one, negate(args[0])), args[2]));
  }
  default: break;
  }
  return opaque(op, payload, std::move(args));
}

} // namespace aicf
