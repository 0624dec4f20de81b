// CUDA C++ to PTX and cubin with NVRTC, loaded at run time. Needs no GPU: registers, shared bytes and spills are
// ptxas's own words. Line information is always on, so that faults and counters can name source lines.
//
// What a source means is decided by its text, options, architecture and the compiler's version; a compilation with the
// same four is taken from memory or from the cache folder ($AICF_CACHE_DIR, else $XDG_CACHE_HOME/aicf, else
// ~/.cache/aicf). Threads may compile at the same time.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/backend.hpp"
#include "core/kernel/module.hpp"

#include <filesystem>
#include <string>

namespace aicf {

struct CompileOptions {
  bool cache = true; ///< false: neither reads nor writes memory or disk (benchmarks)
};

/// The entry must be `extern "C" __global__`. Errors in the source are diagnostics placed in it ("nvrtc.source", file
/// `<entry>.cu`); ptxas's and the compiler's own are "nvrtc.ptxas", "nvrtc.option" and "nvrtc.failed". Warnings
/// accompany a value. Without NVRTC: Unavailable.
[[nodiscard]] Result<Compiled> compile(const KernelModule& module, const CompileOptions& options = {});

struct NvrtcInfo {
  std::filesystem::path path;
  int major = 0, minor = 0;
  std::vector<int> architectures; ///< 90 for sm_90
};
[[nodiscard]] Result<NvrtcInfo> nvrtc_info();

} // namespace aicf
