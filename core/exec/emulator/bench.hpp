// The emulator's own speed, beside that of a loop which only computes.
#pragma once
#include <utility>
#include <vector>

namespace aicf {

struct EmulatorSpeed {
  /// On one core, by the processor time of the calling thread: a bf16 softmax with checks and counters on.
  double thread_instructions_per_s = 0;
  /// Likewise: an interpreter loop over the arithmetic of that softmax's row loops, decoded as for the emulator, 32
  /// lanes an operation, with no masks, no memory, no counters and no checks. Operations times lanes.
  double bare_loop_per_s = 0;
  const char* vectors = ""; ///< what both are compiled for on this processor: "AVX2" or "baseline"
  /// Workers and their thread instructions a second together, by the clock on the wall: 1, 2, 4 … as many as there are
  /// processors.
  std::vector<std::pair<unsigned, double>> by_cores;
};

/// The best of several runs of each, on rows of 4096 elements.
[[nodiscard]] EmulatorSpeed emulator_speed();

} // namespace aicf
