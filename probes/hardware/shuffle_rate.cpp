#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ShuffleRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("shuffle_rate", "Throughput of shuffles", "warp instructions a clock and multiprocessor");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    struct Row {
      const char *id, *name, *step, *instruction;
    };
    std::vector<Entry> out;
    for (const Row& r :
         {Row{"idx", "shfl.sync.idx", R"(asm volatile("shfl.sync.idx.b32 %0, %0, 3, 0x1f, 0xffffffff;" : "+r"(a[j]));)",
              "shfl.sync.idx"},
          Row{"bfly", "shfl.sync.bfly",
              R"(asm volatile("shfl.sync.bfly.b32 %0, %0, 16, 0x1f, 0xffffffff;" : "+r"(a[j]));)", "shfl.sync.bfly"},
          Row{"up", "shfl.sync.up", R"(asm volatile("shfl.sync.up.b32 %0, %0, 1, 0, 0xffffffff;" : "+r"(a[j]));)",
              "shfl.sync.up"}})
      out.push_back({r.id,
                     r.name,
                     "warp instructions/clk/SM",
                     {.state = "unsigned a[4]; for (int j = 0; j < 4; ++j) a[j] = threadIdx.x + j + sink[0];",
                      .body = filled("for (int j = 0; j < 4; ++j) @STEP@", {{"STEP", r.step}}),
                      .result = "a[0] + a[1] + a[2] + a[3]",
                      .per_body = 4,
                      .per_warp = true,
                      .expects = {{r.instruction, 64}}}});
    return out;
  }
};
const RegisterProbe shuffle_rate{"shuffle_rate", make_probe<ShuffleRate>};

} // namespace
} // namespace aicf::probes
