#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ConversionLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("conversion_latency", "Latency of conversions",
                        "cycles of a dependent pair of conversions there and back, halved");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return chains(
        {{"f32_f16", "f32 to f16 and back", "float a = __uint_as_float(sink[0]), b = a + 1.0f; unsigned short h;",
          R"(asm volatile("cvt.rn.f16.f32 %1, %0; cvt.f32.f16 %0, %1;" : "+f"(a), "=h"(h) : "f"(b));)",
          "__float_as_uint(a)", "cvt.rn.f16.f32", 2},
         {"f32_bf16", "f32 to bf16 and back", "float a = __uint_as_float(sink[0]), b = a + 1.0f; unsigned short h;",
          R"(asm volatile("cvt.rn.bf16.f32 %1, %0; cvt.f32.bf16 %0, %1;" : "+f"(a), "=h"(h) : "f"(b));)",
          "__float_as_uint(a)", "cvt.rn.bf16.f32", 2},
         {"f32_s32", "f32 to s32 and back", "float a = __uint_as_float(sink[0]), b = a + 1.0f; int h;",
          R"(asm volatile("cvt.rzi.s32.f32 %1, %0; cvt.rn.f32.s32 %0, %1;" : "+f"(a), "=r"(h) : "f"(b));)",
          "__float_as_uint(a)", "cvt.rzi.s32.f32", 2},
         {"f32_f64", "f32 to f64 and back", "float a = __uint_as_float(sink[0]), b = a + 1.0f; double h;",
          R"(asm volatile("cvt.f64.f32 %1, %0; cvt.rn.f32.f64 %0, %1;" : "+f"(a), "=d"(h) : "f"(b));)",
          "__float_as_uint(a)", "cvt.f64.f32", 2}});
  }
};
const RegisterProbe conversion_latency{"conversion_latency", make_probe<ConversionLatency>};

} // namespace
} // namespace aicf::probes
