#include "app/aicf/worker_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <memory>

namespace aicf::cli {
namespace {

// Read by a signal's handler: whole before `ready` says so.
std::string words;
const std::atomic<bool>* writing = nullptr;
std::atomic<bool> ready = false;

/// Not even an eighth of the limit is left.
bool exhausted() {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return false;
  const std::size_t room = std::max<std::size_t>(limit.rlim_cur / 8, std::size_t{32} << 20U);
  void* more = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (more == MAP_FAILED) return true; // NOLINT: the system's own constant
  munmap(more, room);
  return false;
}

/// Calls nothing but what a handler may. Where it returns, the signal comes again, and has its usual effect.
void gave_up(int /*signal*/) {
  if (!ready.exchange(false) || !exhausted()) return;
  const timespec moment{0, 1'000'000};
  for (int i = 0; i < 500 && writing->load(); ++i) nanosleep(&moment, nullptr);
  for (std::size_t sent = 0; sent < words.size();) {
    const ssize_t n = ::write(STDOUT_FILENO, words.data() + sent, words.size() - sent);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  _exit(0);
}

} // namespace

void limit_memory(std::int64_t megabytes) {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur =
      megabytes > 0 ? std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(megabytes) << 20U) : limit.rlim_max;
  setrlimit(RLIMIT_DATA, &limit);
}

void leave_last_words(std::string line, const std::atomic<bool>& busy) {
  ready = false;
  words = std::move(line);
  writing = &busy;
  if (words.empty()) return;
  ready = true;
  struct sigaction action {};
  action.sa_handler = gave_up; // NOLINT: a union of the system's
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS}) sigaction(signal, &action, nullptr);
}

} // namespace aicf::cli
