#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class VoteRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return rate_text("vote_rate", "Throughput of votes and matches",
                     "warp instructions a clock and multiprocessor, predicates included");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return warp_rates(
        {{"ballot", "vote.sync.ballot",
          R"(asm volatile("{.reg .pred p; setp.gt.u32 p, %0, 5; vote.sync.ballot.b32 %0, p, 0xffffffff;}" : "+r"(a[j]));)",
          "vote.sync.ballot"},
         {"any", "vote.sync.any",
          R"(asm volatile("{.reg .pred p; setp.gt.u32 p, %0, 5; vote.sync.any.pred p, p, 0xffffffff; selp.u32 %0, 7, 3, p;}" : "+r"(a[j]));)",
          "vote.sync.any"},
         {"match_any", "match.any.sync", R"(asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(a[j]));)",
          "match.any.sync"}});
  }
};
const RegisterProbe vote_rate{"vote_rate", make_probe<VoteRate>};

} // namespace
} // namespace aicf::probes
