#include "tests/workers/pool_fixture.hpp"

#include "core/exec/nvrtc.hpp"
#include "tests/support/paths.hpp"

#include <QTest>

namespace aicf::test {

std::string JobRun::told() const {
  std::string text(name_of(end.status));
  for (const Diagnostic& d : end.diagnostics) text += "\n" + d.code + ": " + d.message;
  return text;
}

bool JobRun::has(const std::string& code) const {
  for (const Diagnostic& d : end.diagnostics)
    if (d.code == code) return true;
  return false;
}

PoolFixture::PoolFixture() {
  qputenv("AICF_STORE", folder_.filePath("evidence.sqlite").toUtf8());
  qputenv("AICF_ATLAS", sourceFile("atlas").toUtf8());
}

std::filesystem::path PoolFixture::store() const { return folder_.filePath("evidence.sqlite").toStdString(); }

WorkerTarget PoolFixture::here(int workers) {
  WorkerTarget target;
  target.program = binaryFile("bin/aicf").toStdString();
  target.workers = workers;
  return target;
}

bool PoolFixture::compiles() { return static_cast<bool>(nvrtc_info()); }

JobRun PoolFixture::run(WorkerPool& pool, WorkerJob job) {
  Watched watched(pool, std::move(job));
  if (!watched.over()) QTest::qFail("a job has not ended in two minutes", __FILE__, __LINE__);
  return watched.now();
}

WorkerJob selftest(const char* kernel, std::int64_t deadline) {
  return {"", "selftest", {{"kernel", kernel}, {"backend", "emulator"}}, deadline, 0};
}

void works(WorkerPool& pool) {
  const JobRun run = PoolFixture::run(pool, selftest("right"));
  QVERIFY2(run.end.status == JobEnd::Status::ok, run.told().c_str());
}

Watched::Watched(WorkerPool& pool, WorkerJob job) : pool_(pool) {
  auto change = [this](auto what) {
    std::lock_guard lock(mutex_);
    what(run_);
    changed_.notify_all();
  };
  JobEvents events;
  events.started = [=](const WorkerGreeting& g) { change([&](JobRun& r) { r.greeting = g, r.begun = true; }); };
  events.progress = [=](std::int64_t, std::int64_t, const std::string&) { change([](JobRun& r) { ++r.steps; }); };
  events.log = [=](const std::string& text) { change([&](JobRun& r) { r.log.push_back(text); }); };
  events.result = [=](const std::string&, const nlohmann::json& body) {
    change([&](JobRun& r) { r.results.push_back(body); });
  };
  events.finished = [=](const JobEnd& end) {
    change([&](JobRun& r) {
      if (r.over) QTest::qFail("a job ended twice", __FILE__, __LINE__);
      r.end = end, r.over = true, r.ended = std::chrono::steady_clock::now();
    });
  };
  id_ = pool.submit(std::move(job), std::move(events));
}

double Watched::cancel() {
  const auto asked = std::chrono::steady_clock::now();
  pool_.cancel(id_);
  if (!over()) return 1e9;
  return 1e3 * std::chrono::duration<double>(now().ended - asked).count();
}

nlohmann::json synth_body(int budget) {
  return {{"text", "op soft(x: float[M, N]) -> y: float[M, N]\n"
                   "  m[i] = max[j] x[i, j]\n"
                   "  l[i] = sum[j] exp(x[i, j] - m[i])\n"
                   "  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n"},
          {"dims", {{"M", 64}, {"N", 512}}},
          {"budget", budget}};
}

} // namespace aicf::test
