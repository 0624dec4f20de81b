// The profile as text, in both of its forms, two-way: ticks rewrite the text, a text that reads well sets the ticks.
#pragma once
#include "views/editors/code_editor.hpp"
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"

#include <QTimer>

namespace aicf::views {

class ProfilePane : public QWidget {
  Q_OBJECT
 public:
  enum class Form { json, text };
  ProfilePane(Workbench& workbench, Form form);
  [[nodiscard]] CodeEditor& editor() { return *editor_; }
  [[nodiscard]] QString problem() const { return problem_->text(); }

 private:
  void write();
  void read();
  Workbench& workbench_;
  Form form_;
  CodeEditor* editor_;
  QLabel* problem_;
  QTimer rest_;
  bool writing_ = false;
};

} // namespace aicf::views
