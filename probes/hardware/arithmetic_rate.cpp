#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ArithmeticRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("arithmetic_rate", "Throughput of f32 and f64 arithmetic",
                            "operations of lanes a clock and multiprocessor");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return lane_rates(
        {{"fma_f32", "fma.f32", "float", R"(asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[j]) : "f"(b));)",
          "fma.rn.f32", 1},
         {"add_f32", "add.f32", "float", R"(asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a[j]) : "f"(b));)",
          "add.rn.f32", 1},
         {"mul_f32", "mul.f32", "float", R"(asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(a[j]) : "f"(b));)",
          "mul.rn.f32", 1},
         {"max_f32", "max.f32 and min.f32 in turn", "float",
          R"(asm volatile("max.f32 %0, %0, %1; min.f32 %0, %0, 0f40000000;" : "+f"(a[j]) : "f"(b));)", "max.f32", 2},
         {"fma_f64", "fma.f64", "double", R"(asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(a[j]) : "d"(b));)",
          "fma.rn.f64", 1},
         {"add_f64", "add.f64", "double", R"(asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(a[j]) : "d"(b));)",
          "add.rn.f64", 1}});
  }
};
const RegisterProbe arithmetic_rate{"arithmetic_rate", make_probe<ArithmeticRate>};

} // namespace
} // namespace aicf::probes
