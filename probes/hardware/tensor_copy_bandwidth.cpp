#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// One thread of a block keeps copies of two-dimensional tiles in flight, each with an mbarrier of its own.
class TensorCopyBandwidth final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return stream_text("tensor_copy_bandwidth", "Tensor copies by tile, depth and swizzle",
                       "bytes a second from DRAM into shared memory by cp.async.bulk.tensor of 64 columns of 16-bit "
                       "elements, by rows of a tile, copies in flight and swizzle");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    std::vector<Entry> out;
    for (const int swizzle : {0, 128})
      for (const int rows : {16, 64, 256})
        for (const int depth : {1, 2, 4, 6}) out.push_back(entry(setting, rows, depth, swizzle));
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    StreamProbe::conclude(setting, seen, findings);
    for (const int swizzle : {0, 128})
      fill_map(
          findings.map("by_depth_" + std::to_string(swizzle),
                       swizzle == 0 ? "Tensor copies by tile and depth, not swizzled"
                                    : "Tensor copies by tile and depth, 128 B swizzled",
                       "throughput", {"copies in flight", "", true}, {"tile", "B", true}, {"read", "B/s", false}, true),
          seen, trials_of(seen, "swizzle_" + std::to_string(swizzle) + "_"), [&](const Trial&, const Observation& o) {
            return 1e6 * static_cast<double>(2 * columns(setting) * total_rows(setting)) / o.spread.value;
          });
  }

 private:
  static std::int64_t columns(const Setting& setting) { return setting.device ? 4096 : 128; }
  static std::int64_t total_rows(const Setting& setting) { return setting.device ? 24576 : 256; } // 192 MiB, 64 KiB

  static Entry entry(const Setting& setting, int rows, int depth, int swizzle) {
    const std::int64_t all_rows = total_rows(setting), all_columns = columns(setting);
    const int size = rows * 128;
    KernelText k;
    k.source = filled(
        R"(struct alignas(64) TensorMap { unsigned long long opaque[16]; };
extern "C" __global__ void __launch_bounds__(128) probe(const __grid_constant__ TensorMap from, unsigned* sink, long long across, long long tiles) {
  extern __shared__ char memory[];
  __shared__ unsigned long long full[@DEPTH@];
  constexpr int size = @SIZE@, depth = @DEPTH@;
  // The pattern of a swizzle repeats every 1024 bytes; dynamic shared memory begins anywhere.
  const unsigned begin = static_cast<unsigned>(__cvta_generic_to_shared(memory)), base = (begin + 1023) / 1024 * 1024;
  const char* ring = memory + (base - begin);
  const unsigned bars = static_cast<unsigned>(__cvta_generic_to_shared(full));
  if (threadIdx.x == 0) {
    for (int d = 0; d < depth; ++d) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bars + 8 * d) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  auto copy = [&](long long index, int slot) {
    if (threadIdx.x != 0 || index >= tiles) return;
    const int column = static_cast<int>(index % across) * 64, row = static_cast<int>(index / across) * @ROWS@;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bars + 8 * slot), "r"(size) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(base + slot * size), "l"(&from), "r"(column), "r"(row), "r"(bars + 8 * slot) : "memory");
  };
  for (int d = 0; d < depth; ++d) copy(blockIdx.x + static_cast<long long>(d) * gridDim.x, d);
  unsigned all = 0;
  int slot = 0, phase = 0;
  for (long long index = blockIdx.x; index < tiles; index += gridDim.x) {
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
        {{"SIZE", std::to_string(size)}, {"ROWS", std::to_string(rows)}, {"DEPTH", std::to_string(depth)}});
    k.grid = setting.hardware.sm_count;
    k.block = 128;
    k.shared = static_cast<std::int64_t>(size) * depth + 1024;
    k.buffers = {{.name = "from",
                  .dtype = DType::bf16,
                  .count = all_columns * all_rows,
                  .role = Arg::Role::input,
                  .fill = random_fill(10),
                  .shape = {all_rows, all_columns},
                  .tile = Tile{{{std::to_string(rows)}, {"64"}}, {}, swizzle, false}},
                 {"sink", DType::i32, k.grid * 128, Arg::Role::output}};
    k.values = {{"across", all_columns / 64}, {"tiles", all_columns / 64 * all_rows / rows}};
    k.expects = {{"cp.async.bulk.tensor.2d", 1}, {"mbarrier.try_wait", 1}};
    return {"swizzle_" + std::to_string(swizzle) + "_rows_" + std::to_string(rows) + "_depth_" + std::to_string(depth),
            "Tiles of " + std::to_string(rows) + " x 128 B" + (swizzle == 0 ? "" : ", swizzled") + ", " +
                std::to_string(depth) + " in flight a multiprocessor",
            k,
            static_cast<double>(2 * all_columns * all_rows),
            static_cast<double>(depth),
            static_cast<double>(size)};
  }
};
const RegisterProbe tensor_copy_bandwidth{"tensor_copy_bandwidth", make_probe<TensorCopyBandwidth>};

} // namespace
} // namespace aicf::probes
