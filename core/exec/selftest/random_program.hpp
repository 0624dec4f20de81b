// Random PTX programs, the same for the same seed, whose results are determined to the last bit: arithmetic of all
// types, predication, divergent branches and loops, calls, warp collectives, shared memory with barriers, atomics whose
// order does not matter, and tensor-core products. Two machines that run one must agree.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace aicf::selftest {

struct RandomProgram {
  std::string ptx; ///< entry k(in, out), both pointers to 64-bit words
  unsigned grid = 2, block = 64;
  std::vector<std::uint64_t> input; ///< words_in for each thread
  static constexpr unsigned words_in = 12, words_out = 24;
};

[[nodiscard]] RandomProgram random_program(std::uint64_t seed);

} // namespace aicf::selftest
