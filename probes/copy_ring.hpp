// The kernel of probes that stream from memory into a ring of slots in shared memory by asynchronous copies.
#pragma once
#include <string>

namespace aicf::probes {

/// Thread 0 of a block of 128 keeps `depth` copies of `size` bytes in flight, each with an mbarrier of its own; all
/// threads wait for each and read it.
struct CopyRing {
  std::string prologue = {}; ///< text before the kernel
  std::string parameters;    ///< `sink` of 128 words a block and `pieces`, how many copies there are, among them
  std::string ring;          ///< declares `ring` and `base`, its address in shared memory
  std::string copy;          ///< starts the copy of piece `index` to shared address `to`, completing on barrier `bar`
  int size = 0, depth = 0;
};
[[nodiscard]] std::string ring_kernel(const CopyRing& ring);

} // namespace aicf::probes
