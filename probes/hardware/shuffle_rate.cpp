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
    return warp_rates(
        {{"idx", "shfl.sync.idx", R"(asm volatile("shfl.sync.idx.b32 %0, %0, %0, 0x1f, 0xffffffff;" : "+r"(a[j]));)",
          "shfl.sync.idx"},
         {"bfly", "shfl.sync.bfly", R"(asm volatile("shfl.sync.bfly.b32 %0, %0, 16, 0x1f, 0xffffffff;" : "+r"(a[j]));)",
          "shfl.sync.bfly"},
         {"up", "shfl.sync.up", R"(asm volatile("shfl.sync.up.b32 %0, %0, 1, 0, 0xffffffff;" : "+r"(a[j]));)",
          "shfl.sync.up"}});
  }
};
const RegisterProbe shuffle_rate{"shuffle_rate", make_probe<ShuffleRate>};

} // namespace
} // namespace aicf::probes
