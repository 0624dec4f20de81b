#include "core/expr/finish_canonical.hpp"

#include "core/base/json.hpp"
#include "core/expr/structure_key.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

namespace aicf {

Draft::Draft(const Definition& definition) : source(&definition) {
  std::vector<const Statement*> order;
  for (const Statement& s : definition.statements) order.push_back(&s);
  std::stable_sort(order.begin(), order.end(), [](const Statement* a, const Statement* b) {
    return std::tie(a->at.line, a->at.column) < std::tie(b->at.line, b->at.column);
  });
  for (const Statement* s : order) place_.emplace(s, static_cast<std::uint32_t>(place_.size()));
}

std::unordered_map<ExprId, std::uint32_t> Draft::ranks_of(const Statement& statement) const {
  const Arena& arena = source->arena;
  std::unordered_map<ExprId, std::uint32_t> ranks;
  std::unordered_map<ExprId, std::uint32_t> next; // operand to visit; present: seen
  std::vector<ExprId> roots{statement.body};
  for (const Initial& i : statement.initial) roots.push_back(i.value);
  for (ExprId root : roots) {
    std::vector<ExprId> stack{root};
    next.emplace(root, 0);
    while (!stack.empty()) {
      ExprId id = stack.back();
      std::uint32_t& at = next[id];
      if (at < arena[id].count) {
        ExprId operand = arena.operand(id, at++);
        if (next.emplace(operand, 0).second) stack.push_back(operand);
        continue;
      }
      stack.pop_back();
      if (arena[id].op == Op::reduce) ranks.emplace(id, static_cast<std::uint32_t>(ranks.size()));
    }
  }
  for (const auto& bounds : {statement.lo, statement.hi}) // a reduction in a bound comes last
    for (ExprId id : reachable(arena, bounds))
      if (arena[id].op == Op::reduce) ranks.emplace(id, static_cast<std::uint32_t>(ranks.size()));
  for (const Initial& i : statement.initial)
    for (ExprId id : reachable(arena, i.indices))
      if (arena[id].op == Op::reduce) ranks.emplace(id, static_cast<std::uint32_t>(ranks.size()));
  return ranks;
}

void Draft::found(ExprId reduction, Origin origin) {
  auto [it, fresh] = origins.try_emplace(reduction, origin);
  if (fresh) return;
  auto key = [&](const Origin& o) { return std::pair(place_.at(o.statement), o.rank); };
  if (key(origin) < key(it->second)) it->second = std::move(origin);
}

void Draft::inherit(ExprId before, ExprId after) {
  if (auto known = origins.find(before); known != origins.end()) found(after, Origin(known->second));
}

namespace {

std::vector<ExprId> roots_of(const CanonicalValue& v) {
  std::vector<ExprId> roots = v.lo;
  roots.insert(roots.end(), v.hi.begin(), v.hi.end());
  roots.push_back(v.body);
  for (const Initial& i : v.initial) {
    roots.insert(roots.end(), i.indices.begin(), i.indices.end());
    roots.push_back(i.value);
  }
  return roots;
}

/// Source tensors of the recurrences that the results read, operands first, in an order that names do not decide.
class RecurrenceOrder {
 public:
  explicit RecurrenceOrder(const Draft& draft) : draft_(draft) {
    for (auto [tensor, id] : draft.recurrence_ids) source_of_[id] = tensor;
    for (TensorId t : draft.source->outputs) {
      if (draft.recurrence_ids.contains(t)) live_.insert(t);
      visit(draft.of_tensor.at(t));
    }
    for (std::vector<TensorId> todo(live_.begin(), live_.end()); !todo.empty();) {
      TensorId t = todo.back();
      todo.pop_back();
      for (TensorId read : visit(draft.of_tensor.at(t))) todo.push_back(read);
    }
  }

  std::vector<TensorId> sorted() {
    for (TensorId t : live_) labels_.tensors[draft_.recurrence_ids.at(t)] = 1;
    for (std::size_t classes = 1, round = 0; round <= live_.size(); ++round) { // refine until no class splits
      KeyLabels next;
      std::set<std::uint64_t> distinct;
      for (TensorId t : live_) {
        std::uint64_t key = key_of(t);
        next.tensors[draft_.recurrence_ids.at(t)] = key;
        distinct.insert(key);
      }
      labels_ = std::move(next);
      if (round > 0 && distinct.size() == classes) break;
      classes = distinct.size();
    }
    std::map<TensorId, std::size_t> depth = depths();
    std::vector<TensorId> order(live_.begin(), live_.end());
    auto key = [&](TensorId t) { return std::tuple(depth.at(t), labels_.tensors.at(draft_.recurrence_ids.at(t)), t); };
    std::sort(order.begin(), order.end(), [&](TensorId a, TensorId b) { return key(a) < key(b); });
    return order;
  }

 private:
  /// Recurrences that `v` reads and that were not live before.
  std::vector<TensorId> visit(const CanonicalValue& v) {
    std::vector<TensorId> fresh;
    for (TensorId t : reads(v))
      if (live_.insert(t).second) fresh.push_back(t);
    return fresh;
  }
  std::vector<TensorId> reads(const CanonicalValue& v) const {
    std::vector<TensorId> out;
    for (ExprId id : reachable(draft_.arena, roots_of(v))) {
      const Node& n = draft_.arena[id];
      if (!is_load(n.op)) continue;
      if (auto found = source_of_.find(n.payload); found != source_of_.end()) out.push_back(found->second);
    }
    return out;
  }
  std::uint64_t key_of(TensorId t) const {
    const CanonicalValue& v = draft_.of_tensor.at(t);
    std::vector<ExprId> roots = roots_of(v);
    return content_key(draft_.arena, roots, labels_);
  }
  /// Longest way down through other groups; members of one group share theirs.
  std::map<TensorId, std::size_t> depths() const {
    std::map<TensorId, std::size_t> depth;
    for (TensorId t : live_) depth[t] = 0;
    auto group = [&](TensorId t) { return statement_of(*draft_.source, t)->group; };
    std::map<TensorId, std::vector<TensorId>> below;
    for (TensorId t : live_) below[t] = reads(draft_.of_tensor.at(t));
    for (bool moved = true; moved;) {
      moved = false;
      for (TensorId t : live_)
        for (TensorId read : below[t]) {
          std::size_t least = depth[read] + (group(read) == group(t) ? 0 : 1);
          if (depth[t] >= least) continue;
          depth[t] = least;
          moved = true;
        }
    }
    return depth;
  }

  const Draft& draft_;
  std::unordered_map<TensorId, TensorId> source_of_;
  std::set<TensorId> live_;
  KeyLabels labels_;
};

/// Copies what is reachable into a fresh arena, recurrences under their final ids.
class Compactor {
 public:
  Compactor(const Draft& draft, Arena& to, std::unordered_map<TensorId, TensorId> renamed)
      : draft_(draft), to_(to), renamed_(std::move(renamed)) {}

  void copy(std::span<const ExprId> roots) {
    std::vector<ExprId> args;
    for (ExprId id : reachable(draft_.arena, roots)) {
      const Node& n = draft_.arena[id];
      args.clear();
      for (ExprId operand : draft_.arena.operands(id)) args.push_back(at(operand));
      if (n.op == Op::number) {
        moved_[id] = to_.number(draft_.arena.value(id), n.kind);
      } else if (n.op == Op::reduce) {
        ExprId made = to_.reduce(draft_.arena.reduction(id), args);
        moved_[id] = to_[made].kind == n.kind ? made : to_.make(Op::reduce, n.kind, to_[made].payload, args);
        reductions_.emplace_back(id, moved_[id]);
      } else {
        auto renamed = is_load(n.op) ? renamed_.find(n.payload) : renamed_.end();
        moved_[id] = to_.make(n.op, n.kind, renamed == renamed_.end() ? n.payload : renamed->second, args);
      }
    }
  }
  [[nodiscard]] ExprId at(ExprId id) const { return moved_.at(id); }
  CanonicalValue value(const CanonicalValue& v) {
    copy(roots_of(v));
    CanonicalValue out = v;
    for (ExprId& id : out.lo) id = at(id);
    for (ExprId& id : out.hi) id = at(id);
    out.body = at(v.body);
    for (Initial& i : out.initial) {
      for (ExprId& id : i.indices) id = at(id);
      i.value = at(i.value);
    }
    return out;
  }

  /// Each reduction once, in source order, with its name.
  [[nodiscard]] std::vector<NamedReduction> named(const std::vector<const Statement*>& text_order) const {
    std::map<const Statement*, std::size_t> place;
    for (std::size_t i = 0; i < text_order.size(); ++i) place[text_order[i]] = i;
    struct Entry {
      std::size_t place;
      std::uint32_t rank;
      ExprId node;
      const Origin* origin;
    };
    std::vector<Entry> entries;
    std::set<ExprId> seen;
    for (auto [before, after] : reductions_)
      if (auto found = draft_.origins.find(before); found != draft_.origins.end() && seen.insert(after).second)
        entries.push_back({place.at(found->second.statement), found->second.rank, after, &found->second});
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.place, a.rank, a.node) < std::tie(b.place, b.rank, b.node);
    });
    std::vector<NamedReduction> out;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Entry& e = entries[i];
      bool same_statement = i > 0 && entries[i - 1].place == e.place;
      if (!same_statement) number = 0;
      if (!(same_statement && entries[i - 1].rank == e.rank))
        ++number; // one written reduction, read at several indices
      const std::string& of = draft_.source->tensors[e.origin->statement->target].name;
      out.push_back({e.node, e.origin->whole ? of : of + "#" + std::to_string(number), e.origin->axes});
    }
    return out;
  }

 private:
  const Draft& draft_;
  Arena& to_;
  std::unordered_map<TensorId, TensorId> renamed_;
  std::unordered_map<ExprId, ExprId> moved_;
  std::vector<std::pair<ExprId, ExprId>> reductions_;
};

/// The canonical document behind structure_hash. Dims are numbered by first appearance in the inputs, tensors and
/// scalars by position; reducers enter by content.
class Identity {
 public:
  Identity(const Draft& draft, const Canonical& canonical) : draft_(draft), c_(canonical) {
    for (const UserReducer& r : draft.source->reducers) {
      auto parts = hashes(draft.arena, std::array{draft.closed.at(r.combine), draft.closed.at(r.identity)});
      reducers_.push_back(hash_of(nlohmann::json{{"combine", to_hex(parts[0])}, {"identity", to_hex(parts[1])}}));
    }
  }

  Hash hash() {
    const Definition& d = *draft_.source;
    nlohmann::json j{{"inputs", nlohmann::json::array()},
                     {"scalars", nlohmann::json::array()},
                     {"values", nlohmann::json::array()},
                     {"outputs", nlohmann::json::array()}};
    for (TensorId t = 0; t < d.inputs; ++t) j["inputs"].push_back(declaration(d.tensors[t]));
    for (const ScalarDecl& s : d.scalars)
      j["scalars"].push_back({{"type", type(s.type)}, {"default", json_number(s.value)}});
    for (const CanonicalValue& v : c_.values) j["values"].push_back(value(v));
    for (const CanonicalValue& v : c_.outputs) {
      nlohmann::json out = value(v);
      out["tensor"] = declaration(d.tensors[v.source]);
      j["outputs"].push_back(std::move(out));
    }
    return hash_of(j);
  }

 private:
  static std::string type(const ElementType& t) { return t.generic ? "float" : std::string(name_of(t.fixed)); }
  nlohmann::json declaration(const TensorDecl& t) {
    std::vector<ExprId> shape;
    for (ExprId extent : t.shape) shape.push_back(draft_.closed.at(extent));
    return {{"type", type(t.type)}, {"shape", texts(draft_.arena, shape)}};
  }
  nlohmann::json value(const CanonicalValue& v) {
    nlohmann::json initial = nlohmann::json::array();
    for (const Initial& i : v.initial)
      initial.push_back({{"at", texts(c_.arena, i.indices)}, {"value", texts(c_.arena, {i.value})}});
    std::sort(initial.begin(), initial.end());
    return {{"lo", texts(c_.arena, v.lo)},
            {"hi", texts(c_.arena, v.hi)},
            {"body", texts(c_.arena, {v.body})},
            {"initial", std::move(initial)}};
  }
  std::vector<std::string> texts(const Arena& arena, const std::vector<ExprId>& roots) {
    std::vector<std::string> out;
    for (const Hash& h : hashes(arena, roots)) out.push_back(to_hex(h));
    return out;
  }
  std::vector<Hash> hashes(const Arena& arena, std::span<const ExprId> roots) {
    return content_hashes(arena, roots, reducers_);
  }

  const Draft& draft_;
  const Canonical& c_;
  std::vector<Hash> reducers_;
};

} // namespace

Canonical finish(const Draft& draft, std::shared_ptr<const Definition> source) {
  const Definition& d = *source;
  Canonical out;
  std::vector<TensorId> recurrences = RecurrenceOrder(draft).sorted();
  std::unordered_map<TensorId, TensorId> renamed; // provisional ids of dead recurrences are never met
  for (std::size_t k = 0; k < recurrences.size(); ++k)
    renamed[draft.recurrence_ids.at(recurrences[k])] = static_cast<TensorId>(d.inputs + k);
  Compactor compactor(draft, out.arena, std::move(renamed));
  for (TensorId t : recurrences) out.values.push_back(compactor.value(draft.of_tensor.at(t)));
  for (TensorId t : d.outputs) {
    out.outputs.push_back(compactor.value(draft.of_tensor.at(t)));
    auto k = std::find(recurrences.begin(), recurrences.end(), t) - recurrences.begin();
    if (k == static_cast<std::ptrdiff_t>(recurrences.size())) continue;
    CanonicalValue& result = out.outputs.back(); // a recurrence is a value; the result reads it
    std::vector<ExprId> axes;
    for (std::size_t a = 0; a < result.lo.size(); ++a)
      axes.push_back(out.arena.make(Op::index, Kind::integer, {}, static_cast<VarId>(a)));
    result.body = out.arena.make(Op::load, d.tensors[t].kind,
                                 static_cast<std::uint32_t>(d.inputs) + static_cast<std::uint32_t>(k), axes);
    result.initial.clear();
  }
  std::vector<const Statement*> text;
  for (const Statement& s : d.statements) text.push_back(&s);
  std::stable_sort(text.begin(), text.end(), [](const Statement* a, const Statement* b) {
    return std::tie(a->at.line, a->at.column) < std::tie(b->at.line, b->at.column);
  });
  out.reductions = compactor.named(text);
  out.structure_hash = Identity(draft, out).hash();
  out.source = std::move(source);
  return out;
}

} // namespace aicf
