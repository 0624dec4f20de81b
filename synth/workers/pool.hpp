// Workers of aicf.worker/1 and the jobs that they do: several at once, started when there is work, kept for the next
// job, started anew after one crashed. A job whose worker ended, fell silent or spoke nonsense is `lost`: what it had
// sent by then has been delivered, and the next job gets another worker.
//
// From a target on another machine a job's evidence comes back as rows, which go into the local store under the hash of
// their content, recomputed here; a row that is not what it says it is stays out. Nothing that a worker sends is taken
// for a path.
//
// Threads: any may call; events come on one thread of the pool's own, and must not call ~WorkerPool.
#pragma once
#include "synth/workers/target.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace aicf {

/// Milliseconds.
struct WorkerPatience {
  int hello = 0;       ///< from the start of a worker to its hello; 0: what its target says
  int silence = 5'000; ///< without any line; a worker beats each second
  int cancel = 200;    ///< from a cancel to the job's end, whatever the worker does
  int late = 1'000;    ///< over a job's deadline, until its worker is ended
  int idle = 30'000;   ///< without a job, until a worker is sent home; those of Slurm leave at once
  int leave = 2'000;   ///< from a farewell to the end of the process
};

struct WorkerJob {
  std::string target; ///< name; empty: the pool's first
  std::string kind;
  nlohmann::json body;
  std::int64_t deadline_ms = 0, memory_mb = 0; ///< 0: none; memory: the target's
};

/// Who does a job.
struct WorkerGreeting {
  std::string target, host, build;
  nlohmann::json devices;
};

struct JobEnd {
  enum class Status { ok, refused, failed, cancelled, lost } status = Status::lost;
  std::vector<Diagnostic> diagnostics;
  nlohmann::json body;
  std::size_t results = 0, evidence = 0; ///< delivered; rows kept
};
[[nodiscard]] std::string_view name_of(JobEnd::Status status);

/// All may be empty. `finished` comes once, and last.
struct JobEvents {
  std::function<void(const WorkerGreeting&)> started;
  std::function<void(std::int64_t done, std::int64_t total, const std::string& text)> progress;
  std::function<void(const std::string& kind, const nlohmann::json& body)> result;
  std::function<void(const std::string& text)> log;
  std::function<void(const JobEnd&)> finished;
};

class WorkerPool {
 public:
  /// `build`: this program's version; a worker of another one is used, and its jobs say so.
  explicit WorkerPool(std::vector<WorkerTarget> targets, const WorkerPatience& patience = {}, std::string build = {});
  /// Jobs that have not ended end as cancelled; workers are sent away.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Its number, from 1. Jobs of a target are begun in the order of their numbers. A target that the pool has not is
  /// the job's end: "worker.target".
  std::int64_t submit(WorkerJob job, JobEvents events = {});
  void cancel(std::int64_t job);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

} // namespace aicf
