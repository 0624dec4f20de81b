#include "synth/workers/pool.hpp"

#include "synth/workers/carried_evidence.hpp"
#include "synth/workers/worker_slot.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <thread>

namespace aicf {
namespace {

using nlohmann::json;
using Clock = WorkerSlot::Clock;
using std::chrono::milliseconds;
constexpr int longest_sleep = 1000; ///< ms; every wait has its own moment besides
constexpr int between_looks = 20;   ///< ms, at a process that is to end

std::string text_of(const json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? plain_text(it->get<std::string>()) : std::string();
}

std::int64_t number_of(const json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_number_integer() ? it->get<std::int64_t>() : 0;
}

int connect_seconds(const WorkerTarget& t) {
  constexpr int here = 15, by_ssh = 30, queued = 3600;
  if (t.connect_seconds > 0) return t.connect_seconds;
  return t.kind == WorkerTarget::Kind::srun ? queued : t.kind == WorkerTarget::Kind::ssh ? by_ssh : here;
}

std::string seconds_text(int ms) {
  std::string text = std::to_string(ms / 100);
  if (text.size() < 2) text.insert(0, 1, '0');
  return text.insert(text.size() - 1, ".") + " s";
}

} // namespace

std::string_view name_of(JobEnd::Status status) {
  static constexpr std::array<std::string_view, 5> names{"ok", "refused", "failed", "cancelled", "lost"};
  return names.at(static_cast<std::size_t>(status));
}

class WorkerPool::Loop {
 public:
  Loop(std::vector<WorkerTarget> targets, const WorkerPatience& patience, std::string build)
      : targets_(std::move(targets)), patience_(patience), build_(std::move(build)) {
    if (pipe2(wake_.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw std::bad_alloc();
    thread_ = std::thread([this] { run(); });
  }
  ~Loop() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake();
    thread_.join();
    for (int fd : wake_) ::close(fd);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  std::int64_t submit(WorkerJob job, JobEvents events) {
    std::lock_guard lock(mutex_);
    const std::int64_t id = ++last_id_;
    arriving_.push_back({id, std::move(job), std::move(events)});
    wake();
    return id;
  }
  void cancel(std::int64_t job) {
    std::lock_guard lock(mutex_);
    cancels_.push_back(job);
    wake();
  }

 private:
  struct Job {
    std::int64_t id = 0;
    WorkerJob asked;
    JobEvents events;
    bool cancelled = false;
    JobEnd end = {};
  };

  void wake() const {
    const char byte = 0;
    [[maybe_unused]] const ssize_t n = ::write(wake_[1], &byte, 1); // full: it wakes anyway
  }

  void run() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr); // a worker that does not read any more is no reason to end
    for (;;) {
      bool over = false;
      std::vector<std::int64_t> cancels;
      {
        std::lock_guard lock(mutex_);
        over = over_;
        for (Job& job : arriving_) waiting_.push_back(std::move(job));
        arriving_.clear();
        cancels.swap(cancels_);
      }
      for (std::int64_t id : cancels) begin_cancel(id);
      if (over) break;
      assign();
      wait(next_moment());
      listen();
      look_at_clocks();
    }
    end_all();
  }

  // --- jobs to workers ----------------------------------------------------------------------------------------------

  const WorkerTarget* target_of(const Job& job) const {
    if (job.asked.target.empty() && !targets_.empty()) return &targets_.front();
    auto found = std::ranges::find_if(targets_, [&](const auto& t) { return t.name == job.asked.target; });
    return found == targets_.end() ? nullptr : &*found;
  }

  void assign() {
    std::map<const WorkerTarget*, bool> full;
    for (std::size_t i = 0; i < waiting_.size();) {
      const WorkerTarget* target = target_of(waiting_[i]);
      if (target == nullptr) {
        finish_waiting(i, JobEnd::Status::failed,
                       error("worker.target", "no target \"" + waiting_[i].asked.target + "\""));
        continue;
      }
      if (full[target] || !give(i, *target)) {
        full[target] = true;
        ++i;
      }
    }
  }

  /// False when every worker of the target is busy. Otherwise the i-th waiting job is given away, or has ended.
  bool give(std::size_t i, const WorkerTarget& target) {
    int busy = 0;
    for (WorkerSlot& slot : slots_) {
      if (slot.target != &target || slot.leaving) continue;
      ++busy;
      if (slot.job != 0 || slot.last_job) continue;
      take(i, slot);
      return true;
    }
    if (busy >= target.workers) return false;
    auto command = command_of(target);
    auto child = command ? ChildProcess::start(*command) : command.failure<ChildProcess>();
    if (!child) {
      finish_waiting(i, JobEnd::Status::lost, child.diagnostics.front());
      return true;
    }
    take(i, slots_.emplace_back(target, std::move(*child)));
    return true;
  }

  void take(std::size_t i, WorkerSlot& slot) {
    slot.job = waiting_[i].id;
    jobs_.emplace(slot.job, std::move(waiting_[i]));
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    if (slot.greeted) begin(slot);
  }

  static std::int64_t memory_of(const Job& job, const WorkerSlot& slot) {
    return job.asked.memory_mb > 0 ? job.asked.memory_mb : slot.target->memory_mb;
  }

  /// The worker has greeted, and has a job that it does not know of yet.
  void begin(WorkerSlot& slot) {
    Job& job = jobs_.at(slot.job);
    if (std::ranges::find(slot.capabilities, job.asked.kind) == slot.capabilities.end()) {
      job.end.diagnostics.push_back(
          error("worker.capability", "the worker on " + slot.greeting.host + " has no jobs of kind " + job.asked.kind));
      finish(slot, JobEnd::Status::failed);
      return;
    }
    if (!build_.empty() && slot.greeting.build != build_) {
      Diagnostic other = error("worker.build", "the worker on " + slot.greeting.host + " is of build " +
                                                   slot.greeting.build + ", this is " + build_);
      other.severity = Diagnostic::Severity::warning;
      job.end.diagnostics.push_back(std::move(other));
    }
    json params{{"job", job.id},
                {"kind", job.asked.kind},
                {"body", job.asked.body},
                {"deadline_ms", job.asked.deadline_ms},
                {"memory_mb", memory_of(job, slot)}};
    if (slot.target->remote()) params["evidence"] = "send";
    slot.say("start", std::move(params));
    if (job.asked.deadline_ms > 0) slot.deadline = Clock::now() + milliseconds(job.asked.deadline_ms + patience_.late);
    if (job.events.started) job.events.started(slot.greeting);
    if (!slot.write()) lose(slot, "The worker does not listen any more.");
  }

  void begin_cancel(std::int64_t id) {
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      if (waiting_[i].id == id) return finish_waiting(i, JobEnd::Status::cancelled, std::nullopt);
    for (WorkerSlot& slot : slots_) {
      if (slot.job != id || jobs_.at(id).cancelled) continue;
      jobs_.at(id).cancelled = true;
      if (!slot.greeted) return lose(slot, "");
      slot.cancel_by = Clock::now() + milliseconds(patience_.cancel);
      slot.say("cancel", {{"job", id}});
      (void)slot.write();
    }
  }

  // --- ends ---------------------------------------------------------------------------------------------------------

  void report(Job& job, JobEnd::Status status) {
    job.end.status = status;
    if (job.events.finished) job.events.finished(job.end);
  }

  void finish_waiting(std::size_t i, JobEnd::Status status, const std::optional<Diagnostic>& why) {
    Job job = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    if (why) job.end.diagnostics.push_back(*why);
    report(job, status);
  }

  void finish(WorkerSlot& slot, JobEnd::Status status) {
    auto node = jobs_.extract(slot.job);
    slot.job = 0;
    slot.cancel_by.reset();
    slot.deadline.reset();
    slot.idle_since = Clock::now();
    if (!node.empty()) report(node.mapped(), status);
  }

  void lose(WorkerSlot& slot, const std::string& why, const char* code = "worker.lost") {
    if (slot.job != 0) {
      Job& job = jobs_.at(slot.job);
      if (!job.cancelled) {
        std::string text = why + slot.last_words();
        if (const auto memory = memory_of(job, slot); memory > 0 && std::string_view(code) == "worker.lost")
          text += "\nThe job's memory was limited to " + std::to_string(memory) + " MiB.";
        job.end.diagnostics.push_back(
            error(code, text, {}, "Results that had arrived are kept; the job can be started again."));
      }
      finish(slot, job.cancelled                              ? JobEnd::Status::cancelled
                   : std::string_view(code) == "job.deadline" ? JobEnd::Status::failed
                                                              : JobEnd::Status::lost);
    }
    if (!slot.leaving) slot.leave(false, milliseconds(patience_.leave));
  }

  void end_all() {
    for (WorkerSlot& slot : slots_) {
      if (slot.job != 0) jobs_.at(slot.job).cancelled = true;
      if (slot.job != 0 || slot.target->remote())
        lose(slot, "");
      else if (!slot.leaving)
        slot.leave(true, milliseconds(patience_.leave));
    }
    while (!waiting_.empty()) finish_waiting(0, JobEnd::Status::cancelled, std::nullopt);
    const auto until = Clock::now() + milliseconds(patience_.leave);
    while (!slots_.empty() && Clock::now() < until) {
      reap();
      if (!slots_.empty()) std::this_thread::sleep_for(milliseconds(2));
    }
    slots_.clear(); // the rest is killed
  }

  // --- what workers say ---------------------------------------------------------------------------------------------

  void hear(WorkerSlot& slot, const std::string& line) {
    std::string why;
    const auto message = worker_message(line, why);
    if (!message) {
      // Before the hello anything may be written (login banners); afterwards only the protocol.
      if (slot.greeted) lose(slot, "The worker wrote a line that is no message: " + why);
      return;
    }
    if (!slot.greeted) {
      if (message->method == "hello") greet(slot, message->params);
      return;
    }
    const json& p = message->params;
    if (slot.job == 0 || !p.contains("job") || p["job"] != slot.job) return; // a beat, or of a job that is over
    Job& job = jobs_.at(slot.job);
    if (message->method == "progress") {
      if (job.events.progress) job.events.progress(number_of(p, "done"), number_of(p, "total"), text_of(p, "text"));
    } else if (message->method == "log") {
      if (job.events.log) job.events.log(text_of(p, "text"));
    } else if (message->method == "result") {
      take_result(slot, job, text_of(p, "kind"), p.contains("body") ? p["body"] : json());
    } else if (message->method == "done") {
      end_as_told(slot, job, p);
    }
  }

  void greet(WorkerSlot& slot, const json& p) {
    if (text_of(p, "protocol") != worker_protocol)
      return lose(slot, "The worker speaks " + text_of(p, "protocol") + ", not " + worker_protocol + ".");
    slot.greeted = true;
    slot.greeting = {slot.target->name, text_of(p, "host"), text_of(p, "build"), p.value("devices", json::array())};
    for (const json& word : p.value("capabilities", json::array()))
      if (word.is_string()) slot.capabilities.push_back(word.get<std::string>());
    if (slot.job != 0) begin(slot);
  }

  void take_result(WorkerSlot& slot, Job& job, const std::string& kind, const json& body) {
    if (kind == "evidence" && slot.target->remote()) {
      if (auto wrong = keeper_.keep(body)) {
        wrong->severity = Diagnostic::Severity::warning;
        if (job.end.diagnostics.size() < 20) job.end.diagnostics.push_back(std::move(*wrong));
      } else {
        ++job.end.evidence;
      }
      return;
    }
    ++job.end.results;
    if (job.events.result) job.events.result(kind, body);
  }

  void end_as_told(WorkerSlot& slot, Job& job, const json& p) {
    for (Diagnostic& d : diagnostics_from(p.contains("diagnostics") ? p["diagnostics"] : json()))
      job.end.diagnostics.push_back(std::move(d));
    if (p.contains("body")) job.end.body = p["body"];
    slot.last_job = p.contains("last") && p["last"] == true;
    const std::string status = text_of(p, "status");
    using enum JobEnd::Status;
    JobEnd::Status as = failed;
    for (JobEnd::Status s : {ok, refused, cancelled})
      if (name_of(s) == status) as = s;
    finish(slot, as);
    if (slot.last_job) slot.leave(true, milliseconds(patience_.leave));
  }

  // --- waiting ------------------------------------------------------------------------------------------------------

  int next_moment() {
    auto at = Clock::now() + milliseconds(longest_sleep);
    for (WorkerSlot& slot : slots_) {
      if (slot.child.output() < 0) at = std::min(at, Clock::now() + milliseconds(between_looks));
      for (const auto& moment : {slot.kill_at, slot.cancel_by, slot.deadline})
        if (moment) at = std::min(at, *moment);
      if (!slot.leaving) at = std::min(at, silent_at(slot));
    }
    const auto left = std::chrono::ceil<milliseconds>(at - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(0, left));
  }

  Clock::time_point silent_at(const WorkerSlot& slot) const {
    if (slot.greeted) return slot.heard + milliseconds(patience_.silence);
    const int wait = patience_.hello > 0 ? patience_.hello : 1000 * connect_seconds(*slot.target);
    return slot.started + milliseconds(wait);
  }

  void wait(int ms) {
    std::vector<pollfd> fds{{wake_[0], POLLIN, 0}};
    for (WorkerSlot& slot : slots_) {
      if (slot.child.output() >= 0) fds.push_back({slot.child.output(), POLLIN, 0});
      if (slot.child.errors() >= 0) fds.push_back({slot.child.errors(), POLLIN, 0});
      if (slot.child.input() >= 0 && !slot.to_write.empty()) fds.push_back({slot.child.input(), POLLOUT, 0});
    }
    (void)poll(fds.data(), fds.size(), ms);
    std::array<char, 64> bytes{};
    while (::read(wake_[0], bytes.data(), bytes.size()) > 0) {
    }
  }

  void listen() {
    for (WorkerSlot& slot : slots_) {
      std::vector<std::string> lines;
      const std::size_t dropped = slot.lines.dropped();
      const bool open = slot.read(lines);
      if (!lines.empty()) slot.heard = Clock::now();
      for (const std::string& line : lines)
        if (!slot.leaving) hear(slot, line);
      if (slot.lines.dropped() > dropped && !slot.leaving) lose(slot, "The worker wrote a line of over 64 MiB.");
      if (!slot.to_write.empty()) (void)slot.write();
      if (!open && slot.job != 0 && slot.child.ended())
        lose(slot, (slot.greeted ? "The worker " : "The worker did not begin: it ") + slot.child.end() + ".");
    }
    reap();
  }

  void reap() {
    for (auto slot = slots_.begin(); slot != slots_.end();) {
      const bool gone = slot->child.ended() && slot->job == 0;
      slot = gone ? slots_.erase(slot) : std::next(slot);
    }
  }

  void look_at_clocks() {
    for (WorkerSlot& slot : slots_) {
      const auto now = Clock::now();
      if (slot.kill_at && now >= *slot.kill_at) {
        slot.child.send(SIGKILL);
        slot.kill_at.reset();
      }
      if (slot.leaving) continue;
      if (slot.cancel_by && now >= *slot.cancel_by) {
        lose(slot, "");
      } else if (slot.deadline && now >= *slot.deadline) {
        lose(slot, "The worker did not end at the job's deadline.", "job.deadline");
      } else if (now >= silent_at(slot)) {
        lose(slot, slot.greeted ? "The worker was silent for " + seconds_text(patience_.silence) + "."
                                : "The worker did not answer within " +
                                      seconds_text(patience_.hello > 0 ? patience_.hello
                                                                       : 1000 * connect_seconds(*slot.target)) +
                                      ".");
      } else if (slot.job == 0) {
        if (std::ranges::any_of(waiting_, [&](const Job& job) { return target_of(job) == slot.target; })) continue;
        const bool held = slot.target->kind == WorkerTarget::Kind::srun; // a place that others wait for
        if (held || now - slot.idle_since >= milliseconds(patience_.idle))
          slot.leave(true, milliseconds(patience_.leave));
      }
    }
  }

  const std::vector<WorkerTarget> targets_;
  const WorkerPatience patience_;
  const std::string build_;
  std::array<int, 2> wake_{};

  std::mutex mutex_; // of these four
  std::vector<Job> arriving_;
  std::vector<std::int64_t> cancels_;
  std::int64_t last_id_ = 0;
  bool over_ = false;

  // Of the thread alone.
  std::deque<Job> waiting_;
  std::map<std::int64_t, Job> jobs_; ///< given to a worker
  std::list<WorkerSlot> slots_;
  EvidenceKeeper keeper_;

  std::thread thread_;
};

WorkerPool::WorkerPool(std::vector<WorkerTarget> targets, const WorkerPatience& patience, std::string build)
    : loop_(std::make_unique<Loop>(std::move(targets), patience, std::move(build))) {}
WorkerPool::~WorkerPool() = default;
std::int64_t WorkerPool::submit(WorkerJob job, JobEvents events) {
  return loop_->submit(std::move(job), std::move(events));
}
void WorkerPool::cancel(std::int64_t job) { loop_->cancel(job); }

} // namespace aicf
