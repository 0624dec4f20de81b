#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class MbarrierLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("mbarrier_latency", "Cost of an mbarrier's phase",
                        "cycles of an arrival and the wait for its phase, by threads");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    for (std::int64_t threads : {32, 128, 256})
      out.push_back(
          {"threads_" + std::to_string(threads),
           "mbarrier arrive and try_wait, " + std::to_string(threads) + " threads",
           {.state = R"(__shared__ unsigned long long cell;
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&cell));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(blockDim.x) : "memory");
  __syncthreads();
  unsigned phase = 0;)",
            .body = R"(asm volatile("{.reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0];}" :: "r"(bar) : "memory");
          unsigned done;
          do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar), "r"(phase) : "memory");
          while (done == 0);
          phase ^= 1;)",
            .result = "phase",
            .block = threads,
            .expects = {{"mbarrier.arrive", 16}, {"mbarrier.try_wait", 16}}}});
    return out;
  }
};
const RegisterProbe mbarrier_latency{"mbarrier_latency", make_probe<MbarrierLatency>};

} // namespace
} // namespace aicf::probes
