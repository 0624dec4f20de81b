// From a load x[2*i + r] with a cotangent over i and r to a contribution to d_x[w]: the index equations 2*i + r = w are
// solved for variables where they are linear with literal factors, and stay conditions where they are not (gathers).
#include "core/structure/gradient_builder.hpp"

#include <algorithm>
#include <cctype>

namespace aicf {

Cotangent& GradientBuilder::cotangent(TensorId tensor) {
  auto [it, fresh] = cotangents_.try_emplace(tensor);
  Cotangent& c = it->second;
  if (!fresh) return c;
  const TensorDecl& decl = d_.tensors[tensor];
  c.name = "d_" + decl.name;
  const bool input = tensor < d_.inputs;
  for (std::size_t k = 0; k < decl.shape.size(); ++k) {
    std::string name;
    ExprId lo = d_.arena.integer(0), hi = decl.shape[k];
    if (!input) {
      const Statement& s = d_.statements[statement_of_tensor_[tensor]];
      name = d_.vars[s.vars[k]];
      lo = s.lo[k];
      hi = s.hi[k];
    } else {
      for (ExprId id = 0; id < source_->arena.size() && name.empty(); ++id) { // as the text calls it
        const Node& n = source_->arena[id];
        if (n.op != Op::load || n.payload != tensor) continue;
        const Node& index = source_->arena[source_->arena.operand(id, k)];
        if (index.op == Op::index) name = source_->vars[index.payload];
      }
      if (name.empty() && d_.arena[hi].op == Op::dim) name = d_.dims[d_.arena[hi].payload];
      for (char& ch : name) ch = static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
      if (name.empty()) name.push_back('i');
    }
    auto var = static_cast<VarId>(d_.vars.size());
    d_.vars.push_back(name);
    ranges_.bind(var, lo, hi);
    c.axes.push_back({var, lo, hi});
  }
  return c;
}

ExprId GradientBuilder::cotangent_at(const Cotangent& c, const std::vector<ExprId>& indices) {
  Ranges::Map with;
  for (std::size_t k = 0; k < indices.size(); ++k) with[c.axes[k].var] = indices[k];
  return ranges_.replace(c.value, with);
}

void GradientBuilder::load(const std::vector<Axis>& space, ExprId id, const Product& c) {
  const Node n = d_.arena[id];
  std::vector<ExprId> indices(d_.arena.operands(id).begin(), d_.arena.operands(id).end());
  const TensorId tensor = n.payload;
  const bool input = tensor < d_.inputs;
  if (n.op == Op::padded_load) {
    ExprId outside = indices.back();
    indices.pop_back();
    if (d_.arena[outside].op != Op::number) {
      const Statement* s = input ? nullptr : &d_.statements[statement_of_tensor_[tensor]];
      ExprId inside = no_expr;
      for (std::size_t k = 0; k < indices.size(); ++k) {
        ExprId lo = s != nullptr ? s->lo[k] : d_.arena.integer(0);
        ExprId hi = s != nullptr ? s->hi[k] : d_.tensors[tensor].shape[k];
        for (ExprId side :
             {ranges_.at_most(lo, indices[k]) ? no_expr : call(Op::le, {lo, indices[k]}),
              ranges_.at_most(ranges_.plus(indices[k], 1), hi) ? no_expr : call(Op::lt, {indices[k], hi})})
          if (side != no_expr) inside = inside == no_expr ? side : call(Op::and_, {inside, side});
      }
      Product p = c;
      if (inside != no_expr) {
        p.conditions.push_back(call(Op::not_, {inside}));
        push(outside, std::move(p));
      }
    }
  }
  if (active_[tensor] == 0) return;
  Cotangent& main = cotangent(tensor);
  std::vector<ExprId> wanted;
  for (const Axis& a : main.axes) wanted.push_back(ranges_.index(a.var));
  scatter(space, main, wanted, indices, c);
  if (!in_group_.contains(tensor)) return;
  const Statement s = d_.statements[statement_of_tensor_[tensor]];
  if (s.initial.empty() || ranges_.linear(indices[s.axis]).constant == 0) return;
  for (std::size_t k = 0; k < s.initial.size(); ++k) {
    Cotangent& first = first_[{tensor, k}];
    if (first.name.empty()) {
      first.name = main.name + "_first";
      Ranges::Map names;
      std::vector<VarId> vars;
      for (std::size_t a = 0; a < s.vars.size(); ++a)
        if (a != s.axis) vars.push_back(s.vars[a]);
      first.axes = fresh_axes(vars, names);
    }
    std::vector<ExprId> at;
    for (std::size_t a = 0, b = 0; a < s.vars.size(); ++a)
      at.push_back(a == s.axis ? s.initial[k].indices[a] : ranges_.index(first.axes[b++].var));
    scatter(space, first, at, indices, c);
  }
}

/// What is known of the variables of a space once index equations are solved.
struct GradientBuilder::Inverse {
  GradientBuilder* builder;
  const std::vector<Axis>* space;
  Ranges::Map solution;
  std::vector<ExprId> conditions;
  bool impossible = false;

  Ranges& ranges() { return builder->ranges_; }
  Arena& arena() { return builder->d_.arena; }
  [[nodiscard]] bool open(VarId v) const {
    return !solution.contains(v) &&
           std::any_of(space->begin(), space->end(), [&](const Axis& a) { return a.var == v; });
  }

  /// a <= b, unless that is certain. Written with positive terms on both sides.
  void at_most(ExprId a, ExprId b) {
    Linear gap = ranges().linear(b);
    gap.add(ranges().linear(a), -1);
    if (gap.terms.empty()) {
      impossible = impossible || gap.constant < 0;
      return;
    }
    if (ranges().at_most(a, b)) return;
    if (ranges().at_most(ranges().plus(b, 1), a)) {
      impossible = true;
      return;
    }
    Linear left, right;
    for (const auto& [atom, k] : gap.terms) (k > 0 ? right : left).terms[atom] = std::abs(k);
    const bool strict = gap.constant < 0;
    (strict ? left : right).constant = strict ? -gap.constant - 1 : gap.constant;
    conditions.push_back(builder->call(strict ? Op::lt : Op::le, {ranges().node(left), ranges().node(right)}));
  }
  void below(ExprId a, ExprId b) { at_most(ranges().plus(a, 1), b); }

  void solve(VarId v, ExprId value) {
    for (auto& [var, e] : solution) e = ranges().replace(e, {{v, value}});
    for (ExprId& c : conditions) c = ranges().replace(c, {{v, value}});
    solution[v] = value;
  }

  /// 0 = form: one variable becomes a function of the rest. `alone`: only where the others are known.
  bool eliminate(const Linear& form, bool alone) {
    std::vector<std::pair<VarId, std::int64_t>> candidates;
    std::set<VarId> unknown, hidden; // hidden: inside something that is not linear
    for (const auto& [atom, k] : form.terms) {
      const Node& n = arena()[atom];
      for (VarId v : std::vector<VarId>(builder->free_.of(atom))) {
        if (!open(v)) continue;
        unknown.insert(v);
        if (n.op != Op::index) hidden.insert(v);
      }
    }
    if (unknown.empty() || (alone && unknown.size() > 1)) return false;
    for (const Axis& a : *space) {
      if (!unknown.contains(a.var) || hidden.contains(a.var)) continue;
      auto k = form.terms.find(ranges().index(a.var));
      if (k != form.terms.end()) candidates.emplace_back(a.var, k->second);
    }
    if (candidates.empty()) return false;
    auto [v, k] = candidates.front();
    Linear rest = form;
    rest.terms.erase(ranges().index(v));
    Linear negated;
    negated.add(rest, k > 0 ? -1 : 1);
    const std::int64_t by = std::abs(k);
    if (by == 1) {
      solve(v, ranges().node(negated));
      return true;
    }
    for (const auto& [w, factor] : candidates) { // by * v + w = rest with 0 <= w < by: quotient and remainder
      auto box = std::abs(factor) == 1 ? ranges().box(w) : std::nullopt;
      if (!box || (factor > 0) != (k > 0) || !arena().is_number(box->first, 0) ||
          !arena().is_number(box->second, static_cast<double>(by)))
        continue;
      negated.terms.erase(ranges().index(w));
      ExprId q = ranges().node(negated), n = arena().integer(by);
      solve(v, arena().make(Op::floordiv, Kind::integer, {q, n}));
      solve(w, arena().make(Op::mod, Kind::integer, {q, n}));
      return true;
    }
    ExprId q = ranges().node(negated), n = arena().integer(by);
    conditions.push_back(builder->call(Op::eq, {arena().make(Op::mod, Kind::integer, {q, n}), arena().integer(0)}));
    solve(v, arena().make(Op::floordiv, Kind::integer, {q, n}));
    return true;
  }
};

/// Conditions a == b of a sum are equations too: sum[j where j == k[i]] f(j) is f(k[i]).
void GradientBuilder::solve_conditions(Inverse& inverse, std::vector<ExprId>& conditions) {
  std::vector<ExprId> all = conjuncts(conditions);
  conditions.clear();
  for (ExprId c : all) {
    bool solved = false;
    if (d_.arena[c].op == Op::eq && d_.arena[d_.arena.operand(c, 0)].kind == Kind::integer &&
        d_.arena[d_.arena.operand(c, 1)].kind == Kind::integer) {
      Linear form = ranges_.linear(ranges_.replace(d_.arena.operand(c, 0), inverse.solution));
      form.add(ranges_.linear(ranges_.replace(d_.arena.operand(c, 1), inverse.solution)), -1);
      solved = inverse.eliminate(form, false);
    }
    if (!solved) conditions.push_back(c);
  }
}

void GradientBuilder::scatter(const std::vector<Axis>& space, Cotangent& target, const std::vector<ExprId>& wanted,
                              const std::vector<ExprId>& indices, Product term) {
  Inverse inverse{this, &space, {}, {}, false};
  std::vector<bool> used(indices.size(), false);
  auto equation = [&](std::size_t k) {
    Linear form = ranges_.linear(ranges_.replace(indices[k], inverse.solution));
    form.add(ranges_.linear(wanted[k]), -1);
    return form;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (bool alone : {true, false}) {
      for (std::size_t k = 0; k < indices.size() && !progress; ++k)
        if (!used[k] && inverse.eliminate(equation(k), alone)) used[k] = progress = true;
      if (progress) break;
    }
  }
  solve_conditions(inverse, term.conditions);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (used[k]) continue;
    Linear form = equation(k);
    if (form.terms.empty()) {
      inverse.impossible = inverse.impossible || form.constant != 0;
      continue;
    }
    ExprId index = ranges_.replace(indices[k], inverse.solution);
    const Node n = d_.arena[index];
    const ExprId by = n.op == Op::floordiv ? d_.arena.operand(index, 1) : no_expr;
    if (by != no_expr && d_.arena[by].op == Op::number && d_.arena.value(by) > 0) { // by * w <= e < by * (w + 1)
      const auto step = static_cast<std::int64_t>(d_.arena.value(by));
      Linear least;
      least.add(ranges_.linear(wanted[k]), step);
      ExprId lo = ranges_.node(least), e = d_.arena.operand(index, 0);
      inverse.at_most(lo, e);
      inverse.below(e, ranges_.plus(lo, step));
      continue;
    }
    inverse.conditions.push_back(call(Op::eq, {wanted[k], index}));
  }
  std::vector<Axis> axes;
  for (const Axis& a : space) {
    ExprId lo = ranges_.replace(a.lo, inverse.solution), hi = ranges_.replace(a.hi, inverse.solution);
    auto at = inverse.solution.find(a.var);
    const ExprId value = at == inverse.solution.end() ? ranges_.index(a.var) : at->second;
    std::vector<Axis> later{a}; // variables that a bound here may not name
    for (const Axis& b : space)
      if (b.var > a.var && inverse.open(b.var)) later.push_back(b);
    const bool tangled = mentions(lo, later) || mentions(hi, later);
    if (at == inverse.solution.end() && !tangled) {
      axes.push_back({a.var, lo, hi});
      continue;
    }
    if (at == inverse.solution.end()) {
      auto box = ranges_.box(a.var);
      if (!box) problems_.push_back(error("gradient.range", "the range of '" + d_.vars[a.var] + "' has no bounds"));
      axes.push_back({a.var, box ? box->first : lo, box ? box->second : hi});
    }
    inverse.at_most(lo, value);
    inverse.below(value, hi);
  }
  if (inverse.impossible) return;
  for (std::vector<ExprId>* list : {&term.up, &term.down, &term.conditions})
    for (ExprId& f : *list) f = ranges_.replace(f, inverse.solution);
  // Beyond the end of a recurrence its cotangent is 0: where nothing else is read there, no condition is needed.
  auto beyond = [&](ExprId condition) {
    const Node n = d_.arena[condition];
    if (group_cotangents_.empty() || (n.op != Op::lt && n.op != Op::le)) return false;
    const std::vector<VarId> vars = free_.of(condition);
    if (vars.size() != 1) return false;
    bool carried = false;
    for (const std::vector<ExprId>* list : {&term.up, &term.down, &term.conditions})
      for (ExprId f : *list) {
        const Node& g = d_.arena[f];
        if (g.op == Op::load && group_cotangents_.contains(g.payload)) {
          const Statement& s = d_.statements[statement_of_tensor_[g.payload]];
          const Linear index = ranges_.linear(d_.arena.operand(f, s.axis));
          carried = carried || (index.constant != 0 && index.terms.contains(ranges_.index(vars[0])));
        } else {
          const std::vector<VarId>& of = free_.of(f);
          if (std::find(of.begin(), of.end(), vars[0]) != of.end()) return false;
        }
      }
    return carried;
  };
  std::erase_if(inverse.conditions, beyond);
  term.conditions.insert(term.conditions.end(), inverse.conditions.begin(), inverse.conditions.end());
  target.parts.push_back({std::move(axes), std::move(term)});
}

} // namespace aicf
