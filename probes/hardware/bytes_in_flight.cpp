#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// Little's law on the device: what loads in flight a thread and threads a multiprocessor give.
class BytesInFlight final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return stream_text("bytes_in_flight", "Latency hiding: loads in flight by threads",
                       "bytes a second read from DRAM, by independent loads a thread and threads a multiprocessor");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    const std::int64_t bytes = setting.device ? std::int64_t{192} << 20U : 1 << 15, n = bytes / 16;
    std::vector<std::int64_t> threads{64, 128, 256, 512, 1024};
    if (setting.quick) threads = {128, 512, 1024};
    std::vector<Entry> out;
    for (std::int64_t loads : {1, 2, 4, 8, 16})
      for (std::int64_t block : threads) {
        KernelText k;
        k.source = filled(
            R"(extern "C" __global__ void __launch_bounds__(@BLOCK@, 1) probe(const uint4* __restrict__ from, unsigned* sink, long long n) {
  extern __shared__ unsigned pad[]; // so much that one block is all a multiprocessor holds
  unsigned all = 0;
#pragma unroll 1
  for (long long at = blockIdx.x * (@BLOCK@ll * @LOADS@) + threadIdx.x; at < n; at += gridDim.x * (@BLOCK@ll * @LOADS@)) {
    uint4 v[@LOADS@];
#pragma unroll
    for (int i = 0; i < @LOADS@; ++i) v[i] = at + @BLOCK@ * i < n ? from[at + @BLOCK@ * i] : uint4{};
#pragma unroll
    for (int i = 0; i < @LOADS@; ++i) all ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  }
  if (all == 0x9e3779b9u) sink[threadIdx.x] = all + pad[0];
}
)",
            {{"LOADS", std::to_string(loads)}, {"BLOCK", std::to_string(block)}});
        k.grid = setting.hardware.sm_count;
        k.block = block;
        k.shared = 160 << 10;
        k.buffers = {{"from", DType::f32, 4 * n, Arg::Role::input, random_fill(7)},
                     {"sink", DType::i32, 1024, Arg::Role::output}};
        k.values = {{"n", n}};
        k.expects = {{"ld.global.nc.v4", static_cast<int>(loads)}};
        out.push_back({"loads_" + std::to_string(loads) + "_threads_" + std::to_string(block),
                       "DRAM read, " + std::to_string(loads) + " loads of 16 B a thread, " + std::to_string(block) +
                           " threads a multiprocessor",
                       k, static_cast<double>(bytes), static_cast<double>(block), static_cast<double>(loads)});
      }
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    StreamProbe::conclude(setting, seen, findings);
    SensitivityMap& map = findings.map("hiding", "DRAM read by loads in flight and threads", "throughput",
                                       {"threads a multiprocessor", "", true}, {"loads in flight a thread", "", true},
                                       {"read", "B/s", false}, true);
    const double moved = 1e6 * static_cast<double>(std::int64_t{192} << 20U);
    fill_map(map, seen, trials_of(seen, "loads_"),
             [&](const Trial&, const Observation& o) { return moved / o.spread.value; });
  }
};
const RegisterProbe bytes_in_flight{"bytes_in_flight", make_probe<BytesInFlight>};

} // namespace
} // namespace aicf::probes
