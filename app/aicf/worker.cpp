// aicf worker: jobs in a process of their own, JSON-RPC 2.0 a line on standard input and output ("aicf.worker/1",
// DESIGN.md section 14). A kernel that hangs, crashes or breaks the device costs this process, and one job.
#include "app/aicf/check.hpp"
#include "app/aicf/command.hpp"
#include "app/aicf/request.hpp"
#include "app/aicf/store.hpp"
#include "core/base/json.hpp"
#include "core/exec/doctor.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

namespace aicf::cli {
namespace {

using nlohmann::json;
constexpr std::size_t longest_line = 64U << 20U;
constexpr int deepest_message = 64;

/// Of brackets outside strings: nothing of ours is deep, and printing a document recurses over it.
int depth(const std::string& line) {
  int deepest = 0, open = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '"')
      quoted = !quoted;
    else if (quoted && c == '\\')
      ++i;
    else if (!quoted && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++open);
    else if (!quoted && (c == ']' || c == '}'))
      --open;
  }
  return deepest;
}

/// One object a line, whole lines only, from any thread.
class Channel {
 public:
  void send(const char* method, json params) {
    std::string line = json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump(
                           -1, ' ', false, json::error_handler_t::replace) +
                       "\n";
    std::lock_guard lock(mutex_);
    for (std::size_t sent = 0; sent < line.size();) {
      ssize_t n = ::write(STDOUT_FILENO, line.data() + sent, line.size() - sent);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) _exit(0); // nobody listens any more
      sent += static_cast<std::size_t>(n);
    }
  }

 private:
  std::mutex mutex_;
};

struct Job {
  json id;
  std::string kind;
  json body;
  std::int64_t deadline_ms = 0, memory_mb = 0;
  std::stop_source stop;
};

void limit_memory(std::int64_t megabytes) {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur =
      megabytes > 0 ? std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(megabytes) << 20U) : limit.rlim_max;
  setrlimit(RLIMIT_DATA, &limit);
}

json diagnostics_json(const std::vector<Diagnostic>& diagnostics, const std::optional<Unavailable>& missing) {
  json list = json::array();
  for (const Diagnostic& d : diagnostics) list.push_back(to_json(d));
  if (missing) list.push_back(to_json(error("unavailable", "missing here: " + missing->what, {}, missing->how_to_get)));
  return list;
}

class Worker {
 public:
  int run() {
    std::thread([this] { read(); }).detach();
    std::thread([this] {
      for (;;) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        channel_.send("beat", json::object());
      }
    }).detach();
    json devices = json::array(), report = doctor();
    if (report.contains("devices")) devices = report["devices"];
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    channel_.send("hello", {{"protocol", "aicf.worker/1"},
                            {"build", AICF_VERSION},
                            {"host", host.data()},
                            {"devices", devices},
                            {"capabilities", {"synth", "check", "doctor"}}});
    for (;;) {
      std::shared_ptr<Job> job = next();
      json done{{"job", job->id}, {"status", "failed"}, {"diagnostics", json::array()}};
      try {
        limit_memory(job->memory_mb);
        perform(*job, done);
      } catch (const std::bad_alloc&) {
        limit_memory(0);
        done["status"] = "failed";
        done["diagnostics"].push_back(to_json(error(
            "job.memory", "out of memory" + (job->memory_mb > 0 ? " (limit " + std::to_string(job->memory_mb) + " MiB)"
                                                                : std::string()))));
      } catch (const std::exception& broken) {
        done["status"] = "failed";
        done["diagnostics"].push_back(to_json(error("job.internal", broken.what())));
      }
      limit_memory(0);
      {
        std::lock_guard lock(mutex_);
        running_.erase(job->id.dump());
      }
      channel_.send("done", std::move(done));
    }
  }

 private:
  /// A thread of its own, so that the end of input ends the process whatever the kernels do.
  void read() {
    std::string line;
    while (std::getline(std::cin, line)) {
      if (line.size() > longest_line) {
        channel_.send("log", {{"job", nullptr}, {"text", "a line longer than 64 MiB was dropped"}});
        continue;
      }
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      if (depth(line) > deepest_message) {
        channel_.send("log", {{"job", nullptr}, {"text", "a message nested deeper than 64 levels was dropped"}});
        continue;
      }
      json message = json::parse(line, nullptr, false);
      if (!message.is_object() || !message.contains("method") || !message["method"].is_string()) {
        channel_.send("log", {{"job", nullptr}, {"text", "not a JSON-RPC request: " + line.substr(0, 200)}});
        continue;
      }
      handle(message["method"].get<std::string>(), message.value("params", json::object()));
    }
    _exit(0);
  }

  void handle(const std::string& method, const json& params) {
    if (method == "shutdown") _exit(0);
    json id = params.is_object() && params.contains("job") ? params["job"] : json(nullptr);
    if (method == "cancel") {
      std::lock_guard lock(mutex_);
      if (auto found = running_.find(id.dump()); found != running_.end()) found->second->stop.request_stop();
      return;
    }
    auto integral = [&](const char* key) {
      return params.contains(key) && params[key].is_number_integer() ? params[key].get<std::int64_t>()
                                                                     : std::int64_t{0};
    };
    if (method != "start" || id.is_null() || !params.contains("kind") || !params["kind"].is_string()) {
      channel_.send("log", {{"job", id},
                            {"text", "cannot be taken: " + method +
                                         (method == "start" ? " needs job and kind" : " is no method")}});
      return;
    }
    auto job = std::make_shared<Job>();
    job->id = id;
    job->kind = params["kind"].get<std::string>();
    job->body = params.value("body", json::object());
    job->deadline_ms = integral("deadline_ms");
    job->memory_mb = integral("memory_mb");
    {
      std::lock_guard lock(mutex_);
      if (!running_.emplace(id.dump(), job).second) {
        channel_.send("log", {{"job", id}, {"text", "a job with this id is under way"}});
        return;
      }
      queue_.push_back(job);
    }
    arrived_.notify_one();
  }

  std::shared_ptr<Job> next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !queue_.empty(); });
    auto job = queue_.front();
    queue_.pop_front();
    return job;
  }

  void perform(Job& job, json& done) {
    std::jthread deadline;
    if (job.deadline_ms > 0)
      deadline = std::jthread([&job](const std::stop_token& over) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        if (!wake.wait_for(lock, over, std::chrono::milliseconds(job.deadline_ms), [] { return false; }) &&
            !over.stop_requested())
          job.stop.request_stop();
      });
    if (job.kind == "doctor") {
      done["body"] = doctor();
      done["status"] = "ok";
    } else if (job.kind == "synth") {
      synth(job, done);
    } else if (job.kind == "check") {
      check(job, done);
    } else {
      done["diagnostics"].push_back(to_json(error("job.kind", "no kind of job: " + job.kind)));
    }
  }

  void synth(Job& job, json& done) {
    auto request = request_from(job.body, job.stop.get_token());
    if (!request) {
      done["diagnostics"] = diagnostics_json(request.diagnostics, request.missing);
      return;
    }
    EvidenceLog log;
    std::int64_t seq = 0;
    SynthesisEvents events;
    events.progress = [&](std::size_t step, std::size_t total, const std::string& text) {
      channel_.send("progress", {{"job", job.id}, {"done", step}, {"total", total}, {"text", text}});
    };
    events.variant = [&](const SynthesizedVariant& v) {
      log.keep(v, *request);
      channel_.send("result", {{"job", job.id}, {"seq", seq++}, {"kind", "variant"}, {"body", to_json(v)}});
    };
    auto result = synthesize(*request, events, job.stop.get_token());
    done["diagnostics"] = diagnostics_json(result.diagnostics, result.missing);
    if (!result) return;
    json refused = json::object();
    for (const auto& [reason, count] : result->space.refused) refused[reason] = count;
    done["body"] = {
        {"refused", refused}, {"generated", result->space.generated}, {"legal", result->space.plans.size()}};
    if (!result->refusal.empty()) done["body"]["refusal"] = result->refusal;
    done["status"] = result->cancelled ? "cancelled" : result->refusal.empty() ? "ok" : "refused";
  }

  void check(Job& job, json& done) {
    auto asked = check_from(job.body, job.stop.get_token());
    if (!asked) {
      done["diagnostics"] = diagnostics_json(asked.diagnostics, asked.missing);
      return;
    }
    auto checked = aicf::perform(*asked, job.stop.get_token());
    done["diagnostics"] = diagnostics_json(checked ? checked->warnings : checked.diagnostics, checked.missing);
    if (!checked) {
      if (job.stop.stop_requested()) done["status"] = "cancelled";
      return;
    }
    const OwnKernelReport& report = checked->report;
    EvidenceLog().keep(report.variant, kept_as(*asked), "check");
    channel_.send("result", {{"job", job.id}, {"seq", 0}, {"kind", "variant"}, {"body", to_json(report.variant)}});
    done["body"] = to_json(report, checked->kernel, asked->request);
    done["status"] = report.variant.validation.passed ? "ok" : "refused";
  }

  Channel channel_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::map<std::string, std::shared_ptr<Job>> running_;
};

const RegisterCommand worker{{"worker", "take jobs on standard input (aicf.worker/1), one JSON-RPC object a line",
                              [](CLI::App&) { return [](const std::stop_token&) { return Worker().run(); }; }}};

} // namespace
} // namespace aicf::cli
