// Contributions become one expression: factors leave their sums, zero sums vanish, known ones are read, the rest are
// statements.
#include "core/expr/normal.hpp"
#include "core/structure/gradient_builder.hpp"

#include <algorithm>
#include <array>

namespace aicf {
namespace {

constexpr VarId position_base = 1U << 23U; ///< stands for the k-th axis of a known sum

/// A small product of elements: it is written where it is read, so that its factors can leave sums one by one.
bool trivial(const Arena& arena, ExprId e) {
  constexpr std::size_t most_nodes = 12;
  const std::vector<ExprId> nodes = nodes_below(arena, std::array{e});
  return nodes.size() <= most_nodes && std::all_of(nodes.begin(), nodes.end(), [&](ExprId id) {
           switch (arena[id].op) {
           case Op::number:
           case Op::index:
           case Op::dim:
           case Op::scalar:
           case Op::load:
           case Op::neg:
           case Op::mul:
           case Op::div:
           case Op::pow:
           case Op::sqrt: return true;
           default: return false;
           }
         });
}

} // namespace

bool GradientBuilder::mentions(ExprId e, const std::vector<Axis>& axes) {
  const std::vector<VarId>& vars = free_.of(e);
  return std::any_of(axes.begin(), axes.end(),
                     [&](const Axis& a) { return std::binary_search(vars.begin(), vars.end(), a.var); });
}

std::vector<ExprId> GradientBuilder::conjuncts(const std::vector<ExprId>& conditions) const {
  std::vector<ExprId> found, stack(conditions.rbegin(), conditions.rend());
  while (!stack.empty()) {
    ExprId c = stack.back();
    stack.pop_back();
    if (d_.arena[c].op != Op::and_) {
      found.push_back(c);
      continue;
    }
    stack.push_back(d_.arena.operand(c, 1));
    stack.push_back(d_.arena.operand(c, 0));
  }
  return found;
}

/// Conditions that bound one variable of a sum by things outside it become its range.
void GradientBuilder::tighten(std::vector<Axis>& axes, std::vector<ExprId>& conditions) {
  std::vector<ExprId> kept;
  for (ExprId c : conjuncts(conditions)) {
    const Node n = d_.arena[c];
    auto integer = [&](std::size_t k) { return d_.arena[d_.arena.operand(c, k)].kind == Kind::integer; };
    bool order = (n.op == Op::lt || n.op == Op::le) && integer(0) && integer(1);
    bool done = false;
    for (std::size_t i = 0; order && i < axes.size() && !done; ++i) {
      Linear gap = ranges_.linear(d_.arena.operand(c, 1)); // gap >= 0
      gap.add(ranges_.linear(d_.arena.operand(c, 0)), -1);
      if (n.op == Op::lt) --gap.constant;
      auto own = gap.terms.find(ranges_.index(axes[i].var));
      if (own == gap.terms.end() || std::abs(own->second) != 1) continue;
      const bool up = own->second > 0; // var >= -gap, else var <= gap
      gap.terms.erase(own);
      Linear limit;
      limit.add(gap, up ? -1 : 1);
      if (!up) ++limit.constant;
      ExprId bound = ranges_.node(limit);
      if (mentions(bound, axes)) continue;
      ExprId& edge = up ? axes[i].lo : axes[i].hi;
      bool inside = up ? ranges_.at_most(edge, bound) : ranges_.at_most(bound, edge);
      bool idle = up ? ranges_.at_most(bound, edge) : ranges_.at_most(edge, bound);
      if (inside)
        edge = bound;
      else if (!idle)
        edge = d_.arena.make(up ? Op::max : Op::min, Kind::integer, {edge, bound});
      done = true;
    }
    if (!done) kept.push_back(c);
  }
  conditions = std::move(kept);
}

GradientBuilder::Sum GradientBuilder::separate(const Contribution& part) {
  Sum s;
  s.axes = part.axes;
  s.outer = part.term;
  if (s.axes.empty()) return s;
  tighten(s.axes, s.outer.conditions);
  Product inner;
  auto split = [&](std::vector<ExprId>& from, std::vector<ExprId>& to) {
    for (ExprId f : from)
      if (mentions(f, s.axes)) to.push_back(f);
    std::erase_if(from, [&](ExprId f) { return mentions(f, s.axes); });
  };
  split(s.outer.up, inner.up);
  split(s.outer.down, inner.down);
  split(s.outer.conditions, s.conditions);
  for (std::size_t i = 0; i < s.axes.size();) { // what nothing reads counts
    const Axis a = s.axes[i];
    const std::vector<Axis> one{a};
    bool read = mentions(a.lo, s.axes) || mentions(a.hi, s.axes);
    for (const std::vector<ExprId>* list : {&inner.up, &inner.down, &s.conditions})
      for (ExprId f : *list) read = read || mentions(f, one);
    for (const Axis& b : s.axes) read = read || mentions(b.lo, one) || mentions(b.hi, one);
    if (read) {
      ++i;
      continue;
    }
    ExprId extent = d_.arena.is_number(a.lo, 0) ? a.hi : ranges_.minus(a.hi, a.lo);
    if (!ranges_.at_most(a.lo, a.hi)) extent = d_.arena.make(Op::max, Kind::integer, {extent, d_.arena.integer(0)});
    s.outer.up.push_back(extent);
    s.axes.erase(s.axes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  s.body = inner.up.empty() && inner.down.empty() ? d_.arena.number(1) : node(inner);
  return s;
}

ExprId GradientBuilder::reduce_node(const Sum& s) {
  Reduce what{static_cast<ReducerId>(Builtin::sum), {}};
  std::vector<ExprId> operands;
  for (const Axis& a : s.axes) {
    what.vars.push_back(a.var);
    operands.push_back(a.lo);
    operands.push_back(a.hi);
  }
  ExprId all = no_expr;
  for (ExprId c : s.conditions) all = all == no_expr ? c : call(Op::and_, {all, c});
  operands.push_back(all == no_expr ? d_.arena.boolean(true) : all);
  operands.push_back(s.body);
  return d_.arena.reduce(what, operands);
}

/// Two sums over equal ranges with the same factor before them are one.
bool GradientBuilder::merge(Sum& into, const Sum& other) {
  if (into.axes.size() != other.axes.size() || into.conditions.size() != other.conditions.size()) return false;
  Product a = into.outer, b = other.outer;
  const double ratio = b.scale / a.scale;
  a.scale = b.scale = 1;
  if (node(a) != node(b)) return false;
  Ranges::Map names;
  for (std::size_t k = 0; k < into.axes.size(); ++k) {
    if (ranges_.replace(other.axes[k].lo, names) != into.axes[k].lo) return false;
    if (ranges_.replace(other.axes[k].hi, names) != into.axes[k].hi) return false;
    names[other.axes[k].var] = ranges_.index(into.axes[k].var);
  }
  for (std::size_t k = 0; k < into.conditions.size(); ++k)
    if (ranges_.replace(other.conditions[k], names) != into.conditions[k]) return false;
  Product mine, theirs;
  times(mine, into.body);
  times(theirs, ranges_.replace(other.body, names));
  theirs.scale *= ratio;
  into.body = total({mine, theirs});
  return true;
}

ExprId GradientBuilder::summed(const std::string& name, const Sum& sum) {
  ExprId reduce = reduce_node(sum);
  const std::vector<VarId> vars = free_.of(reduce);
  Ranges::Map names;
  std::vector<Axis> axes = fresh_axes(vars, names);
  const Statement s = add_statement(name + "_sum", Kind::real, axes, ranges_.replace(reduce, names));
  sums_.define(s.target, s.vars, s.body);
  if (auto form = sums_.of(s.body)) remember(*form, axes, s.target);
  std::vector<ExprId> at;
  for (VarId v : vars) at.push_back(ranges_.index(v));
  return d_.arena.make(Op::load, Kind::real, s.target, at);
}

void GradientBuilder::remember(const Form& form, const std::vector<Axis>& axes, TensorId tensor) {
  std::map<VarId, VarId> names;
  for (std::size_t k = 0; k < axes.size(); ++k) names[axes[k].var] = position_base + static_cast<VarId>(k);
  auto key = sums_.rename(form, names);
  if (!key || key->empty()) return;
  mpq_class lead = key->begin()->second;
  known_.try_emplace(Algebra::scale(*key, 1 / lead), KnownSum{tensor, axes, lead});
}

/// A statement that holds the same sum up to a factor, over ranges that are wide enough.
std::optional<Product> GradientBuilder::known_sum(ExprId reduce, const Form& form) {
  constexpr std::size_t most_ordered = 3;
  std::vector<VarId> vars = free_.of(reduce);
  do {
    std::map<VarId, VarId> names;
    for (std::size_t k = 0; k < vars.size(); ++k) names[vars[k]] = position_base + static_cast<VarId>(k);
    auto key = sums_.rename(form, names);
    if (!key || key->empty()) return std::nullopt;
    mpq_class lead = key->begin()->second;
    auto found = known_.find(Algebra::scale(*key, 1 / lead));
    if (found == known_.end() || found->second.axes.size() != vars.size()) continue;
    const KnownSum& known = found->second;
    bool wide = true;
    std::vector<ExprId> at;
    for (std::size_t k = 0; k < vars.size(); ++k) {
      auto box = ranges_.box(vars[k]);
      wide = wide && box && ranges_.at_most(known.axes[k].lo, box->first) &&
             ranges_.at_most(box->second, known.axes[k].hi);
      at.push_back(ranges_.index(vars[k]));
    }
    mpq_class ratio = lead / known.lead;
    if (!wide || mpq_class(ratio.get_d()) != ratio) continue;
    Product p;
    p.scale = ratio.get_d();
    p.up.push_back(d_.arena.make(Op::load, Kind::real, known.tensor, at));
    return p;
  } while (vars.size() <= most_ordered && std::next_permutation(vars.begin(), vars.end()));
  return std::nullopt;
}

ExprId GradientBuilder::collect(const Cotangent& c) {
  std::vector<Product> terms;
  std::vector<Sum> open;
  for (const Contribution& part : c.parts) {
    Sum s = separate(part);
    if (s.axes.empty()) {
      terms.push_back(std::move(s.outer));
      continue;
    }
    ExprId reduce = reduce_node(s);
    s.form = sums_.of(reduce);
    if (s.form) {
      if (sums_.zero(*s.form) != SumAlgebra::Zero::no) continue;
      if (auto known = known_sum(reduce, *s.form)) {
        s.outer.scale *= known->scale;
        times(s.outer, known->up[0]);
        terms.push_back(std::move(s.outer));
        continue;
      }
    }
    bool joined = std::any_of(open.begin(), open.end(), [&](Sum& before) { return merge(before, s); });
    if (!joined) open.push_back(std::move(s));
  }
  auto bare = [](const Product& p) { return p.scale == 1 && p.up.empty() && p.down.empty() && p.conditions.empty(); };
  if (terms.empty() && open.size() == 1 && bare(open[0].outer)) return reduce_node(open[0]);
  for (Sum& s : open) {
    times(s.outer, summed(c.name, s));
    terms.push_back(std::move(s.outer));
  }
  ExprId sum = total(terms);
  return d_.arena.is_number(sum, 0) ? no_expr : sum;
}

void GradientBuilder::finish(Cotangent& c, bool keep) {
  c.value = collect(c);
  c.parts.clear();
  if (c.value != no_expr)
    if (auto form = sums_.of(c.value); form && sums_.zero(*form) != SumAlgebra::Zero::no) c.value = no_expr;
  if (c.value == no_expr && !keep) return;
  if (c.value == no_expr) c.value = d_.arena.number(0);
  if (!keep && trivial(d_.arena, c.value)) return;
  const Statement s = add_statement(c.name, Kind::real, c.axes, c.value);
  sums_.define(s.target, s.vars, s.body);
  if (d_.arena[s.body].op == Op::reduce)
    if (auto form = sums_.of(s.body)) remember(*form, c.axes, s.target);
  std::vector<ExprId> at;
  for (const Axis& a : c.axes) at.push_back(ranges_.index(a.var));
  c.value = d_.arena.make(Op::load, Kind::real, s.target, at);
}

} // namespace aicf
