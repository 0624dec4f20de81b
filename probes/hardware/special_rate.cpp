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
    struct Row {
      const char *id, *name, *type, *step, *instruction;
      double operations;
    };
    std::vector<Entry> out;
    for (const Row& r :
         {Row{"ex2", "ex2 approximation", "float", R"(asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)",
              "ex2.approx.ftz.f32", 1},
          Row{"lg2", "lg2 approximation", "float", R"(asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)",
              "lg2.approx.ftz.f32", 1},
          Row{"rcp", "rcp approximation", "float", R"(asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)",
              "rcp.approx.ftz.f32", 1},
          Row{"rsqrt", "rsqrt approximation", "float", R"(asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)",
              "rsqrt.approx.ftz.f32", 1},
          Row{"sin", "sin approximation", "float", R"(asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(a[j]));)",
              "sin.approx.ftz.f32", 1},
          Row{"tanh", "tanh approximation", "float", R"(asm volatile("tanh.approx.f32 %0, %0;" : "+f"(a[j]));)",
              "tanh.approx.f32", 1}})
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
const RegisterProbe special_rate{"special_rate", make_probe<SpecialRate>};

} // namespace
} // namespace aicf::probes
