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

} // namespace aicf
