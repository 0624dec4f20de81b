// A program as a child with pipes to its standard input, output and error, started without a shell, in a process group
// of its own: a Ctrl-C at the terminal is the parent's to answer. None of the pipes is inherited by other children, so
// the end of this process is the end of the child's input.
#pragma once
#include "core/base/diagnostic.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace aicf {

class ChildProcess {
 public:
  /// `argv[0]` is looked for in PATH. The error is a diagnostic "worker.start". Signals are at their defaults there.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& argv);
  /// Kills what still runs, and waits for it.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] int input() const { return pipes_[0]; } ///< to write to; -1 when closed. All three do not block.
  [[nodiscard]] int output() const { return pipes_[1]; }
  [[nodiscard]] int errors() const { return pipes_[2]; }
  [[nodiscard]] pid_t id() const { return pid_; }
  void close_input() { close(0); }
  void close_output() { close(1); }
  void close_errors() { close(2); }
  /// A signal to the process group.
  void send(int signal) const;
  /// True when it has ended; end() then says how.
  [[nodiscard]] bool ended();
  /// "ended with status 3", "was ended by signal 11 (Segmentation fault)".
  [[nodiscard]] std::string end() const;

 private:
  ChildProcess() = default;
  void close(std::size_t which);
  std::vector<int> pipes_ = {-1, -1, -1};
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

} // namespace aicf
