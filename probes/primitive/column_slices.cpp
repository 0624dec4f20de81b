#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ColumnSlices final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text(
        "column_slices", "Columns, by lanes along the rows",
        "cost and drift of sums across memory, by lanes along the rows: the other threads are slices of the axis");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(column_sum,
                           {{"l8", "8 lanes", {{"column_lanes", "8"}}},
                            {"l32", "32 lanes", {{"column_lanes", "32"}}},
                            {"l128", "128 lanes", {{"column_lanes", "128"}}}},
                           {64, 256}, DType::f32, 512);
  }
};
const RegisterProbe column_slices{"column_slices", make_probe<ColumnSlices>};

} // namespace
} // namespace aicf::probes
