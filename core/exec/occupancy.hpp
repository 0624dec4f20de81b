// How many blocks of a kernel a multiprocessor holds at once, from what ptxas reports. Needs no GPU.
// Source: CUDA C++ Programming Guide 13.0, section "Compute Capabilities", table "Technical Specifications per Compute
// Capability"; allocation units from the occupancy calculator's notes (registers go to warps in units of 256 out of the
// four sub-partitions, shared memory to blocks in units of 128 bytes, 1 KiB a block is the system's).
#pragma once
#include "core/base/diagnostic.hpp"

#include <string>
#include <string_view>

namespace aicf {

struct SmLimits {
  int arch = 0;                                                        ///< 90 for sm_90
  int threads = 0, blocks = 0, registers = 0, shared_bytes = 0;        ///< a multiprocessor
  int block_threads = 0, block_shared_bytes = 0, thread_registers = 0; ///< a block (opted in), a thread
};

struct Occupancy {
  int blocks = 0, warps = 0; ///< resident on a multiprocessor; 0: the kernel cannot be launched
  double fraction = 0;       ///< of the warps that it could hold
  std::string limiter;       ///< "registers" "shared" "threads" "blocks": the first that binds, in this order
  int by_registers = 0, by_shared = 0, by_threads = 0, by_blocks = 0; ///< blocks that each alone would allow
};

/// sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, with or without a suffix ("sm_90a"). Another one is a diagnostic
/// "exec.arch".
[[nodiscard]] Result<SmLimits> sm_limits(std::string_view arch);

/// `registers` a thread, `shared_bytes` a block (static and dynamic), `threads` a block. The carve-out of shared memory
/// is taken at its largest.
[[nodiscard]] Occupancy occupancy(const SmLimits& sm, int registers, int shared_bytes, int threads);

} // namespace aicf
