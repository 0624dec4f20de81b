#include "core/structure/shape.hpp"

#include <algorithm>
#include <array>

namespace aicf {
namespace {

/// Loads below `root` in which v stands, with its position.
Loads loads_at(const Arena& arena, ExprId root, VarId v) {
  Loads out;
  std::array roots{root};
  for (ExprId id : reachable(arena, roots)) {
    if (!is_load(arena[id].op)) continue;
    std::uint32_t position = 0;
    for (ExprId o : arena.operands(id)) {
      if (mentions(arena, o, v)) out.insert({arena[id].payload, position});
      ++position;
    }
  }
  return out;
}

std::vector<const CanonicalValue*> values_of(const Canonical& c) {
  std::vector<const CanonicalValue*> all;
  for (const auto* list : {&c.values, &c.outputs})
    for (const CanonicalValue& v : *list) all.push_back(&v);
  return all;
}

/// Reductions that a value reads and whose elements one of its own axes reads again, without indexing the reduction.
std::set<std::size_t> swept_again(const Model& m, const CanonicalValue& v) {
  std::set<std::size_t> out;
  const Arena& arena = m.arena();
  std::array roots{v.body};
  std::map<VarId, Loads> loads;
  for (ExprId id : reachable(arena, roots)) {
    auto found = m.at.find(id);
    if (found == m.at.end()) continue;
    const Item& item = m.items[found->second];
    for (std::size_t k = 0; k < v.lo.size(); ++k) {
      auto axis = static_cast<VarId>(k);
      if (mentions(arena, id, axis)) continue;
      auto [it, fresh] = loads.try_emplace(axis);
      if (fresh) it->second = loads_at(arena, v.body, axis);
      if (meet(it->second, item.loads)) out.insert(found->second);
    }
  }
  return out;
}

void count_passes(const Model& m, StructureProfile& p) {
  std::vector<int> best(m.items.size(), 1);
  std::vector<std::size_t> order(m.items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return m.items[a].level < m.items[b].level; });
  for (std::size_t i : order) {
    const Item& item = m.items[i];
    int step = p.reductions[item.report].bounded ? 0 : 1;
    for (std::size_t d : item.dependencies) best[i] = std::max(best[i], best[d] + step);
    for (std::size_t d : item.behind) best[i] = std::max(best[i], best[d] + 1);
    for (std::size_t d : item.whole) best[i] = std::max(best[i], best[d] + 1);
    p.passes_definition = std::max(p.passes_definition, item.level);
    p.passes_best = std::max(p.passes_best, best[i]);
    Reduction& r = p.reductions[item.report];
    r.best_level = std::max(r.best_level, best[i]);
  }
  for (const CanonicalValue* v : values_of(*m.canonical))
    for (std::size_t i : swept_again(m, *v)) {
      p.passes_definition = std::max(p.passes_definition, m.items[i].level + 1);
      p.passes_best = std::max(p.passes_best, best[i] + 1);
    }
}

/// Factors of a product, or the expression itself.
std::vector<ExprId> factors(const Arena& arena, ExprId id) {
  if (arena[id].op != Op::mul) return {id};
  return {arena.operands(id).begin(), arena.operands(id).end()};
}

bool is_contraction(const Model& m, const Item& item) {
  if (!item.is(Builtin::sum) || !item.dependencies.empty()) return false;
  std::set<ExprId> operands; // of one tensor or of two
  for (ExprId f : factors(m.arena(), item.element)) {
    Op op = m.arena()[f].op;
    if (is_load(op) && m.along(f)) operands.insert(f);
  }
  return operands.size() >= 2;
}

/// One end of the range moves with a row variable that the elements do not know: sum[j <= i] x[j]. A window, both ends
/// of which move, is none.
bool is_scan(const Model& m, const Item& item) {
  const Arena& arena = m.arena();
  for (VarId row : item.rows) {
    int moving = 0;
    for (ExprId c : conjuncts(arena, item.mask)) moving += bounds_by_row(arena, c, row) ? 1 : 0;
    for (std::size_t k = 0; k < item.lo.size(); ++k)
      moving += (mentions(arena, item.lo[k], row) ? 1 : 0) + (mentions(arena, item.hi[k], row) ? 1 : 0);
    if (moving == 1 && !mentions(arena, item.element, row)) return true;
  }
  return false;
}

struct Accesses {
  bool gather = false, shifted = false, any = false;
};

Accesses accesses(const Model& m, ExprId root) {
  Accesses a;
  const Arena& arena = m.arena();
  std::array roots{root};
  for (ExprId id : reachable(arena, roots)) {
    const Node& n = arena[id];
    if (!is_load(n.op)) continue;
    a.any = true;
    std::size_t rank = n.count - (n.op == Op::padded_load ? 1 : 0);
    for (std::size_t k = 0; k < rank; ++k) {
      ExprId index = arena.operand(id, k);
      if (arena[index].op == Op::index || arena[index].op == Op::number) continue;
      std::array at{index};
      bool loads = false, moves = false;
      for (ExprId below : reachable(arena, at)) {
        loads = loads || is_load(arena[below].op);
        moves = moves || arena[below].op == Op::index;
      }
      a.gather = a.gather || loads;
      a.shifted = a.shifted || (moves && !loads && n.payload < m.canonical->source->inputs);
    }
  }
  return a;
}

bool is_affine(const Model& m, std::size_t value) {
  const Canonical& c = *m.canonical;
  auto group = [&](std::size_t k) {
    const Statement* s = statement_of(*c.source, c.values[k].source);
    return s == nullptr ? 0U : s->group;
  };
  auto own = [&](TensorId t) { // of the same recurrence
    return t >= c.source->inputs && group(t - c.source->inputs) == group(value);
  };
  const Arena& arena = m.arena();
  Algebra algebra(m.arena(), [&](ExprId id) -> std::optional<unsigned> {
    const Node& n = arena[id];
    if (is_load(n.op)) return own(n.payload) ? part_x : 0U;
    if (n.op == Op::index || n.op == Op::scalar || n.op == Op::dim || n.op == Op::symbol) return 0U;
    if (n.op != Op::reduce) return std::nullopt;
    std::array roots{id};
    for (ExprId below : reachable(arena, roots)) { // a sum of products with the state is linear in it
      const Node& b = arena[below];
      if (is_load(b.op) && own(b.payload))
        return arena.reduction(id).reducer == static_cast<ReducerId>(Builtin::sum) ? part_x : part_mixed;
    }
    return 0U;
  });
  for (const auto& [key, coefficient] : algebra.of(c.values[value].body)) {
    int degree = 0;
    for (const Power& p : key.factors) {
      if (algebra.atom(p.atom).part == 0) continue;
      if (algebra.atom(p.atom).part == part_mixed || algebra.atom(p.atom).type != Atom::Type::leaf || p.den != 1 ||
          p.num < 0)
        return false;
      degree += p.num;
    }
    for (const auto& [monomial, k] : key.exponent)
      if (algebra.part(monomial) != 0) return false;
    if (degree > 1) return false;
  }
  return true;
}

bool has_reduction(const Model& m, ExprId root) {
  std::array roots{root};
  for (ExprId id : reachable(m.arena(), roots))
    if (m.arena()[id].op == Op::reduce) return true;
  return false;
}

void list_stages(const Model& m, StructureProfile& p) {
  auto stage = [&](const char* s) {
    if (p.stages.empty() || p.stages.back() != s) p.stages.emplace_back(s);
  };
  for (const Item& item : m.items) {
    Accesses a = accesses(m, item.element);
    if (a.gather) stage("gather");
    stage(is_scan(m, item) ? "scan" : is_contraction(m, item) ? "contract" : "reduce");
  }
  for (std::size_t k = 0; k < m.canonical->values.size(); ++k) stage("recurrence");
  for (const CanonicalValue& v : m.canonical->outputs) {
    Op op = m.arena()[v.body].op;
    Accesses a = accesses(m, v.body);
    if (a.gather) stage("gather");
    if (a.shifted && !has_reduction(m, v.body))
      stage("stencil");
    else if (op != Op::reduce && op != Op::load)
      stage("map");
  }
  if (p.stages.empty()) p.stages.emplace_back("map");
}

bool any_item(const Model& m, bool (*test)(const Model&, const Item&)) {
  return std::any_of(m.items.begin(), m.items.end(), [&](const Item& i) { return test(m, i); });
}

bool any_reduction(const StructureProfile& p, bool (*test)(const Reduction&)) {
  return std::any_of(p.reductions.begin(), p.reductions.end(), test);
}

/// R1 * R2^-1 of two sums over one axis that read a common dependency with rank 1.
bool coupled(const Model& m, const StructureProfile&) {
  const Arena& arena = m.arena();
  std::vector<ExprId> roots;
  for (const CanonicalValue* v : values_of(*m.canonical)) roots.push_back(v->body);
  for (ExprId id : reachable(arena, roots)) {
    if (arena[id].op != Op::mul) continue;
    std::vector<std::size_t> up, down;
    for (ExprId f : arena.operands(id)) {
      bool inverse = arena[f].op == Op::pow && arena.is_number(arena.operand(f, 1), -1);
      if (auto it = m.at.find(inverse ? arena.operand(f, 0) : f); it != m.at.end())
        (inverse ? down : up).push_back(it->second);
    }
    for (std::size_t a : up)
      for (std::size_t b : down) {
        const Item &x = m.items[a], &y = m.items[b];
        bool shared = std::any_of(x.dependencies.begin(), x.dependencies.end(), [&](std::size_t d) {
          return std::find(y.dependencies.begin(), y.dependencies.end(), d) != y.dependencies.end();
        });
        if (shared && x.rescaled && y.rescaled && x.is(Builtin::sum) && y.is(Builtin::sum)) return true;
      }
  }
  return false;
}

} // namespace

const std::vector<ShapePredicate>& shape_predicates() {
  static const std::vector<ShapePredicate> all{
      {"finite_rank_polynomial_sum",
       [](const Model& m, const StructureProfile& p) {
         return std::any_of(m.items.begin(), m.items.end(), [&](const Item& i) {
           const Rank& r = p.reductions[i.report].rank;
           return i.is(Builtin::sum) && i.polynomial && r.kind == Rank::Kind::finite && r.value >= 2;
         });
       }},
      {"sum_of_weighted_terms",
       [](const Model& m, const StructureProfile&) {
         return any_item(m, [](const Model&, const Item& i) { return i.is(Builtin::sum) && i.weighted; });
       }},
      {"rank_one_rescaled",
       [](const Model& m, const StructureProfile&) {
         return any_item(m, [](const Model&, const Item& i) { return i.rescaled; });
       }},
      {"all_reductions_bounded",
       [](const Model&, const StructureProfile& p) {
         return !p.reductions.empty() && !any_reduction(p, [](const Reduction& r) { return !r.bounded; });
       }},
      {"output_along_reduced_axis",
       [](const Model& m, const StructureProfile&) {
         auto all = values_of(*m.canonical);
         return std::any_of(all.begin(), all.end(),
                            [&](const CanonicalValue* v) { return !swept_again(m, *v).empty(); });
       }},
      {"quotient_of_coupled_sums", coupled},
      {"sum_of_products", [](const Model& m, const StructureProfile&) { return any_item(m, is_contraction); }},
      {"range_grows_with_row", [](const Model& m, const StructureProfile&) { return any_item(m, is_scan); }},
      {"recurrence_affine_in_state",
       [](const Model& m, const StructureProfile&) {
         for (std::size_t k = 0; k < m.canonical->values.size(); ++k)
           if (is_affine(m, k)) return true;
         return false;
       }},
      {"output_without_reduction",
       [](const Model& m, const StructureProfile&) {
         const auto& out = m.canonical->outputs;
         return std::all_of(out.begin(), out.end(), [&](const CanonicalValue& v) {
           Accesses a = accesses(m, v.body);
           return a.any && !a.shifted && !a.gather && !has_reduction(m, v.body) && m.canonical->values.empty();
         });
       }},
      {"shifted_access",
       [](const Model& m, const StructureProfile&) {
         auto all = values_of(*m.canonical);
         return std::any_of(all.begin(), all.end(),
                            [&](const CanonicalValue* v) { return accesses(m, v->body).shifted; });
       }},
      {"index_from_data",
       [](const Model& m, const StructureProfile&) {
         auto all = values_of(*m.canonical);
         return std::any_of(all.begin(), all.end(),
                            [&](const CanonicalValue* v) { return accesses(m, v->body).gather; });
       }},
      {"extremum_or_its_position",
       [](const Model& m, const StructureProfile&) {
         std::set<std::size_t> shifts; // an extremum that another reduction reads is a means, not an end
         for (const Item& i : m.items) shifts.insert(i.dependencies.begin(), i.dependencies.end());
         for (std::size_t k = 0; k < m.items.size(); ++k) {
           const Item& i = m.items[k];
           if (i.is(Builtin::argmax) || i.is(Builtin::argmin)) return true;
           if ((i.is(Builtin::max) || i.is(Builtin::min)) && !shifts.contains(k)) return true;
         }
         return false;
       }},
  };
  return all;
}

void describe_shape(const Model& m, StructureProfile& p) {
  count_passes(m, p);
  list_stages(m, p);
  for (const ShapePredicate& s : shape_predicates())
    if (s.holds(m, p)) p.structures.push_back(structure_of(s.id));
}

} // namespace aicf
