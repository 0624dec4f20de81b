// Jobs through a pool of real workers, waited for; an evidence store and a compile cache of their own.
#pragma once
#include "synth/workers/pool.hpp"

#include <QTemporaryDir>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace aicf::test {

/// The aim is 200; a machine that does other things besides gets some time for its scheduler.
inline constexpr double most_cancel_ms = 400;

/// What one job did, as its events told it.
struct JobRun {
  JobEnd end;
  WorkerGreeting greeting;
  std::vector<nlohmann::json> results;
  std::vector<std::string> log;
  bool begun = false, over = false;
  std::size_t steps = 0; ///< events of progress
  std::chrono::steady_clock::time_point ended;
  [[nodiscard]] std::string told() const; ///< its status and diagnostics, in one text
  [[nodiscard]] bool has(const std::string& code) const;
};

class PoolFixture {
 public:
  PoolFixture();
  /// This machine, the built aicf.
  [[nodiscard]] static WorkerTarget here(int workers = 1);
  /// One job to its end (at most two minutes).
  [[nodiscard]] static JobRun run(WorkerPool& pool, WorkerJob job);
  /// Whether kernels can be compiled here.
  [[nodiscard]] static bool compiles();
  [[nodiscard]] std::filesystem::path store() const;
  [[nodiscard]] QString path(const QString& name) const { return folder_.filePath(name); }

 private:
  QTemporaryDir folder_;
};

/// A job that is watched while it goes on.
class Watched {
 public:
  Watched(WorkerPool& pool, WorkerJob job);
  template <class F> bool until(F ready, int ms = 60'000) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(ms), [&] { return ready(run_); });
  }
  bool begun() {
    return until([](const JobRun& r) { return r.begun || r.over; });
  }
  bool over(int ms = 120'000) {
    return until([](const JobRun& r) { return r.over; }, ms);
  }
  JobRun now() {
    std::lock_guard lock(mutex_);
    return run_;
  }
  /// Cancels, waits for the end; milliseconds between.
  double cancel();
  [[nodiscard]] std::int64_t id() const { return id_; }

 private:
  WorkerPool& pool_;
  std::mutex mutex_;
  std::condition_variable changed_;
  JobRun run_;
  std::int64_t id_ = 0;
};

/// One kernel of the self-test, by name, on the emulator; `deadline` in milliseconds, 0: none.
[[nodiscard]] WorkerJob selftest(const char* kernel, std::int64_t deadline = 0);
/// The right kernel comes out right: the target still works.
void works(WorkerPool& pool);

/// A synthesis of softmax that takes some seconds on the emulator: so many variants of 64 x 512.
[[nodiscard]] nlohmann::json synth_body(int budget);

} // namespace aicf::test
