// Where workers run: this machine, another one through `ssh`, or wherever Slurm's `srun` finds a place; the same aicf
// at the other end. Targets are named in a JSON file "aicf.targets/1", which the command line and the window share:
//
//   {"schema": "aicf.targets/1", "targets": [
//     {"name": "h200", "kind": "ssh", "host": "me@gpu1", "program": "/opt/aicf/aicf",
//      "environment": {"AICF_ATLAS": "/opt/aicf/atlas"}},
//     {"name": "cluster", "kind": "srun", "options": ["--gpus=1"], "program": "/shared/aicf", "workers": 8}]}
//
// No shell of ours reads any of it. What `ssh` sends is read by a shell over there: each word is quoted for it, and one
// with a character that shells disagree about is refused.
#pragma once
#include "core/base/diagnostic.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace aicf {

struct WorkerTarget {
  enum class Kind { local, ssh, srun } kind = Kind::local;
  std::string name = "local";
  std::string host;                               ///< of ssh: "gpu1", "me@gpu1"
  std::vector<std::string> options;               ///< of ssh or srun, a word each; the user's own
  std::string program;                            ///< aicf there; empty: this program here, "aicf" of the PATH there
  std::vector<std::string> arguments{"worker"};   ///< not in the file
  std::map<std::string, std::string> environment; ///< for the worker
  int workers = 1;                                ///< at once; Slurm finds each a place
  int connect_seconds = 0;    ///< until its hello; 0: 15, with ssh 30, with srun (which queues) 3600
  std::int64_t memory_mb = 0; ///< of a job; 0: no limit
  [[nodiscard]] bool remote() const { return kind != Kind::local; }
};

[[nodiscard]] std::string_view name_of(WorkerTarget::Kind kind);
/// What is started for a worker, argv[0] first. Words that cannot be carried are diagnostics "target.word".
[[nodiscard]] Result<std::vector<std::string>> command_of(const WorkerTarget& target);

/// $AICF_TARGETS, else aicf/targets.json in $XDG_CONFIG_HOME or ~/.config.
[[nodiscard]] std::filesystem::path targets_file();
/// "local" first, unless the file has one of that name. No file: that alone. Every fault of it is a diagnostic.
[[nodiscard]] Result<std::vector<WorkerTarget>> load_targets(const std::filesystem::path& file = targets_file());
/// The document of a file.
[[nodiscard]] Result<std::vector<WorkerTarget>> targets_from_json(const nlohmann::json& document,
                                                                  const std::string& file);
[[nodiscard]] nlohmann::json to_json(const std::vector<WorkerTarget>& targets);
/// By name; the diagnostic lists the names.
[[nodiscard]] Result<WorkerTarget> find_target(const std::string& name,
                                               const std::filesystem::path& file = targets_file());

/// Whether a word names an architecture ("sm_90", "sm_90a") and so cannot name a target.
[[nodiscard]] bool is_architecture(const std::string& word);
/// This process's own program.
[[nodiscard]] std::string own_program();

} // namespace aicf
