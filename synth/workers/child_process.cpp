#include "synth/workers/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

extern char** environ; // NOLINT(readability-redundant-declaration): unistd.h has it for GNU alone

namespace aicf {

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& argv) {
  ChildProcess child;
  std::array<std::array<int, 2>, 3> pipes{}; // each: to read, to write
  for (auto& p : pipes) p = {-1, -1};
  auto close_theirs = [&] {
    for (std::size_t i = 0; i < 3; ++i)
      if (int fd = pipes[i][i == 0 ? 0 : 1]; fd >= 0) ::close(fd);
  };
  auto failed = [&](int code) {
    close_theirs();
    return error("worker.start", argv.front() + " could not be started: " + std::strerror(code)); // NOLINT
  };
  for (std::size_t i = 0; i < 3; ++i) {
    if (pipe2(pipes[i].data(), O_CLOEXEC) != 0) return failed(errno);
    child.pipes_[i] = pipes[i][i == 0 ? 1 : 0];
    fcntl(child.pipes_[i], F_SETFL, O_NONBLOCK);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int i = 0; i < 3; ++i) {
    const auto place = static_cast<std::size_t>(i);
    posix_spawn_file_actions_adddup2(&actions, pipes[place][i == 0 ? 0 : 1], i);
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int code = posix_spawnp(&child.pid_, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) {
    child.pid_ = -1;
    return failed(code);
  }
  close_theirs();
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pipes_(std::exchange(other.pipes_, {-1, -1, -1})), pid_(std::exchange(other.pid_, -1)), status_(other.status_),
      ended_(other.ended_) {}

ChildProcess::~ChildProcess() {
  for (std::size_t i = 0; i < pipes_.size(); ++i) close(i);
  if (pid_ < 0 || ended()) return;
  send(SIGKILL);
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::close(std::size_t which) {
  if (pipes_[which] >= 0) ::close(pipes_[which]);
  pipes_[which] = -1;
}

void ChildProcess::send(int signal) const {
  if (pid_ > 0 && !ended_) kill(-pid_, signal);
}

bool ChildProcess::ended() {
  if (ended_ || pid_ < 0) return true;
  ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

std::string ChildProcess::end() const {
  if (!ended_) return "runs";
  if (WIFSIGNALED(status_))
    return "was ended by signal " + std::to_string(WTERMSIG(status_)) + " (" + strsignal(WTERMSIG(status_)) +
           ")"; // NOLINT(concurrency-mt-unsafe): its texts are constant
  return "ended with status " + std::to_string(WEXITSTATUS(status_));
}

} // namespace aicf
