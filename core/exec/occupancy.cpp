#include "core/exec/occupancy.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace aicf {
namespace {

constexpr int kib = 1024, warp_threads = 32, partitions = 4, register_unit = 256, shared_unit = 128;
constexpr int shared_reserved = kib; // a block, on every architecture of the table

constexpr std::array<SmLimits, 6> table{{{80, 2048, 32, 65536, 164 * kib, 1024, 163 * kib, 255},
                                         {86, 1536, 16, 65536, 100 * kib, 1024, 99 * kib, 255},
                                         {89, 1536, 24, 65536, 100 * kib, 1024, 99 * kib, 255},
                                         {90, 2048, 32, 65536, 228 * kib, 1024, 227 * kib, 255},
                                         {100, 2048, 32, 65536, 228 * kib, 1024, 227 * kib, 255},
                                         {120, 1536, 24, 65536, 100 * kib, 1024, 99 * kib, 255}}};

constexpr int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

} // namespace

Result<SmLimits> sm_limits(std::string_view arch) {
  int number = 0;
  if (arch.starts_with("sm_")) (void)std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
  for (const SmLimits& sm : table)
    if (sm.arch == number) return sm;
  return error("exec.arch", "no occupancy table for '" + std::string(arch) + "'", {},
               "known: sm_80 sm_86 sm_89 sm_90 sm_100 sm_120");
}

Occupancy occupancy(const SmLimits& sm, int registers, int shared_bytes, int threads) {
  Occupancy out;
  if (threads < 1 || threads > sm.block_threads || registers > sm.thread_registers ||
      shared_bytes > sm.block_shared_bytes) {
    out.limiter = threads < 1 || threads > sm.block_threads ? "threads"
                  : registers > sm.thread_registers         ? "registers"
                                                            : "shared";
    return out;
  }
  const int warps = (threads + warp_threads - 1) / warp_threads;
  const int warp_registers = round_up(std::max(registers, 1) * warp_threads, register_unit);
  // A warp lives in one partition and its registers are that partition's.
  const int warps_by_registers = sm.registers / partitions / warp_registers * partitions;
  // A block's own registers, its warps rounded up to all partitions, must fit too.
  const bool fits = warp_registers * round_up(warps, partitions) <= sm.registers;
  out.by_registers = fits ? warps_by_registers / warps : 0;
  out.by_shared = sm.shared_bytes / round_up(shared_bytes + shared_reserved, shared_unit);
  out.by_threads = sm.threads / warp_threads / warps;
  out.by_blocks = sm.blocks;
  out.blocks = std::min({out.by_registers, out.by_shared, out.by_threads, out.by_blocks});
  out.limiter = out.blocks == out.by_registers ? "registers"
                : out.blocks == out.by_shared  ? "shared"
                : out.blocks == out.by_threads ? "threads"
                                               : "blocks";
  out.warps = out.blocks * warps;
  out.fraction = static_cast<double>(out.warps * warp_threads) / sm.threads;
  return out;
}

} // namespace aicf
