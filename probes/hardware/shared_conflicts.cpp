#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {
namespace {

/// Lane i accesses word i times stride: so many wavefronts as the busiest of 32 banks has different words.
class SharedConflicts final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "shared_conflicts",
            .lab = "hardware",
            .name = "Bank conflicts by stride and width",
            .measures = "wavefronts of a warp's load and its cycles, by stride in words and width of an access",
            .method = "wavefronts counted by the emulator; on a device, clock64 over 512 loads of one warp, the last "
                      "waited for, after a round that fetched the code: cycles of one load",
            .control =
                "stride 1 of 4-byte accesses is one wavefront; on a device a chain of dependent fma takes 4 cycles",
            .inputs = "zeros",
            .quick = true};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{alu_chain_control(setting)};
    for (int width : {4, 8, 16})
      for (int stride : strides) {
        out.push_back(make(width, stride, false, setting));
        out.push_back(make(width, stride, true, setting));
      }
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    findings.control_exact(wavefronts(seen.at("exact_4_1")) == 1,
                           "stride 1 of 4-byte accesses must be 1 wavefront, came out " +
                               std::to_string(wavefronts(seen.at("exact_4_1"))));
    fill_map(findings.map("wavefronts", "Wavefronts of a warp's shared load", "conflicts",
                          {"stride", "accesses", false}, {"access", "B", false}, {"wavefronts", "", false}, false),
             seen, trials_of(seen, "exact_"), [](const Trial&, const Observation& o) { return wavefronts(o); });
    if (setting.device)
      fill_map(findings.map("cycles", "Cycles of a warp's shared load", "latency", {"stride", "accesses", false},
                            {"access", "B", false}, {"load", "cycles", false}, true),
               seen, trials_of(seen, "cycles_"), [](const Trial&, const Observation& o) { return o.spread.value; });
    for (int stride : {1, 2, 4, 8, 16, 32}) {
      const std::string s = std::to_string(stride);
      findings.exact("wavefronts_" + s, "Wavefronts of 4-byte loads at stride " + s, "wavefronts",
                     seen.at("exact_4_" + s), wavefronts(seen.at("exact_4_" + s)));
      findings.measured("cycles_" + s, "Cycles of a warp's 4-byte load at stride " + s, "cycles",
                        seen.at("cycles_4_" + s));
    }
  }

 private:
  static constexpr int strides[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 32, 33};
  static constexpr int loads = 512;
  static double wavefronts(const Observation& o) { return o.counter("shared_load_wavefronts") / 16; }

  static Trial make(int width, int stride, bool cycles, const Setting& setting) {
    KernelText k;
    k.source = filled(
        R"(extern "C" __global__ void probe(long long* samples, unsigned* sink, long long turns, long long warm) {
  extern __shared__ uint4 cells[];
  for (int i = threadIdx.x; i < 1152; i += 32) cells[i] = uint4{};
  __syncwarp();
  const unsigned nothing = sink[0]; // zero, which the assembler cannot know: it makes equal loads one
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(cells)) + threadIdx.x * @STRIDE@ * @WIDTH@;
  unsigned a = 0, b = 0, c = 0, d = 0, all = 0;
  for (int s = -warm; s < 1; ++s) { // the first round fetches the code
    const long long start = clock64();
#pragma unroll 1
    for (int t = 0; t < turns; ++t) {
#pragma unroll
      for (int u = 0; u < 16; ++u) {
        at += nothing;
        asm volatile("@LOAD@" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
        all += a;
      }
    }
    long long stop;
    asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 0xffffffff; @p trap; mov.u64 %0, %clock64;}" : "=l"(stop) : "r"(all) : "memory");
    if (s == 0 && threadIdx.x == 0) samples[0] = stop - start;
  }
  sink[threadIdx.x] = all;
}
)",
        {{"STRIDE", std::to_string(stride)},
         {"WIDTH", std::to_string(width)},
         {"LOAD", width == 4   ? "ld.shared.u32 %0, [%4];"
                  : width == 8 ? "ld.shared.v2.u32 {%0, %1}, [%4];"
                               : "ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"}});
    k.shared = std::int64_t{1152} * 16;
    k.buffers = {{"samples", DType::i64, 1}, {"sink", DType::i32, 32}};
    k.values = {{"turns", cycles && setting.device ? loads / 16 : 1}, {"warm", cycles ? 1 : 0}};
    k.expects = {{"ld.shared", 16}};
    Trial t = trial((cycles ? "cycles_" : "exact_") + std::to_string(width) + "_" + std::to_string(stride),
                    cycles ? Trial::Reads::cycles : Trial::Reads::exact, k);
    t.per = loads;
    t.x = stride;
    t.y = width;
    return t;
  }
};
const RegisterProbe shared_conflicts{"shared_conflicts", make_probe<SharedConflicts>};

} // namespace
} // namespace aicf::probes
