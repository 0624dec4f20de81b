#include "core/structure/summary_builder.hpp"

#include "core/structure/node_program.hpp"
#include "core/structure/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace aicf {
namespace {

constexpr std::size_t most_sums = 64; ///< that a state may have and still be called one
constexpr double infinity = std::numeric_limits<double>::infinity();

double binomial(int n, int k) {
  double r = 1;
  for (int i = 1; i <= k; ++i) r = r * (n - k + i) / i;
  return r;
}

bool is_true(const Arena& arena, ExprId predicate) { return arena.is_number(predicate, 1); }

} // namespace

SummaryBuilder::SummaryBuilder(const Model& model, const std::vector<std::size_t>& cascade, Algebra& algebra,
                               LawsOf laws)
    : model_(model), cascade_(cascade), algebra_(algebra), laws_(std::move(laws)), arena_(model.arena()),
      build_(model.arena()) {}

ExprId SummaryBuilder::symbol(std::size_t k, Side side) {
  return build_.symbol(side == Side::self ? slot_symbol(k) : side == Side::left ? left_symbol(k) : right_symbol(k));
}

Form SummaryBuilder::slot_form(std::size_t k) { return algebra_.power_of(algebra_.leaf(symbol(k, Side::self))); }

ExprId SummaryBuilder::express(const Form& form, Side side) {
  std::map<AtomId, ExprId> with;
  for (std::size_t k = 0; k < slots_.size(); ++k) with[algebra_.leaf(symbol(k, Side::self))] = symbol(k, side);
  return algebra_.express(form, with);
}

ExprId SummaryBuilder::masked(ExprId mask, ExprId body, ExprId identity) {
  return is_true(arena_, mask) ? body : build_.where(mask, body, identity);
}

ExprId SummaryBuilder::identity_of(ReducerId reducer) {
  switch (static_cast<Builtin>(reducer)) {
  case Builtin::prod: return build_.num(1);
  case Builtin::max: return build_.num(-infinity);
  case Builtin::min:
  case Builtin::argmax:
  case Builtin::argmin: return build_.num(infinity);
  case Builtin::any: return arena_.boolean(false);
  case Builtin::all: return arena_.boolean(true);
  default: return build_.num(0);
  }
}

std::string SummaryBuilder::fresh_name(std::string wanted) const {
  for (char& c : wanted)
    if (c == '#' || c == '@') c = '_';
  auto taken = [&](const std::string& n) {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.name == n; });
  };
  std::string name = wanted;
  for (int k = 2; taken(name); ++k) name = wanted + std::to_string(k);
  return name;
}

std::size_t SummaryBuilder::place(Slot slot, ExprId plain, std::tuple<ReducerId, ExprId, Form> key) {
  slot.name = fresh_name(slot.name);
  slots_.push_back(std::move(slot));
  plain_.push_back(plain);
  known_[std::move(key)] = slots_.size() - 1;
  return slots_.size() - 1;
}

std::size_t SummaryBuilder::simple(Builtin reducer, ExprId mask, const Form& form, ExprId body,
                                   const std::string& name) {
  auto id = static_cast<ReducerId>(reducer);
  std::tuple key{id, mask, algebra_.expand(form)};
  if (auto it = known_.find(key); it != known_.end()) return it->second;
  std::size_t k = slots_.size();
  ExprId a = symbol(k, Side::left), b = symbol(k, Side::right), merge = no_expr;
  switch (reducer) {
  case Builtin::sum: merge = build_.add({a, b}); break;
  case Builtin::prod: merge = build_.mul({a, b}); break;
  case Builtin::max: merge = build_.call(Op::max, {a, b}); break;
  case Builtin::min: merge = build_.call(Op::min, {a, b}); break;
  case Builtin::any: merge = build_.call(Op::or_, {a, b}); break;
  default: merge = build_.call(Op::and_, {a, b}); break;
  }
  ExprId identity = identity_of(id);
  return place({name, id, masked(mask, body, identity), identity, merge, no_expr}, merge, std::move(key));
}

std::size_t SummaryBuilder::count(ExprId mask) {
  return simple(Builtin::sum, mask, Algebra::number(1), build_.num(1), "n");
}

Form SummaryBuilder::replace_dependencies(const Form& form, bool whole_chunk) {
  std::map<AtomId, Form> with;
  for (std::size_t i : cascade_)
    if (auto it = final_.find(i); it != final_.end()) with[algebra_.leaf(model_.items[i].node)] = it->second;
  if (whole_chunk) { // the extent of the axis is the number of elements of the whole chunk
    const Item& item = model_.items[cascade_.front()];
    std::vector<ExprId> dims = extent_dims(model_, item);
    if (!dims.empty()) {
      Form n = slot_form(count(arena_.boolean(true)));
      for (std::size_t k = 1; k < dims.size(); ++k)
        n = algebra_.multiply(n, algebra_.power_of(algebra_.leaf(dims[k]), -1));
      with[algebra_.leaf(dims[0])] = n;
    }
  }
  return algebra_.replace(form, with);
}

void SummaryBuilder::choose_centres(std::size_t index, const Split& split, Derivation& out) {
  const Item& item = model_.items[index];
  std::set<TermKey> parts(split.x_parts.begin(), split.x_parts.end());
  std::set<AtomId> atoms;
  for (const TermKey& p : parts)
    for (const Power& f : p.factors)
      if (!algebra_.atom(f.atom).boolean && algebra_.atom(f.atom).type != Atom::Type::tie) atoms.insert(f.atom);
  for (AtomId a : atoms) {
    bool closed = true;
    for (const TermKey& p : parts)
      for (std::size_t i = 0; i < p.factors.size(); ++i) {
        if (p.factors[i].atom != a) continue;
        TermKey lower = p;
        if (--lower.factors[i].num == 0) lower.factors.erase(lower.factors.begin() + static_cast<std::ptrdiff_t>(i));
        closed = closed && p.factors[i].den == 1 && p.factors[i].num > 0 && parts.contains(lower);
      }
    if (!closed) continue;
    Form value = algebra_.expand(algebra_.power_of(a));
    Centre centre;
    for (bool direct : {true, false})
      for (const Fact& fact : algebra_.facts()) {
        bool read = std::any_of(item.dependencies.begin(), item.dependencies.end(),
                                [&](std::size_t d) { return algebra_.leaf(model_.items[d].node) == fact.d; });
        if (read != direct || !centre.value.empty() || !(fact.body == value)) continue;
        for (std::size_t i : cascade_)
          if (algebra_.leaf(model_.items[i].node) == fact.d && final_.contains(i)) centre.value = final_.at(i);
      }
    std::string about;
    if (centre.value.empty()) {
      centre.mean = true;
      centre.count = count(item.mask);
      centre.sum = simple(Builtin::sum, item.mask, algebra_.power_of(a), algebra_.express(algebra_.power_of(a)), "s");
      centre.value = algebra_.multiply(slot_form(centre.sum), algebra_.raise(slot_form(centre.count), -1));
      about = "the chunk's own mean";
    } else {
      about = "the running extremum";
    }
    out.steps.push_back({"centre", "powers of an element", "powers about " + about});
    centres_[a] = std::move(centre);
  }
}

/// k with l <= k * body where k has the sign of `sense` and is free of the element: l - k * body is never positive.
std::optional<Form> SummaryBuilder::multiple_of(const Form& l, const Form& body, int sense) {
  const auto& [first, scale] = *body.begin();
  for (const auto& [key, c] : l) {
    Form quotient;
    quotient.emplace(key, c / scale);
    Form inverse;
    inverse.emplace(first, 1);
    quotient = algebra_.multiply(quotient, algebra_.raise(inverse, -1));
    if (algebra_.part(quotient) != 0) continue;
    if (!algebra_.nonnegative(sense > 0 ? quotient : Algebra::negate(quotient))) continue;
    Form rest = Algebra::add(l, Algebra::negate(algebra_.multiply(quotient, body)));
    if (algebra_.nonnegative(Algebra::negate(rest))) return quotient;
  }
  return std::nullopt;
}

SummaryBuilder::Bound SummaryBuilder::choose_bound(std::size_t index, const Polynomial& exponent, Derivation& out) {
  const Item& item = model_.items[index];
  Form l;
  for (const auto& [m, c] : exponent) l[TermKey{m, {}}] = c;
  l = algebra_.expand(l);
  if (algebra_.nonnegative(Algebra::negate(l))) {
    out.steps.push_back({"exponent-sign", "exp of a value that is never positive", "exp <= 1 with no shift"});
    return {};
  }
  for (bool direct : {true, false})
    for (const Fact& fact : algebra_.facts()) {
      std::size_t owner = model_.items.size();
      for (std::size_t i : cascade_)
        if (algebra_.leaf(model_.items[i].node) == fact.d && final_.contains(i)) owner = i;
      if (owner == model_.items.size() || fact.body.empty()) continue;
      bool read = std::find(item.dependencies.begin(), item.dependencies.end(), owner) != item.dependencies.end();
      if (read != direct) continue;
      std::optional<Form> kappa = multiple_of(l, fact.body, fact.sense);
      if (!kappa) continue;
      const Form& final = final_.at(owner);
      Bound b;
      b.value = algebra_.multiply(*kappa, final);
      b.minimum = fact.sense < 0;
      for (std::size_t k = 0; k < slots_.size(); ++k)
        if (final == slot_form(k)) b.slot = k;
      if (!b.slot) continue;
      out.steps.push_back({"exponent-bound", "exponent of the element",
                           "at most " + std::string(*kappa == Algebra::number(1) ? "" : "a multiple of ") +
                               slots_[*b.slot].name + ", a " + (b.minimum ? "min" : "max") +
                               " over the same elements"});
      return b;
    }
  std::size_t k = simple(Builtin::max, item.mask, l, algebra_.express(l), "top");
  out.steps.push_back({"auxiliary-max", "no reduction bounds the exponent", "slot " + slots_[k].name + " is its max"});
  return {slot_form(k), k, false};
}

ExprId SummaryBuilder::basis_body(const Basis& basis) {
  std::vector<ExprId> factors, conditions;
  Form rest;
  rest.emplace(TermKey{basis.rest, {}}, 1);
  if (tie_of(basis)) rest = replace_dependencies(rest, false);
  for (const auto& [atom, power] : basis.powers) {
    ExprId x = algebra_.express(algebra_.power_of(atom));
    factors.push_back(build_.pow(build_.sub(x, express(centres_.at(atom).value, Side::self)), power));
  }
  if (!basis.exponent.empty()) {
    Form argument = Algebra::negate(bounds_.at(basis.exponent).value);
    for (const auto& [m, c] : basis.exponent) Algebra::add_to(argument, Form{{TermKey{m, {}}, c}});
    factors.push_back(build_.call(Op::exp, {express(argument, Side::self)}));
  }
  ExprId others = algebra_.express(rest);
  if (arena_[others].op == Op::select) { // where(c, w, 0): the whole element is masked
    factors.push_back(arena_.operand(others, 1));
    return build_.where(arena_.operand(others, 0), build_.mul(std::move(factors)), build_.num(0));
  }
  if (factors.empty() || !arena_.is_number(others, 1)) factors.push_back(others);
  return build_.mul(std::move(factors));
}

/// |c_side - c|^power up to sign: what an element's centred value changes by when the state joins a larger one.
ExprId SummaryBuilder::shift(AtomId atom, Side side, int power, bool still) {
  const Centre& c = centres_.at(atom);
  if (power == 0) return build_.num(1);
  if (!c.mean) {
    if (still) return build_.num(0);
    return build_.pow(build_.sub(express(c.value, side), express(c.value, Side::self)), power);
  }
  // c_a - c = -(c_b - c_a) n_b/n and c_b - c = (c_b - c_a) n_a/n lose no digits when n_a and n_b differ much
  ExprId delta = build_.sub(express(c.value, Side::right), express(c.value, Side::left));
  ExprId share =
      build_.div(symbol(c.count, side == Side::left ? Side::right : Side::left), symbol(c.count, Side::self));
  return build_.mul({build_.pow(delta, power), build_.pow(share, power)}); // its sign is for `rebased` to give
}

/// The state of one operand seen from the merged centres; `without` leaves one slot's share out.
ExprId SummaryBuilder::rebased(const Basis& basis, const std::map<Basis, Kept>& kept, std::size_t self, Side side,
                               bool still, std::optional<std::size_t> without) {
  std::vector<std::pair<AtomId, int>> powers(basis.powers.begin(), basis.powers.end());
  std::vector<int> j(powers.size(), 0);
  for (std::size_t i = 0; i < powers.size(); ++i) j[i] = powers[i].second;
  std::vector<ExprId> terms, negative;
  for (;;) {
    Basis lower = basis;
    double c = 1;
    int turns = 0; ///< odd: c_a - c has the sign of -(c_b - c_a)
    std::vector<ExprId> factors;
    for (std::size_t i = 0; i < powers.size(); ++i) {
      auto [atom, k] = powers[i];
      lower.powers[atom] = j[i];
      if (j[i] == 0) lower.powers.erase(atom);
      c *= binomial(k, j[i]);
      if (centres_.at(atom).mean && side == Side::left) turns += k - j[i];
      factors.push_back(shift(atom, side, k - j[i], still));
    }
    std::optional<std::size_t> slot = lower.powers == basis.powers ? self : kept.at(lower).slot;
    if (slot && slot != without) {
      factors.insert(factors.begin(), {build_.num(c), symbol(*slot, side)});
      (turns % 2 == 0 ? terms : negative).push_back(build_.mul(std::move(factors)));
    }
    std::size_t i = 0;
    while (i < j.size() && j[i] == 0) j[i] = powers[i].second, ++i;
    if (i == j.size()) break;
    --j[i];
  }
  ExprId total = build_.add(std::move(terms));
  for (ExprId t : negative) total = build_.sub(total, t);
  return total;
}

/// The slot of the max or min that the elements of this sum equal, where they must.
std::optional<std::size_t> SummaryBuilder::tie_of(const Basis& basis) {
  for (const Power& p : basis.rest) {
    const Atom a = algebra_.atom(p.atom);
    if (a.type != Atom::Type::tie) continue;
    Form d = replace_dependencies(a.args[1], false);
    for (std::size_t k = 0; k < slots_.size(); ++k)
      if (d == slot_form(k)) return k;
  }
  return std::nullopt;
}

SummaryBuilder::Merge SummaryBuilder::merge_of(const Basis& basis, const std::map<Basis, Kept>& kept, std::size_t self,
                                               ExprId mask) {
  if (auto tie = tie_of(basis)) { // elements that are no longer the extremum leave the sum
    auto share = [&](Side side) {
      return build_.where(build_.call(Op::eq, {symbol(*tie, side), symbol(*tie, Side::self)}), symbol(self, side),
                          build_.num(0));
    };
    ExprId merge = build_.add({share(Side::left), share(Side::right)});
    return {merge, merge};
  }
  std::optional<std::size_t> mean_count;
  std::set<std::size_t> direct; // slots that centre or bound this one
  bool only_mean = true;
  int degree = 0;
  for (const auto& [atom, power] : basis.powers) {
    const Centre& c = centres_.at(atom);
    degree += power;
    if (c.mean) {
      mean_count = c.count;
      continue;
    }
    only_mean = false;
    for (std::size_t k = 0; k < slots_.size(); ++k)
      for (const auto& [key, value] : c.value)
        for (const Power& p : key.factors)
          if (p.atom == algebra_.leaf(symbol(k, Side::self))) direct.insert(k);
  }
  const Bound* bound = basis.exponent.empty() ? nullptr : &bounds_.at(basis.exponent);
  if (bound != nullptr && bound->slot) direct.insert(*bound->slot);

  // the constant's share of a centred power: n_a (-d n_b/n)^k + n_b (d n_a/n)^k
  std::optional<std::size_t> joint;
  if (mean_count && only_mean && bound == nullptr && basis.rest.empty() && degree >= 1) joint = mean_count;
  auto side_value = [&](Side side, bool guarded) {
    ExprId core = rebased(basis, kept, self, side, false, joint);
    ExprId factor = build_.num(1);
    if (bound != nullptr && !bound->value.empty())
      factor = build_.call(Op::exp, {build_.sub(express(bound->value, side), express(bound->value, Side::self))});
    ExprId moved = build_.mul({core, factor});
    if (!guarded || direct.empty()) return moved;
    ExprId same = no_expr, empty = no_expr;
    for (std::size_t k : direct) {
      ExprId e = build_.call(Op::eq, {symbol(k, side), symbol(k, Side::self)});
      same = same == no_expr ? e : build_.call(Op::and_, {same, e});
    }
    ExprId unmoved = rebased(basis, kept, self, side, true, joint);
    if (bound != nullptr && bound->slot) {
      // nothing, or only elements that weigh exp(-inf): their powers are NaN in the definition too
      empty = build_.call(Op::eq, {symbol(*bound->slot, side), slots_[*bound->slot].identity});
      ExprId alone = degree == 0 ? build_.num(0) : symbol(self, side);
      return build_.where(same, unmoved, build_.where(empty, alone, moved));
    }
    empty = build_.call(Op::eq, {symbol(count(mask), side), build_.num(0)});
    return build_.where(empty, build_.num(0), build_.where(same, unmoved, moved));
  };
  auto total = [&](bool guarded) {
    std::vector<ExprId> terms{side_value(Side::left, guarded), side_value(Side::right, guarded)};
    if (joint && degree >= 2) {
      std::vector<ExprId> factors;
      for (const auto& [atom, power] : basis.powers) {
        const Centre& c = centres_.at(atom);
        factors.push_back(build_.pow(build_.sub(express(c.value, Side::right), express(c.value, Side::left)), power));
      }
      ExprId na = symbol(*joint, Side::left), nb = symbol(*joint, Side::right), n = symbol(*joint, Side::self);
      factors.push_back(build_.div(build_.mul({na, nb}), n));
      if (degree > 2) { // ((n_a/n)^(k-1) + (-1)^k (n_b/n)^(k-1)), which is 1 for k = 2
        ExprId a = build_.pow(build_.div(na, n), degree - 1), b = build_.pow(build_.div(nb, n), degree - 1);
        factors.push_back(degree % 2 == 0 ? build_.add({a, b}) : build_.sub(a, b));
      }
      terms.push_back(build_.mul(std::move(factors)));
    }
    return build_.add(std::move(terms));
  };
  Merge m{total(false), total(true)};
  if (mean_count)
    m.guarded =
        build_.where(build_.call(Op::eq, {symbol(*mean_count, Side::left), build_.num(0)}), symbol(self, Side::right),
                     build_.where(build_.call(Op::eq, {symbol(*mean_count, Side::right), build_.num(0)}),
                                  symbol(self, Side::left), m.guarded));
  return m;
}

void SummaryBuilder::ensure(std::size_t index, const Basis& basis, std::map<Basis, Kept>& kept,
                            const std::string& name) {
  if (kept.contains(basis)) return;
  const Item& item = model_.items[index];
  for (const auto& [atom, power] : basis.powers) { // a rebase needs every lower power
    Basis lower = basis;
    if (--lower.powers[atom] == 0) lower.powers.erase(atom);
    ensure(index, lower, kept, name);
  }
  const bool bare = basis.rest.empty() && basis.exponent.empty();
  if (bare && basis.powers.empty()) {
    kept[basis].slot = count(item.mask);
    return;
  }
  if (bare && basis.powers.size() == 1 && basis.powers.begin()->second == 1 &&
      centres_.at(basis.powers.begin()->first).mean) {
    kept[basis] = {}; // the sum of deviations from the mean is 0
    return;
  }
  Form key = Algebra::number(1);
  for (const auto& [atom, power] : basis.powers)
    key = algebra_.multiply(
        key, algebra_.raise(Algebra::add(algebra_.power_of(atom), Algebra::negate(centres_.at(atom).value)), power));
  Form rest;
  rest.emplace(TermKey{basis.rest, basis.exponent}, 1);
  key = algebra_.multiply(key, rest);
  if (!basis.exponent.empty())
    key = algebra_.multiply(key, algebra_.exp(Algebra::negate(bounds_.at(basis.exponent).value)));
  std::tuple full{static_cast<ReducerId>(Builtin::sum), item.mask, algebra_.expand(key)};
  if (auto it = known_.find(full); it != known_.end()) {
    kept[basis].slot = it->second;
    return;
  }
  bool bounded = !basis.exponent.empty() && bounds_.at(basis.exponent).slot;
  if (!basis.powers.empty() && !bounded) count(item.mask); // guards ask whether an operand is empty
  std::size_t self = slots_.size();
  int degree = 0;
  for (const auto& [atom, power] : basis.powers) degree += power;
  const std::string own_name = degree == highest_ ? name : name + "_" + std::to_string(degree);
  ExprId body = masked(item.mask, basis_body(basis), build_.num(0));
  Merge m = merge_of(basis, kept, self, item.mask);
  kept[basis].slot = place({own_name, static_cast<ReducerId>(Builtin::sum), body, build_.num(0), m.guarded, no_expr},
                           m.plain, std::move(full));
}

void SummaryBuilder::add_sum(std::size_t index, const Split& split, Derivation& out) {
  const Item& item = model_.items[index];
  centres_.clear();
  bounds_.clear();
  choose_centres(index, split, out);
  for (const TermKey& p : split.x_parts)
    if (!p.exponent.empty() && !bounds_.contains(p.exponent))
      bounds_[p.exponent] = choose_bound(index, p.exponent, out);
  bool own_mean = false;
  for (const auto& [a, c] : centres_) own_mean = own_mean || c.mean;
  const bool whole = own_mean && is_true(arena_, item.mask);

  std::map<Basis, Form> value;
  for (std::size_t i = 0; i < split.x_parts.size(); ++i) {
    const TermKey& x = split.x_parts[i];
    Form coefficient;
    for (std::size_t k = 0; k < split.d_parts.size(); ++k) {
      Form d;
      d.emplace(split.d_parts[k], 1);
      Algebra::add_to(coefficient, algebra_.multiply(split.coefficient[i][k], d));
    }
    coefficient = replace_dependencies(coefficient, whole);
    if (!x.exponent.empty()) coefficient = algebra_.multiply(coefficient, algebra_.exp(bounds_.at(x.exponent).value));
    std::map<Basis, Form> parts{{Basis{{}, {}, x.exponent}, coefficient}};
    for (const Power& p : x.factors) {
      auto centre = centres_.find(p.atom);
      std::map<Basis, Form> next;
      for (const auto& [basis, c] : parts) {
        if (centre == centres_.end()) {
          Basis b = basis;
          b.rest.push_back(p);
          Algebra::add_to(next[b], c);
          continue;
        }
        for (int j = 0; j <= p.num; ++j) { // x^n = sum of binomial * (x - c)^j * c^(n - j)
          Basis b = basis;
          if (j > 0) b.powers[p.atom] = j;
          Form term = algebra_.multiply(c, algebra_.raise(centre->second.value, p.num - j));
          Algebra::add_to(next[b], Algebra::scale(term, mpq_class(binomial(p.num, j))));
        }
      }
      parts = std::move(next);
    }
    for (const auto& [basis, c] : parts) Algebra::add_to(value[basis], c);
  }
  std::erase_if(value, [](const auto& v) { return v.second.empty(); });
  highest_ = 0;
  for (const auto& [basis, c] : value) {
    int degree = 0;
    for (const auto& [atom, power] : basis.powers) degree += power;
    highest_ = std::max(highest_, degree);
  }
  std::map<Basis, Kept> kept;
  for (const auto& [basis, c] : value) ensure(index, basis, kept, item.name);
  Form final;
  for (const auto& [basis, c] : value)
    if (auto slot = kept.at(basis).slot) Algebra::add_to(final, algebra_.multiply(c, slot_form(*slot)));
  // raw powers of one element that only cancel in the end lose digits
  struct Raw {
    int parts = 0;
    bool constant = false, shared = false;
    std::set<AtomId> atoms;
  };
  std::map<Polynomial, Raw> uncentred;
  for (const TermKey& x : split.x_parts) {
    if (std::any_of(x.factors.begin(), x.factors.end(), [&](const Power& p) { return centres_.contains(p.atom); }))
      continue;
    Raw& raw = uncentred[x.exponent];
    ++raw.parts;
    raw.constant = raw.constant || x.factors.empty();
    for (const Power& p : x.factors) raw.shared = !raw.atoms.insert(p.atom).second || raw.shared;
  }
  for (const auto& [e, raw] : uncentred)
    if (raw.parts > 1 && (raw.constant || raw.shared)) {
      out.stable = false;
      out.steps.push_back({"cancellation", "raw powers of one element", "their difference may cancel: not stable"});
    }
  finish(index, final, out);
}

void SummaryBuilder::add_by_dependency(std::size_t index, const Split& split, Derivation& out) {
  const Item& item = model_.items[index];
  Form final;
  for (std::size_t k = 0; k < split.d_parts.size(); ++k) {
    Form g;
    for (std::size_t i = 0; i < split.x_parts.size(); ++i) {
      Form x;
      x.emplace(split.x_parts[i], 1);
      Algebra::add_to(g, algebra_.multiply(split.coefficient[i][k], x));
    }
    Form d;
    d.emplace(split.d_parts[k], 1);
    std::size_t slot = simple(Builtin::sum, item.mask, g, algebra_.express(g), item.name);
    Algebra::add_to(final, algebra_.multiply(replace_dependencies(d, false), slot_form(slot)));
  }
  out.stable = split.d_parts.size() == 1;
  finish(index, final, out);
}

void SummaryBuilder::finish(std::size_t index, const Form& final, Derivation& out) {
  final_[index] = final;
  const ExprId value = express(final, Side::self);
  final_expr_[index] = model_.items[index].is(Builtin::sum) ? zero_if_empty(index, value) : value;
  out.possible = true;
}

/// 0/0 of an empty state: an empty sum is 0 whatever its parts.
ExprId SummaryBuilder::zero_if_empty(std::size_t index, ExprId value) {
  if (zero_when_empty(value)) return value;
  ExprId empty = no_expr;
  std::vector<ExprId> extent = extent_dims(model_, model_.items[index]);
  if (is_true(arena_, model_.items[index].mask))
    for (ExprId dim : extent) {
      ExprId none = build_.call(Op::eq, {dim, arena_.integer(0)});
      empty = empty == no_expr ? none : build_.call(Op::or_, {empty, none});
    }
  if (empty == no_expr) {
    std::optional<std::size_t> weight; // a sum of exp is 0 only where there is none
    for (std::size_t k : closure(value)) {
      const Slot& s = slots_[k];
      if (s.reducer == static_cast<ReducerId>(Builtin::sum) && arena_[s.body].op == Op::exp) weight = k;
    }
    if (!weight) weight = count(model_.items[index].mask);
    empty = build_.call(Op::eq, {symbol(*weight, Side::self), build_.num(0)});
  }
  return build_.where(empty, build_.num(0), value);
}

bool SummaryBuilder::zero_when_empty(ExprId value) const {
  NodeProgram program(arena_, {value});
  DoubleMath math;
  std::vector<double> values;
  program.literals<DoubleMath>(math, values, [](double v) { return v; });
  for (ExprId leaf : program.leaves()) {
    const Node& n = arena_[leaf];
    if (n.op == Op::symbol)
      values[program.place(leaf)] = arena_.value(slots_[n.payload].identity);
    else if (n.op != Op::number)
      values[program.place(leaf)] = 0.75; // any ordinary value: what matters is 0/0, log 0, inf - inf
  }
  for (ExprId dim : extent_dims(model_, model_.items[cascade_.front()]))
    if (program.contains(dim)) values[program.place(dim)] = 0;
  program.run(math, values);
  return values[program.place(value)] == 0;
}

std::vector<std::size_t> SummaryBuilder::closure(ExprId form) const {
  std::set<std::size_t> found;
  std::vector<ExprId> stack{form};
  std::set<ExprId> seen;
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) continue;
    const Node& n = arena_[id];
    if (n.op == Op::symbol) {
      std::size_t k = n.payload % 1000;
      if (k < slots_.size() && found.insert(k).second) stack.insert(stack.end(), {slots_[k].body, slots_[k].merge});
    }
    for (ExprId o : arena_.operands(id)) stack.push_back(o);
  }
  return {found.begin(), found.end()};
}

Summary SummaryBuilder::summary() const {
  Summary s;
  s.slots = slots_;
  for (std::size_t i : cascade_) s.finalize.push_back(final_expr_.at(i));
  return s;
}

Derivation SummaryBuilder::add(std::size_t index, const Form& f, const std::optional<Split>& split) {
  const Item& item = model_.items[index];
  Derivation out;
  const std::size_t before = slots_.size();
  auto own = [&](std::size_t slot) { finish(index, slot_form(slot), out); };
  const bool depends = !item.dependencies.empty();
  if (!item.whole.empty()) {
    out.why = "each element reads a reduction over all elements, which another sweep gives";
  } else if (item.reducer >= first_user_reducer) {
    add_user(index, f, out);
  } else if (item.is(Builtin::argmax) || item.is(Builtin::argmin)) {
    add_position(index, f, out);
  } else if (!depends && (item.is(Builtin::any) || item.is(Builtin::all))) {
    std::size_t slot = simple(static_cast<Builtin>(item.reducer), item.mask, f, item.element, item.name);
    final_expr_[index] = symbol(slot, Side::self);
    out.possible = true;
  } else if (!depends) {
    own(simple(static_cast<Builtin>(item.reducer), item.mask, f, item.element, item.name));
    for (const auto& [key, c] : f) { // an exponential that nothing bounds
      Form l;
      for (const auto& [m, k] : key.exponent) l[TermKey{m, {}}] = k;
      if (item.is(Builtin::sum) && !algebra_.nonnegative(Algebra::negate(l))) out.stable = false;
    }
  } else if (item.is(Builtin::sum)) {
    bool exponential = split && std::any_of(split->x_parts.begin(), split->x_parts.end(),
                                            [](const TermKey& t) { return !t.exponent.empty(); });
    if (!split)
      out.why = "no separated form was derived";
    else if (std::min(split->x_parts.size(), split->d_parts.size()) > most_sums)
      out.why = "a state of more than " + std::to_string(most_sums) + " sums";
    else if (!exponential && split->d_parts.size() < split->x_parts.size())
      add_by_dependency(index, *split, out);
    else
      add_sum(index, *split, out);
  } else if (item.is(Builtin::prod)) {
    add_product(index, f, out);
  } else if (item.is(Builtin::max) || item.is(Builtin::min)) {
    add_extremum(index, f, out);
  } else {
    add_truth(index, f, out);
  }
  for (std::size_t k = before; k < slots_.size(); ++k) out.own.push_back(k);
  if (out.possible) {
    out.reads = closure(final_expr_.at(index));
    std::set<std::size_t> sums;
    for (std::size_t k : out.reads)
      if (slots_[k].reducer == item.reducer) sums.insert(k);
    out.sums = static_cast<int>(sums.size());
  }
  return out;
}

} // namespace aicf
