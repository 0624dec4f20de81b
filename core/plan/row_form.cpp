#include "core/plan/row_form.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace aicf {
namespace {

DimBinding symbolic(const RowForm& form) { return {form.canonical->source.get(), nullptr, nullptr}; }

bool is_var(const Arena& arena, ExprId id, VarId var) { return arena[id].op == Op::index && arena[id].payload == var; }

bool contains(const std::vector<VarId>& vars, VarId var) {
  return std::find(vars.begin(), vars.end(), var) != vars.end();
}

/// Two extents are the same expression: compared as texts, for they may live in two arenas.
bool same_extent(const RowForm& form, ExprId canonical, ExprId declared) {
  auto a = dim_text(form.arena, canonical, symbolic(form));
  auto b = dim_text(form.canonical->source->arena, declared, symbolic(form));
  return a && b && *a == *b;
}

class Finding {
 public:
  explicit Finding(const StructureProfile& profile) : p(profile) {
    f.canonical = profile.canonical;
    f.arena = profile.canonical->arena;
  }

  RowForm run() {
    f.mismatch = find();
    return std::move(f);
  }

 private:
  const StructureProfile& p;
  RowForm f;

  std::string find() {
    if (!f.canonical->values.empty()) return "it holds a recurrence";
    if (p.cascades.size() > 1) return "its reductions run over several axes";
    if (!p.cascades.empty()) f.cascade = &p.cascades.front();
    if (std::string why = reductions(); !why.empty()) return why;
    if (f.cascade != nullptr && !f.cascade->more_lo.empty())
      if (std::string why = flatten(); !why.empty()) return why;
    if (std::string why = outputs(); !why.empty()) return why;
    if (std::string why = axis(); !why.empty()) return why;
    loads();
    reuse();
    return {};
  }

  std::string reductions() {
    if (f.cascade == nullptr) return p.reductions.empty() ? "" : "a reduction belongs to no cascade";
    if (f.cascade->reductions.size() != p.reductions.size()) return "a reduction belongs to no cascade";
    for (std::size_t k = 0; k < f.cascade->reductions.size(); ++k) {
      const Reduction& r = p.reductions[f.cascade->reductions[k]];
      auto level = static_cast<std::size_t>(std::max(r.level, 1));
      if (f.levels.size() < level) f.levels.resize(level);
      f.levels[level - 1].push_back(k);
    }
    std::erase_if(f.levels, [](const auto& level) { return level.empty(); });
    return {};
  }

  /// Several variables as one axis: positions in row-major order, the variable innermost that comes last in the indices
  /// of what is read.
  std::string flatten() {
    const Cascade& c = *f.cascade;
    std::vector<ExprId> lo{c.lo}, hi{c.hi};
    lo.insert(lo.end(), c.more_lo.begin(), c.more_lo.end());
    hi.insert(hi.end(), c.more_hi.begin(), c.more_hi.end());
    for (std::size_t i = 0; i < c.reductions.size(); ++i) {
      const Reduction& r = p.reductions[c.reductions[i]];
      auto reducer = static_cast<Builtin>(f.arena.reduction(r.node).reducer);
      bool ordered = f.arena.reduction(r.node).reducer >= first_user_reducer || reducer == Builtin::argmax ||
                     reducer == Builtin::argmin;
      if (ordered) return r.name + " reduces several axes at once in an order of its own";
    }
    for (std::size_t k = 0; k < lo.size(); ++k) {
      if (!f.arena.is_number(lo[k], 0) || !row_free(hi[k])) return "its axes have ranges that depend on the row";
      f.parts.push_back({static_cast<VarId>(axis_var - k), hi[k], no_expr});
    }
    std::map<VarId, std::size_t> place = places();
    std::stable_sort(f.parts.begin(), f.parts.end(),
                     [&](const AxisPart& a, const AxisPart& b) { return place[a.var] < place[b.var]; });
    std::unordered_map<ExprId, ExprId> with;
    ExprId rest = f.arena.make(Op::index, Kind::integer, {}, axis_var);
    ExprId product = no_expr;
    for (std::size_t k = f.parts.size(); k-- > 0;) {
      AxisPart& part = f.parts[k];
      part.index = k == 0 ? rest : f.arena.make(Op::mod, Kind::integer, 0, std::array{rest, part.extent});
      rest = k == 0 ? rest : f.arena.make(Op::floordiv, Kind::integer, 0, std::array{rest, part.extent});
      // as it is: in normal form a square would be a power
      product =
          product == no_expr ? part.extent : f.arena.make(Op::mul, Kind::integer, 0, std::array{part.extent, product});
      with[f.arena.make(Op::index, Kind::integer, {}, part.var)] = part.index;
    }
    Cascade flat = c;
    flat.lo = f.arena.number(0, Kind::integer), flat.hi = product;
    flat.more_lo.clear(), flat.more_hi.clear(), flat.summary.reset();
    for (ExprId& element : flat.elements) element = substitute(f.arena, element, with);
    for (ExprId& predicate : flat.predicates) predicate = substitute(f.arena, predicate, with);
    f.flat = std::make_shared<const Cascade>(std::move(flat));
    f.cascade = f.flat.get();
    return {};
  }

  /// Of each variable, the last index of a load that it is.
  std::map<VarId, std::size_t> places() const {
    std::map<VarId, std::size_t> place;
    for (ExprId id : reachable(f.arena, f.cascade->elements)) {
      if (!is_load(f.arena[id].op)) continue;
      for (std::size_t i = 0; i < p.canonical->source->tensors[f.arena[id].payload].shape.size(); ++i)
        if (const Node& n = f.arena[f.arena.operand(id, i)]; n.op == Op::index)
          place[n.payload] = std::max(place[n.payload], i);
    }
    return place;
  }

  bool row_free(ExprId id) const { return free_vars(f.arena, id).empty(); }

  /// The variables of an output that run over the parts of the axis, in the order of the parts; none where it has
  /// fewer.
  std::vector<VarId> axes_of(const CanonicalValue& out) const {
    if (f.parts.empty()) {
      auto axis = axis_of(out);
      return axis ? std::vector{*axis} : std::vector<VarId>{};
    }
    auto text = [&](ExprId id) { return dim_text(f.arena, id, symbolic(f)); };
    std::vector<VarId> axes;
    for (std::size_t v = 0; v < out.hi.size() && axes.size() < f.parts.size(); ++v)
      if (!contains(f.cascade->rows, static_cast<VarId>(v)) && text(out.hi[v]) == text(f.parts[axes.size()].extent))
        axes.push_back(static_cast<VarId>(v));
    return axes.size() == f.parts.size() ? axes : std::vector<VarId>{};
  }

  /// The variable of an output that runs over the axis, if one does.
  std::optional<VarId> axis_of(const CanonicalValue& out) const {
    auto text = [&](ExprId id) { return dim_text(f.arena, id, symbolic(f)); };
    if (f.cascade == nullptr) return out.hi.empty() ? std::nullopt : std::optional<VarId>(out.hi.size() - 1);
    bool ranged = !row_free(f.cascade->hi) || !row_free(f.cascade->lo);
    for (std::size_t v = out.hi.size(); v-- > 0;) {
      auto var = static_cast<VarId>(v);
      if (contains(f.cascade->rows, var)) continue;
      if (ranged || text(out.hi[v]) == text(f.cascade->hi)) return var;
    }
    return std::nullopt;
  }

  bool reductions_are_known(ExprId body) const {
    for (ExprId id : reachable(f.arena, std::span(&body, 1))) {
      if (f.arena[id].op != Op::reduce) continue;
      bool known = f.cascade != nullptr && std::any_of(f.cascade->reductions.begin(), f.cascade->reductions.end(),
                                                       [&](std::size_t r) { return p.reductions[r].node == id; });
      if (!known) return false;
    }
    return true;
  }

  std::string outputs() {
    for (std::size_t o = 0; o < f.canonical->outputs.size(); ++o) {
      const CanonicalValue& out = f.canonical->outputs[o];
      for (ExprId lo : out.lo)
        if (!f.arena.is_number(lo, 0)) return "a result does not start at index 0";
      RowOutput r;
      r.output = o, r.body = out.body;
      std::vector<VarId> rows;
      std::vector<ExprId> extents;
      std::vector<VarId> axes = axes_of(out);
      for (std::size_t v = 0; v < out.hi.size(); ++v) {
        if (contains(axes, static_cast<VarId>(v))) continue;
        rows.push_back(static_cast<VarId>(v));
        extents.push_back(out.hi[v]);
      }
      std::unordered_map<ExprId, ExprId> with;
      if (!axes.empty()) {
        r.along_axis = true, r.axis = axes.back(), r.axes = axes;
        ExprId extent = f.flat == nullptr ? out.hi[r.axis] : f.flat->hi;
        if (f.extent != no_expr && f.extent != extent) return "its results have axes of different lengths";
        f.extent = extent;
        for (std::size_t k = 0; k < axes.size(); ++k)
          with[f.arena.make(Op::index, Kind::integer, {}, axes[k])] =
              f.parts.empty() ? f.arena.make(Op::index, Kind::integer, {}, axis_var) : f.parts[k].index;
      }
      if (o == 0) f.rows = rows, f.row_extents = extents;
      if (extents != f.row_extents) return "its results do not share their rows";
      for (std::size_t k = 0; k < rows.size(); ++k) // a result may give the rows other numbers
        if (rows[k] != f.rows[k])
          with[f.arena.make(Op::index, Kind::integer, {}, rows[k])] =
              f.arena.make(Op::index, Kind::integer, {}, f.rows[k]);
      r.rows = rows;
      if (!with.empty()) r.body = substitute(f.arena, r.body, with);
      if (!reductions_are_known(r.body)) return "its results do not share their rows";
      f.outputs.push_back(r);
    }
    for (ExprId e : f.row_extents)
      if (!dim_text(f.arena, e, symbolic(f))) return "the number of rows depends on data";
    if (f.cascade != nullptr)
      for (VarId v : f.cascade->rows)
        if (!contains(f.rows, v)) return "a reduction is indexed by more than the rows of the results";
    return {};
  }

  /// The length of the axis, and the range of the reductions where that is another.
  std::string axis() {
    if (f.cascade == nullptr) return {};
    bool plain = f.arena.is_number(f.cascade->lo, 0) && row_free(f.cascade->hi);
    if (f.extent == no_expr && plain) f.extent = f.cascade->hi;
    if (f.extent == no_expr) f.extent = bound_by_a_load();
    if (f.extent == no_expr) return "no tensor bounds the range of its reductions";
    if (!plain || f.extent != f.cascade->hi) f.lo = f.cascade->lo, f.hi = f.cascade->hi;
    if (!dim_text(f.arena, f.extent, symbolic(f))) return "the length of the axis depends on data";
    return {};
  }

  /// A range that depends on the row stays within every tensor that the axis indexes: the extent of such a tensor.
  ExprId bound_by_a_load() {
    const Definition& d = *f.canonical->source;
    for (ExprId id : reachable(f.arena, f.cascade->elements)) {
      if (f.arena[id].op != Op::load) continue;
      for (std::size_t i = 0; i < f.arena.operands(id).size(); ++i)
        if (is_var(f.arena, f.arena.operand(id, i), axis_var))
          return imported(d, d.tensors[f.arena[id].payload].shape[i]);
    }
    return no_expr;
  }

  ExprId imported(const Definition& d, ExprId root) {
    std::unordered_map<ExprId, ExprId> known;
    for (ExprId id : reachable(d.arena, std::span(&root, 1))) {
      const Node& n = d.arena[id];
      std::vector<ExprId> args;
      for (ExprId operand : d.arena.operands(id)) args.push_back(known.at(operand));
      known[id] =
          n.op == Op::number ? f.arena.number(d.arena.value(id), n.kind) : f.arena.make(n.op, n.kind, n.payload, args);
    }
    return known.at(root);
  }

  void loads() {
    std::vector<ExprId> roots;
    for (const auto& level : f.levels) {
      f.sweeps.emplace_back();
      for (std::size_t r : level) {
        f.sweeps.back().push_back(f.cascade->elements[r]);
        if (r < f.cascade->predicates.size()) f.sweeps.back().push_back(f.cascade->predicates[r]);
      }
    }
    f.sweeps.emplace_back();
    for (const RowOutput& o : f.outputs)
      if (o.along_axis) f.sweeps.back().push_back(o.body);
    for (const auto& sweep : f.sweeps) roots.insert(roots.end(), sweep.begin(), sweep.end());
    for (ExprId id : axis_nodes(f, roots))
      if (is_load(f.arena[id].op)) f.loads.push_back(classified(id));
  }

  /// What several sweeps have in common: loads, and the topmost expressions through a function of the library.
  void reuse() {
    std::map<ExprId, std::size_t> first;
    for (std::size_t i = 0; i < f.sweeps.size(); ++i) {
      std::vector<ExprId> nodes = axis_nodes(f, f.sweeps[i]);
      std::set<ExprId> costly;
      for (ExprId id : nodes) {
        if (auto [at, fresh] = first.emplace(id, i); !fresh && at->second < i && f.arena[id].op == Op::load)
          if (of_row(id)) f.kept.insert(id);
        bool library = is_library(id);
        for (ExprId operand : f.arena.operands(id)) library = library || costly.contains(operand);
        if (library) costly.insert(id);
      }
      save(f.sweeps[i], i, costly, first);
    }
  }

  bool of_row(ExprId load) const {
    const AxisLoad* found = axis_load(f, load);
    return found == nullptr || found->of_row;
  }

  bool is_library(ExprId id) const {
    Op op = f.arena[id].op;
    if (op == Op::pow) return f.arena[f.arena.operand(id, 1)].op != Op::number;
    return is_transcendental(op);
  }

  /// Evaluating it where nothing asks for it does no harm: every access below is within its tensor, or padded.
  bool always_defined(ExprId root) const {
    for (ExprId id : reachable(f.arena, std::span(&root, 1))) {
      if (f.arena[id].op != Op::load) continue;
      const AxisLoad* along = axis_load(f, id);
      if (along != nullptr && !along->inside) return false;
      for (ExprId index : f.arena.operands(id))
        if (f.arena[index].op != Op::index && !part_of(f, index)) return false;
    }
    return true;
  }

  void save(const std::vector<ExprId>& roots, std::size_t sweep, const std::set<ExprId>& costly,
            const std::map<ExprId, std::size_t>& first) {
    std::vector<ExprId> stack = roots;
    std::set<ExprId> seen;
    while (!stack.empty()) {
      ExprId id = stack.back();
      stack.pop_back();
      if (!costly.contains(id) || !seen.insert(id).second) continue;
      if (std::size_t at = first.at(id); at < sweep && f.arena[id].kind == Kind::real && always_defined(id)) {
        f.saved.emplace(id, at);
        continue;
      }
      for (ExprId operand : f.arena.operands(id)) stack.push_back(operand);
    }
  }

  AxisLoad classified(ExprId id) const {
    const Node& n = f.arena[id];
    const TensorDecl& tensor = f.canonical->source->tensors[n.payload];
    AxisLoad load{id, n.payload, n.op == Op::load, false};
    int axes = 0;
    std::vector<std::size_t> parts; // of the axis, in the order of the indices
    std::size_t last = 0;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      ExprId index = f.arena.operand(id, i);
      if (auto part = part_of(f, index)) {
        load.whole = load.whole && *part == parts.size() && (parts.empty() || last + 1 == i);
        parts.push_back(*part), last = i;
        load.unit_stride = *part + 1 == f.parts.size() && i + 1 == tensor.shape.size();
        load.inside = load.inside && same_extent(f, f.parts[*part].extent, tensor.shape[i]);
        continue;
      }
      if (is_var(f.arena, index, axis_var)) {
        ++axes;
        load.unit_stride = i + 1 == tensor.shape.size();
        load.inside = load.inside && same_extent(f, f.extent, tensor.shape[i]);
        continue;
      }
      bool row = false;
      for (std::size_t r = 0; r < f.rows.size(); ++r)
        row = row || (is_var(f.arena, index, f.rows[r]) && same_extent(f, f.row_extents[r], tensor.shape[i]));
      load.inside = load.inside && row;
    }
    load.of_row = f.rows.empty() || tensor.shape.size() > 1;
    std::set<std::size_t> each(parts.begin(), parts.end());
    load.inside =
        load.inside && (f.parts.empty() ? axes == 1 : each.size() == f.parts.size() && each.size() == parts.size());
    load.unit_stride = load.unit_stride && load.inside;
    load.rows_adjoin =
        load.inside && !f.rows.empty() && is_var(f.arena, f.arena.operand(id, tensor.shape.size() - 1), f.rows.back());
    return load;
  }
};

} // namespace

std::vector<ExprId> axis_nodes(const RowForm& form, const std::vector<ExprId>& roots) {
  std::vector<char> seen(form.arena.size(), 0);
  std::vector<ExprId> stack = roots, found;
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (seen[id] != 0) continue;
    seen[id] = 1;
    if (form.arena[id].op == Op::reduce) continue;
    found.push_back(id);
    for (ExprId operand : form.arena.operands(id)) stack.push_back(operand);
  }
  std::sort(found.begin(), found.end());
  std::vector<char> reads(form.arena.size(), 0);
  std::erase_if(found, [&](ExprId id) {
    bool r = is_var(form.arena, id, axis_var);
    for (ExprId operand : form.arena.operands(id)) r = r || reads[operand] != 0;
    reads[id] = r ? 1 : 0;
    return !r;
  });
  return found;
}

std::optional<std::size_t> part_of(const RowForm& form, ExprId index) {
  for (std::size_t k = 0; k < form.parts.size(); ++k)
    if (form.parts[k].index == index) return k;
  return std::nullopt;
}

const AxisLoad* axis_load(const RowForm& form, ExprId load) {
  auto found = std::find_if(form.loads.begin(), form.loads.end(), [&](const AxisLoad& l) { return l.load == load; });
  return found == form.loads.end() ? nullptr : &*found;
}

RowForm row_form(const StructureProfile& profile) { return Finding(profile).run(); }

RowSizes row_sizes(const RowForm& form, const Problem& problem) {
  const Definition& d = *form.canonical->source;
  DimBinding binding{&d, &problem.dims, &problem.scalars};
  RowSizes sizes;
  sizes.rows = 1;
  for (ExprId e : form.row_extents) {
    auto value = dim_value(form.arena, e, binding);
    if (!value || __builtin_mul_overflow(sizes.rows, *value, &sizes.rows))
      return sizes.wrong = "a dim is not bound", sizes;
  }
  if (form.extent == no_expr) return sizes.length = 1, sizes;
  auto length = dim_value(form.arena, form.extent, binding);
  if (!length) return sizes.wrong = "a dim is not bound", sizes;
  sizes.length = *length;
  constexpr std::int64_t most_elements = std::int64_t{1} << 46; // 64 TiB of bytes: beyond any device
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(std::max<std::int64_t>(sizes.rows, 1), std::max<std::int64_t>(sizes.length, 1),
                             &elements) ||
      elements > most_elements)
    return sizes.wrong = "more elements than any device holds", sizes;
  auto starts = [&](const Arena& arena, const std::vector<ExprId>& shape, bool whole) {
    std::size_t axes = std::max<std::size_t>(form.parts.size(), 1);
    if (shape.size() < 2 || (whole && shape.size() == axes)) return;
    std::int64_t run = 1; // a row is one run of memory, or several of the last extent
    for (std::size_t k = shape.size() - (whole ? axes : 1); k < shape.size(); ++k)
      run *= dim_value(arena, shape[k], binding).value_or(1);
    sizes.start_multiple = std::gcd(sizes.start_multiple, run);
  };
  for (const AxisLoad& l : form.loads)
    if (l.unit_stride) starts(d.arena, d.tensors[l.tensor].shape, l.whole);
  for (const RowOutput& o : form.outputs)
    if (o.along_axis && o.axis + 1 == form.canonical->outputs[o.output].hi.size())
      starts(form.arena, form.canonical->outputs[o.output].hi, is_whole(o));
  return sizes;
}

bool is_whole(const RowOutput& output) {
  for (std::size_t k = 1; k < output.axes.size(); ++k)
    if (output.axes[k] != output.axes[k - 1] + 1) return false;
  return true;
}

ElementBytes element_bytes(const RowForm& form, const Problem& problem) {
  const Definition& d = *form.canonical->source;
  ElementBytes bytes;
  std::set<TensorId> read;
  auto one = [&](TensorId tensor, std::int64_t& sum) {
    auto size = static_cast<std::int64_t>(size_of(d.tensors[tensor].type.bind(problem.float_type)));
    sum += size;
    bytes.largest = std::max(bytes.largest, size);
    bytes.smallest = bytes.smallest == 0 ? size : std::min(bytes.smallest, size);
  };
  for (const AxisLoad& l : form.loads)
    if (read.insert(l.tensor).second) one(l.tensor, bytes.read);
  for (const RowOutput& o : form.outputs)
    if (o.along_axis) one(d.outputs[o.output], bytes.written);
  return bytes;
}

} // namespace aicf
