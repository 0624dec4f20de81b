#include "synth/workers/program_trials.hpp"

#include "core/exec/selftest/compare.hpp"
#include "synth/workers/child_process.hpp"

#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>

namespace aicf {
namespace {

constexpr std::size_t most_errors = 2000;
constexpr int look_ms = 100;

/// One child from its start to its end.
class Child {
 public:
  Child(ProgramTrials& trials, int last, const std::function<void(const ProgramTrials&)>& so_far)
      : trials_(trials), last_(last), so_far_(so_far) {}

  Result<bool> run(const std::vector<std::string>& command, const std::stop_token& stop) {
    auto child = ChildProcess::start(command);
    if (!child) return child.failure<bool>();
    child->close_input();
    std::array<pollfd, 2> ends{{{child->output(), POLLIN, 0}, {child->errors(), POLLIN, 0}}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
      if (stop.stop_requested()) {
        child->send(SIGKILL);
        trials_.cancelled = true;
        told();
        return true;
      }
      (void)poll(ends.data(), ends.size(), look_ms);
      for (std::size_t i = 0; i < ends.size(); ++i)
        if (ends[i].fd >= 0 && !read_some(ends[i].fd, i == 0 ? text_ : errors_)) ends[i].fd = -1;
      lines();
      if (errors_.size() > most_errors) errors_.erase(0, errors_.size() - most_errors);
    }
    while (!child->ended()) usleep(1000);
    end_ = child->end();
    // Of a program that is known to differ, what its end costs is the rest of what could be said.
    if (!done_ && !differs_.empty()) differs_ += " (then its process " + end_ + ")";
    told_ = told();
    return true;
  }

  [[nodiscard]] int seed() const { return seed_; } ///< that it was at; 0: it has named none
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool told_of_it() const { return told_; } ///< the seed is counted, though its child ended
  [[nodiscard]] std::string why() const { return end_ + (errors_.empty() ? "" : ": " + errors_); }
  [[nodiscard]] const std::string& end() const { return end_; }

 private:
  ProgramTrials& trials_;
  int last_, seed_ = 0;
  const std::function<void(const ProgramTrials&)>& so_far_;
  bool done_ = false, told_ = false;
  std::string differs_, compilers_; ///< of the seed that it is at
  std::string text_, errors_, end_;

  /// False at the end of the stream.
  static bool read_some(int from, std::string& into) {
    std::array<char, 4096> buffer{};
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }

  void lines() {
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      line(text_.substr(0, end));
      text_.erase(0, end + 1);
    }
  }

  void line(const std::string& text) {
    if (text == "done" && seed_ == last_) {
      done_ = true;
      compared();
    } else if (text.starts_with("seed ")) {
      int next = 0;
      std::from_chars(text.data() + 5, text.data() + text.size(), next);
      if (next <= seed_ || next > last_) return;
      if (seed_ > 0) compared();
      seed_ = next;
    } else if (text.starts_with("differs ")) {
      differs_ = text.substr(8);
    } else if (text.starts_with("compiler ")) {
      compilers_ = text.substr(9);
    }
  }

  void compared() {
    if (!told()) ++trials_.compared;
    if (so_far_) so_far_(trials_);
  }
  /// Counts the seed if it differs: that it was compared is then known, too.
  bool told() {
    if (differs_.empty()) return false;
    ++trials_.compared;
    if (compilers_.empty())
      selftest::keep_example(trials_.different, trials_.examples, std::move(differs_));
    else
      selftest::keep_example(trials_.compilers, trials_.compilers_examples, std::move(compilers_));
    differs_.clear();
    compilers_.clear();
    return true;
  }
};

} // namespace

Result<ProgramTrials> try_programs(const std::vector<std::string>& command, int programs, const std::stop_token& stop,
                                   const std::function<void(const ProgramTrials&)>& so_far) {
  ProgramTrials trials;
  for (int first = 1; first <= programs && !trials.cancelled;) {
    std::vector<std::string> words = command;
    words.push_back(std::to_string(first));
    words.push_back(std::to_string(programs - first + 1));
    Child child(trials, programs, so_far);
    if (auto ran = child.run(words, stop); !ran) return ran.failure<ProgramTrials>();
    if (child.done() || trials.cancelled) break;
    if (child.seed() < first) return error("selftest.child", "the process of the random programs " + child.why());
    if (!child.told_of_it()) trials.crashes.push_back("seed " + std::to_string(child.seed()) + ": " + child.end());
    if (so_far) so_far(trials);
    first = child.seed() + 1;
  }
  return trials;
}

std::string summary(const ProgramTrials& trials) {
  std::string text = std::to_string(trials.compared) + " compared, " + std::to_string(trials.different) + " differ, " +
                     std::to_string(trials.compilers) + " the compiler's own";
  if (!trials.crashes.empty())
    text += ", " + std::to_string(trials.crashes.size()) + " crashed the device's compiler: " + trials.crashes.front();
  return trials.cancelled ? text + "; stopped" : text;
}

nlohmann::json to_json(const ProgramTrials& trials) {
  return {{"name", "programs"},
          {"compared", trials.compared},
          {"different", trials.different},
          {"examples", trials.examples},
          {"compiler_disagrees_with_itself", trials.compilers},
          {"compiler_examples", trials.compilers_examples},
          {"crashes", trials.crashes}};
}

} // namespace aicf
