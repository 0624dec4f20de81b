#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ErfForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("erf_forms", "Error function by form", "cost and drift of erf in a map");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(map_gelu,
                           {{"precise", "library function", {{"erf", "precise"}}},
                            {"fast", "polynomial and ex2.approx", {{"erf", "fast"}}}},
                           {1024, 4096}, DType::f32);
  }
};
const RegisterProbe erf_forms{"erf_forms", make_probe<ErfForms>};

} // namespace
} // namespace aicf::probes
