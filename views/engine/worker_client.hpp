// One job in one worker process, by aicf.worker/1 (DESIGN.md, section 14): lines of JSON-RPC 2.0 over its standard
// input and output. Lines before the hello are login banners and ignored. A worker that ends, falls silent or writes
// nonsense is lost: one signal says why, and nothing else in the window is touched.
#pragma once
#include "core/base/diagnostic.hpp"

#include <nlohmann/json.hpp>

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include <vector>

namespace aicf::views {

struct WorkerCommand {
  QString program;
  QStringList arguments{QStringLiteral("worker")};
};
/// `aicf worker` beside this program.
[[nodiscard]] WorkerCommand ownWorker();

struct WorkerPatience {
  int hello = 15'000, silence = 5'000; ///< milliseconds without a hello, without any line
  int cancel = 200;                    ///< from a cancel to the end of the process
};

class WorkerClient : public QObject {
  Q_OBJECT
 public:
  explicit WorkerClient(QObject* parent = nullptr, const WorkerPatience& patience = {});
  ~WorkerClient() override;
  void start(const WorkerCommand& command, int job, const QString& kind, const nlohmann::json& body, qint64 deadlineMs,
             int memoryMb);
  void cancel();
  [[nodiscard]] bool isOver() const { return over_; }

 Q_SIGNALS:
  void hello(const nlohmann::json& params);
  void progress(qint64 done, qint64 total, const QString& text);
  void result(const QString& kind, const nlohmann::json& body);
  void log(const QString& text);
  /// Exactly one of these ends a job. status: "ok" "refused" "failed" "cancelled".
  void done(const QString& status, const std::vector<aicf::Diagnostic>& diagnostics, const nlohmann::json& body);
  void lost(const QString& reason);

 private:
  void readLines();
  void handle(const QByteArray& line);
  void handleNotification(const QString& method, const nlohmann::json& params);
  void send(const char* method, const nlohmann::json& params);
  void lose(const QString& reason);
  void end(bool orderly); ///< asks the process to leave, or kills it

  WorkerPatience patience_;
  QProcess process_;
  QTimer silence_, cancelling_;
  QByteArray pending_;
  QString errors_; ///< tail of its standard error
  nlohmann::json start_;
  int job_ = 0;
  bool greeted_ = false, over_ = false, cancelled_ = false;
};

[[nodiscard]] std::vector<Diagnostic> diagnosticsFrom(const nlohmann::json& list);

} // namespace aicf::views
