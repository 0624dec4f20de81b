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

RunWarp run_warp() {
#if defined(__x86_64__)
  static const bool wide =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  return wide ? run_warp_avx2 : run_warp_baseline;
#else
  return run_warp_baseline;
#endif
}

} // namespace aicf::emulator
