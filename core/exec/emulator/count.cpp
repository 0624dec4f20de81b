// What an access costs: sectors and lines of global memory, wavefronts of shared memory.
#include "core/exec/emulator/machine.hpp"

#include <algorithm>

namespace aicf::emulator {

namespace {

/// Lanes 2i and 2i + 1 read the same, or one of them nothing.
bool in_pairs(const u64* offset, u32 exec) {
  for (u32 i = 0; i < lanes; i += 2)
    if (((exec >> i) & 3) == 3 && offset[i] != offset[i + 1]) return false;
  return true;
}

} // namespace

/// Wavefronts: 32 banks of 4 bytes; accesses of 8 and 16 bytes go in 2 and 4 phases, reads of which neighbouring lanes
/// want the same in half as many (an H200: `shared_8_pairs`, `shared_16_few_lanes` of its counters in
/// tests/bench/results). In a phase each bank serves one word; further words of a bank cost a wavefront each.
void Worker::count_shared(u32 pc, const u64* offset, u32 exec, u32 bytes, bool reads) {
  u32 per_phase = bytes <= 4 ? 32 : 128 / bytes;
  if (per_phase < lanes && reads && in_pairs(offset, exec)) per_phase *= 2;
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

void Worker::count_sectors(u32 pc, std::span<u64> sectors, bool bulk) {
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
  if (bulk) ++m.bulk_requests, m.bulk_sectors += distinct;
}

/// A sector is asked for as often as one of its words occurs: 32 lanes that add to one word ask for it 32 times (an
/// H200: `global_atomics_one_word`).
void Worker::count_atomics(u32 pc, std::span<u64> words) {
  std::sort(words.begin(), words.end());
  u64 sectors = 0, lines = 0, most = 0, same = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool next_sector = i == 0 || words[i] >> 3 != words[i - 1] >> 3;
    same = i > 0 && words[i] == words[i - 1] ? same + 1 : 1;
    if (next_sector) sectors += most, most = 0;
    most = std::max(most, same);
    lines += i == 0 || words[i] >> 5 != words[i - 1] >> 5 ? 1 : 0;
  }
  MemoryEvents& m = counters.memory[pc];
  ++m.requests;
  m.sectors += sectors + most;
  m.lines += lines;
}

} // namespace aicf::emulator
