// Random triples of a definition, a plan and sizes: each is lowered, compiled, run on the emulator and judged like any
// variant. What fails is a fault of the kernel or of its judge.
#pragma once
#include "core/kernel/module.hpp"
#include "core/validate/validate.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

struct RandomCheckOptions {
  std::size_t count = 60; ///< triples wanted
  std::uint64_t seed = 1; ///< of the first case; case k has the seed `seed + k`
  unsigned threads = 0;   ///< workers; 0: one for each processor. The answer is the same with any number
  /// A fault put into a kernel before it is compiled: what the check is worth. False: the kernel has no place for it,
  /// and is left out.
  std::function<bool(KernelModule&)> plant;
};

struct RandomFailure {
  std::uint64_t seed = 0; ///< `aicf selftest kernels --count 1 --seed SEED` does this case again, all of its plans
  std::string definition, sizes, dtype, plan, what;
};

/// A case is a definition (random, or of the atlas) with sizes and a type; up to three of its legal plans are judged.
struct RandomCheckResult {
  std::size_t cases = 0, judged = 0, passed = 0;
  std::map<std::string, std::size_t> refused;    ///< cases that the plan space refuses, by the first reason
  std::map<std::string, std::size_t> not_judged; ///< cases and triples without a verdict, by why
  std::map<std::string, std::size_t> forms;      ///< triples judged, by family and the choices that make an algorithm
  /// Triples judged by what they are: "family", "state_form", "cooperation", "dtype", "definition" (random, atlas).
  std::map<std::string, std::map<std::string, std::size_t>> by;
  Coverage compared;                   ///< elements of all results on all inputs
  std::size_t unbounded = 0;           ///< triples among the judged of which no element has a bound on random inputs
  std::vector<RandomFailure> failures; ///< in the order of the seeds
  std::uint64_t next_seed = 0;         ///< of the first case that was not taken
  bool cancelled = false;
};

/// Cases count in the order of their seeds until `count` triples are judged; what workers have done beyond is dropped.
/// Thread-safe progress: called after each case that counts.
[[nodiscard]] RandomCheckResult random_check(const RandomCheckOptions& options,
                                             const std::function<void(std::size_t judged)>& progress = {},
                                             std::stop_token stop = {});

[[nodiscard]] nlohmann::json to_json(const RandomCheckResult& result, const RandomCheckOptions& options);

} // namespace aicf
