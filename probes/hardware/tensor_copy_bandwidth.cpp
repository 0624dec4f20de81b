#include "probes/copy_ring.hpp"
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
    k.source = ring_kernel(
        {.prologue = "struct alignas(64) TensorMap { unsigned long long opaque[16]; };\n",
         .parameters = "const __grid_constant__ TensorMap from, unsigned* sink, long long across, long long rows, long "
                       "long pieces",
         .ring = R"(extern __shared__ char memory[];
  // The pattern of a swizzle repeats every 1024 bytes; dynamic shared memory begins anywhere.
  const unsigned begin = static_cast<unsigned>(__cvta_generic_to_shared(memory)), base = (begin + 1023) / 1024 * 1024;
  const char* ring = memory + (base - begin);)",
         .copy =
             R"(const int column = static_cast<int>(index % across * 64), row = static_cast<int>(index / across * rows);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(&from), "r"(column), "r"(row), "r"(bar) : "memory");)",
         .size = size,
         .depth = depth});
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
    k.values = {{"across", all_columns / 64}, {"rows", rows}, {"pieces", all_columns / 64 * all_rows / rows}};
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
