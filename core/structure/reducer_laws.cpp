#include "core/structure/reducer_laws.hpp"

#include "core/structure/field.hpp"
#include "core/structure/interval.hpp"
#include "core/structure/node_program.hpp"
#include "core/structure/reducer_laws_cases.hpp"
#include "core/structure/verify.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

namespace aicf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t max_sampled = 20000; ///< nodes of a combine that is evaluated in exact arithmetic

struct Combine {
  std::string name;
  Arena arena; ///< of the built-in ones
  const Arena* at = nullptr;
  ExprId root = no_expr;
  double identity = 0;
};

/// What a built-in real reducer does with two values.
Combine built_in(Builtin reducer) {
  Combine c;
  c.name = name_of(reducer);
  ExprId a = c.arena.make(Op::symbol, Kind::real, {}, 0), b = c.arena.make(Op::symbol, Kind::real, {}, 1);
  Op op = reducer == Builtin::sum    ? Op::add
          : reducer == Builtin::prod ? Op::mul
          : reducer == Builtin::max  ? Op::max
                                     : Op::min;
  c.root = c.arena.make(op, Kind::real, {a, b});
  c.identity = reducer == Builtin::sum    ? 0
               : reducer == Builtin::prod ? 1
               : reducer == Builtin::max  ? -infinity
                                          : infinity;
  return c;
}

/// Both sides of a law as words and as how they are put together from a, b, c.
struct Side {
  const char* text;
  enum Shape { a, b, ab, ba, ab_c, a_bc, ea, ae, aa, ac, bc } shape;
};
struct Sides {
  Side left, right;
  int variables;
};

std::vector<Sides> sides_of(Law law) {
  switch (law) {
  case Law::associative: return {{{"(a + b) + c", Side::ab_c}, {"a + (b + c)", Side::a_bc}, 3}};
  case Law::commutative: return {{{"a + b", Side::ab}, {"b + a", Side::ba}, 2}};
  case Law::identity: return {{{"a", Side::a}, {"e + a", Side::ea}, 1}, {{"a", Side::a}, {"a + e", Side::ae}, 1}};
  case Law::idempotent: return {{{"a", Side::a}, {"a + a", Side::aa}, 1}};
  case Law::selective: return {{{"a", Side::a}, {"a + b", Side::ab}, 2}, {{"b", Side::b}, {"a + b", Side::ab}, 2}};
  default: return {{{"a + c", Side::ac}, {"b + c", Side::bc}, 3}};
  }
}

template <class Value, class Combination>
Value put(Side::Shape shape, const std::array<Value, 3>& v, const Value& e, Combination combine) {
  switch (shape) {
  case Side::a: return v[0];
  case Side::b: return v[1];
  case Side::ab: return combine(v[0], v[1]);
  case Side::ba: return combine(v[1], v[0]);
  case Side::ab_c: return combine(combine(v[0], v[1]), v[2]);
  case Side::a_bc: return combine(v[0], combine(v[1], v[2]));
  case Side::ea: return combine(e, v[0]);
  case Side::ae: return combine(v[0], e);
  case Side::aa: return combine(v[0], v[0]);
  case Side::ac: return combine(v[0], v[2]);
  default: return combine(v[1], v[2]);
  }
}

/// The combine in one arithmetic.
template <class Math> class Evaluator {
 public:
  Evaluator(const Combine& c, Math math) : c_(c), program_(*c.at, {c.root}), math_(std::move(math)) {
    program_.literals<Math>(math_, base_, [this](double) {
      infinite_ = true; // an infinity inside a combine is outside exact arithmetic
      return math_.number(0);
    });
  }
  typename Math::Value operator()(const typename Math::Value& a, const typename Math::Value& b) {
    if (infinite_) math_.failed = true;
    std::vector<typename Math::Value> values = base_;
    for (ExprId leaf : program_.leaves())
      if ((*c_.at)[leaf].op == Op::symbol) values[program_.place(leaf)] = (*c_.at)[leaf].payload == 0 ? a : b;
    program_.run(math_, values);
    return values[program_.place(c_.root)];
  }
  Math& math() { return math_; }
  [[nodiscard]] std::size_t size() const { return program_.size(); }

 private:
  const Combine& c_;
  NodeProgram program_;
  Math math_;
  bool infinite_ = false;
  std::vector<typename Math::Value> base_;
};

std::string text(const mpq_class& v) { return v.get_str(); }
std::string text(const Interval& v) {
  double lo = mpfr_get_d(v.lo(), MPFR_RNDN), hi = mpfr_get_d(v.hi(), MPFR_RNDN);
  return lo == hi ? nlohmann::json(lo).dump() : v.text(); // as close as a double can say
}

bool apart(RationalMath&, const mpq_class& a, const mpq_class& b) { return a != b; }
bool apart(IntervalMath& m, const Interval& a, const Interval& b) { return m.sub(a, b).excludes_zero(); }

class Judge {
 public:
  Judge(const Combine& c, std::uint64_t seed) : c_(c), seed_(seed) {}

  Certificate run(Law law) {
    Certificate out;
    out.id = "law:" + c_.name + ":" + std::string(name_of(law));
    out.seed = mix(seed_, static_cast<std::uint64_t>(law));
    out.claim = c_.name + " is " + (law == Law::identity ? "unchanged by its identity" : std::string(name_of(law)));
    if (law == Law::cancellative) return cancellative(std::move(out));
    if (law == Law::selective) return selective(std::move(out));
    for (const Sides& s : sides_of(law)) {
      std::string l = s.left.text, r = s.right.text;
      out.steps.push_back({"law", l, r});
      if (law != Law::identity || std::isfinite(c_.identity))
        if (auto found = witness(s, false)) return refuted(std::move(out), std::move(*found), s);
    }
    out.verdict = Certificate::Verdict::proven;
    out.bound = 0;
    out.method = "one normal form";
    int cases = 0;
    for (const Sides& s : sides_of(law)) {
      Cases engine;
      const std::array<Extended, 3> v{engine.variable(0), engine.variable(1), engine.variable(2)};
      const Extended e = Cases::number(c_.identity);
      auto combine = [&](const Extended& a, const Extended& b) { return engine.evaluate(*c_.at, c_.root, a, b); };
      Cases::Outcome o = engine.agree(
          [&] { return std::pair(put(s.left.shape, v, e, combine), put(s.right.shape, v, e, combine)); }, out.seed);
      cases = std::max(cases, o.cases);
      out.trials += o.trials;
      if (o.kind == Cases::Outcome::Kind::probably) {
        out.verdict = Certificate::Verdict::probably;
        out.bound = std::max(out.bound, o.bound);
        out.method = "identity over the field";
      }
      if (o.kind != Cases::Outcome::Kind::unknown) continue;
      if (law == Law::identity && !std::isfinite(c_.identity))
        if (auto found = moved(s)) return refuted(std::move(out), std::move(*found), s);
      out.verdict = Certificate::Verdict::unknown;
      out.bound = 1;
      out.method = o.why;
      return out;
    }
    out.method += " in " + std::to_string(cases) + (cases == 1 ? " case" : " cases");
    return out;
  }

 private:
  Certificate refuted(Certificate out, Witness w, const Sides& s) const {
    out.verdict = Certificate::Verdict::refuted;
    out.bound = 0;
    out.claim = c_.name + " is not " + out.claim.substr(c_.name.size() + 4);
    out.method = "exact values that tell " + std::string(s.left.text) + " from " + s.right.text;
    out.witness = std::move(w);
    return out;
  }

  /// Values tried: small dyadic numbers first, in every combination, then random ones.
  template <class Visit> void each_point(int variables, Visit visit) const {
    constexpr std::array<double, 11> small{1, 0, -1, 2, -2, 0.5, -0.5, 3, -3, 0.25, 5};
    const std::size_t n = variables == 3 ? 7 : small.size();
    std::array<double, 3> v{};
    for (std::size_t k = 0, all = static_cast<std::size_t>(std::pow(n, variables)); k < all; ++k) {
      std::size_t rest = k;
      for (int i = 0; i < variables; ++i) v[static_cast<std::size_t>(i)] = small[rest % n], rest /= n;
      if (!visit(v)) return;
    }
    Random random(mix(seed_, 101));
    for (int k = 0; k < 100; ++k) {
      for (double& x : v) x = (static_cast<double>(random.below(2048)) - 1024) / 64;
      if (!visit(v)) return;
    }
  }

  static Witness describe(const Sides& s, const std::array<double, 3>& v, const std::string& l, const std::string& r) {
    Witness w;
    for (int i = 0; i < s.variables; ++i)
      w.inputs[std::string(1, static_cast<char>('a' + i))] = {v[static_cast<std::size_t>(i)]};
    w.expected = std::string(s.left.text) + " = " + l;
    w.observed = std::string(s.right.text) + " = " + r;
    return w;
  }

  template <class Math> std::optional<Witness> search(const Sides& s, bool equal, Evaluator<Math>& evaluate) const {
    std::optional<Witness> found;
    Math& math = evaluate.math();
    std::size_t work = 0;
    each_point(s.variables, [&](const std::array<double, 3>& x) {
      math.failed = false;
      std::array<typename Math::Value, 3> v{math.number(mpq_class(x[0])), math.number(mpq_class(x[1])),
                                            math.number(mpq_class(x[2]))};
      auto e = math.number(mpq_class(std::isfinite(c_.identity) ? c_.identity : 0));
      using Number = typename Math::Value;
      auto combine = [&evaluate](const Number& a, const Number& b) { return evaluate(a, b); };
      auto l = put(s.left.shape, v, e, combine), r = put(s.right.shape, v, e, combine);
      const bool hit = equal ? x[0] != x[1] && !math.failed && math.compare(l, r) == 0 && !math.failed
                             : !math.failed && apart(math, l, r);
      if (hit) found = describe(s, x, text(l), text(r));
      work += evaluate.size() * 4;
      return !found && work < (std::is_same_v<Math, RationalMath> ? 2000000U : 100000U);
    });
    return found;
  }

  /// Values on which the two sides differ, or (`equal`) on which they agree although a and b differ.
  std::optional<Witness> witness(const Sides& s, bool equal) {
    Evaluator<RationalMath> exact(c_, {});
    if (exact.size() > max_sampled) return std::nullopt;
    if (auto found = search(s, equal, exact)) return found;
    if (equal) return std::nullopt;
    Evaluator<IntervalMath> intervals(c_, IntervalMath{.precision = 192});
    return search(s, equal, intervals);
  }

  /// An infinite identity, formally: values that it moves. Where the combine gives NaN, nothing is said.
  std::optional<Witness> moved(const Sides& s) const {
    NodeProgram program(*c_.at, {c_.root});
    std::vector<double> values;
    DoubleMath math;
    program.literals<DoubleMath>(math, values, [](double v) { return v; });
    auto combine = [&](double a, double b) {
      for (ExprId leaf : program.leaves())
        if ((*c_.at)[leaf].op == Op::symbol) values[program.place(leaf)] = (*c_.at)[leaf].payload == 0 ? a : b;
      program.run(math, values);
      return values[program.place(c_.root)];
    };
    std::optional<Witness> found;
    each_point(1, [&](const std::array<double, 3>& x) {
      double l = put(s.left.shape, x, c_.identity, combine), r = put(s.right.shape, x, c_.identity, combine);
      if (!std::isnan(r) && std::fabs(l - r) > 1e-3 * (1 + std::fabs(l)))
        found = describe(s, x, nlohmann::json(l).dump(),
                         std::isinf(r) ? (r > 0 ? "inf" : "-inf") : nlohmann::json(r).dump());
      return !found;
    });
    return found;
  }

  Certificate cancellative(Certificate out) {
    const Sides s = sides_of(Law::cancellative).front();
    out.steps.push_back({"law", "a + c = b + c", "a = b"});
    if (auto found = witness(s, true)) {
      found->expected = "different values, as a and b differ: " + found->expected;
      return refuted(std::move(out), std::move(*found), s);
    }
    Cases engine;
    const Extended a = engine.variable(0), b = engine.variable(1);
    Cases::Outcome o = engine.every([&] { return engine.evaluate(*c_.at, c_.root, a, b); },
                                    [&](const Form& f) { return engine.increasing(f, 0); });
    if (o.kind == Cases::Outcome::Kind::proven) {
      out.verdict = Certificate::Verdict::proven;
      out.bound = 0;
      out.method =
          "a + c strictly increases with a, in " + std::to_string(o.cases) + (o.cases == 1 ? " case" : " cases");
    } else {
      out.method = o.why;
    }
    return out;
  }

  Certificate selective(Certificate out) {
    const Sides s = sides_of(Law::selective).front();
    out.steps.push_back({"law", "a + b", "a or b"});
    Cases engine;
    const Extended a = engine.variable(0), b = engine.variable(1);
    Cases::Outcome o = engine.every([&] { return engine.evaluate(*c_.at, c_.root, a, b); },
                                    [&](const Form& f) { return f == a.form || f == b.form; });
    if (o.kind == Cases::Outcome::Kind::proven) {
      out.verdict = Certificate::Verdict::proven;
      out.bound = 0;
      out.method = "a + b is an operand in each of " + std::to_string(o.cases) + " cases";
      return out;
    }
    if (auto found = computed()) return refuted(std::move(out), std::move(*found), s);
    out.method = o.why;
    return out;
  }

  /// Values of which the combine is neither.
  std::optional<Witness> computed() {
    Evaluator<IntervalMath> evaluate(c_, IntervalMath{.precision = 192});
    if (evaluate.size() > max_sampled) return std::nullopt;
    IntervalMath& math = evaluate.math();
    std::optional<Witness> found;
    std::size_t work = 0;
    each_point(2, [&](const std::array<double, 3>& x) {
      math.failed = false;
      Interval a = math.number(mpq_class(x[0])), b = math.number(mpq_class(x[1])), r = evaluate(a, b);
      if (!math.failed && apart(math, r, a) && apart(math, r, b)) {
        Witness w;
        w.inputs = {{"a", {x[0]}}, {"b", {x[1]}}};
        w.expected = "a or b";
        w.observed = "a + b = " + text(r);
        found = std::move(w);
      }
      work += evaluate.size();
      return !found && work < 150000;
    });
    return found;
  }

  const Combine& c_;
  std::uint64_t seed_;
};

/// Reducers over finitely many kinds of operand: truth values, or (value, position) pairs of which only order counts.
/// Three operands have few orders, and all are tried.
class Exhaustive {
 public:
  explicit Exhaustive(Builtin reducer) : reducer_(reducer), name_(aicf::name_of(reducer)) {
    if (reducer == Builtin::any || reducer == Builtin::all) {
      elements_ = {{0, 0}, {1, 0}};
      identity_ = Element{reducer == Builtin::all ? 1.0 : 0.0, 0};
    } else {
      for (int position = 0; position < 3; ++position)
        for (double v : {0.0, 1.0, 2.0}) elements_.push_back({v, position});
    }
  }

  Certificate run(Law law) const {
    Certificate out;
    out.id = "law:" + name_ + ":" + std::string(aicf::name_of(law));
    out.claim = name_ + " is " + (law == Law::identity ? "unchanged by its identity" : std::string(aicf::name_of(law)));
    out.bound = 0;
    out.verdict = Certificate::Verdict::proven;
    out.method = "every order of three operands";
    auto combine = [this](const Element& a, const Element& b) { return join(a, b); };
    for (const Sides& s : sides_of(law))
      for (const Element& a : elements_)
        for (const Element& b : elements_)
          for (const Element& c : elements_) {
            // positions are places in a sequence: different elements never share one
            if (!identity_ && ((a.position == b.position && !(a == b)) || (b.position == c.position && !(b == c)) ||
                               (a.position == c.position && !(a == c))))
              continue;
            const std::array v{a, b, c};
            const Element e = identity_.value_or(Element{nothing, 0});
            Element l = put(s.left.shape, v, e, combine), r = put(s.right.shape, v, e, combine);
            ++out.trials;
            bool fails = law == Law::cancellative ? l == r && !(a == b)
                         : law == Law::selective  ? !(r == a) && !(r == b)
                                                  : !(l == r);
            if (!fails) continue;
            out.verdict = Certificate::Verdict::refuted;
            out.claim = name_ + " is not " + out.claim.substr(name_.size() + 4);
            Witness w;
            for (int i = 0; i < s.variables; ++i) {
              auto& list = w.inputs[std::string(1, static_cast<char>('a' + i))];
              list.push_back(v[static_cast<std::size_t>(i)].value);
              if (!identity_) list.push_back(v[static_cast<std::size_t>(i)].position);
            }
            w.expected = std::string(s.left.text) + " = " + show(l);
            w.observed = std::string(s.right.text) + " = " + show(r);
            out.witness = std::move(w);
            return out;
          }
    return out;
  }

 private:
  struct Element {
    double value = 0;
    int position = 0;
    bool operator==(const Element&) const = default;
  };
  static constexpr double nothing = -7; ///< the formal identity of argmax and argmin: no element at all

  [[nodiscard]] Element join(const Element& a, const Element& b) const {
    if (reducer_ == Builtin::any || reducer_ == Builtin::all)
      return {fold(static_cast<ReducerId>(reducer_), a.value, b.value), 0};
    if (a.value == nothing) return b;
    if (b.value == nothing) return a;
    if (a.value != b.value) return (a.value > b.value) == (reducer_ == Builtin::argmax) ? a : b;
    return a.position <= b.position ? a : b; // a tie takes the lowest position
  }
  [[nodiscard]] std::string show(const Element& e) const {
    std::string v = std::to_string(static_cast<int>(e.value));
    return identity_ ? v : "(" + v + " at " + std::to_string(e.position) + ")";
  }

  Builtin reducer_;
  std::string name_;
  std::vector<Element> elements_;
  std::optional<Element> identity_;
};

std::string words(double v) {
  return std::isnan(v) ? "nan" : std::isinf(v) ? (v > 0 ? "inf" : "-inf") : nlohmann::json(v).dump();
}

/// e + e as a kernel computes it.
void judge_empties(const Combine& c, ReducerLaws& out) {
  NodeProgram program(*c.at, {c.root});
  std::vector<double> values;
  DoubleMath math;
  program.literals<DoubleMath>(math, values, [](double v) { return v; });
  for (ExprId leaf : program.leaves())
    if ((*c.at)[leaf].op == Op::symbol) values[program.place(leaf)] = c.identity;
  program.run(math, values);
  double v = values[program.place(c.root)];
  out.empties_merge = v == c.identity || (std::isnan(v) && std::isnan(c.identity));
  out.empties = words(c.identity) + " + " + words(c.identity) + " = " + words(v);
}

} // namespace

std::string_view name_of(Law law) {
  constexpr std::array<std::string_view, 6> names{"associative", "commutative",  "identity",
                                                  "idempotent",  "cancellative", "selective"};
  return names[static_cast<std::size_t>(law)];
}

bool ReducerLaws::holds(Law law) const {
  Certificate::Verdict v = of(law).verdict;
  return v == Certificate::Verdict::proven || v == Certificate::Verdict::probably;
}

ReducerLaws judge_laws(const Definition& definition, ReducerId reducer, std::uint64_t seed) {
  constexpr std::array all{Law::associative, Law::commutative,  Law::identity,
                           Law::idempotent,  Law::cancellative, Law::selective};
  ReducerLaws out;
  out.reducer = reducer_name(definition, reducer);
  if (reducer < first_user_reducer && reducer >= static_cast<ReducerId>(Builtin::argmax)) {
    Exhaustive judge(static_cast<Builtin>(reducer));
    for (Law law : all) out.laws.push_back(judge.run(law));
    out.empties = "nothing joined with nothing is nothing";
    return out;
  }
  Combine c;
  if (reducer < first_user_reducer) {
    c = built_in(static_cast<Builtin>(reducer));
    c.at = &c.arena;
  } else {
    const UserReducer& user = definition.reducers.at(reducer - first_user_reducer);
    c.name = user.name;
    c.at = &definition.arena;
    c.root = user.combine;
    NodeProgram program(definition.arena, {user.identity});
    std::vector<double> values;
    DoubleMath math;
    program.literals<DoubleMath>(math, values, [](double v) { return v; });
    program.run(math, values);
    c.identity = values[program.place(user.identity)];
  }
  Judge judge(c, mix(seed, 41));
  for (Law law : all) out.laws.push_back(judge.run(law));
  judge_empties(c, out);
  return out;
}

const ReducerLaws& built_in_laws(ReducerId reducer) {
  static std::mutex guard;
  static std::map<ReducerId, ReducerLaws> known;
  std::scoped_lock lock(guard);
  auto it = known.find(reducer);
  if (it == known.end()) it = known.emplace(reducer, judge_laws({}, reducer)).first;
  return it->second;
}

nlohmann::json to_json(const ReducerLaws& laws) {
  nlohmann::json list = nlohmann::json::object();
  for (std::size_t k = 0; k < laws.laws.size(); ++k)
    list[std::string(name_of(static_cast<Law>(k)))] = {{"verdict", name_of(laws.laws[k].verdict)},
                                                       {"certificate", laws.laws[k].id}};
  return {{"reducer", laws.reducer},     {"splits", laws.splits()},
          {"reorders", laws.reorders()}, {"empties_merge", laws.empties_merge},
          {"empties", laws.empties},     {"laws", std::move(list)}};
}

} // namespace aicf
