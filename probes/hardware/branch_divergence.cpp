#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {
namespace {

/// A warp whose lanes take so many different ways of equal length.
class BranchDivergence final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "branch_divergence",
            .lab = "hardware",
            .name = "Cost of divergence",
            .measures = "warp instructions and cycles of a loop, by different ways that the lanes of a warp take",
            .method = "warp instructions counted by the emulator; on a device clock64 of one warp; median, 5 % and 95 "
                      "% quantiles",
            .control =
                "lanes that agree part only where one of them writes the sample; on a device a chain of dependent "
                "fma takes 4 cycles",
            .inputs = "lane numbers"};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{alu_chain_control(setting)};
    for (int ways : {1, 2, 4, 8, 16, 32})
      for (const auto reads : {Trial::Reads::exact, Trial::Reads::cycles}) {
        KernelText k;
        k.source =
            R"(extern "C" __global__ void probe(long long* samples, unsigned* sink, long long ways, long long count) {
  const int way = threadIdx.x % static_cast<int>(ways);
  unsigned a = threadIdx.x;
  for (int s = 0; s < count; ++s) {
    const long long start = clock64();
    for (int w = 0; w < ways; ++w)
      if (w == way)
#pragma unroll 1
        for (int i = 0; i < 64; ++i) asm volatile("mad.lo.u32 %0, %0, 3, 1;" : "+r"(a));
    __syncwarp();
    if (threadIdx.x == 0) samples[s] = clock64() - start;
  }
  sink[threadIdx.x] = a;
}
)";
        const bool exact = reads == Trial::Reads::exact;
        const std::int64_t count = exact || !setting.device ? 1 : 32;
        k.buffers = {{"samples", DType::i64, count}, {"sink", DType::i32, 32}};
        k.values = {{"ways", ways}, {"count", count}};
        k.expects = {{"mad.lo.u32", 1}};
        out.push_back(trial((exact ? "exact_" : "cycles_") + std::to_string(ways), reads, k));
        out.back().x = ways;
      }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    const double together = seen.at("exact_1").counter("divergent_branches");
    findings.control_exact(together == 1,
                           "lanes that agree must part once, where one of them writes the sample, came out " +
                               std::to_string(together));
    for (const char* ways : {"1", "2", "4", "8", "16", "32"}) {
      const Observation& o = seen.at(std::string("exact_") + ways);
      findings.exact(std::string("instructions_") + ways, std::string("Warp instructions, ") + ways + " ways",
                     "warp instructions", o, o.counter("warp_instructions"));
      findings.measured(std::string("cycles_") + ways, std::string("Cycles, ") + ways + " ways", "cycles",
                        seen.at(std::string("cycles_") + ways));
    }
    fill_curve(findings.curve("instructions", "Warp instructions by ways", {"ways", "", true},
                              {"warp instructions", "", false}, false),
               seen, trials_of(seen, "exact_"), [](const Trial&, const Observation& o) {
                 const double n = o.counter("warp_instructions");
                 return Spread{n, n, n, 1};
               });
  }
};
const RegisterProbe branch_divergence{"branch_divergence", make_probe<BranchDivergence>};

} // namespace
} // namespace aicf::probes
