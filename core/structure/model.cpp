#include "core/structure/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace aicf {
namespace {

ExprId variable(Arena& arena, VarId v) { return arena.make(Op::index, Kind::integer, {}, v); }

/// Loads in which an axis variable stands, with its position. A reduction inside counts as what it loads.
void find_loads(const Model& m, Item& item) {
  std::array roots{item.body};
  const Arena& arena = m.arena();
  for (ExprId id : reachable(arena, roots)) {
    Op op = arena[id].op;
    if (!is_load(op) || !m.along(id)) continue;
    std::uint32_t position = 0;
    for (ExprId o : arena.operands(id)) {
      if (m.along(o)) item.loads.insert({arena[id].payload, position});
      ++position;
    }
  }
}

/// The variables of a reduction in an order that reductions over the same elements share: by the least place that each
/// has in a load, then by range.
std::vector<std::size_t> axis_order(const Arena& arena, ExprId reduce) {
  const Reduce& what = arena.reduction(reduce);
  std::vector<std::size_t> order(what.vars.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() < 2) return order;
  using Key = std::tuple<std::uint32_t, std::uint32_t, ExprId, ExprId>;
  std::vector<Key> keys;
  for (std::size_t k = 0; k < order.size(); ++k)
    keys.emplace_back(~0U, ~0U, arena.operand(reduce, 2 * k), arena.operand(reduce, 2 * k + 1));
  std::array roots{arena.body(reduce)};
  for (ExprId id : reachable(arena, roots)) {
    if (!is_load(arena[id].op)) continue;
    for (std::uint32_t position = 0; position < arena[id].count; ++position)
      for (VarId v : free_vars(arena, arena.operand(id, position)))
        for (std::size_t k = 0; k < order.size(); ++k)
          if (what.vars[k] == v &&
              std::pair(arena[id].payload, position) < std::pair(std::get<0>(keys[k]), std::get<1>(keys[k])))
            std::get<0>(keys[k]) = arena[id].payload, std::get<1>(keys[k]) = position;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

bool same_range(const Item& a, const Item& b) { return a.lo == b.lo && a.hi == b.hi; }

/// What `item` reads of the other items over its axis.
void find_dependencies(Model& m, std::size_t index) {
  Item& item = m.items[index];
  const Arena& arena = m.arena();
  std::set<ExprId> seen;
  struct Visit {
    ExprId id;
    bool behind; ///< below a reduction that the axis does not index
  };
  std::set<std::pair<ExprId, int>> done;
  std::vector<Visit> stack{{item.body, false}, {item.predicate, false}};
  while (!stack.empty()) {
    Visit v = stack.back();
    stack.pop_back();
    if (!done.insert({v.id, v.behind ? 1 : 0}).second) continue;
    const Node& n = arena[v.id];
    if (n.op == Op::reduce) {
      auto found = m.at.find(v.id);
      if (found != m.at.end() && found->second != index && !m.along(v.id) && same_range(m.items[found->second], item)) {
        bool closed = std::ranges::includes(item.rows, m.items[found->second].rows);
        auto& list = closed && !v.behind ? item.dependencies : item.behind;
        if (std::find(list.begin(), list.end(), found->second) == list.end()) list.push_back(found->second);
        continue;
      }
      v.behind = v.behind || !m.along(v.id);
    }
    for (ExprId o : arena.operands(v.id)) stack.push_back({o, v.behind});
  }
  std::sort(item.dependencies.begin(), item.dependencies.end());
  std::sort(item.behind.begin(), item.behind.end());
}

/// sum of where(c, f, 0) is a sum over the elements with c; a guard that reads a dependency is part of f(x; d).
void strip_masks(Model& m, Item& item) {
  Arena& arena = m.arena();
  double identity = 0;
  if (item.is(Builtin::max))
    identity = -std::numeric_limits<double>::infinity();
  else if (item.is(Builtin::min))
    identity = std::numeric_limits<double>::infinity();
  else if (item.is(Builtin::prod))
    identity = 1;
  else if (!item.is(Builtin::sum))
    return;
  auto reads_dependency = [&](ExprId condition) {
    std::array roots{condition};
    for (ExprId id : reachable(arena, roots))
      if (auto it = m.at.find(id); it != m.at.end() && !m.along(id) && same_range(m.items[it->second], item))
        return true;
    return false;
  };
  if (reads_dependency(item.mask)) {
    std::array guarded{item.mask, item.element, arena.number(identity)};
    item.element = make_canonical(arena, Op::select, Kind::real, guarded);
    item.mask = arena.boolean(true);
    return;
  }
  while (arena[item.element].op == Op::select && arena.is_number(arena.operand(item.element, 2), identity)) {
    ExprId condition = arena.operand(item.element, 0);
    if (reads_dependency(condition)) break;
    std::array both{item.mask, condition};
    item.mask = make_canonical(arena, Op::and_, Kind::boolean, both);
    item.element = arena.operand(item.element, 1);
  }
}

/// Reductions that run over the item's own elements once more for each of them: they wait for a sweep of their own.
void find_whole(Model& m, std::size_t index) {
  Item& item = m.items[index];
  const Arena& arena = m.arena();
  std::array roots{arena.body(item.node), arena.predicate(item.node)};
  for (ExprId id : reachable(arena, roots)) {
    auto found = m.at.find(id);
    if (found == m.at.end() || found->second == index) continue;
    const Item& inner = m.items[found->second];
    for (VarId v : item.vars)
      if (std::ranges::binary_search(inner.rows, v) && meet(read_whole(m, inner, v), item.loads)) {
        item.whole.push_back(found->second);
        break;
      }
  }
}

/// Sets of items that share an axis: linked by a dependency, or over equal ranges of the same elements.
std::vector<std::vector<std::size_t>> group(const Model& m) {
  std::vector<std::size_t> parent(m.items.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::map<std::vector<ExprId>, std::vector<std::size_t>> by_range;
  for (std::size_t i = 0; i < m.items.size(); ++i) {
    std::vector<ExprId> key = m.items[i].lo;
    key.insert(key.end(), m.items[i].hi.begin(), m.items[i].hi.end());
    by_range[key].push_back(i);
    for (std::size_t d : m.items[i].dependencies) parent[root(i)] = root(d);
  }
  for (const auto& [range, members] : by_range) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> first;
    for (std::size_t i : members)
      for (const auto& load : m.items[i].loads) {
        auto [it, fresh] = first.try_emplace(load, i);
        bool rows_agree = std::ranges::includes(m.items[i].rows, m.items[it->second].rows) ||
                          std::ranges::includes(m.items[it->second].rows, m.items[i].rows);
        if (!fresh && rows_agree) parent[root(i)] = root(it->second);
      }
  }
  std::map<std::size_t, std::vector<std::size_t>> sets;
  for (std::size_t i = 0; i < m.items.size(); ++i) sets[root(i)].push_back(i);
  std::vector<std::vector<std::size_t>> out;
  for (auto& [r, members] : sets) out.push_back(std::move(members));
  std::sort(out.begin(), out.end());
  return out;
}

/// Items whose name was given before, and that no other item needs: one reduction read at another index. What reads
/// them finds the first of that name.
void drop_repeats(Model& m) {
  auto reads = [](const Item& item) {
    std::vector<std::size_t> all = item.dependencies;
    for (const auto* more : {&item.behind, &item.whole}) all.insert(all.end(), more->begin(), more->end());
    return all;
  };
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < m.items.size(); ++i) first.try_emplace(m.items[i].name, i);
  std::vector<char> kept(m.items.size(), 1);
  std::vector<int> readers(m.items.size(), 0);
  for (const Item& item : m.items)
    for (std::size_t d : reads(item)) ++readers[d];
  bool again = true;
  while (again) { // a repeat that only repeats need goes with them
    again = false;
    for (std::size_t i = m.items.size(); i-- > 0;) {
      if (kept[i] == 0 || readers[i] != 0 || first.at(m.items[i].name) == i) continue;
      kept[i] = 0;
      again = true;
      for (std::size_t d : reads(m.items[i])) --readers[d];
    }
  }
  std::set<std::string> names;
  std::vector<std::size_t> moved(m.items.size());
  std::vector<Item> left;
  for (std::size_t i = 0; i < m.items.size(); ++i) {
    Item& item = m.items[i];
    if (kept[i] == 0) continue;
    const std::string name = item.name;
    for (int k = 2; !names.insert(item.name).second; ++k) item.name = name + "@" + std::to_string(k);
    moved[i] = left.size();
    left.push_back(std::move(item));
  }
  for (auto& [node, i] : m.at) i = moved[kept[i] != 0 ? i : first.at(m.items[i].name)];
  for (Item& item : left)
    for (auto* list : {&item.dependencies, &item.behind, &item.whole})
      for (std::size_t& d : *list) d = moved[d];
  m.items = std::move(left);
}

} // namespace

bool meet(const Loads& a, const Loads& b) {
  return std::ranges::any_of(a, [&](const auto& x) { return b.contains(x); });
}

bool mentions(const Arena& arena, ExprId root, VarId v) {
  std::array roots{root};
  for (ExprId id : reachable(arena, roots))
    if (arena[id].op == Op::index && arena[id].payload == v) return true;
  return false;
}

bool bounds_by_row(const Arena& arena, ExprId conjunct, VarId row) {
  if (arena[conjunct].op != Op::lt && arena[conjunct].op != Op::le) return false;
  std::array roots{conjunct};
  for (ExprId id : reachable(arena, roots))
    if (is_load(arena[id].op) || arena[id].op == Op::reduce) return false;
  return mentions(arena, conjunct, row);
}

Loads read_whole(const Model& model, const Item& item, VarId row) {
  const Arena& arena = model.arena();
  for (std::size_t k = 0; k < 2 * item.vars.size(); ++k)
    if (mentions(arena, arena.operand(item.node, k), row)) return {};
  for (ExprId c : conjuncts(arena, arena.predicate(item.node)))
    if (bounds_by_row(arena, c, row)) return {};
  Loads out;
  std::array roots{arena.body(item.node), arena.predicate(item.node)};
  for (ExprId id : reachable(arena, roots)) {
    if (!is_load(arena[id].op)) continue;
    std::uint32_t position = 0;
    for (ExprId o : arena.operands(id)) {
      bool own = std::ranges::any_of(item.vars, [&](VarId v) { return mentions(arena, o, v); });
      if (own && !mentions(arena, o, row)) out.insert({arena[id].payload, position});
      ++position;
    }
  }
  return out;
}

std::set<ExprId> conjuncts(const Arena& arena, ExprId predicate) {
  std::set<ExprId> out;
  std::vector<ExprId> stack{predicate};
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (arena[id].op == Op::and_) {
      for (ExprId o : arena.operands(id)) stack.push_back(o);
    } else if (!arena.is_number(id, 1)) {
      out.insert(id);
    }
  }
  return out;
}

std::vector<ExprId> extent_dims(const Model& model, const Item& item) {
  std::vector<ExprId> out;
  for (std::size_t k = 0; k < item.lo.size(); ++k)
    if (model.arena().is_number(item.lo[k], 0) && model.arena()[item.hi[k]].op == Op::dim) out.push_back(item.hi[k]);
  return out.size() == item.lo.size() ? out : std::vector<ExprId>{};
}

Model make_model(Canonical& canonical) {
  Model m;
  m.canonical = &canonical;
  Arena& arena = canonical.arena;
  for (const NamedReduction& r : canonical.reductions) {
    Item item;
    item.node = r.node;
    item.name = r.name;
    item.axes = r.axes;
    const Reduce what = arena.reduction(r.node);
    item.reducer = what.reducer;
    item.rows = free_vars(arena, r.node);
    std::vector<std::size_t> order = axis_order(arena, r.node);
    std::unordered_map<ExprId, ExprId> with;
    for (std::size_t k = 0; k < order.size(); ++k) {
      item.vars.push_back(what.vars[order[k]]);
      if (order[k] < r.axes.size()) item.axes[k] = r.axes[order[k]];
      if (k < max_axis_variables) with[variable(arena, item.vars[k])] = variable(arena, axis_variable(k));
    }
    for (std::size_t k : order) {
      item.lo.push_back(substitute(arena, arena.operand(r.node, 2 * k), with));
      item.hi.push_back(substitute(arena, arena.operand(r.node, 2 * k + 1), with));
    }
    item.predicate = item.mask = substitute(arena, arena.predicate(r.node), with);
    item.body = item.element = substitute(arena, arena.body(r.node), with);
    m.at[r.node] = m.items.size();
    m.items.push_back(std::move(item));
  }
  auto mark = [&] {
    for (auto id = static_cast<ExprId>(m.along_axis.size()); id < arena.size(); ++id) {
      const Node& n = arena[id];
      bool yes = n.op == Op::index && n.payload <= axis_var && n.payload + max_axis_variables > axis_var;
      for (ExprId o : arena.operands(id)) yes = yes || m.along_axis[o] != 0;
      m.along_axis.push_back(yes ? 1 : 0);
    }
  };
  mark();
  for (std::size_t i = 0; i < m.items.size(); ++i) {
    strip_masks(m, m.items[i]);
    mark();
    find_loads(m, m.items[i]);
    find_dependencies(m, i);
  }
  for (std::size_t i = 0; i < m.items.size(); ++i) find_whole(m, i);
  drop_repeats(m);
  // operands have smaller ids than the reductions that read them
  std::vector<std::size_t> order(m.items.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return m.items[a].node < m.items[b].node; });
  for (std::size_t i : order) {
    Item& item = m.items[i];
    for (std::size_t d : item.dependencies) item.level = std::max(item.level, m.items[d].level + 1);
    for (std::size_t d : item.behind) item.level = std::max(item.level, m.items[d].level + 1);
    for (std::size_t d : item.whole) item.level = std::max(item.level, m.items[d].level + 1);
  }
  m.cascades = group(m);
  for (auto& members : m.cascades)
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return m.items[a].level < m.items[b].level; });
  return m;
}

Algebra make_algebra(const Model& model, const std::vector<std::size_t>& cascade) {
  std::set<ExprId> d;
  for (std::size_t i : cascade)
    if (!model.along(model.items[i].node)) d.insert(model.items[i].node);
  // nodes in which a dependency is read
  std::vector<ExprId> roots;
  for (std::size_t i : cascade) roots.insert(roots.end(), {model.items[i].element, model.items[i].mask});
  std::set<ExprId> reads;
  const Arena& arena = model.arena();
  for (ExprId id : reachable(arena, roots)) {
    bool yes = d.contains(id);
    for (ExprId o : arena.operands(id)) yes = yes || reads.contains(o);
    if (yes) reads.insert(id);
  }
  return {model.arena(),
          [&model, &arena, d = std::move(d), reads = std::move(reads)](ExprId id) -> std::optional<unsigned> {
            switch (arena[id].op) {
            case Op::load:
            case Op::padded_load:
            case Op::index:
            case Op::scalar:
            case Op::dim:
            case Op::symbol: return model.along(id) ? part_x : 0;
            case Op::reduce:
              if (d.contains(id)) return part_d;
              if (model.along(id)) return reads.contains(id) ? part_mixed : part_x;
              return 0;
            default: return std::nullopt;
            }
          }};
}

} // namespace aicf
