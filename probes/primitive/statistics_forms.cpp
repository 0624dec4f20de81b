#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class StatisticsForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("statistics_forms", "Mergeable statistics against two passes",
                            "cost, traffic and drift of a variance by row length");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"two_pass", "a sweep a level", {{"state_form", "two_pass"}}},
                          Form{"online", "one sweep with a mergeable state", {{"state_form", "online"}}},
                          Form{"resident", "row on chip", {{"state_form", "resident"}}}}) {
      for (std::int64_t n : {256, 1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_variance,
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
const RegisterProbe statistics_forms{"statistics_forms", make_probe<StatisticsForms>};

} // namespace
} // namespace aicf::probes
