#include "app/aicf/remote.hpp"

#include "app/aicf/command.hpp"

#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>

namespace aicf::cli {

Result<std::vector<TargetOutcome>> run_on_targets(const std::vector<TargetJob>& jobs, const std::stop_token& stop) {
  std::vector<WorkerTarget> targets;
  for (const TargetJob& job : jobs) {
    if (std::ranges::any_of(targets, [&](const auto& t) { return t.name == job.target; })) continue;
    auto target = find_target(job.target);
    if (!target) return target.failure<std::vector<TargetOutcome>>();
    targets.push_back(std::move(*target));
  }
  std::vector<TargetOutcome> outcomes(jobs.size());
  std::mutex mutex; // of what follows, and of the outcomes
  std::condition_variable ended;
  std::size_t open = jobs.size();
  WorkerPool pool(std::move(targets), {}, AICF_VERSION);
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string who = jobs[i].target + (jobs.size() > 1 ? " " + jobs[i].title : "");
    TargetOutcome& outcome = outcomes[i];
    outcome.target = jobs[i].target;
    JobEvents events;
    events.started = [&outcome, who](const WorkerGreeting& greeting) {
      outcome.greeting = greeting;
      std::cerr << who << ": on " << greeting.host << "\n";
    };
    events.progress = [who](std::int64_t step, std::int64_t total, const std::string& text) {
      std::cerr << who << ": [" << step << "/" << total << "] " << text << "\n";
    };
    events.log = [who](const std::string& text) { std::cerr << who << ": " << text << "\n"; };
    events.result = [&outcome](const std::string& kind, const nlohmann::json& body) {
      if (kind == "variant") outcome.variants.push_back(body);
    };
    events.finished = [&](const JobEnd& end) {
      std::lock_guard lock(mutex);
      outcome.end = end;
      --open;
      ended.notify_all();
    };
    ids.push_back(pool.submit({jobs[i].target, jobs[i].kind, jobs[i].body, jobs[i].deadline_ms, 0}, std::move(events)));
  }
  std::stop_callback cancel(stop, [&] {
    for (std::int64_t id : ids) pool.cancel(id);
  });
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return open == 0; });
  return outcomes;
}

int report_end(const TargetOutcome& o) {
  const bool missing = std::ranges::any_of(o.end.diagnostics, [](const auto& d) { return d.code == "unavailable"; });
  for (const Diagnostic& d : o.end.diagnostics) std::cerr << o.target << ": " << format(d) << "\n";
  using enum JobEnd::Status;
  switch (o.end.status) {
  case ok: return done;
  case refused: return negative;
  case cancelled:
    std::cerr << "aicf: " << o.target << ": cancelled: these are the results that were finished\n";
    return negative;
  case lost: return o.greeting.host.empty() ? lacking : negative;
  case failed: break;
  }
  const bool late = std::ranges::any_of(
      o.end.diagnostics, [](const auto& d) { return d.code == "job.deadline" || d.code == "job.memory"; });
  return missing ? lacking : late ? negative : bad_input;
}

Result<TargetWords> target_words(const std::vector<std::string>& words) {
  TargetWords out;
  bool chosen = false;
  for (const std::string& word : words) {
    if (!is_architecture(word)) {
      out.names.push_back(word);
      continue;
    }
    if (chosen) return error("cli.target", "--target: two architectures, " + out.arch + " and " + word);
    out.arch = word;
    chosen = true;
  }
  return out;
}

} // namespace aicf::cli
