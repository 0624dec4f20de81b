#include "synth/variant.hpp"

#include "core/base/json.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/kernel/lower.hpp"

#include <nlohmann/json.hpp>

namespace aicf {

Result<Variant> build_variant(const StructureProfile& structure, const Plan& plan, const Problem& problem) {
  auto modules = lower(structure, plan, problem);
  if (!modules) return modules.failure<Variant>();
  return compiled({plan, std::move(*modules), {}});
}

Result<Variant> build_legal_variant(const StructureProfile& structure, const CompilerProfile& rules, const Plan& plan,
                                    const Problem& problem) {
  for (const Family& family : families())
    if (family.id == plan.family)
      if (std::string why = family.refusal(structure, problem, rules, plan); !why.empty())
        return error("synth.refused", why);
  return build_variant(structure, plan, problem);
}

Result<Variant> compiled(Variant variant) {
  Result<Variant> result;
  for (const KernelModule& module : variant.modules) {
    auto compiled = compile(module);
    for (const Diagnostic& d : compiled.diagnostics) result.diagnostics.push_back(d);
    if (compiled.missing) result.missing = compiled.missing;
    if (!compiled) return result;
    variant.compiled.push_back(std::move(*compiled));
  }
  result.value = std::move(variant);
  return result;
}

std::string variant_id(const StructureProfile& structure, const Plan& plan, const Problem& problem) {
  const Definition& d = *structure.canonical->source;
  nlohmann::json sizes = nlohmann::json::array(), scalars = nlohmann::json::array();
  for (const std::string& dim : d.dims) sizes.push_back(problem.dims.at(dim));
  for (const ScalarDecl& s : d.scalars) {
    auto set = problem.scalars.find(s.name);
    scalars.push_back(json_number(set == problem.scalars.end() ? s.value : set->second));
  }
  return short_hex(hash_of(nlohmann::json{{"plan", to_hex(id_of(plan))},
                                          {"sizes", sizes},
                                          {"scalars", scalars},
                                          {"dtype", name_of(problem.float_type)},
                                          {"target", problem.target}}));
}

} // namespace aicf
