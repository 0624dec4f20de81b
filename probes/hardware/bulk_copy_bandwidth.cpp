#include "probes/copy_ring.hpp"
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
        k.source = ring_kernel(
            {.parameters = "const char* from, unsigned* sink, long long pieces",
             .ring = R"(extern __shared__ __align__(128) char ring[];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(ring));)",
             .copy =
                 R"(asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(to), "l"(from + index * size), "r"(size), "r"(bar) : "memory");)",
             .size = size,
             .depth = depth});
        const std::int64_t bytes = total(setting);
        k.grid = setting.hardware.sm_count;
        k.block = 128;
        k.shared = static_cast<std::int64_t>(size) * depth;
        k.buffers = {{"from", DType::f32, bytes / 4, Arg::Role::input, random_fill(10)},
                     {"sink", DType::i32, k.grid * 128, Arg::Role::output}};
        k.values = {{"pieces", bytes / size}};
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
