#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class OnlineForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("online_forms", "Online against two-pass against resident",
                            "cost, traffic and drift of softmax's cascade by row length");
    t.quick = true;
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
         {Form{"two_pass", "a sweep a level", {{"state_form", "two_pass"}}},
          Form{"online", "one sweep with a mergeable state", {{"state_form", "online"}}},
          Form{"resident", "row on chip", {{"state_form", "resident"}}},
          Form{"resident_online", "row on chip and a mergeable state", {{"state_form", "resident_online"}}}}) {
      for (std::int64_t n : {256, 1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_softmax,
                       f.choices,
                       {{"M", 4}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::bf16,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe online_forms{"online_forms", make_probe<OnlineForms>};

} // namespace
} // namespace aicf::probes
