#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ColumnForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("column_forms", "State forms across memory", "cost, traffic and drift of a variance down columns");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    double y = 0;
    for (const char* form : {"two_pass", "online"}) {
      for (std::int64_t n : {64, 256})
        out.push_back({std::string(form) + "." + std::to_string(n),
                       std::string(form) + ", " + std::to_string(n) + " columns",
                       "op columns(x: float[M, N]) -> y: float[N]\n  mu[j] = (sum[i] x[i, j]) / M\n  y[j] = (sum[i] "
                       "(x[i, j] - mu[j])^2) / M\n",
                       {{"state_form", form}},
                       {{"M", 512}, {"N", n}},
                       {{"M", 8192}, {"N", 16 * n}},
                       DType::f32,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe column_forms{"column_forms", make_probe<ColumnForms>};

} // namespace
} // namespace aicf::probes
