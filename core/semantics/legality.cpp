#include "core/semantics/legality.hpp"

#include "core/base/json.hpp"
#include "core/semantics/atlas.hpp"
#include "core/semantics/facts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace aicf {
namespace {

std::vector<Transformation>& registry() {
  static std::vector<Transformation> all;
  return all;
}

bool listed(const std::vector<std::string>& ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// Each refusal names one setting and the least change of it that lifts the refusal. The settings are independent, so
/// the changes together are the smallest set.
struct Refusal {
  std::string reason, tick;
};

std::vector<Refusal> refusals(const std::string& id, const std::string& preservation_class, const Claim& claim,
                              const CompilerProfile& rules) {
  std::vector<Refusal> out;
  if (listed(rules.transformations.forbid, id))
    out.push_back({"the profile forbids it", "transformations.forbid-=" + id});
  if (claim.needs > rules.arithmetic)
    out.push_back({"it needs arithmetic " + std::string(name_of(claim.needs)) + ", the profile says " +
                       std::string(name_of(rules.arithmetic)),
                   "strictness.arithmetic=" + std::string(name_of(claim.needs))});
  if (claim.keeps < rules.order)
    out.push_back({"it keeps order only up to " + std::string(name_of(claim.keeps)) + ", the profile asks for " +
                       std::string(name_of(rules.order)),
                   "strictness.order=" + std::string(name_of(claim.keeps))});
  if (claim.needs == Arithmetic::approximate && claim.rounding.bound && *claim.rounding.bound > rules.epsilon) {
    std::string bound = nlohmann::json(*claim.rounding.bound).dump();
    out.push_back({"its relative error of up to " + bound + " is above epsilon " + nlohmann::json(rules.epsilon).dump(),
                   "strictness.epsilon=" + bound});
  }
  if (preservation_class == "bounded_approximation" && claim.needs == Arithmetic::approximate &&
      !rules.allow_approximation)
    out.push_back({"the profile allows no approximation", "runtime.approximation=true"});
  if (preservation_class == "recomputation" && !rules.allow_recomputation)
    out.push_back({"the profile allows no recomputation", "runtime.recomputation=true"});
  if (claim.special.answer.starts_with("differs")) {
    for (const auto& [policy, name] : {std::pair{&rules.nan, "nan"},
                                       {&rules.infinity, "infinity"},
                                       {&rules.empty, "empty"},
                                       {&rules.fully_masked, "fully_masked"}})
      if (*policy == "same" && claim.special.answer.find(name) != std::string::npos)
        out.push_back({std::string("results differ for ") + name, std::string("special.") + name + "=any"});
  }
  return out;
}

/// Passes, bytes read and written, workspace. Bytes have no value where a dim has no size: their method says what they
/// come to.
std::vector<Metric> memory_of(const Claim& claim, const MemoryModel& model, const Canonical& canonical,
                              const Sizes& sizes) {
  std::vector<Metric> out;
  const bool bounded = claim.reading == Reading::bounded, once = claim.reading == Reading::once;
  out.push_back(
      exact_metric("sweeps", "sweeps",
                   once      ? 1
                   : bounded ? model.passes_bounded
                             : model.passes_as_defined,
                   once ? "elements stay on chip" : "levels of the cascade plus one for results along the axis"));
  auto bytes = [&](const char* id, const Amount& amount, const std::string& unknown, bool at_most) {
    Metric m;
    m.id = id, m.unit = "bytes";
    m.method = unknown.empty() ? (at_most ? "at most " : "") + amount.text(canonical) : unknown;
    if (const auto value = unknown.empty() ? amount.at(canonical, sizes) : std::nullopt)
      m.source = Metric::Source::exact, m.value = m.hi = *value, m.lo = at_most ? 0 : *value;
    out.push_back(std::move(m));
  };
  bytes("read_bytes",
        once      ? model.once
        : bounded ? model.bounded
                  : model.as_defined,
        model.unknown.empty() ? claim.reads_follow : model.unknown, model.at_most);
  bytes("written_bytes", claim.statistics ? model.statistics : model.written, {}, false);
  const bool several = model.part.text(canonical) == "0"; // no one state, or reductions over several axes
  if (claim.parts)
    bytes("workspace_bytes_per_part", model.part, several ? "what a part hands on is a choice of the plan" : "", false);
  if (!claim.parts) bytes("workspace_bytes", {}, {}, false);
  return out;
}

nlohmann::json verdict_json(const Verdict& v) {
  nlohmann::json j{{"answer", v.answer}};
  if (!v.certificate.empty()) j["certificate"] = v.certificate;
  if (v.bound) j["bound"] = json_number(*v.bound);
  return j;
}

} // namespace

RegisterTransformation::RegisterTransformation(Transformation transformation) {
  auto& all = registry();
  auto at = std::lower_bound(all.begin(), all.end(), transformation.id,
                             [](const Transformation& t, const std::string& id) { return t.id < id; });
  if (at != all.end() && at->id == transformation.id)
    throw std::logic_error("transformation registered twice: " + transformation.id);
  all.insert(at, std::move(transformation));
}

const std::vector<Transformation>& transformations() { return registry(); }

const LegalityRow* Ledger::find(std::string_view transformation) const {
  auto found =
      std::find_if(rows.begin(), rows.end(), [&](const LegalityRow& r) { return r.transformation == transformation; });
  return found == rows.end() ? nullptr : &*found;
}

Ledger judge(const StructureProfile& profile, const CompilerProfile& rules, const Sizes& sizes) {
  Ledger ledger;
  const MemoryModel memory = memory_model(profile, sizes.float_type);
  std::map<std::tuple<Reading, bool, bool, std::string>, std::vector<Metric>> forms; // few, for many rows
  const OperatorFacts facts = facts_of(profile);
  for (const Transformation& t : transformations()) {
    Claim claim = t.judge(facts);
    LegalityRow row;
    row.transformation = t.id;
    row.title = transformation_text(t.id).title;
    row.preservation_class = t.preservation_class;
    row.value = claim.value, row.rounding = claim.rounding, row.special = claim.special;
    row.run_to_run = claim.run_to_run, row.batch_invariant = claim.batch_invariant,
    row.cross_device = claim.cross_device;
    row.assumptions = std::move(claim.assumptions);
    if (claim.applicable) {
      auto [at, fresh] = forms.try_emplace({claim.reading, claim.parts, claim.statistics, claim.reads_follow});
      if (fresh) at->second = memory_of(claim, memory, *profile.canonical, sizes);
      row.memory = at->second;
      row.memory.insert(row.memory.end(), claim.memory.begin(), claim.memory.end());
    }
    row.applicable = claim.applicable;
    row.witness = claim.witness;
    if (!claim.applicable) {
      row.reason = claim.reason;
    } else {
      for (Refusal& r : refusals(t.id, t.preservation_class, claim, rules)) {
        row.reason += (row.reason.empty() ? "" : "; ") + r.reason;
        row.smallest_ticks.push_back(std::move(r.tick));
      }
      row.allowed = row.smallest_ticks.empty();
      if (row.allowed) row.reason = claim.reason;
    }
    ledger.rows.push_back(std::move(row));
  }
  return ledger;
}

nlohmann::json to_json(const Ledger& ledger) {
  nlohmann::json rows = nlohmann::json::array();
  for (const LegalityRow& r : ledger.rows) {
    nlohmann::json memory = nlohmann::json::array();
    for (const Metric& m : r.memory) memory.push_back(to_json(m));
    nlohmann::json row{{"transformation", r.transformation},
                       {"title", r.title},
                       {"class", r.preservation_class},
                       {"value", verdict_json(r.value)},
                       {"rounding", verdict_json(r.rounding)},
                       {"special", verdict_json(r.special)},
                       {"order",
                        {{"run_to_run", verdict_json(r.run_to_run)},
                         {"batch_invariant", verdict_json(r.batch_invariant)},
                         {"device_to_device", verdict_json(r.cross_device)},
                         {"assumptions", r.assumptions}}},
                       {"memory", memory},
                       {"applicable", r.applicable},
                       {"allowed", r.allowed},
                       {"reason", r.reason},
                       {"smallest_ticks", r.smallest_ticks}};
    if (r.witness) row["witness"] = {{"expected", r.witness->expected}, {"observed", r.witness->observed}};
    if (r.witness)
      for (const auto& [name, values] : r.witness->inputs)
        for (double v : values) row["witness"]["inputs"][name].push_back(json_number(v));
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace aicf
