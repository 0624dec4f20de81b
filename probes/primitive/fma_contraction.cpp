#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class FmaContraction final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t =
        plan_text("fma_contraction", "Contraction to fma", "cost and drift of products and sums contracted or not");

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
         {Form{"off", "rounded twice", {{"contract_fma", "false"}}}, Form{"on", "fma", {{"contract_fma", "true"}}}}) {
      for (std::int64_t n : {1024, 4096})
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
const RegisterProbe fma_contraction{"fma_contraction", make_probe<FmaContraction>};

} // namespace
} // namespace aicf::probes
