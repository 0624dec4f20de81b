#include "views/graph/dot_process.hpp"

#include <utility>

namespace aicf::views {
namespace {
constexpr int lastWaitMs = 1000;
}

DotProcess::DotProcess(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, [this] {
    end();
    Q_EMIT failed(tr("Graphviz took over %1 s for this graph, and was stopped.").arg(limit_ / 1000.0));
  });
}

DotProcess::~DotProcess() {
  blockSignals(true);
  end();
  for (auto* process : findChildren<QProcess*>())
    if (process->state() != QProcess::NotRunning) process->waitForFinished(lastWaitMs);
}

void DotProcess::layOut(const QByteArray& graph) {
  end();
  process_ = new QProcess(this);
  QProcess* process = process_;
  connect(process, &QProcess::errorOccurred, this, [this, process](QProcess::ProcessError error) {
    if (process != process_ || error != QProcess::FailedToStart) return;
    end();
    Q_EMIT failed(
        tr("Graphviz is not installed here (no program “%1”): apt install graphviz, then draw again. The table "
           "of reductions says the same in words.")
            .arg(program_));
  });
  connect(process, &QProcess::finished, this, [this, process](int code, QProcess::ExitStatus status) {
    if (process != process_) return;
    const QByteArray out = process->readAllStandardOutput();
    const QString errors = QString::fromUtf8(process->readAllStandardError()).trimmed();
    end();
    if (status == QProcess::NormalExit && code == 0)
      Q_EMIT done(out);
    else
      Q_EMIT failed(tr("Graphviz could not lay this out: %1").arg(errors.isEmpty() ? tr("it crashed") : errors));
  });
  process->start(program_, {QStringLiteral("-Tplain")});
  process->write(graph);
  process->closeWriteChannel();
  timer_.start(limit_);
  Q_EMIT runningChanged();
}

void DotProcess::cancel() {
  if (!process_) return;
  end();
  Q_EMIT failed(tr("Cancelled. Draw again starts anew."));
}

void DotProcess::end() {
  timer_.stop();
  if (!process_) return;
  QProcess* process = std::exchange(process_, nullptr);
  process->disconnect(this);
  // It is told to go at once; the object stays until it has gone.
  connect(process, &QProcess::finished, process, &QObject::deleteLater);
  process->kill();
  if (process->state() == QProcess::NotRunning) process->deleteLater();
  Q_EMIT runningChanged();
}

} // namespace aicf::views
