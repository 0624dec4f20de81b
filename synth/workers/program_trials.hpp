// The random programs of `aicf selftest device`, each compared in a child process that tells of them line by line: a
// device's compiler that crashes on one of them costs that program, and the next child goes on behind it.
#pragma once
#include "core/base/diagnostic.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

struct ProgramTrials {
  int compared = 0, different = 0;
  int compilers = 0;                           ///< a device's compiler disagrees with itself; not among `different`
  std::vector<std::string> examples;           ///< of differences, at most 40
  std::vector<std::string> compilers_examples; ///< likewise
  std::vector<std::string> crashes; ///< "seed 646: was ended by signal 11 (Segmentation fault)"; not among `compared`
  bool cancelled = false;
  [[nodiscard]] bool passed() const { return compared > 0 && different == 0 && !cancelled; }
};

/// Seeds 1 to `programs`. `command` takes the first seed and how many as two more words, and prints "seed N" before
/// each, "differs TEXT" after one that does (again when it knows more), "compiler TEXT" where that turns out to be the
/// device's compiler's doing, and "done" at its end. A child that ends without it and names no seed, or only one that
/// another has named, is a diagnostic "selftest.child", with what it said. `so_far` is called after each program.
[[nodiscard]] Result<ProgramTrials> try_programs(const std::vector<std::string>& command, int programs,
                                                 const std::stop_token& stop,
                                                 const std::function<void(const ProgramTrials&)>& so_far = {});

/// "2009 compared, 0 differ, 12 the compiler's own, 1 crashed the device's compiler: seed 646: …".
[[nodiscard]] std::string summary(const ProgramTrials& trials);
/// Of "comparisons" in "aicf.selftest/1": {"name": "programs", "compared", "different", "examples",
/// "compiler_disagrees_with_itself", "compiler_examples", "crashes"}.
[[nodiscard]] nlohmann::json to_json(const ProgramTrials& trials);

} // namespace aicf
