#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class FenceLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("fence_latency", "Cost of fences", "cycles of a fence with a store before it, by scope");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    for (const char* scope : {"cta", "cluster", "gpu", "sys"})
      out.push_back(
          {scope,
           std::string("fence.acq_rel.") + scope + " after a store",
           {.state = "unsigned a = 0;",
            .body = filled(
                R"(asm volatile("st.global.u32 [%0], %1; fence.acq_rel.@SCOPE@;" :: "l"(own), "r"(a) : "memory"); ++a;)",
                {{"SCOPE", scope}}),
            .result = "a",
            .expects = {{std::string("fence.acq_rel.") + scope, 16}},
            // Fences of the system meet outside the multiprocessors: one alone.
            .everywhere = std::string(scope) != "sys"}});
    return out;
  }
};
const RegisterProbe fence_latency{"fence_latency", make_probe<FenceLatency>};

} // namespace
} // namespace aicf::probes
