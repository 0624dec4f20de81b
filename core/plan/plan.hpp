// Plans: how a structure is realized. A plan's choices are registered parameters, never struct members: the registry
// feeds hash, JSON Schema, DSL, rules and window.
#pragma once
#include "core/base/value.hpp"
#include "core/plan/machine.hpp"
#include "core/semantics/legality.hpp"

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

/// One registered choice. `uses` says which transformations (ids of the ledger) and primitives a value stands on.
struct Param {
  std::string id, family, meaning, preservation_class;
  std::vector<Value> domain;
  std::function<std::vector<std::string>(const Value&)> uses;       ///< transformation ids; may be empty
  std::function<std::vector<std::string>(const Value&)> primitives; ///< ids of atlas/primitives.json; may be empty
  bool coarse = false; ///< its values are other algorithms; those of the others are settings of one
};
struct RegisterParam {
  explicit RegisterParam(Param param);
};
[[nodiscard]] const std::vector<Param>& params(); ///< sorted by family, then id

struct Plan {
  std::string family;
  std::map<std::string, Value> choices; ///< by param id
  Hash definition{}, profile{};         ///< structure hash; profile hash
};
[[nodiscard]] Hash id_of(const Plan& plan);
[[nodiscard]] nlohmann::json to_json(const Plan& plan);

/// What a plan is made for: sizes of the dims, the type bound to `float`, scalars, and the target.
struct Problem {
  std::map<std::string, std::int64_t> dims;
  std::map<std::string, double> scalars; ///< overrides
  DType float_type = DType::f32;
  std::string target = "sm_90";
};

struct PlanSpace {
  std::vector<Plan> plans;                    ///< legal, best estimate first
  std::size_t generated = 0;                  ///< candidates that the grammar generated
  std::map<std::string, std::size_t> refused; ///< reason -> how many
  std::map<std::string, Plan> example;        ///< one refused plan a reason
};

/// A family realizes structures: it names the parameters it takes, says whether it fits, and why not.
struct Family {
  std::string id, title;
  /// Empty when the family realizes this profile, else the reason why it does not.
  std::function<std::string(const StructureProfile&)> mismatch;
  /// Why this combination cannot be built for this problem (limits, alignment, …); empty when it can.
  std::function<std::string(const StructureProfile&, const Problem&, const CompilerProfile&, const Plan&)> refusal;
  /// Estimated nanoseconds on a machine, for ordering before anything is measured; smaller is better.
  std::function<double(const StructureProfile&, const Problem&, const Plan&, const MachineModel&)> estimate;
};
struct RegisterFamily {
  explicit RegisterFamily(Family family);
};
[[nodiscard]] const std::vector<Family>& families();

/// Every combination of the parameters of the families that fit, minus what legality, the profile and the hardware
/// refuse; every refusal is counted by its reason. When no family fits, `refused` says why for each. Polls `stop`: a
/// stopped call returns at once, with an empty space.
[[nodiscard]] PlanSpace plan(const StructureProfile& profile, const Ledger& ledger, const CompilerProfile& rules,
                             const Problem& problem, const MachineModel& machine = {},
                             const std::stop_token& stop = {});

/// Keeps the plans that made these choices (texts of values, by param id); counts the others under one reason. A param
/// or a value that no family has is an error that names those there are.
[[nodiscard]] std::vector<Diagnostic> restrict_to(PlanSpace& space, const std::map<std::string, std::string>& choices);

} // namespace aicf
