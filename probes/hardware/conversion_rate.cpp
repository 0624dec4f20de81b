#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ConversionRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return rate_text("conversion_rate", "Throughput of conversions", "conversions of lanes a clock and multiprocessor");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return lane_rates(
        {{"f32_bf16x2", "two f32 to bf16x2", "float",
          R"(asm volatile("{.reg .b32 t; cvt.rn.bf16x2.f32 t, %0, %1; mov.b32 %0, t;}" : "+f"(a[j]) : "f"(b));)",
          "cvt.rn.bf16x2.f32", 2},
         {"f32_f16", "f32 to f16 and back", "float",
          R"(asm volatile("{.reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t;}" : "+f"(a[j]));)", "cvt.rn.f16.f32",
          2},
         {"s32_f32", "f32 to s32 and back", "float",
          R"(asm volatile("{.reg .s32 t; cvt.rzi.s32.f32 t, %0; cvt.rn.f32.s32 %0, t;}" : "+f"(a[j]));)",
          "cvt.rzi.s32.f32", 2},
         {"f32_f64", "f32 to f64 and back", "float",
          R"(asm volatile("{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}" : "+f"(a[j]));)", "cvt.f64.f32", 2},
         {"e4m3x2", "two f32 to e4m3x2", "float",
          R"(asm volatile("{.reg .b16 t; .reg .b32 u; cvt.rn.satfinite.e4m3x2.f32 t, %0, %1; cvt.u32.u16 u, t; mov.b32 %0, u;}" : "+f"(a[j]) : "f"(b));)",
          "e4m3x2.f32", 2}});
  }
};
const RegisterProbe conversion_rate{"conversion_rate", make_probe<ConversionRate>};

} // namespace
} // namespace aicf::probes
