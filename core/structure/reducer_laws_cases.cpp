#include "core/structure/reducer_laws_cases.hpp"

#include "core/structure/field_program.hpp"
#include "core/structure/node_program.hpp"
#include "core/structure/separation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace aicf {
namespace {

constexpr std::size_t max_nodes = 2000; ///< of a combine
constexpr std::size_t max_form = 4000;  ///< terms that one product may make
constexpr int max_cases = 512;

using Which = Extended::Kind;
using Linear = std::pair<std::map<AtomId, mpq_class>, mpq_class>; ///< coefficients, constant

Extended value(Form form) { return {Which::finite, std::move(form)}; }
Extended infinity_of(int sign) { return {sign > 0 ? Which::plus : Which::minus, {}}; }

/// The form as a linear function of leaves, where it is one.
std::optional<Linear> linear(const Algebra& algebra, const Form& form) {
  Linear out;
  for (const auto& [key, c] : form) {
    if (!key.exponent.empty() || key.factors.size() > 1) return std::nullopt;
    if (key.factors.empty()) {
      out.second += c;
      continue;
    }
    const Power& p = key.factors[0];
    if (p.num != 1 || p.den != 1 || algebra.atom(p.atom).type != Atom::Type::leaf) return std::nullopt;
    out.first[p.atom] += c;
  }
  return out;
}

/// A constraint of Fourier-Motzkin elimination: sum + constant > 0, or >= 0.
struct Constraint {
  Linear sum;
  bool strict = false;
};

/// Whether linear constraints have a common solution over the reals. Exact.
bool satisfiable(std::vector<Constraint> all) {
  for (;;) {
    std::optional<AtomId> variable;
    for (const Constraint& c : all)
      if (!c.sum.first.empty()) variable = c.sum.first.begin()->first;
    if (!variable) break;
    std::vector<Constraint> rest, lower, upper;
    for (Constraint& c : all) {
      auto at = c.sum.first.find(*variable);
      if (at == c.sum.first.end()) {
        rest.push_back(std::move(c));
        continue;
      }
      mpq_class scale = abs(at->second);
      bool up = at->second > 0;
      c.sum.first.erase(at);
      for (auto& [atom, k] : c.sum.first) k /= scale;
      c.sum.second /= scale;
      (up ? lower : upper).push_back(std::move(c));
    }
    if (lower.size() * upper.size() > 2000) return true; // not decided: the case is looked at
    for (const Constraint& l : lower)
      for (const Constraint& u : upper) {
        Constraint both{l.sum, l.strict || u.strict};
        for (const auto& [atom, k] : u.sum.first) both.sum.first[atom] += k;
        std::erase_if(both.sum.first, [](const auto& t) { return t.second == 0; });
        both.sum.second += u.sum.second;
        rest.push_back(std::move(both));
      }
    all = std::move(rest);
  }
  return std::all_of(all.begin(), all.end(),
                     [](const Constraint& c) { return c.strict ? c.sum.second > 0 : c.sum.second >= 0; });
}

/// The first nonzero coefficient of a - b in the order of monomials: an order that adding to both does not change.
bool earlier(const Polynomial& a, const Polynomial& b) {
  Polynomial difference = a;
  for (const auto& [m, c] : b) difference[m] -= c;
  auto first = std::find_if(difference.begin(), difference.end(), [](const auto& t) { return t.second != 0; });
  return first != difference.end() && first->second < 0;
}

} // namespace

Cases::Cases() : algebra_(arena_, [](ExprId) -> std::optional<unsigned> { return 0U; }) {}

Extended Cases::variable(std::uint32_t symbol) {
  return value(algebra_.power_of(algebra_.leaf(arena_.make(Op::symbol, Kind::real, {}, symbol))));
}

Extended Cases::number(double v) {
  if (std::isnan(v)) return {};
  return std::isinf(v) ? infinity_of(v > 0 ? 1 : -1) : value(Algebra::number(mpq_class(v)));
}

bool Cases::feasible(const std::vector<Answer>& answers) const {
  std::vector<Constraint> all;
  for (const Answer& a : answers)
    if (auto sum = linear(algebra_, a.yes ? a.above : Algebra::negate(a.above)))
      all.push_back({std::move(*sum), a.yes});
  return satisfiable(std::move(all));
}

bool Cases::positive(const Form& form) {
  if (auto c = Algebra::constant(form)) return *c > 0;
  Form negated = Algebra::negate(form);
  if (algebra_.nonnegative(negated)) return false;
  Form above = Algebra::scale(form, 1 / abs(form.begin()->second));
  negated = Algebra::negate(above);
  for (const Answer& a : answers_) {
    if (a.above == above) return a.yes;
    if (a.above == negated && a.yes) return false;
  }
  auto possible = [&](bool yes) {
    std::vector<Answer> with = answers_;
    with.push_back({above, yes});
    return feasible(with);
  };
  bool yes = possible(true), no = possible(false);
  impossible_ = impossible_ || (!yes && !no);
  if (yes && no) {
    if (next_ == plan_.size()) plan_.push_back(true);
    yes = plan_[next_++];
  }
  answers_.push_back({std::move(above), yes});
  return yes;
}

/// log of a sum with what all its terms share taken out: log(e^(a - m) + e^(b - m)) = a - m + log(1 + e^(b - a)), and
/// log(1 + u/S) = log(S + u) - log S for a positive S.
Form Cases::log(const Form& form) {
  Form rest = form, outside;
  for (int cleared = 0; cleared < 8; ++cleared) {
    std::optional<Power> below;
    for (const auto& [key, c] : rest)
      for (const Power& p : key.factors) {
        const Atom& atom = algebra_.atom(p.atom);
        if (atom.type == Atom::Type::sum && atom.nonnegative && p.num < 0 && p.den == 1) below = p;
      }
    if (!below) break;
    Form denominator = algebra_.log(algebra_.atom(below->atom).args[0]);
    rest = algebra_.expand(algebra_.multiply(rest, algebra_.power_of(below->atom, -below->num)));
    Algebra::add_to(outside, Algebra::scale(denominator, below->num));
  }
  if (rest.size() < 2) return Algebra::add(outside, algebra_.log(rest));
  const Polynomial* least = &rest.begin()->first.exponent;
  for (const auto& [key, c] : rest)
    if (earlier(key.exponent, *least)) least = &key.exponent;
  TermKey away;
  for (const auto& [monomial, c] : *least) {
    away.exponent[monomial] = -c;
    Form shared;
    shared.emplace(TermKey{monomial, {}}, c);
    Algebra::add_to(outside, shared);
  }
  Form by;
  by.emplace(std::move(away), 1);
  return Algebra::add(outside, algebra_.log(algebra_.multiply(rest, by)));
}

Extended Cases::finite(Op op, std::uint32_t payload, const std::vector<Extended>& args) {
  const Form &a = args[0].form, &b = args[args.size() > 1 ? 1 : 0].form;
  auto difference = [&] { return Algebra::add(b, Algebra::negate(a)); };
  auto truth = [](bool v) { return number(v ? 1 : 0); };
  auto product = [&](const Form& x, const Form& y) -> Extended {
    if (x.size() * y.size() > max_form) return {};
    return value(algebra_.multiply(x, y));
  };
  switch (op) {
  case Op::add: {
    Form sum = a;
    for (std::size_t i = 1; i < args.size(); ++i) Algebra::add_to(sum, args[i].form);
    return value(std::move(sum));
  }
  case Op::mul: {
    Extended r = args[0];
    for (std::size_t i = 1; i < args.size() && r.finite(); ++i) r = product(r.form, args[i].form);
    return r;
  }
  case Op::div:
    if (b.empty()) return {};
    return product(a, algebra_.raise(b, -1));
  case Op::log:
    if (a.empty()) return infinity_of(-1);
    return value(log(a));
  case Op::log1p: {
    Form shifted = Algebra::add(a, Algebra::number(1));
    if (shifted.empty()) return infinity_of(-1);
    return value(log(shifted));
  }
  case Op::log2: {
    if (a.empty()) return infinity_of(-1);
    return value(algebra_.multiply(log(a), algebra_.raise(algebra_.log(Algebra::number(2)), -1)));
  }
  case Op::max:
  case Op::min: { // asked one way round, so that a tie is no case of its own
    Form d = difference();
    if (d.empty()) return args[0];
    bool flip = d.begin()->second < 0;
    bool later = positive(flip ? Algebra::negate(d) : d) != flip;
    return args[(op == Op::max) == later ? 1 : 0];
  }
  case Op::abs: {
    if (a.empty()) return args[0];
    bool flip = a.begin()->second < 0;
    Form up = flip ? Algebra::negate(a) : a;
    return value(positive(up) ? up : Algebra::negate(up));
  }
  case Op::sign: return number(positive(a) ? 1 : positive(Algebra::negate(a)) ? -1 : 0);
  case Op::lt: return truth(positive(difference()));
  case Op::le: return truth(!positive(Algebra::negate(difference())));
  case Op::eq:
  case Op::ne: {
    Form d = difference();
    return truth((!positive(d) && !positive(Algebra::negate(d))) == (op == Op::eq));
  }
  case Op::isnan: return truth(false);
  default: break;
  }
  std::vector<Form> forms;
  for (const Extended& e : args) forms.push_back(e.form);
  return value(algebra_.call(op, payload, std::move(forms)));
}

Extended Cases::infinite(Op op, const std::vector<Extended>& args) {
  auto side = [](const Extended& e) { return e.kind == Which::plus ? 1 : e.kind == Which::minus ? -1 : 0; };
  const int a = side(args[0]), b = args.size() > 1 ? side(args[1]) : 0;
  switch (op) {
  case Op::neg: return infinity_of(-a);
  case Op::add: {
    int total = 0;
    for (const Extended& e : args) {
      if (side(e) == 0) continue;
      if (total != 0 && side(e) != total) return {};
      total = side(e);
    }
    return infinity_of(total);
  }
  case Op::sub:
    if (a != 0 && b == a) return {};
    return infinity_of(a != 0 ? a : -b);
  case Op::mul: {
    int sign = 1;
    for (const Extended& e : args) {
      if (side(e) != 0) {
        sign *= side(e);
        continue;
      }
      auto c = Algebra::constant(e.form);
      if (!c || *c == 0) return {};
      sign *= *c > 0 ? 1 : -1;
    }
    return infinity_of(sign);
  }
  case Op::div: {
    if (a != 0 && b != 0) return {};
    if (b != 0) return number(0);
    auto c = Algebra::constant(args[1].form);
    if (!c || *c == 0) return {};
    return infinity_of(*c > 0 ? a : -a);
  }
  case Op::exp:
  case Op::exp2: return a > 0 ? infinity_of(1) : number(0);
  case Op::expm1: return a > 0 ? infinity_of(1) : number(-1);
  case Op::sigmoid: return number(a > 0 ? 1 : 0);
  case Op::tanh:
  case Op::erf:
  case Op::sign: return number(a);
  case Op::log:
  case Op::log2:
  case Op::log1p:
  case Op::sqrt: return a > 0 ? infinity_of(1) : Extended{};
  case Op::abs: return infinity_of(1);
  case Op::max:
  case Op::min: {
    const int wins = op == Op::max ? 1 : -1;
    if (a == wins || b == wins) return infinity_of(wins);
    return a != 0 ? args[1] : args[0];
  }
  case Op::lt: return number(a < b ? 1 : 0);
  case Op::le: return number(a <= b ? 1 : 0);
  case Op::eq: return number(a == b ? 1 : 0);
  case Op::ne: return number(a != b ? 1 : 0);
  case Op::isnan: return number(0);
  default: return {};
  }
}

Extended Cases::apply(Op op, std::uint32_t payload, const std::vector<Extended>& args) {
  if (op == Op::select || op == Op::and_ || op == Op::or_ || op == Op::not_) {
    auto truth = [](const Extended& e) { return e.finite() ? Algebra::constant(e.form) : std::nullopt; };
    auto c = truth(args[0]);
    if (!c) return {};
    if (op == Op::select) return args[*c != 0 ? 1 : 2];
    if (op == Op::not_) return number(*c == 0 ? 1 : 0);
    auto d = truth(args[1]);
    if (!d) return {};
    return number((op == Op::and_ ? *c != 0 && *d != 0 : *c != 0 || *d != 0) ? 1 : 0);
  }
  bool all_finite = true;
  for (const Extended& e : args) {
    if (e.kind == Which::undefined) return {};
    all_finite = all_finite && e.finite();
  }
  return all_finite ? finite(op, payload, args) : infinite(op, args);
}

Extended Cases::evaluate(const Arena& arena, ExprId root, const Extended& a, const Extended& b) {
  return evaluate(arena, root, [&](ExprId id) {
    return arena[id].op != Op::symbol ? Extended{} : arena[id].payload == 0 ? a : b;
  });
}

Extended Cases::evaluate(const Arena& arena, ExprId root, const std::function<Extended(ExprId)>& leaf) {
  std::array roots{root};
  std::vector<ExprId> order = reachable(arena, roots);
  if (order.size() > max_nodes) return {};
  std::map<ExprId, Extended> known;
  std::vector<Extended> args;
  for (ExprId id : order) {
    const Node& n = arena[id];
    if (n.op == Op::number) {
      known[id] = number(arena.value(id));
    } else if (NodeProgram::leaf_op(n.op)) {
      known[id] = leaf(id);
    } else {
      args.clear();
      for (ExprId o : arena.operands(id)) args.push_back(known[o]);
      known[id] = args.empty() ? Extended{} : apply(n.op, n.payload, args);
    }
  }
  return known[root];
}

bool Cases::each_case(const std::function<bool()>& body, int& count) {
  plan_.clear();
  for (count = 0; count < max_cases;) {
    next_ = 0;
    answers_.clear();
    impossible_ = false;
    bool more = body();
    if (!impossible_) {
      ++count;
      if (!more) return false;
    }
    while (!plan_.empty() && !plan_.back()) plan_.pop_back();
    if (plan_.empty()) return true;
    plan_.back() = false;
  }
  return false;
}

/// In a case where a linear form is neither above nor below zero it is zero: one variable is given by the others.
Form Cases::settled(Form form) {
  for (const Answer& a : answers_) {
    if (a.yes) continue;
    Form negated = Algebra::negate(a.above);
    bool zero =
        std::any_of(answers_.begin(), answers_.end(), [&](const Answer& o) { return !o.yes && o.above == negated; });
    auto sum = linear(algebra_, a.above);
    if (!zero || !sum || sum->first.empty()) continue;
    auto [atom, c] = *sum->first.begin();
    Form others = Algebra::add(a.above, Algebra::scale(algebra_.power_of(atom), -c));
    form = algebra_.replace(form, {{atom, Algebra::scale(others, -1 / c)}});
  }
  return form;
}

Cases::Outcome Cases::agree(const std::function<std::pair<Extended, Extended>()>& sides, std::uint64_t seed) {
  Outcome out;
  double log_bound = 0;
  bool tested = false, worst_known = false;
  auto body = [&] {
    auto [l, r] = sides();
    if (impossible_) return true;
    if (l.kind == Extended::Kind::undefined || r.kind == Extended::Kind::undefined) {
      out.why = "a side has no value in normal form";
      return false;
    }
    if (l == r) return true;
    if (!l.finite() || !r.finite()) {
      out.why = "one side is infinite";
      return false;
    }
    Form d = settled(algebra_.expand(Algebra::add(l.form, Algebra::negate(r.form))));
    if (d.empty()) return true;
    double k = 1;
    for (AtomId id : algebra_.below(d)) k += algebra_.atom(id).type == Atom::Type::leaf ? 0 : 1;
    for (const auto& [key, c] : d) k += key.exponent.empty() ? 0 : 1;
    double case_bound = 0;
    int done = 0;
    for (int t = 0, poles = 0; t < 60 && (done < 3 || case_bound > std::log(1e-12)); ++t) {
      Field field(mix(seed, static_cast<std::uint64_t>(out.trials) + static_cast<std::uint64_t>(t)));
      Random random(mix(seed, 31 + static_cast<std::uint64_t>(t)));
      FieldProgram program(algebra_, field, std::span(&d, 1));
      FieldProgram::Values values = program.blank();
      program.draw(0, values, random);
      program.run(0, values);
      FieldValue v = program.root(0, values);
      if (field.divided_by_zero) {
        if (++poles > 20) break;
        continue;
      }
      if (!v.zero()) {
        out.why = "the sides differ over the field, and no real values that tell them apart were found";
        return false;
      }
      ++done;
      case_bound += std::log(false_accept(100, k));
    }
    out.trials += done;
    tested = true;
    if (done == 0) {
      out.why = "every sample fell on a pole";
      return false;
    }
    if (!worst_known || case_bound > log_bound) log_bound = case_bound;
    worst_known = true;
    return true;
  };
  if (!each_case(body, out.cases)) {
    if (out.why.empty()) out.why = "more than " + std::to_string(max_cases) + " cases";
    return out;
  }
  out.kind = tested ? Outcome::Kind::probably : Outcome::Kind::proven;
  out.bound = tested ? std::min(1.0, out.cases * std::exp(log_bound)) : 0;
  return out;
}

Cases::Outcome Cases::every(const std::function<Extended()>& side, const std::function<bool(const Form&)>& holds) {
  Outcome out;
  auto body = [&] {
    Extended v = side();
    if (impossible_) return true;
    if (v.finite() && holds(v.form)) return true;
    out.why = v.finite() ? "not seen from the normal form of a case" : "it has no value in normal form";
    return false;
  };
  if (!each_case(body, out.cases)) {
    if (out.why.empty()) out.why = "more than " + std::to_string(max_cases) + " cases";
    return out;
  }
  out.kind = Outcome::Kind::proven;
  return out;
}

bool Cases::increasing(const Form& form, std::uint32_t symbol) {
  const AtomId x = algebra_.leaf(arena_.make(Op::symbol, Kind::real, {}, symbol));
  auto reads = [&](const Monomial& factors) {
    Form f;
    f.emplace(TermKey{factors, {}}, 1);
    std::vector<AtomId> all = algebra_.below(f);
    return std::binary_search(all.begin(), all.end(), x);
  };
  auto strictly = [&](const Form& f) {
    bool some = false;
    for (const auto& [key, c] : f) {
      bool exponent_reads = false, rising = true;
      for (const auto& [m, k] : key.exponent)
        if (reads(m)) {
          exponent_reads = true;
          rising =
              rising && k > 0 && m.size() == 1 && m[0].atom == x && m[0].den == 1 && m[0].num % 2 == 1 && m[0].num > 0;
        }
      if (!exponent_reads && !reads(key.factors)) continue;
      bool power = key.factors.size() == 1 && key.factors[0].atom == x && key.factors[0].den == 1 &&
                   key.factors[0].num > 0 && key.factors[0].num % 2 == 1;
      bool up = c > 0 && (exponent_reads ? rising && key.factors.empty() : power && key.exponent.empty());
      if (!up) return false;
      some = true;
    }
    return some;
  };
  return strictly(form) || strictly(algebra_.expand(algebra_.exp(form)));
}

} // namespace aicf
