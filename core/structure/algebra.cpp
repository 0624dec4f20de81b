#include "core/structure/algebra.hpp"

#include <algorithm>
#include <numeric>

namespace aicf {
namespace {

constexpr std::size_t max_terms = 256; ///< a product with more terms keeps its larger factor whole
constexpr int max_power = 16;          ///< likewise a power of a sum

Power reduced(AtomId atom, long num, long den) {
  long g = std::gcd(num, den);
  if (den < 0) g = -g;
  return {atom, static_cast<int>(num / g), static_cast<int>(den / g)};
}

/// a * b, exponents added.
Monomial times(const Monomial& a, const Monomial& b) {
  Monomial r;
  r.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->atom < j->atom)) {
      r.push_back(*i++);
    } else if (i == a.end() || j->atom < i->atom) {
      r.push_back(*j++);
    } else {
      Power p = reduced(i->atom, static_cast<long>(i->num) * j->den + static_cast<long>(j->num) * i->den,
                        static_cast<long>(i->den) * j->den);
      if (p.num != 0) r.push_back(p);
      ++i, ++j;
    }
  }
  return r;
}

void add_multiple(Polynomial& to, const Polynomial& from, const mpq_class& factor) {
  for (const auto& [m, c] : from) {
    auto it = to.try_emplace(m, 0).first;
    it->second += c * factor;
    if (it->second == 0) to.erase(it);
  }
}

} // namespace

Form Algebra::number(const mpq_class& value) {
  Form f;
  if (value != 0) f.emplace(TermKey{}, value);
  return f;
}

std::optional<mpq_class> Algebra::constant(const Form& form) {
  if (form.empty()) return mpq_class(0);
  if (form.size() != 1 || !(form.begin()->first == TermKey{})) return std::nullopt;
  return form.begin()->second;
}

Form Algebra::power_of(AtomId atom, int num, int den) const {
  if (num == 0) return number(1);
  Form f;
  f.emplace(TermKey{{{atom, num, den}}, {}}, 1);
  return f;
}

void Algebra::add_to(Form& form, const TermKey& key, const mpq_class& c) const {
  auto it = form.try_emplace(key, 0).first;
  it->second += c;
  if (it->second == 0) form.erase(it);
}

Form Algebra::add(const Form& a, const Form& b) {
  const Form& large = a.size() < b.size() ? b : a;
  const Form& small = a.size() < b.size() ? a : b;
  Form r = large;
  for (const auto& [key, c] : small) {
    auto it = r.try_emplace(key, 0).first;
    it->second += c;
    if (it->second == 0) r.erase(it);
  }
  return r;
}

void Algebra::add_to(Form& sum, const Form& b) {
  for (const auto& [key, c] : b) {
    auto it = sum.try_emplace(key, 0).first;
    it->second += c;
    if (it->second == 0) sum.erase(it);
  }
}

Form Algebra::scale(const Form& a, const mpq_class& factor) {
  if (factor == 0) return {};
  Form r = a;
  for (auto& [key, c] : r) c *= factor;
  return r;
}

unsigned Algebra::part(const Monomial& factors) const {
  unsigned r = 0;
  for (const Power& p : factors) r |= atoms_[p.atom].part;
  return r;
}

unsigned Algebra::part(const TermKey& term) const {
  unsigned r = part(term.factors);
  for (const auto& [m, c] : term.exponent) r |= part(m);
  return r;
}

unsigned Algebra::part(const Form& form) const {
  unsigned r = 0;
  for (const auto& [key, c] : form) r |= part(key);
  return r;
}

bool Algebra::nonnegative(const Form& form) const {
  return std::all_of(form.begin(), form.end(), [&](const auto& term) {
    return term.second > 0 && std::all_of(term.first.factors.begin(), term.first.factors.end(), [&](const Power& p) {
             return atoms_[p.atom].nonnegative || (p.den == 1 && p.num % 2 == 0) || p.den % 2 == 0;
           });
  });
}

Form Algebra::kept_whole(const Form& sum) {
  mpq_class lead = sum.begin()->second;
  for (const auto& [key, c] : sum) { // only where the quotients are doubles, as literals are
    mpq_class ratio = c / lead;
    if (mpq_class(ratio.get_d()) != ratio) lead = lead < 0 ? -1 : 1;
  }
  Form unit = scale(sum, 1 / lead);
  if (lead < 0 && nonnegative(negate(unit))) unit = negate(unit), lead = -lead;
  Atom a;
  a.type = Atom::Type::sum;
  a.part = part(unit);
  a.nonnegative = nonnegative(unit);
  a.args.push_back(std::move(unit));
  return scale(power_of(intern(std::move(a))), lead);
}

/// u where |u| and sign(u) are factors, both one less then; empty where no such two are.
Form Algebra::signed_magnitude(Monomial& factors) const {
  auto is = [&](const Power& p, Op op) {
    return p.den == 1 && p.num > 0 && atoms_[p.atom].type == Atom::Type::call && atoms_[p.atom].op == op;
  };
  for (Power& sign : factors) {
    if (!is(sign, Op::sign)) continue;
    for (Power& magnitude : factors) {
      if (!is(magnitude, Op::abs) || atoms_[magnitude.atom].args != atoms_[sign.atom].args) continue;
      --sign.num, --magnitude.num;
      return atoms_[sign.atom].args[0];
    }
  }
  return {};
}

Form Algebra::multiply(const Form& a, const Form& b) {
  if (a.size() > 1 && b.size() > 1 && a.size() * b.size() > max_terms) {
    bool first = a.size() >= b.size();
    return multiply(first ? kept_whole(a) : a, first ? b : kept_whole(b));
  }
  Form r;
  Form extra;
  for (const auto& [ka, ca] : a)
    for (const auto& [kb, cb] : b) {
      TermKey key;
      key.factors = times(ka.factors, kb.factors);
      key.exponent = ka.exponent;
      add_multiple(key.exponent, kb.exponent, 1);
      // laws of atoms: a truth value is idempotent, sin^2 = 1 - cos^2, |u|^2 = u^2, |u| sign(u) = u
      Form law = signed_magnitude(key.factors);
      for (Power& p : key.factors) {
        const Atom& at = atoms_[p.atom];
        if (at.boolean && p.den == 1 && p.num > 1) p.num = 1;
        if (!law.empty()) continue;
        if (at.type != Atom::Type::call || p.den != 1 || p.num < 2) continue;
        int rest = p.num % 2;
        if (at.op == Op::sin) {
          Form cosine = call(Op::cos, 0, at.args);
          law = raise(add(number(1), negate(raise(cosine, 2))), p.num / 2);
        } else if (at.op == Op::abs) {
          Form inner = at.args[0];
          law = raise(inner, p.num - rest);
        } else {
          continue;
        }
        p.num = rest;
        break;
      }
      std::erase_if(key.factors, [](const Power& p) { return p.num == 0; });
      if (law.empty()) {
        add_to(r, key, ca * cb);
      } else {
        Form term;
        term.emplace(std::move(key), ca * cb);
        add_to(extra, multiply(term, law));
      }
    }
  return extra.empty() ? r : add(r, extra);
}

Form Algebra::raise(const Form& base, int num, int den) {
  if (num == 0) return number(1);
  if (num == 1 && den == 1) return base;
  if (base.empty()) return num > 0 ? base : opaque(Op::pow, 0, {base, number(mpq_class(num, den))});
  if (base.size() == 1) {
    const auto& [key, c] = *base.begin();
    Form r = number(1);
    Polynomial exponent;
    add_multiple(exponent, key.exponent, mpq_class(num, den));
    if (den == 1) {
      mpq_class k = 1;
      for (int i = 0; i < std::abs(num); ++i) k *= c;
      r = number(num > 0 ? k : mpq_class(1 / k));
    } else if (c != 1) {
      if (c < 0 || mpq_class(c.get_d()) != c) return opaque(Op::pow, 0, {base, number(mpq_class(num, den))});
      r = power_of(leaf(arena_->number(c.get_d())), num, den);
    }
    // (x^a y^b)^(n/m) = |x|^(a n/m) |y|^(b n/m) where the base is not negative; a lone odd power keeps its base
    bool lone = key.factors.size() == 1 && key.exponent.empty();
    for (const Power& p : key.factors) {
      Power e = reduced(p.atom, static_cast<long>(p.num) * num, static_cast<long>(p.den) * den);
      bool bare = den == 1 || atoms_[p.atom].nonnegative || (lone && p.num % 2 != 0);
      if (bare)
        r = multiply(r, power_of(p.atom, e.num, e.den));
      else if (e.den == 1 && e.num % 2 == 0)
        r = multiply(r, power_of(p.atom, e.num));
      else
        r = multiply(r, raise(call(Op::abs, 0, {power_of(p.atom)}), e.num, e.den));
    }
    Form scale_by;
    scale_by.emplace(TermKey{{}, std::move(exponent)}, 1);
    return multiply(r, scale_by);
  }
  if (den == 1 && num > 0 && num <= max_power) {
    Form r = base;
    for (int i = 1; i < num; ++i) {
      if (r.size() * base.size() > max_terms) return raise(kept_whole(base), num);
      r = multiply(r, base);
    }
    return r;
  }
  if (den == 1) return raise(kept_whole(base), num);
  Atom a;
  a.type = Atom::Type::sum;
  a.part = part(base);
  a.nonnegative = nonnegative(base);
  a.args.push_back(base);
  return power_of(intern(std::move(a)), num, den);
}

Form Algebra::exp(const Form& a) {
  Form result = number(1);
  Polynomial exponent;
  for (const auto& [key, c] : expand(a)) {
    if (!key.exponent.empty()) { // an exp of an exp stays a function of its value
      Form inner;
      inner.emplace(key, 1);
      Atom whole;
      whole.type = Atom::Type::sum;
      whole.part = part(inner);
      whole.nonnegative = nonnegative(inner);
      whole.args.push_back(std::move(inner));
      exponent[{{intern(std::move(whole)), 1, 1}}] += c;
      continue;
    }
    if (key.factors.size() == 1 && key.factors[0].num == 1 && key.factors[0].den == 1) {
      const Atom& at = atoms_[key.factors[0].atom];
      if (at.type == Atom::Type::call && at.op == Op::log && c.get_num().fits_sint_p() && c.get_den() <= 64) {
        Form argument = at.args[0]; // exp(c log u) = u^c
        result = multiply(
            result, raise(argument, static_cast<int>(c.get_num().get_si()), static_cast<int>(c.get_den().get_si())));
        continue;
      }
    }
    exponent[key.factors] += c;
  }
  std::erase_if(exponent, [](const auto& t) { return t.second == 0; });
  Form f;
  f.emplace(TermKey{{}, std::move(exponent)}, 1);
  return multiply(f, result);
}

Form Algebra::log(const Form& a) {
  if (a.size() != 1 || a.begin()->second <= 0) return opaque(Op::log, 0, {a});
  auto [key, c] = *a.begin();
  if (key.exponent.empty() && c == 1 && key.factors.size() == 1 && key.factors[0].num == 1 && key.factors[0].den == 1)
    return opaque(Op::log, 0, {a});
  Form r;
  if (c != 1) r = opaque(Op::log, 0, {number(c)});
  bool lone = key.factors.size() == 1;
  for (const Power& p : key.factors) {
    bool bare = atoms_[p.atom].nonnegative || (lone && p.num % 2 != 0);
    Form u = power_of(p.atom);
    if (!bare) u = call(Op::abs, 0, {u});
    add_to(r, scale(opaque(Op::log, 0, {u}), mpq_class(p.num, p.den)));
  }
  for (const auto& [m, k] : key.exponent) add_to(r, TermKey{m, {}}, k);
  return r;
}

AtomId Algebra::intern(Atom atom) {
  auto key =
      std::make_tuple(static_cast<int>(atom.type), atom.node, static_cast<int>(atom.op), atom.payload, atom.args);
  auto [it, fresh] = known_.try_emplace(std::move(key), static_cast<AtomId>(atoms_.size()));
  if (fresh) atoms_.push_back(std::move(atom));
  return it->second;
}

Form Algebra::opaque(Op op, std::uint32_t payload, std::vector<Form> args) {
  Atom a;
  a.type = Atom::Type::call;
  a.op = op;
  a.payload = payload;
  for (const Form& f : args) a.part |= part(f);
  a.boolean = op == Op::lt || op == Op::le || op == Op::eq || op == Op::ne || op == Op::isnan || op == Op::and_ ||
              op == Op::or_ || op == Op::not_;
  a.nonnegative = a.boolean || op == Op::abs || op == Op::sigmoid;
  if (op == Op::max) a.nonnegative = nonnegative(args[0]) || nonnegative(args[1]);
  if (op == Op::min) a.nonnegative = nonnegative(args[0]) && nonnegative(args[1]);
  if (op == Op::select) a.nonnegative = nonnegative(args[1]) && nonnegative(args[2]);
  if (op == Op::pow) a.nonnegative = nonnegative(args[0]);
  if (op == Op::log)
    if (auto c = constant(args[0])) a.nonnegative = *c >= 1;
  if (op == Op::tanh || op == Op::erf || op == Op::atan || op == Op::sign || op == Op::floor || op == Op::round_to)
    a.nonnegative = nonnegative(args[0]);
  a.args = std::move(args);
  return power_of(intern(std::move(a)));
}

AtomId Algebra::leaf(ExprId node) {
  Atom a;
  a.node = node;
  a.part = part_of_(node).value_or(0);
  a.nonnegative = nonnegative_node(*arena_, node);
  a.boolean = (*arena_)[node].kind == Kind::boolean;
  return intern(std::move(a));
}

void Algebra::learn(Fact fact) {
  for (const auto& [key, c] : fact.body) { // |u| <= d bounds u and -u as well
    const bool alone = fact.body.size() == 1 && key.factors.size() == 1 && key.exponent.empty() && c > 0;
    if (!alone || key.factors[0].num != 1 || key.factors[0].den != 1 || fact.sense < 0) break;
    const Atom& at = atoms_[key.factors[0].atom];
    if (at.type != Atom::Type::call || at.op != Op::abs) break;
    Form u = scale(at.args[0], c);
    facts_.push_back({fact.d, 1, expand(u)});
    facts_.push_back({fact.d, 1, expand(negate(u))});
  }
  fact.body = expand(fact.body);
  facts_.push_back(std::move(fact));
}

Algebra::Sign Algebra::sign(const Form& form) {
  Form rest = expand(form);
  if (rest.empty()) return {1, false, nullptr};
  int weak = 0; // the sign that every part subtracted so far has
  const Fact* tie = nullptr;
  int used = 0;
  auto settle = [&]() -> Sign {
    bool up = nonnegative(rest), down = nonnegative(negate(rest));
    if (rest.empty()) return {weak, false, used == 1 ? tie : nullptr};
    int remainder = up ? 1 : down ? -1 : 0;
    if (remainder == 0 || (weak != 0 && weak != remainder)) return {};
    auto k = rest.find(TermKey{});
    bool strict = k != rest.end();
    for (const auto& [key, c] : rest) strict = strict || (key.factors.empty() && !key.exponent.empty());
    return {remainder, strict, nullptr};
  };
  for (const Fact& fact : facts_) {
    auto at = rest.find(TermKey{{{fact.d, 1, 1}}, {}});
    if (at == rest.end()) continue;
    mpq_class c = at->second;
    Form without = add(rest, add(scale(power_of(fact.d), -c), scale(fact.body, c)));
    // c (d - body) has the sign of c for a max; only a step that removes what the body adds helps
    if (without.size() >= rest.size() && !without.empty()) continue;
    int s = (c > 0 ? 1 : -1) * fact.sense;
    if (weak != 0 && weak != s) continue;
    weak = s;
    rest = std::move(without);
    tie = &fact;
    ++used;
  }
  return settle();
}

Form Algebra::expand(const Form& form) {
  auto splits = [&](const Power& p) { // an exp that stands as a value in another exponent stays closed
    const Atom& a = atoms_[p.atom];
    return a.type == Atom::Type::sum && p.den == 1 && p.num > 0 && p.num <= max_power &&
           (a.args[0].size() > 1 || a.args[0].begin()->first.exponent.empty());
  };
  Form current = form;
  for (int round = 0; round < 8; ++round) { // sums within sums are few
    bool any = false;
    Form next;
    for (const auto& [key, c] : current) {
      auto it = std::find_if(key.factors.begin(), key.factors.end(), splits);
      if (it == key.factors.end()) {
        add_to(next, key, c);
        continue;
      }
      any = true;
      TermKey rest = key;
      rest.factors.erase(rest.factors.begin() + (it - key.factors.begin()));
      Form term;
      term.emplace(std::move(rest), c);
      Form sum = atoms_[it->atom].args[0];
      Form power = sum;
      for (int i = 1; i < it->num; ++i) power = multiply(power, sum);
      add_to(next, multiply(term, power));
    }
    if (!any || next.size() > max_terms) return any ? form : current;
    current = std::move(next);
  }
  return current;
}

} // namespace aicf
