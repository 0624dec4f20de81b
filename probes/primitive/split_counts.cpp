#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class SplitCounts final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("split_counts", "Splits of a row",
                            "cost and drift of a row that several blocks share, merged by a second kernel");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"s2", "2 parts", {{"row_blocks", "2"}, {"cooperation", "split"}}},
                          Form{"s8", "8 parts", {{"row_blocks", "8"}, {"cooperation", "split"}}},
                          Form{"s32", "32 parts", {{"row_blocks", "32"}, {"cooperation", "split"}}}}) {
      for (std::int64_t n : {4096, 32768})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_sum,
                       f.choices,
                       {{"M", 2}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::f32,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe split_counts{"split_counts", make_probe<SplitCounts>};

} // namespace
} // namespace aicf::probes
