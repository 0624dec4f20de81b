#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ReduxRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("redux_rate", "Throughput of redux", "warp instructions a clock and multiprocessor");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    struct Row {
      const char *id, *name, *step, *instruction;
    };
    std::vector<Entry> out;
    for (const Row& r :
         {Row{"add", "redux.sync.add.u32", R"(asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(a[j]));)",
              "redux.sync.add"},
          Row{"max", "redux.sync.max.s32", R"(asm volatile("redux.sync.max.s32 %0, %0, 0xffffffff;" : "+r"(a[j]));)",
              "redux.sync.max"},
          Row{"or", "redux.sync.or.b32", R"(asm volatile("redux.sync.or.b32 %0, %0, 0xffffffff;" : "+r"(a[j]));)",
              "redux.sync.or"}})
      out.push_back({r.id,
                     r.name,
                     "warp instructions/clk/SM",
                     {.state = "unsigned a[4]; for (int j = 0; j < 4; ++j) a[j] = threadIdx.x + j + sink[0];",
                      .body = filled("for (int j = 0; j < 4; ++j) @STEP@", {{"STEP", r.step}}),
                      .result = "a[0] + a[1] + a[2] + a[3]",
                      .per_body = 4,
                      .per_warp = true,
                      .expects = {{r.instruction, 64}}}});
    return out;
  }
};
const RegisterProbe redux_rate{"redux_rate", make_probe<ReduxRate>};

} // namespace
} // namespace aicf::probes
