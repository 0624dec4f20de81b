#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {
namespace {

/// A load at the start of a line that nothing has touched, then one further on: as fast as a hit if the first brought
/// it.
class FillGrain final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "fill_grain",
            .lab = "hardware",
            .name = "Sectors, lines and what a miss fetches",
            .measures = "cycles of a load at an offset after one at offset 0 missed, in L1 and in L2",
            .method =
                "clock64 around one load 0 to 480 bytes behind one that has missed and come, in lines 1 KiB apart "
                "that left the cache before; median, 5 % and 95 % "
                "quantiles; a grain is the first offset from which latency changes by more than a third",
            .control = "a chain of dependent fma must take 4 cycles an operation",
            .inputs = "zeros",
            .quick = true};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{alu_chain_control(setting)};
    for (const Level& level : levels)
      for (int offset : offsets) {
        KernelText k;
        k.source = filled(
            R"(extern "C" __global__ void probe(long long* samples, const unsigned* lines, unsigned* sink, long long count, long long evict, long long offset) {
  unsigned all = 0;
  // In L2 already, when L1 is the question: read past L1 by threads before.
  if (@TOUCH@) for (long long i = threadIdx.x; i < count * 256; i += blockDim.x) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(lines + i) : "memory");
    all ^= v;
  }
  // Not in L2, when L2 is the question: twice its size of other data read since.
#pragma unroll 8
  for (long long i = count * 256 + threadIdx.x * 4; i < count * 256 + evict; i += blockDim.x * 4) {
    unsigned x, y, z, w;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(lines + i) : "memory");
    all ^= x ^ y ^ z ^ w;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < count; ++i) {
      unsigned v, w;
      asm volatile("@LOAD@ %0, [%1];" : "=r"(v) : "l"(lines + 256 * i) : "memory");
      all ^= v;
      const unsigned* at = lines + 256 * i + offset / 4 + (all & 0);
      long long start; // when the first load is there
      asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 0xffffffff; @p trap; mov.u64 %0, %clock64;}" : "=l"(start) : "r"(v) : "memory");
      asm volatile("@LOAD@ %0, [%1];" : "=r"(w) : "l"(at + v) : "memory");
      all ^= w;
      asm volatile("" :: "r"(w) : "memory");
      const unsigned used = w; // the second clock waits for it
      long long stop;
      asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 0xffffffff; @p trap; mov.u64 %0, %clock64;}" : "=l"(stop) : "r"(used) : "memory");
      samples[i] = stop - start;
    }
  sink[threadIdx.x] = all;
}
)",
            {{"LOAD", level.load}, {"TOUCH", level.in_l2 ? "true" : "false"}});
        const std::int64_t count = setting.device ? 256 : 2;
        const std::int64_t evict = setting.device && !level.in_l2 ? setting.hardware.l2_bytes / 2 : 0; // words
        k.block = 256;
        k.buffers = {{"samples", DType::i64, count},
                     {"lines", DType::i32, 256 * count + evict, Arg::Role::input},
                     {"sink", DType::i32, 256}};
        k.values = {{"count", count}, {"evict", evict}, {"offset", offset}};
        k.expects = {{level.load, 2}, {"%clock64", 2}};
        out.push_back(trial(std::string(level.id) + "_" + std::to_string(offset), Trial::Reads::cycles, k));
        out.back().x = offset;
      }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    for (const Level& level : levels) {
      const auto ids = trials_of(seen, std::string(level.id) + "_");
      Spread grain;
      const Observation& first = seen.at(ids.front());
      for (std::size_t i = 1; i < ids.size() && first.why.empty() && !(grain.value > 0); ++i)
        if (seen.at(ids[i]).spread.value > 4.0 / 3 * first.spread.value) {
          const auto before = static_cast<double>(offsets[i - 1]), at = static_cast<double>(offsets[i]);
          grain = {at, before, at, first.spread.samples};
        }
      findings.derived(std::string(level.id) + "_grain", level.name, "B", {&first}, grain,
                       "lo and hi are neighbouring offsets");
      HardwareCurve& curve = findings.curve(level.id, std::string(level.name) + ": latency by offset",
                                            {"offset", "B", false}, {"load", "cycles", false}, true);
      fill_curve(curve, seen, ids, [](const Trial&, const Observation& o) { return o.spread; });
    }
  }

 private:
  struct Level {
    const char *id, *load, *name;
    bool in_l2; ///< before the loads that are timed
  };
  static constexpr Level levels[] = {{"l1", "ld.global.ca.u32", "What an L1 miss fetches", true},
                                     {"l2", "ld.global.cg.u32", "What an L2 miss fetches", false}};
  static constexpr int offsets[] = {0, 16, 32, 48, 64, 96, 128, 192, 256, 480};
};
const RegisterProbe fill_grain{"fill_grain", make_probe<FillGrain>};

} // namespace
} // namespace aicf::probes
