#include "probes/findings.hpp"
#include "probes/kernels.hpp"
#include "probes/statistics.hpp"

namespace aicf::probes {
namespace {

/// Straight code of growing length, run by one warp again and again.
class InstructionCache final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "instruction_cache",
            .lab = "hardware",
            .name = "Code size and issue",
            .measures = "cycles an instruction of one warp, by bytes of straight code in a loop",
            .method = "clock64 around 8 turns of a loop of independent fma (16 bytes each), after one turn; median, 5 "
                      "% and 95 % quantiles",
            .control = "a chain of dependent fma must take 4 cycles an operation",
            .inputs = "zeros"};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{alu_chain_control(setting)};
    std::vector<int> kib{2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256};
    if (setting.quick) kib = {4, 32, 128};
    if (!setting.device) kib = {2};
    for (int size : kib) {
      KernelText k;
      k.source = filled(R"(extern "C" __global__ void probe(long long* samples, unsigned* sink, long long count) {
  float a[8] = {}, b = __uint_as_float(sink[0]);
  for (int s = -1; s < count; ++s) {
    const long long start = clock64();
#pragma unroll 1
    for (int t = 0; t < 8; ++t) {
#pragma unroll
      for (int i = 0; i < @GROUPS@; ++i)
        for (int j = 0; j < 8; ++j) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[j]) : "f"(b));
    }
    if (s >= 0 && threadIdx.x == 0) samples[s] = clock64() - start;
  }
  for (int j = 0; j < 8; ++j) sink[threadIdx.x] += __float_as_uint(a[j]);
}
)",
                        {{"GROUPS", std::to_string(size * 8)}});
      const std::int64_t count = setting.device ? 8 : 1;
      k.buffers = {{"samples", DType::i64, count}, {"sink", DType::i32, 32}};
      k.values = {{"count", count}};
      k.expects = {{"fma.rn.f32", size * 64}};
      Trial t = trial("kib_" + std::to_string(size), Trial::Reads::cycles, k);
      t.per = 8.0 * 64 * size;
      t.x = 1024.0 * size;
      out.push_back(std::move(t));
    }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    HardwareCurve& curve = findings.curve("by_code", "Cycles an instruction by size of the loop", {"code", "B", true},
                                          {"instruction", "cycles", false}, true);
    fill_curve(curve, seen, trials_of(seen, "kib_"), [](const Trial&, const Observation& o) { return o.spread; });
    curve.changes = steps(curve.points, true, 0.05);
    curve.change_method = steps_method(true, 0.05);
    const auto all = trials_of(seen, "kib_");
    findings.measured("small", "Cycles an fma in a loop of " + all.front().substr(4) + " KiB", "cycles",
                      seen.at(all.front()));
    findings.measured("large", "Cycles an fma in a loop of " + all.back().substr(4) + " KiB", "cycles",
                      seen.at(all.back()));
  }
};
const RegisterProbe instruction_cache{"instruction_cache", make_probe<InstructionCache>};

} // namespace
} // namespace aicf::probes
