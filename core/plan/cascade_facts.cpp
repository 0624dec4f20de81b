#include "core/plan/cascade_facts.hpp"

#include <algorithm>
#include <cstdlib>

namespace aicf {

constexpr std::int64_t exact_index = 1 << 24; ///< f32 is exact up to here

bool computes_wide(const RowForm& form, const Problem& problem) {
  const Definition& d = *form.canonical->source;
  for (TensorId t = 0; t < d.tensors.size(); ++t) {
    bool argument = t < d.inputs || std::find(d.outputs.begin(), d.outputs.end(), t) != d.outputs.end();
    if (argument && d.tensors[t].type.bind(problem.float_type) == DType::f64) return true;
  }
  return false;
}

bool has_builtin_summary(const StructureProfile& profile, std::int64_t length) {
  if (profile.cascades.empty() || !profile.cascades.front().summary) return false;
  const auto& slots = profile.cascades.front().summary->slots;
  return std::all_of(slots.begin(), slots.end(), [&](const Slot& s) {
    bool position =
        s.reducer == static_cast<ReducerId>(Builtin::argmax) || s.reducer == static_cast<ReducerId>(Builtin::argmin);
    return s.reducer < first_user_reducer && (!position || length <= exact_index);
  });
}

bool has_clusters(const std::string& target) {
  constexpr std::string_view prefix = "sm_";
  return target.starts_with(prefix) && std::atoi(target.c_str() + prefix.size()) >= 90;
}

std::string refuse_accumulator(const std::string& accumulate, const CompilerProfile& rules, bool wide) {
  bool f64 = accumulate == "f64";
  if (rules.accumulate == "f64" ? !f64 && !wide : rules.accumulate == "f32" && f64)
    return "accumulate: the profile says " + rules.accumulate;
  if (f64 && wide) return "accumulate: it computes in f64 already";
  if (rules.accumulate == "compensated") return "accumulate: this family keeps no compensation";
  return {};
}

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

} // namespace aicf
