#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class VoteRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("vote_rate", "Throughput of votes and matches",
                            "warp instructions a clock and multiprocessor, predicates included");

    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    struct Row {
      const char *id, *name, *step, *instruction;
    };
    std::vector<Entry> out;
    for (
        const Row& r :
        {Row{"ballot", "vote.sync.ballot",
             R"(asm volatile("{.reg .pred p; setp.gt.u32 p, %0, 5; vote.sync.ballot.b32 %0, p, 0xffffffff;}" : "+r"(a[j]));)",
             "vote.sync.ballot"},
         Row{"any", "vote.sync.any",
             R"(asm volatile("{.reg .pred p; setp.gt.u32 p, %0, 5; vote.sync.any.pred p, p, 0xffffffff; selp.u32 %0, 7, 3, p;}" : "+r"(a[j]));)",
             "vote.sync.any"},
         Row{"match_any", "match.any.sync", R"(asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(a[j]));)",
             "match.any.sync"}})
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
const RegisterProbe vote_rate{"vote_rate", make_probe<VoteRate>};

} // namespace
} // namespace aicf::probes
