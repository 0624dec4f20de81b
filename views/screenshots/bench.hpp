// How fast the window is to its user: start to a usable window with a full atlas and a store of 100,000 rows, the
// longest handler of an event, a selection until every view shows it, a cancel. `aicf-workbench --bench`.
#pragma once
#include <QApplication>
#include <QElapsedTimer>
#include <QString>

namespace aicf::views {

/// Times every event that it delivers; nested deliveries count as part of the outermost.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override;
  void resetLongest();
  [[nodiscard]] double longestMs() const { return longestNs_ / 1e6; }
  [[nodiscard]] const QString& longestWhat() const { return what_; }

 private:
  int depth_ = 0;
  qint64 longestNs_ = 0;
  QString what_;
};

struct BenchResult {
  double startMs = 0, evidenceMs = 0; ///< to a window that answers with the library read; until all rows are there too
  double handlerMs = 0, selectionMs = 0, cancelMs = 0;
  QString longestHandler, problem; ///< problem: why there is no result
  std::size_t operators = 0, rows = 0;
};
inline constexpr double startAimMs = 1500, handlerAimMs = 50, selectionAimMs = 100, cancelAimMs = 200;

/// In a store of its own that is made first (and not timed). Runs the event loop.
[[nodiscard]] BenchResult measureWindow(TimedApplication& application, std::size_t rows);
/// measureWindow, printed with its aims. An exit status: 1 when one is missed five times over.
[[nodiscard]] int bench();

} // namespace aicf::views
