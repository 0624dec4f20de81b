// A kernel that reads and writes its bytes once: the floor of every kernel that does the same.
#pragma once
#include "core/kernel/module.hpp"

namespace aicf::cli {

/// `copy_V(from, to, n)`: n 32-bit words, a multiple of four; each of 256 threads moves V vectors of 16 bytes.
[[nodiscard]] KernelModule copy_kernel(int vectors);

} // namespace aicf::cli
