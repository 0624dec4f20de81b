#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class ShuffleLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return latency_text("shuffle_latency", "Latency of shuffles, votes and redux",
                        "cycles of a dependent warp instruction");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    auto chain = [](const char* body, const char* instruction) {
      return Chain{.state = "unsigned a = sink[threadIdx.x] + threadIdx.x;",
                   .body = body,
                   .result = "a",
                   .block = 32,
                   .expects = {{instruction, 16}}};
    };
    return {
        {"shfl_idx", "shfl.sync.idx",
         chain(R"(asm volatile("shfl.sync.idx.b32 %0, %0, %0, 0x1f, 0xffffffff;" : "+r"(a));)", "shfl.sync.idx")},
        {"shfl_bfly", "shfl.sync.bfly",
         chain(R"(asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(a));)", "shfl.sync.bfly")},
        {"shfl_down", "shfl.sync.down",
         chain(R"(asm volatile("shfl.sync.down.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(a));)", "shfl.sync.down")},
        {"ballot", "vote.sync.ballot with its predicate",
         chain(
             R"(asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;}" : "+r"(a));)",
             "vote.sync.ballot")},
        {"redux_add", "redux.sync.add",
         chain(R"(asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(a));)", "redux.sync.add")},
        {"redux_or", "redux.sync.or",
         chain(R"(asm volatile("redux.sync.or.b32 %0, %0, 0xffffffff;" : "+r"(a));)", "redux.sync.or")},
        {"match_any", "match.any.sync",
         chain(R"(asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(a));)", "match.any.sync")},
    };
  }
};
const RegisterProbe shuffle_latency{"shuffle_latency", make_probe<ShuffleLatency>};

} // namespace
} // namespace aicf::probes
