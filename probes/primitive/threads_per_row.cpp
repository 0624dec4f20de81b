#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ThreadsPerRow final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("threads_per_row", "Threads of a row", "instructions and time by threads that share a row");

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
         {Form{"t64", "64 threads", {{"threads", "64"}}}, Form{"t128", "128 threads", {{"threads", "128"}}},
          Form{"t256", "256 threads", {{"threads", "256"}}}, Form{"t512", "512 threads", {{"threads", "512"}}}}) {
      for (std::int64_t n : {256, 1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_sum,
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
const RegisterProbe threads_per_row{"threads_per_row", make_probe<ThreadsPerRow>};

} // namespace
} // namespace aicf::probes
