#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class IntegerRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return rate_text("integer_rate", "Throughput of integer arithmetic",
                     "operations of lanes a clock and multiprocessor");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    return lane_rates(
        {{"mad_s32", "mad.lo.s32", "unsigned", R"(asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)",
          "mad.lo.s32", 1},
         {"add_xor", "add.u32 and xor.b32 in turn", "unsigned",
          R"(asm volatile("add.u32 %0, %0, %1; xor.b32 %0, %0, %1;" : "+r"(a[j]) : "r"(b));)", "xor.b32", 2},
         {"shf", "shf.l.wrap.b32", "unsigned",
          R"(asm volatile("shf.l.wrap.b32 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)", "shf.l.wrap", 1},
         {"popc", "popc.b32", "unsigned", R"(asm volatile("popc.b32 %0, %0;" : "+r"(a[j]));)", "popc.b32", 1},
         {"clz", "clz.b32", "unsigned", R"(asm volatile("clz.b32 %0, %0;" : "+r"(a[j]));)", "clz.b32", 1},
         {"prmt", "prmt.b32", "unsigned", R"(asm volatile("prmt.b32 %0, %0, %1, 0x2103;" : "+r"(a[j]) : "r"(b));)",
          "prmt.b32", 1},
         {"dp4a", "dp4a.s32.s32", "unsigned", R"(asm volatile("dp4a.s32.s32 %0, %0, %1, %1;" : "+r"(a[j]) : "r"(b));)",
          "dp4a", 1}});
  }
};
const RegisterProbe integer_rate{"integer_rate", make_probe<IntegerRate>};

} // namespace
} // namespace aicf::probes
