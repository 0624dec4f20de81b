#include "core/semantics/facts.hpp"

#include <algorithm>

namespace aicf {
namespace {

bool is_exact(const std::string& reducer) {
  static const std::set<std::string, std::less<>> exact{"max", "min", "argmax", "argmin", "any", "all"};
  return exact.contains(reducer);
}

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

} // namespace

OperatorFacts facts_of(const StructureProfile& profile) {
  OperatorFacts facts;
  const Canonical& canonical = *profile.canonical;
  std::vector<ExprId> roots;
  for (const auto* list : {&canonical.values, &canonical.outputs})
    for (const CanonicalValue& value : *list) {
      roots.push_back(value.body);
      facts.row_divisor = facts.row_divisor || has_row_divisor(canonical, value);
    }
  for (ExprId id : reachable(canonical.arena, roots)) {
    facts.functions.insert(canonical.arena[id].op);
    if (canonical.arena[id].op == Op::pow) {
      ExprId exponent = canonical.arena.operand(id, 1);
      bool number = canonical.arena[exponent].op == Op::number;
      double e = number ? canonical.arena.value(exponent) : 0;
      if (number && e < 0) facts.functions.insert(Op::div);
      if (number && (e == 0.5 || e == -0.5)) facts.functions.insert(Op::sqrt);
    }
  }
  for (const Reduction& r : profile.reductions) {
    if (!is_exact(r.reducer)) facts.inexact.push_back(r.name);
    const ReducerLaws* laws = laws_of(profile, r);
    if (laws == nullptr) continue;
    if (!laws->reorders()) facts.ordered.push_back(r.name);
    if (!laws->splits()) facts.unsplit.push_back(r.name);
    if (!laws->empties_merge) facts.hollow.push_back(r.name);
  }
  facts.sweeps_definition = profile.passes_definition;
  facts.sweeps_best = profile.passes_best;
  return facts;
}

const ReducerLaws* laws_of(const StructureProfile& profile, const Reduction& reduction) {
  for (const ReducerLaws& laws : profile.user_reducers)
    if (laws.reducer == reduction.reducer) return &laws;
  return nullptr;
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
