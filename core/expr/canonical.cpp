// Every map inlined, every variable renamed, every node in normal form; then names for the reductions and the hash.
#include "core/expr/canonical.hpp"

#include "core/expr/finish_canonical.hpp"
#include "core/expr/normal.hpp"
#include "core/expr/rebuild.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

namespace aicf {
namespace {

/// Translates the statements of one definition into the arena of its canonical form.
class Inliner {
 public:
  Inliner(const Definition& source, Draft& draft)
      : d_(source), draft_(draft), c_(draft.arena),
        rebuilder_(c_, [this](ExprId before, ExprId after) { draft_.inherit(before, after); }),
        mapped_(d_.arena.size()), epoch_of_(d_.arena.size(), 0), uses_(d_.arena.size(), 0),
        user_(d_.arena.size(), no_expr), user_slot_(d_.arena.size(), 0), level_(d_.arena.size(), 0),
        var_to_(d_.vars.size(), no_expr), statement_(d_.tensors.size(), nullptr), body_(d_.tensors.size(), no_expr) {
    for (const Statement& s : d_.statements) statement_.at(s.target) = &s;
  }

  void run() {
    std::uint32_t next = static_cast<TensorId>(d_.inputs);
    for (const Statement& s : d_.statements)
      if (!s.initial.empty()) draft_.recurrence_ids[s.target] = next++;
    for (const Statement* s : map_order()) draft_.of_tensor[s->target] = translate_statement(*s);
    for (const Statement& s : d_.statements)
      if (!s.initial.empty()) draft_.of_tensor[s.target] = translate_statement(s);
  }

  ExprId closed(ExprId source) { // of a shape, an identity, a reducer: no statement around it
    begin({});
    translate({source});
    return mapped_[source];
  }

 private:
  /// Statements that are no recurrence, operands first.
  std::vector<const Statement*> map_order() {
    std::unordered_map<TensorId, std::vector<const Statement*>> readers;
    std::unordered_map<TensorId, std::size_t> waiting;
    std::deque<const Statement*> ready;
    for (const Statement& s : d_.statements) {
      if (!s.initial.empty()) continue;
      std::vector<ExprId> roots = s.lo;
      roots.insert(roots.end(), s.hi.begin(), s.hi.end());
      roots.push_back(s.body);
      std::vector<TensorId> reads;
      for (ExprId id : scan(roots)) {
        Op op = d_.arena[id].op;
        if (!is_load(op)) continue;
        TensorId t = d_.arena[id].payload;
        if (t >= d_.inputs && statement_[t]->initial.empty()) reads.push_back(t);
      }
      std::sort(reads.begin(), reads.end());
      reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
      for (TensorId t : reads) readers[t].push_back(&s);
      waiting[s.target] = reads.size();
      if (reads.empty()) ready.push_back(&s);
    }
    std::vector<const Statement*> order;
    while (!ready.empty()) {
      const Statement* s = ready.front();
      ready.pop_front();
      order.push_back(s);
      for (const Statement* reader : readers[s->target])
        if (--waiting[reader->target] == 0) ready.push_back(reader);
    }
    if (order.size() != waiting.size()) throw std::logic_error("a cycle of statements passes no recurrence");
    return order;
  }

  /// Source nodes below `roots`, ascending.
  std::vector<ExprId> scan(const std::vector<ExprId>& roots) {
    ++epoch_;
    std::vector<ExprId> stack, found;
    auto visit = [&](ExprId id) {
      if (epoch_of_[id] == epoch_) return;
      epoch_of_[id] = epoch_;
      stack.push_back(id);
    };
    for (ExprId root : roots) visit(root);
    while (!stack.empty()) {
      ExprId id = stack.back();
      stack.pop_back();
      found.push_back(id);
      for (ExprId operand : d_.arena.operands(id)) visit(operand);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  void begin(const std::vector<VarId>& vars) {
    for (VarId v : touched_) var_to_[v] = no_expr;
    touched_.clear();
    for (std::size_t k = 0; k < vars.size(); ++k) bind(vars[k], static_cast<VarId>(k));
  }
  void bind(VarId source, VarId target) {
    var_to_[source] = c_.make(Op::index, Kind::integer, {}, target);
    touched_.push_back(source);
  }

  CanonicalValue translate_statement(const Statement& s) {
    std::vector<ExprId> roots = s.lo;
    roots.insert(roots.end(), s.hi.begin(), s.hi.end());
    roots.push_back(s.body);
    for (const Initial& i : s.initial) {
      roots.insert(roots.end(), i.indices.begin(), i.indices.end());
      roots.push_back(i.value);
    }
    begin(s.vars);
    current_ = &s;
    ranks_ = draft_.ranks_of(s);
    translate(roots);
    auto all = [&](const std::vector<ExprId>& ids) {
      std::vector<ExprId> out;
      out.reserve(ids.size());
      for (ExprId id : ids) out.push_back(mapped_[id]);
      return out;
    };
    CanonicalValue value;
    value.source = s.target;
    value.lo = all(s.lo);
    value.hi = all(s.hi);
    value.body = mapped_[s.body];
    Kind kind = d_.tensors[s.target].kind;
    if (c_[value.body].op == Op::number && c_[value.body].kind == Kind::integer && kind == Kind::real)
      value.body = c_.number(c_.value(value.body)); // as inside an expression, 1 is 1.0
    for (const Initial& i : s.initial) value.initial.push_back({all(i.indices), mapped_[i.value]});
    for (VarId v : s.vars) value.axis_names.push_back(d_.vars[v]);
    if (s.initial.empty()) body_[s.target] = value.body;
    current_ = nullptr;
    return value;
  }

  void translate(const std::vector<ExprId>& roots) {
    std::vector<ExprId> nodes = scan(roots);
    count_uses(roots, nodes);
    choose_levels(nodes);
    for (ExprId id : nodes)
      if (!absorbed(id)) mapped_[id] = translate_node(id);
  }

  void count_uses(const std::vector<ExprId>& roots, const std::vector<ExprId>& nodes) {
    for (ExprId id : nodes) uses_[id] = 0;
    for (ExprId root : roots) uses_[root] += 2; // a root is never absorbed
    for (ExprId id : nodes) {
      std::uint32_t slot = 0;
      for (ExprId operand : d_.arena.operands(id)) {
        ++uses_[operand];
        user_[operand] = id;
        user_slot_[operand] = slot++;
      }
    }
  }

  /// A part of a longer sum, product or chain that is gathered as a whole where it ends. Sums pass a minus sign to
  /// nobody (products are not distributed), quotients invert every factor of their denominator.
  bool absorbed(ExprId id) const {
    if (uses_[id] != 1) return false;
    Op op = d_.arena[id].op, user = d_.arena[user_[id]].op;
    switch (op) {
    case Op::add:
    case Op::sub: return user == Op::add || (user == Op::sub && user_slot_[id] == 0);
    case Op::mul:
    case Op::div: return user == Op::mul || user == Op::div;
    case Op::and_:
    case Op::or_:
    case Op::min:
    case Op::max: return user == op;
    default: return false;
    }
  }

  /// Bound variables that one reduction binds get their final level at once, the others are renamed when it is closed.
  void choose_levels(const std::vector<ExprId>& nodes) {
    std::unordered_map<VarId, int> binders;
    for (ExprId id : nodes)
      if (d_.arena[id].op == Op::reduce)
        for (VarId v : d_.arena.reduction(id).vars) ++binders[v];
    for (ExprId id : nodes) {
      const Node& n = d_.arena[id];
      std::uint32_t level = 0;
      for (ExprId operand : d_.arena.operands(id)) level = std::max(level, level_[operand]);
      if (is_load(n.op) && body_of(n.payload) != no_expr) level += rebuilder_.levels().of(body_of(n.payload));
      if (n.op == Op::reduce)
        for (VarId v : d_.arena.reduction(id).vars) {
          bind(v, binders[v] == 1 ? bound_base + level : temporary_base + v);
          ++level;
        }
      level_[id] = level;
    }
  }

  [[nodiscard]] ExprId body_of(TensorId t) const { return t < d_.inputs ? no_expr : body_[t]; }

  ExprId translate_node(ExprId id) {
    const Node& n = d_.arena[id];
    switch (n.op) {
    case Op::number: return c_.number(d_.arena.value(id), n.kind);
    case Op::index:
      if (var_to_[n.payload] == no_expr) throw std::logic_error("an index variable that nothing binds");
      return var_to_[n.payload];
    case Op::add:
    case Op::sub: return make_sum(c_, n.kind, gather_sum(id));
    case Op::mul:
    case Op::div: return make_product(c_, n.kind, gather_product(id));
    case Op::min:
    case Op::max:
    case Op::and_:
    case Op::or_: return gather_chain(id);
    case Op::load:
    case Op::padded_load: return read(id);
    case Op::reduce: return reduce(id);
    default: return make_canonical(c_, n.op, n.kind, operands(id), n.payload);
    }
  }

  std::vector<ExprId> operands(ExprId id) {
    std::vector<ExprId> out;
    for (ExprId operand : d_.arena.operands(id)) out.push_back(mapped_[operand]);
    return out;
  }

  ExprId minus(ExprId id) { return make_product(c_, c_[id].kind, {c_.number(-1, c_[id].kind), id}); }

  std::vector<ExprId> gather_sum(ExprId root) {
    std::vector<ExprId> terms, stack{root};
    while (!stack.empty()) {
      ExprId id = stack.back();
      stack.pop_back();
      if (id != root && !absorbed(id)) {
        terms.push_back(mapped_[id]);
      } else if (d_.arena[id].op == Op::sub) {
        terms.push_back(minus(mapped_[d_.arena.operand(id, 1)]));
        stack.push_back(d_.arena.operand(id, 0));
      } else {
        for (ExprId operand : d_.arena.operands(id)) stack.push_back(operand);
      }
    }
    return terms;
  }

  std::vector<ExprId> gather_product(ExprId root) {
    struct Part {
      ExprId id;
      bool inverted;
    };
    std::vector<ExprId> factors;
    std::vector<Part> stack{{root, false}};
    while (!stack.empty()) {
      Part part = stack.back();
      stack.pop_back();
      if (part.id != root && !absorbed(part.id)) {
        ExprId f = mapped_[part.id];
        factors.push_back(part.inverted ? make_power(c_, Kind::real, f, c_.number(-1)) : f);
      } else if (d_.arena[part.id].op == Op::div) {
        stack.push_back({d_.arena.operand(part.id, 0), part.inverted});
        stack.push_back({d_.arena.operand(part.id, 1), !part.inverted});
      } else {
        for (ExprId operand : d_.arena.operands(part.id)) stack.push_back({operand, part.inverted});
      }
    }
    return factors;
  }

  ExprId gather_chain(ExprId root) {
    const Node& n = d_.arena[root];
    std::vector<ExprId> parts, stack{root};
    while (!stack.empty()) {
      ExprId id = stack.back();
      stack.pop_back();
      if (id != root && !absorbed(id))
        parts.push_back(mapped_[id]);
      else
        for (ExprId operand : d_.arena.operands(id)) stack.push_back(operand);
    }
    if (n.op == Op::and_ || n.op == Op::or_) return make_canonical(c_, n.op, n.kind, parts);
    return make_chain(c_, n.op, n.kind, parts);
  }

  ExprId read(ExprId id) {
    const Node& n = d_.arena[id];
    std::vector<ExprId> args = operands(id);
    TensorId t = n.payload;
    if (t < d_.inputs) return make_canonical(c_, n.op, n.kind, args, t);
    if (auto found = draft_.recurrence_ids.find(t); found != draft_.recurrence_ids.end())
      return make_canonical(c_, n.op, n.kind, args, found->second);
    ExprId outside = no_expr;
    if (n.op == Op::padded_load) {
      outside = args.back();
      args.pop_back();
    }
    ExprId value = inlined(t, args);
    if (outside == no_expr) return value;
    std::vector<ExprId> inside;
    const CanonicalValue& v = draft_.of_tensor.at(t);
    std::unordered_map<ExprId, ExprId> with = at(args);
    for (std::size_t k = 0; k < args.size(); ++k) {
      ExprId lo = rebuilder_.replace(v.lo[k], with), hi = rebuilder_.replace(v.hi[k], with);
      inside.push_back(make_canonical(c_, Op::le, Kind::boolean, std::array{lo, args[k]}));
      inside.push_back(make_canonical(c_, Op::lt, Kind::boolean, std::array{args[k], hi}));
    }
    if (inside.empty()) return value;
    ExprId condition = make_canonical(c_, Op::and_, Kind::boolean, inside);
    return make_canonical(c_, Op::select, n.kind, std::array{condition, value, outside});
  }

  std::unordered_map<ExprId, ExprId> at(const std::vector<ExprId>& args) {
    std::unordered_map<ExprId, ExprId> with;
    for (std::size_t k = 0; k < args.size(); ++k)
      with[c_.make(Op::index, Kind::integer, {}, static_cast<VarId>(k))] = args[k];
    return with;
  }

  ExprId inlined(TensorId t, const std::vector<ExprId>& args) {
    auto [it, fresh] = inlined_.try_emplace({t, args}, no_expr);
    if (fresh) it->second = rebuilder_.replace(body_[t], at(args));
    return it->second;
  }

  ExprId reduce(ExprId id) {
    const Reduce& source = d_.arena.reduction(id);
    Reduce what{source.reducer, {}};
    for (VarId v : source.vars) what.vars.push_back(c_[var_to_[v]].payload);
    std::vector<std::size_t> order;
    ExprId made = rebuilder_.close(d_.arena[id].kind, what, operands(id), true, &order);
    if (current_ == nullptr) return made;
    std::vector<std::string> axes;
    axes.reserve(order.size());
    for (std::size_t p : order) axes.push_back(d_.vars[source.vars[p]]);
    draft_.found(made, {current_, ranks_.at(id), id == current_->body, std::move(axes)});
    return made;
  }

  const Definition& d_;
  Draft& draft_;
  Arena& c_;
  Rebuilder rebuilder_;
  std::vector<ExprId> mapped_; // source node -> canonical node, within the current statement
  std::vector<std::uint32_t> epoch_of_;
  std::uint32_t epoch_ = 0;
  std::vector<std::uint32_t> uses_;
  std::vector<ExprId> user_;
  std::vector<std::uint32_t> user_slot_, level_;
  std::vector<ExprId> var_to_;
  std::vector<VarId> touched_;
  std::vector<const Statement*> statement_;
  std::vector<ExprId> body_; // of a map, over the variables 0, 1, …
  std::map<std::pair<TensorId, std::vector<ExprId>>, ExprId> inlined_;
  const Statement* current_ = nullptr;
  std::unordered_map<ExprId, std::uint32_t> ranks_;
};

} // namespace

Canonical canonicalize(std::shared_ptr<const Definition> definition) {
  const Definition& d = *definition;
  Draft draft(d);
  Inliner inliner(d, draft);
  inliner.run();
  for (const TensorDecl& t : d.tensors)
    for (ExprId extent : t.shape) draft.closed[extent] = inliner.closed(extent);
  for (const UserReducer& r : d.reducers)
    for (ExprId id : {r.combine, r.identity}) draft.closed[id] = inliner.closed(id);
  return finish(draft, std::move(definition));
}

} // namespace aicf
