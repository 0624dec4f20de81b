#include "core/base/atlas_path.hpp"
#include "core/base/hash.hpp"
#include "core/expr/print.hpp"
#include "core/structure/shape.hpp"
#include "core/structure/structure.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

namespace aicf {
namespace {

nlohmann::json to_json(const Rank& rank) {
  switch (rank.kind) {
  case Rank::Kind::finite: return rank.value;
  case Rank::Kind::unbounded: return "unbounded";
  case Rank::Kind::unknown: return "unknown";
  default: return nullptr;
  }
}

std::map<std::string, std::string> read_structures() {
  std::map<std::string, std::string> of_predicate;
  std::ifstream in(atlas_dir() / "structures.json");
  nlohmann::json document = nlohmann::json::parse(in, nullptr, false);
  if (!document.is_object() || !document.contains("structures")) return of_predicate;
  for (const auto& entry : document["structures"])
    of_predicate[entry.value("predicate", std::string())] = entry.value("id", std::string());
  return of_predicate;
}

} // namespace

std::string structure_of(const std::string& predicate) {
  static const std::map<std::string, std::string> known = read_structures();
  auto found = known.find(predicate);
  return found == known.end() ? predicate : found->second;
}

nlohmann::json to_json(const StructureProfile& profile) {
  const Canonical& c = *profile.canonical;
  nlohmann::json reductions = nlohmann::json::array();
  for (const Reduction& r : profile.reductions)
    reductions.push_back({{"name", r.name},
                          {"reducer", r.reducer},
                          {"axes", r.axes},
                          {"depends_on", r.depends_on},
                          {"level", r.level},
                          {"rank", to_json(r.rank)},
                          {"bounded", r.bounded},
                          {"stable", r.stable},
                          {"state", r.state},
                          {"merge", r.merge},
                          {"rescale", r.rescale},
                          {"finalize", r.finalize},
                          {"certificate", r.certificate}});
  nlohmann::json cascades = nlohmann::json::array();
  for (const Cascade& cascade : profile.cascades) {
    std::vector<std::string> names;
    for (std::size_t i : cascade.reductions) names.push_back(profile.reductions[i].name);
    nlohmann::json slots = nlohmann::json::array();
    if (cascade.summary)
      for (const Slot& s : cascade.summary->slots)
        slots.push_back({{"name", s.name}, {"reducer", reducer_name(*c.source, s.reducer)}});
    Names names_of_leaves = names_of(c);
    cascades.push_back(
        {{"axis", cascade.axis},
         {"extent", {print(c.arena, cascade.lo, names_of_leaves), print(c.arena, cascade.hi, names_of_leaves)}},
         {"reductions", names},
         {"summary", cascade.summary.has_value()},
         {"stable", cascade.summary && cascade.summary->stable},
         {"slots", slots}});
  }
  nlohmann::json reducers = nlohmann::json::array();
  for (const ReducerLaws& laws : profile.user_reducers) reducers.push_back(to_json(laws));
  nlohmann::json certificates = nlohmann::json::array();
  for (const Certificate& certificate : profile.certificates) certificates.push_back(to_json(certificate));
  return {{"schema", "aicf.analysis/1"},
          {"op", c.source ? c.source->name : std::string()},
          {"structure_hash", to_hex(c.structure_hash)},
          {"structures", profile.structures},
          {"reductions", std::move(reductions)},
          {"user_reducers", std::move(reducers)},
          {"passes", {{"definition", profile.passes_definition}, {"best", profile.passes_best}}},
          {"certificates", std::move(certificates)},
          {"stages", profile.stages},
          {"cascades", std::move(cascades)}};
}

} // namespace aicf
