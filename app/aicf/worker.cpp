// aicf worker: jobs in a process of their own, JSON-RPC 2.0 a line on standard input and output ("aicf.worker/1",
// DESIGN.md section 14). A kernel that hangs, crashes or breaks the device costs this process, and one job.
//
// A job that is cancelled, or over its deadline, gets a moment to stop by itself. What cannot be interrupted (a
// compilation, a kernel on a device) is waited for no longer: the worker answers for it, and ends.
#include "app/aicf/check.hpp"
#include "app/aicf/command.hpp"
#include "app/aicf/probe.hpp"
#include "app/aicf/request.hpp"
#include "app/aicf/store.hpp"
#include "app/aicf/worker_memory.hpp"
#include "core/base/json.hpp"
#include "core/evidence/store.hpp"
#include "core/exec/cuda/cuda_backend.hpp"
#include "core/exec/doctor.hpp"
#include "core/exec/selftest/fault_kernels.hpp"
#include "synth/workers/carried_evidence.hpp"
#include "synth/workers/protocol.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace aicf::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr auto moment_to_stop = std::chrono::milliseconds(120); ///< of the 200 that a cancel may take

/// One object a line, whole lines only, from any thread.
class Channel {
 public:
  void send(const char* method, json params) {
    const std::string line = worker_line(method, std::move(params));
    std::lock_guard lock(mutex_);
    writing = true;
    for (std::size_t sent = 0; sent < line.size();) {
      ssize_t n = ::write(STDOUT_FILENO, line.data() + sent, line.size() - sent);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) _exit(0); // nobody listens any more
      sent += static_cast<std::size_t>(n);
    }
    writing = false;
  }
  std::atomic<bool> writing = false; ///< in the middle of a line

 private:
  std::mutex mutex_;
};

struct Job {
  json id;
  std::string kind;
  json body;
  std::int64_t deadline_ms = 0, memory_mb = 0;
  bool send_evidence = false; ///< to whoever asks, instead of keeping it here
  std::stop_source stop;
  std::atomic<bool> answered = false;            ///< somebody sends its `done`
  std::atomic<bool> late = false;                ///< stopped by its deadline
  std::optional<Clock::time_point> deadline, by; ///< by: when it is waited for no longer
};

json diagnostics_json(const std::vector<Diagnostic>& diagnostics, const std::optional<Unavailable>& missing) {
  json list = json::array();
  for (const Diagnostic& d : diagnostics) list.push_back(to_json(d));
  if (missing) list.push_back(to_json(error("unavailable", "missing here: " + missing->what, {}, missing->how_to_get)));
  return list;
}

Diagnostic out_of_memory(const Job& job) {
  return error("job.memory",
               "out of memory" +
                   (job.memory_mb > 0 ? ": the job's limit is " + std::to_string(job.memory_mb) + " MiB" : ""));
}

bool compiler_ran_out(const json& diagnostics) {
  return std::ranges::any_of(diagnostics, [](const json& d) { return d["code"] == "nvrtc.memory"; });
}

/// The parameters of a `done` after which no job is taken.
json last_words(const Job& job, const char* status, const Diagnostic& why) {
  return {{"job", job.id}, {"status", status}, {"diagnostics", json::array({to_json(why)})}, {"last", true}};
}

Diagnostic too_late(const Job& job) {
  return error("job.deadline", "not done within its " + std::to_string(job.deadline_ms) + " ms", {},
               "Results that were sent before are whole.");
}

class Worker {
 public:
  int run(const std::stop_token& asked_to_leave) {
    std::stop_callback leave(asked_to_leave, [] { _exit(0); });
    the_worker = this;
    std::thread([this] { read(); }).detach();
    std::thread([this] { watch(); }).detach();
    std::thread([this] {
      for (;;) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        channel_.send("beat", json::object());
      }
    }).detach();
    json devices = json::array(), report = doctor();
    if (report.contains("devices")) devices = report["devices"];
    channel_.send("hello", {{"protocol", worker_protocol},
                            {"build", AICF_VERSION},
                            {"host", host_name()},
                            {"devices", devices},
                            {"capabilities", {"synth", "check", "probe", "doctor", "selftest"}}});
    for (;;) {
      std::shared_ptr<Job> job = next();
      json done{{"job", job->id}, {"status", "failed"}, {"diagnostics", json::array()}};
      auto failed = [&](const Diagnostic& why) {
        done["status"] = "failed";
        done["diagnostics"].push_back(to_json(why));
      };
      try {
        limit(job);
        perform(*job, done);
        if (job->memory_mb > 0 && compiler_ran_out(done["diagnostics"])) failed(out_of_memory(*job));
      } catch (const std::bad_alloc&) {
        limit_memory(0);
        failed(out_of_memory(*job));
      } catch (const std::system_error& broken) { // a thread whose stack finds no place
        limit_memory(0);
        const bool memory = job->memory_mb > 0 && broken.code() == std::errc::resource_unavailable_try_again;
        failed(memory ? out_of_memory(*job) : error("job.internal", broken.what()));
      } catch (const std::exception& broken) {
        limit_memory(0);
        failed(error("job.internal", broken.what()));
      }
      limit(nullptr);
      if (job->late && done["status"] == "cancelled") failed(too_late(*job));
      answer(*job, std::move(done));
    }
  }

 private:
  /// The first who answers for a job sends; nothing is sent of it afterwards.
  void answer(Job& job, json done) {
    if (job.answered.exchange(true)) {
      for (;;) pause(); // somebody else has answered, and is ending the process
    }
    const bool last = cuda::context_was_lost(); // no further job can use the device from here
    if (last) done["last"] = true;
    {
      std::lock_guard lock(mutex_);
      current_.reset();
    }
    channel_.send("done", std::move(done));
    if (last) leave();
  }

  /// For a job that goes on regardless.
  void answer_and_end(Job& job, const char* status, const Diagnostic& why) {
    if (job.answered.exchange(true)) return; // it is just ending by itself
    channel_.send("done", last_words(job, status, why));
    leave();
  }

  [[noreturn]] void leave() {
    // Whoever comes here from on_exhaustion may hold it: then the waiting ones are told by the end of the process.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    for (std::size_t i = 0; lock && i < queue_.size(); ++i)
      channel_.send("done",
                    {{"job", queue_[i]->id},
                     {"status", "failed"},
                     {"diagnostics", json::array({to_json(error("job.not-begun", "the worker had to end before it"))})},
                     {"last", true}});
    _exit(0);
  }

  void limit(const std::shared_ptr<Job>& job) {
    const bool limited = job && job->memory_mb > 0;
    {
      std::lock_guard lock(limited_mutex_);
      limited_ = limited ? job : nullptr;
    }
    limit_memory(limited ? job->memory_mb : 0);
    leave_last_words(limited ? worker_line("done", last_words(*job, "failed", out_of_memory(*job))) : std::string(),
                     channel_.writing);
    std::set_new_handler(limited ? on_exhaustion : nullptr);
  }

  /// `new` finds no memory within the job's limit, on whichever thread: what is left to do is to say so.
  static void on_exhaustion() {
    limit_memory(0);
    std::set_new_handler(nullptr);
    std::shared_ptr<Job> job;
    {
      std::lock_guard lock(the_worker->limited_mutex_);
      job = the_worker->limited_;
    }
    if (!job) return; // its end was just said; try again without the limit
    the_worker->answer_and_end(*job, "failed", out_of_memory(*job));
  }

  /// Stops jobs at their deadlines, and ends the process for those that do not stop.
  void watch() {
    std::unique_lock lock(mutex_);
    for (;;) {
      auto next = Clock::now() + std::chrono::hours(1);
      std::shared_ptr<Job> stuck;
      if (current_) {
        const auto now = Clock::now();
        if (current_->deadline && now >= *current_->deadline) {
          current_->deadline.reset();
          current_->late = true;
          current_->by = now + moment_to_stop;
          current_->stop.request_stop();
        }
        if (current_->by && now >= *current_->by) stuck = current_;
        if (current_->deadline) next = std::min(next, *current_->deadline);
        if (current_->by) next = std::min(next, *current_->by);
      }
      if (!stuck) {
        changed_.wait_until(lock, next);
        continue;
      }
      stuck->by.reset();
      lock.unlock();
      Diagnostic note = error("job.interrupted", "what ran could not be interrupted: the worker ended with it");
      note.severity = Diagnostic::Severity::note;
      if (stuck->late)
        answer_and_end(*stuck, "failed", too_late(*stuck));
      else
        answer_and_end(*stuck, "cancelled", note);
      lock.lock();
    }
  }

  /// A thread of its own, so that the end of input ends the process whatever the kernels do.
  void read() {
    LineBuffer lines;
    std::array<char, 65536> bytes{};
    for (;;) {
      const ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) _exit(0);
      const std::size_t dropped = lines.dropped();
      for (const std::string& line : lines.feed({bytes.data(), static_cast<std::size_t>(n)})) {
        std::string why;
        auto message = worker_message(line, why);
        if (message)
          handle(message->method, message->params);
        else
          log(nullptr, "dropped: " + why);
      }
      if (lines.dropped() > dropped) log(nullptr, "dropped: a line longer than 64 MiB");
    }
  }

  void log(const json& job, const std::string& text) { channel_.send("log", {{"job", job}, {"text", text}}); }

  void handle(const std::string& method, const json& params) {
    if (method == "shutdown") _exit(0);
    json id = params.contains("job") ? params["job"] : json(nullptr);
    if (method == "cancel")
      cancel(id);
    else if (method == "start" && !id.is_null() && params.contains("kind") && params["kind"].is_string())
      start(id, params);
    else
      log(id, "cannot be taken: " + method + (method == "start" ? " needs job and kind" : " is no method"));
  }

  void start(const json& id, const json& params) {
    auto integral = [&](const char* key) {
      return params.contains(key) && params[key].is_number_integer() ? params[key].get<std::int64_t>()
                                                                     : std::int64_t{0};
    };
    auto job = std::make_shared<Job>();
    job->id = id;
    job->kind = params["kind"].get<std::string>();
    job->body = params.value("body", json::object());
    job->deadline_ms = integral("deadline_ms");
    job->memory_mb = integral("memory_mb");
    job->send_evidence = params.contains("evidence") && params["evidence"] == "send";
    {
      std::lock_guard lock(mutex_);
      const bool known = (current_ && current_->id == id) ||
                         std::any_of(queue_.begin(), queue_.end(), [&](const auto& j) { return j->id == id; });
      if (!known) queue_.push_back(job);
      if (known) job.reset();
    }
    if (!job) log(id, "a job with this id is under way");
    changed_.notify_all();
  }

  void cancel(const json& id) {
    bool waiting = false;
    {
      std::lock_guard lock(mutex_);
      if (current_ && current_->id == id && !current_->by) {
        current_->by = Clock::now() + moment_to_stop;
        current_->stop.request_stop();
      }
      waiting = std::erase_if(queue_, [&](const auto& j) { return j->id == id; }) > 0;
    }
    if (waiting) channel_.send("done", {{"job", id}, {"status", "cancelled"}, {"diagnostics", json::array()}});
    changed_.notify_all();
  }

  std::shared_ptr<Job> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !queue_.empty(); });
    current_ = queue_.front();
    queue_.pop_front();
    if (current_->deadline_ms > 0) {
      current_->deadline = Clock::now() + std::chrono::milliseconds(current_->deadline_ms);
      changed_.notify_all();
    }
    return current_;
  }

  void perform(Job& job, json& done) {
    if (job.kind == "doctor") {
      done["body"] = doctor();
      done["status"] = "ok";
    } else if (job.kind == "synth") {
      synth(job, done);
    } else if (job.kind == "check") {
      check(job, done);
    } else if (job.kind == "probe") {
      probe(job, done);
    } else if (job.kind == "selftest") {
      selftest(job, done);
    } else {
      done["diagnostics"].push_back(to_json(error("job.kind", "no kind of job: " + job.kind)));
    }
  }

  void result(Job& job, const char* kind, json body) {
    if (!job.answered) channel_.send("result", {{"job", job.id}, {"seq", job_seq_++}, {"kind", kind}, {"body", body}});
  }

  void progress(Job& job, std::size_t step, std::size_t total, const std::string& text) {
    if (!job.answered) channel_.send("progress", {{"job", job.id}, {"done", step}, {"total", total}, {"text", text}});
  }

  /// Sends rows of evidence to whoever asked for the job; empty when they are kept here.
  EvidenceLog::Elsewhere elsewhere(Job& job) {
    if (!job.send_evidence) return {};
    return [this, &job](const Evidence& row, const std::vector<Artefact>& artefacts) {
      result(job, "evidence", carried(row, artefacts));
    };
  }

  void synth(Job& job, json& done) {
    auto request = request_from(job.body, job.stop.get_token());
    if (!request) {
      done["diagnostics"] = diagnostics_json(request.diagnostics, request.missing);
      if (job.stop.stop_requested()) done["status"] = "cancelled";
      return;
    }
    EvidenceLog log(elsewhere(job));
    SynthesisEvents events;
    events.progress = [&](std::size_t step, std::size_t total, const std::string& text) {
      progress(job, step, total, text);
    };
    request->recall = [&](SynthesizedVariant& v) { return log.recall(v, *request); };
    events.variant = [&](const SynthesizedVariant& v) {
      log.keep(v, *request);
      result(job, "variant", to_json(v));
    };
    auto made = synthesize(*request, events, job.stop.get_token());
    done["diagnostics"] = diagnostics_json(made.diagnostics, made.missing);
    if (!made) return;
    json refused = json::object();
    for (const auto& [reason, count] : made->space.refused) refused[reason] = count;
    done["body"] = {{"refused", refused}, {"generated", made->space.generated}, {"legal", made->space.plans.size()}};
    if (!made->refusal.empty()) done["body"]["refusal"] = made->refusal;
    done["status"] = made->cancelled ? "cancelled" : !made->refusal.empty() ? "refused" : "ok";
    if (has_errors(made.diagnostics)) done["status"] = "failed";
  }

  void check(Job& job, json& done) {
    auto asked = check_from(job.body, job.stop.get_token());
    if (!asked) {
      done["diagnostics"] = diagnostics_json(asked.diagnostics, asked.missing);
      if (job.stop.stop_requested()) done["status"] = "cancelled";
      return;
    }
    auto checked = aicf::perform(*asked, job.stop.get_token());
    done["diagnostics"] = diagnostics_json(checked ? checked->warnings : checked.diagnostics, checked.missing);
    if (job.stop.stop_requested()) { // half a check is no verdict
      done["status"] = "cancelled";
      return;
    }
    if (!checked) return;
    const OwnKernelReport& report = checked->report;
    EvidenceLog(elsewhere(job)).keep(report.variant, kept_as(*asked), "check");
    result(job, "variant", to_json(report.variant));
    done["body"] = to_json(report, checked->kernel, asked->request);
    done["status"] = report.variant.validation.passed ? "ok" : "refused";
  }

  void probe(Job& job, json& done) {
    auto request = lab_request_from(job.body);
    if (!request) {
      done["diagnostics"] = diagnostics_json(request.diagnostics, request.missing);
      return;
    }
    Result<Store> store;
    if (!job.send_evidence) store = Store::open(Store::default_path());
    probes::LabEvents events;
    events.progress = [&](std::size_t step, std::size_t total, const std::string& text) {
      progress(job, step, total, text);
    };
    events.evidence = elsewhere(job);
    auto profile = probes::run_lab(*request, store ? &*store : nullptr, events, job.stop.get_token());
    std::vector<Diagnostic> said = profile.diagnostics;
    for (Diagnostic d : store.diagnostics) {
      d.severity = Diagnostic::Severity::warning;
      said.push_back(std::move(d));
    }
    done["diagnostics"] = diagnostics_json(said, profile.missing);
    if (!profile) return;
    done["body"] = to_json(*profile);
    done["status"] = profile->complete ? "ok" : "cancelled";
  }

  void selftest(Job& job, json& done) {
    auto text = [&](const char* key) {
      return job.body.is_object() && job.body.contains(key) && job.body[key].is_string()
                 ? job.body[key].get<std::string>()
                 : std::string();
    };
    auto ran = run_fault_kernel(text("kernel"), text("backend"), job.stop.get_token());
    done["diagnostics"] = diagnostics_json(ran.diagnostics, ran.missing);
    if (!ran) return;
    for (const Fault& f : ran->faults)
      done["diagnostics"].push_back(to_json(error("fault." + f.kind, f.kernel + ": " + f.message)));
    using enum RunResult::Status;
    done["status"] = ran->status == ok ? "ok" : ran->status == cancelled ? "cancelled" : "refused";
  }

  static inline Worker* the_worker = nullptr;
  Channel channel_;
  std::int64_t job_seq_ = 0; ///< of results, on the thread of jobs

  std::mutex limited_mutex_; ///< of limited_; nothing is allocated under it
  std::shared_ptr<Job> limited_;

  std::mutex mutex_; ///< of what follows, and of current_'s moments
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::shared_ptr<Job> current_;
};

const RegisterCommand worker{
    {"worker", "take jobs on standard input (aicf.worker/1), one JSON-RPC object a line", [](CLI::App&) {
       return [](const std::stop_token& stop) {
         static Worker the_worker; // its threads go on until the process ends
         return the_worker.run(stop);
       };
     }}};

} // namespace
} // namespace aicf::cli
