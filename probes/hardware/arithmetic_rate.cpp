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
    struct Row {
      const char *id, *name, *type, *step, *instruction;
      double operations;
    };
    std::vector<Entry> out;
    for (const Row& r :
         {Row{"fma_f32", "fma.f32", "float", R"(asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[j]) : "f"(b));)",
              "fma.rn.f32", 1},
          Row{"add_f32", "add.f32", "float", R"(asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a[j]) : "f"(b));)",
              "add.rn.f32", 1},
          Row{"mul_f32", "mul.f32", "float", R"(asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(a[j]) : "f"(b));)",
              "mul.rn.f32", 1},
          Row{"max_f32", "max.f32 and min.f32 in turn", "float",
              R"(asm volatile("max.f32 %0, %0, %1; min.f32 %0, %0, 0f40000000;" : "+f"(a[j]) : "f"(b));)", "max.f32",
              2},
          Row{"fma_f64", "fma.f64", "double", R"(asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(a[j]) : "d"(b));)",
              "fma.rn.f64", 1},
          Row{"add_f64", "add.f64", "double", R"(asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(a[j]) : "d"(b));)",
              "add.rn.f64", 1}})
      out.push_back({r.id,
                     r.name,
                     "op/clk/SM",
                     {.state = filled("@T@ a[4]; for (int j = 0; j < 4; ++j) a[j] = static_cast<@T@>(threadIdx.x + j + "
                                      "sink[0]); @T@ b = a[0];",
                                      {{"T", r.type}}),
                      .body = filled("for (int j = 0; j < 4; ++j) @STEP@", {{"STEP", r.step}}),
                      .result = "static_cast<unsigned>(a[0] + a[1] + a[2] + a[3])",
                      .per_body = 4 * r.operations,
                      .expects = {{r.instruction, 16 * 4}}}});
    return out;
  }
};
const RegisterProbe arithmetic_rate{"arithmetic_rate", make_probe<ArithmeticRate>};

} // namespace
} // namespace aicf::probes
