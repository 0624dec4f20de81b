#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class BarrierLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = latency_text("barrier_latency", "Cost of a block's barriers",
                               "cycles of one barrier after another, by threads of the block");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    for (std::int64_t threads : {32, 64, 128, 256, 512, 1024})
      out.push_back({"bar_" + std::to_string(threads),
                     "bar.sync of " + std::to_string(threads) + " threads",
                     {.state = "",
                      .body = R"(asm volatile("bar.sync 0;" ::: "memory");)",
                      .result = "0u",
                      .block = threads,
                      .expects = {{"bar.sync", 16}}}});
    out.push_back({"warp",
                   "bar.warp.sync",
                   {.state = "",
                    .body = R"(asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");)",
                    .result = "0u",
                    .block = 32,
                    .expects = {{"bar.warp.sync", 16}}}});
    return out;
  }
};
const RegisterProbe barrier_latency{"barrier_latency", make_probe<BarrierLatency>};

} // namespace
} // namespace aicf::probes
