// Numbered jobs of the window, each in a worker process of its own: progress, log and results one by one; what arrived
// before a cancel or a crash stays.
#pragma once
#include "views/engine/worker_client.hpp"

#include <QDateTime>
#include <QObject>

#include <map>
#include <memory>

namespace aicf::views {

struct Job {
  enum class State { starting, running, cancelling, ok, refused, failed, cancelled, lost };
  int number = 0;
  QString kind, title, about; ///< about: the operator
  State state = State::starting;
  qint64 done = 0, total = 0;
  QString text, worker;
  QStringList log;
  std::vector<Diagnostic> diagnostics;
  int results = 0;
  QDateTime started, ended;
  [[nodiscard]] bool isOver() const { return state >= State::ok; }
};
[[nodiscard]] QString stateText(Job::State state);

class Jobs : public QObject {
  Q_OBJECT
 public:
  explicit Jobs(const WorkerCommand& command, const WorkerPatience& patience = {}, QObject* parent = nullptr);
  /// Its number, from 1.
  int start(const QString& kind, const QString& title, const QString& about, const nlohmann::json& body);
  void cancel(int number);
  [[nodiscard]] const Job* find(int number) const;
  [[nodiscard]] const std::vector<Job>& all() const { return jobs_; }
  [[nodiscard]] int running() const;

 Q_SIGNALS:
  void added(int number);
  void changed(int number);
  void result(int number, const QString& kind, const nlohmann::json& body);
  void finished(int number, const nlohmann::json& body);

 private:
  Job& at(int number) { return jobs_[std::size_t(number - 1)]; }
  void finish(int number, Job::State state, const nlohmann::json& body);
  WorkerCommand command_;
  WorkerPatience patience_;
  std::vector<Job> jobs_;
  std::map<int, WorkerClient*> workers_; ///< children of this
};

} // namespace aicf::views
