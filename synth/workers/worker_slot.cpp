#include "synth/workers/worker_slot.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace aicf {
namespace {
constexpr std::size_t error_tail = 4000;
constexpr std::size_t most_at_once = std::size_t{4} << 20U; ///< bytes, so that one talker does not starve the others
} // namespace

bool WorkerSlot::write() {
  std::size_t sent = 0;
  bool open = child.input() >= 0;
  while (open && sent < to_write.size()) {
    const ssize_t n = ::write(child.input(), to_write.data() + sent, to_write.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    open = n > 0;
    if (open) sent += static_cast<std::size_t>(n);
  }
  to_write.erase(0, open ? sent : to_write.size());
  if (leaving && to_write.empty()) child.close_input();
  return open;
}

bool WorkerSlot::read(std::vector<std::string>& complete) {
  std::array<char, 65536> bytes{};
  for (;;) {
    const ssize_t n = child.errors() < 0 ? 0 : ::read(child.errors(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) child.close_errors();
      break;
    }
    errors.append(bytes.data(), static_cast<std::size_t>(n));
    if (errors.size() > error_tail) errors.erase(0, errors.size() - error_tail);
  }
  for (std::size_t taken = 0; taken < most_at_once;) {
    const ssize_t n = child.output() < 0 ? 0 : ::read(child.output(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return true;
    if (n <= 0) {
      child.close_output();
      return false;
    }
    taken += static_cast<std::size_t>(n);
    for (std::string& line : lines.feed({bytes.data(), static_cast<std::size_t>(n)}))
      complete.push_back(std::move(line));
  }
  return true;
}

void WorkerSlot::leave(bool orderly, std::chrono::milliseconds patience) {
  leaving = true;
  kill_at = Clock::now() + patience;
  if (orderly) {
    say("shutdown", nlohmann::json::object());
    (void)write();
    return;
  }
  to_write.clear();
  child.close_input();
  child.send(target->remote() ? SIGTERM : SIGKILL);
}

std::string WorkerSlot::last_words() const {
  const std::size_t begin = errors.find_first_not_of(" \t\r\n"), end = errors.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? std::string() : "\n" + plain_text(errors.substr(begin, end - begin + 1));
}

} // namespace aicf
