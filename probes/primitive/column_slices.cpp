#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ColumnSlices final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text(
        "column_slices", "Columns, by lanes along the rows",
        "cost and drift of sums across memory, by lanes along the rows: the other threads are slices of the axis");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f :
         {Form{"l8", "8 lanes", {{"column_lanes", "8"}}}, Form{"l32", "32 lanes", {{"column_lanes", "32"}}},
          Form{"l128", "128 lanes", {{"column_lanes", "128"}}}}) {
      for (std::int64_t n : {64, 256})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       column_sum,
                       f.choices,
                       {{"M", 512}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::f32,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe column_slices{"column_slices", make_probe<ColumnSlices>};

} // namespace
} // namespace aicf::probes
