#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ConstantLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("constant_latency", "Latency of constant memory",
                        "cycles of a dependent load of the constant cache");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return {
        {"load",
         "Load through the constant cache, dependent",
         {.state = "unsigned a = sink[0];",
          .body =
              R"(asm volatile("ld.const.u32 %0, [%1];" : "=r"(a) : "l"(__cvta_generic_to_constant(ring) + a) : "memory");)",
          .result = "a",
          .prologue = "__constant__ unsigned ring[64] = {4, 8, 12, 16, 20, 24, 28, 0};",
          .expects = {{"ld.const.u32", 16}}}}};
  }
};
const RegisterProbe constant_latency{"constant_latency", make_probe<ConstantLatency>};

} // namespace
} // namespace aicf::probes
