#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class MmaSyncLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("mma_sync_latency", "Latency of mma.sync", "cycles of a dependent accumulation, by shape");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    const char* state = "float c[4] = {}; unsigned a = sink[threadIdx.x];";
    const char* result = "__float_as_uint(c[0] + c[1] + c[2] + c[3])";
    return {
        {"f16_k16",
         "m16n8k16 f16 into f32",
         {.state = state,
          .body =
              R"(asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                       : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a));)",
          .result = result,
          .block = 32,
          .expects = {{"mma.sync.aligned.m16n8k16", 16}}}},
        {"tf32_k8",
         "m16n8k8 tf32 into f32",
         {.state = state,
          .body =
              R"(asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                       : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a));)",
          .result = result,
          .block = 32,
          .expects = {{"mma.sync.aligned.m16n8k8", 16}}}}};
  }
};
const RegisterProbe mma_sync_latency{"mma_sync_latency", make_probe<MmaSyncLatency>};

} // namespace
} // namespace aicf::probes
