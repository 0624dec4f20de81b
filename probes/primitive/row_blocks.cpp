#include "probes/primitive/plan_probe.hpp"

namespace aicf::probes {
namespace {

class RowBlocks final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("row_blocks", "Rows of a block", "instructions and time by rows that a block takes");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"r1", "1 rows a block", {{"row_blocks", "1"}, {"cooperation", "warp"}}},
                          Form{"r2", "2 rows a block", {{"row_blocks", "2"}, {"cooperation", "warp"}}},
                          Form{"r4", "4 rows a block", {{"row_blocks", "4"}, {"cooperation", "warp"}}},
                          Form{"r8", "8 rows a block", {{"row_blocks", "8"}, {"cooperation", "warp"}}}}) {
      for (std::int64_t n : {256, 1024})
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
const RegisterProbe row_blocks{"row_blocks", make_probe<RowBlocks>};

} // namespace
} // namespace aicf::probes
