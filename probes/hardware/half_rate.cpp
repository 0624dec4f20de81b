#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class HalfRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return rate_text("half_rate", "Throughput of packed half arithmetic",
                     "operations of lanes a clock and multiprocessor, two an instruction");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return lane_rates(
        {{"fma_f16x2", "fma.f16x2", "unsigned",
          R"(asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)", "fma.rn.f16x2", 2},
         {"fma_bf16x2", "fma.bf16x2", "unsigned",
          R"(asm volatile("fma.rn.bf16x2 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)", "fma.rn.bf16x2", 2},
         {"add_f16x2", "add.f16x2", "unsigned", R"(asm volatile("add.rn.f16x2 %0, %0, %1;" : "+r"(a[j]) : "r"(b));)",
          "add.rn.f16x2", 2},
         {"max_bf16x2", "max.bf16x2 and min.bf16x2 in turn", "unsigned",
          R"(asm volatile("max.bf16x2 %0, %0, %1; min.bf16x2 %0, %0, %1;" : "+r"(a[j]) : "r"(b));)", "max.bf16x2", 4}});
  }
};
const RegisterProbe half_rate{"half_rate", make_probe<HalfRate>};

} // namespace
} // namespace aicf::probes
