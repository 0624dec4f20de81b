#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ClusterRows final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("cluster_rows", "Rows over clusters", "cost of rows that the blocks of a cluster share");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"block", "one block a row", {{"cooperation", "block"}, {"state_form", "online"}}},
                          Form{"cluster", "a cluster a row", {{"cooperation", "cluster"}}}}) {
      for (std::int64_t n : {8192, 32768})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_softmax,
                       f.choices,
                       {{"M", 2}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::bf16,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe cluster_rows{"cluster_rows", make_probe<ClusterRows>};

} // namespace
} // namespace aicf::probes
