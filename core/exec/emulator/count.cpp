// What an access costs: sectors and lines of global memory, wavefronts of shared memory.
#include "core/exec/emulator/machine.hpp"

#include <algorithm>

namespace aicf::emulator {

/// Wavefronts: 32 banks of 4 bytes; accesses of 8 and 16 bytes go in 2 and 4 phases. In a phase each bank serves one
/// word; further words of a bank cost a wavefront each.
void Worker::count_shared(u32 pc, const u64* offset, u32 exec, u32 bytes) {
  const u32 per_phase = bytes <= 4 ? 32 : 128 / bytes;
  const u32 words = std::max(1u, bytes / 4);
  u64 total = 0, phases = 0;
  for (u32 first = 0; first < lanes; first += per_phase) {
    std::array<u64, std::size_t{lanes} * 2> seen{};
    u32 n = 0;
    for (u32 i = first; i < first + per_phase; ++i)
      if (((exec >> i) & 1) != 0)
        for (u32 k = 0; k < words; ++k) seen[n++] = offset[i] / 4 + k;
    if (n == 0) continue;
    std::sort(seen.begin(), seen.begin() + n);
    const auto* end = std::unique(seen.begin(), seen.begin() + n);
    std::array<u8, 32> load{};
    u8 most = 0;
    for (const auto* p = seen.begin(); p != end; ++p) most = std::max(most, ++load[*p % 32]);
    total += most;
    ++phases;
  }
  counters.memory[pc].wavefronts += total;
  counters.memory[pc].conflicts += total - phases;
}

void Worker::count_sectors(u32 pc, std::span<u64> sectors) {
  if (!std::is_sorted(sectors.begin(), sectors.end())) std::sort(sectors.begin(), sectors.end());
  u64 distinct = 0, lines = 0, last = ~u64{0}, line = ~u64{0};
  for (const u64 s : sectors) {
    distinct += s != last ? 1 : 0;
    lines += s >> 2 != line ? 1 : 0;
    last = s;
    line = s >> 2;
  }
  MemoryEvents& m = counters.memory[pc];
  ++m.requests;
  m.sectors += distinct;
  m.lines += lines;
}

} // namespace aicf::emulator
