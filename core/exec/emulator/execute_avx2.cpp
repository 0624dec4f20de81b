// The inner loop for processors with AVX2, FMA and BMI2. The headers that others share are included first, without the
// target, so that no function of theirs is compiled for instructions that the processor may lack.
#include "core/exec/backend.hpp"
#include "core/exec/emulator/global_races.hpp"
#include "core/exec/emulator/heap.hpp"
#include "core/exec/emulator/memory.hpp"
#include "core/exec/emulator/program.hpp"
#include "core/exec/emulator/shadow.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <type_traits>

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt")
#include "core/exec/emulator/lane_math.hpp"
#pragma GCC pop_options
#endif

#include "core/exec/emulator/machine.hpp"

#if defined(__x86_64__)
namespace aicf::emulator {
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt")
#define RUN_WARP run_warp_avx2
#include "core/exec/emulator/execute.inl"
#undef RUN_WARP
#define RUN_BARE run_bare_avx2
#include "core/exec/emulator/bare_loop.inl"
#undef RUN_BARE
#pragma GCC pop_options
} // namespace aicf::emulator
#endif
