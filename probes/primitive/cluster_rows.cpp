#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ClusterRows final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("cluster_rows", "Rows over clusters", "cost of rows that the blocks of a cluster share");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_softmax,
                           {{"block", "one block a row", {{"cooperation", "block"}, {"state_form", "online"}}},
                            {"cluster", "a cluster a row", {{"cooperation", "cluster"}}}},
                           {8192, 32768}, DType::bf16, 2);
  }
};
const RegisterProbe cluster_rows{"cluster_rows", make_probe<ClusterRows>};

} // namespace
} // namespace aicf::probes
