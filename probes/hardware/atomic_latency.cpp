#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class AtomicLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("atomic_latency", "Latency of atomics",
                        "cycles of a dependent atomic on one address, by scope, over multiprocessors");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    for (const char* scope : {"cta", "gpu", "sys"})
      out.push_back(
          {std::string("add_") + scope,
           std::string("atom.global.add, scope ") + scope,
           {.state = "unsigned a = 0;",
            .body = filled(
                R"(asm volatile("atom.relaxed.@SCOPE@.global.add.u32 %0, [%1], %0;" : "+r"(a) : "l"(own) : "memory");)",
                {{"SCOPE", scope}}),
            .result = "a",
            .expects = {{std::string("atom.relaxed.") + scope + ".global.add.u32", 16}},
            .everywhere = true}});
    out.push_back(
        {"cas",
         "atom.global.cas, scope gpu",
         {.state = "unsigned a = 0;",
          .body =
              R"(asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], %0, %0;" : "+r"(a) : "l"(own) : "memory");)",
          .result = "a",
          .expects = {{"atom.relaxed.gpu.global.cas.b32", 16}},
          .everywhere = true}});
    return out;
  }
};
const RegisterProbe atomic_latency{"atomic_latency", make_probe<AtomicLatency>};

} // namespace
} // namespace aicf::probes
