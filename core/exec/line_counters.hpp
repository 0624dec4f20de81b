// What a run did, line by line: instructions by class, floating-point operations, bytes by space of memory. All counts
// are exact. Thread-safe: values.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace aicf {

/// What a PTX instruction counts as, by its opcode, space and type. Arithmetic that has no unit of its own but a
/// special function's (division and roots of floats, rcp, ex2, lg2, sin, cos, tanh) is `special`; comparisons, minima,
/// signs go with their type, logic and address arithmetic with the integers.
enum class InstructionClass : std::uint8_t {
  integer,
  f32,
  f64,
  half, ///< f16, bf16, and pairs of them
  conversion,
  special,
  move,            ///< mov, selp, slct
  control,         ///< branches, calls, exit, trap
  warp,            ///< shfl, vote, match, redux, elect, movmatrix
  synchronisation, ///< barriers of every kind, fences, commits and waits of asynchronous work
  global,          ///< loads, stores, atomics that name the space
  shared,
  local,
  constant,
  parameter,
  generic, ///< that name none
  copy,    ///< cp.async and what came after it
  tensor   ///< mma, wmma.mma, wgmma.mma_async
};
constexpr std::size_t instruction_classes = static_cast<std::size_t>(InstructionClass::tensor) + 1;
[[nodiscard]] std::string_view name_of(InstructionClass c);

/// Where bytes lie, whatever the instruction says; parameters of the kernel and of functions alike.
enum class MemorySpace : std::uint8_t { global, shared, local, constant, parameter };
constexpr std::size_t memory_spaces = static_cast<std::size_t>(MemorySpace::parameter) + 1;
[[nodiscard]] std::string_view name_of(MemorySpace s);

struct LineCounters {
  /// Executed by warps, and by lanes whose guard holds.
  struct Instructions {
    std::uint64_t warps = 0, threads = 0;
  };
  std::string kernel;
  int ptx_line = 0, cuda_line = 0; ///< cuda_line 0: not known
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::array<Instructions, instruction_classes> by_class{};
  /// Additions and multiplications of lanes; a fused one is two. Of matrix instructions 2 m n k, also of a sparse A,
  /// whose zeros are not multiplied.
  std::uint64_t flops_f32 = 0, flops_f64 = 0, flops_half = 0, tensor_flops = 0, tensor_integer_operations = 0;
  /// Of global memory: warp instructions, distinct pieces of 32 and of 128 bytes in each.
  std::uint64_t global_requests = 0, global_sectors = 0, global_lines = 0;
  std::uint64_t shared_wavefronts = 0, bank_conflicts = 0;
  std::array<std::uint64_t, memory_spaces> bytes_read{}, bytes_written{}; ///< of all lanes; an atomic's are written

  void add(const LineCounters& other); ///< its counts
};

/// Counts without the place; of classes and spaces those that are not zero.
[[nodiscard]] nlohmann::json to_json(const LineCounters& counters);

} // namespace aicf
