#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class SpecialRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t =
        rate_text("special_rate", "Throughput of special functions", "operations of lanes a clock and multiprocessor");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return lane_rates({{"ex2", "ex2 approximation", "float",
                        R"(asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)", "ex2.approx.ftz.f32", 1},
                       {"lg2", "lg2 approximation", "float",
                        R"(asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)", "lg2.approx.ftz.f32", 1},
                       // two rcp in turn are none to the assembler; an add takes no slot of the unit
                       {"rcp", "rcp approximation, each with an add", "float",
                        R"(asm volatile("rcp.approx.ftz.f32 %0, %0; add.rn.f32 %0, %0, %1;" : "+f"(a[j]) : "f"(b));)",
                        "rcp.approx.ftz.f32", 1},
                       {"rsqrt", "rsqrt approximation", "float",
                        R"(asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)", "rsqrt.approx.ftz.f32", 1},
                       {"sin", "sin approximation", "float",
                        R"(asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)", "sin.approx.ftz.f32", 1},
                       {"tanh", "tanh approximation", "float",
                        R"(asm volatile("tanh.approx.f32 %0, %0;" : "+f"(a[j]));)", "tanh.approx.f32", 1}});
  }
};
const RegisterProbe special_rate{"special_rate", make_probe<SpecialRate>};

} // namespace
} // namespace aicf::probes
