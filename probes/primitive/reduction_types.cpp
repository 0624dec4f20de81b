#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ReductionTypes final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("reduction_types", "Reductions by element and accumulator type", "drift of sums by types");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    double y = 0;
    for (const DType type : {DType::f32, DType::f16, DType::bf16})
      for (const char* accumulate : {"f32", "f64"}) {
        const std::string t(name_of(type));
        const PlanForm form{t + "_in_" + accumulate, t + " in " + accumulate, {{"accumulate", accumulate}}};
        for (PlanCase& c : forms_by_length(row_sum, {form}, {256, 1024, 4096}, type)) {
          c.y = y;
          out.push_back(std::move(c));
        }
        y += 1;
      }
    return out;
  }
};
const RegisterProbe reduction_types{"reduction_types", make_probe<ReductionTypes>};

} // namespace
} // namespace aicf::probes
