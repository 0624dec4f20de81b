#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class LogForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t =
        plan_text("log_forms", "Logarithm by function", "cost and drift of log by library function or lg2.approx");

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
         {Form{"precise", "library function", {{"log", "precise"}}}, Form{"fast", "lg2.approx", {{"log", "fast"}}}}) {
      for (std::int64_t n : {1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_logsumexp,
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
const RegisterProbe log_forms{"log_forms", make_probe<LogForms>};

} // namespace
} // namespace aicf::probes
