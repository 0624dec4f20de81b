// The emulator's own speed, beside that of a loop which only computes.
#pragma once
#include <vector>

namespace aicf {

struct EmulatorSpeed {
  /// On one core, by the processor time of the calling thread: a bf16 softmax with checks and counters on.
  double thread_instructions_per_s = 0;
  /// Likewise: an interpreter loop over the arithmetic of that softmax's row loops, decoded as for the emulator, 32
  /// lanes an operation, with no masks, no memory, no counters and no checks. Operations times lanes.
  double bare_loop_per_s = 0;
  const char* vectors = ""; ///< what both are compiled for on this processor: "AVX2" or "baseline"
  /// So many workers together: instructions a second by the clock on the wall, and a second of one processor's time,
  /// which other programs on the machine do not touch.
  struct Cores {
    unsigned cores = 1;
    double per_s = 0, per_busy_s = 0;
  };
  std::vector<Cores> by_cores; ///< 1, 2, 4 … as many as there are processors
};

/// The best of several runs of each, on rows of 4096 elements.
[[nodiscard]] EmulatorSpeed emulator_speed();

} // namespace aicf
