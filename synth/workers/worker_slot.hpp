// One worker of a pool: its process, what it has said, and what is asked of it. Of the pool's thread alone.
#pragma once
#include "synth/workers/child_process.hpp"
#include "synth/workers/pool.hpp"
#include "synth/workers/protocol.hpp"

#include <chrono>
#include <optional>

namespace aicf {

struct WorkerSlot {
  using Clock = std::chrono::steady_clock;

  WorkerSlot(const WorkerTarget& t, ChildProcess c) : target(&t), child(std::move(c)) {}

  /// Queues a line; write() sends what the pipe takes.
  void say(std::string_view method, nlohmann::json params) { to_write += worker_line(method, std::move(params)); }
  /// False when nobody reads any more.
  bool write();
  /// What has come on standard output, as lines; takes the tail of standard error too. False at the end of output.
  bool read(std::vector<std::string>& lines);
  /// Asks the process to leave: by a farewell when `orderly`, else by force; a client of another machine gets a moment,
  /// in which the far end sees its input end.
  void leave(bool orderly, std::chrono::milliseconds patience);
  /// The last words on standard error, or nothing.
  [[nodiscard]] std::string last_words() const;

  const WorkerTarget* target;
  ChildProcess child;
  LineBuffer lines;
  std::string to_write, errors;
  bool greeted = false;
  bool last_job = false; ///< it said that it takes no other
  bool leaving = false;
  WorkerGreeting greeting;
  std::vector<std::string> capabilities;
  std::int64_t job = 0; ///< 0: none
  Clock::time_point started = Clock::now(), heard = Clock::now(), idle_since = Clock::now();
  std::optional<Clock::time_point> kill_at, cancel_by, deadline;
};

} // namespace aicf
