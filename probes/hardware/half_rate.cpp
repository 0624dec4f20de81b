#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class HalfRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("half_rate", "Throughput of packed half arithmetic",
                            "operations of lanes a clock and multiprocessor, two an instruction");

    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    struct Row {
      const char *id, *name, *type, *step, *instruction;
      double operations;
    };
    std::vector<Entry> out;
    for (const Row& r :
         {Row{"fma_f16x2", "fma.f16x2", "unsigned",
              R"(asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)", "fma.rn.f16x2", 2},
          Row{"fma_bf16x2", "fma.bf16x2", "unsigned",
              R"(asm volatile("fma.rn.bf16x2 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)", "fma.rn.bf16x2", 2},
          Row{"add_f16x2", "add.f16x2", "unsigned",
              R"(asm volatile("add.rn.f16x2 %0, %0, %1;" : "+r"(a[j]) : "r"(b));)", "add.rn.f16x2", 2},
          Row{"max_bf16x2", "max.bf16x2 and min.bf16x2 in turn", "unsigned",
              R"(asm volatile("max.bf16x2 %0, %0, %1; min.bf16x2 %0, %0, %1;" : "+r"(a[j]) : "r"(b));)", "max.bf16x2",
              4}})
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
const RegisterProbe half_rate{"half_rate", make_probe<HalfRate>};

} // namespace
} // namespace aicf::probes
