// How fast the window is to its user: start to a usable window with a full atlas and a store of 100,000 rows, the
// longest handler of an event, a selection until every view shows it, a cancel. `aicf-workbench --bench`.
#pragma once
#include <QApplication>
#include <QElapsedTimer>
#include <QString>

#include <vector>

namespace aicf::views {

/// Times every event that it delivers; nested deliveries count as part of the outermost.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;
  struct Handler {
    double ms = 0, cpuMs = 0; ///< by the clock; on a processor
    QString what;
  };
  bool notify(QObject* receiver, QEvent* event) override;
  /// Forgets the handlers; `during` is said of those to come.
  void resetLongest(const QString& during = {});
  void setDuring(const QString& during) { during_ = during; }
  [[nodiscard]] const Handler& longest() const { return longest_; } ///< by the clock
  /// The few that cost most on a processor, costliest first: whatever else the machine does, they are the same.
  [[nodiscard]] const std::vector<Handler>& costliest() const { return costliest_; }

 private:
  int depth_ = 0;
  QString during_;
  Handler longest_;
  std::vector<Handler> costliest_;
};

struct BenchResult {
  double startMs = 0;                  ///< to a window that answers with the library read
  double newestMs = 0, evidenceMs = 0; ///< from asking for Runs until the newest rows are listed; until all of them are
  double selectionMs = 0, selectionCpuMs = 0, cancelMs = 0;
  double themeMs = 0, themeCpuMs = 0; ///< light to dark or back, until the window is painted
  TimedApplication::Handler longest;
  std::vector<TimedApplication::Handler> costliest;
  QString problem; ///< why there is no result
  std::size_t operators = 0, rows = 0;
};
inline constexpr double startAimMs = 1500, handlerAimMs = 50, selectionAimMs = 100, cancelAimMs = 200;

/// In a store of its own that is made first (and not timed). Runs the event loop.
[[nodiscard]] BenchResult measureWindow(TimedApplication& application, std::size_t rows);
/// measureWindow, printed with its aims. An exit status: 1 when one is missed five times over.
[[nodiscard]] int bench();

} // namespace aicf::views
