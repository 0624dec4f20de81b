// Graphviz's dot in a process of its own: it cannot be interrupted from within, takes seconds for thousands of nodes,
// and may be absent. One layout at a time; a newer one ends the older.
#pragma once
#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QTimer>

namespace aicf::views {

class DotProcess : public QObject {
  Q_OBJECT
 public:
  explicit DotProcess(QObject* parent = nullptr);
  ~DotProcess() override;
  /// For tests: another program, another patience.
  void setProgram(const QString& program) { program_ = program; }
  void setTimeLimit(int milliseconds) { limit_ = milliseconds; }
  void layOut(const QByteArray& graph);
  void cancel();
  [[nodiscard]] bool isRunning() const { return process_ != nullptr; }

 Q_SIGNALS:
  void done(const QByteArray& plain); ///< dot -Tplain
  void failed(const QString& why);    ///< also after cancel()
  void runningChanged();

 private:
  void end();
  QString program_ = QStringLiteral("dot");
  int limit_ = 15'000;
  QProcess* process_ = nullptr;
  QTimer timer_;
};

} // namespace aicf::views
