#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// One thread of a block keeps bulk copies in flight, each with an mbarrier of its own; the others wait for nothing.
class BulkCopyBandwidth final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return stream_text(
        "bulk_copy_bandwidth", "Bulk copies by size and depth",
        "bytes a second from DRAM into shared memory by cp.async.bulk, by bytes of a copy and copies in flight");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    std::vector<Entry> out;
    for (int size : {1024, 4096, 16384, 32768})
      for (int depth : {1, 2, 4, 6}) {
        KernelText k;
        k.source = filled(
            R"(extern "C" __global__ void __launch_bounds__(128) probe(const char* from, unsigned* sink, long long bytes) {
  extern __shared__ __align__(128) char ring[];
  __shared__ unsigned long long full[@DEPTH@];
  constexpr int size = @SIZE@, depth = @DEPTH@;
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(ring)), bars = static_cast<unsigned>(__cvta_generic_to_shared(full));
  if (threadIdx.x == 0) {
    for (int d = 0; d < depth; ++d) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bars + 8 * d) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const long long pieces = bytes / size;
  auto copy = [&](long long index, int slot) {
    if (threadIdx.x != 0 || index >= pieces) return;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bars + 8 * slot), "r"(size) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(base + slot * size), "l"(from + index * size), "r"(size), "r"(bars + 8 * slot) : "memory");
  };
  for (int d = 0; d < depth; ++d) copy(blockIdx.x + static_cast<long long>(d) * gridDim.x, d);
  unsigned all = 0;
  int slot = 0, phase = 0;
  for (long long index = blockIdx.x; index < pieces; index += gridDim.x) {
    unsigned done;
    do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bars + 8 * slot), "r"(phase) : "memory");
    while (done == 0);
    all ^= *reinterpret_cast<const unsigned*>(ring + slot * size + threadIdx.x * 4);
    __syncthreads(); // read before the next copy may write
    copy(index + static_cast<long long>(depth) * gridDim.x, slot);
    if (++slot == depth) slot = 0, phase ^= 1;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
)",
            {{"SIZE", std::to_string(size)}, {"DEPTH", std::to_string(depth)}});
        const std::int64_t bytes = total(setting);
        k.grid = setting.hardware.sm_count;
        k.block = 128;
        k.shared = static_cast<std::int64_t>(size) * depth;
        k.buffers = {{"from", DType::f32, bytes / 4, Arg::Role::input, random_fill(10)},
                     {"sink", DType::i32, k.grid * 128, Arg::Role::output}};
        k.values = {{"bytes", bytes}};
        k.expects = {{"cp.async.bulk.shared::cluster.global", 1}, {"mbarrier.try_wait", 1}};
        out.push_back({"bytes_" + std::to_string(size) + "_depth_" + std::to_string(depth),
                       "cp.async.bulk of " + std::to_string(size) + " B, " + std::to_string(depth) +
                           " in flight a multiprocessor",
                       k, static_cast<double>(bytes), static_cast<double>(depth), static_cast<double>(size)});
      }
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    StreamProbe::conclude(setting, seen, findings);
    fill_map(findings.map("by_depth", "Bulk copies by size and depth", "throughput", {"copies in flight", "", true},
                          {"copy", "B", true}, {"read", "B/s", false}, true),
             seen, trials_of(seen, "bytes_"), [&](const Trial&, const Observation& o) {
               return 1e6 * static_cast<double>(total(setting)) / o.spread.value;
             });
  }

 private:
  static std::int64_t total(const Setting& setting) { return setting.device ? std::int64_t{192} << 20U : 1 << 18; }
};
const RegisterProbe bulk_copy_bandwidth{"bulk_copy_bandwidth", make_probe<BulkCopyBandwidth>};

} // namespace
} // namespace aicf::probes
