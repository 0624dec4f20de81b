// Reductions become statements, folds of user reducers recurrences.
#include "core/expr/normal.hpp"
#include "core/structure/gradient.hpp"
#include "core/structure/gradient_builder.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace aicf {
namespace {

bool differentiable(const TensorDecl& t) { return t.kind == Kind::real && (t.type.generic || is_float(t.type.fixed)); }

} // namespace

GradientBuilder::GradientBuilder(const Definition& source)
    : source_(&source), d_(source), ranges_(d_.arena), sums_(d_, [this](VarId v) { return ranges_.box(v); }),
      free_(d_.arena) {
  for (const TensorDecl& t : d_.tensors) taken_.insert(t.name);
  for (const ScalarDecl& s : d_.scalars) taken_.insert(s.name);
  for (const UserReducer& r : d_.reducers) taken_.insert(r.name);
  taken_.insert(d_.dims.begin(), d_.dims.end());
}

std::string GradientBuilder::unique(const std::string& name) {
  std::string made = name;
  for (int k = 2; !taken_.insert(made).second; ++k) made = name + "_" + std::to_string(k);
  return made;
}

Result<Definition> GradientBuilder::run() {
  std::vector<TensorId> inputs;
  for (TensorId t = 0; t < d_.inputs; ++t)
    if (differentiable(d_.tensors[t])) inputs.push_back(t);
  if (inputs.empty())
    return error("gradient.input", "'" + d_.name + "' has no input of type float to differentiate by");
  if (std::none_of(d_.outputs.begin(), d_.outputs.end(), [&](TensorId y) { return differentiable(d_.tensors[y]); }))
    return error("gradient.result", "'" + d_.name + "' has no result of type float to differentiate");
  for (const Statement& s : d_.statements)
    for (std::size_t k = 0; k < s.vars.size(); ++k) ranges_.bind(s.vars[k], s.lo[k], s.hi[k]);
  std::vector<ExprId> roots;
  for (const Statement& s : d_.statements) roots.push_back(s.body);
  std::map<VarId, Ranges::Bounds> bound; // outer variables have smaller ids
  for (ExprId id : nodes_below(d_.arena, roots)) {
    if (d_.arena[id].op != Op::reduce) continue;
    const Reduce& what = d_.arena.reduction(id);
    for (std::size_t k = 0; k < what.vars.size(); ++k)
      bound[what.vars[k]] = {d_.arena.operand(id, 2 * k), d_.arena.operand(id, 2 * k + 1)};
  }
  for (const auto& [var, range] : bound) ranges_.bind(var, range.first, range.second);
  find_active();
  lift();
  if (!problems_.empty()) return problems_;
  forward_ = d_.statements.size();
  for (std::size_t i = 0; i < forward_; ++i) {
    const Statement& s = d_.statements[i];
    bool alone = (i == 0 || d_.statements[i - 1].group != s.group) &&
                 (i + 1 == forward_ || d_.statements[i + 1].group != s.group) && s.step == 0;
    if (alone) sums_.define(s.target, s.vars, s.body);
    if (alone && d_.arena[s.body].op == Op::reduce)
      if (auto form = sums_.of(s.body)) {
        std::vector<Axis> axes;
        for (std::size_t k = 0; k < s.vars.size(); ++k) axes.push_back({s.vars[k], s.lo[k], s.hi[k]});
        remember(*form, axes, s.target);
      }
  }
  for (TensorId y : std::vector<TensorId>(d_.outputs)) {
    if (!differentiable(d_.tensors[y])) continue;
    TensorDecl decl = d_.tensors[y];
    decl.name = unique("d_" + decl.name);
    auto id = static_cast<TensorId>(d_.tensors.size());
    d_.tensors.push_back(std::move(decl));
    active_.push_back(1);
    statement_of_tensor_.push_back(d_.statements.size());
    cotangent_inputs_.push_back(id);
    if (active_[y] == 0) continue;
    Cotangent& c = cotangent(y);
    std::vector<ExprId> at;
    for (const Axis& a : c.axes) at.push_back(ranges_.index(a.var));
    Product seed;
    seed.up.push_back(d_.arena.make(Op::load, Kind::real, id, at));
    c.parts.push_back({{}, std::move(seed)});
  }
  reverse();
  for (TensorId x : inputs) {
    Cotangent& c = cotangent(x);
    finish(c, true);
    results_.push_back(d_.arena[c.value].payload);
  }
  if (!problems_.empty()) return problems_;
  return emit();
}

void GradientBuilder::find_active() {
  active_.assign(d_.tensors.size(), 0);
  for (TensorId t = 0; t < d_.inputs; ++t) active_[t] = differentiable(d_.tensors[t]) ? 1 : 0;
  for (bool again = true; again;) { // more than once only round recurrences
    again = false;
    for (const Statement& s : d_.statements) {
      if (active_[s.target] != 0 || d_.tensors[s.target].kind != Kind::real) continue;
      bool yes = active_nodes(s.body).at(s.body);
      for (const Initial& i : s.initial) yes = yes || active_nodes(i.value).at(i.value);
      if (!yes) continue;
      active_[s.target] = 1;
      again = again || s.step != 0 || !s.initial.empty();
    }
    bool cyclic =
        std::any_of(d_.statements.begin(), d_.statements.end(), [](const Statement& s) { return s.step != 0; });
    again = again && cyclic;
  }
}

/// Which of the nodes below `root` have a derivative that is not zero by rule.
std::unordered_map<ExprId, bool> GradientBuilder::active_nodes(ExprId root) const {
  const Arena& arena = d_.arena;
  std::unordered_map<ExprId, bool> active;
  for (ExprId id : nodes_below(arena, std::array{root})) {
    const Node& n = arena[id];
    auto of = [&](std::size_t k) { return active.at(arena.operand(id, k)); };
    bool yes = false;
    if (n.kind == Kind::real || n.op == Op::reduce) {
      switch (n.op) {
      case Op::load: yes = active_[n.payload] != 0; break;
      case Op::padded_load: yes = active_[n.payload] != 0 || of(n.count - 1); break;
      case Op::sign:
      case Op::floor:
      case Op::ceil:
      case Op::round:
      case Op::floordiv: break;
      case Op::select: yes = of(1) || of(2); break;
      case Op::reduce: {
        ReducerId r = arena.reduction(id).reducer;
        yes = (r <= static_cast<ReducerId>(Builtin::min) || r >= first_user_reducer) && of(n.count - 1);
        break;
      }
      default:
        for (ExprId o : arena.operands(id)) yes = yes || active.at(o);
      }
    }
    active[id] = yes;
  }
  return active;
}

Statement& GradientBuilder::add_statement(const std::string& name, Kind kind, const std::vector<Axis>& axes,
                                          ExprId body) {
  TensorDecl decl;
  decl.name = unique(name);
  decl.kind = kind;
  Statement s;
  s.target = static_cast<TensorId>(d_.tensors.size());
  s.body = body;
  for (const Axis& a : axes) {
    decl.shape.push_back(d_.arena.is_number(a.lo, 0) ? a.hi : ranges_.minus(a.hi, a.lo));
    s.vars.push_back(a.var);
    s.lo.push_back(a.lo);
    s.hi.push_back(a.hi);
  }
  s.group = next_group_++;
  d_.tensors.push_back(std::move(decl));
  active_.push_back(1);
  statement_of_tensor_.push_back(d_.statements.size());
  d_.statements.push_back(std::move(s));
  return d_.statements.back();
}

/// New variables for `vars`, over boxes; `names` receives what stands for each.
std::vector<Axis> GradientBuilder::fresh_axes(const std::vector<VarId>& vars, Ranges::Map& names) {
  std::vector<Axis> axes;
  for (VarId v : vars) {
    auto box = ranges_.box(v);
    if (!box) {
      problems_.push_back(error("gradient.range", "the range of the index '" + d_.vars[v] +
                                                      "' depends on others in a way that dims do not bound"));
      box = Ranges::Bounds{d_.arena.integer(0), d_.arena.integer(1)};
    }
    auto var = static_cast<VarId>(d_.vars.size());
    d_.vars.push_back(d_.vars[v]);
    ranges_.bind(var, box->first, box->second);
    axes.push_back({var, box->first, box->second});
    names[v] = ranges_.index(var);
  }
  return axes;
}

void GradientBuilder::lift() {
  std::vector<Statement> source = std::move(d_.statements);
  d_.statements.clear();
  statement_of_tensor_.assign(d_.tensors.size(), 0);
  for (std::size_t begin = 0, end = 0; begin < source.size(); begin = end) {
    while (end < source.size() && source[end].group == source[begin].group) ++end;
    std::span group = std::span(source).subspan(begin, end - begin);
    for (Statement& s : group) { // what first values read comes before the recurrence
      Statement outside = s;
      outside.step = 0;
      for (Initial& i : s.initial)
        if (active_[s.target] != 0) i.value = lift_below(i.value, outside, false);
    }
    for (Statement& s : group) {
      if (active_[s.target] != 0) s.body = lift_below(s.body, s, true);
      statement_of_tensor_[s.target] = d_.statements.size();
      d_.statements.push_back(s);
    }
  }
}

ExprId GradientBuilder::lift_below(ExprId root, Statement& parent, bool keep_root) {
  auto active = active_nodes(root);
  bool any = std::any_of(active.begin(), active.end(), [&](const auto& entry) {
    return entry.second && d_.arena[entry.first].op == Op::reduce && !(keep_root && entry.first == root);
  });
  if (!any && !(d_.arena[root].op == Op::reduce && d_.arena.reduction(root).reducer >= first_user_reducer)) return root;
  std::unordered_map<ExprId, ExprId> made;
  std::vector<ExprId> args;
  for (ExprId id : nodes_below(d_.arena, std::array{root})) {
    const Node n = d_.arena[id];
    args.clear();
    for (ExprId o : d_.arena.operands(id)) args.push_back(made.at(o));
    ExprId out = d_.arena.with_operands(id, args);
    if (n.op == Op::reduce && active.at(id)) {
      if (d_.arena.reduction(id).reducer >= first_user_reducer)
        out = as_recurrence(out, parent);
      else if (!keep_root || id != root)
        out = lifted(out, parent);
    }
    made[id] = out;
  }
  return made.at(root);
}

ExprId GradientBuilder::lifted(ExprId reduce, const Statement& parent) {
  const std::vector<VarId> vars = free_.of(reduce);
  Ranges::Map names;
  std::vector<Axis> axes = fresh_axes(vars, names);
  Kind kind = d_.arena[reduce].kind;
  Statement& s = add_statement(d_.tensors[parent.target].name + "_r", kind, axes, ranges_.replace(reduce, names));
  if (parent.step != 0) s.group = parent.group;
  s.at = parent.at;
  for (std::size_t k = 0; k < vars.size(); ++k)
    if (parent.step != 0 && vars[k] == parent.vars[parent.axis]) s.axis = static_cast<std::uint32_t>(k);
  std::vector<ExprId> at;
  for (VarId v : vars) at.push_back(ranges_.index(v));
  return d_.arena.make(Op::load, kind, s.target, at);
}

/// A fold in index order: h[…, r] = combine(h[…, r - 1], x) where r takes part, else h[…, r - 1]; its last value.
ExprId GradientBuilder::as_recurrence(ExprId reduce, const Statement& parent) {
  Arena& arena = d_.arena;
  const Reduce what = arena.reduction(reduce);
  const std::vector<ExprId> operands(arena.operands(reduce).begin(), arena.operands(reduce).end());
  if (what.vars.size() != 1 || parent.step != 0) {
    problems_.push_back(error("gradient.reducer",
                              "a user's reducer over several indices, or in a recurrence, has no "
                              "derivative here",
                              parent.at));
    return reduce;
  }
  std::vector<VarId> vars = free_.of(reduce);
  const std::size_t outer = vars.size();
  vars.push_back(what.vars[0]);
  Ranges::Map names;
  std::vector<Axis> axes = fresh_axes(vars, names);
  const UserReducer& reducer = d_.reducers[what.reducer - first_user_reducer];
  std::vector<ExprId> here, before, first;
  for (const Axis& a : axes) here.push_back(ranges_.index(a.var));
  before = first = here;
  before.back() = ranges_.plus(here.back(), -1);
  first.back() = ranges_.plus(axes.back().lo, -1);
  auto target = static_cast<TensorId>(d_.tensors.size());
  ExprId old = arena.make(Op::load, Kind::real, target, before);
  ExprId element = ranges_.replace(operands[3], names);
  std::unordered_map<ExprId, ExprId> made;
  for (ExprId id : nodes_below(arena, std::array{reducer.combine})) {
    const Node n = arena[id];
    std::vector<ExprId> args;
    for (ExprId o : arena.operands(id)) args.push_back(made.at(o));
    made[id] = n.op == Op::symbol ? (n.payload == 0 ? old : element) : arena.make(n.op, n.kind, n.payload, args);
  }
  ExprId lo = ranges_.replace(operands[0], names), hi = ranges_.replace(operands[1], names);
  std::vector<ExprId> conditions;
  if (!arena.is_number(operands[2], 1)) conditions.push_back(ranges_.replace(operands[2], names));
  if (!ranges_.at_most(lo, axes.back().lo)) conditions.push_back(call(Op::le, {lo, here.back()}));
  if (!ranges_.at_most(axes.back().hi, hi)) conditions.push_back(call(Op::lt, {here.back(), hi}));
  ExprId body = made.at(reducer.combine);
  for (ExprId c : conditions) body = call(Op::select, {c, body, old});
  Statement& s = add_statement(d_.tensors[parent.target].name + "_r", Kind::real, axes, body);
  s.at = parent.at;
  s.axis = static_cast<std::uint32_t>(outer);
  s.step = 1;
  s.initial.push_back({first, reducer.identity});
  std::vector<ExprId> at;
  for (std::size_t k = 0; k < outer; ++k) at.push_back(ranges_.index(vars[k]));
  at.push_back(ranges_.plus(axes.back().hi, -1));
  ExprId last = arena.make(Op::load, Kind::real, target, at);
  ExprId some = call(Op::lt, {axes.back().lo, axes.back().hi});
  return call(Op::select, {some, last, reducer.identity});
}

Result<Definition> gradient(const Definition& definition) { return GradientBuilder(definition).run(); }

} // namespace aicf
