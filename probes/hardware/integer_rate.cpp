#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class IntegerRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t =
        rate_text("integer_rate", "Throughput of integer arithmetic", "operations of lanes a clock and multiprocessor");

    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    struct Row {
      const char *id, *name, *type, *step, *instruction;
      double operations;
    };
    std::vector<Entry> out;
    for (const Row& r :
         {Row{"mad_s32", "mad.lo.s32", "unsigned",
              R"(asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)", "mad.lo.s32", 1},
          Row{"add_xor", "add.u32 and xor.b32 in turn", "unsigned",
              R"(asm volatile("add.u32 %0, %0, %1; xor.b32 %0, %0, %1;" : "+r"(a[j]) : "r"(b));)", "xor.b32", 2},
          Row{"shf", "shf.l.wrap.b32", "unsigned",
              R"(asm volatile("shf.l.wrap.b32 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)", "shf.l.wrap", 1},
          Row{"popc", "popc.b32", "unsigned", R"(asm volatile("popc.b32 %0, %0;" : "+r"(a[j]));)", "popc.b32", 1},
          Row{"clz", "clz.b32", "unsigned", R"(asm volatile("clz.b32 %0, %0;" : "+r"(a[j]));)", "clz.b32", 1},
          Row{"prmt", "prmt.b32", "unsigned", R"(asm volatile("prmt.b32 %0, %0, %1, 0x2103;" : "+r"(a[j]) : "r"(b));)",
              "prmt.b32", 1},
          Row{"dp4a", "dp4a.s32.s32", "unsigned",
              R"(asm volatile("dp4a.s32.s32 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)", "dp4a", 1}})
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
const RegisterProbe integer_rate{"integer_rate", make_probe<IntegerRate>};

} // namespace
} // namespace aicf::probes
