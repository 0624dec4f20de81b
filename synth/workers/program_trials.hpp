// The random programs of `aicf selftest device`, each compared in a child process that tells of them line by line: a
// device's compiler that crashes on one of them costs that program, and the next child goes on behind it.
#pragma once
#include "core/base/diagnostic.hpp"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

struct ProgramTrials {
  int compared = 0, different = 0;
  std::vector<std::string> examples; ///< of differences, at most 40
  std::vector<std::string> crashes;  ///< "seed 646: was ended by signal 11 (Segmentation fault)"; not among `compared`
  bool cancelled = false;
};

/// Seeds 1 to `programs`. `command` takes the first seed and how many as two more words, and prints "seed N" before
/// each, "differs TEXT" after one that does, and "done" at its end. A child that ends without it and names no seed, or
/// only one that another has named, is a diagnostic "selftest.child", with what it said.
[[nodiscard]] Result<ProgramTrials> try_programs(const std::vector<std::string>& command, int programs,
                                                 const std::stop_token& stop);

} // namespace aicf
