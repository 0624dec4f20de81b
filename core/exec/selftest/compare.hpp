// The emulator beside another backend on the same PTX: every instruction case, random programs, whole kernels.
#pragma once
#include "core/exec/backend.hpp"

namespace aicf::selftest {

struct Comparison {
  std::string name;
  int compared = 0, different = 0;
  std::vector<std::string> examples; ///< of differences, at most 40, each with its element and both values
  [[nodiscard]] bool passed() const { return compared > 0 && different == 0; }
};

/// Of a program that differs, the first statement after which it does is looked for and told.
[[nodiscard]] Comparison compare_instructions(Backend& other, Backend& emulator);
[[nodiscard]] Comparison compare_programs(Backend& other, Backend& emulator, int programs,
                                          std::uint64_t first_seed = 1);
/// Compiles with NVRTC for `arch`; a kernel that does not compile is a difference.
[[nodiscard]] Comparison compare_kernels(Backend& other, Backend& emulator, const std::string& arch);

} // namespace aicf::selftest
