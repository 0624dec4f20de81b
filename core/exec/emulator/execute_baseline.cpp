// The inner loop for any processor of the build's target.
#include "core/exec/emulator/machine.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace aicf::emulator {

#define RUN_WARP run_warp_baseline
#include "core/exec/emulator/execute.inl"
#undef RUN_WARP
#define RUN_BARE run_bare_baseline
#include "core/exec/emulator/bare_loop.inl"
#undef RUN_BARE

namespace {

bool wide_vectors() {
#if defined(__x86_64__)
  static const bool wide =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  return wide;
#else
  return false;
#endif
}

} // namespace

#if defined(__x86_64__)
RunWarp run_warp() { return wide_vectors() ? run_warp_avx2 : run_warp_baseline; }
RunBare run_bare() { return wide_vectors() ? run_bare_avx2 : run_bare_baseline; }
#else
RunWarp run_warp() { return run_warp_baseline; }
RunBare run_bare() { return run_bare_baseline; }
#endif
const char* vector_extension() { return wide_vectors() ? "AVX2" : "baseline"; }

} // namespace aicf::emulator
