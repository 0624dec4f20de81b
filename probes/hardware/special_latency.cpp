#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class SpecialLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("special_latency", "Latency of special functions",
                        "cycles of a dependent instruction of the special function unit");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return chains(
        {{"ex2", "ex2 approximation", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a));)", "__float_as_uint(a)", "ex2.approx.ftz.f32", 1},
         {"lg2", "lg2 approximation", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(a));)", "__float_as_uint(a)", "lg2.approx.ftz.f32", 1},
         // two rcp in turn are none to the assembler
         {"rcp_add", "rcp approximation and an add, together", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("rcp.approx.ftz.f32 %0, %0; add.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(b));)",
          "__float_as_uint(a)", "rcp.approx.ftz.f32", 1},
         {"rsqrt", "rsqrt approximation", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a));)", "__float_as_uint(a)", "rsqrt.approx.ftz.f32",
          1},
         {"sqrt", "sqrt approximation", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("sqrt.approx.ftz.f32 %0, %0;" : "+f"(a));)", "__float_as_uint(a)", "sqrt.approx.ftz.f32", 1},
         {"sin", "sin approximation", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(a));)", "__float_as_uint(a)", "sin.approx.ftz.f32", 1},
         {"tanh", "tanh approximation", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("tanh.approx.f32 %0, %0;" : "+f"(a));)", "__float_as_uint(a)", "tanh.approx.f32", 1}});
  }
};
const RegisterProbe special_latency{"special_latency", make_probe<SpecialLatency>};

} // namespace
} // namespace aicf::probes
