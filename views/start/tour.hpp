// The tour: a real job in five steps, led by a line above the view that says what to do, does it when asked, and goes
// on by itself once it is done, whoever did it.
#pragma once
#include "views/frame/workbench.hpp"

namespace aicf::views {

struct TourStep {
  QString id, title; ///< title: on the Start page
  QString text;      ///< what to do, and with which keys
  QString button, tip;
  std::function<void()> run; ///< does it, or goes where it is done
  std::function<bool()> done;
  QString view{}, hereButton{}, hereTip{}; ///< in that view the button does the step itself
  std::function<void()> act{};
};

class Tour : public QObject {
  Q_OBJECT
 public:
  explicit Tour(Workbench& workbench, QObject* parent = nullptr);
  [[nodiscard]] const std::vector<TourStep>& steps() const { return steps_; }
  [[nodiscard]] bool isDone(std::size_t step) const { return done_[step]; }
  /// -1: not under way.
  [[nodiscard]] int current() const { return current_; }
  void begin(); ///< at the first step that is not done
  void end();

 Q_SIGNALS:
  void changed();

 private:
  void makeSteps();
  void look();
  void tell();
  Workbench& workbench_;
  std::vector<TourStep> steps_;
  std::vector<bool> done_;
  int current_ = -1;
  bool compared_ = false, exported_ = false, ruled_ = false;
};

} // namespace aicf::views
