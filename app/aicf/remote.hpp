// Jobs of the command line on named targets (synth/workers/target.hpp): through a pool of workers, with progress on
// standard error; what was finished before a Ctrl-C or a lost worker is there all the same.
#pragma once
#include "synth/workers/pool.hpp"

#include <nlohmann/json.hpp>

#include <stop_token>
#include <string>
#include <vector>

namespace aicf::cli {

struct TargetJob {
  std::string target, kind, title; ///< title: before its lines of progress
  nlohmann::json body;
  std::int64_t deadline_ms = 0;
};

struct TargetOutcome {
  std::string target;
  WorkerGreeting greeting; ///< empty host: no worker began it
  JobEnd end;
  std::vector<nlohmann::json> variants; ///< results of that kind, as they came
};

/// One outcome a job, in their order, when all have ended; Ctrl-C cancels them. Diagnostics: names that no target has.
[[nodiscard]] Result<std::vector<TargetOutcome>> run_on_targets(const std::vector<TargetJob>& jobs,
                                                                const std::stop_token& stop);
/// Says on standard error how a job ended and which exit status that is: 0, 1 (the answer is no, it was cancelled, or
/// its worker was lost), 2 (bad input) or 3 (something is missing there, or the target cannot be reached).
int report_end(const TargetOutcome& outcome);

/// What `--target` was given: at most one architecture, and names of targets.
struct TargetWords {
  std::string arch = "sm_90";
  std::vector<std::string> names;
};
[[nodiscard]] Result<TargetWords> target_words(const std::vector<std::string>& words);

} // namespace aicf::cli
