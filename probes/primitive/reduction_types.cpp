#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ReductionTypes final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("reduction_types", "Reductions by element and accumulator type", "drift of sums by types");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    double y = 0;
    for (const DType type : {DType::f32, DType::f16, DType::bf16})
      for (const char* accumulate : {"f32", "f64"}) {
        for (std::int64_t n : {256, 1024, 4096})
          out.push_back({std::string(name_of(type)) + "_in_" + accumulate + "." + std::to_string(n),
                         std::string(name_of(type)) + " in " + accumulate + ", " + std::to_string(n) + " elements",
                         row_sum,
                         {{"accumulate", accumulate}},
                         {{"M", 4}, {"N", n}},
                         {{"M", (1 << 24) / n}, {"N", n}},
                         type,
                         static_cast<double>(n),
                         y});
        y += 1;
      }
    return out;
  }
};
const RegisterProbe reduction_types{"reduction_types", make_probe<ReductionTypes>};

} // namespace
} // namespace aicf::probes
