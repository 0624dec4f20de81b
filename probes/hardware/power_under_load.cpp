#include "probes/findings.hpp"
#include "probes/kernels.hpp"

#include <cmath>

namespace aicf::probes {
namespace {

/// What the board draws under each kind of work, on zeros and on random data.
class PowerUnderLoad final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "power_under_load",
            .lab = "hardware",
            .name = "Power under load",
            .measures = "watts of the board while all multiprocessors work",
            .method = "NVML's energy counter over the second half of 2.5 s of kernels of 20 ms; least and most of "
                      "tenths of a second",
            .control = "NVML's own average over the last second must say the same within a tenth",
            .inputs = "zeros, or uniform in [-1, 1); mma: halves of one value, or random ones"};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out;
    for (const Load& load : loads)
      for (const bool random : {false, true}) {
        if (random && !load.data) continue;
        KernelText k;
        k.source = filled(
            R"(extern "C" __global__ void __launch_bounds__(512) probe(const float4* __restrict__ from, unsigned* sink, long long n, long long length) {
  const unsigned* bits = reinterpret_cast<const unsigned*>(from);
  unsigned h[4];
  float a[8] = {}, b = from[threadIdx.x].x;
  float4 sum = {};
  for (int i = 0; i < 4; ++i) h[i] = bits[4 * threadIdx.x + i] & 0xbfffbfffu;
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  long long at = blockIdx.x * 512ll + threadIdx.x;
  do {
#pragma unroll 1
    for (int i = 0; i < 64; ++i) { @BODY@ }
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < length);
  for (int i = 0; i < 8; ++i) sink[blockIdx.x * 512 + threadIdx.x] += __float_as_uint(a[i] + sum.x + sum.y + sum.z + sum.w) + h[i & 3];
}
)",
            {{"BODY", load.body}});
        // float4; for reading 1 GiB, beyond every cache
        const std::int64_t n = setting.device && load.streams ? std::int64_t{1} << 26U : 2048;
        k.grid = setting.hardware.sm_count;
        k.block = 512;
        k.buffers = {
            {"from", DType::f32, 4 * n, Arg::Role::input, random ? random_fill(7) : std::function<void(HostTensor&)>{}},
            {"sink", DType::i32, k.grid * 512}};
        k.values = {{"n", n}, {"length", setting.device ? 20000000 : 4}};
        k.expects = {{load.instruction, 1}};
        out.push_back(trial(name(load, random), Trial::Reads::power, k));
      }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    for (const Load& load : loads)
      for (const bool random : {false, true}) {
        if (random && !load.data) continue;
        const Observation& o = seen.at(name(load, random));
        if (o.why.empty()) {
          const double own = o.number("power.usage"), counted = o.spread.value;
          findings.control_device(std::abs(own - counted) <= 0.1 * own,
                                  std::string(load.name) + ": " + std::to_string(std::lround(counted)) +
                                      " W by the counter, " + std::to_string(std::lround(own)) +
                                      " W by NVML's average");
        }
        findings.measured(name(load, random),
                          std::string("Power, ") + load.name + (load.data ? random ? ", random data" : ", zeros" : ""),
                          "W", o);
      }
  }

 private:
  struct Load {
    const char *id, *name, *body, *instruction;
    bool data;    ///< what it works on makes a difference
    bool streams; ///< goes through all of `from`
  };
  static constexpr Load loads[] = {
      {"idle", "one add at a time", R"(asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a[0]) : "f"(0.0f));)", "add.rn.f32",
       false, false},
      {"fma", "fma", R"(for (int j = 0; j < 8; ++j) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[j]) : "f"(b));)",
       "fma.rn.f32", true, false},
      {"mma", "mma.sync",
       R"(for (int j = 0; j < 8; j += 4) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%4, %6}, {%0, %1, %2, %3};"
        : "+f"(a[j]), "+f"(a[j + 1]), "+f"(a[j + 2]), "+f"(a[j + 3]) : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]));)",
       "mma.sync", true, false},
      {"read", "reading memory",
       R"(float4 v; asm volatile("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from + at));
      sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w; at += gridDim.x * 512ll; if (at >= n) at -= n;)",
       "ld.global.cs.v4.f32", true, true}};
  static std::string name(const Load& load, bool random) { return std::string(load.id) + (random ? "_random" : ""); }
};
const RegisterProbe power_under_load{"power_under_load", make_probe<PowerUnderLoad>};

} // namespace
} // namespace aicf::probes
