// What a launch counts while it runs: instructions by place of the program, and what its memory operations did there.
// One object a worker thread; their sums are the counters of the launch.
#pragma once
#include "core/exec/emulator/lane_math.hpp"
#include "core/exec/emulator/program.hpp"

#include <array>
#include <vector>

namespace aicf::emulator {

/// What the memory operations of one place of the program did.
struct MemoryEvents {
  u64 requests = 0, sectors = 0, lines = 0; ///< of global memory
  u64 bulk_requests = 0, bulk_sectors = 0;  ///< those of them that are the copy engine's
  u64 wavefronts = 0, conflicts = 0;        ///< of shared memory
  std::array<u64, memory_spaces> read{}, written{};
  void add(const MemoryEvents& other);
};

/// Counts of one worker; instructions as differences along the program, summed at the end.
struct Counters {
  std::vector<s64> warps, lanes; ///< one an operation and one more
  std::vector<s64> lanes_off;    ///< lanes that a guard switched off
  u64 barriers = 0, atomics = 0, divergent_branches = 0, tensor_operations = 0;
  std::vector<MemoryEvents> memory; ///< one an operation
  void add(const Counters& other);
};

} // namespace aicf::emulator
