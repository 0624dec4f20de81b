#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class DivisionForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("division_forms", "Division by form",
                            "cost and drift of quotients: IEEE, by the row's reciprocal, approximate");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"ieee", "IEEE division", {{"divide", "ieee"}}},
                          Form{"reciprocal", "reciprocal of the row", {{"divide", "reciprocal"}}},
                          Form{"fast", "rcp.approx", {{"divide", "fast"}}}}) {
      for (std::int64_t n : {1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_softmax,
                       f.choices,
                       {{"M", 4}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::f32,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe division_forms{"division_forms", make_probe<DivisionForms>};

} // namespace
} // namespace aicf::probes
