// Pointer chases: one thread follows a ring of addresses through a working set.
#pragma once
#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {

struct Chase {
  std::int64_t bytes = 4096, stride = 128; ///< the ring has a node each `stride` bytes
  const char* load = "ld.global.ca.u32";
  bool warm = true; ///< all threads of a block touch the whole ring first; else every step meets what nothing touched
  bool everywhere = false; ///< one on each multiprocessor at once, each through a share of the nodes, too few to be in
                           ///< each other's way: a multiprocessor's distance to L2 and memory is its own
};

/// Cycles a load. x is the working set.
[[nodiscard]] Trial chase_trial(const std::string& id, const Chase& chase, const Setting& setting);
[[nodiscard]] ProbeText chase_text(const std::string& id, const std::string& name, const std::string& measures);

} // namespace aicf::probes
