#include "core/structure/properties/unroll.hpp"

#include "core/structure/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace aicf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t max_work = 200000; ///< nodes under values of variables
/// Stands for a value that may not be asked for: an element outside its tensor. `where` is lazy, so it counts only if a
/// result needs it.
constexpr ExprId outside = no_expr - 1;

bool commutes(Op op) {
  return op == Op::add || op == Op::mul || op == Op::min || op == Op::max || op == Op::and_ || op == Op::or_;
}

} // namespace

std::size_t Unroller::KeyHash::operator()(const Key& k) const {
  std::size_t h = k.first * 0x9e3779b97f4a7c15U;
  for (std::int64_t v : k.second) h = (h ^ static_cast<std::size_t>(v + 1)) * 0xff51afd7ed558ccdU + (h >> 29U);
  return h;
}

Unroller::Unroller(const Canonical& canonical, Arena& to, std::vector<std::int64_t> dims, std::vector<Tensor> inputs,
                   std::function<ExprId(TensorId, std::size_t)> load)
    : c_(canonical), to_(to), dims_(std::move(dims)), inputs_(std::move(inputs)), load_(std::move(load)),
      free_(canonical.arena) {}

ExprId Unroller::fail(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
  return outside;
}

std::optional<std::int64_t> Unroller::whole(ExprId id) const {
  if (id == outside || to_[id].op != Op::number) return std::nullopt;
  double v = to_.value(id);
  if (!(std::fabs(v) < 1e15) || v != std::floor(v)) return std::nullopt;
  return static_cast<std::int64_t>(v);
}

Unroller::Key Unroller::key(ExprId id, const Environment& at) {
  Key k{id, {}};
  for (VarId v : free_.of(id)) {
    auto found = at.find(v);
    if (found == at.end()) {
      fail("an index variable has no value");
      k.second.push_back(0);
    } else {
      k.second.push_back(found->second);
    }
  }
  return k;
}

std::optional<ExprId> Unroller::ask(ExprId id, const std::shared_ptr<const Environment>& at) {
  auto found = done_.find(key(id, *at));
  if (found != done_.end()) return found->second;
  stack_.push_back({id, at});
  return std::nullopt;
}

std::optional<ExprId> Unroller::value(ExprId body, const std::vector<std::int64_t>& index) {
  auto at = std::make_shared<Environment>();
  for (std::size_t k = 0; k < index.size(); ++k) at->emplace(static_cast<VarId>(k), index[k]);
  stack_.clear();
  std::optional<ExprId> result = ask(body, at);
  while (!result && !stack_.empty()) {
    if (++work_ > max_work) fail("too large to be written out");
    if (!failure_.empty()) return std::nullopt;
    Task task = stack_.back();
    Key k = key(task.id, *task.at);
    if (done_.contains(k)) {
      stack_.pop_back();
    } else if (auto v = step(task)) {
      done_.emplace(std::move(k), *v);
      stack_.pop_back();
    }
    if (stack_.empty()) {
      auto found = done_.find(key(body, *at));
      if (found != done_.end()) result = found->second;
    }
  }
  if (!failure_.empty()) return std::nullopt;
  if (!result || *result == outside) {
    fail("a result reads outside a tensor");
    return std::nullopt;
  }
  return result;
}

std::optional<ExprId> Unroller::step(const Task& task) {
  const Node n = c_.arena[task.id];
  switch (n.op) {
  case Op::number: return to_.number(c_.arena.value(task.id), n.kind);
  case Op::index: return to_.integer(task.at->at(n.payload));
  case Op::dim: return to_.integer(dims_.at(n.payload));
  case Op::scalar: {
    const ScalarDecl& s = c_.source->scalars.at(n.payload);
    return to_.number(s.value, n.kind);
  }
  case Op::load:
  case Op::padded_load: return load(task);
  case Op::reduce: return reduce(task);
  default: break;
  }
  auto operands = c_.arena.operands(task.id);
  if (n.op == Op::select || n.op == Op::and_ || n.op == Op::or_) { // lazy: what is decided drops the rest
    auto c = ask(operands[0], task.at);
    if (!c) return std::nullopt;
    if (*c == outside) return outside;
    if (to_[*c].op == Op::number) {
      bool yes = to_.value(*c) != 0;
      if (n.op == Op::select) return ask(operands[yes ? 1 : 2], task.at);
      if (yes == (n.op == Op::or_)) return *c;
    }
  }
  std::vector<ExprId> args;
  bool ready = true;
  for (ExprId o : operands) {
    auto v = ask(o, task.at);
    ready = ready && v.has_value();
    if (v) args.push_back(*v);
  }
  if (!ready) return std::nullopt;
  return make(n.op, n.kind, n.payload, std::move(args));
}

ExprId Unroller::make(Op op, Kind kind, std::uint32_t payload, std::vector<ExprId> args) {
  if (std::find(args.begin(), args.end(), outside) != args.end()) return outside;
  bool numbers = std::all_of(args.begin(), args.end(), [&](ExprId a) { return to_[a].op == Op::number; });
  if (numbers && op == Op::select) return args[to_.value(args[0]) != 0 ? 1 : 2];
  if (numbers && !args.empty()) { // only what is exact: indices, conditions
    std::vector<double> values;
    for (ExprId a : args) values.push_back(to_.value(a));
    double v = DoubleMath::apply(op, payload, values);
    if (kind == Kind::boolean) return to_.boolean(v != 0);
    if (kind == Kind::integer && std::fabs(v) < 1e15) return to_.integer(static_cast<std::int64_t>(v));
    if (op == Op::min || op == Op::max || op == Op::abs || op == Op::neg || op == Op::floor || op == Op::ceil ||
        op == Op::round)
      return to_.number(v, kind);
  }
  if (op == Op::select && args[1] == args[2]) return args[1];
  if (!commutes(op)) return to_.make(op, kind, payload, args);
  std::vector<ExprId> flat;
  for (ExprId a : args) {
    std::vector<ExprId> open{a};
    while (!open.empty()) { // a chain of extrema is left-deep; sums and products hold all their operands
      ExprId id = open.back();
      open.pop_back();
      if (to_[id].op != op || to_[id].kind != kind) {
        flat.push_back(id);
        continue;
      }
      for (ExprId o : to_.operands(id)) open.push_back(o);
    }
  }
  if (op == Op::mul && flat.size() > 1 &&
      std::any_of(flat.begin(), flat.end(), [&](ExprId f) { return to_.is_number(f, 1); })) {
    std::erase_if(flat, [&](ExprId f) { return to_.is_number(f, 1); });
    if (flat.empty()) return to_.number(1, kind);
  }
  std::sort(flat.begin(), flat.end());
  if (op != Op::add && op != Op::mul) flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.size() == 1) return flat[0];
  if (op == Op::add || op == Op::mul) return to_.make(op, kind, payload, flat);
  ExprId chain = flat[0];
  for (std::size_t i = 1; i < flat.size(); ++i) chain = to_.make(op, kind, {chain, flat[i]}, payload);
  return chain;
}

std::optional<ExprId> Unroller::load(const Task& task) {
  const Node n = c_.arena[task.id];
  auto operands = c_.arena.operands(task.id);
  const std::size_t rank = operands.size() - (n.op == Op::padded_load ? 1 : 0);
  std::vector<std::int64_t> index;
  bool ready = true;
  for (std::size_t k = 0; k < rank; ++k) {
    auto v = ask(operands[k], task.at);
    ready = ready && v.has_value();
    if (!v) continue;
    if (*v == outside) return outside;
    auto i = whole(*v);
    if (!i) return fail("an index depends on the values of a real input");
    index.push_back(*i);
  }
  if (!ready) return std::nullopt;
  if (n.payload >= inputs_.size()) return recurrence(task, index, n.payload - inputs_.size());
  const std::vector<std::int64_t>& shape = inputs_[n.payload].shape;
  std::size_t element = 0;
  bool inside = true;
  for (std::size_t k = 0; k < rank; ++k) {
    inside = inside && index[k] >= 0 && index[k] < shape[k];
    element = element * static_cast<std::size_t>(shape[k]) + static_cast<std::size_t>(inside ? index[k] : 0);
  }
  if (inside) return load_(n.payload, element);
  if (n.op == Op::padded_load) return ask(operands.back(), task.at);
  return outside;
}

std::optional<ExprId> Unroller::recurrence(const Task& task, const std::vector<std::int64_t>& index, std::size_t k) {
  const CanonicalValue& value = c_.values.at(k);
  const Node n = c_.arena[task.id];
  auto at = std::make_shared<Environment>();
  for (std::size_t i = 0; i < index.size(); ++i) at->emplace(static_cast<VarId>(i), index[i]);
  bool inside = true, ready = true;
  for (std::size_t i = 0; i < index.size(); ++i) {
    auto lo = ask(value.lo[i], at), hi = ask(value.hi[i], at);
    ready = ready && lo && hi;
    if (!lo || !hi) continue;
    auto l = whole(*lo), h = whole(*hi);
    if (!l || !h) return fail("a range depends on the values of an input");
    inside = inside && index[i] >= *l && index[i] < *h;
  }
  if (!ready) return std::nullopt;
  if (inside) return ask(value.body, at);
  for (const Initial& initial : value.initial) {
    bool matches = true;
    for (std::size_t i = 0; i < index.size() && matches; ++i) {
      const Node& place = c_.arena[initial.indices[i]];
      if (place.op == Op::index && place.payload == i) continue;
      auto v = ask(initial.indices[i], at);
      if (!v) return std::nullopt;
      auto w = whole(*v);
      matches = w && *w == index[i];
    }
    if (matches) return ask(initial.value, at);
  }
  if (n.op == Op::padded_load) return ask(c_.arena.operands(task.id).back(), task.at);
  return outside;
}

std::optional<ExprId> Unroller::reduce(const Task& task) {
  const Reduce what = c_.arena.reduction(task.id);
  const ExprId predicate = c_.arena.predicate(task.id), body = c_.arena.body(task.id);
  std::vector<std::shared_ptr<const Environment>> places{task.at};
  for (std::size_t k = 0; k < what.vars.size(); ++k) {
    std::vector<std::shared_ptr<const Environment>> next;
    bool ready = true;
    for (const auto& at : places) {
      auto lo = ask(c_.arena.operand(task.id, 2 * k), at), hi = ask(c_.arena.operand(task.id, 2 * k + 1), at);
      ready = ready && lo && hi;
      if (!lo || !hi) continue;
      auto l = whole(*lo), h = whole(*hi);
      if (!l || !h) return fail("a range depends on the values of an input");
      for (std::int64_t i = *l; i < *h; ++i) {
        auto with = std::make_shared<Environment>(*at);
        (*with)[what.vars[k]] = i;
        next.push_back(std::move(with));
        if (next.size() > max_work) return fail("too large to be written out");
      }
    }
    if (!ready) return std::nullopt;
    places = std::move(next);
  }
  bool ready = true;
  std::vector<std::pair<ExprId, ExprId>> elements; // predicate, body
  for (const auto& at : places) {
    auto p = ask(predicate, at);
    if (!p) {
      ready = false;
      continue;
    }
    if (*p == outside) return outside;
    if (to_.is_number(*p, 0)) continue;
    auto b = ask(body, at);
    ready = ready && b.has_value();
    if (!b) continue;
    if (*b == outside) return outside;
    elements.emplace_back(*p, *b);
  }
  if (!ready) return std::nullopt;
  const bool position = what.reducer == static_cast<ReducerId>(Builtin::argmax) ||
                        what.reducer == static_cast<ReducerId>(Builtin::argmin);
  if (!position) return combine(what.reducer, elements);
  // the place of the best so far, in index order
  ExprId best = no_expr, where = no_expr;
  std::size_t k = 0;
  for (const auto& at : places) {
    auto p = ask(predicate, at);
    if (to_.is_number(*p, 0)) continue;
    if (to_[*p].op != Op::number) return fail("a position under a condition on values");
    ExprId v = elements[k++].second, i = to_.integer(at->at(what.vars[0]));
    if (best == no_expr) {
      best = v, where = i;
      continue;
    }
    const bool up = what.reducer == static_cast<ReducerId>(Builtin::argmax);
    ExprId better = make(Op::lt, Kind::boolean, 0, up ? std::vector{best, v} : std::vector{v, best});
    ExprId still = make(Op::not_, Kind::boolean, 0, {make(Op::isnan, Kind::boolean, 0, {best})}); // the first NaN wins
    ExprId now = make(Op::and_, Kind::boolean, 0, {make(Op::isnan, Kind::boolean, 0, {v}), still});
    better = make(Op::or_, Kind::boolean, 0, {better, now});
    where = make(Op::select, Kind::integer, 0, {better, i, where});
    best = make(up ? Op::max : Op::min, Kind::real, 0, {best, v});
  }
  return where == no_expr ? fail("a position of nothing") : where;
}

ExprId Unroller::applied(const UserReducer& reducer, ExprId a, ExprId b) {
  const Arena& from = c_.source->arena;
  std::array roots{reducer.combine};
  std::unordered_map<ExprId, ExprId> known;
  for (ExprId id : reachable(from, roots)) {
    const Node& n = from[id];
    if (n.op == Op::symbol) {
      known[id] = n.payload == 0 ? a : b;
    } else if (n.op == Op::number) {
      known[id] = to_.number(from.value(id), n.kind);
    } else {
      std::vector<ExprId> args;
      for (ExprId o : from.operands(id)) args.push_back(known.at(o));
      known[id] = make(n.op, n.kind, n.payload, std::move(args));
    }
  }
  return known.at(reducer.combine);
}

ExprId Unroller::combine(ReducerId reducer, const std::vector<std::pair<ExprId, ExprId>>& elements) {
  const auto builtin = static_cast<Builtin>(reducer);
  const bool truth = builtin == Builtin::any || builtin == Builtin::all;
  const Kind kind = truth ? Kind::boolean : Kind::real;
  ExprId identity = no_expr;
  Op op = Op::add;
  if (reducer >= first_user_reducer) {
    identity = applied({{}, {}, {}, c_.source->reducers[reducer - first_user_reducer].identity, no_expr, {}}, 0, 0);
  } else {
    switch (builtin) {
    case Builtin::sum: identity = to_.number(0); break;
    case Builtin::prod: identity = to_.number(1), op = Op::mul; break;
    case Builtin::max: identity = to_.number(-infinity), op = Op::max; break;
    case Builtin::min: identity = to_.number(infinity), op = Op::min; break;
    case Builtin::any: identity = to_.boolean(false), op = Op::or_; break;
    default: identity = to_.boolean(true), op = Op::and_; break;
    }
  }
  std::vector<ExprId> values;
  for (const auto& [p, b] : elements)
    values.push_back(to_[p].op == Op::number ? b : make(Op::select, to_[b].kind, 0, {p, b, identity}));
  if (values.empty()) return identity;
  if (reducer < first_user_reducer) {
    const Kind of = truth ? kind : to_[values[0]].kind;
    return make(op, of, 0, std::move(values));
  }
  ExprId total = identity;
  for (ExprId v : values) total = applied(c_.source->reducers[reducer - first_user_reducer], total, v);
  return total;
}

} // namespace aicf
