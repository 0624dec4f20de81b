#include "core/plan/cascade_facts.hpp"

#include "core/plan/choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace aicf {

namespace {

constexpr std::int64_t exact_index = 1 << 24; ///< f32 is exact up to here

bool same(const Problem& a, const Problem& b) {
  return a.float_type == b.float_type && a.dims == b.dims && a.scalars == b.scalars && a.target == b.target;
}

/// The cascade has a summary whose slots builtin reducers fold. Merges compute in f32: positions above `exact_index`
/// would not survive them.
bool has_builtin_summary(const StructureProfile& profile, std::int64_t length) {
  if (profile.cascades.empty() || !profile.cascades.front().summary) return false;
  const auto& slots = profile.cascades.front().summary->slots;
  return std::all_of(slots.begin(), slots.end(), [&](const Slot& s) {
    bool position =
        s.reducer == static_cast<ReducerId>(Builtin::argmax) || s.reducer == static_cast<ReducerId>(Builtin::argmin);
    return s.reducer < first_user_reducer && (!position || length <= exact_index);
  });
}

/// Bytes of one state of the reductions, as shared memory holds it: reals in f32 or f64, integers and positions in 64
/// bits, a best element with its position.
std::int64_t state_bytes(const StructureProfile& profile, bool wide) {
  auto bytes = [&](ReducerId reducer, Kind kind) -> std::int64_t {
    std::int64_t element = kind == Kind::real && !wide ? 4 : 8;
    bool best =
        reducer == static_cast<ReducerId>(Builtin::argmax) || reducer == static_cast<ReducerId>(Builtin::argmin);
    return best ? element + 8 : element;
  };
  std::int64_t levels = 0, summary = 0;
  for (const Cascade& c : profile.cascades) {
    for (std::size_t k = 0; k < c.reductions.size(); ++k) {
      const Arena& arena = profile.canonical->arena;
      ExprId node = profile.reductions[c.reductions[k]].node;
      levels += bytes(arena.reduction(node).reducer, arena[arena.body(node)].kind);
    }
    if (!c.summary) continue;
    for (const Slot& s : c.summary->slots) summary += bytes(s.reducer, Kind::integer); // of either kind: the wider
  }
  return std::max(levels, summary);
}

/// What is computed at a position of the axis: every operation that depends on it but accesses.
void count_operations(CascadeFacts& f) {
  for (std::size_t sweep = 0; sweep < f.form.sweeps.size(); ++sweep)
    for (ExprId id : axis_nodes(f.form, f.form.sweeps[sweep])) {
      const Node& n = f.form.arena[id];
      const bool computes = n.op != Op::index && !is_load(n.op) && n.kind == Kind::real;
      if (computes && sweep + 1 == f.form.sweeps.size())
        f.operations += static_cast<double>(std::max<std::size_t>(f.form.arena.operands(id).size(), 2)) - 1;
      if (n.op == Op::exp || n.op == Op::exp2) ++f.exps;
      if (n.op == Op::erf) ++f.erfs;
    }
}

} // namespace

const CascadeFacts& cascade_facts(const StructureProfile& profile, const Problem& problem) {
  thread_local std::optional<CascadeFacts> last;
  if (last && last->canonical == profile.canonical && last->reductions == profile.reductions.size() &&
      same(last->problem, problem))
    return *last;
  last.emplace();
  CascadeFacts& f = *last;
  f.canonical = profile.canonical, f.reductions = profile.reductions.size(), f.problem = problem;
  f.form = row_form(profile);
  f.form.cascade = nullptr;
  if (!f.form.mismatch.empty()) return f;
  f.sizes = row_sizes(f.form, problem);
  f.bytes = element_bytes(f.form, problem);
  f.wide = computes_wide(*f.canonical->source, problem);
  for (const AxisLoad& l : f.form.loads) {
    if (!l.of_row) continue; // read where it is used
    const ElementType& type = f.canonical->source->tensors[l.tensor].type;
    auto size = static_cast<std::int64_t>(size_of(type.bind(problem.float_type)));
    (f.form.kept.contains(l.load) ? f.kept_bytes : f.streamed_bytes) += size;
  }
  bool along =
      std::any_of(f.form.outputs.begin(), f.form.outputs.end(), [](const RowOutput& o) { return o.along_axis; });
  f.sweeps = static_cast<std::int64_t>(f.form.levels.size()) + (along ? 1 : 0);
  count_operations(f);
  f.sums = std::any_of(profile.reductions.begin(), profile.reductions.end(), [&](const Reduction& r) {
    const Arena& arena = profile.canonical->arena;
    return arena.reduction(r.node).reducer == static_cast<ReducerId>(Builtin::sum) &&
           arena[arena.body(r.node)].kind == Kind::real;
  });
  f.mergeable = f.form.parts.empty() && has_builtin_summary(profile, f.sizes.length);
  f.state = state_bytes(profile, f.wide), f.wide_state = state_bytes(profile, true);
  f.components = static_cast<std::int64_t>(f.reductions);
  if (f.mergeable)
    f.components = std::max(f.components, static_cast<std::int64_t>(profile.cascades.front().summary->slots.size()));
  return f;
}

std::string refuse_problem(const CascadeFacts& f) {
  if (!f.form.mismatch.empty()) return f.form.mismatch;
  if (!f.sizes.wrong.empty()) return f.sizes.wrong;
  bool long_row = f.sizes.length < 0 || f.sizes.length >= std::int64_t{1} << 30;
  return long_row ? "a row is longer than 2^30 elements" : "";
}

bool computes_wide(const Definition& d, const Problem& problem) {
  for (TensorId t = 0; t < d.tensors.size(); ++t) {
    bool argument = t < d.inputs || std::find(d.outputs.begin(), d.outputs.end(), t) != d.outputs.end();
    if (argument && d.tensors[t].type.bind(problem.float_type) == DType::f64) return true;
  }
  return false;
}

bool has_clusters(const std::string& target) {
  constexpr std::string_view prefix = "sm_";
  return target.starts_with(prefix) && std::atoi(target.c_str() + prefix.size()) >= 90;
}

std::string refuse_accumulator(const CascadeFacts& f, const CompilerProfile& rules, const Plan& plan) {
  const std::string& accumulate = word(plan, "accumulate");
  bool f64 = accumulate == "f64", compensated = accumulate == "compensated", asked = rules.accumulate == "compensated";
  bool other = rules.accumulate == "f64" ? !f64 && !f.wide : f64;
  if (other || compensated != (asked && f.sums)) return "accumulate: the profile says " + rules.accumulate;
  if (f64 && f.wide) return "accumulate: it computes in f64 already";
  if (!compensated) return {};
  if (keeps_state(plan)) return "accumulate: a state that merges by rescaling keeps no compensation";
  if (has(plan, "contract_fma") && flag(plan, "contract_fma"))
    return "contract_fma: what an addition loses is exact only where no product is contracted into it";
  return {};
}

} // namespace aicf
