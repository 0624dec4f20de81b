#include "core/plan/choice.hpp"

#include <stdexcept>

namespace aicf {
namespace {

template <class T> const T* find(const Plan& plan, std::string_view param) {
  for (const auto& [id, value] : plan.choices) // a dozen of them: a walk is as fast as a search that builds a string
    if (id == param) return std::get_if<T>(&value);
  return nullptr;
}

template <class T> const T& get(const Plan& plan, std::string_view param) {
  const T* value = find<T>(plan, param);
  if (value == nullptr) throw std::logic_error("a plan without " + std::string(param));
  return *value;
}

} // namespace

bool has(const Plan& plan, std::string_view param) {
  for (const auto& [id, value] : plan.choices)
    if (id == param) return true;
  return false;
}
std::int64_t number(const Plan& plan, std::string_view param) { return get<std::int64_t>(plan, param); }
const std::string& word(const Plan& plan, std::string_view param) { return get<std::string>(plan, param); }
bool flag(const Plan& plan, std::string_view param) { return get<bool>(plan, param); }
bool chosen(const Plan& plan, std::string_view param, std::string_view value) {
  const std::string* s = find<std::string>(plan, param);
  return s != nullptr && *s == value;
}

std::string form_of(const Plan& plan, bool (*counts)(const Param&), std::string_view between) {
  std::string form = plan.family;
  for (const Param& p : params())
    if (auto choice = plan.choices.find(p.id); counts(p) && p.family == plan.family && choice != plan.choices.end())
      form.append(between) += to_text(choice->second);
  return form;
}
std::string coarse_form(const Plan& plan) {
  return form_of(
      plan, [](const Param& p) { return p.coarse; }, " ");
}

bool keeps_row(const Plan& plan) {
  return chosen(plan, "state_form", "resident") || chosen(plan, "state_form", "resident_online");
}
bool keeps_state(const Plan& plan) {
  return chosen(plan, "state_form", "online") || chosen(plan, "state_form", "resident_online");
}

std::int64_t turns_of(const Plan& plan) { return has(plan, "turns") ? number(plan, "turns") : 1; }

std::int64_t resident_warps_of(const Plan& plan) {
  return has(plan, "resident_warps") ? number(plan, "resident_warps") : 0;
}
std::int64_t resident_blocks_of(const Plan& plan) { return resident_warps_of(plan) * 32 / number(plan, "threads"); }

std::int64_t row_lanes(const Plan& plan) {
  if (chosen(plan, "cooperation", "thread")) return 1;
  if (chosen(plan, "cooperation", "warp")) return 32;
  if (has(plan, "column_lanes"))
    return number(plan, "threads") / number(plan, "column_lanes") * number(plan, "row_blocks");
  return number(plan, "threads") * (chosen(plan, "cooperation", "block") ? 1 : number(plan, "row_blocks"));
}

} // namespace aicf
