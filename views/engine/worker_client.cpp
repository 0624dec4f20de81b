#include "views/engine/worker_client.hpp"

#include "views/engine/text.hpp"

#include <QCoreApplication>
#include <QDir>

namespace aicf::views {
namespace {
constexpr qsizetype longestLine = 64 << 20;
constexpr qsizetype errorTail = 4000;

QString textOf(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? qs(it->get_ref<const std::string&>()) : QString();
}

qint64 numberOf(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? qint64(it->get<double>()) : 0;
}
} // namespace

WorkerCommand ownWorker() { return {QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("aicf"))}; }

std::vector<Diagnostic> diagnosticsFrom(const nlohmann::json& list) {
  std::vector<Diagnostic> out;
  if (!list.is_array()) return out;
  for (const auto& item : list) {
    if (!item.is_object()) continue;
    Diagnostic d;
    const QString severity = textOf(item, "severity");
    d.severity = severity == QLatin1String("warning") ? Diagnostic::Severity::warning
                 : severity == QLatin1String("note")  ? Diagnostic::Severity::note
                                                      : Diagnostic::Severity::error;
    d.code = textOf(item, "code").toStdString();
    d.message = textOf(item, "message").toStdString();
    d.hint = textOf(item, "hint").toStdString();
    d.at = {textOf(item, "file").toStdString(), int(numberOf(item, "line")), int(numberOf(item, "column")),
            int(numberOf(item, "length"))};
    out.push_back(std::move(d));
  }
  return out;
}

WorkerClient::WorkerClient(QObject* parent, const WorkerPatience& patience) : QObject(parent), patience_(patience) {
  silence_.setSingleShot(true);
  cancelling_.setSingleShot(true);
  connect(&process_, &QProcess::readyReadStandardOutput, this, &WorkerClient::readLines);
  connect(&process_, &QProcess::readyReadStandardError, this,
          [this] { errors_ = (errors_ + QString::fromUtf8(process_.readAllStandardError())).right(errorTail); });
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      lose(tr("%1 could not be started: %2").arg(process_.program(), process_.errorString()));
  });
  connect(&process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    readLines();
    const QString how =
        status == QProcess::CrashExit ? tr("The worker crashed.") : tr("The worker ended with status %1.").arg(code);
    lose(errors_.trimmed().isEmpty() ? how : how + '\n' + errors_.trimmed());
  });
  connect(&silence_, &QTimer::timeout, this, [this] {
    lose(greeted_ ? tr("The worker was silent for %1 s.").arg(patience_.silence / 1000.0)
                  : tr("The worker did not answer within %1 s.").arg(patience_.hello / 1000.0));
  });
  connect(&cancelling_, &QTimer::timeout, this, [this] {
    if (over_) return;
    end(false);
    Q_EMIT done(QStringLiteral("cancelled"), {}, {});
  });
}

WorkerClient::~WorkerClient() {
  over_ = true;
  process_.disconnect(this);
  if (process_.state() != QProcess::NotRunning) {
    process_.kill();
    process_.waitForFinished(500);
  }
}

void WorkerClient::start(const WorkerCommand& command, int job, const QString& kind, const nlohmann::json& body,
                         qint64 deadlineMs, int memoryMb) {
  job_ = job;
  start_ = {
      {"job", job}, {"kind", kind.toStdString()}, {"body", body}, {"deadline_ms", deadlineMs}, {"memory_mb", memoryMb}};
  silence_.start(patience_.hello);
  process_.start(command.program, command.arguments);
}

void WorkerClient::send(const char* method, const nlohmann::json& params) {
  const nlohmann::json message{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}};
  const std::string line = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  process_.write(line.data(), qint64(line.size()));
}

void WorkerClient::cancel() {
  if (over_ || cancelled_) return;
  cancelled_ = true;
  if (greeted_) send("cancel", {{"job", job_}});
  cancelling_.start(patience_.cancel);
}

void WorkerClient::readLines() {
  pending_ += process_.readAllStandardOutput();
  qsizetype from = 0;
  for (qsizetype at; !over_ && (at = pending_.indexOf('\n', from)) >= 0; from = at + 1)
    handle(pending_.mid(from, at - from));
  pending_.remove(0, from);
  if (!over_ && pending_.size() > longestLine) lose(tr("The worker wrote a line of over 64 MiB."));
}

void WorkerClient::handle(const QByteArray& line) {
  const auto message = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  const bool isCall = message.is_object() && message.contains("method") && message["method"].is_string();
  if (!isCall) {
    // Before the hello anything may be written; afterwards only the protocol.
    if (greeted_ && !line.trimmed().isEmpty())
      lose(tr("The worker wrote a line that is no message: %1").arg(QString::fromUtf8(line.left(200))));
    return;
  }
  const QString method = textOf(message, "method");
  const nlohmann::json params = message.value("params", nlohmann::json::object());
  if (!params.is_object()) return;
  if (!greeted_) {
    if (method != QLatin1String("hello")) return;
    if (textOf(params, "protocol") != QLatin1String("aicf.worker/1")) {
      lose(tr("The worker speaks %1, not aicf.worker/1.").arg(textOf(params, "protocol")));
      return;
    }
    greeted_ = true;
    silence_.start(patience_.silence);
    Q_EMIT hello(params);
    if (!cancelled_) send("start", start_);
    return;
  }
  silence_.start(patience_.silence);
  handleNotification(method, params);
}

void WorkerClient::handleNotification(const QString& method, const nlohmann::json& params) {
  if (method == QLatin1String("progress")) {
    Q_EMIT progress(numberOf(params, "done"), numberOf(params, "total"), textOf(params, "text"));
  } else if (method == QLatin1String("result")) {
    Q_EMIT result(textOf(params, "kind"), params.value("body", nlohmann::json()));
  } else if (method == QLatin1String("log")) {
    Q_EMIT log(textOf(params, "text"));
  } else if (method == QLatin1String("done")) {
    end(true);
    Q_EMIT done(textOf(params, "status"), diagnosticsFrom(params.value("diagnostics", nlohmann::json())),
                params.value("body", nlohmann::json()));
  }
}

void WorkerClient::lose(const QString& reason) {
  if (over_) return;
  end(false);
  if (cancelled_)
    Q_EMIT done(QStringLiteral("cancelled"), {}, {});
  else
    Q_EMIT lost(reason);
}

void WorkerClient::end(bool orderly) {
  over_ = true;
  silence_.stop();
  cancelling_.stop();
  if (process_.state() == QProcess::NotRunning) return;
  if (!orderly) {
    process_.kill();
    return;
  }
  send("shutdown", nlohmann::json::object());
  process_.closeWriteChannel();
  QTimer::singleShot(patience_.silence, &process_, [this] { process_.kill(); });
}

} // namespace aicf::views
