#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ArithmeticLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = latency_text("arithmetic_latency", "Latency of arithmetic",
                               "cycles of a dependent instruction, by operation and type");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return chains(
        {{"add_f32", "add.f32", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(b));)", "__float_as_uint(a)", "add.rn.f32", 1},
         {"mul_f32", "mul.f32", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(b));)", "__float_as_uint(a)", "mul.rn.f32", 1},
         {"min_f32", "min.f32 and max.f32 in turn", "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
          R"(asm volatile("min.f32 %0, %0, %1; max.f32 %0, %0, 0f00000000;" : "+f"(a) : "f"(b));)",
          "__float_as_uint(a)", "max.f32", 2},
         {"mad_s32", "mad.lo.s32", "unsigned a = sink[0], b = a + 3;",
          R"(asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(a) : "r"(b));)", "a", "mad.lo.s32", 1},
         {"add_xor", "add.u32 and xor.b32 in turn", "unsigned a = sink[0], b = a + 3;",
          R"(asm volatile("add.u32 %0, %0, %1; xor.b32 %0, %0, %1;" : "+r"(a) : "r"(b));)", "a", "xor.b32", 2},
         {"shf", "shf.l.wrap.b32", "unsigned a = sink[0], b = a + 3;",
          R"(asm volatile("shf.l.wrap.b32 %0, %0, %1, %1;" : "+r"(a) : "r"(b));)", "a", "shf.l.wrap", 1},
         {"popc", "popc.b32", "unsigned a = sink[0], b = a + 3;", R"(asm volatile("popc.b32 %0, %0;" : "+r"(a));)", "a",
          "popc.b32", 1},
         {"fma_f64", "fma.f64", "double a = static_cast<double>(sink[0]), b = a + 1.0;",
          R"(asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(a) : "d"(b));)",
          "static_cast<unsigned>(__double2loint(a))", "fma.rn.f64", 1},
         {"fma_f16x2", "fma.f16x2", "unsigned a = sink[0], b = a + 3;",
          R"(asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a) : "r"(b));)", "a", "fma.rn.f16x2", 1},
         {"fma_bf16x2", "fma.bf16x2", "unsigned a = sink[0], b = a + 3;",
          R"(asm volatile("fma.rn.bf16x2 %0, %0, %1, %1;" : "+r"(a) : "r"(b));)", "a", "fma.rn.bf16x2", 1}});
  }
};
const RegisterProbe arithmetic_latency{"arithmetic_latency", make_probe<ArithmeticLatency>};

} // namespace
} // namespace aicf::probes
