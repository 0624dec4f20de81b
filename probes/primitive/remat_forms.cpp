#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class RematForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("remat_forms", "Store or recompute",
                            "traffic and instructions of costly intermediates: recomputed or kept");

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
         {Form{"none", "each sweep as written", {{"intermediates", "none"}, {"state_form", "two_pass"}}},
          Form{"recompute",
               "recomputed in the last sweep",
               {{"intermediates", "recompute"}, {"state_form", "two_pass"}}},
          Form{"keep", "kept on chip", {{"intermediates", "keep"}, {"state_form", "resident"}}}}) {
      for (std::int64_t n : {1024, 4096})
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
const RegisterProbe remat_forms{"remat_forms", make_probe<RematForms>};

} // namespace
} // namespace aicf::probes
