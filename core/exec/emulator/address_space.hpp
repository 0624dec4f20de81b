// Generic addresses. Buffers and module variables lie in slots of one size from `global_base` on, so that every address
// belongs to at most one allocation and the space between two allocations belongs to none. A block's shared memory,
// a thread's private memory and the kernel's parameters are windows.
#pragma once
#include <cstdint>

namespace aicf::emulator {

constexpr std::uint64_t global_base = 0x0000'7f00'0000'0000u;
constexpr std::uint64_t parameter_window = 0x0000'4000'0000'0000u;
constexpr std::uint64_t shared_window = 0x0000'5000'0000'0000u;
constexpr std::uint64_t local_window = 0x0000'6000'0000'0000u;
constexpr std::uint64_t heap_base = 0x0000'7000'0000'0000u;
constexpr std::uint64_t code_base = 0x0000'3000'0000'0000u; ///< of functions, 16 bytes apart: for indirect calls
constexpr std::uint64_t window_bytes = std::uint64_t{1} << 32;
/// mapa: bits 24… of a shared address hold 1 + the rank of the block in its cluster; 0 is the block itself.
constexpr unsigned shared_rank_shift = 24;

} // namespace aicf::emulator
