#include "views/engine/jobs.hpp"

#include "views/engine/text.hpp"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>

namespace aicf::views {
namespace {
constexpr std::int64_t deadlineMs = 3'600'000, memoryMb = 8192;
constexpr int longestLog = 5000;
constexpr int fewestHere = 2; // a question to this machine need not wait for a synthesis

Job::State stateOf(JobEnd::Status status) {
  switch (status) {
  case JobEnd::Status::ok: return Job::State::ok;
  case JobEnd::Status::refused: return Job::State::refused;
  case JobEnd::Status::failed: return Job::State::failed;
  case JobEnd::Status::cancelled: return Job::State::cancelled;
  case JobEnd::Status::lost: return Job::State::lost;
  }
  return Job::State::failed;
}
} // namespace

QString stateText(Job::State state) {
  switch (state) {
  case Job::State::waiting: return Jobs::tr("waiting");
  case Job::State::running: return Jobs::tr("running");
  case Job::State::cancelling: return Jobs::tr("cancelling");
  case Job::State::ok: return Jobs::tr("done");
  case Job::State::refused: return Jobs::tr("refused");
  case Job::State::failed: return Jobs::tr("failed");
  case Job::State::cancelled: return Jobs::tr("cancelled");
  case Job::State::lost: return Jobs::tr("lost");
  }
  return {};
}

JobTargets ownTargets() {
  JobTargets out;
  auto read = load_targets();
  out.problems = read.diagnostics;
  out.all = read ? std::move(*read) : std::vector<WorkerTarget>{WorkerTarget{}};
  const std::string beside =
      QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("aicf")).toStdString();
  for (WorkerTarget& target : out.all) {
    if (target.remote()) continue;
    if (target.program.empty()) target.program = beside;
    target.workers = std::max(target.workers, fewestHere);
  }
  out.build = AICF_VERSION;
  return out;
}

Jobs::Jobs(const JobTargets& targets, const WorkerPatience& patience, QObject* parent)
    : QObject(parent), targets_(targets), pool_(std::make_unique<WorkerPool>(targets.all, patience, targets.build)) {}

Jobs::~Jobs() { pool_.reset(); } // its thread posts to this object

int Jobs::start(const QString& kind, const QString& title, const QString& about, const nlohmann::json& body,
                const QString& target) {
  Job job;
  job.number = int(jobs_.size()) + 1;
  job.kind = kind;
  job.title = title;
  job.about = about;
  job.target = target.isEmpty() ? qs(targets_.all.front().name) : target;
  job.body = body;
  job.started = QDateTime::currentDateTime();
  const int number = job.number;
  const WorkerJob asked{job.target.toStdString(), kind.toStdString(), body, deadlineMs, memoryMb};
  jobs_.push_back(std::move(job));
  ids_.push_back(0);
  Q_EMIT added(number);
  ids_[std::size_t(number - 1)] = pool_->submit(asked, eventsOf(number));
  return number;
}

int Jobs::again(int number) {
  const Job job = at(number);
  return start(job.kind, job.title, job.about, job.body, job.target);
}

/// The pool's events, which come on its thread, in their order on the window's.
JobEvents Jobs::eventsOf(int number) {
  const auto post = [this](auto what) { QMetaObject::invokeMethod(this, std::move(what), Qt::QueuedConnection); };
  JobEvents events;
  events.started = [this, number, post](const WorkerGreeting& greeting) {
    post([this, number, host = qs(greeting.host)] {
      if (at(number).state == Job::State::waiting) at(number).state = Job::State::running;
      at(number).host = host;
      Q_EMIT changed(number);
    });
  };
  events.progress = [this, number, post](std::int64_t done, std::int64_t total, const std::string& text) {
    post([this, number, done, total, words = qs(text)] {
      at(number).done = done;
      at(number).total = total;
      if (!words.isEmpty()) at(number).text = words;
      Q_EMIT changed(number);
    });
  };
  events.log = [this, number, post](const std::string& text) {
    post([this, number, words = qs(text)] {
      if (at(number).log.size() < longestLog) at(number).log << words;
      Q_EMIT changed(number);
    });
  };
  events.result = [this, number, post](const std::string& kind, const nlohmann::json& body) {
    post([this, number, what = qs(kind), body] {
      ++at(number).results;
      Q_EMIT result(number, what, body);
      Q_EMIT changed(number);
    });
  };
  events.finished = [this, number, post](const JobEnd& end) { post([this, number, end] { finish(number, end); }); };
  return events;
}

void Jobs::finish(int number, const JobEnd& end) {
  Job& job = at(number);
  job.state = stateOf(end.status);
  job.ended = QDateTime::currentDateTime();
  job.diagnostics = end.diagnostics;
  for (const Diagnostic& d : job.diagnostics) job.log << qs(format(d)).trimmed();
  Q_EMIT changed(number);
  Q_EMIT finished(number, end.body);
}

void Jobs::cancel(int number) {
  const Job* job = find(number);
  if (!job || job->isOver() || job->state == Job::State::cancelling) return;
  at(number).state = Job::State::cancelling;
  Q_EMIT changed(number);
  pool_->cancel(ids_[std::size_t(number - 1)]);
}

const Job* Jobs::find(int number) const {
  return number >= 1 && number <= int(jobs_.size()) ? &jobs_[std::size_t(number - 1)] : nullptr;
}

int Jobs::running() const {
  int count = 0;
  for (const Job& job : jobs_) count += job.isOver() ? 0 : 1;
  return count;
}

} // namespace aicf::views
