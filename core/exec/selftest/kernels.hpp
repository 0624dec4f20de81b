// Whole kernels in CUDA C++ on which a device and the emulator must agree: what people write, from a sum to a pipelined
// product on tensor cores.
#pragma once
#include <cstdint>
#include <span>

namespace aicf::selftest {

/// `k(a, b, c)`: a and b are read, c is written; each `words` 32-bit words. a and b hold floats or small integers.
struct SourceKernel { // NOLINT(clang-analyzer-optin.performance.Padding): in the order in which tables give them
  const char* name;
  const char* source; ///< its parameter list and body; the head is `extern "C" __global__ void k`
  unsigned grid = 1, block = 128, cluster = 1;
  std::uint32_t words = 16384;
  bool integers = false;
  bool hopper = false; ///< needs what only sm_90a has
  double relative = 0; ///< of f32 results where approximate functions take part; 0: the very bits
  bool tiles = false;  ///< a comes in as a tensor map of rows of 128 floats, in tiles of 8 x 16
};

[[nodiscard]] std::span<const SourceKernel> source_kernels();
/// One pattern of memory access each, on which counters are compared: widths, strides, conflicts, atomics, copies.
[[nodiscard]] std::span<const SourceKernel> pattern_kernels();

} // namespace aicf::selftest
