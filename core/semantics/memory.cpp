#include "core/semantics/memory.hpp"

#include "core/expr/print.hpp"
#include "core/structure/node_program.hpp"
#include "core/structure/verify.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace aicf {
namespace {

using Extent = Amount::Extent;
using Extents = Amount::Extents;

bool is_axis(VarId v) { return v <= axis_var && axis_var - v < 16; }
bool has(const std::vector<VarId>& vars, VarId v) { return std::find(vars.begin(), vars.end(), v) != vars.end(); }

Extents joined(Extents a, const Extents& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

/// What one pass reads: each access once, however many reductions use it; of two ranges the longer nest.
using Pass = std::map<std::string, std::pair<double, Extents>>;

void add(Amount& total, const Pass& pass) {
  for (const auto& [access, read] : pass) total.add(read.first, read.second);
}

class Counting {
 public:
  Counting(const StructureProfile& profile, DType float_type)
      : p_(profile), c_(*profile.canonical), arena_(c_.arena), type_(float_type), names_(names_of(c_)) {}

  MemoryModel run() {
    m_.passes_as_defined = p_.passes_definition, m_.passes_bounded = p_.passes_best;
    if (!c_.values.empty()) m_.unknown = "what a recurrence keeps of its state is a choice of the plan";
    std::map<std::pair<std::size_t, int>, Pass> by_level, at_best; // of each cascade
    Pass all;
    for (std::size_t k = 0; k < p_.cascades.size(); ++k) {
      const Cascade& cascade = p_.cascades[k];
      for (std::size_t i = 0; i < cascade.reductions.size(); ++i) {
        const Reduction& r = p_.reductions[cascade.reductions[i]];
        const std::vector<VarId> rows = free_vars(arena_, r.node);
        if (std::any_of(rows.begin(), rows.end(), [](VarId v) { return v >= bound_base; })) continue; // inside another
        const Extents of_rows = rows_of(r.node, rows);
        Extents axis{extent(cascade.lo, cascade.hi)};
        for (std::size_t n = 0; n < cascade.more_lo.size(); ++n)
          axis.push_back(extent(cascade.more_lo[n], cascade.more_hi[n]));
        if (!arena_.is_number(cascade.predicates[i], 1)) m_.at_most = true;
        names_.var = [](VarId v) { return is_axis(v) ? "@" + std::to_string(axis_var - v) : "v" + std::to_string(v); };
        Pass own;
        for (ExprId root : {cascade.elements[i], cascade.predicates[i]}) reads(root, of_rows, axis, own);
        for (Pass* pass : {&by_level[{k, r.level}], &at_best[{k, r.best_level}], &all})
          for (const auto& [access, read] : own) note(access, read.first, read.second, *pass);
        m_.statistics.add(bytes_of(r.node), of_rows);
      }
    }
    for (const auto& [level, pass] : by_level) add(m_.as_defined, pass);
    for (const auto& [level, pass] : at_best) add(m_.bounded, pass);
    for (std::size_t o = 0; o < c_.outputs.size(); ++o) output(o, all);
    add(m_.once, all);
    state();
    return std::move(m_);
  }

 private:
  Extent extent(ExprId lo, ExprId hi) {
    for (ExprId end : {lo, hi})
      if (!free_vars(arena_, end).empty()) m_.unknown = "a range moves with the row";
    for (ExprId id : reachable(arena_, std::array{lo, hi}))
      if (is_load(arena_[id].op)) m_.unknown = "a range depends on data";
    return {lo, hi};
  }

  /// The extents of a reduction's rows, as the results or the reductions that hold it bind them.
  Extents rows_of(ExprId node, const std::vector<VarId>& rows) {
    Extents out;
    for (const CanonicalValue& v : c_.outputs) {
      const std::vector<ExprId> nodes = reachable(arena_, std::span(&v.body, 1));
      if (!std::binary_search(nodes.begin(), nodes.end(), node)) continue;
      for (VarId row : rows)
        if (row < v.hi.size()) out.push_back(extent(v.lo[row], v.hi[row]));
      break;
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  double size(DType type) const { return static_cast<double>(size_of(type)); }
  /// Of one value of a reduction, as results hold it.
  double bytes_of(ExprId node) const { return arena_[node].kind == Kind::real ? size(DType::f32) : 8; }

  /// The loads of an expression along an axis, those inside its own reductions as often as these run.
  void reads(ExprId root, const Extents& rows, const Extents& axis, Pass& pass) {
    std::vector<std::pair<ExprId, Extents>> open{{root, joined(rows, axis)}};
    std::set<std::pair<ExprId, Extents>> seen;
    while (!open.empty()) {
      auto [id, space] = open.back();
      open.pop_back();
      if (!seen.insert({id, space}).second) continue;
      const Node& n = arena_[id];
      if (n.op == Op::reduce) {
        if (!moves(id)) continue; // known by then
        m_.at_most = true;        // results that share it may compute it once
        Extents inner = space;
        const std::size_t count = arena_.reduction(id).vars.size();
        for (std::size_t k = 0; k < count; ++k)
          inner.push_back(extent(arena_.operand(id, 2 * k), arena_.operand(id, 2 * k + 1)));
        std::sort(inner.begin(), inner.end());
        open.emplace_back(arena_.body(id), inner);
        open.emplace_back(arena_.predicate(id), inner);
        continue;
      }
      if (is_load(n.op)) note_load(id, moves(id) ? space : rows, pass);
      for (ExprId o : arena_.operands(id)) open.emplace_back(o, space);
    }
  }

  /// Whether a node changes along the axis, or with a variable of a reduction inside an element.
  bool moves(ExprId id) const {
    const std::vector<VarId> vars = free_vars(arena_, id);
    return std::any_of(vars.begin(), vars.end(), [](VarId v) { return is_axis(v) || v >= bound_base; });
  }

  void note_load(ExprId load, const Extents& space, Pass& pass) {
    if (arena_[load].op == Op::padded_load) m_.at_most = true;
    const TensorId tensor = arena_[load].payload;
    if (tensor >= c_.source->inputs) return;
    const double bytes = size(c_.source->tensors[tensor].type.bind(type_));
    note(print(arena_, load, names_, 4000), bytes, space, pass);
  }

  static void note(const std::string& access, double bytes, const Extents& space, Pass& pass) {
    auto [at, fresh] = pass.try_emplace(access, bytes, space);
    if (!fresh && at->second.second.size() < space.size()) at->second.second = space;
  }

  void output(std::size_t o, Pass& all) {
    const CanonicalValue& out = c_.outputs[o];
    Extents whole;
    for (std::size_t v = 0; v < out.hi.size(); ++v) whole.push_back(extent(out.lo[v], out.hi[v]));
    Extents sorted = whole;
    std::sort(sorted.begin(), sorted.end());
    const TensorDecl& tensor = c_.source->tensors[out.source];
    m_.written.add(size(tensor.type.bind(type_)), sorted);
    const std::vector<VarId> along = along_axis(out);
    names_.var = [along](VarId v) {
      auto at = std::find(along.begin(), along.end(), v);
      return at == along.end() ? "v" + std::to_string(v) : "@" + std::to_string(at - along.begin());
    };
    Pass pass;
    std::vector<ExprId> open{out.body};
    std::set<ExprId> seen;
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (!seen.insert(id).second || arena_[id].op == Op::reduce) continue;
      for (ExprId operand : arena_.operands(id)) open.push_back(operand);
      if (!is_load(arena_[id].op)) continue;
      const std::vector<VarId> vars = free_vars(arena_, id);
      const bool varies =
          along.empty() || std::any_of(along.begin(), along.end(), [&](VarId v) { return has(vars, v); });
      Extents space;
      for (std::size_t v = 0; v < whole.size(); ++v)
        if (varies || !has(along, static_cast<VarId>(v))) space.push_back(whole[v]);
      std::sort(space.begin(), space.end());
      note_load(id, space, pass);
    }
    for (const auto& [access, read] : pass) note(access, read.first, read.second, all);
    add(m_.as_defined, pass);
    add(m_.bounded, pass);
  }

  /// Variables of a result that run over the axis of a cascade that it reads; without a cascade, the last.
  std::vector<VarId> along_axis(const CanonicalValue& out) const {
    if (p_.cascades.empty())
      return out.hi.empty() ? std::vector<VarId>{} : std::vector<VarId>{static_cast<VarId>(out.hi.size() - 1)};
    for (const Cascade& cascade : p_.cascades) {
      std::vector<ExprId> ends{cascade.hi};
      ends.insert(ends.end(), cascade.more_hi.begin(), cascade.more_hi.end());
      std::vector<VarId> along;
      for (std::size_t v = 0; v < out.hi.size() && along.size() < ends.size(); ++v)
        if (!has(cascade.rows, static_cast<VarId>(v)) && out.hi[v] == ends[along.size()])
          along.push_back(static_cast<VarId>(v));
      if (along.size() == ends.size()) return along;
    }
    return {};
  }

  /// What a part of a row leaves: the slots of the common state, or each reduction's own value; a best element with its
  /// position.
  void state() {
    const Cascade* only = nullptr; // whose rows are rows of results
    for (const Cascade& c : p_.cascades) {
      const std::vector<VarId> rows = free_vars(arena_, p_.reductions[c.reductions.front()].node);
      if (std::any_of(rows.begin(), rows.end(), [](VarId v) { return v >= bound_base; })) continue;
      if (only != nullptr) return;
      only = &c;
    }
    if (only == nullptr) return;
    const Cascade& cascade = *only;
    Extents rows;
    double bytes = 0;
    auto one = [&](ReducerId reducer, Kind kind) {
      const auto b = static_cast<Builtin>(reducer);
      const double value = kind == Kind::real ? wide() ? 8 : 4 : kind == Kind::boolean ? 4 : 8;
      return b == Builtin::argmax || b == Builtin::argmin ? value + 8 : value;
    };
    const bool dependent = std::any_of(cascade.reductions.begin(), cascade.reductions.end(),
                                       [this](std::size_t k) { return !p_.reductions[k].depends_on.empty(); });
    for (std::size_t k : cascade.reductions) {
      const ExprId node = p_.reductions[k].node;
      const Extents its = rows_of(node, free_vars(arena_, node));
      if (its.size() > rows.size()) rows = its;
      if (!dependent) bytes += one(arena_.reduction(node).reducer, arena_[arena_.body(node)].kind);
    }
    if (dependent && !cascade.summary) return;
    if (dependent)
      for (const Slot& s : cascade.summary->slots) bytes += one(s.reducer, arena_[s.body].kind);
    m_.part.add(bytes, rows);
  }
  bool wide() const { return type_ == DType::f64; }

  const StructureProfile& p_;
  const Canonical& c_;
  const Arena& arena_;
  DType type_;
  Names names_;
  MemoryModel m_;
};

} // namespace

void Amount::add(double bytes, Extents over) {
  if (bytes != 0) terms_[std::move(over)] += bytes;
}

void Amount::add(const Amount& other) {
  for (const auto& [over, bytes] : other.terms_) terms_[over] += bytes;
}

std::string Amount::text(const Canonical& canonical) const {
  const Names names = names_of(canonical);
  const Arena& arena = canonical.arena;
  std::vector<std::string> parts;
  for (const auto& [over, bytes] : terms_) {
    std::string part = nlohmann::json(static_cast<std::int64_t>(bytes)).dump();
    for (const Extent& e : over) {
      std::string text = print(arena, e.hi, names, 60);
      if (!arena.is_number(e.lo, 0)) text += " - " + print(arena, e.lo, names, 60);
      const Op op = arena[e.hi].op;
      part += "*" + (arena.is_number(e.lo, 0) && (op == Op::dim || op == Op::number) ? text : "(" + text + ")");
    }
    parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " + ") + part;
  return out.empty() ? "0" : out;
}

std::optional<double> Amount::at(const Canonical& canonical, const Sizes& sizes) const {
  const Arena& arena = canonical.arena;
  std::vector<ExprId> ends;
  for (const auto& [over, bytes] : terms_)
    for (const Extent& e : over) ends.insert(ends.end(), {e.lo, e.hi});
  NodeProgram program(arena, ends);
  DoubleMath math;
  std::vector<double> values;
  program.literals<DoubleMath>(math, values, [](double v) { return v; });
  for (ExprId leaf : program.leaves()) {
    const Node& n = arena[leaf];
    if (n.op == Op::number) continue;
    if (n.op == Op::scalar) { // as the definition has it
      values[program.place(leaf)] = canonical.source->scalars[n.payload].value;
      continue;
    }
    if (n.op != Op::dim) return std::nullopt;
    auto dim = sizes.dims.find(canonical.source->dims[n.payload]);
    if (dim == sizes.dims.end()) return std::nullopt;
    values[program.place(leaf)] = static_cast<double>(dim->second);
  }
  program.run(math, values);
  double total = 0;
  for (const auto& [over, bytes] : terms_) {
    double term = bytes;
    for (const Extent& e : over) term *= std::max(0.0, values[program.place(e.hi)] - values[program.place(e.lo)]);
    total += term;
  }
  return total;
}

MemoryModel memory_model(const StructureProfile& profile, DType float_type) {
  return Counting(profile, float_type).run();
}

} // namespace aicf
