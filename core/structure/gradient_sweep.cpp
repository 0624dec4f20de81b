// The sweep: statements in reverse order, and the rules of differentiation.
#include "core/expr/normal.hpp"
#include "core/structure/gradient_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace aicf {
namespace {

constexpr std::size_t most_factors = 16; ///< a product with more is a factor of its own

bool is(const Reduce& what, Builtin b) { return what.reducer == static_cast<ReducerId>(b); }

} // namespace

ExprId GradientBuilder::real(double value) {
  bool whole = value == std::floor(value) && std::fabs(value) < 1e15; // as a person writes it
  return d_.arena.number(value, whole ? Kind::integer : Kind::real);
}

ExprId GradientBuilder::call(Op op, std::initializer_list<ExprId> args) {
  bool truth = op == Op::lt || op == Op::le || op == Op::eq || op == Op::ne || op == Op::and_ || op == Op::or_ ||
               op == Op::not_ || op == Op::isnan;
  return d_.arena.make(op, truth ? Kind::boolean : Kind::real, args);
}

void GradientBuilder::times(Product& p, ExprId factor, bool inverse) {
  std::vector<std::pair<ExprId, bool>> stack{{factor, inverse}};
  for (std::size_t taken_apart = 0; !stack.empty();) {
    auto [id, down] = stack.back();
    stack.pop_back();
    const Node& n = d_.arena[id];
    const bool apart = taken_apart < most_factors; // long products stay as they are: each step would cost their length
    if (n.op == Op::number && std::isfinite(d_.arena.value(id)) && (!down || std::fabs(d_.arena.value(id)) == 1)) {
      p.scale *= d_.arena.value(id);
    } else if (n.op == Op::neg) {
      p.scale = -p.scale;
      stack.emplace_back(d_.arena.operand(id, 0), down);
    } else if (n.op == Op::mul && apart && n.count <= most_factors) {
      ++taken_apart;
      for (std::size_t k = n.count; k-- > 0;) stack.emplace_back(d_.arena.operand(id, k), down);
    } else if (n.op == Op::div && apart) {
      ++taken_apart;
      stack.emplace_back(d_.arena.operand(id, 1), !down);
      stack.emplace_back(d_.arena.operand(id, 0), down);
    } else if (!down && n.op == Op::select && d_.arena.is_number(d_.arena.operand(id, 2), 0)) {
      p.conditions.push_back(d_.arena.operand(id, 0));
      stack.emplace_back(d_.arena.operand(id, 1), down);
    } else {
      auto& other = down ? p.up : p.down;
      auto same = std::find(other.begin(), other.end(), id);
      if (same != other.end())
        other.erase(same);
      else
        (down ? p.down : p.up).push_back(id);
    }
  }
  if (p.up.size() + p.down.size() <= most_factors) return;
  Product whole = std::move(p);
  p = {};
  p.scale = whole.scale;
  p.conditions = std::move(whole.conditions);
  whole.scale = 1;
  whole.conditions.clear();
  ExprId made = node(whole);
  p.up.push_back(made);
}

ExprId GradientBuilder::node(const Product& p) {
  Arena& arena = d_.arena;
  if (p.scale == 0) return real(0);
  auto gathered = [&](const std::vector<ExprId>& list) { // equal factors are a power
    std::vector<ExprId> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) !=
          list.begin() + static_cast<std::ptrdiff_t>(i))
        continue;
      auto count = std::count(list.begin(), list.end(), list[i]);
      out.push_back(count == 1 ? list[i] : call(Op::pow, {list[i], real(static_cast<double>(count))}));
    }
    return out;
  };
  std::vector<ExprId> up = gathered(p.up), down = gathered(p.down);
  double scale = std::fabs(p.scale);
  if (scale != 1) up.insert(up.begin(), real(scale));
  auto product = [&](const std::vector<ExprId>& list) {
    return list.size() == 1 ? list[0] : arena.make(Op::mul, Kind::real, 0, list);
  };
  ExprId value = up.empty() ? real(1) : product(up);
  if (p.scale < 0) value = arena[value].op == Op::number ? real(-arena.value(value)) : call(Op::neg, {value});
  if (!down.empty()) value = call(Op::div, {value, product(down)});
  if (p.conditions.empty()) return value;
  ExprId all = no_expr;
  std::vector<ExprId> seen;
  for (ExprId c : p.conditions) {
    if (arena.is_number(c, 1) || std::find(seen.begin(), seen.end(), c) != seen.end()) continue;
    seen.push_back(c);
    all = all == no_expr ? c : call(Op::and_, {all, c});
  }
  if (all == no_expr) return value;
  return arena.is_number(all, 0) ? real(0) : call(Op::select, {all, value, real(0)});
}

ExprId GradientBuilder::total(const std::vector<Product>& terms) {
  std::vector<std::pair<std::vector<ExprId>, std::vector<Product>>> guarded; // terms under the same conditions
  for (Product p : terms) {
    std::erase_if(p.conditions, [&](ExprId c) { return d_.arena.is_number(c, 1); });
    std::sort(p.conditions.begin(), p.conditions.end());
    p.conditions.erase(std::unique(p.conditions.begin(), p.conditions.end()), p.conditions.end());
    if (p.scale == 0) continue;
    auto same = std::find_if(guarded.begin(), guarded.end(), [&](const auto& g) { return g.first == p.conditions; });
    if (same == guarded.end()) same = guarded.insert(guarded.end(), {p.conditions, {}});
    p.conditions.clear();
    same->second.push_back(std::move(p));
  }
  std::vector<ExprId> plus, minus;
  for (auto& [conditions, list] : guarded) {
    std::unordered_map<ExprId, std::size_t> like; // terms that differ in their factor only
    std::vector<Product> unlike;
    for (Product& p : list) {
      const double scale = std::exchange(p.scale, 1);
      auto [at, fresh] = like.try_emplace(node(p), unlike.size());
      if (fresh) unlike.push_back(std::move(p));
      unlike[at->second].scale = fresh ? scale : unlike[at->second].scale + scale;
    }
    list = std::move(unlike);
    std::erase_if(list, [](const Product& p) { return p.scale == 0; });
    if (!conditions.empty() && list.size() > 1) {
      Product whole;
      whole.up.push_back(total(list));
      list = {whole};
    }
    for (Product& p : list) {
      bool negative = p.scale < 0;
      p.scale = std::fabs(p.scale);
      p.conditions = conditions;
      (negative ? minus : plus).push_back(node(p));
    }
  }
  if (plus.empty() && minus.empty()) return real(0);
  ExprId sum = no_expr;
  if (plus.empty()) {
    sum = call(Op::neg, {minus.front()});
    minus.erase(minus.begin());
  } else {
    sum = plus.size() == 1 ? plus[0] : d_.arena.make(Op::add, Kind::real, 0, plus);
  }
  for (ExprId m : minus) sum = call(Op::sub, {sum, m});
  return sum;
}

void GradientBuilder::reverse() {
  for (std::size_t end = forward_; end > 0;) {
    std::size_t begin = end;
    while (begin > 0 && d_.statements[begin - 1].group == d_.statements[end - 1].group) --begin;
    std::vector<std::size_t> members;
    for (std::size_t i = begin; i < end; ++i)
      if (active_[d_.statements[i].target] != 0) members.push_back(i);
    if (end - begin == 1 && d_.statements[begin].step == 0) {
      if (!members.empty()) reverse_one(Statement(d_.statements[begin]));
    } else if (!members.empty()) {
      reverse_group(members);
    }
    end = begin;
  }
}

void GradientBuilder::reverse_one(const Statement& s) {
  auto at = cotangents_.find(s.target);
  if (at == cotangents_.end()) return;
  finish(at->second, false);
  if (at->second.value != no_expr) differentiate(s);
}

/// The cotangents of a recurrence are a recurrence the other way: they are declared first, read one another, and get
/// their statements when all contributions are there.
void GradientBuilder::reverse_group(const std::vector<std::size_t>& members) {
  std::vector<Statement> group;
  for (std::size_t i : members) group.push_back(d_.statements[i]);
  std::set<TensorId> reached; // those that any result depends on
  for (const Statement& s : group)
    if (auto c = cotangents_.find(s.target); c != cotangents_.end() && !c->second.parts.empty())
      reached.insert(s.target);
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const Statement& s : group) {
      if (!reached.contains(s.target)) continue;
      for (ExprId id : nodes_below(d_.arena, std::array{s.body}))
        for (const Statement& t : group)
          if (d_.arena[id].op == Op::load && d_.arena[id].payload == t.target) reached.insert(t.target);
    }
  }
  std::erase_if(group, [&](const Statement& s) { return !reached.contains(s.target); });
  if (group.empty()) return;
  int direction = 0;
  for (const Statement& s : group) direction = s.step != 0 ? s.step : direction;
  for (const Statement& s : group) in_group_.insert(s.target);
  const std::size_t made_from = d_.statements.size();
  std::map<TensorId, std::size_t> place; // of the cotangent's statement
  for (const Statement& s : group) {
    Cotangent& c = cotangent(s.target);
    place[s.target] = d_.statements.size();
    Statement& made = add_statement(c.name, Kind::real, c.axes, no_expr);
    made.axis = s.axis;
    made.step = -direction;
    group_cotangents_[made.target] = s.target;
    std::vector<ExprId> at;
    for (const Axis& a : c.axes) at.push_back(ranges_.index(a.var));
    c.value = d_.arena.make(Op::load, Kind::real, made.target, at);
  }
  for (const Statement& s : group) differentiate(s);
  for (const Statement& s : group) {
    ExprId body = collect(cotangents_.at(s.target));
    d_.statements[place.at(s.target)].body = body == no_expr ? d_.arena.number(0) : body;
  }
  // Steps that are read beyond the end get 0 there.
  std::map<TensorId, std::int64_t> reach;
  for (std::size_t i = made_from; i < d_.statements.size(); ++i) {
    const Statement& s = d_.statements[i];
    for (ExprId id : nodes_below(d_.arena, std::array{s.body})) {
      const Node& n = d_.arena[id];
      if (n.op != Op::load || !group_cotangents_.contains(n.payload)) continue;
      const Statement& read = d_.statements[statement_of_tensor_[n.payload]];
      Linear index = ranges_.linear(d_.arena.operand(id, read.axis));
      std::int64_t& far = reach[n.payload];
      far = std::max(far, std::abs(index.constant));
    }
  }
  for (const auto& [tensor, far] : reach) {
    Statement& s = d_.statements[statement_of_tensor_[tensor]];
    for (std::int64_t k = 1; k <= far; ++k) {
      Initial zero;
      for (VarId v : s.vars) zero.indices.push_back(ranges_.index(v));
      zero.indices[s.axis] = direction > 0 ? ranges_.plus(s.hi[s.axis], k - 1) : ranges_.plus(s.lo[s.axis], -k);
      zero.value = d_.arena.number(0, Kind::integer);
      s.initial.push_back(std::move(zero));
    }
  }
  in_group_.clear();
  group_cotangents_.clear();
  for (const Statement& s : group)
    for (std::size_t k = 0; k < s.initial.size(); ++k) {
      auto found = first_.find({s.target, k});
      if (found == first_.end()) continue;
      Cotangent& c = found->second;
      finish(c, false);
      if (c.value == no_expr) continue;
      Ranges::Map names;
      std::vector<Axis> space;
      std::vector<ExprId> at;
      for (std::size_t a = 0; a < s.vars.size(); ++a) {
        if (a == s.axis) continue;
        space.push_back({s.vars[a], s.lo[a], s.hi[a]});
        at.push_back(ranges_.index(s.vars[a]));
      }
      Product seed;
      times(seed, cotangent_at(c, at));
      sweep(space, s.initial[k].value, seed);
    }
}

void GradientBuilder::differentiate(const Statement& s) {
  Arena& arena = d_.arena;
  std::vector<Axis> space;
  std::vector<ExprId> here;
  for (std::size_t k = 0; k < s.vars.size(); ++k) {
    space.push_back({s.vars[k], s.lo[k], s.hi[k]});
    here.push_back(ranges_.index(s.vars[k]));
  }
  Product seed;
  times(seed, cotangent_at(cotangents_.at(s.target), here));
  if (arena[s.body].op != Op::reduce) return sweep(space, s.body, seed);
  const Reduce what = arena.reduction(s.body);
  const std::vector<ExprId> operands(arena.operands(s.body).begin(), arena.operands(s.body).end());
  const std::size_t n = what.vars.size();
  const ExprId predicate = operands[2 * n], body = operands[2 * n + 1];
  const std::vector<Axis> outer = space;
  for (std::size_t k = 0; k < n; ++k) space.push_back({what.vars[k], operands[2 * k], operands[2 * k + 1]});
  const std::string name = d_.tensors[s.target].name;
  if (is(what, Builtin::max) || is(what, Builtin::min)) {
    ExprId attained = call(Op::eq, {body, arena.make(Op::load, arena[s.body].kind, s.target, here)});
    std::vector<ExprId> counted = operands;
    counted.back() = call(Op::select, {attained, real(1), real(0)});
    std::vector<VarId> vars = s.vars;
    Ranges::Map names;
    std::vector<Axis> axes = fresh_axes(vars, names);
    ExprId count = arena.reduce({static_cast<ReducerId>(Builtin::sum), what.vars}, counted);
    if (arena[count].kind != Kind::real) // a count of truth values, kept real
      count = arena.make(Op::reduce, Kind::real, arena[count].payload, counted);
    TensorId ties = add_statement(name + "_ties", Kind::real, axes, ranges_.replace(count, names)).target;
    seed.conditions.push_back(attained);
    seed.down.push_back(arena.make(Op::load, Kind::real, ties, here));
  } else if (is(what, Builtin::prod)) { // by the product of the others: right at zeros too
    std::vector<VarId> vars = s.vars;
    vars.insert(vars.end(), what.vars.begin(), what.vars.end());
    Ranges::Map names, other;
    std::vector<Axis> axes = fresh_axes(vars, names);
    std::vector<ExprId> rest, at = here;
    Reduce over{what.reducer, {}};
    ExprId differs = no_expr;
    for (std::size_t k = 0; k < n; ++k) {
      auto var = static_cast<VarId>(d_.vars.size());
      d_.vars.push_back(d_.vars[what.vars[k]]);
      rest.push_back(ranges_.replace(operands[2 * k], other));
      rest.push_back(ranges_.replace(operands[2 * k + 1], other));
      ranges_.bind(var, rest[2 * k], rest[2 * k + 1]);
      other[what.vars[k]] = ranges_.index(var);
      over.vars.push_back(var);
      ExprId apart = call(Op::ne, {other[what.vars[k]], ranges_.index(what.vars[k])});
      differs = differs == no_expr ? apart : call(Op::or_, {differs, apart});
      at.push_back(ranges_.index(what.vars[k]));
    }
    ExprId taken = ranges_.replace(predicate, other);
    rest.push_back(arena.is_number(taken, 1) ? differs : call(Op::and_, {taken, differs}));
    rest.push_back(ranges_.replace(body, other));
    ExprId others = ranges_.replace(arena.reduce(over, rest), names);
    TensorId made = add_statement(name + "_others", Kind::real, axes, others).target;
    times(seed, arena.make(Op::load, Kind::real, made, at));
  } else if (!is(what, Builtin::sum)) {
    return;
  }
  if (!arena.is_number(predicate, 1)) seed.conditions.push_back(predicate);
  sweep(space, body, seed);
}

void GradientBuilder::push(ExprId operand, Product c) {
  if (c.scale != 0) pending_[operand].push_back(std::move(c));
}

void GradientBuilder::sweep(const std::vector<Axis>& space, ExprId root, const Product& seed) {
  auto active = active_nodes(root);
  if (!active.at(root)) return;
  pending_.clear();
  push(root, seed);
  std::vector<ExprId> order = nodes_below(d_.arena, std::array{root});
  for (std::size_t i = order.size(); i-- > 0;) {
    ExprId id = order[i];
    auto found = pending_.find(id);
    if (found == pending_.end() || !active.at(id)) continue;
    std::vector<Product> terms = std::move(found->second);
    pending_.erase(found);
    Product c = terms[0];
    if (terms.size() > 1) {
      c = {};
      times(c, total(terms));
    }
    Op op = d_.arena[id].op;
    if (is_load(op))
      load(space, id, c);
    else
      step(id, c, active);
  }
}

void GradientBuilder::step(ExprId id, const Product& c, const std::unordered_map<ExprId, bool>& active) {
  const Node n = d_.arena[id];
  const std::vector<ExprId> args(d_.arena.operands(id).begin(), d_.arena.operands(id).end());
  auto give = [&](std::size_t k, double scale, std::initializer_list<ExprId> up,
                  std::initializer_list<ExprId> down = {}) {
    if (!active.at(args[k])) return;
    Product p = c;
    p.scale *= scale;
    for (ExprId f : up) times(p, f);
    for (ExprId f : down) times(p, f, true);
    push(args[k], std::move(p));
  };
  auto under = [&](std::size_t k, ExprId condition, double scale = 1) {
    if (!active.at(args[k])) return;
    Product p = c;
    p.scale *= scale;
    p.conditions.push_back(condition);
    push(args[k], std::move(p));
  };
  auto one_minus = [&](ExprId e) { return call(Op::sub, {real(1), e}); };
  switch (n.op) {
  case Op::neg: return give(0, -1, {});
  case Op::add:
    for (std::size_t k = 0; k < n.count; ++k) give(k, 1, {});
    return;
  case Op::sub: give(0, 1, {}); return give(1, -1, {});
  case Op::mul: {
    if (n.count == 2) return give(0, 1, {args[1]}), give(1, 1, {args[0]});
    std::vector<ExprId> after(n.count, no_expr); // products of all that follow, of all that go before
    for (std::size_t k = n.count - 1; k-- > 0;)
      after[k] = after[k + 1] == no_expr ? args[k + 1] : call(Op::mul, {args[k + 1], after[k + 1]});
    ExprId before = no_expr;
    for (std::size_t k = 0; k < n.count; ++k) {
      ExprId rest = before == no_expr ? after[k] : after[k] == no_expr ? before : call(Op::mul, {before, after[k]});
      give(k, 1, {rest});
      before = before == no_expr ? args[k] : call(Op::mul, {before, args[k]});
    }
    return;
  }
  case Op::div: give(0, 1, {}, {args[1]}); return give(1, -1, {args[0]}, {args[1], args[1]});
  case Op::pow: {
    if (d_.arena[args[1]].op == Op::number) {
      double e = d_.arena.value(args[1]);
      if (e == 2) return give(0, 2, {args[0]});
      if (e == -1) return give(0, -1, {}, {args[0], args[0]});
      return give(0, e, {call(Op::pow, {args[0], real(e - 1)})});
    }
    ExprId lower = call(Op::pow, {args[0], call(Op::sub, {args[1], real(1)})});
    give(0, 1, {args[1], lower});
    return give(1, 1, {id, call(Op::log, {args[0]})});
  }
  case Op::exp: return give(0, 1, {id});
  case Op::exp2: return give(0, 1, {id, call(Op::log, {real(2)})});
  case Op::expm1: return give(0, 1, {call(Op::exp, {args[0]})});
  case Op::log: return give(0, 1, {}, {args[0]});
  case Op::log2: return give(0, 1, {}, {args[0], call(Op::log, {real(2)})});
  case Op::log1p: return give(0, 1, {}, {call(Op::add, {real(1), args[0]})});
  case Op::sqrt: return give(0, 0.5, {}, {id});
  case Op::rsqrt: return give(0, -0.5, {id, id, id});
  case Op::tanh: return give(0, 1, {one_minus(call(Op::pow, {id, real(2)}))});
  case Op::erf: {
    ExprId bell = call(Op::exp, {call(Op::neg, {call(Op::pow, {args[0], real(2)})})});
    return give(0, 2, {bell}, {call(Op::sqrt, {d_.arena.number(std::numbers::pi)})});
  }
  case Op::sigmoid: return give(0, 1, {id, one_minus(id)});
  case Op::sin: return give(0, 1, {call(Op::cos, {args[0]})});
  case Op::cos: return give(0, -1, {call(Op::sin, {args[0]})});
  case Op::atan: return give(0, 1, {}, {call(Op::add, {real(1), call(Op::pow, {args[0], real(2)})})});
  case Op::abs: return give(0, 1, {call(Op::sign, {args[0]})});
  case Op::mod: give(0, 1, {}); return give(1, -1, {call(Op::floor, {call(Op::div, {args[0], args[1]})})});
  case Op::round_to:
    if (is_float(static_cast<DType>(n.payload))) give(0, 1, {});
    return;
  case Op::min:
  case Op::max: {
    auto wins = [&](std::size_t k) {
      bool less = n.op == Op::min;
      return call(Op::lt, {args[less ? k : 1 - k], args[less ? 1 - k : k]});
    };
    bool both = active.at(args[0]) && active.at(args[1]);
    for (std::size_t k = 0; k < 2; ++k) {
      if (!both) {
        under(k, wins(k));
        continue;
      }
      ExprId half = call(Op::select, {call(Op::eq, {args[0], args[1]}), d_.arena.number(0.5), real(0)});
      give(k, 1, {call(Op::select, {wins(k), d_.arena.number(1), half})});
    }
    return;
  }
  case Op::select: under(1, args[0]); return under(2, call(Op::not_, {args[0]}));
  default: throw std::logic_error("a node that has a derivative and no rule");
  }
}

} // namespace aicf
