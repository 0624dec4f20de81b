#include "views/engine/jobs.hpp"

#include "views/engine/text.hpp"

namespace aicf::views {
namespace {
constexpr qint64 deadlineMs = 3'600'000;
constexpr int memoryMb = 8192;
constexpr int longestLog = 5000;
} // namespace

QString stateText(Job::State state) {
  switch (state) {
  case Job::State::starting: return Jobs::tr("starting");
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

Jobs::Jobs(const WorkerCommand& command, const WorkerPatience& patience, QObject* parent)
    : QObject(parent), command_(command), patience_(patience) {}

int Jobs::start(const QString& kind, const QString& title, const QString& about, const nlohmann::json& body) {
  Job job;
  job.number = int(jobs_.size()) + 1;
  job.kind = kind;
  job.title = title;
  job.about = about;
  job.started = QDateTime::currentDateTime();
  const int number = job.number;
  jobs_.push_back(std::move(job));
  Q_EMIT added(number);

  auto* worker = new WorkerClient(this, patience_);
  workers_[number] = worker;
  connect(worker, &WorkerClient::hello, this, [this, number](const nlohmann::json& params) {
    if (at(number).state == Job::State::starting) at(number).state = Job::State::running;
    if (params.contains("host") && params["host"].is_string())
      at(number).worker = qs(params["host"].get<std::string>());
    Q_EMIT changed(number);
  });
  connect(worker, &WorkerClient::progress, this, [this, number](qint64 done, qint64 total, const QString& text) {
    at(number).done = done;
    at(number).total = total;
    if (!text.isEmpty()) at(number).text = text;
    Q_EMIT changed(number);
  });
  connect(worker, &WorkerClient::log, this, [this, number](const QString& text) {
    if (at(number).log.size() < longestLog) at(number).log << text;
    Q_EMIT changed(number);
  });
  connect(worker, &WorkerClient::result, this,
          [this, number](const QString& resultKind, const nlohmann::json& result_) {
            ++at(number).results;
            Q_EMIT result(number, resultKind, result_);
            Q_EMIT changed(number);
          });
  connect(
      worker, &WorkerClient::done, this,
      [this, number](const QString& status, const std::vector<Diagnostic>& diagnostics, const nlohmann::json& result_) {
        at(number).diagnostics = diagnostics;
        finish(number,
               status == QLatin1String("ok")          ? Job::State::ok
               : status == QLatin1String("refused")   ? Job::State::refused
               : status == QLatin1String("cancelled") ? Job::State::cancelled
                                                      : Job::State::failed,
               result_);
      });
  connect(worker, &WorkerClient::lost, this, [this, number](const QString& reason) {
    Diagnostic why;
    why.code = "worker.lost";
    why.message = reason.toStdString();
    why.hint = tr("Results that had arrived are kept; the job can be started again.").toStdString();
    at(number).diagnostics = {why};
    finish(number, Job::State::lost, {});
  });
  worker->start(command_, number, kind, body, deadlineMs, memoryMb);
  return number;
}

void Jobs::finish(int number, Job::State state, const nlohmann::json& body) {
  Job& job = at(number);
  job.state = state;
  job.ended = QDateTime::currentDateTime();
  for (const Diagnostic& d : job.diagnostics) job.log << qs(format(d)).trimmed();
  if (WorkerClient* worker = workers_[number]) {
    workers_.erase(number);
    // It leaves by itself after `shutdown`; the object must outlive that.
    QTimer::singleShot(patience_.silence + 1000, worker, &QObject::deleteLater);
  }
  Q_EMIT changed(number);
  Q_EMIT finished(number, body);
}

void Jobs::cancel(int number) {
  const auto it = workers_.find(number);
  if (it == workers_.end()) return;
  at(number).state = Job::State::cancelling;
  Q_EMIT changed(number);
  it->second->cancel();
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
