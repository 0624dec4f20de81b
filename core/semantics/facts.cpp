#include "core/semantics/facts.hpp"

#include "core/structure/shape.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace aicf {
namespace {

/// For every node, whether index variable `var` occurs free in it.
std::vector<char> varies_with(const Arena& arena, const std::vector<ExprId>& nodes, VarId var) {
  std::vector<char> varies(arena.size(), 0);
  for (ExprId id : nodes) {
    if (arena[id].op == Op::index && arena[id].payload == var) varies[id] = 1;
    for (ExprId operand : arena.operands(id)) varies[id] = static_cast<char>(varies[id] | varies[operand]);
  }
  return varies;
}

bool has_row_divisor(const Canonical& canonical, const CanonicalValue& value) {
  if (value.lo.empty()) return false;
  auto last = static_cast<VarId>(value.lo.size() - 1);
  std::vector<ExprId> nodes = reachable(canonical.arena, std::span(&value.body, 1));
  std::vector<char> varies = varies_with(canonical.arena, nodes, last);
  return std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) {
    const Arena& a = canonical.arena;
    bool division = a[id].op == Op::pow && a[a.operand(id, 1)].op == Op::number && a.value(a.operand(id, 1)) < 0;
    return division && varies[id] == 0 && a[a.operand(id, 0)].op != Op::number;
  });
}

/// What one node of a result is.
void operation(const Arena& arena, ExprId id, OperatorFacts& facts) {
  const Node& n = arena[id];
  facts.functions.insert(n.op);
  if (n.op == Op::pow) {
    const ExprId exponent = arena.operand(id, 1);
    const bool number = arena[exponent].op == Op::number;
    const double e = number ? arena.value(exponent) : 0;
    if (number && e < 0) facts.functions.insert(Op::div);
    if (number && (e == 0.5 || e == -0.5)) facts.functions.insert(Op::sqrt);
    facts.integer_power = facts.integer_power || (e >= 2 && e <= 16 && e == std::floor(e));
  }
  if (n.op == Op::log) {
    const ExprId u = arena.operand(id, 0);
    auto is_exp = [&](ExprId f) { return arena[f].op == Op::exp || arena[f].op == Op::exp2; };
    auto factors = arena.operands(u);
    facts.log_of_exp = facts.log_of_exp || is_exp(u) ||
                       (arena[u].op == Op::mul && std::any_of(factors.begin(), factors.end(), is_exp));
  }
}

bool reads_reduction(const Arena& arena, ExprId root) {
  std::vector<ExprId> nodes = reachable(arena, std::span(&root, 1));
  return std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) { return arena[id].op == Op::reduce; });
}

bool has_structure(const StructureProfile& profile, const char* predicate) {
  return std::find(profile.structures.begin(), profile.structures.end(), structure_of(predicate)) !=
         profile.structures.end();
}

/// Which index variables of a node run along the axis, and which are the row's own.
struct Variables {
  bool axis = false, row = false;
};
Variables variables(const Arena& arena, ExprId id) {
  Variables v;
  for (VarId var : free_vars(arena, id)) (var <= axis_var && axis_var - var < 16 ? v.axis : v.row) = true;
  return v;
}

/// What the elements of one reduction are.
void element(const StructureProfile& profile, const Cascade& cascade, std::size_t k,
             std::map<ExprId, std::size_t>& first_use, OperatorFacts& facts) {
  const Arena& arena = profile.canonical->arena;
  const Reduction& r = profile.reductions[cascade.reductions[k]];
  const ExprId body = cascade.elements[k];
  const bool sum = arena.reduction(r.node).reducer == static_cast<ReducerId>(Builtin::sum);
  std::vector<ExprId> factors{body};
  if (arena[body].op == Op::mul) factors.assign(arena.operands(body).begin(), arena.operands(body).end());
  bool factor = false, divisor = false;
  std::set<std::uint32_t> tensors;
  for (ExprId f : factors) {
    const bool varies = variables(arena, f).axis;
    if (!varies && factors.size() > 1) {
      factor = true;
      divisor = divisor || (arena[f].op == Op::pow && arena[arena.operand(f, 1)].op == Op::number &&
                            arena.value(arena.operand(f, 1)) == -1);
    }
    if (varies && is_load(arena[f].op)) tensors.insert(arena[f].payload);
  }
  bool window = false;
  for (ExprId id : reachable(arena, std::span(&body, 1))) {
    const Node& n = arena[id];
    if (n.op == Op::reduce) continue;
    if (is_load(n.op))
      for (ExprId index : arena.operands(id)) {
        Variables v = variables(arena, index);
        window = window || (v.axis && v.row && arena[index].kind == Kind::integer);
      }
    const bool computes = n.count > 0 && !is_load(n.op) && n.kind == Kind::real && variables(arena, id).axis;
    if (!computes) continue;
    auto [it, fresh] = first_use.try_emplace(id, cascade.reductions[k]);
    if (!fresh && it->second != cascade.reductions[k] && (facts.shared.empty() || facts.shared.back() != r.name))
      facts.shared.push_back(r.name);
  }
  const bool bounds = variables(arena, cascade.lo).row || variables(arena, cascade.hi).row;
  if (sum) facts.sums.push_back(r.name);
  if (sum && factor) facts.factored.push_back(r.name);
  if (sum && divisor) facts.divided.push_back(r.name);
  if (sum && (r.axes.size() > 1 ||
              (arena[body].op == Op::reduce && arena.reduction(body).reducer == static_cast<ReducerId>(Builtin::sum))))
    facts.nested.push_back(r.name);
  if (sum && tensors.size() > 1) facts.products.push_back(r.name);
  if (window) facts.windows.push_back(r.name);
  if (bounds || !arena.is_number(cascade.predicates[k], 1)) facts.masked.push_back(r.name);
  if (!is_load(arena[body].op) && arena[body].op != Op::reduce) facts.mapped.push_back(r.name);
}

} // namespace

OperatorFacts facts_of(const StructureProfile& profile) {
  OperatorFacts facts;
  facts.profile = &profile;
  const Canonical& canonical = *profile.canonical;
  const Arena& arena = canonical.arena;
  std::vector<ExprId> roots;
  for (const auto* list : {&canonical.values, &canonical.outputs})
    for (const CanonicalValue& value : *list) {
      roots.push_back(value.body);
      facts.row_divisor = facts.row_divisor || has_row_divisor(canonical, value);
      facts.rank = std::max(facts.rank, value.lo.size());
    }
  std::vector<ExprId> nodes = reachable(arena, roots);
  for (ExprId id : nodes) operation(arena, id, facts);
  for (const CanonicalValue& out : canonical.outputs)
    facts.epilogue = facts.epilogue || (arena[out.body].op != Op::reduce && reads_reduction(arena, out.body));
  for (const Reduction& r : profile.reductions) {
    const ReducerLaws& laws = laws_of(profile, r);
    if (!(laws.reorders() && laws.holds(Law::selective))) facts.inexact.push_back(r.name);
    if (!laws.reorders()) facts.ordered.push_back(r.name);
    if (!laws.splits()) facts.unsplit.push_back(r.name);
    if (!laws.empties_merge) facts.hollow.push_back(r.name);
  }
  std::map<ExprId, std::size_t> first_use;
  for (const Cascade& cascade : profile.cascades)
    for (std::size_t k = 0; k < cascade.reductions.size(); ++k) element(profile, cascade, k, first_use, facts);
  for (const char* predicate : {"range_grows_with_row", "recurrence_affine_in_state"})
    facts.scan = facts.scan || has_structure(profile, predicate);
  facts.along_axis = has_structure(profile, "output_along_reduced_axis");
  facts.sweeps_definition = profile.passes_definition;
  facts.sweeps_best = profile.passes_best;
  return facts;
}

const ReducerLaws& laws_of(const StructureProfile& profile, const Reduction& reduction) {
  for (const ReducerLaws& laws : profile.user_reducers)
    if (laws.reducer == reduction.reducer) return laws;
  return built_in_laws(profile.canonical->arena.reduction(reduction.node).reducer);
}

const Certificate* failed_law(const StructureProfile& profile, bool reorder) {
  for (const ReducerLaws& laws : profile.user_reducers)
    for (Law law : {Law::associative, Law::identity, Law::commutative})
      if (!laws.holds(law) && (reorder || law != Law::commutative)) return &laws.of(law);
  return nullptr;
}

const Certificate* certificate_of(const StructureProfile& profile, const std::string& id) {
  auto found = std::find_if(profile.certificates.begin(), profile.certificates.end(),
                            [&](const Certificate& c) { return c.id == id; });
  return found == profile.certificates.end() ? nullptr : &*found;
}

} // namespace aicf
