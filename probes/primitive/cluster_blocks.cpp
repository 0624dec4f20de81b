#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ClusterBlocks final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("cluster_blocks", "Blocks of a cluster a row",
                            "cost and drift of a row that the blocks of a cluster share, by their number");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"b2", "2 blocks", {{"row_blocks", "2"}, {"cooperation", "cluster"}}},
                          Form{"b4", "4 blocks", {{"row_blocks", "4"}, {"cooperation", "cluster"}}},
                          Form{"b8", "8 blocks", {{"row_blocks", "8"}, {"cooperation", "cluster"}}}}) {
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
const RegisterProbe cluster_blocks{"cluster_blocks", make_probe<ClusterBlocks>};

} // namespace
} // namespace aicf::probes
