#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// A block copies its share of a large buffer through a ring of stages with cp.async.
class CpAsyncBandwidth final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return stream_text("cp_async_bandwidth", "cp.async by size and depth",
                       "bytes a second from DRAM into shared memory, by bytes of a copy and groups in flight");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    std::vector<Entry> out;
    for (int size : {4, 8, 16})
      for (int depth : {1, 2, 4, 8}) {
        KernelText k;
        k.source = filled(
            R"(extern "C" __global__ void __launch_bounds__(256) probe(const char* from, unsigned* sink, long long bytes) {
  extern __shared__ __align__(128) char ring[];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(ring));
  constexpr int stage = 256 * @SIZE@ * 2, depth = @DEPTH@;
  const long long stages = bytes / stage;
  auto copy = [&](long long index, int slot) {
    if (index < stages)
      for (int i = 0; i < 2; ++i)
        asm volatile("cp.async.@CACHE@.shared.global [%0], [%1], @SIZE@;" :: "r"(base + slot * stage + (i * 256 + threadIdx.x) * @SIZE@),
                     "l"(from + index * stage + (i * 256 + threadIdx.x) * @SIZE@) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  unsigned all = 0;
  for (int d = 0; d < depth; ++d) copy(blockIdx.x + static_cast<long long>(d) * gridDim.x, d);
  int slot = 0;
  for (long long index = blockIdx.x; index < stages; index += gridDim.x) {
    asm volatile("cp.async.wait_group @WAIT@;" ::: "memory");
    all ^= *reinterpret_cast<const unsigned*>(ring + slot * stage + threadIdx.x * @SIZE@); // its own copy
    copy(index + static_cast<long long>(depth) * gridDim.x, slot);
    slot = slot + 1 == depth ? 0 : slot + 1;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
)",
            {{"SIZE", std::to_string(size)},
             {"DEPTH", std::to_string(depth)},
             {"WAIT", std::to_string(depth - 1)},
             {"CACHE", size == 16 ? "cg" : "ca"}});
        finish(k, setting, static_cast<std::int64_t>(256) * size * 2 * depth);
        k.expects = {{"cp.async.", 2}, {"cp.async.wait_group", 1}};
        out.push_back({"bytes_" + std::to_string(size) + "_depth_" + std::to_string(depth),
                       "cp.async of " + std::to_string(size) + " B, " + std::to_string(depth) + " groups in flight", k,
                       static_cast<double>(bytes(setting)), static_cast<double>(depth), static_cast<double>(size)});
      }
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    StreamProbe::conclude(setting, seen, findings);
    fill_map(findings.map("by_depth", "cp.async by size and depth", "throughput", {"groups in flight", "", true},
                          {"copy", "B", true}, {"read", "B/s", false}, true),
             seen, trials_of(seen, "bytes_"), [&](const Trial&, const Observation& o) {
               return 1e6 * static_cast<double>(bytes(setting)) / o.spread.value;
             });
  }

 private:
  static std::int64_t bytes(const Setting& setting) { return setting.device ? std::int64_t{192} << 20U : 1 << 16; }
  static void finish(KernelText& k, const Setting& setting, std::int64_t shared) {
    k.grid = std::int64_t{2} * setting.hardware.sm_count;
    k.block = 256;
    k.shared = shared;
    k.buffers = {{"from", DType::f32, bytes(setting) / 4, Arg::Role::input, random_fill(9)},
                 {"sink", DType::i32, k.grid * 256, Arg::Role::output}};
    k.values = {{"bytes", bytes(setting)}};
  }
};
const RegisterProbe cp_async_bandwidth{"cp_async_bandwidth", make_probe<CpAsyncBandwidth>};

} // namespace
} // namespace aicf::probes
