#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class ReductionTopology final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("reduction_topology", "Reduction topologies",
                            "cost and drift of sums over a row, by topology and length");
    t.quick = true;
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
         {Form{"sequential", "left fold of a thread", {{"reduction_tree", "sequential"}}},
          Form{"thread", "one thread a row", {{"cooperation", "thread"}}},
          Form{"warp", "a warp by shuffles", {{"cooperation", "warp"}, {"reduction_tree", "shuffle"}}},
          Form{"block",
               "a block by shuffles and shared memory",
               {{"cooperation", "block"}, {"reduction_tree", "shuffle"}}},
          Form{"cluster", "a cluster of blocks", {{"cooperation", "cluster"}, {"reduction_tree", "shuffle"}}}}) {
      for (std::int64_t n : {256, 1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_sum,
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
const RegisterProbe reduction_topology{"reduction_topology", make_probe<ReductionTopology>};

} // namespace
} // namespace aicf::probes
