#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {
namespace {

/// What the clock is after some milliseconds of each kind of work.
class ClockUnderLoad final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "clock_under_load",
            .lab = "hardware",
            .name = "Clock under load",
            .measures = "SM clock in MHz while all multiprocessors work, early and after a fifth of a second",
            .method = "clock64 over %globaltimer in every block, rounds of about 20 ms; median, 5 % and 95 % quantiles "
                      "over blocks",
            .control = "a chain of dependent fma must take 4 cycles an operation",
            .inputs = "zeros for fma, random halves for mma"};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{alu_chain_control(setting)};
    for (const Load& load : loads)
      for (int when : {0, 9}) {
        KernelText k;
        k.source = filled(
            R"(extern "C" __global__ void __launch_bounds__(512) probe(long long* samples, unsigned* sink, long long when, long long length) {
  float a[8] = {}, b = __uint_as_float(sink[threadIdx.x]);
  unsigned h = 0x38003a00u ^ threadIdx.x * 37;
  for (int round = 0; round <= when; ++round) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    const long long start = clock64();
    do {
#pragma unroll 1
      for (int i = 0; i < 64; ++i) { @BODY@ }
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - begin < length);
    const long long cycles = clock64() - start;
    if (threadIdx.x == 0 && round == when) samples[blockIdx.x] = cycles * 1000000 / static_cast<long long>(now - begin);
  }
  for (int i = 0; i < 8; ++i) sink[blockIdx.x * blockDim.x + threadIdx.x] += __float_as_uint(a[i]) + h;
}
)",
            {{"BODY", load.body}});
        k.grid = setting.hardware.sm_count;
        k.block = 512;
        k.buffers = {{"samples", DType::i64, k.grid}, {"sink", DType::i32, k.grid * 512}};
        k.values = {{"when", setting.device ? when : 0}, {"length", setting.device ? 20000000 : 4}};
        k.expects = {{load.instruction, 1}};
        Trial t = trial(std::string(load.id) + "_" + std::to_string(when), Trial::Reads::cycles, k);
        t.per = 1000; // cycles a millisecond
        out.push_back(std::move(t));
      }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    for (const Load& load : loads) {
      findings.measured(std::string(load.id) + "_first", std::string(load.name) + ", first 20 ms", "MHz",
                        seen.at(std::string(load.id) + "_0"));
      findings.measured(std::string(load.id) + "_later", std::string(load.name) + ", after 180 ms", "MHz",
                        seen.at(std::string(load.id) + "_9"));
    }
  }

 private:
  struct Load {
    const char *id, *name, *body, *instruction;
  };
  static constexpr Load loads[] = {
      {"idle", "SM clock, one add at a time", R"(asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a[0]) : "f"(b));)",
       "add.rn.f32"},
      {"fma", "SM clock, fma",
       R"(for (int j = 0; j < 8; ++j) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[j]) : "f"(b));)",
       "fma.rn.f32"},
      {"mma", "SM clock, mma.sync",
       R"(for (int j = 0; j < 8; j += 4) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
        : "+f"(a[j]), "+f"(a[j + 1]), "+f"(a[j + 2]), "+f"(a[j + 3]) : "r"(h));)",
       "mma.sync"}};
};
const RegisterProbe clock_under_load{"clock_under_load", make_probe<ClockUnderLoad>};

} // namespace
} // namespace aicf::probes
