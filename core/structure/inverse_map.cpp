#include "core/structure/inverse_map.hpp"

#include "core/structure/field.hpp"
#include "core/structure/node_program.hpp"
#include "core/structure/reducer_laws_cases.hpp"
#include "core/structure/verify.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

bool is_true(const Arena& arena, ExprId predicate) { return arena.is_number(predicate, 1); }

} // namespace

Combination product_of(Arena& arena) {
  const ExprId a = arena.make(Op::symbol, Kind::real, {}, 0), b = arena.make(Op::symbol, Kind::real, {}, 1);
  return {&arena, arena.make(Op::mul, Kind::real, {a, b}), 1};
}

std::optional<InvertibleForm> InvertibleForm::of(const Model& model, Algebra& algebra, ExprId element, const Form& f) {
  if (const std::optional<Split> s = split(algebra, f); s && s->x_parts.size() == 1 && s->d_parts.size() == 1) {
    Alternative product; // g(x)*h(d)
    product.x.emplace(s->x_parts[0], 1);
    product.factor.emplace(s->d_parts[0], 1);
    product.factor = algebra.multiply(product.factor, s->coefficient[0][0]);
    ExtremumForm scaled;
    scaled.of.push_back(std::move(product));
    return InvertibleForm(algebra, std::move(scaled));
  }
  ExtremumForm how = extremum_form(model, algebra, element, f, true);
  const bool one = how.of.size() == 1 || (how.of.size() == 2 && how.of[1].opposite); // a factor of unknown sign
  if (!one || !how.strict) return std::nullopt;
  how.of.resize(1);
  return InvertibleForm(algebra, std::move(how));
}

Form InvertibleForm::applied(const Monotone& step, const Form& v, const At& at) const {
  switch (step.op) {
  case Op::add: return Algebra::add(v, at(algebra_->of(step.other)));
  case Op::mul: return algebra_->multiply(v, at(algebra_->of(step.other)));
  case Op::pow: return algebra_->call(Op::pow, 0, {v, algebra_->of(step.other)});
  default: return algebra_->call(step.op, step.payload, {v});
  }
}

std::optional<Form> InvertibleForm::undone(const Monotone& step, const Form& y, const At& at) const {
  const Form one = Algebra::number(1);
  switch (step.op) {
  case Op::neg: return Algebra::negate(y);
  case Op::add: return Algebra::add(y, Algebra::negate(at(algebra_->of(step.other))));
  case Op::mul: return algebra_->multiply(y, algebra_->raise(at(algebra_->of(step.other)), -1));
  case Op::exp: return algebra_->log(y);
  case Op::exp2: return algebra_->call(Op::log2, 0, {y});
  case Op::expm1: return algebra_->log(Algebra::add(y, one));
  case Op::log: return algebra_->exp(y);
  case Op::log2: return algebra_->call(Op::exp2, 0, {y});
  case Op::log1p: return Algebra::add(algebra_->exp(y), Algebra::negate(one));
  case Op::sqrt: return algebra_->raise(y, 2);
  case Op::rsqrt: return algebra_->raise(y, -2);
  case Op::sigmoid:
    return Algebra::add(algebra_->log(y), Algebra::negate(algebra_->log(Algebra::add(one, Algebra::negate(y)))));
  default: return std::nullopt;
  }
}

std::optional<Form> InvertibleForm::moved(const Form& y, const At& before, const At& after) const {
  std::optional<Form> v = y;
  for (auto step = how_.outer.rbegin(); step != how_.outer.rend() && v; ++step) v = undone(*step, *v, before);
  if (!v) return std::nullopt;
  const Alternative& a = how_.of[0];
  v = Algebra::add(*v, Algebra::negate(before(a.offset)));
  v = Algebra::scale(algebra_->multiply(*v, algebra_->raise(before(a.factor), -1)), a.sign);
  if (a.exponential) v = algebra_->log(*v);
  v = Algebra::add(*v, Algebra::add(after(a.d), Algebra::negate(before(a.d))));
  if (a.exponential) v = algebra_->exp(*v);
  v = Algebra::scale(algebra_->multiply(*v, after(a.factor)), a.sign);
  v = Algebra::add(*v, after(a.offset));
  for (const Monotone& step : how_.outer) v = applied(step, *v, after);
  return v;
}

namespace {

/// phi and the combination in doubles, at values of all leaves.
class Numbers {
 public:
  Numbers(const Arena& arena, ExprId phi, ExprId y, const Combination& combine)
      : arena_(arena), y_(y), phi_(phi), combine_(combine), moves_(arena, {phi}),
        joins_(*combine.arena, {combine.root}) {
    moves_.literals<DoubleMath>(math_, at_, [](double v) { return v; });
    joins_.literals<DoubleMath>(math_, operands_, [](double v) { return v; });
  }
  void draw(Random& random) {
    for (ExprId leaf : moves_.leaves())
      if (leaf != y_ && arena_[leaf].op != Op::number) at_[moves_.place(leaf)] = 0.25 + 2 * random.uniform();
  }
  double moved(double y) {
    if (moves_.contains(y_)) at_[moves_.place(y_)] = y;
    moves_.run(math_, at_);
    return at_[moves_.place(phi_)];
  }
  double joined(double a, double b) {
    for (ExprId leaf : joins_.leaves())
      if ((*combine_.arena)[leaf].op == Op::symbol)
        operands_[joins_.place(leaf)] = (*combine_.arena)[leaf].payload == 0 ? a : b;
    joins_.run(math_, operands_);
    return operands_[joins_.place(combine_.root)];
  }

 private:
  const Arena& arena_;
  ExprId y_, phi_;
  const Combination& combine_;
  NodeProgram moves_, joins_;
  DoubleMath math_;
  std::vector<double> at_, operands_;
};

std::string text(double v) { return nlohmann::json(v).dump(); }

} // namespace

Distributes distributes(const Arena& arena, ExprId phi, ExprId y, const Combination& combine, std::uint64_t seed) {
  Distributes out;
  Numbers numbers(arena, phi, y, combine);
  Random random(mix(seed, 51));
  for (int k = 0; k < 40; ++k) {
    numbers.draw(random);
    const double a = 0.25 + random.uniform(), b = 0.5 + 2 * random.uniform();
    const double whole = numbers.moved(numbers.joined(a, b)),
                 parts = numbers.joined(numbers.moved(a), numbers.moved(b));
    if (!std::isfinite(whole) || !std::isfinite(parts) ||
        std::fabs(whole - parts) <= 1e-9 * (1 + std::fabs(whole) + std::fabs(parts)))
      continue;
    out.against = "at a = " + text(a) + ", b = " + text(b) + " it makes " + text(whole) +
                  " of what they combine to, and " + text(parts) + " is what it makes of each, combined";
    return out;
  }
  Cases engine;
  std::map<ExprId, Extended> variables;
  auto moved = [&](const Extended& of) {
    return engine.evaluate(arena, phi, [&](ExprId leaf) {
      if (leaf == y) return of;
      auto [at, fresh] = variables.try_emplace(leaf);
      if (fresh) at->second = engine.variable(100 + static_cast<std::uint32_t>(variables.size()));
      return at->second;
    });
  };
  auto joined = [&](const Extended& a, const Extended& b) {
    return engine.evaluate(*combine.arena, combine.root, a, b);
  };
  const Extended a = engine.variable(0), b = engine.variable(1);
  const Cases::Outcome o =
      engine.agree([&] { return std::pair(moved(joined(a, b)), joined(moved(a), moved(b))); }, mix(seed, 52));
  out.holds = o.kind != Cases::Outcome::Kind::unknown;
  out.bound = o.bound;
  if (!out.holds) out.against = "not known: " + o.why;
  return out;
}

namespace {

/// The reducer's combination in the arena of the canonical form.
ExprId imported(Arena& to, const Combination& combine, ExprId a, ExprId b) {
  const Arena& from = *combine.arena;
  std::map<ExprId, ExprId> now;
  for (ExprId id : reachable(from, std::span(&combine.root, 1))) {
    const Node n = from[id];
    if (n.op == Op::symbol) {
      now[id] = n.payload == 0 ? a : b;
    } else if (n.op == Op::number) {
      now[id] = to.number(from.value(id), n.kind);
    } else {
      std::vector<ExprId> args;
      for (ExprId o : from.operands(id)) args.push_back(now.at(o));
      now[id] = to.make(n.op, n.kind, n.payload, args);
    }
  }
  return now.at(combine.root);
}

/// Whether an element whose `extreme` is an infinity has the value `e` at any d: it weighs nothing, and where no
/// element is finite a part is as good as empty.
bool weighs_nothing(const Arena& arena, ExprId element, ExprId extreme, double infinity, double e) {
  const NodeProgram program(arena, {element}, [extreme](ExprId id) { return id == extreme; });
  if (!program.contains(extreme)) return false;
  DoubleMath math;
  Random random(29);
  std::vector<double> values;
  program.literals<DoubleMath>(math, values, [](double v) { return v; });
  for (int k = 0; k < 3; ++k) {
    for (ExprId leaf : program.leaves())
      if (arena[leaf].op != Op::number) values[program.place(leaf)] = 0.25 + 2 * random.uniform();
    values[program.place(extreme)] = infinity;
    program.run(math, values);
    if (values[program.place(element)] != e) return false;
  }
  return true;
}

} // namespace

/// A form over slots of a state, as one operand of a merge has them.
Form SummaryBuilder::seen_from(const Form& form, Side side) {
  if (side == Side::self) return form;
  std::map<AtomId, Form> with;
  for (std::size_t k = 0; k < slots_.size(); ++k)
    with[algebra_.leaf(symbol(k, Side::self))] = algebra_.power_of(algebra_.leaf(symbol(k, side)));
  return algebra_.replace(form, with);
}

/// Keeps the reduction's own value at the running d. Why it cannot be, else empty.
std::string SummaryBuilder::by_inverse(std::size_t index, const Form& f, const Combination& combine, Derivation& out) {
  const Item& item = model_.items[index];
  const std::optional<InvertibleForm> how = InvertibleForm::of(model_, algebra_, item.element, f);
  if (!how) return "its element is no invertible function of one value of x";
  const std::vector<ExprId> extent = extent_dims(model_, item);
  const std::vector<AtomId> atoms = algebra_.below(f);
  const bool whole = is_true(arena_, item.mask) && std::ranges::any_of(extent, [&](ExprId dim) {
                       return std::binary_search(atoms.begin(), atoms.end(), algebra_.leaf(dim));
                     });
  const Form running = replace_dependencies(f, whole); // counts join the state first
  const std::size_t self = slots_.size();
  std::map<Side, ExprId> moved;
  for (Side side : {Side::left, Side::right}) {
    const Form y = algebra_.power_of(algebra_.leaf(symbol(self, side)));
    const auto at = [&](Side of) {
      return [this, of, whole](const Form& form) { return seen_from(replace_dependencies(form, whole), of); };
    };
    const std::optional<Form> phi = how->moved(y, at(side), at(Side::self));
    if (!phi) return "its element has no inverse in closed form";
    moved[side] = algebra_.express(*phi);
  }
  const Distributes d = distributes(arena_, moved.at(Side::left), symbol(self, Side::left), combine, 71);
  if (!d.holds) {
    out.steps.push_back(
        {"inverse-map", "an element's value at d", "its value at a new d: does not distribute, " + d.against});
    return "what a new d makes of an element does not distribute over the reducer: " + d.against;
  }
  out.bound = std::max(out.bound, d.bound);
  out.steps.push_back({"inverse-map", "an element's value at d", "its value at a new d distributes over the reducer"});
  const ExprId e = build_.num(combine.identity);
  auto is_identity = [&](ExprId v) { return build_.call(Op::eq, {v, e}); };
  auto joined = [&](ExprId a, ExprId b) { // the identity is a formal element
    return build_.where(is_identity(a), b, build_.where(is_identity(b), a, imported(arena_, combine, a, b)));
  };
  std::vector<std::size_t> extremes; // slots whose identity says that no element of the part weighs anything
  for (std::size_t i : item.dependencies) {
    const Item& d_item = model_.items[i];
    if (!d_item.is(Builtin::max) && !d_item.is(Builtin::min)) continue;
    for (std::size_t k = 0; k < slots_.size(); ++k)
      if (final_.at(i) == slot_form(k) &&
          weighs_nothing(arena_, item.element, d_item.element, arena_.value(slots_[k].identity), combine.identity))
        extremes.push_back(k);
  }
  auto carried = [&](Side side) {
    const ExprId own = symbol(self, side);
    ExprId same = no_expr;
    for (ExprId id : reachable(arena_, std::span(&moved.at(side), 1))) {
      const Node n = arena_[id];
      if (n.op != Op::symbol || n.payload >= left_symbol(0)) continue; // a slot of the merged state
      const ExprId equal = build_.call(Op::eq, {symbol(n.payload, side), id});
      same = same == no_expr ? equal : build_.call(Op::and_, {same, equal});
    }
    ExprId value = moved.at(side);
    for (std::size_t k : extremes)
      value = build_.where(build_.call(Op::eq, {symbol(k, side), slots_[k].identity}), e, value);
    if (same != no_expr) value = build_.where(same, own, value);
    return build_.where(is_identity(own), own, value);
  };
  const ExprId left = symbol(self, Side::left), right = symbol(self, Side::right);
  const ExprId plain = imported(arena_, combine, moved.at(Side::left), moved.at(Side::right));
  const ExprId merge = joined(carried(Side::left), carried(Side::right));
  const bool user = item.reducer >= first_user_reducer;
  const std::size_t slot = place({item.name, item.reducer, masked(item.mask, express(running, Side::self), e), e, merge,
                                  user ? joined(left, right) : no_expr},
                                 plain, {item.reducer, item.mask, algebra_.expand(running)});
  final_[index] = slot_form(slot);
  final_expr_[index] = symbol(slot, Side::self);
  out.possible = true;
  return {};
}

void SummaryBuilder::add_user(std::size_t index, const Form& f, Derivation& out) {
  const Item& item = model_.items[index];
  const ReducerLaws* laws = laws_ ? laws_(item.reducer) : nullptr;
  if (laws == nullptr || !laws->splits()) {
    out.why = "a user reducer that is a left fold only";
    return;
  }
  for (Law law : {Law::associative, Law::identity})
    if (laws->of(law).verdict == Certificate::Verdict::probably) out.bound = std::max(out.bound, laws->of(law).bound);
  const Definition& d = *model_.canonical->source;
  const Combination combine{&d.arena, d.reducers.at(item.reducer - first_user_reducer).combine,
                            NumericReducer(d, item.reducer).identity()};
  if (!item.dependencies.empty()) {
    out.why = by_inverse(index, f, combine, out);
    return;
  }
  const std::size_t self = slots_.size();
  const ExprId e = build_.num(combine.identity), a = symbol(self, Side::left), b = symbol(self, Side::right);
  const ExprId plain = imported(arena_, combine, a, b);
  const ExprId merge =
      build_.where(build_.call(Op::eq, {a, e}), b, build_.where(build_.call(Op::eq, {b, e}), a, plain));
  out.steps.push_back({"associative", "a reducer with an identity", "parts combine as elements do"});
  const std::size_t slot = place({item.name, item.reducer, masked(item.mask, item.element, e), e, merge, merge}, plain,
                                 {item.reducer, item.mask, algebra_.expand(f)});
  final_[index] = slot_form(slot);
  final_expr_[index] = symbol(slot, Side::self);
  out.possible = true;
}

} // namespace aicf
