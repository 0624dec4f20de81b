#include "core/base/json.hpp"
#include "core/plan/plan.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace aicf {
namespace {

std::vector<Param>& param_registry() {
  static std::vector<Param> all;
  return all;
}
std::vector<Family>& family_registry() {
  static std::vector<Family> all;
  return all;
}

} // namespace

RegisterParam::RegisterParam(Param param) {
  auto& all = param_registry();
  auto before = [](const Param& a, const Param& b) { return std::tie(a.family, a.id) < std::tie(b.family, b.id); };
  auto at = std::lower_bound(all.begin(), all.end(), param, before);
  if (at != all.end() && !before(param, *at)) throw std::logic_error("param registered twice: " + param.id);
  if (param.domain.empty()) throw std::logic_error("param without values: " + param.id);
  all.insert(at, std::move(param));
}
const std::vector<Param>& params() { return param_registry(); }

RegisterFamily::RegisterFamily(Family family) {
  auto& all = family_registry();
  auto at = std::lower_bound(all.begin(), all.end(), family.id,
                             [](const Family& f, const std::string& id) { return f.id < id; });
  if (at != all.end() && at->id == family.id) throw std::logic_error("family registered twice: " + family.id);
  all.insert(at, std::move(family));
}
const std::vector<Family>& families() { return family_registry(); }

nlohmann::json to_json(const Plan& plan) {
  nlohmann::json choices = nlohmann::json::object();
  for (const auto& [id, value] : plan.choices) choices[id] = to_json(value);
  return {{"schema", "aicf.plan/1"},
          {"family", plan.family},
          {"choices", choices},
          {"definition", to_hex(plan.definition)},
          {"profile", to_hex(plan.profile)}};
}

Hash id_of(const Plan& plan) { return hash_of(to_json(plan)); }

} // namespace aicf
