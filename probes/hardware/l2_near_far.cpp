#include "probes/findings.hpp"
#include "probes/kernels.hpp"
#include "probes/statistics.hpp"

namespace aicf::probes {
namespace {

/// The latency of single lines: a multiprocessor is near to one half of L2 and far from the other.
class NearFar final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "l2_near_far",
            .lab = "hardware",
            .name = "L2 latency, near and far",
            .measures = "cycles of an L2 hit, line by line, split where the two halves part",
            .method = "clock64 around four dependent loads of one line each (past L1), 512 lines of a warmed 64 KiB; "
                      "lower and upper "
                      "quartile of lines, each the median with the 5 % and 95 % quantiles of its half",
            .control = "a chain of dependent fma must take 4 cycles an operation",
            .inputs = "zeros",
            .quick = true};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    KernelText k;
    k.source =
        R"(extern "C" __global__ void probe(long long* samples, const unsigned* lines, unsigned* sink, long long count) {
  unsigned all = 0;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < count; ++i) {
      const unsigned* at = lines + 32 * i;
      unsigned v = all & 0;
      const long long start = clock64();
#pragma unroll
      for (int u = 0; u < 4; ++u) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at + v) : "memory");
      samples[i] = clock64() - start;
      all ^= v;
    }
  sink[0] = all;
}
)";
    const std::int64_t count = setting.device ? 512 : 4;
    k.block = 1;
    k.buffers = {
        {"samples", DType::i64, count}, {"lines", DType::i32, 32 * count, Arg::Role::input}, {"sink", DType::i32, 1}};
    k.values = {{"count", count}};
    k.expects = {{"ld.global.cg.u32", 4}};
    Trial t = trial("lines", Trial::Reads::cycles, k);
    t.per = 4;
    return {alu_chain_control(setting), t};
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    const Observation& o = seen.at("lines");
    Spread near, far;
    if (o.why.empty()) {
      std::vector<double> low, high;
      const double middle = median(o.samples);
      for (double s : o.samples) (s <= middle ? low : high).push_back(s);
      near = spread_of(low);
      if (!high.empty()) far = spread_of(high);
    }
    findings.derived("near", "L2 hit, nearer half of the lines", "cycles", {&o}, near,
                     "the lines at or below the median");
    findings.derived("far", "L2 hit, farther half of the lines", "cycles", {&o}, far, "the lines above the median");
  }
};
const RegisterProbe l2_near_far{"l2_near_far", make_probe<NearFar>};

} // namespace
} // namespace aicf::probes
