// The derived statements as text, and the text as a definition.
#include "core/expr/check.hpp"
#include "core/expr/normal.hpp"
#include "core/expr/print.hpp"
#include "core/structure/gradient_builder.hpp"

#include <algorithm>
#include <array>

namespace aicf {
namespace {

constexpr std::size_t shared_weight = 8; ///< nodes of a common subexpression that is worth a name
constexpr VarId position_base = 1U << 22U;

std::vector<ExprId> roots_of(const Statement& s) {
  std::vector<ExprId> roots{s.body};
  for (const Initial& i : s.initial) {
    roots.insert(roots.end(), i.indices.begin(), i.indices.end());
    roots.push_back(i.value);
  }
  return roots;
}

/// Copies statements into a new definition, each with variables of its own.
class Copy {
 public:
  Copy(const Definition& from, std::string name) : from_(from), tensors_(from.tensors.size(), 0) {
    to.name = std::move(name);
    to.dims = from.dims;
    for (const TensorDecl& t : from.tensors) taken_.insert(t.name);
    for (const ScalarDecl& s : from.scalars) taken_.insert(s.name);
    taken_.insert(from.dims.begin(), from.dims.end());
  }

  Definition to;

  void input(TensorId t) {
    tensor(t, from_.tensors[t]);
    ++to.inputs;
  }
  void tensor(TensorId t, TensorDecl decl) {
    names_.clear();
    for (ExprId& e : decl.shape) e = node(e);
    tensors_[t] = static_cast<TensorId>(to.tensors.size());
    to.tensors.push_back(std::move(decl));
  }
  void output(TensorId t) { to.outputs.push_back(tensors_[t]); }
  void scalars(const std::vector<char>& used) {
    scalar_.assign(used.size(), 0);
    for (std::size_t i = 0; i < used.size(); ++i) {
      scalar_[i] = static_cast<std::uint32_t>(to.scalars.size());
      if (used[i] != 0) to.scalars.push_back(from_.scalars[i]);
    }
  }
  void reducers() {
    to.reducers = from_.reducers;
    for (UserReducer& r : to.reducers) {
      r.combine = node(r.combine);
      r.identity = node(r.identity);
    }
  }
  void statement(const Statement& s) {
    vars_.clear();
    names_.clear();
    made_.clear();
    Statement out = s;
    out.target = tensors_[s.target];
    for (VarId& v : out.vars) v = variable(v);
    for (ExprId& e : out.lo) e = node(e);
    for (ExprId& e : out.hi) e = node(e);
    out.body = node(s.body);
    for (Initial& i : out.initial) {
      for (ExprId& e : i.indices) e = node(e);
      i.value = node(i.value);
    }
    to.statements.push_back(std::move(out));
    made_.clear();
    vars_.clear();
  }

 private:
  VarId variable(VarId v) {
    auto [it, fresh] = vars_.try_emplace(v, static_cast<VarId>(to.vars.size()));
    if (fresh) {
      std::string base = from_.vars[v], name = base;
      for (int k = 2; taken_.contains(name) || !names_.insert(name).second; ++k) name = base + std::to_string(k);
      to.vars.push_back(name);
    }
    return it->second;
  }
  ExprId node(ExprId root) {
    std::vector<ExprId> args;
    for (ExprId id : nodes_below(from_.arena, std::array{root})) {
      if (made_.contains(id)) continue;
      const Node& n = from_.arena[id];
      args.clear();
      for (ExprId o : from_.arena.operands(id)) args.push_back(made_.at(o));
      std::uint32_t payload = n.payload;
      if (n.op == Op::number) {
        made_[id] = to.arena.number(from_.arena.value(id), n.kind);
        continue;
      }
      if (n.op == Op::reduce) {
        Reduce what = from_.arena.reduction(id);
        for (VarId& v : what.vars) v = variable(v);
        ExprId made = to.arena.reduce(what, args);
        if (to.arena[made].kind != n.kind) made = to.arena.make(Op::reduce, n.kind, to.arena[made].payload, args);
        made_[id] = made;
        continue;
      }
      if (n.op == Op::index) payload = variable(payload);
      if (n.op == Op::scalar) payload = scalar_[payload];
      if (is_load(n.op)) payload = tensors_[payload];
      made_[id] = to.arena.make(n.op, n.kind, payload, args);
    }
    return made_.at(root);
  }

  const Definition& from_;
  std::vector<TensorId> tensors_;
  std::vector<std::uint32_t> scalar_;
  std::unordered_map<VarId, VarId> vars_;
  std::set<std::string> names_, taken_;
  std::unordered_map<ExprId, ExprId> made_;
};

} // namespace

bool GradientBuilder::is_input(TensorId t) const {
  return t < d_.inputs || std::find(cotangent_inputs_.begin(), cotangent_inputs_.end(), t) != cotangent_inputs_.end();
}

/// Whether a derived recurrence reads `reader` on its way: they are one recurrence then.
bool GradientBuilder::reads(TensorId recurrence, TensorId reader) {
  if (d_.statements[statement_of_tensor_[recurrence]].initial.empty()) return true; // no first values to speak of
  auto [it, fresh] = read_by_.try_emplace(recurrence);
  if (fresh) {
    std::vector<TensorId> stack{recurrence};
    while (!stack.empty()) {
      const Statement& s = d_.statements[statement_of_tensor_[stack.back()]];
      stack.pop_back();
      if (statement_of_tensor_[s.target] < forward_) continue;
      for (ExprId id : nodes_below(d_.arena, std::array{s.body})) {
        const Node& n = d_.arena[id];
        bool load = is_load(n.op);
        if (load && !is_input(n.payload) && it->second.insert(n.payload).second) stack.push_back(n.payload);
      }
    }
  }
  return it->second.contains(reader);
}

/// Statements that the results read, in the order in which they were made.
std::vector<std::size_t> GradientBuilder::needed() const {
  std::vector<char> seen(d_.statements.size(), 0);
  std::vector<std::size_t> stack, found;
  auto visit = [&](TensorId t) {
    bool input =
        t < d_.inputs || std::find(cotangent_inputs_.begin(), cotangent_inputs_.end(), t) != cotangent_inputs_.end();
    if (input || seen[statement_of_tensor_[t]] != 0) return;
    seen[statement_of_tensor_[t]] = 1;
    stack.push_back(statement_of_tensor_[t]);
  };
  for (TensorId t : results_) visit(t);
  while (!stack.empty()) {
    std::size_t i = stack.back();
    stack.pop_back();
    found.push_back(i);
    for (ExprId id : nodes_below(d_.arena, roots_of(d_.statements[i])))
      if (is_load(d_.arena[id].op)) visit(d_.arena[id].payload);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Large expressions that occur more than once become statements of their own: text has no other way to share.
void GradientBuilder::share(Statement& s) {
  const std::vector<ExprId> order = nodes_below(d_.arena, std::array{s.body});
  std::unordered_map<ExprId, unsigned> uses;
  for (ExprId id : order)
    for (ExprId o : d_.arena.operands(id)) ++uses[o];
  std::unordered_map<ExprId, ExprId> made;
  std::unordered_map<ExprId, std::size_t> weight;
  std::vector<ExprId> args;
  for (ExprId id : order) {
    const Node n = d_.arena[id];
    args.clear();
    std::size_t heavy = 1;
    for (ExprId o : d_.arena.operands(id)) {
      args.push_back(made.at(o));
      heavy += weight.at(o);
    }
    ExprId out = d_.arena.with_operands(id, args);
    bool value = n.kind == Kind::real && !is_load(n.op);
    weight[id] = std::min<std::size_t>(heavy, 1U << 20U);
    if (value && id != s.body && heavy >= shared_weight && uses[id] > 1) {
      const std::vector<VarId> vars = free_.of(out);
      std::vector<ExprId> key_ranges, at;
      Ranges::Map by_position, names;
      bool boxed = true;
      for (std::size_t k = 0; k < vars.size(); ++k) {
        auto box = ranges_.box(vars[k]);
        boxed = boxed && box;
        if (!box) break;
        key_ranges.push_back(box->first);
        key_ranges.push_back(box->second);
        by_position[vars[k]] = ranges_.index(position_base + static_cast<VarId>(k));
        at.push_back(ranges_.index(vars[k]));
      }
      if (boxed) {
        auto [known, fresh] = shared_.try_emplace({ranges_.replace(out, by_position), key_ranges}, 0);
        if (fresh) {
          std::vector<Axis> axes = fresh_axes(vars, names);
          known->second = add_statement("t", Kind::real, axes, ranges_.replace(out, names)).target;
        }
        out = d_.arena.make(Op::load, Kind::real, known->second, at);
        weight[id] = 1 + at.size();
      }
    }
    made[id] = out;
  }
  s.body = made.at(s.body);
}

/// Inputs and cotangents that are read, and those without which a dimension would be no input's extent.
std::vector<TensorId> GradientBuilder::kept_inputs(const std::vector<std::size_t>& statements) const {
  std::vector<TensorId> all;
  for (TensorId t = 0; t < d_.inputs; ++t) all.push_back(t);
  all.insert(all.end(), cotangent_inputs_.begin(), cotangent_inputs_.end());
  std::set<TensorId> kept;
  std::vector<char> wanted(d_.dims.size(), 0);
  auto note = [&](const std::vector<ExprId>& roots) {
    for (ExprId id : nodes_below(d_.arena, roots)) {
      const Node& n = d_.arena[id];
      if (n.op == Op::dim) wanted[n.payload] = 1;
      bool load = is_load(n.op);
      if (load && std::find(all.begin(), all.end(), n.payload) != all.end()) kept.insert(n.payload);
    }
  };
  for (std::size_t i : statements) {
    note(roots_of(d_.statements[i]));
    note(d_.statements[i].lo);
    note(d_.statements[i].hi);
  }
  for (TensorId x : results_)
    for (const auto& [input, c] : cotangents_)
      if (c.value != no_expr && d_.arena[c.value].payload == x) note(d_.tensors[input].shape);
  auto extent_of = [&](TensorId t, std::size_t dim, bool bare) {
    for (ExprId e : d_.tensors[t].shape)
      for (ExprId id : nodes_below(d_.arena, std::array{e}))
        if (d_.arena[id].op == Op::dim && d_.arena[id].payload == dim && (!bare || id == e)) return true;
    return false;
  };
  for (std::size_t before = 0, after = 1; before != after; after = kept.size()) {
    before = kept.size();
    for (TensorId t : std::vector<TensorId>(kept.begin(), kept.end())) note(d_.tensors[t].shape);
    for (std::size_t dim = 0; dim < wanted.size(); ++dim) {
      if (wanted[dim] == 0) continue;
      for (bool bare : {true, false}) {
        if (std::any_of(kept.begin(), kept.end(), [&](TensorId t) { return extent_of(t, dim, bare); })) break;
        auto gives = std::find_if(all.begin(), all.end(), [&](TensorId t) { return extent_of(t, dim, bare); });
        if (gives == all.end()) continue;
        kept.insert(*gives);
        break;
      }
    }
  }
  std::erase_if(all, [&](TensorId t) { return !kept.contains(t); });
  return all;
}

/// The recurrence h[t, d] = f(h[t - 1, d]) from h[-1, d] = h0[d] is read by its derivative at t - 1 from outside, where
/// h[-1, d] has to be h0[d] by name.
void GradientBuilder::guard_first_values(Statement& s) {
  auto guarded = [&](ExprId root) {
    std::unordered_map<ExprId, ExprId> made;
    std::vector<ExprId> args;
    for (ExprId id : nodes_below(d_.arena, std::array{root})) {
      const Node n = d_.arena[id];
      args.clear();
      for (ExprId o : d_.arena.operands(id)) args.push_back(made.at(o));
      ExprId out = d_.arena.with_operands(id, args);
      made[id] = out;
      if (n.op != Op::load || is_input(n.payload) || reads(n.payload, s.target)) continue;
      const Statement& of = d_.statements[statement_of_tensor_[n.payload]];
      for (const Initial& i : of.initial) {
        Ranges::Map at;
        for (std::size_t k = 0; k < of.vars.size(); ++k) at[of.vars[k]] = args[k];
        ExprId place = args[of.axis];
        bool certain =
            ranges_.at_most(of.lo[of.axis], place) && ranges_.at_most(ranges_.plus(place, 1), of.hi[of.axis]);
        if (certain) break;
        ExprId before = ranges_.replace(i.indices[of.axis], at);
        Linear gap = ranges_.linear(ranges_.minus(place, before));
        if (gap.terms.empty()) {
          if (gap.constant == 0) made[id] = ranges_.replace(i.value, at);
          continue;
        }
        Linear left, right;
        for (const auto& [atom, k] : gap.terms) (k > 0 ? left : right).terms[atom] = std::abs(k);
        (gap.constant > 0 ? left : right).constant = std::abs(gap.constant);
        ExprId first = call(Op::eq, {ranges_.node(left), ranges_.node(right)});
        made[id] = d_.arena.make(Op::select, Kind::real, {first, ranges_.replace(i.value, at), made[id]});
      }
    }
    return made.at(root);
  };
  s.body = guarded(s.body);
  for (Initial& i : s.initial) i.value = guarded(i.value);
}

std::string GradientBuilder::text() {
  for (std::size_t i = forward_; i < d_.statements.size(); ++i) {
    Statement s = d_.statements[i];
    if (s.body == no_expr) continue;
    guard_first_values(s);
    d_.statements[i] = std::move(s);
  }
  for (std::size_t i : needed()) {
    if (d_.statements[i].step != 0) continue;
    Statement s = d_.statements[i];
    share(s);
    d_.statements[i].body = s.body;
  }
  const std::vector<std::size_t> statements = needed();
  const std::vector<TensorId> kept = kept_inputs(statements);
  std::vector<char> used(d_.scalars.size(), 0);
  auto note = [&](const std::vector<ExprId>& roots) {
    for (ExprId id : nodes_below(d_.arena, roots))
      if (d_.arena[id].op == Op::scalar) used[d_.arena[id].payload] = 1;
  };
  for (TensorId t : kept) note(d_.tensors[t].shape);
  for (std::size_t i : statements) {
    note(roots_of(d_.statements[i]));
    note(d_.statements[i].lo);
    note(d_.statements[i].hi);
  }
  Copy copy(d_, d_.name + "_grad");
  copy.scalars(used);
  for (TensorId t : kept) copy.input(t);
  std::map<TensorId, TensorId> result_of; // statement's tensor -> input
  for (const auto& [input, c] : cotangents_)
    if (input < d_.inputs && c.value != no_expr) result_of[d_.arena[c.value].payload] = input;
  for (std::size_t i : statements) {
    TensorId t = d_.statements[i].target;
    TensorDecl decl = d_.tensors[t];
    if (auto result = result_of.find(t); result != result_of.end()) {
      decl.type = d_.tensors[result->second].type;
      decl.shape = d_.tensors[result->second].shape;
    }
    copy.tensor(t, std::move(decl));
  }
  copy.reducers();
  for (std::size_t i : statements) copy.statement(d_.statements[i]);
  for (TensorId t : results_) copy.output(t);
  return print(copy.to);
}

Result<Definition> GradientBuilder::emit() {
  std::string written = text();
  return parse_definition(written, d_.name + "_grad.op");
}

} // namespace aicf
