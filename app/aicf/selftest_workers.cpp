#include "app/aicf/selftest_workers.hpp"

#include "app/aicf/command.hpp"
#include "synth/workers/pool.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <optional>

namespace aicf::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using Status = JobEnd::Status;
constexpr int deadline_ms = 2000, cancel_after_ms = 700, cancel_aim_ms = 250, kernel_ms = 120'000;

struct Case {
  const char *name, *kernel;
  Status expected;
  const char* code; ///< a diagnostic that must be among those of its end; nullptr: none must be
  std::int64_t deadline = kernel_ms;
  int cancel_ms = 0; ///< after so long; 0: it is not cancelled
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"a right kernel", "right", Status::ok, nullptr},
      {"a kernel that never ends, at its deadline", "endless", Status::failed, "job.deadline", deadline_ms},
      {"a kernel that never ends, cancelled", "endless", Status::cancelled, nullptr, kernel_ms, cancel_after_ms},
      {"a kernel that writes out of bounds", "out-of-bounds", Status::refused, "fault.out-of-bounds"},
      {"a kernel that writes far from all memory", "wild", Status::refused, nullptr}};
  return all;
}

struct Ended {
  JobEnd end;
  double seconds = 0;
  std::optional<double> cancel_ms;
};

Ended run_case(WorkerPool& pool, const Case& c, const std::string& backend, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable changed;
  bool begun = false, over = false;
  Ended out;
  JobEvents events;
  events.started = [&](const WorkerGreeting&) {
    std::lock_guard lock(mutex);
    begun = true;
    changed.notify_all();
  };
  events.finished = [&](const JobEnd& end) {
    std::lock_guard lock(mutex);
    out.end = end;
    over = true;
    changed.notify_all();
  };
  const auto start = Clock::now();
  const std::int64_t id =
      pool.submit({"", "selftest", {{"kernel", c.kernel}, {"backend", backend}}, c.deadline, 0}, std::move(events));
  std::stop_callback cancelled(stop, [&] { pool.cancel(id); });
  std::unique_lock lock(mutex);
  if (c.cancel_ms > 0) {
    changed.wait(lock, [&] { return begun || over; });
    changed.wait_for(lock, std::chrono::milliseconds(c.cancel_ms), [&] { return over; });
    const auto asked = Clock::now();
    pool.cancel(id);
    changed.wait(lock, [&] { return over; });
    out.cancel_ms = 1e3 * std::chrono::duration<double>(Clock::now() - asked).count();
  }
  changed.wait(lock, [&] { return over; });
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return out;
}

std::string seen(const Ended& e) {
  std::string text(name_of(e.end.status));
  for (const Diagnostic& d : e.end.diagnostics) text += "; " + d.code + ": " + d.message;
  return text;
}

} // namespace

int selftest_workers(const std::string& backend, const std::string& target, bool as_json, const std::stop_token& stop) {
  auto found = find_target(target);
  if (!found) return report(found);
  found->workers = 1; // the same one, as long as it lives
  WorkerPool pool({*found}, {}, AICF_VERSION);
  json checks = json::array();
  bool all = true, unavailable = false;
  auto check = [&](const std::string& name, const Case& c) {
    const Ended e = run_case(pool, c, backend, stop);
    const auto& said = e.end.diagnostics;
    const bool named = c.code == nullptr || std::ranges::any_of(said, [&](const auto& d) { return d.code == c.code; });
    unavailable = unavailable || std::ranges::any_of(said, [](const auto& d) { return d.code == "unavailable"; });
    const bool in_time = !e.cancel_ms || *e.cancel_ms <= cancel_aim_ms;
    const bool passed = e.end.status == c.expected && named && in_time;
    all = all && passed;
    json one{{"name", name}, {"passed", passed}, {"detail", seen(e)}, {"seconds", e.seconds}};
    if (e.cancel_ms) one["cancel_ms"] = *e.cancel_ms;
    if (!as_json) {
      std::cout << (passed ? "PASS  " : "FAIL  ") << name << "  " << seen(e);
      if (e.cancel_ms) std::cout << ", " << *e.cancel_ms << " ms after the cancel";
      std::cout << std::endl;
    }
    checks.push_back(std::move(one));
  };
  for (const Case& c : cases()) {
    if (stop.stop_requested() || unavailable) break;
    check(c.name, c);
    if (&c != &cases().front() && !unavailable) check(std::string("a right kernel after ") + c.name, cases().front());
  }
  if (as_json)
    print_json(
        {{"schema", "aicf.selftest/1"}, {"backend", backend}, {"target", target}, {"passed", all}, {"checks", checks}});
  if (unavailable) return lacking;
  return all && !stop.stop_requested() ? done : negative;
}

} // namespace aicf::cli
