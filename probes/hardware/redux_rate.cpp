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
    return warp_rates({{"add", "redux.sync.add.u32",
                        R"(asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(a[j]));)", "redux.sync.add"},
                       {"max", "redux.sync.max.s32",
                        R"(asm volatile("redux.sync.max.s32 %0, %0, 0xffffffff;" : "+r"(a[j]));)", "redux.sync.max"},
                       {"or", "redux.sync.or.b32",
                        R"(asm volatile("redux.sync.or.b32 %0, %0, 0xffffffff;" : "+r"(a[j]));)", "redux.sync.or"}});
  }
};
const RegisterProbe redux_rate{"redux_rate", make_probe<ReduxRate>};

} // namespace
} // namespace aicf::probes
