// Numbered jobs of the window, on a pool of workers (synth/workers/pool.hpp): several at once, on this machine or on a
// named target. Progress, log and results come one by one, on the window's thread; what arrived before a cancel or a
// crash stays, and the job after a crash gets another worker.
#pragma once
#include "synth/workers/pool.hpp"

#include <QDateTime>
#include <QObject>
#include <QStringList>

#include <memory>
#include <vector>

namespace aicf::views {

struct Job {
  enum class State { waiting, running, cancelling, ok, refused, failed, cancelled, lost };
  int number = 0;
  QString kind, title, about; ///< about: the operator
  QString target, host;       ///< by name; host: of the worker, once it has the job
  nlohmann::json body;        ///< what was asked for
  State state = State::waiting;
  qint64 done = 0, total = 0;
  QString text;
  QStringList log;
  std::vector<Diagnostic> diagnostics;
  int results = 0;
  QDateTime started, ended;
  [[nodiscard]] bool isOver() const { return state >= State::ok; }
};
[[nodiscard]] QString stateText(Job::State state);

/// Where jobs may run; never empty, the first is asked when nobody says where.
struct JobTargets {
  std::vector<WorkerTarget> all;
  std::vector<Diagnostic> problems; ///< of the file that names them
  std::string build;                ///< of this program; empty: a worker's is not compared
};
/// Those of the user's file (synth/workers/target.hpp); on this machine it is `aicf` beside this program.
[[nodiscard]] JobTargets ownTargets();

class Jobs : public QObject {
  Q_OBJECT
 public:
  explicit Jobs(const JobTargets& targets, const WorkerPatience& patience = {}, QObject* parent = nullptr);
  ~Jobs() override;
  /// Its number, from 1. `target`: a name; empty: the first.
  int start(const QString& kind, const QString& title, const QString& about, const nlohmann::json& body,
            const QString& target = {});
  /// The same once more, as a job of its own; its number.
  int again(int number);
  void cancel(int number);
  [[nodiscard]] const Job* find(int number) const;
  [[nodiscard]] const std::vector<Job>& all() const { return jobs_; }
  [[nodiscard]] int running() const;
  [[nodiscard]] const JobTargets& targets() const { return targets_; }

 Q_SIGNALS:
  void added(int number);
  void changed(int number);
  void result(int number, const QString& kind, const nlohmann::json& body);
  void finished(int number, const nlohmann::json& body);

 private:
  Job& at(int number) { return jobs_[std::size_t(number - 1)]; }
  [[nodiscard]] JobEvents eventsOf(int number);
  void finish(int number, const JobEnd& end);
  JobTargets targets_;
  std::vector<Job> jobs_;
  std::vector<std::int64_t> ids_; ///< of the pool, by number
  std::unique_ptr<WorkerPool> pool_;
};

} // namespace aicf::views
