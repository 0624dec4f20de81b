#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class WritebackForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("writeback_forms", "Writeback forms", "traffic and time of stores kept or streamed");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"plain", "stores as they come", {{"cache_hint", "none"}}},
                          Form{"streaming", "evict-first loads and stores", {{"cache_hint", "streaming"}}}}) {
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
const RegisterProbe writeback_forms{"writeback_forms", make_probe<WritebackForms>};

} // namespace
} // namespace aicf::probes
