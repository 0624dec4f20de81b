#include "core/structure/sum_algebra.hpp"

#include "core/expr/normal.hpp"
#include "core/structure/field_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace aicf {
namespace {

constexpr std::size_t max_weight = 2000; ///< nodes of an expression and of what it reads
constexpr std::size_t max_terms = 200;   ///< of a form that is looked into
constexpr std::size_t max_work = 6000;   ///< products of terms for one expression: some milliseconds
constexpr std::size_t max_total_work = 100000;
constexpr VarId closed_base = 1U << 24U; ///< variables of sums, by level
constexpr VarId temporary_from = 1U << 25U;
constexpr std::uint32_t free_symbols = 1U << 20U; ///< symbols that stand for atoms

bool is_sum(const Reduce& r) { return r.reducer == static_cast<ReducerId>(Builtin::sum); }

Form single(TermKey key) {
  Form f;
  f.emplace(std::move(key), 1);
  return f;
}

} // namespace

SumAlgebra::SumAlgebra(Definition& definition, Box box)
    : d_(&definition), box_(std::move(box)),
      algebra_(definition.arena,
               [this](ExprId id) -> std::optional<unsigned> {
                 Op op = d_->arena[id].op;
                 bool leaf =
                     op == Op::index || op == Op::dim || op == Op::scalar || op == Op::symbol || op == Op::reduce;
                 return leaf ? std::optional(0U) : std::nullopt;
               }),
      next_temporary_(temporary_from) {}

std::size_t SumAlgebra::weigh(ExprId root) {
  std::size_t weight = 0;
  for (ExprId id : nodes_below(d_->arena, std::array{root})) {
    ++weight;
    Op op = d_->arena[id].op;
    if (!is_load(op)) continue;
    if (auto body = bodies_.find(d_->arena[id].payload); body != bodies_.end()) weight += body->second.weight;
  }
  return std::min(weight, max_weight + 1);
}

void SumAlgebra::define(TensorId tensor, const std::vector<VarId>& vars, ExprId body) {
  Body& b = bodies_[tensor];
  b.vars = vars;
  b.weight = weigh(body);
  if (b.weight > max_weight) return;
  auto form = resolve(body);
  b.known = form && form->size() <= max_terms;
  if (b.known) b.form = std::move(*form);
}

std::optional<Form> SumAlgebra::of(ExprId root) {
  if (weigh(root) > max_weight) return std::nullopt;
  return resolve(root);
}

std::optional<Form> SumAlgebra::resolve(ExprId root) {
  work_ = 0;
  for (ExprId id : nodes_below(d_->arena, std::array{root})) { // inner reductions first
    if (d_->arena[id].op != Op::reduce || reductions_.contains(id)) continue;
    Form sum = reduction(id);
    if (exhausted()) return std::nullopt;
    reductions_[id] = std::move(sum);
  }
  Form form = rebuild(Form(algebra_.of(root)), {});
  return exhausted() ? std::nullopt : std::optional(std::move(form));
}

/// Products beyond the budget are left out: what they belong to is given up.
Form SumAlgebra::times(const Form& a, const Form& b) {
  work_ += 1 + a.size() * b.size();
  total_work_ += 1 + a.size() * b.size();
  return exhausted() ? Form{} : algebra_.multiply(a, b);
}

bool SumAlgebra::exhausted() const { return work_ > max_work || total_work_ > max_total_work; }

Form SumAlgebra::index(VarId var) {
  return algebra_.power_of(algebra_.leaf(d_->arena.make(Op::index, Kind::integer, {}, var)));
}

std::optional<Form> SumAlgebra::rename(const Form& form, const std::map<VarId, VarId>& names) {
  work_ = 0;
  Form renamed = renamed_within(form, names);
  return exhausted() ? std::nullopt : std::optional(std::move(renamed));
}

Form SumAlgebra::renamed_within(const Form& form, const std::map<VarId, VarId>& names) {
  std::map<AtomId, Form> with;
  for (const auto& [from, to] : names)
    if (from != to) with[algebra_.leaf(d_->arena.make(Op::index, Kind::integer, {}, from))] = index(to);
  return rebuild(form, with);
}

Form SumAlgebra::rebuild(const Form& form, const std::map<AtomId, Form>& with) {
  std::map<AtomId, Form> made;
  auto product = [&](const Monomial& m, Form term) {
    for (const Power& p : m) term = times(term, algebra_.raise(made.at(p.atom), p.num, p.den));
    return term;
  };
  auto assemble = [&](const Form& f) {
    Form sum;
    for (const auto& [key, c] : f) {
      Form term = product(key.factors, Algebra::number(c));
      if (!key.exponent.empty()) {
        Form exponent;
        for (const auto& [m, k] : key.exponent) Algebra::add_to(exponent, product(m, Algebra::number(k)));
        term = times(term, algebra_.exp(exponent));
      }
      Algebra::add_to(sum, term);
    }
    return sum;
  };
  for (AtomId id : algebra_.below(form)) {
    if (exhausted()) return {};
    if (auto it = with.find(id); it != with.end()) {
      made[id] = it->second;
      continue;
    }
    const Atom a = algebra_.atom(id);
    if (a.type == Atom::Type::leaf) {
      auto sum = reductions_.find(a.node);
      made[id] = sum != reductions_.end() ? sum->second : algebra_.power_of(id);
      continue;
    }
    std::vector<Form> args;
    args.reserve(a.args.size());
    for (const Form& f : a.args) args.push_back(assemble(f));
    made[id] = law(id, std::move(args));
  }
  return assemble(form);
}

Form SumAlgebra::law(AtomId id, std::vector<Form> args) {
  const Atom a = algebra_.atom(id);
  const bool same = args == a.args;
  if (a.type == Atom::Type::sum) return same ? algebra_.power_of(id) : args[0];
  const Form one = Algebra::number(1);
  auto negated = [&](const Form& f) { return Algebra::add(one, Algebra::negate(f)); };
  switch (a.op) {
  case Op::load:
    if (auto body = bodies_.find(a.payload); body != bodies_.end() && body->second.known)
      return instance(a.payload, args);
    break;
  case Op::padded_load: { // inside the tensor it is a load
    Form mask = one, outside = args.back();
    args.pop_back();
    const TensorDecl& t = d_->tensors[a.payload];
    const Statement* s = statement_of(*d_, a.payload);
    for (std::size_t k = 0; k < args.size(); ++k) {
      Form lo = s != nullptr ? algebra_.of(s->lo[k]) : Form{}, hi = algebra_.of(s != nullptr ? s->hi[k] : t.shape[k]);
      mask = times(mask, times(comparison(Op::le, lo, args[k]), comparison(Op::lt, args[k], hi)));
    }
    auto body = bodies_.find(a.payload);
    Form value = body != bodies_.end() && body->second.known ? instance(a.payload, args)
                                                             : algebra_.call(Op::load, a.payload, args);
    return Algebra::add(times(mask, value), times(negated(mask), outside));
  }
  case Op::lt:
  case Op::le:
  case Op::eq: return comparison(a.op, args[0], args[1]);
  case Op::and_: return times(args[0], args[1]);
  case Op::or_: return Algebra::add(Algebra::add(args[0], args[1]), Algebra::negate(times(args[0], args[1])));
  case Op::not_: return negated(args[0]);
  case Op::select: return Algebra::add(times(args[0], args[1]), times(negated(args[0]), args[2]));
  case Op::reduce: {
    if (same) break;
    const Reduce what = reduce_of_.at(a.payload);
    if (!is_sum(what)) break;
    std::vector<Range> ranges;
    std::map<VarId, VarId> fresh;
    for (std::size_t k = 0; k < what.vars.size(); ++k) {
      fresh[what.vars[k]] = next_temporary_;
      ranges.push_back({next_temporary_++, args[2 * k], args[2 * k + 1]});
    }
    return close(ranges, renamed_within(args.back(), fresh));
  }
  default: break;
  }
  return same ? algebra_.power_of(id) : algebra_.call(a.op, a.payload, std::move(args));
}

Form SumAlgebra::instance(TensorId tensor, const std::vector<Form>& indices) {
  const Body& b = bodies_.at(tensor);
  std::map<AtomId, Form> with;
  for (std::size_t k = 0; k < b.vars.size(); ++k)
    with[algebra_.leaf(d_->arena.make(Op::index, Kind::integer, {}, b.vars[k]))] = indices[k];
  return rebuild(b.form, with);
}

bool SumAlgebra::integral(const Form& form) const {
  std::function<bool(const Form&, int)> check = [&](const Form& f, int depth) {
    for (const auto& [key, c] : f) {
      if (!key.exponent.empty() || c.get_den() != 1) return false;
      for (const Power& p : key.factors) {
        const Atom& a = algebra_.atom(p.atom);
        if (p.den != 1 || p.num < 0 || depth > 4) return false;
        if (a.type == Atom::Type::leaf && d_->arena[a.node].kind == Kind::integer) continue;
        if (a.type != Atom::Type::call) return false;
        if (a.op == Op::load && d_->tensors[a.payload].kind == Kind::integer) continue;
        bool division = a.op == Op::floordiv || a.op == Op::mod;
        if (!division || !check(a.args[0], depth + 1) || !check(a.args[1], depth + 1)) return false;
      }
    }
    return true;
  };
  return check(form, 0);
}

/// Of integers: as 0 <= e or 0 == e with the first coefficient positive, so that j < i + 1, j <= i and not i < j agree.
Form SumAlgebra::comparison(Op op, const Form& a, const Form& b) {
  Form e = Algebra::add(b, Algebra::negate(a));
  if (auto c = Algebra::constant(e))
    return Algebra::number((op == Op::lt ? *c > 0 : op == Op::le ? *c >= 0 : *c == 0) ? 1 : 0);
  if (!integral(e)) {
    if (op == Op::eq && b < a) return algebra_.call(op, 0, {b, a});
    return algebra_.call(op, 0, {a, b});
  }
  if (op == Op::lt) e = Algebra::add(e, Algebra::number(-1)), op = Op::le;
  auto lead = e.begin();
  if (lead->first == TermKey{}) ++lead;
  bool flip = lead->second < 0;
  if (flip) e = Algebra::negate(e);
  if (flip && op == Op::le) {
    Form below = algebra_.call(op, 0, {{}, Algebra::add(e, Algebra::number(-1))});
    return Algebra::add(Algebra::number(1), Algebra::negate(below));
  }
  return algebra_.call(op, 0, {{}, e});
}

std::vector<VarId> SumAlgebra::variables(const Form& form) const {
  std::vector<VarId> found;
  for (AtomId id : algebra_.below(form)) {
    const Atom& a = algebra_.atom(id);
    if (a.type == Atom::Type::leaf && d_->arena[a.node].op == Op::index) found.push_back(d_->arena[a.node].payload);
  }
  return found;
}

/// A variable above every one that is bound in the forms.
VarId SumAlgebra::next_level(const std::vector<const Form*>& forms) const {
  VarId next = closed_base;
  for (const Form* f : forms)
    for (AtomId id : algebra_.below(*f)) {
      const Atom& a = algebra_.atom(id);
      if (a.type != Atom::Type::call || a.op != Op::reduce) continue;
      for (VarId v : reduce_of_.at(a.payload).vars) next = std::max(next, v + 1);
    }
  return next;
}

/// Reductions are told apart by their interned content, which an idle node of the same content gives.
std::uint32_t SumAlgebra::reduce_payload(const Reduce& what) {
  std::vector<ExprId> operands(2 * what.vars.size(), d_->arena.integer(0));
  operands.push_back(d_->arena.boolean(true));
  operands.push_back(d_->arena.number(0));
  std::uint32_t payload = d_->arena[d_->arena.reduce(what, operands)].payload;
  reduce_of_[payload] = what;
  return payload;
}

/// The parts of min(a, b, …) or max(a, b, …): below the least is below each.
std::vector<Form> SumAlgebra::bounds(ExprId bound, Op op) {
  std::vector<Form> parts;
  std::vector<ExprId> stack{bound};
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (d_->arena[id].op != op) {
      parts.push_back(rebuild(Form(algebra_.of(id)), {}));
      continue;
    }
    for (ExprId o : d_->arena.operands(id)) stack.push_back(o);
  }
  return parts;
}

Form SumAlgebra::reduction(ExprId node) {
  const Reduce what = d_->arena.reduction(node);
  auto operand = [&](std::size_t k) { return rebuild(Form(algebra_.of(d_->arena.operand(node, k))), {}); };
  const std::size_t n = what.vars.size();
  Form predicate = operand(2 * n), body = operand(2 * n + 1);
  std::vector<Range> ranges;
  bool boxed = is_sum(what);
  Form masked = times(predicate, body);
  for (std::size_t k = 0; k < n; ++k) {
    Range r{what.vars[k], operand(2 * k), operand(2 * k + 1)};
    bool open_lo = !variables(r.lo).empty(), open_hi = !variables(r.hi).empty();
    if (boxed && (open_lo || open_hi)) {
      auto box = box_(r.var);
      boxed = box.has_value();
      if (box && open_lo) {
        r.lo = rebuild(Form(algebra_.of(box->first)), {});
        for (const Form& lo : bounds(d_->arena.operand(node, 2 * k), Op::max))
          if (lo != r.lo) masked = times(masked, comparison(Op::le, lo, index(r.var)));
      }
      if (box && open_hi) {
        r.hi = rebuild(Form(algebra_.of(box->second)), {});
        for (const Form& hi : bounds(d_->arena.operand(node, 2 * k + 1), Op::min))
          if (hi != r.hi) masked = times(masked, comparison(Op::lt, index(r.var), hi));
      }
    }
    ranges.push_back(std::move(r));
  }
  if (boxed) return close(ranges, masked);
  std::vector<Form> args;
  for (std::size_t k = 0; k < n; ++k) args.push_back(operand(2 * k)), args.push_back(operand(2 * k + 1));
  args.push_back(std::move(predicate));
  args.push_back(std::move(body));
  std::vector<const Form*> all;
  for (const Form& f : args) all.push_back(&f);
  Reduce closed{what.reducer, {}};
  std::map<VarId, VarId> names;
  for (VarId next = next_level(all); VarId v : what.vars) names[v] = next, closed.vars.push_back(next++);
  for (Form& f : args) f = renamed_within(f, names);
  return algebra_.call(Op::reduce, reduce_payload(closed), std::move(args));
}

Form SumAlgebra::close(const std::vector<Range>& ranges, const Form& body) {
  Form sum;
  for (const auto& [key, c] : body) {
    if (exhausted()) break;
    Algebra::add_to(sum, Algebra::scale(close_term(ranges, key), c));
  }
  return sum;
}

/// One product under a sum: sums among its factors that depend on the variables join, the rest falls into components.
Form SumAlgebra::close_term(std::vector<Range> ranges, const TermKey& term) {
  std::set<VarId> mine;
  for (const Range& r : ranges) mine.insert(r.var);
  auto depends = [&](const Form& f) {
    auto vars = variables(f);
    return std::any_of(vars.begin(), vars.end(), [&](VarId v) { return mine.contains(v); });
  };
  std::vector<Form> factors, pending{single(term)};
  while (!pending.empty()) {
    Form next = std::move(pending.back());
    pending.pop_back();
    if (exhausted()) return {};
    const TermKey key = next.begin()->first;
    for (const Power& p : key.factors) {
      Form f = algebra_.power_of(p.atom, p.num, p.den);
      const Atom a = algebra_.atom(p.atom);
      bool sum = a.type == Atom::Type::call && a.op == Op::reduce && p.num == 1 && p.den == 1 &&
                 is_sum(reduce_of_.at(a.payload)) && depends(f);
      if (!sum) {
        factors.push_back(std::move(f));
        continue;
      }
      const Reduce what = reduce_of_.at(a.payload);
      std::map<VarId, VarId> fresh;
      for (std::size_t k = 0; k < what.vars.size(); ++k) {
        fresh[what.vars[k]] = next_temporary_;
        mine.insert(next_temporary_);
        ranges.push_back({next_temporary_++, a.args[2 * k], a.args[2 * k + 1]});
      }
      pending.push_back(renamed_within(a.args.back(), fresh));
    }
    for (const auto& [m, k] : key.exponent) factors.push_back(single({{}, {{m, k}}}));
  }
  std::vector<std::size_t> part(ranges.size());
  std::iota(part.begin(), part.end(), 0);
  std::vector<std::vector<std::size_t>> reads;
  for (const Form& f : factors) {
    auto vars = variables(f);
    std::vector<std::size_t>& at = reads.emplace_back();
    for (std::size_t k = 0; k < ranges.size(); ++k)
      if (std::find(vars.begin(), vars.end(), ranges[k].var) != vars.end()) at.push_back(k);
    for (std::size_t k : at) {
      std::size_t from = part[k], to = part[at.front()];
      for (std::size_t& p : part)
        if (p == from) p = to;
    }
  }
  Form result = Algebra::number(1);
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (reads[i].empty()) result = times(result, factors[i]);
  for (std::size_t root = 0; root < ranges.size(); ++root) {
    std::vector<Range> own;
    for (std::size_t k = 0; k < ranges.size(); ++k)
      if (part[k] == root) own.push_back(ranges[k]);
    if (own.empty()) continue;
    Form body = Algebra::number(1);
    bool any = false;
    for (std::size_t i = 0; i < factors.size(); ++i)
      if (!reads[i].empty() && part[reads[i].front()] == root) body = times(body, factors[i]), any = true;
    const Form extent = Algebra::add(own[0].hi, Algebra::negate(own[0].lo));
    if (!any && algebra_.nonnegative(extent)) { // one variable that nothing reads
      result = times(result, extent);
      continue;
    }
    Form closed;
    for (const auto& [key, c] : body) Algebra::add_to(closed, Algebra::scale(close_component(own, single(key)), c));
    result = times(result, closed);
  }
  return result;
}

/// The order of the variables that gives the least form.
Form SumAlgebra::close_component(const std::vector<Range>& ranges, const Form& body) {
  constexpr std::size_t most_ordered = 6;
  VarId base = next_level({&body});
  // Ranges and the number of factors that read a variable tell most variables apart; the rest is tried out.
  std::vector<std::tuple<Form, Form, std::size_t>> keys;
  for (const Range& r : ranges) keys.emplace_back(r.lo, r.hi, 0);
  auto count = [&](const Form& factor) {
    std::vector<VarId> vars = variables(factor);
    for (std::size_t k = 0; k < ranges.size(); ++k)
      if (std::find(vars.begin(), vars.end(), ranges[k].var) != vars.end()) ++std::get<2>(keys[k]);
  };
  for (const Power& p : body.begin()->first.factors) count(algebra_.power_of(p.atom));
  for (const auto& [m, k] : body.begin()->first.exponent) count(single({{}, {{m, k}}}));
  std::vector<std::size_t> rank(ranges.size()), order(ranges.size());
  std::iota(rank.begin(), rank.end(), 0);
  std::sort(rank.begin(), rank.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<std::size_t> place(ranges.size()); // of equal keys the same
  for (std::size_t p = 0; p < rank.size(); ++p)
    place[rank[p]] = p > 0 && keys[rank[p]] == keys[rank[p - 1]] ? place[rank[p - 1]] : p;
  std::iota(order.begin(), order.end(), 0);
  if (ranges.size() > most_ordered) order = rank;
  std::vector<Form> best;
  do {
    if (!std::is_sorted(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place[a] < place[b]; }))
      continue;
    std::map<VarId, VarId> names;
    std::vector<Form> args;
    for (std::size_t p = 0; p < order.size(); ++p) {
      names[ranges[order[p]].var] = base + static_cast<VarId>(p);
      args.push_back(ranges[order[p]].lo);
      args.push_back(ranges[order[p]].hi);
    }
    args.push_back(renamed_within(body, names));
    if (best.empty() || args < best) best = std::move(args);
  } while (ranges.size() <= most_ordered && std::next_permutation(order.begin(), order.end()));
  Reduce closed{static_cast<ReducerId>(Builtin::sum), {}};
  for (std::size_t p = 0; p < ranges.size(); ++p) closed.vars.push_back(base + static_cast<VarId>(p));
  return algebra_.call(Op::reduce, reduce_payload(closed), std::move(best));
}

/// Truth values are idempotent, so a form is a polynomial of degree 1 in each: it is zero for all of them if and only
/// if it is zero as a polynomial, and they may be any numbers. Functions in pieces (max, abs) would often fall on one
/// piece in the field, and are free as well: no false zero comes of that.
Form SumAlgebra::without_pieces(const Form& form) {
  std::map<AtomId, Form> with;
  for (AtomId id : algebra_.below(form)) {
    const Atom& a = algebra_.atom(id);
    bool pieces = a.boolean || (a.type == Atom::Type::call && (a.op == Op::max || a.op == Op::min || a.op == Op::abs ||
                                                               a.op == Op::sign || a.op == Op::select));
    if (!pieces) continue;
    ExprId symbol = d_->arena.make(Op::symbol, Kind::real, {}, free_symbols + id);
    with[id] = algebra_.power_of(algebra_.leaf(symbol));
  }
  return with.empty() ? form : algebra_.replace(form, with);
}

SumAlgebra::Zero SumAlgebra::zero(const Form& given) {
  if (given.empty()) return Zero::proven;
  if (given.size() > max_terms) return Zero::no;
  const Form form = without_pieces(given);
  double exponentials = 1, degree = 1;
  std::vector<const Form*> forms{&form};
  for (AtomId id : algebra_.below(form)) {
    const Atom& a = algebra_.atom(id);
    for (const Form& f : a.args) forms.push_back(&f);
    if (a.type == Atom::Type::call && (a.op == Op::tanh || a.op == Op::sigmoid || a.op == Op::sin || a.op == Op::cos))
      ++exponentials;
  }
  for (const Form* f : forms) {
    double highest = 0;
    for (const auto& [key, c] : *f) {
      if (!key.exponent.empty()) ++exponentials;
      double power = 0;
      for (const Power& p : key.factors) power += std::abs(p.num);
      highest = std::max(highest, power);
    }
    degree += highest;
  }
  const double q = static_cast<double>(field_q), k = exponentials;
  const double bound = 8 * degree * k * k * k * k / q + std::pow(q, -1 / (k * k)); // DESIGN.md, identity testing
  constexpr double wanted = 1e-9;
  constexpr int most_trials = 64;
  if (bound >= 1) return Zero::no;
  const int trials = std::max(2, static_cast<int>(std::ceil(std::log(wanted) / std::log(bound))));
  if (trials > most_trials) return Zero::no;
  for (int t = 0, drawn = 0; t < trials; ++drawn) {
    if (drawn > 2 * most_trials) return Zero::no;
    Field field(mix(17, static_cast<std::uint64_t>(drawn)));
    Random random(mix(29, static_cast<std::uint64_t>(drawn)));
    FieldProgram program(algebra_, field, std::array{form});
    FieldProgram::Values values = program.blank();
    program.draw(0, values, random);
    program.run(0, values);
    FieldValue v = program.root(0, values);
    if (field.divided_by_zero || field.odd_root) continue;
    if (!v.zero() || field.nested_exp) return Zero::no;
    ++t;
  }
  return Zero::probably;
}

} // namespace aicf
