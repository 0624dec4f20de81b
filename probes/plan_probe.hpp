// Probes of the engine's own kernels: plans that differ in one choice, all others equal. Counts and drift come from the
// emulator at a small size, times from a device at a large one. Drift is held against the definition in extended
// precision and against the plan's own a priori bound.
#pragma once
#include "core/plan/plan.hpp"
#include "probes/findings.hpp"

#include <map>
#include <string>
#include <vector>

namespace aicf::probes {

struct PlanCase {
  std::string id, name;                       ///< what distinguishes it
  std::string op;                             ///< text of the operator
  std::map<std::string, std::string> choices; ///< texts of values, by param id
  std::map<std::string, std::int64_t> dims, device_dims;
  DType dtype = DType::f32;
  double x = 0, y = 0; ///< in the probe's map
};

/// One of the ways to do the same, by the choices that make it.
struct PlanForm {
  std::string id, name;
  std::map<std::string, std::string> choices;
};
/// Each form at each length N: cases "form.N", at `rows` rows, and at 2^24 elements on a device; y is the form's place.
[[nodiscard]] std::vector<PlanCase> forms_by_length(const char* op, const std::vector<PlanForm>& forms,
                                                    const std::vector<std::int64_t>& lengths, DType dtype,
                                                    std::int64_t rows = 4);

class PlanProbe : public Probe {
 public:
  [[nodiscard]] virtual std::vector<PlanCase> cases(const Setting& setting) const = 0;
  [[nodiscard]] virtual AxisOf x_axis() const { return {"row length", "elements", true}; }
  [[nodiscard]] virtual AxisOf y_axis() const { return {"form, in the order of the figures", "", false}; }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override;
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override;
};

/// A text for such a probe, method and control filled in.
[[nodiscard]] ProbeText plan_text(const std::string& id, const std::string& name, const std::string& measures);

/// The first plan, in the order of the domains and with usual settings before others, that makes these choices; or the
/// reason why there is none. `legal` under the laxest profile.
struct FoundPlan {
  Plan plan;
  std::string why_not;
};
[[nodiscard]] FoundPlan find_plan(const StructureProfile& structure, const Problem& problem,
                                  const std::map<std::string, std::string>& choices);

/// The family that realizes a case at its small size; empty where no plan makes its choices.
[[nodiscard]] std::string family_of(const PlanCase& c);

/// Operators of two dims M (rows) and N (the axis), x: float[M, N].
extern const char *const row_sum,
    *const row_softmax, *const row_variance, *const row_logsumexp, *const row_norm, *const map_gelu, *const column_sum;

} // namespace aicf::probes
